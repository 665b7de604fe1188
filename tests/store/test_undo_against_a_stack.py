"""Any order of actions, undos, redos and renewed tokens leaves the game that a stack of positions leaves."""

from random import Random
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.decide import legal_actions
from domain.game import Game
from domain.store import LoadedGame, commands
from domain.stream import fact_of
from domain.table import Table, effective_versions
from domain.timeline import follow
from tests.store.clients import ALL_MODULES, Client, connected
from tests.support.soak import soak_factor


class Stack:
    """The work of undo, done the plain way: positions on a stack, those taken back on another one."""

    def __init__(self, version: int, game: Game) -> None:
        self.done = [(version, game)]
        self.taken_back: list[list[tuple[int, Game]]] = []
        self.events = {version: range(1, version + 1)}
        self.renewed: list[int] = []

    @property
    def game(self) -> Game:
        return self.done[-1][1]

    @property
    def effective(self) -> list[int]:
        """The versions of the events in force: those of the actions on the stack, and every renewal."""
        return sorted([*self.renewed, *(one for version, _ in self.done for one in self.events[version])])

    def act(self, before: int, version: int, game: Game) -> None:
        self.done.append((version, game))
        self.events[version] = range(before + 1, version + 1)
        self.taken_back = []

    def undo(self, steps: int) -> int:
        self.taken_back.append(self.done)
        self.done = self.done[:-steps]
        return self.done[-1][0]

    def redo(self) -> None:
        self.done = self.taken_back.pop()


def step(client: Client, game: UUID, stack: Stack, random: Random) -> None:
    what = random.random()
    if what > 0.85:
        seat = random.choice((0, 1, 2, None))
        renewal = commands.renew_host_token(f"token {random.random()}") if seat is None else commands.renew_token(seat)
        stack.renewed.append(client.change(game, renewal).version)
    elif what < 0.2 and len(stack.done) > 1:
        client.change(game, commands.undo(None, stack.undo(random.randrange(1, len(stack.done)))))
    elif what < 0.4 and stack.taken_back:
        stack.redo()
        client.change(game, commands.redo(random.choice((None, 0, 1, 2))))
    elif stack.game.to_play is not None:
        action = random.choice(legal_actions(stack.game)).action
        acted = client.change(game, commands.act(stack.game.to_play, action))
        assert acted.loaded.game is not None
        stack.act(acted.before, acted.version, acted.loaded.game)


def effective(loaded: LoadedGame) -> list[int]:
    return [version for part in effective_versions(loaded.table, loaded.version) for version in part]


def standing(loaded: LoadedGame) -> tuple[Table, int, list[int], list[int]]:
    """Everything beside the game that the next undo depends on."""
    now = loaded.timeline.now
    assert now is not None
    moments = [moment.version for moment in loaded.timeline.moments]
    return loaded.table, now.version, moments, [undone.version for undone in loaded.timeline.undone]


@pytest.mark.parametrize("seed", range(3 * soak_factor()))
def test_undo_and_redo_are_a_stack_of_positions(memory: Client, seed: int) -> None:
    started = memory.started(ALL_MODULES, 3)
    assert started.loaded.game is not None
    stack, random = Stack(started.version, started.loaded.game), Random(seed)
    seen = {started.version: (started.loaded.game, stack.effective)}
    for _ in range(120):
        step(memory, started.id, stack, random)
        loaded = memory.load(started.id)
        assert loaded.game == stack.game
        assert effective(loaded) == stack.effective
        seen[loaded.version] = stack.game, stack.effective
    for version, expected in seen.items():
        then = memory.load(started.id, version)
        assert (then.game, effective(then)) == expected
    assert memory.audit(started.id).ok
    fork = memory.fork(started.id)
    assert fork.loaded.game == stack.game
    assert fork.version == len(stack.effective) + 1
    assert memory.audit(fork.id).ok


@pytest.mark.parametrize("seed", range(3 * soak_factor()))
def test_a_stream_folded_in_parts_is_the_same_as_folded_at_once(memory: Client, seed: int) -> None:
    started = memory.started(ALL_MODULES, 3)
    assert started.loaded.game is not None
    stack, random = Stack(started.version, started.loaded.game), Random(seed)
    for _ in range(60):
        step(memory, started.id, stack, random)
    events = memory.wait(memory.service.events(started.id, full=True)).items
    facts = [fact_of(version, event) for version, event in enumerate(events, 1)]
    whole = replace(memory.load(started.id), timeline=follow(None, facts))
    assert standing(whole) == standing(memory.load(started.id))
    for cut in random.sample(range(1, len(facts)), 20):
        parts = follow(follow(None, facts[:cut]), facts[cut:])
        assert standing(replace(whole, timeline=parts)) == standing(whole)
        assert parts.game == stack.game


@pytest.mark.parametrize("seed", range(soak_factor()))
def test_two_processes_see_each_others_undos(shared_url: str, seed: int) -> None:
    with connected(shared_url) as here, connected(shared_url) as there, connected(shared_url, cache_bytes=1) as cold:
        started = here.started(ALL_MODULES, 3)
        other = here.started()
        assert started.loaded.game is not None
        stack, random = Stack(started.version, started.loaded.game), Random(seed)
        for _ in range(60):
            step(random.choice((here, there)), started.id, stack, random)
            for client in (here, there, cold):
                assert client.load(started.id).game == stack.game
            assert (
                standing(here.load(started.id)) == standing(there.load(started.id)) == standing(cold.load(started.id))
            )
            cold.load(other.id)
        assert there.audit(started.id).ok
