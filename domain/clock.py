"""The times of a game, computed from those of its events: no rule of the game depends on them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec.structs import replace

from domain.table import MAX_PLAYERS

_MICROSECOND = timedelta(microseconds=1)


class Clock(msgspec.Struct, frozen=True, gc=False):
    """The time of the newest event, and the time since which ``to_play`` has had to decide.

    ``used`` are the microseconds between events for which each seat was to play. ``extra`` are the microseconds for
    which the limit of the running wait stood still, or, below 0, those of the earlier wait that it continues.
    ``proposed`` is the time of the open proposal of an undo. ``interrupted`` are the waits that undos and redos have
    ended, by the version of the moment, in microseconds: a return to the moment continues its wait.
    """

    at: str = ""
    since: str | None = None
    used: tuple[int, ...] = (0,) * MAX_PLAYERS
    extra: int = 0
    proposed: str | None = None
    interrupted: Mapping[int, int] = {}


def is_time(text: str) -> bool:
    """Return whether a text is a time in the form of the streams."""
    try:
        return datetime.fromisoformat(text).tzinfo is UTC and text.endswith("Z")
    except ValueError:
        return False


def time_used(clock: Clock, to_play: int | None, at: str) -> tuple[int, ...]:
    """Return the microseconds that each seat has used when the next event comes at a time."""
    if to_play is None or not clock.at or not at:
        return clock.used
    used = list(clock.used)
    used[to_play] += (datetime.fromisoformat(at) - datetime.fromisoformat(clock.at)) // _MICROSECOND
    return tuple(used)


def settle(clock: Clock, limit: int | None) -> Clock:
    """Let the limit run on after a proposal. Proposals prolong a wait by one limit at most (R14.4)."""
    if limit is None or not clock.proposed:
        return replace(clock, proposed=None)
    extra = clock.extra + _microseconds(clock.proposed, clock.at)
    return replace(clock, extra=min(extra, 1_000_000 * limit), proposed=None)


def renew(clock: Clock) -> Clock:
    """Begin the limit again at the newest event; the wait goes on."""
    return replace(clock, extra=_microseconds(clock.since, clock.at)) if clock.since else clock


def interrupt(clock: Clock, moment: int) -> Clock:
    """Note how long the wait at a moment has lasted that an undo or a redo ends."""
    lasted = _microseconds(clock.since, clock.at) - clock.extra if clock.since else 0
    return replace(clock, interrupted={**clock.interrupted, moment: lasted})


def deadline(clock: Clock, limit: int | None) -> str | None:
    """Return the time at which the limit of those who have to decide is over, if there is one (R14.1)."""
    since = clock.proposed or clock.since
    if limit is None or not since:
        return None
    extra = timedelta(microseconds=0 if clock.proposed else clock.extra)
    until = datetime.fromisoformat(since) + timedelta(seconds=limit) + extra
    return _shown(until)


def limit_starts(clock: Clock) -> set[str]:
    """Return the possible times of the event that began the running limit."""
    since = clock.proposed or clock.since
    if not since or clock.proposed:
        return {since} if since else set()
    return {since, _shown(datetime.fromisoformat(since) + timedelta(microseconds=clock.extra))}


def _shown(time: datetime) -> str:
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _microseconds(start: str, end: str) -> int:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)) // _MICROSECOND
