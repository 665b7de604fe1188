"""R13.2: a new module needs only its file and a few lines in the registry."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import domain

SOURCE = Path(domain.__file__).parent

MODULE = '''
"""Greetings: a player may say hello while expanding, and nothing changes."""

from domain.actions import ActionBase
from domain.facts import FactBase
from domain.game import Module
from domain.legal import Legal
from domain.phase_names import EXPAND
from domain.refused import IllegalAction


class SayHello(ActionBase, frozen=True):
    """Say hello."""


class HelloSaid(FactBase, frozen=True):
    """A player said hello."""

    seat: int


class Greetings(Module, frozen=True):
    """The number of greetings."""

    count: int = 0

    def legal_actions(self, game):
        return [Legal(SayHello(), "X1")] if game.phase == EXPAND else []

    def consequences(self, game, seat, action):
        return [HelloSaid(seat)] if isinstance(action, SayHello) else None

    def refuse(self, game, action):
        return IllegalAction("no_hello", "X1") if isinstance(action, SayHello) else None

    def fold(self, game, fact):
        return game.with_module(Greetings(self.count + 1)) if isinstance(fact, HelloSaid) else game
'''

REGISTRY = (
    (
        "from domain.modules.milestones import",
        "from domain.modules.greetings import Greetings, HelloSaid, SayHello\nfrom domain.modules.milestones import",
    ),
    ("Milestones, Boom)", "Milestones, Boom, Greetings)"),
    ("    boom: Annotated[bool,", "    greetings: bool = False\n    boom: Annotated[bool,"),
    (
        "    return tuple(modules)",
        "    if options.modules.greetings:\n        modules.append(Greetings())\n    return tuple(modules)",
    ),
    ("| MoveBoom | KeepBoom\n", "| MoveBoom | KeepBoom | SayHello\n"),
    ("    | MilestoneReached\n", "    | MilestoneReached\n    | HelloSaid\n"),
)

GAME = """
import msgspec

from domain.actions import ChooseTown, EndTurn
from domain.decide import decide, legal_actions
from domain.evolve import replay
from domain.modules import Action, Fact, Modules, GameOptions, TableOpened
from domain.modules.greetings import Greetings, HelloSaid, SayHello
from domain.refused import IllegalAction
from domain.start import start
from domain.stream import fact_of, origin, write

options = msgspec.json.decode('{"first_player": 0, "modules": {"greetings": true}}', type=GameOptions)
begun = start(options, 2, 1)
facts, game = list(begun.facts), begun.game
assert Greetings.of(game).count == 0
for action in (ChooseTown("memphis"), ChooseTown("pueblo"), SayHello(), SayHello(), EndTurn()):
    assert action in [legal.action for legal in legal_actions(game)]
    sent = msgspec.json.decode(msgspec.json.encode(action), type=Action)
    decision = decide(game, sent)
    facts, game = [*facts, *decision.facts], decision.game
assert Greetings.of(game).count == 2
assert facts.count(HelloSaid(0)) == 2

events, _ = write(0, origin("game"), "2026-01-31T18:00:00.000000Z", [TableOpened(2, options), *facts])
assert sum(b'"type":"hello_said","seat":0' in event for event in events) == 2
opened, *read = [fact_of(version, event) for version, event in enumerate(events, 1)]
assert read == facts
assert replay(read) == game

for others, reason in ((Modules(), "no_such_action"), (Modules(greetings=True), "no_hello")):
    try:
        decide(start(GameOptions(modules=others), 2, 1).game, SayHello())
    except IllegalAction as refused:
        assert refused.reason == reason
    else:
        raise AssertionError("a greeting is refused while towns are chosen")
print("played")
"""


def test_r13_2_a_module_with_an_action_and_a_fact_needs_only_its_file_and_the_registry(tmp_path: Path) -> None:
    copy = copytree(SOURCE, tmp_path / "domain", ignore=lambda *_: {"__pycache__"})
    (copy / "modules/greetings.py").write_text(MODULE, encoding="utf-8")
    registry = (copy / "modules/__init__.py").read_text(encoding="utf-8")
    for old, new in REGISTRY:
        assert registry.count(old) == 1, old
        registry = registry.replace(old, new)
    (copy / "modules/__init__.py").write_text(registry, encoding="utf-8")
    assert len({path.name for path in SOURCE.rglob("*.py")} ^ {path.name for path in copy.rglob("*.py")}) == 1
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", GAME],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("played\n", "")
