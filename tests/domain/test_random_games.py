"""Invariants of random games of every set-up, checked after every fact and every decision."""

from collections.abc import Collection
from copy import deepcopy
from itertools import product
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.actions import Double, EndTurn, Expand, ExpandAgain, Increase, Resign
from domain.decide import decide, legal_actions
from domain.evolve import UnknownRules, evolve, new_game, replay
from domain.facts import (
    BonusTilesDealt,
    CityScored,
    DollarsTaken,
    Doubled,
    Expanded,
    FinalCounted,
    FranchisePlaced,
    IncomeReceived,
    Increased,
    RegionScored,
    StartingMoneyReceived,
    TieBreakPlaced,
    TurnEnded,
)
from domain.game import Game
from domain.modules import Action, ActionTaken, Fact, GameFact, GameOptions, GameStarted, Modules
from domain.modules.boom import Boom, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import ExpertVariant, PlaceCityTile, PlaceRegionTile, RandomLayout
from domain.modules.milestones import MilestoneReached
from domain.modules.region_tiles import BonusTileRegained, RegionTiles
from domain.refused import Refused
from domain.rules_version import RULES_VERSION
from domain.start import start
from tests.domain.choosers import Chooser, anything, crowding, keen, lively, passive, resourceful
from tests.domain.positions import BOARD, NEW_TILES, allowed, facts, rederived
from tests.domain.reference import ReferenceGame
from tests.domain.set_ups import BASE_GAME, EVERYTHING, LAYOUTS, MODULES, STARTS, Start, options
from tests.domain.side_by_side import BothGames, as_move, assert_same_actions
from tests.domain.vocabulary import fixed_actions, random_actions
from tests.support.soak import soak_factor

DECODER = msgspec.json.Decoder(Fact)
KINDS = {
    PlaceCityTile: "expert",
    PlaceRegionTile: "expert",
    PlaceBoom: "boom",
    MoveBoom: "boom",
    KeepBoom: "boom",
}


# --- bookkeeping from facts alone --------------------------------------------------------------------------------


class Books:
    """Money, influence and pieces by the facts, and the invariants after each fact."""

    def __init__(self, started: GameStarted) -> None:
        self.game = new_game(started)
        self.money = [0] * started.players
        self.influence = [0] * started.players
        self.bonus_tiles = [0] * started.players
        self.pieces = [0] * started.players
        self.turns_bound = (len(BOARD.places) * started.players + 1) * started.players

    def enter(self, fact: GameFact) -> None:
        """Fold a fact and check the books."""
        self._check_order(fact)
        self.game = evolve(self.game, fact)
        self._update(fact)
        self._update_bonus_tiles(fact)
        game = self.game
        assert [player.money for player in game.players] == self.money
        assert min(self.money) >= 0
        assert [player.influence for player in game.players] == self.influence
        assert min(self.influence) >= 0
        assert [self._franchises(seat) for seat in game.seats] == [BOARD.franchises_per_player] * len(game.players)
        assert [player.bonus_tiles for player in game.players] == self.bonus_tiles
        assert min(self.bonus_tiles) >= 0
        assert all(game.spare(seat) >= 0 for seat in game.seats)
        assert all(len(here) <= tile for here, tile in zip(game.spaces, game.values, strict=True) if tile)
        assert rederived(game) == game
        if isinstance(fact, TurnEnded):
            self._after_the_turn()

    def _check_order(self, fact: GameFact) -> None:
        """Franchises open in the order placed, on the next space; a city is scored with its tile."""
        game, turn = self.game, self.game.turn
        match fact:
            case FranchisePlaced():
                place = game.board.number[fact.place]
                assert place == (turn.markers if fact.origin == "marker" else turn.centre)[0]
                assert fact.space == len(game.spaces[place]) + 1
            case CityScored():
                assert fact.value == game.values[game.board.number[fact.city]]

    def _update(self, fact: GameFact) -> None:
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

    def _update_bonus_tiles(self, fact: GameFact) -> None:
        match fact:
            case BonusTilesDealt():
                self.bonus_tiles = [fact.each] * len(self.bonus_tiles)
            case MilestoneReached() | BonusTileRegained():
                self.bonus_tiles[fact.seat] += 1
            case Doubled() | DollarsTaken() | Expanded(again=True):
                self.bonus_tiles[fact.seat] -= 1

    def _franchises(self, seat: int) -> int:
        """Supply, spaces, centre, and the markers of ties and milestones (R1.6)."""
        game = self.game
        centre = len(game.turn.centre) if game.turn.seat == seat else 0
        return game.players[seat].supply + sum(here.count(seat) for here in game.spaces) + centre + self.pieces[seat]

    def _after_the_turn(self) -> None:
        """No city is left full or with a majority, everything has opened, and the end is not far away."""
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


def modules_in_play(game: Game) -> set[str]:
    there = {"expert": ExpertVariant.find(game) is not None, "boom": Boom.find(game) is not None}
    return {name for name, is_there in there.items() if is_there}


def assert_exactly_the_legal_is_accepted(
    game: Game, reference: ReferenceGame, written: Collection[Action], luck: Random
) -> None:
    """``decide`` accepts listed actions and other legal paths (R12.5), and refuses every other action.

    The result does not depend on whether the list was requested before.
    """
    listed = legal_actions(game)
    actions = {legal.action for legal in listed}
    for legal in listed:
        decision = decide(replace(game), legal.action)
        assert decision == decide(game, legal.action)
        money = [fact.cost for fact in decision.facts if isinstance(fact, Expanded | Increased)]
        assert sum(money) == legal.cost
    in_play, unasked = modules_in_play(game), replace(game)
    for action in set(written) - actions:
        if reference.may_go_far(as_move(action)):
            assert isinstance(decide(luck.choice((game, unasked)), action).facts[0], ActionTaken)
            continue
        with pytest.raises(Refused) as caught:
            decide(luck.choice((game, unasked)), action)
        without_module = KINDS.get(type(action), "core") not in in_play | {"core"}
        assert (caught.value.reason == "no_such_action") == without_module, (action, caught.value.code)
        assert caught.value.rule.startswith("R")
    others = [seat for seat in game.playing() if seat != game.to_play]
    with pytest.raises(Refused) as caught:
        decide(game, listed[0].action, others[0])
    assert caught.value.code == "not_your_turn"


def with_special_tiles(both: BothGames) -> tuple[Game, ReferenceGame]:
    """Return the same position with both special tiles ready for the active player, and $8 more."""
    game, reference, seat = both.game, deepcopy(both.reference), both.game.turn.seat
    if game.phase == "expand" and RegionTiles.find(game):
        held = replace(RegionTiles.of(game), development=seat, development_ready=True, route=seat, route_ready=True)
        player = replace(game.active, money=game.active.money + 8)
        game = replace(game, players=game.with_player(seat, player)).with_module(held)
        reference.holder = {"development": seat, "route": seat}
        reference.ready = {"development", "route"}
        reference.money[seat] += 8
        assert_same_actions(game, reference)
    return game, reference


def assert_scorings_come_as_announced(game: Game, luck: Random) -> None:
    """Check that ending the turn causes exactly the announced scoring."""
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
    """Play a whole game and check its pieces, its stored facts and, at random, its decisions."""
    luck = Random(seed)
    both = BothGames(options, players, seed)
    first, *others = both.facts
    assert isinstance(first, GameStarted)
    books = Books(first)
    for fact in others:
        books.enter(fact)
    while both.game.ending is None:
        game = both.game
        assert books.game == game
        assert allowed(game)
        if luck.random() < 0.01:
            some = [*random_actions(both.reference, luck)]
            assert_exactly_the_legal_is_accepted(game, both.reference, {*fixed_actions(), *some}, luck)
            assert_exactly_the_legal_is_accepted(*with_special_tiles(both), some, luck)
        if luck.random() < 0.1:
            assert_scorings_come_as_announced(game, luck)
        if luck.random() < leave:
            decision = both.do(Resign(), luck.choice(game.playing()))
        else:
            decision = both.do(chooser(game, luck).action)
        for fact in decision.facts:
            books.enter(fact)
    assert books.game == both.game
    assert legal_actions(both.game) == ()
    stored = [DECODER.decode(msgspec.json.encode(fact)) for fact in both.facts]
    assert stored == both.facts
    assert replay(stored) == both.game
    return both.game


@pytest.mark.parametrize("modules", [BASE_GAME, EVERYTHING], ids=["base", "expansions"])
@pytest.mark.parametrize(("players", "opening", "layout"), list(product((2, 3, 4, 5), STARTS, LAYOUTS)))
def test_r13_2_every_set_up_plays_to_its_end(players: int, opening: Start, layout: str, modules: Modules) -> None:
    """R13.2: each combination of players, start and layout, with and without the expansions."""
    game = play_and_check(options(layout, players, opening, modules), players, 1, keen)
    assert game.ending is not None
    assert game.ending.reason in ("red_zone", "no_expansion")


SET_UPS = st.builds(
    lambda layout, players, opening, modules, seed: (options(layout, players, opening, modules, seed), players, seed),
    st.sampled_from(LAYOUTS),
    st.integers(2, 5),
    st.sampled_from(STARTS),
    st.sampled_from(MODULES),
    st.integers(0, 10**9),
)


@settings(max_examples=60 * soak_factor(), suppress_health_check=[HealthCheck.too_slow])
@given(SET_UPS, st.sampled_from([anything, lively, keen, crowding, resourceful]), st.sampled_from([0.0, 0.01, 0.05]))
def test_invariants_of_every_game(set_up: tuple[GameOptions, int, int], chooser: Chooser, leave: float) -> None:
    """R1.6, R6.2, R7.1, R8.1, R13.1: books, cities, replays and ends of any game, resignations included."""
    play_and_check(*set_up, chooser, leave=leave)


def test_every_kind_of_action_is_tried() -> None:
    """Except resigning, which is always allowed."""
    assert {type(action) for action in fixed_actions()} == set(get_args(Action)) - {Resign}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("modules", [BASE_GAME, EVERYTHING], ids=["base", "expansions"])
def test_the_same_seed_and_actions_give_the_same_facts(players: int, modules: Modules) -> None:
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


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("modules", MODULES)
def test_r2_1_the_seed_repeats_every_draw(players: int, modules: Modules) -> None:
    for layout in LAYOUTS:
        chosen = options(layout, players, "standard", modules)
        assert start(chosen, players, 12, NEW_TILES).facts == start(chosen, players, 12, NEW_TILES).facts


def test_r12_5_the_tried_paths_use_the_development_tile() -> None:
    """Some of the longer paths must be legal, or the checks above prove little."""
    luck, tried = Random(1), 0
    for seed in range(4):
        both = BothGames(GameOptions(modules=Modules(region_tiles="new")), 4, seed)
        while both.game.ending is None:
            both.do(lively(both.game, luck).action)
            if both.game.phase == "expand" and luck.random() < 0.1:
                game, reference = with_special_tiles(both)
                ways = set(random_actions(reference, luck)) - set(allowed(game))
                tried += sum(reference.may_go_far(as_move(way)) for way in ways)
    assert tried > 10


def test_a_null_free_link_is_the_same_action() -> None:
    """R4.1: ``free_link`` may be null or left out."""
    assert Expand(("detroit", "chicago")) == Expand(("detroit", "chicago"), None)
    assert msgspec.json.encode(Expand(("detroit", "chicago"), None)) == (
        b'{"type":"expand","path":["detroit","chicago"]}'
    )


def test_r8_1_a_game_of_later_rules_is_refused() -> None:
    """R8.1: a program that does not know the rules of a game cannot read it."""
    started, *_ = start(GameOptions(), 2, 1).facts
    assert isinstance(started, GameStarted)
    for rules in (0, RULES_VERSION + 1):
        with pytest.raises(UnknownRules, match=f"not {rules}"):
            replay([replace(started, rules=rules)])


def test_a_replay_begins_with_the_start_of_the_game() -> None:
    """R2.1: facts without the start are not a game."""
    first, second, *rest = start(GameOptions(), 2, 1).facts
    assert replay([first]).phase == "set_up"
    with pytest.raises(TypeError, match="begins with GameStarted, not with FirstPlayerChosen"):
        replay([second, *rest])


@settings(max_examples=150 * soak_factor(), suppress_health_check=[HealthCheck.too_slow])
@given(SET_UPS, st.sampled_from([passive, lively]), st.sampled_from([0.02, 0.1, 0.2]))
def test_r8_1_the_game_does_not_end_before_everybody_could_expand(
    set_up: tuple[GameOptions, int, int], chooser: Chooser, leave: float
) -> None:
    """R8.1, R13.1: without expansions the game ends when all remaining players had a turn since the last one."""
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
