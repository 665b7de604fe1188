"""Notices: which decision tells whom, and when a notice is over."""

from typing import Any

import pytest

from domain.actions import EndTurn, Resign
from domain.notices import Notice, is_due, lapses_of, notices_of
from domain.table_facts import GameForked, SeatTakenBack, TokenRenewed
from domain.timeline import Timeline
from domain.undo import answer
from tests.domain.test_r14_absence import DETROIT, LIMIT, Played, after, an_expansion, game
from tests.projections.play import ANN, BOB, CID


def told(played: Played, change: Any) -> list[Notice]:
    """Return the notices of a change."""
    before = played.timeline
    change()
    return notices_of(before, played.timeline)


def due(played: Played, notice: Notice, version: int = 10_000) -> bool:
    return is_due(notice, version, played.timeline)


def test_a_new_game_tells_the_player_who_begins() -> None:
    started = game()
    assert notices_of(None, started.timeline) == [Notice("game.turn", after(0), ANN)]


def test_a_turn_is_told_once_when_it_begins() -> None:
    played = game()
    first = Notice("game.turn", after(0), ANN)
    assert told(played, lambda: played.act(1, DETROIT)) == []
    assert due(played, first)
    second = Notice("game.turn", after(2), BOB)
    assert told(played, lambda: played.act(2, EndTurn())) == [second]
    assert due(played, second)
    assert not due(played, first)
    assert told(played, lambda: played.store(3, [TokenRenewed(BOB, "holder")])) == []


def test_the_same_turn_is_told_again_after_an_undo() -> None:
    played = game(undo="free").act(1, DETROIT).act(2, EndTurn())
    assert told(played, lambda: played.undo(3)) == [Notice("game.turn", after(3), ANN)]
    assert told(played, lambda: played.redo(4)) == [Notice("game.turn", after(4), BOB)]
    assert not due(played, Notice("game.turn", after(2), BOB))


def test_each_decision_of_the_set_up_is_told() -> None:
    played = game(start="standard")
    assert played.timeline.game is not None
    assert played.timeline.game.turn.number == 0
    first = notices_of(None, played.timeline)
    assert [notice.type for notice in first] == ["game.turn"]


def test_an_ending_is_told_once_and_holds() -> None:
    played = game(undo="free")
    assert told(played, lambda: played.act(5, Resign())) == [Notice("game.ended", after(5))]
    ending = Notice("game.ended", after(5))
    assert due(played, ending)
    assert [notice.type for notice in told(played, lambda: played.undo(6, to=None))] == ["game.turn"]
    assert due(played, ending)
    assert [notice.type for notice in told(played, lambda: played.redo(7))] == ["game.ended"]


def test_each_player_who_has_to_answer_is_told_of_a_proposal() -> None:
    played = game(players=3, undo="agree")
    played.act(1, an_expansion(played))
    notices = told(played, lambda: played.undo(2, ANN))
    assert notices == [Notice("game.undo_proposed", after(2), seat) for seat in (BOB, CID)]
    assert all(due(played, notice) for notice in notices)
    assert due(played, Notice("game.turn", after(0), ANN)), "the turn is not over"
    assert told(played, lambda: played.store(3, answer(played.timeline, BOB, accept=True))) == []
    assert [due(played, notice) for notice in notices] == [False, True]
    told(played, lambda: played.store(4, answer(played.timeline, CID, accept=False)))
    assert not due(played, notices[1])


def test_a_stand_in_is_told_nothing() -> None:
    played = game().leave(LIMIT, ANN)
    assert not due(played, Notice("game.turn", after(0), ANN))
    assert told(played, lambda: played.store(61, [SeatTakenBack(ANN)])) == []
    assert due(played, Notice("game.turn", after(0), ANN))


def test_a_lapse_holds_until_the_player_decides_or_a_bot_stands_in() -> None:
    played = game()
    assert lapses_of(played.timeline, after(LIMIT - 1)) == []
    (lapse,) = lapses_of(played.timeline, after(LIMIT))
    assert lapse == Notice("game.lapsed", after(LIMIT), ANN)
    assert due(played, lapse)
    assert not due(game().leave(LIMIT, ANN), lapse)
    assert not due(played.act(LIMIT + 1, DETROIT).act(LIMIT + 1, EndTurn()), lapse)


def test_without_a_limit_nothing_lapses() -> None:
    assert lapses_of(game(turn_limit=None).timeline, after(10**6)) == []


@pytest.mark.parametrize("type_", ["game.turn", "game.ended"])
def test_a_copy_tells_nothing_of_what_was_copied(type_: Any) -> None:
    played = game().act(1, DETROIT)
    version = played.timeline.version
    before: Timeline = played.timeline
    played.store(9, [GameForked("0" * 32, version)])
    assert not is_due(Notice(type_, after(1), ANN), version, played.timeline)
    (turn,) = notices_of(before, played.timeline)
    assert turn == Notice("game.turn", after(9), ANN)
    assert is_due(turn, played.timeline.version, played.timeline)
