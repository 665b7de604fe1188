"""A fork is an independent game that begins at a version of another one."""

import pytest

from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import UnknownVersion, commands
from domain.store.tokens import HOST
from domain.table_facts import GameForked, Undone
from tests.store.clients import QUICK, Client


def test_a_fork_is_independent(client: Client) -> None:
    started = client.started()
    there = client.play(started.id, 5)
    later = client.play(started.id, 3, seed=1)
    fork = client.fork(started.id, there.version)
    assert fork.id != started.id
    assert fork.loaded.game == there.game
    assert fork.facts[-1] == GameForked(game=str(started.id), up_to=there.version)
    assert fork.table.forked_from == (str(started.id), there.version)
    assert fork.table.options == QUICK
    assert set(fork.tokens) == {HOST, 0, 1}
    client.play(fork.id, 4, seed=2)
    assert client.load(started.id).version == later.version
    assert client.audit(fork.id).ok


def test_a_fork_keeps_only_the_events_in_force(memory: Client) -> None:
    started = memory.started()
    kept = memory.play(started.id, 4)
    memory.play(started.id, 2, seed=1)
    memory.change(started.id, commands.undo(None, kept.version))
    loaded = memory.play(started.id, 1, seed=2)
    fork = memory.fork(started.id)
    assert fork.loaded.game == loaded.game
    assert not any(isinstance(fact, Undone) for fact in fork.facts)
    assert memory.change(fork.id, commands.undo(None)).loaded.game == kept.game
    assert memory.audit(fork.id).ok


def test_a_fork_may_begin_at_an_undone_version(memory: Client) -> None:
    started = memory.started()
    kept = memory.play(started.id, 2)
    gone = memory.play(started.id, 2, seed=1)
    memory.change(started.id, commands.undo(None, kept.version))
    assert memory.fork(started.id, gone.version).loaded.game == gone.game


def test_a_fork_has_no_proposal(memory: Client) -> None:
    started = memory.started(GameOptions(seed=1, undo="agree"))
    loaded = memory.play(started.id, 3)
    memory.change(started.id, commands.undo(0))
    fork = memory.fork(started.id)
    assert fork.loaded.game == loaded.game
    assert fork.table.proposal is None
    assert memory.audit(fork.id).ok


def test_a_fork_begins_between_two_actions(memory: Client) -> None:
    started = memory.started()
    loaded = memory.play(started.id, 2)
    for at in (1, 3, started.version - 1, started.version + 1):
        with pytest.raises(Refused) as refused:
            memory.fork(started.id, at)
        assert refused.value.code == "not_a_boundary"
    assert memory.fork(started.id, started.version).loaded.game == started.loaded.game
    with pytest.raises(UnknownVersion):
        memory.fork(started.id, loaded.version + 1)


def test_a_fork_of_a_fork(memory: Client) -> None:
    started = memory.started()
    loaded = memory.play(started.id, 3)
    fork = memory.fork(started.id)
    again = memory.fork(fork.id)
    assert again.loaded.game == loaded.game
    assert again.table.forked_from == (str(fork.id), fork.version)
    assert memory.audit(again.id).ok
