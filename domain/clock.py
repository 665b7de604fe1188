"""The times of a game, computed from those of its events: no rule depends on them."""

from datetime import datetime, timedelta

import msgspec

from domain.table import MAX_PLAYERS

_MICROSECOND = timedelta(microseconds=1)


class Clock(msgspec.Struct, frozen=True, gc=False):
    """The time of the newest event, and the time since which ``to_play`` has had to decide.

    ``used`` are the microseconds between events for which each seat was to play.
    """

    at: str = ""
    since: str | None = None
    used: tuple[int, ...] = (0,) * MAX_PLAYERS


def time_used(clock: Clock, to_play: int | None, at: str) -> tuple[int, ...]:
    """Return the microseconds that each seat has used when the next event comes at a time."""
    if to_play is None or not clock.at or not at:
        return clock.used
    used = list(clock.used)
    used[to_play] += (datetime.fromisoformat(at) - datetime.fromisoformat(clock.at)) // _MICROSECOND
    return tuple(used)
