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


def test_an_open_table_shows_players_and_open_seats() -> None:
    shown = summary(ID, seated(3, ["Ann"]), AT)
    assert shown.seats == (
        SeatAtTable(0, "Ann", "blue", open=False),
        SeatAtTable(1, None, "red", open=True),
        SeatAtTable(2, None, "orange", open=True),
    )
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("open", "lobby", 0, None)
    assert (shown.first_player, shown.winners, shown.proposal) == (None, None, None)


def test_a_closed_table_shows_no_open_seat() -> None:
    shown = summary(ID, follow(seated(3, ["Ann"]), [TableClosed()]), AT)
    assert shown.closed
    assert not any(seat.open for seat in shown.seats)


def test_empty_seats_are_gone_after_the_start(opening: Match) -> None:
    timeline = replace(opening.timeline, table=replace(opening.table, seats=5))
    assert len(summary(ID, timeline, AT).seats) == 3


def test_the_set_up_has_no_turn_but_a_player_to_decide() -> None:
    shown = summary_of(Match(3, first_player=BOB))
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("playing", "towns", 0, ANN)
    assert shown.first_player == BOB


def test_a_running_game_shows_the_player_to_decide(denver_scored: Match) -> None:
    shown = summary_of(denver_scored)
    assert (shown.status, shown.phase, shown.turn, shown.to_play) == ("playing", "expand", 5, BOB)
    assert shown.version == denver_scored.version
    assert shown.id == ID
    assert shown.winners is None


def test_a_finished_game_shows_the_winner_and_the_reason(all_passed: Match) -> None:
    shown = summary_of(all_passed)
    assert (shown.status, shown.phase, shown.to_play) == ("finished", "finished", None)
    assert shown.winners == (ANN, BOB)
    assert shown.ending is not None
    assert (shown.ending.reason, shown.ending.decided_by) == ("no_expansion", "shared")
    assert history_of(all_passed.timeline, all_passed.events).items[-1].effects[-1].text == shown.ending.text


def test_resigned_players_are_marked(opening: Match) -> None:
    shown = summary_of(opening.play(Resign(), seat=BOB))
    assert [seat.resigned for seat in shown.seats] == [False, True, False]


def test_a_proposed_undo_is_shown() -> None:
    match = Match(3, undo="agree").play(ChooseTown("el-paso"))
    match.record(UndoProposed(CID, to=match.version - 3))
    to = match.version - 4
    assert summary_of(match).proposal == UndoProposal(CID, to, redo=False, accepted=(), waiting=(ANN, BOB))
    match.record(Undone(CID, to))
    undone = match.timeline.undone[-1].version
    match.record(UndoProposed(BOB, undone))
    assert summary_of(match).proposal == UndoProposal(BOB, undone, redo=True, accepted=(), waiting=(ANN, CID))


def test_a_fork_names_its_origin(opening: Match) -> None:
    other = "99999999-2222-3333-4444-555555555555"
    shown = summary_of(opening.record(GameForked(other, up_to=21)))
    assert shown.forked_from == ForkedFrom(other, 21)


@pytest.mark.parametrize("policy", ["turn", "agree", "free", "off"])
def test_the_options_of_the_table_are_shown(policy: str) -> None:
    assert (
        summary_of(Match(2, undo=policy).play(ChooseTown("el-paso"), ChooseTown("pueblo"), EndTurn())).options.undo
        == policy
    )


def test_players_who_passed_since_the_last_expansion_are_shown(second_turn: Match) -> None:
    """R8.1, R13.1: an expansion empties the list; leavers stay in it, and another pass adds to it."""
    assert summary_of(second_turn).passed == ()
    second_turn.play(EndTurn())
    assert summary_of(second_turn).passed == (ANN,)
    second_turn.play(Resign(), seat=ANN).play(EndTurn())
    assert summary_of(second_turn).passed == (ANN, BOB)
    assert summary_of(second_turn).status == "playing"


def test_the_time_of_the_last_change_is_shown(opening: Match) -> None:
    assert summary_of(opening).changed_at == AT


def test_nothing_can_be_undone_before_the_first_action() -> None:
    match = Match(3)
    shown = summary_of(match)
    assert (shown.undo, shown.redo) == (UndoOffer(None, ()), UndoOffer(None, ()))
    waiting = summary(ID, seated(3, ["Ann"]), AT)
    assert (waiting.undo, waiting.redo) == (UndoOffer(None, ()), UndoOffer(None, ()))


def test_the_active_player_can_undo_to_the_start_of_the_turn(opening: Match) -> None:
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
def test_undo_and_redo_are_offered_to_exactly_the_players_allowed(policy: str, seed: int) -> None:
    match, luck = Match(3, seed=seed, undo=policy), Random(seed)
    timeline = match.timeline
    for _ in range(150):
        shown = summary(ID, timeline, AT)
        assert shown.undo == _tried(timeline, partial(undo, timeline, to=None))
        assert shown.redo == _tried(timeline, partial(redo, timeline))
        timeline = follow(timeline, anything(timeline, luck, 3))


def _tried(timeline: Timeline, ask: Callable[[int], list[Fact]]) -> UndoOffer:
    """Return the result of the request by each seat."""
    found: dict[int, int] = {}
    for seat in range(3):
        with suppress(Refused):
            (fact,) = ask(seat)
            assert isinstance(fact, Undone | Redone | UndoProposed)
            found[seat] = fact.to
    return UndoOffer(next(iter(found.values()), None), tuple(found))
