"""The wait for a player and the time that each has used, from the times of the events."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import cast
from uuid import UUID

import pytest

from domain.absence import deadline_of
from domain.actions import EndTurn, Expand, Resign
from domain.decide import decide, legal_actions
from domain.modules import ActionTaken, Fact
from domain.table_facts import GameForked, Redone, TokenRenewed, UndoAnswered, Undone, UndoProposed
from domain.timeline import Timeline, follow, follow_action
from projections.summary import summary
from tests.projections.play import ANN, BOB, Match, anything
from tests.support.soak import soak_factor

START = datetime(2026, 1, 31, 18)
GAMES, STEPS = 1000 * soak_factor(), 12
LIMIT = timedelta(seconds=900)


def written(at: datetime) -> str:
    return f"{at.isoformat(timespec='microseconds')}Z"


def after(seconds: float) -> str:
    return written(START + timedelta(seconds=seconds))


class Watch:
    """The clock as the contract describes it, kept from one stored decision to the next."""

    def __init__(self) -> None:
        self.at, self.since, self.used = START, START, [timedelta()] * 5
        self.credit, self.proposed, self.interrupted = timedelta(), cast(datetime | None, None), dict[int, timedelta]()

    def add(self, before: Timeline, facts: Sequence[Fact], now: Timeline, at: datetime) -> None:
        old, new = before.game, now.game
        assert old is not None
        assert new is not None
        if old.to_play is not None:
            self.used[old.to_play] += at - self.at
        self.at = at
        continued = self._follow_limit(before, facts, now, at)
        in_set_up = old.turn.number == 0 and any(isinstance(fact, ActionTaken) for fact in facts)
        if in_set_up or (old.to_play, old.turn.number) != (new.to_play, new.turn.number):
            self.since, self.credit = at, -continued

    def _follow_limit(self, before: Timeline, facts: Sequence[Fact], now: Timeline, at: datetime) -> timedelta:
        """Follow what stops and continues the limit (R14.1, R14.4); return the wait that a redo continues."""
        if now.table.proposal is None and self.proposed is not None:
            self.credit, self.proposed = min(self.credit + at - self.proposed, LIMIT), None
        for fact in facts:
            match fact:
                case UndoProposed():
                    self.proposed = at
                case ActionTaken():
                    self.interrupted = {}
                case Undone() | Redone():
                    assert before.now is not None
                    assert now.now is not None
                    waited = before.now.game.to_play is not None
                    self.interrupted[before.now.version] = at - self.since - self.credit if waited else timedelta()
                    return self.interrupted.get(now.now.version, timedelta())
                case _:
                    pass
        return timedelta()

    def shows(self, timeline: Timeline) -> tuple[str, str | None, tuple[int, ...], str | None]:
        """The newest time, the beginning of the wait, the times used, and the deadline."""
        assert timeline.game is not None
        used = tuple(part // timedelta(microseconds=1) for part in self.used)
        if timeline.game.to_play is None:
            return written(self.at), None, used, None
        deadline = self.proposed + LIMIT if self.proposed else self.since + LIMIT + self.credit
        return written(self.at), written(self.since), used, written(deadline)


def seen(timeline: Timeline) -> tuple[str, str | None, tuple[int, ...], str | None]:
    clock = timeline.clock
    return clock.at, clock.since, clock.used, deadline_of(timeline)


def opened(match: Match) -> Timeline:
    return follow(None, match.facts, [after(0)] * len(match.facts))


@pytest.mark.parametrize("policy", ["turn", "agree", "free"])
def test_times_of_random_games_add_up_to_what_the_events_say(policy: str) -> None:
    luck = Random(policy)
    for seed in range(GAMES // 3):
        players = luck.randint(2, 5)
        how = luck.choice(["standard", "introductory"])
        start = opened(Match(players, seed=seed, undo=policy, start=how, turn_limit=LIMIT.seconds))
        timeline, watch, stored, before = start, Watch(), list[tuple[Fact, str]](), after(0)
        for _ in range(STEPS):
            if not (facts := anything(timeline, luck, players)):
                continue
            at = watch.at + timedelta(microseconds=luck.choice([0, luck.randrange(10**9)]))
            now = follow(timeline, facts, [written(at)] * len(facts))
            watch.add(timeline, facts, now, at)
            assert seen(now) == watch.shows(now)
            if now.clock.since is not None:
                assert now.clock.since >= before
                before = now.clock.since
            timeline = now
            stored += [(fact, written(at)) for fact in facts]
        cut = luck.randint(0, len(stored))
        for parts in ([stored], [stored[:cut], stored[cut:]]):
            again = start
            for part in parts:
                again = follow(again, [fact for fact, _ in part], [at for _, at in part])
            assert again.clock == timeline.clock


@pytest.fixture
def turn() -> Timeline:
    """The first turn of two players, Ann's."""
    return opened(Match(2, undo="free", start="introductory"))


def act(timeline: Timeline, action: Expand | EndTurn | Resign, at: float, seat: int | None = None) -> Timeline:
    assert timeline.game is not None
    decision = decide(timeline.game, action, seat)
    return follow_action(timeline, decision.facts, decision.game, after(at))


def table(timeline: Timeline, fact: Fact, at: float) -> Timeline:
    return follow(timeline, [fact], [after(at)])


def shown(timeline: Timeline) -> tuple[str | None, list[int]]:
    view = summary(UUID(int=1), timeline, "")
    return view.waiting_since, [seat.seconds_used for seat in view.seats]


def test_the_wait_begins_with_the_turn_and_the_time_is_that_of_the_player(turn: Timeline) -> None:
    assert shown(turn) == (after(0), [0, 0])
    assert shown(turn := act(turn, Resign(), 7.9, BOB)) == (None, [7, 0])
    assert shown(table(turn, Undone(None, turn.now.earlier.version), 60)) == (after(60), [7, 0])  # type: ignore[union-attr]


def test_a_turn_goes_on_and_an_undo_within_it_does_not_begin_another_wait(turn: Timeline) -> None:
    before = turn.version
    turn = act(turn, Expand(("indianapolis", "detroit")), 10)
    expanded = turn.version
    assert shown(turn) == (after(0), [10, 0])
    turn = table(turn, Undone(ANN, before), 20)
    assert shown(turn) == (after(0), [20, 0]), "undone time counts"
    assert shown(table(turn, Redone(ANN, expanded), 30)) == (after(0), [30, 0])


def test_an_undo_that_changes_the_turn_begins_another_wait(turn: Timeline) -> None:
    before = turn.version
    turn = act(turn, EndTurn(), 10)
    assert shown(turn) == (after(10), [10, 0])
    assert shown(table(turn, Undone(ANN, before), 30)) == (after(30), [10, 20])


def test_facts_of_the_table_leave_the_wait_as_it_is(turn: Timeline) -> None:
    before = turn.version
    turn = table(act(turn, EndTurn(), 10), TokenRenewed(ANN, "host"), 15)
    assert shown(turn) == (after(10), [10, 5])
    turn = table(turn, UndoProposed(BOB, before), 20)
    assert shown(turn) == (after(10), [10, 10])
    assert shown(table(turn, UndoAnswered(ANN, accept=False), 25)) == (after(10), [10, 15])


def test_in_the_set_up_each_decision_begins_a_wait() -> None:
    match = Match(2)
    timeline = opened(match)
    game = timeline.game
    assert game is not None
    decision = decide(game, legal_actions(game)[0].action)
    timeline = follow_action(timeline, decision.facts, decision.game, after(5))
    assert shown(timeline) == (after(5), [0, 5] if game.to_play == BOB else [5, 0])


def test_a_copy_begins_another_wait_and_nobody_has_used_the_time_before(turn: Timeline) -> None:
    turn = act(turn, Expand(("indianapolis", "detroit")), 10)
    assert shown(table(turn, GameForked(game="x", up_to=turn.version), 10**6)) == (after(10**6), [10, 0])
