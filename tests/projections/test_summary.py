"""The summary of a game, from the lobby to its end."""

from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.actions import ChooseTown, EndTurn, Resign
from domain.table import ForkedFrom, change_table
from domain.table_facts import GameForked, TableClosed, UndoProposed
from projections.summary import SeatAtTable, Summary, UndoProposal, summary
from tests.projections.play import ANN, BOB, CID, Match, sit_down

ID = UUID("11111111-2222-3333-4444-555555555555")


def summary_of(match: Match) -> Summary:
    return summary(ID, match.version, match.table, match.game)


def test_a_table_that_waits_shows_who_sits_there_and_which_seats_are_open() -> None:
    shown = summary(ID, 2, sit_down(3, ["Ann"]), None)
    assert shown.seats == (
        SeatAtTable(0, "Ann", "blue", open=False),
        SeatAtTable(1, None, "red", open=True),
        SeatAtTable(2, None, "orange", open=True),
    )
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("open", "lobby", 0, None)
    assert (shown.first_player, shown.winners, shown.proposal) == (None, None, None)


def test_nobody_may_sit_down_at_a_closed_table() -> None:
    shown = summary(ID, 3, change_table(sit_down(3, ["Ann"]), 3, TableClosed()), None)
    assert shown.closed
    assert not any(seat.open for seat in shown.seats)


def test_seats_that_stayed_empty_are_gone_once_play_has_begun(opening: Match) -> None:
    table = replace(opening.table, seats=5)
    assert len(summary(ID, opening.version, table, opening.game).seats) == 3


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
