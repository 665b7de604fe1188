"""The start of a game as facts, from its options to the first decision (R2)."""

from domain.base.lay_tiles import lay_tiles
from domain.base.phases import phase_order_of
from domain.base.set_up import choose_first_player, close_regions, deal_bonus_tiles, found_introductory_towns
from domain.board import RegionTile
from domain.boards import board_names, load_board
from domain.decide import Decision, advance, decision_of
from domain.evolve import evolve, new_game
from domain.game import DecisionBuilder
from domain.modules import GameOptions, GameStarted, modules_for
from domain.refused import Refused
from domain.rules_version import RULES_VERSION


def start(
    options: GameOptions, players: int, seed: int, tiles: tuple[RegionTile, ...] = (), rules: int = RULES_VERSION
) -> Decision:
    """Return the facts of the set-up up to the first decision; raise ``Refused`` if the options are invalid.

    All draws follow from the seed. ``tiles`` are the region tiles of the expansion (R12.1).
    """
    check_options(options, players, tiles)
    started = GameStarted(rules, players, seed, options, tiles)
    builder = DecisionBuilder(new_game(started), evolve)
    builder.facts.append(started)
    choose_first_player(builder, options.first_player)
    close_regions(builder)
    builder.ask_modules(lambda module, game: module.draw(game))
    lay_tiles(builder)
    deal_bonus_tiles(builder)
    if options.start == "introductory":
        found_introductory_towns(builder)
    order = phase_order_of(builder.game)
    advance(builder, order, order.set_up[0])
    return decision_of(builder)


def check_options(options: GameOptions, players: int, tiles: tuple[RegionTile, ...] = ()) -> None:
    """Raise ``Refused`` if the options are invalid for this number of players."""
    first = options.first_player
    if options.board not in board_names():
        raise Refused("invalid_options", "R2", sentence="unknown_board", values={"board": options.board})
    board = load_board(options.board)
    if players not in board.starting_money:
        raise Refused(
            "invalid_options", "R2.1", sentence="board_for_others", values={"board": board.id, "players": players}
        )
    if first != "random" and first not in range(players):
        raise Refused("invalid_options", "R2.1", sentence="unknown_first_player", values={"seat": first})
    modules = modules_for(options)
    for module in modules:
        module.check(board, players, tiles, modules)
