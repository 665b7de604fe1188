"""Notices: what a server of a frontend is told of a game. A decision may begin somebody's wait or end the game."""

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from domain.absence import deadline_of, late_seats, people_of
from domain.timeline import Timeline

NoticeType = Annotated[
    Literal["game.turn", "game.ended", "game.undo_proposed", "game.lapsed"],
    Meta(
        description="The kind of the notice. `game.turn`: somebody has to decide. `game.ended`: the game is over. "
        "`game.undo_proposed`: a seat has to answer a proposal. `game.lapsed`: the deadline of a seat has passed."
    ),
]


class Notice(NamedTuple):
    """A notice: its type, the time of its cause, and the seat that has to decide.

    The cause is an event. That of a lapse is the deadline.
    """

    type: NoticeType
    at: str
    seat: int | None = None


def notices_of(before: Timeline | None, after: Timeline) -> list[Notice]:
    """Return the notices of a decision: those of the state after it that the state before it did not have."""
    if after.table.deleted or after.now is None:
        return []
    clock, found = after.clock, list[Notice]()
    if clock.since and after.game and after.game.to_play in people_of(after.table) and _wait(after) != _wait(before):
        found.append(Notice("game.turn", clock.since, after.game.to_play))
    if after.table.proposal and (before is None or clock.proposed != before.clock.proposed):
        found += [Notice("game.undo_proposed", clock.proposed or clock.at, seat) for seat in late_seats(after)]
    if after.table.winners and not (before and before.table.winners):
        found.append(Notice("game.ended", clock.at))
    return found


def lapses_of(timeline: Timeline, now: str) -> list[Notice]:
    """Return a notice for each player whose deadline has passed."""
    until = deadline_of(timeline)
    if until is None or until > now:
        return []
    return [Notice("game.lapsed", until, seat) for seat in late_seats(timeline)]


def is_due(notice: Notice, version: int, timeline: Timeline) -> bool:
    """Return whether a notice of a version still holds: the wait is not over, and the event is not a copy's."""
    table, clock = timeline.table, timeline.clock
    copied = max(source[1] for source in (table.forked_from, table.imported_from, (None, 0)) if source)
    if table.deleted or version <= copied:
        return False
    if notice.type == "game.ended":
        return True
    if notice.type == "game.turn":
        to_play = timeline.game.to_play if timeline.game else None
        return notice.seat == to_play and notice.at == clock.since and notice.seat in people_of(table)
    wanted = clock.proposed if notice.type == "game.undo_proposed" else deadline_of(timeline)
    return notice.at == wanted and notice.seat in late_seats(timeline)


def _wait(timeline: Timeline | None) -> tuple[object, ...]:
    """Return values that change when a wait ends and another one begins."""
    if timeline is None or timeline.game is None:
        return ()
    return timeline.clock.since, timeline.game.to_play, timeline.game.turn.number
