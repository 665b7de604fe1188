"""Invariants of random games of every set-up, checked after every fact and every decision."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.decide import decide, legal_actions
from domain.evolve import UnknownRules, evolve, new_game, replay
from domain.facts import (
    CityScored,
    DollarsTaken,
    Expanded,
    FinalCounted,
    IncomeReceived,
    Increased,
    RegionScored,
    StartingMoneyReceived,
    TieBreakPlaced,
    TurnEnded,
)
from domain.game import Game
from domain.modules import Action, Fact, GameFact, GameOptions, GameStarted, Modules
from domain.modules.boom import Boom, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import Draft, ExpertVariant, ExplicitLayout, PlaceCityTile, PlaceRegionTile, RandomLayout
from domain.modules.milestones import MilestoneReached
from domain.modules.region_tiles import ChosenTiles, RegionTiles
from domain.refused import Refused
from domain.rules_version import RULES_VERSION
from domain.start import start
from tests.domain.choosers import Chooser, anything, crowding, keen, lively, passive
from tests.domain.positions import BOARD, NEW_TILES, allowed, facts, rederived
from tests.support.soak import soak_factor

DECODER = msgspec.json.Decoder(Fact)
CHOSEN = ChosenTiles(("texas", "florida", *(tile.id for tile in NEW_TILES[12:])))
KINDS = {
    PlaceCityTile: "expert",
    PlaceRegionTile: "expert",
    PlaceBoom: "boom",
    MoveBoom: "boom",
    KeepBoom: "boom",
}


def agreed_layout(players: int, seed: int) -> ExplicitLayout:
    """Return a layout with each group of tiles shuffled, region tiles as well."""
    luck = Random(seed)
    closed = BOARD.closed_regions[players]
    cities: dict[str, int] = {}
    for group in BOARD.expert_groups:
        tiles = [tile for tile in BOARD.city_tiles if tile in group]
        luck.shuffle(tiles)
        places = [p.id for p in BOARD.places if p.kind == "city" and p.spaces in group and p.region not in closed]
        cities |= dict(zip(places, tiles, strict=False))
    regions = [region.id for region in BOARD.regions if region.id not in closed]
    return ExplicitLayout(cities, dict(zip(regions, luck.sample([r.id for r in BOARD.regions], 10), strict=False)))


def options_for(players: int, seed: int, kind: str, expert: str, modules: Modules) -> GameOptions:
    """Return the options of a named set-up."""
    layouts = {"draft": Draft(), "random": RandomLayout(), "explicit": agreed_layout(players, seed), "": None}
    if expert == "explicit" and modules.region_tiles is not None:
        modules = msgspec.structs.replace(modules, region_tiles="mixed")
    return GameOptions(start=kind, expert=layouts[expert], modules=modules)  # type: ignore[arg-type]


# --- the books, kept from facts alone ----------------------------------------------------------------------------


class Books:
    """Money, influence and pieces by the facts, and what has to be true after each."""

    def __init__(self, started: GameStarted) -> None:
        self.game = new_game(started)
        self.money = [0] * started.players
        self.influence = [0] * started.players
        self.pieces = [0] * started.players
        self.turns_bound = (len(BOARD.places) * started.players + 1) * started.players

    def enter(self, fact: GameFact) -> None:
        """Fold a fact and check the books."""
        self.game = evolve(self.game, fact)
        self._note(fact)
        game = self.game
        assert [player.money for player in game.players] == self.money
        assert min(self.money) >= 0
        assert [player.influence for player in game.players] == self.influence
        assert min(self.influence) >= 0
        assert [self._franchises(seat) for seat in game.seats] == [BOARD.franchises_per_player] * len(game.players)
        assert all(player.supply >= 0 and player.bonus_tiles >= 0 for player in game.players)
        assert all(len(here) <= tile for here, tile in zip(game.spaces, game.values, strict=True) if tile)
        assert rederived(game) == game
        if isinstance(fact, TurnEnded):
            self._after_the_turn()

    def _note(self, fact: GameFact) -> None:
        match fact:
            case StartingMoneyReceived() | IncomeReceived() | DollarsTaken():
                self.money[fact.seat] += fact.dollars
            case Expanded() | Increased():
                self.money[fact.seat] -= fact.cost
            case TieBreakPlaced() | MilestoneReached():
                self.pieces[fact.seat] += fact.piece
            case CityScored():
                self.influence[fact.winner] += fact.influence
            case RegionScored():
                for rank in fact.ranks:
                    self.influence[rank.seat] += rank.influence
                    self.money[rank.seat] += rank.dollars
                self.influence[fact.seat] += fact.track_influence
            case FinalCounted():
                self.influence[fact.seat] += fact.towns_influence + fact.dollars_influence + fact.bonus_tiles_influence
                assert fact.total == self.influence[fact.seat]

    def _franchises(self, seat: int) -> int:
        """Supply, spaces, centre, and what marks tie-breaks and milestones (R1.6)."""
        game = self.game
        centre = len(game.turn.centre) if game.turn.seat == seat else 0
        return game.players[seat].supply + sum(here.count(seat) for here in game.spaces) + centre + self.pieces[seat]

    def _after_the_turn(self) -> None:
        """No city is left full or with a majority, nothing is left unopened, and the end is not far away."""
        game = self.game
        assert not game.turn.markers
        assert not game.turn.centre
        for here, tile in zip(game.spaces, game.values, strict=True):
            if tile:
                assert len(here) < tile
                assert max(map(here.count, here), default=0) * 2 <= tile
        towns_open = game.open & BOARD.towns
        for places, region in zip(BOARD.region_places, game.regions, strict=True):
            assert region.scored or region.closed or places & (game.unscored | towns_open)
            assert (region.tile is None) == (region.scored or region.closed)
        assert game.turn.number <= self.turns_bound


# --- everything that can be written down -------------------------------------------------------------------------

PLACES = [*(place.id for place in BOARD.places), "gotham"]
REGIONS = [*(region.id for region in BOARD.regions), "ohio"]
TILES = [*REGIONS, *(tile.id for tile in NEW_TILES)]


@cache
def always_writable() -> tuple[Action, ...]:
    """Every atomic action over the board, all links in both directions, and some nonsense."""
    return (
        KeepBoom(),
        TakeDollars(),
        EndTurn(),
        *(kind(place) for kind in (ChooseTown, PlaceBoom, MoveBoom, Increase, Double) for place in PLACES),
        *(PlaceCityTile(place, tile) for place in PLACES for tile in range(10)),
        *(PlaceRegionTile(region, tile) for region in REGIONS for tile in TILES),
        *(kind(path, free) for kind in (Expand, ExpandAgain) for path in BOARD.costs for free in (None, 0)),
        *(kind(path) for kind in (Expand, ExpandAgain) for path in _nonsense()),
    )


def _nonsense() -> Iterator[tuple[str, ...]]:
    yield from ((), ("detroit",), ("detroit", "detroit"), ("gotham", "detroit"), ("detroit", "gotham"))
    yield from (("detroit", "chicago", "detroit"), ("detroit", "gotham", "chicago"), ("detroit", "chicago", "omaha"))


def now_and_then_writable(luck: Random) -> Iterator[Action]:
    """Yield some pairs without a link, some longer paths, and some links that cannot be free."""
    names = PLACES[:-1]
    for kind in (Expand, ExpandAgain):
        for _ in range(20):
            yield kind(tuple(luck.sample(names, 2)))
            yield kind(tuple(luck.sample(names, 3)), luck.choice((None, 0, 1)))
            path = [luck.choice(names)]
            while len(path) < 4:
                path.append(luck.choice([place.id for place in BOARD.places if (path[-1], place.id) in BOARD.costs]))
            yield kind(tuple(path[: luck.choice((3, 4))]), luck.choice((None, 0, 2)))
            yield kind(luck.choice(list(BOARD.costs)), luck.choice((-1, 1, 7)))


def modules_in_play(game: Game) -> set[str]:
    there = {"expert": ExpertVariant.find(game) is not None, "boom": Boom.find(game) is not None}
    return {name for name, is_there in there.items() if is_there}


def assert_exactly_the_listed_is_accepted(game: Game, luck: Random) -> None:
    """``decide`` accepts what is listed, and refuses everything else that can be written down, with a reason.

    It does so whether or not somebody has asked for the list before.
    """
    listed = legal_actions(game)
    actions = {legal.action for legal in listed}
    assert len(actions) == len(listed), "nothing is listed twice"
    for legal in listed:
        decision = decide(replace(game), legal.action)
        assert decision == decide(game, legal.action)
        money = [fact.cost for fact in decision.facts if isinstance(fact, Expanded | Increased)]
        assert sum(money) == legal.cost
    in_play, unasked = modules_in_play(game), replace(game)
    for action in {*always_writable(), *now_and_then_writable(luck)} - actions:
        if is_longer_way(game, action):
            continue
        with pytest.raises(Refused) as caught:
            decide(luck.choice((game, unasked)), action)
        without_module = KINDS.get(type(action), "core") not in in_play | {"core"}
        assert (caught.value.reason == "no_such_action") == without_module, (action, caught.value.code)
    others = [seat for seat in game.playing() if seat != game.to_play]
    with pytest.raises(Refused) as caught:
        decide(game, listed[0].action, others[0])
    assert caught.value.code == "not_your_turn"


def is_longer_way(game: Game, action: Action) -> bool:
    """Tell whether this is the one kind of action that may be allowed without being listed (R12.5)."""
    return RegionTiles.find(game) is not None and isinstance(action, Expand | ExpandAgain) and len(action.path) > 2


def assert_scorings_come_as_announced(game: Game, luck: Random) -> None:
    """Check that exactly the announced scoring comes when the turn is ended then."""
    for legal in luck.sample(legal_actions(game), min(4, len(legal_actions(game)))):
        action = legal.action
        match action:
            case Expand(path) | ExpandAgain(path):
                city = path[-1]
            case Increase(city) | Double(city):
                pass
            case _:
                continue
        after = decide(decide(game, action).game, EndTurn())
        scored = [fact for fact in facts(after, CityScored) if fact.city == city]
        expected = legal.would_score
        if expected is None:
            assert not scored
        else:
            announced = (expected.city, expected.winner, expected.clause, expected.influence)
            assert [(fact.city, fact.winner, fact.clause, fact.influence) for fact in scored] == [announced]


# --- the games ---------------------------------------------------------------------------------------------------


def play_and_check(options: GameOptions, players: int, seed: int, chooser: Chooser, *, leave: float = 0.0) -> Game:
    """Play a whole game and check its pieces, its stored facts and, now and then, its decisions."""
    luck = Random(seed)
    decision = start(options, players, seed, NEW_TILES)
    all_facts = list(decision.facts)
    assert isinstance(all_facts[0], GameStarted)
    books = Books(all_facts[0])
    for fact in all_facts[1:]:
        books.enter(fact)
    while decision.game.ending is None:
        game = decision.game
        assert books.game == game
        assert allowed(game)
        if luck.random() < 0.01:
            assert_exactly_the_listed_is_accepted(game, luck)
        if luck.random() < 0.1:
            assert_scorings_come_as_announced(game, luck)
        if luck.random() < leave:
            decision = decide(game, Resign(), luck.choice(game.playing()))
        else:
            decision = decide(game, chooser(game, luck).action)
        for fact in decision.facts:
            books.enter(fact)
        all_facts += decision.facts
    assert books.game == decision.game
    assert legal_actions(decision.game) == ()
    stored = [DECODER.decode(msgspec.json.encode(fact)) for fact in all_facts]
    assert stored == all_facts
    assert replay(stored) == decision.game
    return decision.game


NOTHING = Modules()
EVERYTHING = Modules(milestones=True, boom=True, region_tiles="mixed")


@pytest.mark.parametrize("modules", [NOTHING, EVERYTHING], ids=["base", "expansions"])
@pytest.mark.parametrize(
    ("players", "kind", "expert"),
    list(product((2, 3, 4, 5), ("standard", "introductory"), ("", "explicit", "draft", "random"))),
)
def test_r13_2_every_set_up_plays_to_its_end(players: int, kind: str, expert: str, modules: Modules) -> None:
    """R13.2: each combination of players, start and layout, with and without the expansions."""
    game = play_and_check(options_for(players, 1, kind, expert, modules), players, 1, keen)
    assert game.ending is not None
    assert game.ending.reason in ("red_zone", "no_expansion")


SET_UPS = st.builds(
    lambda players, seed, kind, expert, modules: (options_for(players, seed, kind, expert, modules), players, seed),
    st.integers(2, 5),
    st.integers(0, 10**9),
    st.sampled_from(["standard", "introductory"]),
    st.sampled_from(["", "explicit", "draft", "random"]),
    st.builds(
        Modules,
        milestones=st.booleans(),
        boom=st.booleans(),
        region_tiles=st.sampled_from([None, "mixed", "new", CHOSEN]),
    ),
)


@settings(max_examples=60 * soak_factor(), suppress_health_check=[HealthCheck.too_slow])
@given(SET_UPS, st.sampled_from([anything, lively, keen, crowding]), st.sampled_from([0.0, 0.01, 0.05]))
def test_what_holds_in_every_game(set_up: tuple[GameOptions, int, int], chooser: Chooser, leave: float) -> None:
    """R1.6, R6.2, R7.1, R8.1, R13.1: books, cities, replays and ends of any game, resigning included."""
    play_and_check(*set_up, chooser, leave=leave)


def test_every_kind_of_action_can_be_written_down() -> None:
    """The actions tried out cover the whole vocabulary but resigning, which is always allowed."""
    assert {type(action) for action in always_writable()} == set(get_args(Action)) - {Resign}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("modules", [NOTHING, EVERYTHING], ids=["base", "expansions"])
def test_the_same_seed_and_actions_tell_the_same_story(players: int, modules: Modules) -> None:
    """R2.1: facts follow from options, seed and actions alone, and the list of actions has one order."""
    courses: list[tuple[Any, ...]] = []
    for _ in range(2):
        luck = Random(5)
        decision = start(GameOptions(expert=RandomLayout(), modules=modules), players, 99, NEW_TILES)
        observed: list[Any] = [decision.facts]
        while decision.game.ending is None:
            observed.append(allowed(decision.game))
            decision = decide(decision.game, lively(decision.game, luck).action)
            observed.append(decision.facts)
        courses.append(tuple(observed))
    assert courses[0] == courses[1]


def test_a_longer_name_for_the_same_link_is_no_other_action() -> None:
    """R4.1: an expansion without ``free_link`` is the same whether that is said or not."""
    assert Expand(("detroit", "chicago")) == Expand(("detroit", "chicago"), None)
    assert msgspec.json.encode(Expand(("detroit", "chicago"), None)) == (
        b'{"type":"expand","path":["detroit","chicago"]}'
    )


def test_r8_1_a_game_of_later_rules_is_not_played_by_earlier_ones() -> None:
    """R8.1: who does not know the rules of a game cannot read it."""
    started, *_ = start(GameOptions(), 2, 1).facts
    assert isinstance(started, GameStarted)
    for rules in (0, RULES_VERSION + 1):
        with pytest.raises(UnknownRules, match=f"not {rules}"):
            replay([replace(started, rules=rules)])


def test_a_replay_begins_with_the_start_of_the_game() -> None:
    """R2.1: a game without its beginning is none."""
    first, second, *rest = start(GameOptions(), 2, 1).facts
    assert replay([first]).phase == "set_up"
    with pytest.raises(TypeError, match="begins with GameStarted, not with FirstPlayerChosen"):
        replay([second, *rest])


@settings(max_examples=150 * soak_factor(), suppress_health_check=[HealthCheck.too_slow])
@given(SET_UPS, st.sampled_from([passive, lively]), st.sampled_from([0.02, 0.1, 0.2]))
def test_r8_1_nobody_who_may_still_expand_is_cut_off(
    set_up: tuple[GameOptions, int, int], chooser: Chooser, leave: float
) -> None:
    """R8.1, R13.1: no expansion ends the game once all who still play had a turn since the last one, never before."""
    options, players, seed = set_up
    luck, had_a_turn = Random(seed), set[int]()
    game = start(options, players, seed, NEW_TILES).game
    while game.ending is None:
        leaver = luck.choice(game.playing()) if luck.random() < leave else None
        action = chooser(game, luck).action if leaver is None else Resign()
        decision = decide(game, action, leaver)
        turn_over = bool(facts(decision, TurnEnded)) or (bool(game.turn.number) and leaver == game.turn.seat)
        for fact in facts(decision, TurnEnded):
            had_a_turn = set() if fact.expanded else had_a_turn | {fact.seat}
        game = decision.game
        all_passed = had_a_turn.issuperset(game.playing())
        by_r8_1 = game.ending is not None and game.ending.reason == "no_expansion"
        assert not by_r8_1 or all_passed
        assert game.ending is not None or not (turn_over and all_passed)
