"""Writing in groups: what all games have to store goes to the database in one durable transaction."""

import asyncio
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from time import perf_counter

import msgspec

from domain.application.append import Append
from domain.application.errors import Busy, StorageAway

MOST_AT_ONCE = 128
PIECE = 64
"""A group grows by pieces of so many at most."""

SHORT = 0.002
"""Seconds for which nobody minds that everything else waits."""

Store = Callable[[Sequence[Append]], None]
Outcome = Exception | None


class _Waiting(msgspec.Struct):
    """An append whose caller waits for the commit."""

    append: Append
    stored: asyncio.Future[None]


class GroupWriter:
    """Stores what has gathered since it stored last, in a thread of its own.

    If a group cannot be stored because one of its members comes too late, each is stored alone, so that only that
    one fails. A single append on a fast disk is stored without the detour through the thread, which takes longer
    than the disk does.
    """

    def __init__(self, store: Store, store_at_once: Store | None) -> None:
        """Write with these functions: both store all or raise, the second one raises ``Busy`` rather than wait."""
        self._store = store
        self._store_at_once = store_at_once
        self._loop = asyncio.get_running_loop()
        self._gathered: list[_Waiting] = []
        self._in_thread = 0
        self._seconds = 0.0
        self._queue: SimpleQueue[list[_Waiting]] = SimpleQueue()
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    async def write(self, append: Append) -> None:
        """Store a change; returns once it is durable, raises ``Conflict`` if it comes too late."""
        stored: asyncio.Future[None] = self._loop.create_future()
        self._gathered.append(_Waiting(append, stored))
        if len(self._gathered) == 1:
            self._loop.call_soon(self._flush)
        await stored

    async def close(self) -> None:
        """Store what is still to be stored, then stop."""
        self._flush()
        self._queue.put([])
        await asyncio.to_thread(self._thread.join)

    def _flush(self) -> None:
        """Store what all callers of this moment have brought."""
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        quick = len(gathered) == 1 and not self._in_thread and self._seconds < SHORT
        if quick and self._stored_at_once(gathered):
            return
        self._in_thread += len(gathered)
        for start in range(0, len(gathered), PIECE):
            self._queue.put(gathered[start : start + PIECE])

    def _stored_at_once(self, group: Sequence[_Waiting]) -> bool:
        """Whether it could be done without waiting for another process."""
        if self._store_at_once is None:
            return False
        outcome = self._try(self._store_at_once, group)
        if isinstance(outcome, Busy):
            return False
        _deliver(group, [outcome] * len(group))
        return True

    # --- in the thread --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while group := self._next_group():
            outcomes = self._outcomes(group)
            self._loop.call_soon_threadsafe(self._done, group, outcomes)

    def _next_group(self) -> list[_Waiting]:
        """What is queued by now, up to a full group; empty once nothing will come any more."""
        group = self._queue.get()
        while group and len(group) <= MOST_AT_ONCE - PIECE and not self._queue.empty():
            more = self._queue.get()
            if not more:
                self._queue.put(more)
                break
            group += more
        return group

    def _outcomes(self, group: Sequence[_Waiting]) -> list[Outcome]:
        together = self._try(self._store, group)
        if together is None or isinstance(together, StorageAway) or len(group) == 1:
            return [together] * len(group)
        return [self._try(self._store, [waiting]) for waiting in group]

    def _try(self, store: Store, group: Sequence[_Waiting]) -> Outcome:
        began = perf_counter()
        try:
            store([waiting.append for waiting in group])
        except Exception as error:
            return error
        finally:
            self._seconds = perf_counter() - began
        return None

    # --- back in the loop -----------------------------------------------------------------------------------------

    def _done(self, group: Sequence[_Waiting], outcomes: Sequence[Outcome]) -> None:
        self._in_thread -= len(group)
        _deliver(group, outcomes)


def _deliver(group: Sequence[_Waiting], outcomes: Sequence[Outcome]) -> None:
    """Tell everybody who has not gone away what has become of their append."""
    for waiting, outcome in zip(group, outcomes, strict=True):
        if waiting.stored.done():
            continue
        if outcome is None:
            waiting.stored.set_result(None)
        else:
            waiting.stored.set_exception(outcome)
