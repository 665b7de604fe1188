"""A fork is a game of its own that begins where another one stood."""

import pytest
from domain.events import GameForked, Undone
from domain.options import Options
from domain.refusals import Refused

from domain.application import UnknownVersion
from tests.domain.application.tables import QUICK, Visitor


def test_a_fork_goes_on_alone(visitor: Visitor) -> None:
    started = visitor.started()
    there = visitor.play(started.id, 5)
    later = visitor.play(started.id, 3, seed=1)
    fork = visitor.change("fork", started.id, there.version)
    assert fork.id != started.id
    assert fork.game == there.game
    assert fork.facts[-1] == GameForked(game=str(started.id), up_to=there.version)
    assert fork.table.forked_from == (str(started.id), there.version)
    assert fork.table.options == QUICK
    assert set(fork.tokens) == {None, 0, 1}
    visitor.play(fork.id, 4, seed=2)
    assert visitor.look(started.id).version == later.version
    assert visitor.wait(visitor.club.audit(fork.id)).ok


def test_a_fork_keeps_what_is_in_force_and_leaves_the_rest(memory: Visitor) -> None:
    started = memory.started()
    kept = memory.play(started.id, 4)
    memory.play(started.id, 2, seed=1)
    memory.change("undo", started.id, None, kept.version)
    held = memory.play(started.id, 1, seed=2)
    fork = memory.change("fork", started.id)
    assert fork.game == held.game
    assert not any(isinstance(fact, Undone) for fact in fork.facts)
    assert memory.change("undo", fork.id, None).game == kept.game
    assert memory.wait(memory.club.audit(fork.id)).ok


def test_a_fork_may_begin_in_what_was_taken_back(memory: Visitor) -> None:
    started = memory.started()
    kept = memory.play(started.id, 2)
    gone = memory.play(started.id, 2, seed=1)
    memory.change("undo", started.id, None, kept.version)
    assert memory.change("fork", started.id, gone.version).game == gone.game


def test_proposals_stay_behind(memory: Visitor) -> None:
    started = memory.started(Options(seed=1, undo="agree"))
    held = memory.play(started.id, 3)
    memory.change("undo", started.id, 0)
    fork = memory.change("fork", started.id)
    assert fork.game == held.game
    assert fork.table.proposal is None
    assert memory.wait(memory.club.audit(fork.id)).ok


def test_a_fork_begins_between_two_actions(memory: Visitor) -> None:
    started = memory.started()
    held = memory.play(started.id, 2)
    for at in (1, 3, started.version - 1, started.version + 1):
        with pytest.raises(Refused) as refused:
            memory.change("fork", started.id, at)
        assert refused.value.code == "not_a_boundary"
    assert memory.change("fork", started.id, started.version).game == started.game
    with pytest.raises(UnknownVersion):
        memory.change("fork", started.id, held.version + 1)


def test_a_fork_of_a_fork(memory: Visitor) -> None:
    started = memory.started()
    held = memory.play(started.id, 3)
    fork = memory.change("fork", started.id)
    again = memory.change("fork", fork.id)
    assert again.game == held.game
    assert again.table.forked_from == (str(fork.id), fork.version)
    assert memory.wait(memory.club.audit(again.id)).ok
