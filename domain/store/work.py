"""Work in other threads: reads of the database, heavy work, limits per client, and grouped look-ups."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from eventsourcing.application import LRUCache

from domain.store.database import ReadDatabase, Statement
from domain.store.errors import StorageUnavailable, TooMuchWork

K = TypeVar("K")
T = TypeVar("T")

READERS = 8
LOADERS = 4
"""The number of threads that load whole games. They are separate, so that small reads never wait for them."""

HEAVY_THREADS = 2


class DatabaseThreads:
    """Threads for small reads and for loading games, with a timeout."""

    def __init__(self, seconds: float, failed: Callable[[StorageUnavailable], None]) -> None:
        """Wait this many seconds at most, and report each timeout."""
        self._seconds = seconds
        self._failed = failed
        self._readers = ThreadPoolExecutor(READERS, "read")
        self._loaders = ThreadPoolExecutor(LOADERS, "load")

    async def read(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run a small read; raise ``StorageUnavailable``."""
        return await self._run(self._readers, function, *arguments)

    async def load(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run a read that may take long; raise ``StorageUnavailable``."""
        return await self._run(self._loaders, function, *arguments)

    async def _run(self, threads: Executor, function: Callable[..., T], *arguments: Any) -> T:
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)
        except TimeoutError as error:
            late = StorageUnavailable(f"no response within {self._seconds:g} s")
            self._failed(late)
            raise late from error

    def close(self) -> None:
        """Cancel the reads that wait for a thread."""
        for threads in (self._readers, self._loaders):
            threads.shutdown(wait=False, cancel_futures=True)


APP = "app/"
"""The beginning of the name of a client that is an application: ``app/name``, or ``app/name/user`` for its users."""

APP_FACTOR = 100
"""The default number of clients as which an application counts."""


def app_shares(client: str, factor: int) -> tuple[tuple[str, int], ...]:
    """Return the counters of a client that is an application, and the number of clients for which each stands.

    The names do not begin with ``APP``.
    """
    name, _, user = client.removeprefix(APP).partition("/")
    of_app = f"of app {name}", factor
    return ((f"user {user} of app {name}", 1), of_app) if user else (of_app,)


class HeavyWork:
    """Threads for audits, records and forks. Each client has one job at a time."""

    def __init__(self, most: int, most_of_client: int, app_factor: int = APP_FACTOR) -> None:
        """Limit the jobs that run or wait, in total and per client."""
        self._limit = ClientLimit(most, most_of_client, TooMuchWork, app_factor)
        self._threads = ThreadPoolExecutor(HEAVY_THREADS, "heavy")
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, client: str, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call a function when it is the client's turn; raise ``TooMuchWork`` if the queue is full."""
        async with self.turn(client):
            call = partial(function, *arguments, **options)
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncGenerator[None]:
        """Wait for the client's turn, which ends with the context; raise ``TooMuchWork`` if the queue is full."""
        with self._limit.counted(client):
            async with self._locks.setdefault(client, asyncio.Lock()):
                yield

    def close(self) -> None:
        """Let running jobs finish, and cancel those that wait."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class ClientLimit:
    """A limit on what runs at once, in total and per client."""

    def __init__(self, most: int, most_of_client: int, error: type[Exception], app_factor: int = APP_FACTOR) -> None:
        """Raise this error above the limit, with whether it is that of the client."""
        self._most = most
        self._most_of_client = most_of_client
        self._error = error
        self._app_factor = app_factor
        self._of_client: Counter[str] = Counter()
        self.total = 0

    @contextmanager
    def counted(self, client: str) -> Generator[None]:
        """Count one more for a client while the context is open."""
        shares = app_shares(client, self._app_factor) if client.startswith(APP) else ((client, 1),)
        of_client = any(self._of_client[name] >= self._most_of_client * clients for name, clients in shares)
        if of_client or self.total >= self._most:
            raise self._error(of_client)
        self.total += 1
        self._of_client.update(name for name, _ in shares)
        try:
            yield
        finally:
            self.total -= 1
            for name, _ in shares:
                self._of_client[name] -= 1
                if not self._of_client[name]:
                    del self._of_client[name]


SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
"""The possible numbers of keys in a statement. There are few, because the server prepares each statement."""

PATIENCE_SECONDS = 0.1
"""The longest wait of the next look-up for a slow one."""

Found = Mapping[Any, Sequence[Any]]
"""The rows that were found, by key."""


def filled_up(keys: Sequence[Any]) -> tuple[Any, ...]:
    """Repeat the last key up to one of the sizes."""
    size = next(size for size in SIZES if size >= len(keys))
    return *keys, *[keys[-1]] * (size - len(keys))


def parts_of(keys: Sequence[K]) -> Iterator[Sequence[K]]:
    """Yield parts of the largest size."""
    return (keys[start : start + SIZES[-1]] for start in range(0, len(keys), SIZES[-1]))


class Keyed(NamedTuple):
    """A table that is looked up by a key, and the columns to read."""

    table: str
    key: str
    columns: str

    def statement(self, keys: Sequence[Any]) -> Statement:
        values = filled_up(keys)
        return _select(self, len(values)), values


@cache
def _select(rows: Keyed, size: int) -> str:
    marks = ", ".join(["?"] * size)
    return f"SELECT {rows.key}, {rows.columns} FROM {rows.table} WHERE {rows.key} IN ({marks})"  # noqa: S608 - as named


def find_rows(database: ReadDatabase, rows: Keyed, *keys: Any) -> Found:
    """Find the rows of some keys, at most as many as a statement can have."""
    return {key: rest for key, *rest in database.select(rows.statement(keys))}


class _Waiting(NamedTuple):
    rows: Keyed
    keys: Sequence[Any]
    found: asyncio.Future[Found]


class LookUps:
    """Look-ups of rows. One statement serves all callers that wait at the same time.

    A slow look-up does not delay later ones: another one starts in parallel.
    """

    def __init__(self, database: ReadDatabase, read: Callable[..., Awaitable[Any]]) -> None:
        """Use a function that runs reads in threads."""
        self._database = database
        self._read = read
        self._waiting: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._newest: asyncio.Task[None] | None = None

    async def find(self, rows: Keyed, *keys: Any) -> Found:
        """Find the rows of some keys as they are now or later."""
        found: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(rows, keys, found))
        if self._newest is None or self._newest.done():
            self._begin()
        return await found

    def _begin(self) -> None:
        self._newest = asyncio.create_task(self._look_up())
        self._tasks.add(self._newest)
        self._newest.add_done_callback(self._tasks.discard)

    async def _look_up(self) -> None:
        """Look up until nobody waits."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            late = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._begin)
            try:
                found = await self._read(_find_all, self._database, waiting)
            except Exception as error:
                _fail(waiting, error)
            except BaseException as error:  # including callers that came meanwhile
                _fail(waiting + self._waiting, error)
                self._waiting = []
                raise
            else:
                _deliver(waiting, found)
            finally:
                late.cancel()


def _fail(waiting: Sequence[_Waiting], error: BaseException) -> None:
    for each in waiting:
        if not each.found.done():
            each.found.set_exception(error)


def _deliver(waiting: Sequence[_Waiting], found: Mapping[Keyed, Found]) -> None:
    """Give each waiting caller the rows of its own keys."""
    for each in waiting:
        if not each.found.done():
            of_table = found[each.rows]
            each.found.set_result({key: of_table[key] for key in each.keys if key in of_table})


def _find_all(database: ReadDatabase, waiting: Sequence[_Waiting]) -> dict[Keyed, Found]:
    """Find the rows for all callers, one table after the other."""
    wanted: dict[Keyed, dict[Any, None]] = {}
    for each in waiting:
        wanted.setdefault(each.rows, {}).update(dict.fromkeys(each.keys))
    return {
        rows: {key: rest for part in parts_of(list(keys)) for key, rest in find_rows(database, rows, *part).items()}
        for rows, keys in wanted.items()
    }


class GameLocks:
    """A lock for each game; those of one game that have two may meet at the database, where the later one conflicts."""

    MOST = 10_000

    def __init__(self) -> None:
        self._locks: LRUCache[int, asyncio.Lock] = LRUCache(self.MOST)

    def of(self, game: UUID) -> asyncio.Lock:
        """Return the lock of a game."""
        try:
            return self._locks.get(game.int)
        except KeyError:
            lock = asyncio.Lock()
            self._locks.put(game.int, lock)
            return lock
