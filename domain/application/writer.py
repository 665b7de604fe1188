"""Writing in groups: what all games have to store goes to the database in one durable transaction."""

import asyncio
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

import msgspec

from domain.application.append import Append
from domain.application.errors import StorageAway

MOST_AT_ONCE = 128

Outcome = Exception | None


class _Waiting(msgspec.Struct):
    """An append whose caller waits for the commit."""

    append: Append
    stored: asyncio.Future[None]


class GroupWriter:
    """One thread that stores what is queued, as much at once as has gathered while it stored what was there before.

    If a group cannot be stored because one of its members comes too late, each is stored alone, so that only that
    one fails.
    """

    def __init__(self, store: Callable[[Sequence[Append]], None]) -> None:
        """Write with this function, which stores all of a group or raises."""
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    async def write(self, append: Append) -> None:
        """Store a change; returns once it is durable, raises ``Conflict`` if it comes too late."""
        stored: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(_Waiting(append, stored))
        await stored

    async def close(self) -> None:
        """Store what is still queued, then stop."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        while True:
            group = self._next_group()
            if not group:
                return
            outcomes = self._outcomes(group)
            self._loop.call_soon_threadsafe(_deliver, group, outcomes)

    def _next_group(self) -> list[_Waiting]:
        """All that is queued by now, empty once nothing will come any more."""
        group: list[_Waiting] = []
        waiting = self._queue.get()
        try:
            while waiting is not None:
                group.append(waiting)
                if len(group) == MOST_AT_ONCE:
                    return group
                waiting = self._queue.get_nowait()
        except Empty:
            return group
        if group:
            self._queue.put(None)
        return group

    def _outcomes(self, group: Sequence[_Waiting]) -> list[Outcome]:
        together = self._stored([waiting.append for waiting in group])
        if together is None or isinstance(together, StorageAway) or len(group) == 1:
            return [together] * len(group)
        return [self._stored([waiting.append]) for waiting in group]

    def _stored(self, appends: Sequence[Append]) -> Outcome:
        try:
            self._store(appends)
        except Exception as error:
            return error
        return None


def _deliver(group: Sequence[_Waiting], outcomes: Sequence[Outcome]) -> None:
    """Tell everybody who has not gone away what has become of their append."""
    for waiting, outcome in zip(group, outcomes, strict=True):
        if waiting.stored.done():
            continue
        if outcome is None:
            waiting.stored.set_result(None)
        else:
            waiting.stored.set_exception(outcome)
