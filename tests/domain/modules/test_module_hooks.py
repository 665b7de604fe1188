"""R13.2: a module is one file that the core does not know."""

import ast
import inspect
import random
import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest
from msgspec.structs import replace

from domain.actions import ActionBase, EndTurn, Expand, Increase
from domain.base.phases import phase_order_of
from domain.board import RegionTile
from domain.decide import decide, legal_actions
from domain.facts import FactBase, IncomeReceived, RegionScored, SeatlessFact, TurnStarted
from domain.game import Game, Module, Phase
from domain.legal import Legal
from domain.modules import MODULES as MODULE_CLASSES
from domain.modules import Action, Fact, GameFact, GameOptions, Modules, PhaseBegan, modules_for
from domain.modules.boom import Boom, BoomKept, KeepBoom, MoveBoom
from domain.modules.expert import Draft, ExpertVariant
from domain.modules.milestones import Milestones
from domain.modules.region_tiles import ChosenTiles, RegionTiles
from domain.refused import IllegalAction
from domain.table_facts import GameRemoved
from tests.domain.positions import BLUE, NEW_TILES, RED, begin, end_turn, play, position, the, why

ROOT = Path(__file__).parents[3]
MODULES = sorted((ROOT / "domain/modules").glob("*.py"))
STEPS = sorted((ROOT / "domain/base").glob("*.py"))
PRINTED = {"board.py"}
"""The format of the printed material, including the expansions."""

CORE = [*STEPS, *(path for path in sorted((ROOT / "domain").glob("*.py")) if path.name not in PRINTED)]
WORDS = {"boom": "boom", "milestones": "milestone", "expert": "expert", "region_tiles": "development"}
"""A word for each module that no other file uses."""

VOCABULARY = ("message", "field_types", "actions", "facts", "table_facts", "refused", "legal", "state", "game", "paths")
BELOW_THE_MODULES = [*STEPS, *(ROOT / f"domain/{name}.py" for name in VOCABULARY)]


def imported_by(path: Path) -> set[str]:
    """Return the modules of Python that a file imports from."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}


def kinds_of(base: type[Any]) -> Iterator[type[Any]]:
    """Return the classes of the domain that are based on a class."""
    for kind in base.__subclasses__():
        yield from kinds_of(kind)
        if kind.__module__.startswith("domain."):
            yield kind


# --- the core knows none by name -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["boom", "milestone", "route", "development", "expert"])
@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_r13_2_a_search_for_a_module_in_the_core_finds_nothing(path: Path, name: str) -> None:
    assert not re.findall(name, path.read_text(encoding="utf-8"), re.IGNORECASE)


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_r13_2_the_core_imports_no_module_but_their_registry(path: Path) -> None:
    assert {name for name in imported_by(path) if name.startswith("domain.modules")} <= {"domain.modules"}


@pytest.mark.parametrize("path", BELOW_THE_MODULES, ids=lambda path: path.stem)
def test_r13_2_the_base_game_and_its_vocabulary_do_not_import_the_registry(path: Path) -> None:
    assert not {name for name in imported_by(path) if name.startswith("domain.modules")}


def test_r13_2_no_module_imports_another_or_the_registry() -> None:
    for path in MODULES:
        if path.stem != "__init__":
            assert not {name for name in imported_by(path) if name.startswith("domain.modules")}


@pytest.mark.parametrize(("file", "other"), list(permutations(WORDS, 2)))
def test_r13_2_a_search_for_another_module_in_a_module_finds_nothing(file: str, other: str) -> None:
    text = (ROOT / f"domain/modules/{file}.py").read_text(encoding="utf-8")
    assert not re.findall(WORDS[other], text, re.IGNORECASE)


def test_r13_2_the_registry_joins_the_actions_and_facts_of_every_file() -> None:
    assert set(get_args(Action)) == set(kinds_of(ActionBase))
    assert set(get_args(Fact)) == set(kinds_of(FactBase)) - {SeatlessFact, GameRemoved}
    assert set(MODULE_CLASSES) == set(kinds_of(Module))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_is_one_file_of_less_than_300_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300


def test_the_base_of_all_modules_documents_every_hook() -> None:
    hooks = [hook for name, hook in inspect.getmembers(Module, inspect.isfunction) if not name.startswith("_")]
    assert len(hooks) >= 12
    assert all(inspect.getdoc(hook) for hook in hooks)
    own = (
        {"of", "find", "reasons"} | {hook.__name__ for hook in hooks} | {"before_towns", "after_towns", "before_income"}
    )
    for kind in (Boom, ExpertVariant, Milestones, RegionTiles):
        public = {name for name in vars(kind) if not name.startswith("_")} - set(kind.__struct_fields__)
        assert public <= own, "every public name of a module is a hook"
        assert kind.__struct_config__.frozen


def test_the_options_choose_the_modules_of_a_game() -> None:
    assert modules_for(GameOptions()) == ()
    everything = Modules(milestones=True, boom=True, region_tiles=ChosenTiles(()))
    assert [type(module) for module in modules_for(GameOptions(expert=Draft(), modules=everything))] == [
        ExpertVariant,
        RegionTiles,
        Milestones,
        Boom,
    ]


# --- a module that does nothing --------------------------------------------------------------------------------


class Nothing(Module, frozen=True):
    """A module without any hook."""


def _played(game: Game, seed: int) -> tuple[list[GameFact], Game]:
    luck = random.Random(seed)
    facts: list[GameFact] = []
    while game.to_play is not None:
        decision = decide(game, luck.choice(legal_actions(game)).action)
        facts, game = [*facts, *decision.facts], decision.game
    return facts, game


@pytest.mark.parametrize("options", [Modules(), Modules(milestones=True, boom=True, region_tiles="new")])
@pytest.mark.parametrize("first", [True, False])
def test_r13_2_a_module_that_does_nothing_changes_nothing(options: Modules, first: bool) -> None:
    for seed in range(5):
        game = begin(4, seed=seed, modules=options).game
        more = (Nothing(), *game.modules) if first else (*game.modules, Nothing())
        facts, ended = _played(game, seed)
        facts_with, ended_with = _played(replace(game, modules=more), seed)
        assert facts_with == facts
        assert replace(ended_with, modules=ended.modules) == ended


def test_r13_2_every_hook_of_the_base_does_nothing() -> None:
    game = replace(position(standing={"pittsburgh": BLUE}, scored={"new-york": RED}, money=1), modules=(Nothing(),))
    module = Nothing.of(game)
    fact = the(end_turn(game, Increase("pittsburgh")), RegionScored)
    tile = RegionTile("any", (3, 2, 1))
    module.check(game.board, 2, (), ())
    assert [module.draw(game), module.legal_actions(game), module.on_board_changed(game)] == [()] * 3
    assert module.on_region_scored(game, fact) == ()
    assert module.known_region_tiles(game.board, NEW_TILES) == ()
    assert module.required_region_tiles() == frozenset()
    assert [module.lay_tiles(game), module.deal_bonus_tiles(game), module.award(game, tile, 3)] == [None] * 3
    answers = [
        module.permits(game, EndTurn()),
        module.consequences(game, BLUE, EndTurn()),
        module.refuse(game, EndTurn()),
    ]
    assert answers == [None] * 3
    assert module.fold(game, fact) is game
    assert module.extra_free_spaces(game, BLUE) == 0
    assert module.bonus_tiles_to_earn(BLUE) == 0


# --- a small real one ------------------------------------------------------------------------------------------


_ANSWERS = (KeepBoom, MoveBoom)


def _visits(game: Game) -> Iterator[Legal[ActionBase]]:
    yield Legal(KeepBoom(), "F1")
    yield Legal(MoveBoom("dallas"), "F1")


def _from_the_third_turn_on(game: Game) -> int | None:
    return game.turn.seat if game.turn.number > 2 else None


class Fair(Module, frozen=True):
    """A fair in Dallas, built from existing actions and facts.

    Before the income a player may visit it; visitors have two more free spaces from then on, and are invited to a
    second fair in Houston. Players who know of it may go to a third one in Denver. Players in three regions get $7,
    once. A tile of dollars pays double, and the first rank in a region gets $1.
    """

    visitors: frozenset[int] = frozenset()
    rewarded: frozenset[int] = frozenset()

    before_income: ClassVar[tuple[Phase, ...]] = (
        Phase("fair", chooser=_from_the_third_turn_on, actions={_visits: _ANSWERS}, ends_with=_ANSWERS),
    )

    def consequences(self, game: Game, seat: int, action: ActionBase) -> Sequence[FactBase] | None:
        return [BoomKept(seat, action.city)] if isinstance(action, MoveBoom) else None

    def refuse(self, game: Game, action: ActionBase) -> IllegalAction | None:
        return IllegalAction("no_fair_there", "F1") if isinstance(action, MoveBoom) else None

    def fold(self, game: Game, fact: FactBase) -> Game:
        match fact:
            case BoomKept():
                return game.with_module(replace(self, visitors=self.visitors | {fact.seat}))
            case IncomeReceived(cities=cities, dollars=7) if not cities:
                return game.with_module(replace(self, rewarded=self.rewarded | {fact.seat}))
            case _:
                return game

    def legal_actions(self, game: Game) -> Iterator[Legal[ActionBase]]:
        if game.phase == "fair" and game.turn.seat in self.visitors:
            yield Legal(MoveBoom("houston"), "F2")

    def permits(self, game: Game, action: ActionBase) -> Legal[ActionBase] | None:
        return Legal(action, "F3") if game.phase == "fair" and action == MoveBoom("denver") else None

    def extra_free_spaces(self, game: Game, seat: int) -> int:
        return 2 if seat in self.visitors else 0

    def award(self, game: Game, tile: RegionTile, value: int) -> tuple[int, int] | None:
        return (0, 2 * value) if tile.kind == "dollars" else None

    def on_region_scored(self, game: Game, fact: RegionScored) -> Sequence[FactBase]:
        return [IncomeReceived(fact.ranks[0].seat, {"dallas": 0}, 0, 1)]

    def on_board_changed(self, game: Game) -> Sequence[FactBase]:
        met = [seat for seat in game.seats if seat not in self.rewarded and _regions(game, seat) > 2]
        return [IncomeReceived(seat, {}, 0, 7) for seat in met]


def _regions(game: Game, seat: int) -> int:
    return sum(bool(game.players[seat].present & places) for places in game.board.region_places)


def _at_the_fair(**details: Any) -> Game:
    return replace(position(**details), modules=(Fair(),))


def test_r13_2_a_module_can_add_a_phase() -> None:
    game = _at_the_fair(standing={"dallas": RED})
    assert [phase.name for phase in phase_order_of(game).turn][:3] == ["turn_start", "fair", "income"]
    ended = end_turn(game)
    assert ended.facts[-2:] == (TurnStarted(RED, 22), PhaseBegan("fair", RED))
    assert [legal.action for legal in legal_actions(ended.game)] == [KeepBoom(), MoveBoom("dallas")]
    assert why(ended.game, MoveBoom("omaha")) == ("no_fair_there", "F1")
    assert why(ended.game, EndTurn())[0] == "wrong_phase"


def test_r13_2_a_module_can_decide_remember_and_change_the_income() -> None:
    ended = end_turn(_at_the_fair(standing={"dallas": RED})).game
    visited = play(ended, MoveBoom("dallas"))
    assert the(visited, IncomeReceived) == IncomeReceived(RED, {"dallas": 4}, 2, 2)
    assert Fair.of(visited.game).visitors == {RED}
    assert the(play(ended, KeepBoom()), IncomeReceived) == IncomeReceived(RED, {"dallas": 4}, 0, 2)


def test_r13_2_a_module_can_list_actions_and_permit_unlisted_ones() -> None:
    game = end_turn(_at_the_fair(standing={"dallas": RED})).game
    assert why(game, MoveBoom("houston")) == ("no_fair_there", "F1")
    assert Fair.of(play(game, MoveBoom("denver")).game).visitors == {RED}
    game = game.with_module(Fair(visitors=frozenset({RED})))
    assert MoveBoom("houston") in [legal.action for legal in legal_actions(game)]
    assert the(play(game, MoveBoom("houston")), BoomKept).city == "houston"


def test_r13_2_a_module_can_react_to_the_position() -> None:
    game = _at_the_fair(standing={"dallas": BLUE, "pueblo": BLUE, "memphis": RED}, money=5)
    decision = end_turn(game, Expand(("dallas", "kansas-city")))
    assert IncomeReceived(BLUE, {}, 0, 7) in decision.facts
    assert Fair.of(decision.game).rewarded == {BLUE}
    assert IncomeReceived(BLUE, {}, 0, 7) not in end_turn(game, Expand(("dallas", "oklahoma-city"))).facts


def test_r13_2_a_module_can_change_a_region_scoring() -> None:
    game = _at_the_fair(standing={"pittsburgh": BLUE}, scored={"new-york": (RED, RED)}, money=1)
    number = game.board.region_number["new-york"]
    paying = replace(game.regions[number], tile=RegionTile("gold", (4, 3, 2), "dollars"))
    game = replace(game, regions=(*game.regions[:number], paying, *game.regions[number + 1 :]))
    decision = end_turn(game, Increase("pittsburgh"))
    assert [(rank.seat, rank.dollars) for rank in the(decision, RegionScored).ranks] == [(RED, 8), (BLUE, 4)]
    assert IncomeReceived(RED, {"dallas": 0}, 0, 1) in decision.facts


def test_r13_2_two_modules_live_side_by_side() -> None:
    game = begin(3, seed=4, modules=Modules(milestones=True)).game
    facts, ended = _played(replace(game, modules=(*game.modules, Fair())), 11)
    assert ended.ending is not None
    assert any(isinstance(fact, BoomKept) for fact in facts), "somebody has visited the fair"
    assert Milestones.of(ended).drawn == Milestones.of(game).drawn


class Starter(Module, frozen=True):
    """Adds a fact at the first opportunity."""

    done: bool = False

    def on_board_changed(self, game: Game) -> Sequence[FactBase]:
        return () if self.done else [BoomKept(game.turn.seat, "dallas")]

    def fold(self, game: Game, fact: FactBase) -> Game:
        return game.with_module(Starter(done=True)) if isinstance(fact, BoomKept) else game


class Follower(Module, frozen=True):
    """Reacts to the fact of the other module."""

    count: int = 0

    def on_board_changed(self, game: Game) -> Sequence[FactBase]:
        return [IncomeReceived(game.turn.seat, {}, 0, self.count)] if self.count else ()

    def fold(self, game: Game, fact: FactBase) -> Game:
        return game.with_module(Follower(self.count + 1)) if isinstance(fact, BoomKept) else game


def test_r13_2_a_module_sees_the_facts_of_the_modules_before_it() -> None:
    game = position(standing={"pueblo": BLUE}, money=1)
    facts = play(replace(game, modules=(Starter(), Follower())), Expand(("pueblo", "denver"))).facts
    assert facts[-2:] == (BoomKept(BLUE, "dallas"), IncomeReceived(BLUE, {}, 0, 1))
    assert play(replace(game, modules=(Follower(), Starter())), Expand(("pueblo", "denver"))).facts[-1] == facts[-2]
