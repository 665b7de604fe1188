"""The lines of the list of games as they change, shared by all who watch the list or some games of it."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import takewhile
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.listed import ListedGame
from domain.store import listing, streams
from domain.store.client_limit import ClientLimit
from domain.store.database import Database
from domain.store.database_threads import DatabaseThreads
from domain.store.errors import StorageUnavailable
from domain.store.feed import RECHECK_SECONDS, RETRY_SECONDS, Feed, StoredRow, game_of
from domain.store.heavy_work import HeavyWork
from domain.store.loaded_games import LoadedGames
from domain.store.notifier import Notifier

_log = logging.getLogger(__name__)

LINES_KEPT = 1000
"""The newest changed lines that are kept; who is further behind reads the database."""

GATHER_SECONDS = 0.05
"""The time for which changes are gathered: all who watch lists are woken for each gathering."""

ROWS_SEARCHED = 500
"""The rows of events that are searched at once for games that have changed."""


class ChangedLine(msgspec.Struct, frozen=True, eq=False):
    """The line of a game up to the row at a place, none if the table was taken away; ``texts`` caches its forms.

    ``same_at`` is the earlier place at which the same line was kept already, because it was read after this row.
    """

    place: int
    game: UUID
    private: bool
    line: ListedGame | None
    same_at: int | None = None
    texts: dict[bytes, bytes] = {}


class ChangedLines:
    """The lines that have changed last, in the order of the changes."""

    def __init__(
        self,
        feed: Feed,
        database: Database,
        games: LoadedGames,
        threads: DatabaseThreads,
        heavy: HeavyWork,
        limit: ClientLimit,
    ) -> None:
        """Follow a feed, and find the lines of what has changed in a database; to search it is heavy work."""
        self.notifier = Notifier()
        self.place = 0
        self.closed = False
        self._oldest = 0
        self._feed = feed
        self._find = partial(threads.load, find_lines, database, games)
        self._search = partial(search_lines, database, games)
        self._heavy = heavy
        self._limit = limit
        self._watchers = 0
        self._changed: dict[UUID, int] = {}
        self._finding: asyncio.Task[None] | None = None
        self._recheck: asyncio.TimerHandle | None = None
        self._kept: deque[ChangedLine] = deque()
        self._newest: dict[UUID, ChangedLine] = {}
        self.restored = 0
        feed.readers.append(self._receive)
        feed.restored.append(self._begin_anew)

    def close(self) -> None:
        """Let all go who watch, and find nothing more: the server is about to stop."""
        self.closed = True
        self._forget()
        self.notifier.notify_all()

    @asynccontextmanager
    async def watching(self, client: str = "") -> AsyncGenerator["ChangedLines"]:
        """Keep up with changes for the time of this context; raise ``TooManyWatchers``."""
        with self._limit.counted(client):
            async with self._feed.used():
                if not self._watchers:
                    self._forget()
                self._watchers += 1
                try:
                    yield self
                finally:
                    self._watchers -= 1

    def after(self, place: int) -> list[ChangedLine] | None:
        """Return the changes after a place, None if they are not kept any more."""
        if place < self._oldest:
            return None
        found = list(takewhile(lambda change: change.place > place, reversed(self._kept)))
        found.reverse()
        return found

    async def now(self, games: Collection[UUID], place: int) -> list[ChangedLine]:
        """Return the lines of games as they are, which is at least as new as at a place."""
        return await self._find(dict.fromkeys(games, place))

    async def search(
        self, place: int, games: Collection[UUID] | None, client: str = ""
    ) -> tuple[list[ChangedLine], int]:
        """Return the lines of games, or of all, that changed soon after a place, and the place searched up to.

        Raise ``TooMuchWork`` if too much waits already.
        """
        end = min(place + ROWS_SEARCHED, self.place)
        return await self._heavy.run(client, self._search, place, end, games), end

    def _begin_anew(self) -> None:
        """Let all go who watch, counting how often the database was restored."""
        self.restored += 1
        self._forget()
        self.notifier.notify_all()

    def _forget(self) -> None:
        """Begin anew from where the feed is."""
        self.place = self._oldest = self._feed.place
        self._kept.clear()
        self._newest.clear()
        self._changed.clear()
        if self._finding is not None:
            self._finding.cancel()
            self._finding = None
        if self._recheck is not None:
            self._recheck.cancel()
            self._recheck = None

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        """Note the games of rows, and find their lines unless that is under way; without rows look at tokens again."""
        if self._watchers and not rows and self._recheck is None:
            self._recheck = asyncio.get_running_loop().call_later(RECHECK_SECONDS, self._wake)
        if self._watchers and rows:
            self._changed |= {row.game: row.place for row in rows}
            if self._finding is None:
                self._finding = asyncio.create_task(self._keep_changes())

    def _wake(self) -> None:
        self._recheck = None
        self.notifier.notify_all()

    async def _keep_changes(self) -> None:
        while self._changed:
            await asyncio.sleep(GATHER_SECONDS)
            changed, self._changed = self._changed, {}
            try:
                found = await self._find(changed)
            except Exception as error:
                if not isinstance(error, StorageUnavailable):
                    _log.exception("the lines of games that have changed cannot be read, and are read again")
                self._changed = changed | self._changed
                await asyncio.sleep(RETRY_SECONDS)
                continue
            for change in found:
                self._keep(change)
            self.place = max(self.place, *changed.values())
            self.notifier.notify_all()
        self._finding = None

    def _keep(self, change: ChangedLine) -> None:
        """Keep a changed line, and drop the oldest ones where they would be too many."""
        before = self._newest.get(change.game)
        if before is not None and before.line == change.line:
            change = replace(change, same_at=before.place)
        self._kept.append(change)
        self._newest[change.game] = change
        while len(self._kept) > LINES_KEPT:
            dropped = self._kept.popleft()
            self._oldest = dropped.place
            if self._newest.get(dropped.game) is dropped:
                del self._newest[dropped.game]


def find_lines(database: Database, games: LoadedGames, changed: Mapping[UUID, int]) -> list[ChangedLine]:
    """Return the lines of games that have changed up to a place each, in the order of the places."""
    lines = listing.lines_of(database, games, changed)
    return [
        ChangedLine(place, game, _is_private(database, game, lines.get(game)), lines.get(game))
        for game, place in sorted(changed.items(), key=lambda item: item[1])
    ]


def search_lines(
    database: Database, games: LoadedGames, after: int, end: int, wanted: Collection[UUID] | None
) -> list[ChangedLine]:
    """Return the lines of games with rows between two places: of those that are wanted, of all for None."""
    changed: dict[UUID, int] = {}
    for originator, place in database.select((_CHANGES, (after, end))):
        game = game_of(originator)
        if game is not None and (wanted is None or game in wanted):
            changed[game] = place
    return find_lines(database, games, changed)


def _is_private(database: Database, game: UUID, line: ListedGame | None) -> bool:
    return streams.opened_private(database, game) if line is None else line.table.options.private


_CHANGES = (
    "SELECT originator_id, MAX({number}) FROM stored_events WHERE {number} > ? AND {number} <= ? GROUP BY originator_id"
)
