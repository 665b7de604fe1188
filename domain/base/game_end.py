"""The end of a turn and of the game: conditions, final count and winners (R8)."""

from msgspec.structs import replace

from domain.facts import FinalCounted, GameEnded, TurnEnded
from domain.field_types import DecidedBy, EndReason
from domain.game import DecisionBuilder, Folds, Game
from domain.phase_names import FINISHED
from domain.state import Ending

DOLLARS_PER_INFLUENCE = 3
INFLUENCE_PER_BONUS_TILE = 4


def close_turn(builder: DecisionBuilder) -> None:
    """End the turn. End the game if a region tile is in the red zone or all players have passed (R8.1)."""
    game = builder.game
    expanded = game.turn.expanded
    idle_turns = 0 if expanded else len(game.passed) + 1
    builder.append(TurnEnded(game.turn.seat, expanded, idle_turns))
    if len(game.track) >= game.board.region_track.red_from:
        count_final(builder, "red_zone")
    else:
        end_if_nobody_expands(builder)


def end_if_nobody_expands(builder: DecisionBuilder) -> None:
    """End the game if all remaining players had a turn since the last expansion (R8.1)."""
    if everybody_passed(builder.game):
        count_final(builder, "no_expansion")


def everybody_passed(game: Game) -> bool:
    if game.rules < 2:  # rules 1 counted turns, including those of players who have resigned since
        return len(game.passed) >= len(game.playing())
    return set(game.passed).issuperset(game.playing())


def count_final(builder: DecisionBuilder, reason: EndReason) -> None:
    """Do the final count and determine the winners (R8.2). Players who have resigned cannot win (R13.1)."""
    for seat in builder.game.playing():
        builder.append(_final_count(builder.game, seat))
    winners, decided_by = _winners(builder.game)
    builder.append(GameEnded(reason, winners, decided_by if reason != "resigned" else "last_player"))


def _final_count(game: Game, seat: int) -> FinalCounted:
    player = game.players[seat]
    towns = (player.present & game.board.towns).bit_count()
    dollars = player.money // DOLLARS_PER_INFLUENCE
    tiles = player.bonus_tiles * INFLUENCE_PER_BONUS_TILE
    total = player.influence + towns + dollars + tiles
    return FinalCounted(seat, towns, towns, player.money, dollars, player.bonus_tiles, tiles, total)


def _winners(game: Game) -> tuple[tuple[int, ...], DecidedBy]:
    most = max(final.total for final in game.finals)
    best = [final for final in game.finals if final.total == most]
    if len(best) == 1:
        return (best[0].seat,), "influence"
    towns = max(final.towns for final in best)
    best = [final for final in best if final.towns == towns]
    return tuple(sorted(final.seat for final in best)), "towns" if len(best) == 1 else "shared"


def _turn_ended(game: Game, fact: TurnEnded) -> Game:
    return replace(game, passed=() if fact.expanded else (*game.passed, fact.seat))


def _final_counted(game: Game, fact: FinalCounted) -> Game:
    player = game.players[fact.seat]
    earned = replace(
        player.earned,
        towns=fact.towns_influence,
        dollars=fact.dollars_influence,
        bonus_tiles=fact.bonus_tiles_influence,
    )
    players = game.with_player(fact.seat, replace(player, earned=earned))
    return replace(game, players=players, finals=(*game.finals, fact))


def _game_ended(game: Game, fact: GameEnded) -> Game:
    return replace(game, phase=FINISHED, to_play=None, ending=Ending(fact.reason, fact.winners, fact.decided_by))


FOLDS: Folds = {TurnEnded: _turn_ended, FinalCounted: _final_counted, GameEnded: _game_ended}
