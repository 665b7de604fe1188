"""The events of all public games, in the order in which they were stored.

Followers who keep up are served from memory, with what the feed reads for all watchers. Others read pages of the
database, and followers at the same position share a page.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from itertools import takewhile
from time import monotonic
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from domain.store.apps import owners
from domain.store.database import ReadDatabase
from domain.store.feed import Feed, Followers, StoredRow, game_of
from domain.store.games import BoundedCache
from domain.store.schema import SELECT_EPOCH
from domain.store.streams import NEWEST_ROW, ROWS_AFTER, Ends, find_ends, is_private
from domain.store.work import ClientLimit, parts_of
from domain.stream import is_last, split_row

LONGEST_PAGE = 1000
ROWS_PER_PAGE = 5000
"""The most rows that a page reads, including those of private games."""

ROWS_AT_ONCE = 250
BYTES_PER_PAGE = 1 << 20
"""The size after which a page ends."""

KEPT_BYTES = 4 << 20
"""The size of the newest rows in memory."""

SHARED_BYTES = 8 << 20
"""The size of the pages that followers share."""


class PublicRow(msgspec.Struct, frozen=True, gc=False):
    """A row of a public game: its position, its game, and its text as JSON. ``last`` if the game is gone after it."""

    position: int
    game: UUID
    text: bytes
    last: bool


class PublicPage(msgspec.Struct, frozen=True):
    """Rows after a position, the position up to which they are complete, and the number of rows that are left out."""

    epoch: str
    rows: Sequence[PublicRow]
    next: int
    left_out: int = 0
    from_memory: bool = False


class EpochChanged(LookupError):
    """A position belongs to another epoch: it has another id, or it is after the newest row."""

    def __init__(self, epoch: str) -> None:
        super().__init__(f"the epoch is {epoch}")
        self.epoch = epoch


class PublicEvents(Followers):
    """The rows of all public games, for followers and for single pages."""

    def __init__(
        self,
        feed: Feed,
        database: ReadDatabase,
        read: Callable[..., Awaitable[Any]],
        limit: ClientLimit,
        longest_wait: float,
    ) -> None:
        """Use a function that runs reads in threads, and a limit of watchers that may be shared."""
        super().__init__(feed, limit, self._keep_rows)
        self._read_page = partial(read, read_page, database)
        self._convert = partial(read, converted, database)
        self._longest_wait = longest_wait
        self._kept: deque[PublicRow] = deque()
        self._pages: BoundedCache[int, PublicPage] = BoundedCache(SHARED_BYTES)
        self._reading: dict[int, asyncio.Task[PublicPage]] = {}

    async def page(self, after: int, limit: int, epoch: str | None = None, app: str | None = None) -> PublicPage:
        """Return rows after a position, also of the private games of an application; raise ``EpochChanged``."""
        page: PublicPage = await self._read_page(after, limit, app)
        require_epoch(epoch, page.epoch)
        return page

    async def next_page(
        self, after: int, limit: int, epoch: str | None, wait: float, client: str = "", app: str | None = None
    ) -> PublicPage:
        """Return rows after a position, and wait for the first one for a number of seconds.

        A whole page of private games ends the wait, since there may be many more.

        Raise ``EpochChanged`` or ``TooManyWatchers``.
        """
        until = monotonic() + min(wait, self._longest_wait)
        async with self.watching(client):
            restored = self.restored
            page = await self.after(after, app)
            require_epoch(epoch, page.epoch)
            left_out = page.left_out
            while not page.rows and left_out < ROWS_PER_PAGE and not self.is_over(restored):
                if page.next == after and not await self.notifier.wait(until - monotonic()):
                    break
                after = page.next
                page = await self.after(after, app)
                require_epoch(epoch, page.epoch)
                left_out += page.left_out
        end = page.rows[limit - 1].position if page.rows[limit:] else page.next
        return PublicPage(page.epoch, page.rows[:limit], end, left_out)

    def is_over(self, restored: int) -> bool:
        """Return whether followers who began after this number of restores get no more rows."""
        return self.closed or self.restored != restored

    def is_in_memory(self, position: int, app: str | None = None) -> bool:
        """Return whether all rows after a position are in memory. Those for an application never are."""
        return app is None and self._oldest <= position <= self.position

    async def after(self, position: int, app: str | None = None) -> PublicPage:
        """Return the next rows after a position, from memory or the database; raise ``EpochChanged``.

        Call it while watching. Without rows, ``next`` is where to wait for new ones. Rows for an application, with
        those of its private games, always come from the database.
        """
        if app is not None:
            return await self._read_after(position, app)
        if self.is_in_memory(position):
            found = list(takewhile(lambda row: row.position > position, reversed(self._kept)))
            found.reverse()
            return PublicPage(self._feed.epoch, found, self.position, from_memory=True)
        shared = self._pages.get(position)
        if shared is not None:
            return shared
        reading = self._reading.get(position)
        if reading is None:
            reading = self._reading[position] = asyncio.create_task(self._read_shared(position))
            reading.add_done_callback(partial(self._end_reading, position))
        return await asyncio.shield(reading)

    async def _read_shared(self, position: int) -> PublicPage:
        """Read a page for all followers at a position."""
        pages = self._pages
        page = await self._read_after(position)
        if page.rows:  # the cache may have been replaced meanwhile
            pages.put(position, page, sum(len(row.text) for row in page.rows))
        return page

    async def _read_after(self, position: int, app: str | None = None) -> PublicPage:
        known = self._feed.position
        page: PublicPage = await self._read_page(position, LONGEST_PAGE, app)
        if page.next == position < known:  # all rows up to there were erased
            return PublicPage(page.epoch, (), known)
        return page

    def _end_reading(self, position: int, reading: "asyncio.Task[PublicPage]") -> None:
        del self._reading[position]
        if not reading.cancelled():
            reading.exception()  # all followers may have left

    def _reset(self) -> None:
        super()._reset()
        self._kept.clear()
        self._pages = BoundedCache(SHARED_BYTES)

    async def _keep_rows(self, rows: Sequence[StoredRow]) -> None:
        """Keep new rows, drop the oldest ones beyond the limit, and drop those of games that are gone."""
        found = await self._convert(rows)
        if gone := {row.game for row in found if row.last}:
            self._pages = BoundedCache(SHARED_BYTES)
            self._kept = deque(row for row in self._kept if row.game not in gone)
        self._kept += found
        size = sum(len(row.text) for row in self._kept)
        while size > KEPT_BYTES and len(self._kept) > 1:
            dropped = self._kept.popleft()
            self._oldest, size = dropped.position, size - len(dropped.text)
        self.position = rows[-1].position
        self.notifier.notify_all()


def require_epoch(expected: str | None, epoch: str) -> None:
    if expected not in (None, epoch):
        raise EpochChanged(epoch)


def read_page(database: ReadDatabase, after: int, limit: int, app: str | None = None) -> PublicPage:
    """Return up to ``limit`` rows after a position, also of private games of an application; raise ``EpochChanged``.

    A page also ends after many rows of private games, and after many bytes.
    """
    epoch = read_epoch(database)
    while True:
        page = _read_page(database, epoch, after, limit, app)
        before, epoch = epoch, read_epoch(database)
        if before == epoch:
            return page


def read_epoch(database: ReadDatabase) -> str:
    ((epoch,),) = database.select(SELECT_EPOCH)
    return str(epoch)


def converted(database: ReadDatabase, rows: Sequence[StoredRow]) -> list[PublicRow]:
    """Return those rows that anybody may read."""
    texts = [(row.position, row.game, row.version, row.text) for row in rows]
    return _public_rows(database, texts, {})


class _Game(NamedTuple):
    """A public game: its id, the same as text, and the version of its last row if the game is gone."""

    id: UUID
    name: bytes
    last: int | None


_Games = dict[object, _Game | None]
"""Games by the id in their rows; None for private games and invalid ids."""


def _public_rows(
    database: ReadDatabase, rows: Sequence[Sequence[Any]], games: _Games, app: str | None = None
) -> list[PublicRow]:
    """Return those rows (position, game, version, text) that anybody may read, and add their games to those known.

    A game that is gone has one row, which says so. Damaged rows have no events. All rows are checked at once, since
    that takes a third of the time.
    """
    games |= _find_games(database, {originator for _, originator, _, _ in rows} - games.keys(), app)
    shown = [
        (position, game, _events_of(text, game.last))
        for position, originator, version, text in rows
        if (game := games[originator]) is not None and game.last in (None, version)
    ]
    if not _is_json(b",".join([events for _, _, events in shown])):
        shown = [(position, game, events if _is_json(events) else b"") for position, game, events in shown]
    return [
        PublicRow(position, game.id, _ITEM % (position, game.name, events), game.last is not None)
        for position, game, events in shown
    ]


_ITEM = b'{"position":%d,"game":"%b","events":[%b]}'


def _find_games(database: ReadDatabase, originators: Iterable[object], app: str | None) -> _Games:
    ids = {originator: game_of(originator) for originator in originators}
    ends: dict[UUID, Ends] = {}
    for part in parts_of([game for game in ids.values() if game is not None]):
        ends |= find_ends(database, part)
    hidden = {game for game, end in ends.items() if is_private(game, end)}
    if app is not None:
        hidden -= {game for game, owner in owners(database, hidden).items() if owner == app}
    return {
        originator: None
        if game is None or game in hidden
        else _Game(game, str(game).encode(), _version_of_last(ends[game]))
        for originator, game in ids.items()
    }


def _events_of(text: object, last: int | None) -> bytes:
    """Return the events of a row, only the last one if the game is gone after it. A damaged text may have any type."""
    if last is None and isinstance(text, bytes):
        return text.replace(b"\n", b",")
    events = [event for _, event in split_row(0, text)]
    return b",".join(events if last is None else events[-1:])


_check_syntax = msgspec.json.Decoder(msgspec.Raw).decode


def _is_json(events: bytes) -> bool:
    try:
        events.decode()  # msgspec does not check the encoding of strings that it does not decode
        _check_syntax(b"[%b]" % events)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _version_of_last(ends: Ends) -> int | None:
    """Return the version of the last row if it deletes the table or erases the game."""
    return ends.version if ends.last_event is not None and is_last(ends.last_event[1]) else None


def _read_page(database: ReadDatabase, epoch: str, after: int, limit: int, app: str | None) -> PublicPage:
    found: list[PublicRow] = []
    games: _Games = {}
    position, read, size = after, 0, 0
    while read < ROWS_PER_PAGE and size < BYTES_PER_PAGE:
        selected = database.select((ROWS_AFTER, (position, ROWS_AT_ONCE)))
        found += _public_rows(database, selected, games, app)
        read += len(selected)
        if len(found) >= limit:
            return PublicPage(epoch, found[:limit], found[limit - 1].position, read - len(found))
        size = sum([len(row.text) for row in found])
        if selected:
            position = selected[-1][0]
        if len(selected) < ROWS_AT_ONCE:
            break
    if position == after > max((row[0] for row in database.select(NEWEST_ROW)), default=0):
        raise EpochChanged(epoch)
    return PublicPage(epoch, found, position, read - len(found))
