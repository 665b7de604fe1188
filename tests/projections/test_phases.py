"""The phases named in views are exactly the existing ones."""

from random import Random

from domain.base.phases import PhaseOrder
from domain.evolve import new_game
from domain.modules import DECIDING_PHASES, GameOptions, GameStarted, Modules, modules_for
from domain.modules.expert import Draft
from projections.effects import steps
from projections.legal_moves import legal_moves
from projections.phases import PHASES
from tests.projections.play import Match, seated

EVERYTHING = GameOptions(expert=Draft(), modules=Modules(milestones=True, boom=True, region_tiles="mixed"))


def test_the_phases_come_from_the_core_and_every_module() -> None:
    modules = tuple(type(module) for module in modules_for(EVERYTHING))
    assert len(modules) == 4
    decided = tuple(phase.name for phase in PhaseOrder(modules).phases.values() if phase.chooser is not None)
    assert decided == DECIDING_PHASES


def test_every_phase_occurs_in_a_game_with_all_modules() -> None:
    match = Match(3, expert=EVERYTHING.expert, modules=EVERYTHING.modules).finish(Random(1))
    started, *_ = facts = match.game_facts
    assert isinstance(started, GameStarted)
    seen = {step.after.phase for step in steps(new_game(started), facts)}
    assert {legal_moves(seated(3, [])).phase, *seen} == set(PHASES)
