"""The set-up of a game, from its options to the first decision, as facts (R2)."""

import random

from domain.board import RegionTile
from domain.boards import BoardError, load_board
from domain.events import (
    BonusTilesDealt,
    FirstPlayerChosen,
    GameStarted,
    RegionsClosed,
    TownFounded,
)
from domain.evolve import new_game
from domain.modules import modules_for
from domain.options import Options
from domain.phases import advance, course_of
from domain.refusals import Refused
from domain.story import Outcome, Story
from domain.tiles import tiles_as_printed

RULES_VERSION = 1


def start(options: Options, players: int, seed: int, tiles: tuple[RegionTile, ...] = ()) -> Outcome:
    """The facts of the whole set-up up to the first decision; raises ``Refused`` if the options make no game.

    All that is drawn follows from the seed. ``tiles`` are the region tiles of the expansion (R12.1).
    """
    check_options(options, players, tiles)
    started = GameStarted(RULES_VERSION, players, seed, options, tiles)
    story = Story(new_game(started))
    story.facts.append(started)
    story.tell(_first_player(options, players, seed))
    _lay_tiles(story)
    _deal_bonus_tiles(story)
    if options.start == "introductory":
        _found_fixed_towns(story)
    advance(story, course_of(story.game).set_up[0])
    return story.outcome()


def check_options(options: Options, players: int, tiles: tuple[RegionTile, ...] = ()) -> None:
    """Raise ``Refused`` if these options make no game for that many players."""
    try:
        board = load_board(options.board)
    except BoardError as error:
        raise Refused("invalid_options", "R2", str(error)) from error
    if players not in board.starting_money:
        raise Refused("invalid_options", "R2.1", f"The board {board.id} is not made for {players} players.")
    if options.first_player != "random" and options.first_player not in range(players):
        raise Refused("invalid_options", "R2.1", f"There is no seat {options.first_player} to begin.")
    for module in modules_for(options):
        module.check(options, board, players, tiles)


def _first_player(options: Options, players: int, seed: int) -> FirstPlayerChosen:
    if options.first_player == "random":
        return FirstPlayerChosen(random.Random(f"{seed}/first player").randrange(players), drawn=True)
    return FirstPlayerChosen(options.first_player, drawn=False)


def _lay_tiles(story: Story) -> None:
    """Close regions, draw what the modules draw, then lay the tiles as printed or as a module will have it."""
    game = story.game
    closed = game.board.closed_regions[len(game.players)]
    if closed:
        story.tell(RegionsClosed(closed))
    story.ask_modules(lambda module, game: module.draw(game))
    laid = (module.lay_tiles(story.game) for module in story.game.modules)
    story.tell_all(next((facts for facts in laid if facts is not None), tiles_as_printed(story.game)))


def _deal_bonus_tiles(story: Story) -> None:
    """Bonus tiles for everyone, unless a module keeps them back (R2.5)."""
    game = story.game
    dealt = (module.deal_bonus_tiles(game) for module in game.modules)
    to_all = [BonusTilesDealt(game.board.bonus_tiles[len(game.players)])]
    story.tell_all(next((facts for facts in dealt if facts is not None), to_all))


def _found_fixed_towns(story: Story) -> None:
    """Two fixed towns each, by turn order (R2.4)."""
    game = story.game
    fixed = game.board.introductory_towns[len(game.players)]
    for seat, towns in zip(game.clockwise_from(game.first_player), fixed, strict=True):
        story.tell_all(TownFounded(seat, town, fixed=True) for town in towns)
