"""Webhooks: endpoints of servers that want notices, and the progress of the delivery.

The event store is the outbox. An endpoint has a mark up to which its notices are delivered or noted; a noted notice has
failed, or waits behind one that has. Endpoints that keep up share the mark in ``webhook_delivery``. One process at a
time has the lease in this row. Its times are milliseconds by the clock of the database.
"""

import asyncio
import base64
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple
from uuid import UUID

from domain.notices import Notice
from domain.store.commit import now
from domain.store.database import Database, Statement, Transaction
from domain.store.errors import UnknownApp, UnknownEndpoint
from domain.store.feed import Feed, StoredRow
from domain.store.games import LoadedGames
from domain.store.notices import Found, Mark, NoticePage, NoticeReader
from domain.store.schema import SELECT_EPOCH
from domain.store.streams import NEWEST_ROW

OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1000
"""The time for which the former secret still signs after a rotation."""

EVENTS = {name: f"game.{name}" for name in ("turn", "ended", "lapsed")} | {"undo": "game.undo_proposed"}
"""The types of notices by their short names."""


class Endpoint(NamedTuple):
    """An endpoint. ``mark`` is None if it keeps up. ``stopped`` says why it is off.

    ``former_until`` and ``failing_since`` are milliseconds since 1970. ``changed`` is the number of the change by an
    operator that the endpoint had last.
    """

    id: str
    url: str
    events: frozenset[str]
    app: str | None
    secret: str
    former: str | None
    former_until: int
    mark: Mark | None
    failing_since: int | None
    stopped: str | None
    changed: int

    def secrets(self, at: int) -> tuple[str, ...]:
        """Return the secrets that sign at a time, in milliseconds: two for a day after a rotation."""
        return (self.secret, self.former) if self.former and at < self.former_until else (self.secret,)


class Noted(NamedTuple):
    """A notice that has failed or waits behind such a one, with its tries and the time of the next one."""

    endpoint: str
    position: int
    game: UUID
    version: int
    notice: Notice
    tries: int
    next_at: int


class Lease(NamedTuple):
    """The right to deliver. ``changes`` counts the changes of endpoints by operators; ``mark`` is the shared one."""

    changes: int
    epoch: str
    mark: Mark


class Webhooks:
    """The endpoints of a database, for operators and for the delivery."""

    def __init__(self, database: Database, load: Callable[..., Awaitable[Any]], games: LoadedGames, feed: Feed) -> None:
        """Use a function that calls others in threads."""
        self._database = database
        self._load = load
        self._reader = NoticeReader(database, games)
        self._feed = feed
        self._news = asyncio.Event()
        feed.readers.append(self._receive)
        feed.restored.append(self.wake)

    # --- for operators ------------------------------------------------------------------------------------------------

    async def add(self, url: str, events: Collection[str], app: str | None = None) -> tuple[str, str]:
        """Store an endpoint for new notices, and return its id and its secret; raise ``UnknownApp``."""
        endpoint, secret = secrets.token_hex(8), new_secret()
        await self._load(_add, self._database, (endpoint, url, ",".join(sorted(events)), app, secret))
        return endpoint, secret

    async def all(self) -> list[Endpoint]:
        return [_endpoint(row) for row in await self._load(self._database.select, (_ENDPOINTS, ()))]

    async def rotate(self, endpoint: str) -> str:
        """Return a new secret; the old one signs for another day. Raise ``UnknownEndpoint``."""
        secret = new_secret()
        await self._load(_change, self._database, endpoint, [(_ROTATE, (OVERLAP_MILLISECONDS, secret, endpoint))])
        return secret

    async def remove(self, endpoint: str) -> None:
        """Remove an endpoint and its notices; raise ``UnknownEndpoint``."""
        erase = [_forget_all(endpoint), ("DELETE FROM webhooks WHERE id = ?", (endpoint,))]
        await self._load(_change, self._database, endpoint, erase)
        await self._load(self._database.purge)

    async def replay(self, endpoint: str, position: int) -> None:
        """Switch an endpoint on, and start again with the notices from a position on; raise ``UnknownEndpoint``."""
        start = [_forget_all(endpoint), (_REPLAY, (position - 1, endpoint))]
        await self._load(_change, self._database, endpoint, start)

    # --- for the delivery ---------------------------------------------------------------------------------------------

    async def take(self, holder: str, seconds: float) -> Lease | None:
        """Return the lease if it is free and there are endpoints. A new epoch starts at the newest position."""
        lease: Lease | None = await self._load(_take, self._database, holder, seconds)
        return lease

    async def progress(
        self, holder: str, seconds: float, known: Lease, statements: Sequence[Statement]
    ) -> Lease | None:
        """Renew the lease and store the progress; return None if the lease is lost.

        If an operator has changed endpoints, or the database was restored, return another lease and store nothing.
        """
        lease: Lease | None = await self._load(_progress, self._database, holder, seconds, known, statements)
        return lease

    async def release(self, holder: str) -> None:
        """End the lease."""
        await self._load(
            self._database.append, (), [("UPDATE webhook_delivery SET until = 0 WHERE holder = ?", (holder,))]
        )

    async def noted(self) -> list[Noted]:
        """Return all noted notices in the order in which they arose."""
        return [_noted(row) for row in await self._load(self._database.select, (_NOTED, ()))]

    async def read(self, mark: Mark, wanted: Collection[str | None], up_to: Mark | None = None) -> NoticePage:
        """Return the next notices for some applications, optionally only up to another mark."""
        position, at = up_to or (None, now())
        page: NoticePage = await self._load(self._reader.read, mark, wanted, at, position)
        return page

    @asynccontextmanager
    async def following(self) -> AsyncGenerator[None]:
        """Wake those who wait when something is stored, while the context is open."""
        async with self._feed.used():
            yield

    def wake(self) -> None:
        self._news.set()

    async def wait(self, seconds: float) -> None:
        """Wait for the next wake-up, at most this many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        self._news.clear()

    def _receive(self, rows: Sequence[StoredRow]) -> None:
        if rows:
            self.wake()


def new_secret() -> str:
    """Return a secret in the form of Standard Webhooks."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def _add(database: Database, values: tuple[Any, ...]) -> None:
    app = values[3]
    with database.transaction() as transaction:
        if app is not None and not transaction.run(("SELECT 1 FROM apps WHERE name = ?", (app,))):
            raise UnknownApp(app)
        newest = _newest(transaction)
        ((epoch,),) = transaction.run(SELECT_EPOCH)
        transaction.run((_BEGIN, (epoch, *newest)))
        transaction.run((_COUNT, ()))
        transaction.run((_INSERT, (*values, *newest)))


def _change(database: Database, endpoint: str, statements: Sequence[Statement]) -> None:
    with database.transaction() as transaction:
        if not transaction.run(("SELECT 1 FROM webhooks WHERE id = ?", (endpoint,))):
            raise UnknownEndpoint(endpoint)
        transaction.run((_COUNT, ()))
        for statement in statements:
            transaction.run(statement)


def _newest(transaction: Transaction) -> Mark:
    return Mark(max((row[0] for row in transaction.run(NEWEST_ROW)), default=0), now())


def _take(database: Database, holder: str, seconds: float) -> Lease | None:
    if not database.select((_FREE, (holder,))):
        return None
    with database.transaction() as transaction:
        found = transaction.run((_TAKE, (holder, round(seconds * 1000), holder)))
        if not found:
            return None
        lease = _lease(found)
        ((epoch,),) = transaction.run(SELECT_EPOCH)
        if lease.epoch == epoch:
            return lease
        mark = _newest(transaction)
        transaction.run((_NEW_EPOCH, (epoch, *mark)))
        transaction.run(("UPDATE webhooks SET position = NULL, lapsed_to = NULL", ()))
        transaction.run(("DELETE FROM webhook_notices", ()))
        return Lease(lease.changes, str(epoch), mark)


def _progress(
    database: Database, holder: str, seconds: float, known: Lease, statements: Sequence[Statement]
) -> Lease | None:
    with database.transaction() as transaction:
        found = transaction.run((_RENEW, (round(seconds * 1000), holder)))
        ((epoch,),) = transaction.run(SELECT_EPOCH)
        if not found or epoch != known.epoch:
            return None
        lease = _lease(found)
        if lease.changes == known.changes:
            for statement in statements:
                transaction.run(statement)
        return lease


def _lease(found: Sequence[Sequence[Any]]) -> Lease:
    ((changes, epoch, *mark),) = found
    return Lease(changes, epoch, Mark(*mark))


def _endpoint(row: Sequence[Any]) -> Endpoint:
    id_, url, events, app, secret, former, former_until, position, lapsed_to, failing_since, stopped, changed = row
    mark = None if position is None else Mark(position, lapsed_to)
    types = frozenset(events.split(","))
    return Endpoint(id_, url, types, app, secret, former, former_until or 0, mark, failing_since, stopped, changed)


def _noted(row: Sequence[Any]) -> Noted:
    endpoint, position, type_, seat, game, version, at, tries, next_at = row
    notice = Notice(type_, at, None if seat < 0 else seat)
    return Noted(endpoint, position, UUID(game), version, notice, tries, next_at)


# --- the statements of the delivery --------------------------------------------------------------------------------


def share(mark: Mark) -> Statement:
    """Return the statement that moves the shared mark."""
    return "UPDATE webhook_delivery SET position = ?, lapsed_to = ?", mark


def move(endpoint: str, mark: Mark | None, failing_since: int | None) -> Statement:
    """Return the statement that moves the mark of an endpoint; None if it shares the common one."""
    return _MOVE, (*(mark or (None, None)), failing_since, endpoint)


def stop(endpoint: str, mark: Mark, why: str) -> list[Statement]:
    """Return the statements that switch an endpoint off."""
    return [_forget_all(endpoint), (_STOP, (*mark, why, endpoint))]


def note(noted: Noted) -> Statement:
    """Return the statement that stores a notice to be tried later."""
    seat = -1 if noted.notice.seat is None else noted.notice.seat
    key = noted.endpoint, noted.position, noted.notice.type, seat
    return _NOTE, (*key, noted.game.hex, noted.version, noted.notice.at, noted.tries, noted.next_at)


def forget(endpoint: str, found: Found) -> Statement:
    """Return the statement that deletes a noted notice."""
    seat = -1 if found.notice.seat is None else found.notice.seat
    return _FORGET, (endpoint, found.position, found.notice.type, seat)


def _forget_all(endpoint: str) -> Statement:
    return "DELETE FROM webhook_notices WHERE endpoint = ?", (endpoint,)


_BEGIN = (
    "INSERT INTO webhook_delivery (one, holder, until, changes, epoch, position, lapsed_to)"
    " VALUES (1, '', 0, 0, ?, ?, ?) ON CONFLICT (one) DO NOTHING"
)
_COUNT = "UPDATE webhook_delivery SET changes = changes + 1"
_CHANGES = "(SELECT changes FROM webhook_delivery)"
_INSERT = (
    "INSERT INTO webhooks (id, url, events, app, secret, position, lapsed_to, changed)"  # noqa: S608 - no value from outside
    f" VALUES (?, ?, ?, ?, ?, ?, ?, {_CHANGES})"
)
_ROTATE = (
    "UPDATE webhooks SET former = secret, former_until = {milliseconds} + ?, secret = ?,"  # noqa: S608 - as above
    f" changed = {_CHANGES} WHERE id = ?"
)
_REPLAY = (
    "UPDATE webhooks SET position = ?, lapsed_to = '', failing_since = NULL, stopped = NULL,"  # noqa: S608 - as above
    f" changed = {_CHANGES} WHERE id = ?"
)
_FREE = (
    "SELECT 1 FROM webhook_delivery WHERE (until <= {milliseconds} OR holder = ?)"
    " AND EXISTS (SELECT 1 FROM webhooks WHERE stopped IS NULL)"
)
_LEASED = "RETURNING changes, epoch, position, lapsed_to"
_TAKE = (
    "UPDATE webhook_delivery SET holder = ?, until = {milliseconds} + ?"  # noqa: S608 - as above
    f" WHERE (until <= {{milliseconds}} OR holder = ?) {_LEASED}"
)
_RENEW = f"UPDATE webhook_delivery SET until = {{milliseconds}} + ? WHERE holder = ? {_LEASED}"  # noqa: S608 - as above
_NEW_EPOCH = "UPDATE webhook_delivery SET epoch = ?, position = ?, lapsed_to = ?"
_MOVE = "UPDATE webhooks SET position = ?, lapsed_to = ?, failing_since = ? WHERE id = ?"
_STOP = "UPDATE webhooks SET position = ?, lapsed_to = ?, stopped = ? WHERE id = ?"
_NOTE = (
    "INSERT INTO webhook_notices (endpoint, position, type, seat, game, version, at, tries, next_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (endpoint, position, type, seat) DO UPDATE"
    " SET at = excluded.at, tries = excluded.tries, next_at = excluded.next_at"
)
_FORGET = "DELETE FROM webhook_notices WHERE endpoint = ? AND position = ? AND type = ? AND seat = ?"
_ENDPOINTS = (
    "SELECT id, url, events, app, secret, former, former_until, position, lapsed_to, failing_since, stopped, changed"
    " FROM webhooks ORDER BY id"
)
_NOTED = (
    "SELECT endpoint, position, type, seat, game, version, at, tries, next_at FROM webhook_notices"
    " ORDER BY endpoint, position, at"
)
