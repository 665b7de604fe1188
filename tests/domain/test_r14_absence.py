"""R14: the turn limit, stand-ins, the return of absent players, and seats that are handed over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from domain.absence import deadline_of, hand_over, late_seats, leave_to_bot, take_back
from domain.actions import ChooseTown, EndTurn, Expand, Resign
from domain.bot_turns import bot_to_decide
from domain.decide import decide, legal_actions
from domain.modules import Action, Fact
from domain.refused import Refused
from domain.table_facts import GameForked, SeatHandedOver, SeatLeftToBot, SeatTaken, SeatTakenBack, TokenRenewed
from domain.timeline import Timeline, follow
from domain.undo import answer, redo, undo
from tests.projections.play import ANN, BOB, CID, Match, anything

START = datetime(2026, 1, 31, 18)
LIMIT = 60
DETROIT = Expand(("indianapolis", "detroit"))


def after(seconds: float) -> str:
    return f"{(START + timedelta(seconds=seconds)).isoformat(timespec='microseconds')}Z"


@dataclass
class Played:
    """A game whose facts have times, in seconds since its beginning."""

    timeline: Timeline

    def store(self, at: float, facts: Sequence[Fact]) -> "Played":
        self.timeline = follow(self.timeline, facts, [after(at)] * len(facts))
        return self

    def act(self, at: float, action: Action, seat: int | None = None) -> "Played":
        assert self.timeline.game is not None
        return self.store(at, decide(self.timeline.game, action, seat).facts)

    def undo(self, at: float, seat: int = ANN, to: int | None = None) -> "Played":
        return self.store(at, undo(self.timeline, seat, to))

    def redo(self, at: float, seat: int = ANN) -> "Played":
        return self.store(at, redo(self.timeline, seat))

    def leave(self, at: float, seat: int) -> "Played":
        return self.store(at, leave_to_bot(self.timeline, seat, "seat", after(at)))

    @property
    def deadline(self) -> str | None:
        return deadline_of(self.timeline)


def game(players: int = 2, start: str = "introductory", **options: Any) -> Played:
    """A game that began at 0, in Ann's first turn."""
    chosen: dict[str, Any] = {"start": start, "turn_limit": LIMIT, **options}
    match = Match(players, **chosen)
    return Played(follow(None, match.facts, [after(0)] * len(match.facts)))


def an_expansion(played: Played) -> Action:
    assert played.timeline.game is not None
    return next(legal.action for legal in legal_actions(played.timeline.game) if isinstance(legal.action, Expand))


def refusal(played: Played, at: float, seat: int) -> Refused:
    with pytest.raises(Refused) as refused:
        leave_to_bot(played.timeline, seat, "seat", after(at))
    return refused.value


def test_the_limit_is_for_a_whole_turn() -> None:
    """R14.1."""
    played = game()
    assert played.deadline == after(60)
    assert played.act(20, DETROIT).deadline == after(60)
    assert played.act(30, EndTurn()).deadline == after(90)


def test_without_a_limit_nobody_is_late() -> None:
    """R14.1."""
    played = game(turn_limit=None)
    assert played.deadline is None
    assert refusal(played, 10**7, ANN).code == "not_absent"


def test_in_the_set_up_each_decision_has_the_limit() -> None:
    """R14.1."""
    played = game(3, start="standard")
    assert played.act(10, ChooseTown("el-paso")).deadline == after(70)
    assert played.act(25, ChooseTown("huntsville")).deadline == after(85)


def test_the_limit_stops_at_the_end_of_the_game() -> None:
    """R14.1."""
    played = game().act(5, Resign(), BOB)
    assert played.timeline.game is not None
    assert played.timeline.game.ending is not None
    assert played.deadline is None
    assert late_seats(played.timeline) == ()


def test_an_undo_within_the_turn_does_not_prolong_the_limit() -> None:
    """R14.1."""
    played = game().act(10, DETROIT)
    for at in range(20, 60, 10):
        played.undo(at)
        assert played.deadline == after(60)
        played.redo(at + 5)
        assert played.deadline == after(60)


def test_undo_and_redo_of_a_turn_do_not_hold_up_the_next_player() -> None:
    """R14.1: nobody is late because of an undo, and a redo continues the wait."""
    played = game(undo="free").act(10, EndTurn())
    assert played.undo(40).deadline == after(100), "Ann has the whole limit again"
    assert played.redo(95).deadline == after(95 + LIMIT - 30)
    assert played.undo(110).redo(120).deadline == after(120 + LIMIT - 45)
    for _ in range(10):
        played.undo(130).redo(130)
    assert played.deadline == after(130 + LIMIT - 55)


def test_nobody_holds_up_a_table_by_undo_and_redo() -> None:
    """R14.1: Cid undoes the end of Ann's turn, who is absent, and restores it before her time is over."""
    played = game(3, undo="free").act(10, EndTurn())
    for start in range(20, 80, 20):
        played.undo(start, CID).redo(start + 19, CID)
    assert played.undo(80, CID).deadline == after(80 + LIMIT - 3 * 19)


def test_a_copy_begins_the_limit_again() -> None:
    """R14.1."""
    played = game().store(50, [GameForked("99999999-2222-3333-4444-555555555555", 3)])
    assert played.deadline == after(110)


def test_a_bot_plays_for_a_player_whose_time_is_over() -> None:
    """R14.2."""
    played = game()
    refused = refusal(played, 59.9, ANN)
    assert (refused.code, refused.rule) == ("not_absent", "R14.2")
    assert (refused.needed, refused.had) == ({"at": after(60)}, {"now": after(59.9)})
    assert refusal(played, 60, BOB).code == "not_absent", "Bob does not have to decide"
    assert leave_to_bot(played.timeline, ANN, "host", after(60)) == [SeatLeftToBot(ANN, "greedy", "host")]
    played.leave(60, ANN)
    turn = bot_to_decide(played.timeline)
    assert turn is not None
    assert (turn.seat, turn.bot, turn.by) == (ANN, "greedy", "stand_in")
    assert leave_to_bot(played.timeline, ANN, "seat", after(61)) == [], "once is enough"
    assert late_seats(played.timeline) == ()


def test_an_undo_does_not_take_back_the_stand_in() -> None:
    """R14.2."""
    played = game(undo="free").act(10, DETROIT).leave(60, ANN).undo(61, BOB)
    assert played.timeline.table.stand_ins == {ANN: "greedy"}
    assert played.act(62, EndTurn()).undo(63, BOB).timeline.table.stand_ins == {ANN: "greedy"}


def test_nothing_happens_to_a_late_player_who_is_not_claimed() -> None:
    """R14.2: the clock alone decides nothing."""
    played = game()
    assert played.timeline.table.stand_ins == {}
    assert played.act(1000, DETROIT).deadline == after(60)


def test_bots_are_never_absent() -> None:
    """R14.2."""
    match = Match(2, start="introductory", turn_limit=LIMIT)
    opened, _, *others = match.facts
    bot = SeatTaken(ANN, "Bot", "blue", "greedy")
    played = Played(follow(None, [opened, bot, *others], [after(0)] * len(match.facts)))
    assert late_seats(played.timeline) == ()
    assert refusal(played, 100, ANN).code == "bot_seat"


def test_a_player_who_is_back_has_the_whole_limit() -> None:
    """R14.3."""
    played = game().leave(60, ANN)
    assert take_back(played.timeline.table, ANN) == [SeatTakenBack(ANN)]
    assert played.store(75, [SeatTakenBack(ANN)]).deadline == after(75 + LIMIT)
    assert bot_to_decide(played.timeline) is None
    assert take_back(played.timeline.table, ANN) == []
    assert refusal(played, 100, ANN).code == "not_absent"
    assert played.leave(75 + LIMIT, ANN).timeline.table.stand_ins == {ANN: "greedy"}


def test_the_return_of_a_player_who_does_not_have_to_decide_changes_no_limit() -> None:
    """R14.3."""
    played = game().leave(60, ANN).act(61, EndTurn())
    assert played.deadline == after(121)
    assert played.store(70, [SeatTakenBack(ANN)]).deadline == after(121)


def test_a_proposal_stops_the_limit_and_each_answer_has_its_own() -> None:
    """R14.4."""
    played = game(3, undo="agree")
    played.act(10, an_expansion(played)).act(20, EndTurn())
    assert played.deadline == after(80)
    played.undo(30, ANN)
    assert played.deadline == after(90)
    assert late_seats(played.timeline) == (BOB, CID)
    played.store(40, answer(played.timeline, BOB, accept=True))
    assert (played.deadline, late_seats(played.timeline)) == (after(90), (CID,))
    played.store(70, answer(played.timeline, CID, accept=False))
    assert (played.deadline, late_seats(played.timeline)) == (after(80 + 40), (BOB,))


def test_proposals_prolong_a_wait_by_one_limit_at_most() -> None:
    """R14.4."""
    played = game(3, undo="agree").act(20, EndTurn())
    for at in range(30, 500, 50):
        played.undo(at, ANN).store(at + 49, answer(played.timeline, ANN, accept=False))
    assert played.deadline == after(80 + LIMIT)


def test_an_action_ends_the_proposal_and_the_limit_runs_on() -> None:
    """R14.4."""
    played = game(2, undo="agree").act(20, EndTurn()).undo(30, ANN)
    assert played.act(45, an_expansion(played)).deadline == after(80 + 15)


def test_a_stand_in_accepts_an_undo() -> None:
    """R14.2, R14.4."""
    played = game(2, undo="agree").act(20, EndTurn()).leave(80, BOB).undo(81, ANN)
    turn = bot_to_decide(played.timeline)
    assert turn is not None
    assert (turn.seat, turn.by) == (BOB, "stand_in")


def test_a_seat_is_handed_over_while_a_bot_stands_in() -> None:
    """R14.5."""
    played = game(3)
    with pytest.raises(Refused) as refused:
        hand_over(played.timeline.table, ANN, "Dora")
    assert (refused.value.code, refused.value.rule) == ("not_absent", "R14.5")
    played.leave(60, ANN)
    with pytest.raises(Refused) as refused:
        hand_over(played.timeline.table, ANN, "bob")
    assert refused.value.code == "name_taken"
    assert hand_over(played.timeline.table, ANN, "Ann") == SeatHandedOver(ANN, "Ann"), "the old name is free"
    played.store(70, [hand_over(played.timeline.table, ANN, "Dora")])
    assert [player.name for player in played.timeline.table.players] == ["Dora", "Bob", "Cid"]
    assert (played.timeline.table.stand_ins, played.deadline) == ({}, after(70 + LIMIT))


def test_other_facts_of_the_table_leave_the_limit_as_it_is() -> None:
    """R14.1."""
    assert game().store(30, [TokenRenewed(ANN, "host")]).deadline == after(60)


@pytest.mark.parametrize("policy", ["turn", "agree", "free"])
def test_random_games_with_claims_and_returns_fold_the_same_in_any_parts(policy: str) -> None:
    """R14.1 to R14.5: at each version at most one of a player and a bot acts for a seat."""
    luck = Random(policy)
    for _ in range(100):
        played = game(3, undo=policy)
        start, stored, at = played.timeline, list[tuple[Fact, str]](), 0.0
        for _ in range(25):
            at += luck.choice([0, 5, 70])
            facts = something(played, luck, after(at))
            played.store(at, facts)
            stored += [(fact, after(at)) for fact in facts]
            turn = bot_to_decide(played.timeline)
            assert turn is None or turn.seat not in late_seats(played.timeline)
        cut = luck.randint(0, len(stored))
        for parts in ([stored], [stored[:cut], stored[cut:]]):
            again = start
            for part in parts:
                again = follow(again, [fact for fact, _ in part], [time for _, time in part])
            assert (again.clock, again.table) == (played.timeline.clock, played.timeline.table)


def something(played: Played, luck: Random, at: str) -> Sequence[Fact]:
    """Return the facts of a claim, a return or a handover, if one is possible, or of anything else."""
    table, seat = played.timeline.table, luck.randrange(3)
    late = late_seats(played.timeline)
    deadline = played.deadline
    if late and deadline is not None and at >= deadline:
        return leave_to_bot(played.timeline, luck.choice(late), "server", at)
    if seat in table.stand_ins and luck.random() < 0.3:
        return (
            take_back(table, seat) if luck.random() < 0.7 else [hand_over(table, seat, f"Successor {len(table.kept)}")]
        )
    return anything(played.timeline, luck, 3)
