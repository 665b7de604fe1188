"""The archive: the stored events of games, their records and audits, and the records of all finished games."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from domain import audit, records
from domain.audit import ExternalHeads, Head
from domain.refused import Refused
from domain.store import streams
from domain.store.database import Database, ReadDatabase
from domain.store.errors import UnknownGame
from domain.store.feed import game_of
from domain.store.games import LoadedGame
from domain.store.streams import find_ends, find_head, is_private, is_stored, select_parts, select_up_to
from domain.store.work import HeavyWork
from domain.stream import (
    Recorded,
    UnreadableEvent,
    VersionedEvent,
    facts_of,
    is_last,
    read,
    removed_at,
    split_row,
    type_of,
)
from domain.table import change_table, effective_versions, new_table

T = TypeVar("T")

ROWS_AT_ONCE = 100
"""The number of rows that are searched for endings at once."""

_log = logging.getLogger(__name__)


class UnknownEnding(LookupError):
    """The cursor names no event of a public game, or the game was erased."""


class Archive:
    """The stored streams of a database, for audits and exports, which are heavy work."""

    def __init__(self, database: Database, heavy: HeavyWork) -> None:
        self._database = database
        self._heavy = heavy

    async def audit(self, game_id: UUID, client: str = "", anchors: Sequence[Head] = ()) -> audit.Audit:
        """Audit a stream, and compare it with its anchors; raise ``UnknownGame``."""
        return await self._heavy.run(client, audit_game, self._database, game_id, anchors)

    async def record(self, loaded: LoadedGame, client: str = "") -> bytes:
        """Return the record of a game up to its loaded version."""
        return await self._heavy.run(client, record_of, self._database, loaded)

    async def finished_games(self, after: str | None = None, client: str = "") -> "FinishedGames":
        """Return a reader of the finished games after a cursor; raise ``UnknownEnding`` or ``TooMuchWork``."""
        return await self._heavy.run(client, FinishedGames, self._database, after)

    async def next_record(self, finished: "FinishedGames", client: str = "") -> bytes | None:
        """Return the next record, None if there is none or the search takes long; raise ``TooMuchWork``."""
        return await self._heavy.run(client, finished.read_on)

    async def newest_position(self) -> int:
        """Return the position of the newest row of all games."""
        rows = await asyncio.to_thread(self._database.select, streams.NEWEST_ROW)
        return rows[0][0] if rows else 0

    async def game_ids(self) -> list[UUID]:
        """Return the ids of all games, including games that have lost their events or their head."""
        return await asyncio.to_thread(streams.all_ids, self._database)

    async def read_heads(self, read: Callable[[Iterator[tuple[str, Head]]], T]) -> T:
        """Let a function read the heads of all streams with their ids, in a thread."""
        return await asyncio.to_thread(lambda: read(streams.all_heads(self._database)))


# --- events -------------------------------------------------------------------------------------------------------


class EventPage(msgspec.Struct, frozen=True):
    """A part of a stream as JSON. ``next`` is the version after which the next part begins, None at the end."""

    items: tuple[bytes, ...]
    next: int | None
    version: int


def event_page(database: Database, loaded: LoadedGame, after: int, limit: int, full: bool) -> EventPage:
    """Return the stored events after a version: those in force, or all."""
    newest = loaded.version
    parts = (range(1, newest + 1),) if full else effective_versions(loaded.table, newest)
    asked: list[range] = []
    left = limit
    for part in parts:
        chosen = range(max(part.start, after + 1), part.stop)[:left]
        if chosen:
            asked.append(chosen)
            left -= len(chosen)
    items = tuple(event for _, event in select_parts(database, loaded.id, asked))
    more = bool(asked) and asked[-1][-1] < parts[-1][-1]
    return EventPage(items, asked[-1][-1] if more else None, newest)


def recorded(database: Database, game: UUID, versions: Sequence[range]) -> tuple[Recorded, ...]:
    """Return the facts of these versions, with versions and times."""
    return tuple(read(*row) for row in select_parts(database, game, joined(versions)))


def effective_events(database: Database, loaded: LoadedGame) -> tuple[Recorded, ...]:
    """Return the events that are in force at the version of the game."""
    return recorded(database, loaded.id, effective_versions(loaded.table, loaded.version))


def joined(parts: Sequence[range]) -> list[range]:
    """Join adjacent ranges."""
    found: list[range] = []
    for part in parts:
        follows = bool(found) and found[-1].stop == part.start
        found.append(range(found.pop().start, part.stop) if follows else part)
    return found


# --- whole streams ------------------------------------------------------------------------------------------------


def record_of(database: Database, loaded: LoadedGame) -> bytes:
    """Return the record of the game."""
    if not loaded.table.started:
        raise Refused("not_started", "table")
    events = [event for _, event in select_parts(database, loaded.id, [range(1, loaded.version + 1)])]
    return records.record(str(loaded.id), events)


def audit_game(database: ReadDatabase, game: UUID, anchors: Sequence[Head] = ()) -> audit.Audit:
    """Audit a stream. It may be known from anchors only.

    Raise ``UnknownGame`` if the game does not exist, or if it was removed and passes the audit.
    """
    head, rows = find_head(database, game), select_up_to(database, game)
    while (now := find_head(database, game)) != head:  # another process wrote in between
        head, rows = now, select_up_to(database, game)
    if not rows and not anchors and not is_stored(database, game):
        raise UnknownGame(game)
    found = audit.audit(str(game), rows, ExternalHeads(head, anchors))
    if found.ok and (removed := removed_at(rows[-1][1])):
        raise UnknownGame(game, removed)
    return found


# --- finished games -----------------------------------------------------------------------------------------------


class FinishedGames:
    """A reader of the records of public games, in the order in which they ended.

    Each ending comes once, also if the game went on after it. A failed read can be repeated.
    """

    def __init__(self, database: Database, cursor: str | None) -> None:
        """Begin after the ending that a cursor ``<game>-<version>`` names; raise ``UnknownEnding``."""
        self._database = database
        self._rows: deque[Sequence[Any]] = deque()
        self.position = 0 if cursor is None else _position_of(database, cursor)
        self.cursor = cursor
        self.at_end = False

    def read_on(self) -> bytes | None:
        """Return the next record, None at the end and after some rows without an ending."""
        if not self._rows:
            self._rows.extend(self._database.select((streams.TABLE_ROWS_AFTER, (self.position, ROWS_AT_ONCE))))
            self.at_end = not self._rows
        while self._rows:
            position, originator, first, text = self._rows[0]
            game, events = game_of(originator), list(split_row(first, text))
            record = None if game is None else _record_of_ending(self._database, game, events)
            self._rows.popleft()
            self.position = position
            if record is not None:
                self.cursor = f"{game}-{events[-1][0]}"
                return record
        return None


def _position_of(database: Database, cursor: str) -> int:
    game, version = UUID(cursor[:36]), int(cursor[37:])
    rows = database.select((streams.POSITION_OF, (game.hex, version)))
    ends = find_ends(database, (game,))[game]
    last = ends.last_event
    if not rows or ends.first is None or last is None or last[0] < version or is_private(game, ends):
        raise UnknownEnding
    position: int = rows[0][0]
    return position


def _record_of_ending(database: Database, game: UUID, row: Sequence[VersionedEvent]) -> bytes | None:
    """Return the record up to a row that ends a game, None for other rows, private games, and deleted copies."""
    types = [kind for _, event in row if (kind := type_of(event)) in _ENDINGS]
    if not types or types[-1] == b"undone":
        return None
    ends = find_ends(database, (game,))[game]
    if is_private(game, ends) or ends.first is None or (ends.last_event and is_last(ends.last_event[1])):
        return None
    if not (rows := streams.select_rows(database, game, 0, row[-1][0])):  # erased meanwhile
        return None
    try:
        if types[-1] == b"redone" and not _is_finished(rows):
            return None
        record = records.record(str(game), [text.replace(b"\n", b",") for _, text in rows])
        record.decode()  # msgspec does not check the encoding of strings that it does not decode
        versions = [event.version for event in _decode_events(record).events]
        if len(versions) != row[-1][0] or versions != [*range(1, len(versions) + 1)]:
            raise UnreadableEvent(row[-1][0], "events before it are missing")
        return record
    except (UnreadableEvent, msgspec.DecodeError, UnicodeDecodeError, TypeError, AttributeError):  # any damage
        _warn(game)
        return None


_ENDINGS = (b"game_ended", b"redone", b"undone")
"""The types of events after which a game may be finished, or no longer."""


class _Event(msgspec.Struct, gc=False):
    """The fields of every event. Readers verify the digests, which takes longer than all the rest."""

    version: int
    type: str
    digest: str


class _Events(msgspec.Struct):
    events: list[_Event]


_decode_events = msgspec.json.Decoder(_Events).decode


def _is_finished(rows: Sequence[tuple[int, bytes]]) -> bool:
    first, *others = facts_of([event for row in rows for event in split_row(*row)])
    table = new_table(first)
    for version, fact in enumerate(others, 2):
        table = change_table(table, version, fact)
    return table.status == "finished"


@lru_cache(maxsize=1000)
def _warn(game: UUID) -> None:
    """Log once per game that its records are left out."""
    _log.warning("the records of finished games omit a damaged game, run `python -m api audit`: game %s", game)
