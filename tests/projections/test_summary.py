"""The summary of a game, from the lobby to its end."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.actions import ChooseTown, EndTurn, Expand, Resign
from domain.modules import Fact
from domain.refused import Refused
from domain.table import ForkedFrom
from domain.table_facts import GameForked, Redone, TableClosed, Undone, UndoProposed
from domain.timeline import Timeline, follow
from domain.undo import UndoOffer, redo, undo
from projections.summary import SeatAtTable, Summary, UndoProposal, summary
from tests.projections.play import ANN, BOB, CID, Match, anything, history_of, seated

ID = UUID("11111111-2222-3333-4444-555555555555")
AT = "2026-01-31T18:00:00.000000Z"


def summary_of(match: Match) -> Summary:
    return summary(ID, match.timeline, AT)


def test_a_table_that_waits_shows_who_sits_there_and_which_seats_are_open() -> None:
    shown = summary(ID, seated(3, ["Ann"]), AT)
    assert shown.seats == (
        SeatAtTable(0, "Ann", "blue", open=False),
        SeatAtTable(1, None, "red", open=True),
        SeatAtTable(2, None, "orange", open=True),
    )
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("open", "lobby", 0, None)
    assert (shown.first_player, shown.winners, shown.proposal) == (None, None, None)


def test_nobody_may_sit_down_at_a_closed_table() -> None:
    shown = summary(ID, follow(seated(3, ["Ann"]), [TableClosed()]), AT)
    assert shown.closed
    assert not any(seat.open for seat in shown.seats)


def test_seats_that_stayed_empty_are_gone_once_play_has_begun(opening: Match) -> None:
    timeline = replace(opening.timeline, table=replace(opening.table, seats=5))
    assert len(summary(ID, timeline, AT).seats) == 3


def test_the_set_up_has_no_turn_yet_and_somebody_to_decide() -> None:
    shown = summary_of(Match(3, first_player=BOB))
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("playing", "towns", 0, ANN)
    assert shown.first_player == BOB


def test_a_running_game_tells_whose_turn_it_is(denver_scored: Match) -> None:
    shown = summary_of(denver_scored)
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("playing", "expand", 5, BOB)
    assert shown.version == denver_scored.version
    assert shown.id == ID
    assert shown.winners is None


def test_a_finished_game_tells_who_has_won_and_why(all_passed: Match) -> None:
    shown = summary_of(all_passed)
    assert (shown.status, shown.phase, shown.to_play) == ("finished", "finished", None)
    assert shown.winners == (ANN, BOB)
    assert shown.ending is not None
    assert (shown.ending.reason, shown.ending.decided_by) == ("no_expansion", "shared")
    assert history_of(all_passed.timeline, all_passed.events).items[-1].effects[-1].text == shown.ending.text


def test_who_has_left_is_marked(opening: Match) -> None:
    shown = summary_of(opening.play(Resign(), seat=BOB))
    assert [seat.resigned for seat in shown.seats] == [False, True, False]


def test_an_undo_that_waits_for_answers_is_shown() -> None:
    match = Match(3, undo="agree").play(ChooseTown("el-paso"))
    match.record(UndoProposed(CID, to=match.version - 3))
    assert summary_of(match).proposal == UndoProposal(CID, match.version - 4, (), (ANN, BOB))


def test_a_fork_names_the_game_it_came_from(opening: Match) -> None:
    other = "99999999-2222-3333-4444-555555555555"
    shown = summary_of(opening.record(GameForked(other, up_to=21)))
    assert shown.forked_from == ForkedFrom(other, 21)


@pytest.mark.parametrize("policy", ["turn", "agree", "free", "off"])
def test_the_options_are_there_as_they_were_agreed(policy: str) -> None:
    assert (
        summary_of(Match(2, undo=policy).play(ChooseTown("el-paso"), ChooseTown("pueblo"), EndTurn())).options.undo
        == policy
    )


def test_who_has_passed_since_the_last_expansion_is_shown(second_turn: Match) -> None:
    """R8.1, R13.1: an expansion empties the list; a leaver stays in it, and somebody else's pass adds to it."""
    assert summary_of(second_turn).passed == ()
    second_turn.play(EndTurn())
    assert summary_of(second_turn).passed == (ANN,)
    second_turn.play(Resign(), seat=ANN).play(EndTurn())
    assert summary_of(second_turn).passed == (ANN, BOB)
    assert summary_of(second_turn).status == "playing"


def test_the_time_of_the_last_change_is_shown(opening: Match) -> None:
    assert summary_of(opening).changed_at == AT


def test_nothing_can_be_taken_back_before_anything_is_done() -> None:
    match = Match(3)
    shown = summary_of(match)
    assert (shown.undo, shown.redo) == (UndoOffer(None, ()), UndoOffer(None, ()))
    waiting = summary(ID, seated(3, ["Ann"]), AT)
    assert (waiting.undo, waiting.redo) == (UndoOffer(None, ()), UndoOffer(None, ()))


def test_the_active_player_may_go_back_to_the_start_of_the_turn(opening: Match) -> None:
    start = opening.version
    assert summary_of(opening).undo == UndoOffer(None, ())
    opening.play(Expand(("pueblo", "denver")))
    assert summary_of(opening).undo == UndoOffer(start, (ANN,))
    done = opening.version
    opening.record(Undone(ANN, start))
    assert summary_of(opening).undo == UndoOffer(None, ())
    assert summary_of(opening).redo == UndoOffer(done, (ANN,))


@pytest.mark.parametrize("policy", ["turn", "agree", "free", "off"])
@pytest.mark.parametrize("seed", range(4))
def test_undo_and_redo_are_offered_to_just_those_who_may_ask(policy: str, seed: int) -> None:
    match, luck = Match(3, seed=seed, undo=policy), Random(seed)
    timeline = match.timeline
    for _ in range(150):
        shown = summary(ID, timeline, AT)
        assert shown.undo == _tried(timeline, partial(undo, timeline, to=None))
        assert shown.redo == _tried(timeline, partial(redo, timeline))
        timeline = follow(timeline, anything(timeline, luck, 3))


def _tried(timeline: Timeline, ask: Callable[[int], list[Fact]]) -> UndoOffer:
    """Return what comes of asking, seat by seat."""
    found: dict[int, int] = {}
    for seat in range(3):
        with suppress(Refused):
            (fact,) = ask(seat)
            assert isinstance(fact, Undone | Redone | UndoProposed)
            found[seat] = fact.to
    return UndoOffer(next(iter(found.values()), None), tuple(found))
