"""Phase 5, score regions (R7)."""

from collections.abc import Iterator

from msgspec.structs import replace

from domain.base.changes import changed_region
from domain.board import RegionTile
from domain.facts import RegionRank, RegionScored
from domain.game import DecisionBuilder, Folds, Game
from domain.state import Player


def score_regions(builder: DecisionBuilder) -> None:
    """Score each complete region, in the order of the board file (R7.1, R7.5)."""
    game = builder.game
    waiting = game.unscored | game.board.towns & game.open
    for number, places in enumerate(game.board.region_places):
        tile = game.regions[number].tile
        if tile is not None and not places & waiting:
            _score_region(builder, number, tile)


def _score_region(builder: DecisionBuilder, region: int, tile: RegionTile) -> None:
    fact = _region_scoring(builder.game, region, tile)
    builder.append(fact)
    builder.ask_modules(lambda module, game: module.on_region_scored(game, fact))
    builder.board_changed()


def _region_scoring(game: Game, region: int, tile: RegionTile) -> RegionScored:
    owner = game.regions[region].tie_break
    tie_break = tuple(game.clockwise_from(game.turn.seat if owner is None else owner))
    space = len(game.track)
    return RegionScored(
        seat=game.turn.seat,
        region=game.board.regions[region].id,
        tile=tile,
        tie_break=tie_break,
        ranks=tuple(_ranks(game, game.board.region_places[region], tile, tie_break)),
        space=space + 1,
        track_influence=game.board.region_track.influence[space],
    )


def _ranks(game: Game, places: int, tile: RegionTile, tie_break: tuple[int, ...]) -> Iterator[RegionRank]:
    counts = {seat: game.franchises_in(places, seat) for seat in tie_break}
    order = sorted((seat for seat in tie_break if counts[seat]), key=counts.__getitem__, reverse=True)
    for rank, seat in enumerate(order, start=1):
        influence, dollars = _award(game, tile, rank) if not game.players[seat].resigned else (0, 0)
        yield RegionRank(seat, rank, counts[seat], influence, dollars)


def _award(game: Game, tile: RegionTile, rank: int) -> tuple[int, int]:
    """Return influence and dollars of a rank. With two players the second rank gets the third value (R7.2, R7.3)."""
    entry = min(rank, 3) if len(game.players) > 2 or rank == 1 else 3
    value = tile.values[entry - 1]
    for module in game.modules:
        award = module.award(game, tile, value)
        if award is not None:
            return award
    return value, 0


def _region_scored(game: Game, fact: RegionScored) -> Game:
    players = list(game.players)
    for rank in fact.ranks:
        players[rank.seat] = _ranked(players[rank.seat], rank)
    active = players[fact.seat]
    earned = replace(active.earned, region_track=active.earned.region_track + fact.track_influence)
    players[fact.seat] = replace(active, earned=earned)
    regions = changed_region(game, fact.region, tile=None, scored=True)
    return replace(game, players=tuple(players), regions=regions, track=(*game.track, fact.tile))


def _ranked(player: Player, rank: RegionRank) -> Player:
    earned = replace(player.earned, regions=player.earned.regions + rank.influence)
    return replace(player, earned=earned, money=player.money + rank.dollars)


FOLDS: Folds = {RegionScored: _region_scored}
