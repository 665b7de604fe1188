"""Who gains what, as facts: income, cities, regions and the final count (R3, R6, R7, R8.2)."""

from collections.abc import Iterator

from domain.board import RegionTile, members
from domain.events import (
    CityScored,
    FinalCounted,
    FranchisePlaced,
    GameEnded,
    IncomeReceived,
    RegionRank,
    RegionScored,
    TieBreakPlaced,
)
from domain.game import Game
from domain.story import Story
from domain.terms import Decision, Origin, Reason
from domain.verdict import Verdict, judge

DOLLARS_PER_INFLUENCE = 3
INFLUENCE_PER_BONUS_TILE = 4


def income(game: Game, seat: int) -> IncomeReceived:
    """Phase 1: dollars for the free spaces of every unscored city where the player has a franchise (R3.1)."""
    places = game.board.places
    here = members(game.players[seat].present & game.unscored)
    cities = {places[place].id: game.free_spaces(place) for place in here}
    extra = sum(module.extra_free_spaces(game, seat) for module in game.modules)
    return IncomeReceived(seat, cities, extra, game.board.income_for(len(game.players), sum(cities.values()) + extra))


def open_franchises(story: Story) -> None:
    """Phase 4: markers become franchises, then centre franchises find their spaces; cities score (R6.1, R6.2)."""
    while story.game.turn.markers:
        _open_franchise(story, story.game.turn.markers[0], "marker")
    while story.game.turn.centre:
        _open_franchise(story, story.game.turn.centre[0], "centre")


def _open_franchise(story: Story, place: int, origin: Origin) -> None:
    game = story.game
    seat = game.turn.seat
    space = len(game.spaces[place]) + 1
    story.tell(FranchisePlaced(seat, game.board.places[place].id, space, origin))
    value = game.values[place]
    if value:
        verdict = judge(story.game.spaces[place], value, seat)
        if verdict is not None:
            _score_city(story, place, verdict)
    story.notice()


def _score_city(story: Story, place: int, verdict: Verdict) -> None:
    game = story.game
    seat = game.turn.seat
    here = game.spaces[place]
    gains = not game.players[verdict.winner].resigned
    story.tell(
        CityScored(
            seat=seat,
            city=game.board.places[place].id,
            value=game.values[place],
            franchises={other: here.count(other) for other in game.seats if other in here},
            winner=verdict.winner,
            clause=verdict.clause,
            tied=verdict.tied,
            influence=verdict.influence if gains else 0,
            returned=here.count(verdict.winner) - 1 if gains else 0,
            from_centre=game.turn.centre.count(place),
        )
    )
    region = game.board.region_of[place]
    if game.regions[region].tie_break is None:
        piece = story.game.spare(seat) > 0
        story.tell(TieBreakPlaced(seat, game.board.regions[region].id, piece))


def score_regions(story: Story) -> None:
    """Phase 5: every open region that is complete scores, in the order of the board file (R7.1, R7.5)."""
    game = story.game
    waiting = game.unscored | game.board.towns & game.open
    for number, places in enumerate(game.board.region_places):
        tile = game.regions[number].tile
        if tile is not None and not places & waiting:
            _score_region(story, number, tile)


def _score_region(story: Story, region: int, tile: RegionTile) -> None:
    fact = _region_scored(story.game, region, tile)
    story.tell(fact)
    story.ask_modules(lambda module, game: module.region_gains(game, fact))
    story.notice()


def _region_scored(game: Game, region: int, tile: RegionTile) -> RegionScored:
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
    """Influence and dollars of a rank: with two players the second gets the third entry (R7.2, R7.3)."""
    entry = min(rank, 3) if len(game.players) > 2 or rank == 1 else 3
    value = tile.values[entry - 1]
    for module in game.modules:
        award = module.award(game, tile, value)
        if award is not None:
            return award
    return value, 0


def count_final(story: Story, reason: Reason) -> None:
    """The final count and the winners (R8.2); who has resigned gains nothing and cannot win (R13.1)."""
    for seat in story.game.playing():
        story.tell(_final_count(story.game, seat))
    winners, decided_by = _winners(story.game)
    story.tell(GameEnded(reason, winners, decided_by if reason != "resigned" else "last_player"))


def _final_count(game: Game, seat: int) -> FinalCounted:
    player = game.players[seat]
    towns = (player.present & game.board.towns).bit_count()
    dollars = player.money // DOLLARS_PER_INFLUENCE
    tiles = player.bonus_tiles * INFLUENCE_PER_BONUS_TILE
    total = player.influence + towns + dollars + tiles
    return FinalCounted(seat, towns, towns, player.money, dollars, player.bonus_tiles, tiles, total)


def _winners(game: Game) -> tuple[tuple[int, ...], Decision]:
    most = max(final.total for final in game.finals)
    best = [final for final in game.finals if final.total == most]
    if len(best) == 1:
        return (best[0].seat,), "influence"
    towns = max(final.towns for final in best)
    best = [final for final in best if final.towns == towns]
    return tuple(sorted(final.seat for final in best)), "towns" if len(best) == 1 else "shared"
