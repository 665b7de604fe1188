"""A writer that stores the appends of all games in groups, each group in one durable transaction."""

import asyncio
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Generic, NamedTuple, TypeVar

from domain.store.errors import Busy, StorageUnavailable

A = TypeVar("A")

MAX_GROUP = 128
PART = 64
"""A group grows by parts of so many appends at most."""

FAST_SECONDS = 0.002
"""A commit that takes less may run in the event loop."""


class CommitTimes(NamedTuple):
    """The seconds that a transaction took, and in them other writers were waited for, and the wait for its turn before.

    It is the first change of a group that ``queued`` is about.
    """

    stored: float
    locked: float
    queued: float


class _Waiting(NamedTuple, Generic[A]):
    append: A
    stored: asyncio.Future[None]
    since: float


class GroupWriter(Generic[A]):
    """Stores the appends that have gathered since the last commit, in a thread of its own.

    An append whose caller has given up before it was begun is not stored. If a group cannot be stored because one of
    its members conflicts, each is stored alone, so that only that one fails. A single append on a fast disk is stored
    without the detour through the thread, which takes longer than the disk does.
    """

    def __init__(
        self,
        store: Callable[[Sequence[A]], float],
        store_now: Callable[[Sequence[A]], float] | None = None,
        written: Callable[[Sequence[A], CommitTimes], None] | None = None,
    ) -> None:
        """Write with these functions: both store all or raise, the second one raises ``Busy`` rather than wait.

        They return for how many seconds they have waited for others. ``written`` is told of each commit.
        """
        self._store = store
        self._store_now = store_now
        self._written = written
        self._loop = asyncio.get_running_loop()
        self._gathered: list[_Waiting[A]] = []
        self._in_thread = 0
        self._seconds = 0.0
        self._queue: SimpleQueue[list[_Waiting[A]]] = SimpleQueue()
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    async def write(self, append: A) -> None:
        """Store an append and return once it is durable; raise ``Conflict`` if another writer was faster."""
        stored: asyncio.Future[None] = self._loop.create_future()
        self._gathered.append(_Waiting(append, stored, perf_counter()))
        if len(self._gathered) == 1:
            self._loop.call_soon(self._flush)
        await stored

    async def close(self) -> None:
        """Store what is still to be stored, then stop."""
        self._flush()
        self._queue.put([])
        await asyncio.to_thread(self._thread.join)

    def _flush(self) -> None:
        """Store what was gathered in this turn of the event loop."""
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        fast = len(gathered) == 1 and not self._in_thread and self._seconds < FAST_SECONDS
        if fast and self._stored_now(gathered):
            return
        self._in_thread += len(gathered)
        for start in range(0, len(gathered), PART):
            self._queue.put(gathered[start : start + PART])

    def _stored_now(self, group: Sequence[_Waiting[A]]) -> bool:
        """Store a group in the event loop, unless another process is writing."""
        if self._store_now is None:
            return False
        error = self._try(self._store_now, group)
        if isinstance(error, Busy):
            return False
        _deliver(group, [error] * len(group))
        return True

    # --- in the thread --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while group := self._next_group():
            wanted = [waiting for waiting in group if not waiting.stored.done()]  # others have given up
            errors = self._write_group(wanted) if wanted else []
            self._loop.call_soon_threadsafe(self._done, len(group), wanted, errors)

    def _next_group(self) -> list[_Waiting[A]]:
        """Return what is queued by now, up to a full group; empty once nothing will come any more."""
        group = self._queue.get()
        while group and len(group) <= MAX_GROUP - PART and not self._queue.empty():
            more = self._queue.get()
            if not more:
                self._queue.put(more)
                break
            group += more
        return group

    def _write_group(self, group: Sequence[_Waiting[A]]) -> list[Exception | None]:
        error = self._try(self._store, group)
        if error is None or isinstance(error, StorageUnavailable) or len(group) == 1:
            return [error] * len(group)
        return [self._try(self._store, [waiting]) for waiting in group]

    def _try(self, store: Callable[[Sequence[A]], float], group: Sequence[_Waiting[A]]) -> Exception | None:
        appends = [waiting.append for waiting in group]
        began = perf_counter()
        try:
            locked = store(appends)
        except Exception as error:
            return error
        finally:
            self._seconds = perf_counter() - began
        if self._written is not None:
            self._written(appends, CommitTimes(self._seconds, locked, began - group[0].since))
        return None

    # --- back in the event loop -----------------------------------------------------------------------------------

    def _done(self, taken: int, group: Sequence[_Waiting[A]], errors: Sequence[Exception | None]) -> None:
        self._in_thread -= taken
        _deliver(group, errors)


def _deliver(group: Sequence[_Waiting[A]], errors: Sequence[Exception | None]) -> None:
    """Resolve the future of each append whose caller still waits."""
    for waiting, error in zip(group, errors, strict=True):
        if waiting.stored.done():
            continue
        if error is None:
            waiting.stored.set_result(None)
        else:
            waiting.stored.set_exception(error)
