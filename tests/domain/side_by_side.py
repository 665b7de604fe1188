"""A game of the engine, compared with the same game of the reference."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import asdict, astuple

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.decide import Decision, decide, legal_actions
from domain.facts import CityTilesLaid, FirstPlayerChosen, RegionTilesLaid
from domain.game import Game
from domain.modules import Action, GameFact, GameOptions
from domain.modules.boom import Boom, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import Draft, ExplicitLayout, PlaceCityTile, PlaceRegionTile
from domain.modules.milestones import Milestones, MilestonesDrawn
from domain.modules.region_tiles import RegionTiles, RegionTilesDrawn
from domain.rules_version import RULES_VERSION
from domain.start import start
from tests.domain.positions import NEW_TILES
from tests.domain.reference import Deal, Move, ReferenceGame

KINDS: dict[type[Action], str] = {
    PlaceCityTile: "city tile",
    PlaceRegionTile: "region tile",
    ChooseTown: "town",
    PlaceBoom: "place boom",
    MoveBoom: "move boom",
    KeepBoom: "keep boom",
    Expand: "expand",
    ExpandAgain: "again",
    Increase: "increase",
    Double: "double",
    TakeDollars: "dollars",
    EndTurn: "end",
}


def as_move(action: Action) -> Move:
    """Return the reference's move for an action."""
    return KINDS[type(action)], *astuple(action)


def reference_of(options: GameOptions, players: int, rules: int, facts: Sequence[GameFact]) -> ReferenceGame:
    """Return the reference at the first decision of a game, with the draws from its facts."""
    layout = options.expert
    deal = Deal(players, options.start, draft=isinstance(layout, Draft), boom=options.modules.boom, rules=rules)
    if isinstance(layout, ExplicitLayout):
        deal = deal._replace(cities=layout.city_tiles, regions=layout.region_tiles)
    for fact in facts:
        match fact:
            case FirstPlayerChosen():
                deal = deal._replace(first=fact.seat)
            case RegionTilesDrawn():
                deal = deal._replace(pool=[tile.id for tile in fact.tiles])
            case CityTilesLaid(tiles, seed) if seed is not None:
                deal = deal._replace(cities=tiles)
            case RegionTilesLaid(laid, seed) if seed is not None:
                deal = deal._replace(regions={region: tile.id for region, tile in laid.items()})
            case MilestonesDrawn():
                deal = deal._replace(milestones=fact.milestones)
            case _:
                pass
    return ReferenceGame(deal)


class BothGames:
    """The same game in the engine and the reference, compared after every decision."""

    def __init__(self, options: GameOptions, players: int, seed: int, rules: int = RULES_VERSION) -> None:
        decision = start(options, players, seed, NEW_TILES, rules)
        self.game, self.facts = decision.game, list(decision.facts)
        self.reference = reference_of(options, players, rules, self.facts)
        assert_same(self.game, self.reference)

    def do(self, action: Action, seat: int | None = None) -> Decision:
        """Take an action in both games."""
        seat = self.game.to_play if seat is None else seat
        assert seat is not None
        decision = decide(self.game, action, seat)
        self.game = decision.game
        self.facts += decision.facts
        if isinstance(action, Resign):
            self.reference.resign(seat)
        else:
            self.reference.play(as_move(action))
        assert_same(self.game, self.reference)
        return decision


def assert_same(game: Game, reference: ReferenceGame) -> None:
    """Check that both games have the same position and the same legal actions."""
    assert_same_actions(game, reference)
    assert [player.supply for player in game.players] == reference.supply
    assert [player.money for player in game.players] == reference.money
    assert [Counter(asdict(player.earned)) for player in game.players] == reference.earned
    assert [player.bonus_tiles for player in game.players] == reference.bonus
    assert [tile.id for tile in game.track] == reference.track
    for place, here, value in zip(game.board.places, game.spaces, game.values, strict=True):
        if place.id in reference.place:
            in_order = list(here) == reference.stands[place.id]
            assert in_order or (not value and sorted(here) == sorted(reference.stands[place.id]))
            assert value == reference.tile.get(place.id, 0)
    regions = {printed.id: region for printed, region in zip(game.board.regions, game.regions, strict=True)}
    assert {name: r.tile.id for name, r in regions.items() if r.tile is not None} == reference.region_tile
    assert {name: r.tie_break for name, r in regions.items() if r.tie_break is not None} == reference.tie_break
    for module in game.modules:
        match module:
            case Boom(city):
                assert (city or "") == reference.boom
            case Milestones(drawn, reached, reserve):
                assert dict(zip(drawn, map(list, reached), strict=True)) == reference.met
                assert list(reserve) == reference.reserve
            case RegionTiles():
                assert {"development": module.development, "route": module.route} == reference.holder
            case _:
                pass
    if game.ending is not None:
        assert (game.ending.reason, game.ending.decided_by) == (reference.reason, reference.decided_by)
        assert list(game.ending.winners) == sorted(reference.winners)


def assert_same_actions(game: Game, reference: ReferenceGame) -> None:
    """R12.5: of the expansions over several links, the engine lists the cheapest to each place."""
    assert game.to_play == (None if reference.reason else reference.seat)
    moves = {as_move(legal.action): legal.cost for legal in legal_actions(game)}
    assert len(moves) == len(legal_actions(game)), "no action is listed twice"
    longer = {move: cost for move, cost in moves.items() if move[0] in ("expand", "again") and len(move[1]) > 2}
    assert moves.keys() - longer.keys() == reference.moves()
    assert all(reference.may_go_far(move) for move in longer)
    ways = [((path[-1], free is not None), cost) for (_, path, free), cost in longer.items()]
    assert sorted(ways) == sorted(reference.far().items())
