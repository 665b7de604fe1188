"""The streams of games in the database: rows of events, heads and ids.

This file has the SQL of the tables ``stored_events`` and ``heads``. It does not use the library's ``select_events``,
whose recorder, mapper and event objects take three to five times as long (1,000 events: 1.9 ms instead of 0.5).

A head is the last version and digest of a stream, stored apart so that a truncated stream is detected. A head changes
only if the stream still ends with it, and heads are inserted for new streams only. So a deleted head is detected too.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import chain, starmap
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from domain.audit import Head
from domain.modules import TableOpened
from domain.store.database import Database, ReadDatabase, Statement, StreamExtension
from domain.store.errors import UnknownGame
from domain.store.schema import REMOVED
from domain.store.tokens import parse_id
from domain.store.work import Keyed, filled_up
from domain.stream import (
    BrokenChain,
    UnreadableEvent,
    VersionedEvent,
    fact_of,
    follows,
    removal_of,
    removed_at,
    split_row,
    verify,
)

IDS_AT_ONCE = 1000

PARTS_AT_ONCE = 10_000
"""The most ranges of versions in a statement. Databases limit the number of values."""

# --- the first and the last row of games ---


class Ends(NamedTuple):
    """The first row of a game, and its last row with the version in the table; None for missing rows."""

    first: bytes | None
    version: int | None
    last: bytes | None

    @property
    def last_event(self) -> VersionedEvent | None:
        """The last event with its version."""
        return None if self.version is None else list(split_row(self.version, self.last))[-1]


def find_ends(database: ReadDatabase, games: Collection[UUID]) -> dict[UUID, Ends]:
    """Return the ends of some games, at most as many as a statement can have."""
    values = filled_up([game.hex for game in games])
    rows = database.select((_select_ends(len(values)), values))
    return {UUID(game): Ends(*ends) for game, *ends in rows}


def is_private(game: UUID, ends: Ends) -> bool:
    """Return whether a game was opened as private. True if its ends do not show it."""
    if ends.last_event is None:
        return True
    try:
        if ends.first is None:
            return removal_of(*ends.last_event).private
        version, event = next(split_row(1, ends.first))
        verify(str(game), [event])
        fact = fact_of(version, event)
    except (BrokenChain, UnreadableEvent):
        return True
    return not isinstance(fact, TableOpened) or fact.options.private


def opened_private(database: ReadDatabase, game: UUID) -> bool:
    """Return whether a game was opened as private. True if its events do not show it."""
    return is_private(game, find_ends(database, (game,))[game])


@cache
def _select_ends(games: int) -> str:
    of_game = "FROM stored_events WHERE originator_id = CAST(column1 AS {id})"
    last = f"SELECT state {of_game} ORDER BY originator_version DESC LIMIT 1"
    return (
        f"SELECT column1, (SELECT state {of_game} AND originator_version = 1),"  # noqa: S608 - no value from outside
        f" (SELECT CAST(MAX(originator_version) AS BIGINT) {of_game}), ({last})"
        f" FROM (VALUES {', '.join(['(?)'] * games)}) AS game"
    )


# --- rows of events in the order of all games ---

LAST_DIGEST = "CAST(substr(state, length(state) - 65, 64) AS {bytes})"
"""The digest at the end of a row."""

POSITION_OF = (
    "SELECT {number} FROM stored_events WHERE originator_id = ? AND originator_version <= ?"
    " ORDER BY originator_version DESC LIMIT 1"
)
"""The position of the row with a version of a game."""

NEWEST_ROW: Statement = (
    f"SELECT {{number}}, originator_id, {LAST_DIGEST} FROM stored_events ORDER BY {{number}} DESC LIMIT 1",  # noqa: S608 - no value from outside
    (),
)
ROWS_FROM = (
    "SELECT {number}, originator_id, originator_version, topic,"  # noqa: S608 - as above
    f" CASE WHEN {{number}} = ? THEN {LAST_DIGEST} ELSE state END"
    " FROM stored_events WHERE {number} >= ? ORDER BY {number} LIMIT ?"
)
"""The rows from a position on. The row at this position is known: only its last digest is read."""

ROWS_AFTER = (
    "SELECT {number}, originator_id, originator_version, state FROM stored_events"
    " WHERE {number} > ? ORDER BY {number} LIMIT ?"
)
TABLE_ROWS_AFTER = (
    "SELECT {number}, originator_id, COALESCE(CAST(originator_version AS BIGINT), 0), state FROM stored_events"
    " WHERE topic = 'table' AND {number} > ? ORDER BY {number} LIMIT ?"
)
NEWEST_TABLE_ROW = "SELECT COALESCE(MAX({number}), 0) FROM stored_events WHERE topic = 'table'"
ANY_TABLE_ROW_UNREAD = (
    "SELECT 1 FROM stored_events WHERE topic = 'table'"
    " AND {number} > COALESCE((SELECT notification FROM lobby_position), 0) LIMIT 1"
)
GAMES_CHANGED = (
    "SELECT originator_id, MAX({number}) FROM stored_events WHERE {number} > ? AND {number} <= ? GROUP BY originator_id"
)
"""The games with rows between two positions, with the position of their last row."""

PROBE: Statement = "SELECT (SELECT MAX({number}) FROM stored_events), (SELECT 1 FROM heads LIMIT 1)", ()
"""A read that SQLite cannot answer from its cache after a commit of another connection."""


def table_rows_of(games: Collection[str], up_to: int) -> Statement:
    """Return the statement for the rows of ``TABLE_ROWS_AFTER`` of some games, up to a position.

    Its expressions fit no index of all games, so that databases use the index of ids.
    """
    return (
        "SELECT {number}, originator_id, COALESCE(CAST(originator_version AS BIGINT), 0), state FROM stored_events"  # noqa: S608 - all values are bound
        f" WHERE originator_id IN ({', '.join('?' * len(games))}) AND topic || '' = 'table' AND {{number}} + 0 <= ?",
        (*games, up_to),
    )


# --- rows of events of one game ---

LAST_VERSION = 2**62
"""A version beyond all streams."""


def select_new_events(database: Database, game: UUID, version: int, digest: bytes) -> list[VersionedEvent] | None:
    """Return the events after a version, None if the stream does not have this digest there.

    If the head does not match, because it may have been changed, the last event decides.
    """
    heads, events = list[bytes](), list[VersionedEvent]()
    for first, text in database.select((_NEW_EVENTS, (game.hex, version, game.hex, version))):
        if first:
            events += split_row(first, text)
        else:
            heads.append(text)
    if events:
        return events if follows(digest, *events[0]) else None
    if heads == [digest]:
        return []
    return [] if database.select((_ENDS_WITH, (game.hex, version, digest.hex().encode()))) else None


def select_up_to(database: ReadDatabase, game: UUID, version: int = LAST_VERSION) -> list[VersionedEvent]:
    rows = select_rows(database, game, 0, version)
    return [event for row in rows for event in split_row(*row) if event[0] <= version]


def select_last(database: Database, game: UUID) -> VersionedEvent | None:
    rows = database.select((_LAST, (game.hex,)))
    return list(split_row(*rows[0]))[-1] if rows else None


def removal_time(database: Database, game: UUID) -> str | None:
    """Return the time at which a game was removed, None if it was not."""
    last = select_last(database, game)
    return removed_at(last[1]) if last else None


def missing_event(database: Database, game: UUID, version: int) -> UnknownGame | UnreadableEvent:
    """Return the error for a missing event: the game was removed meanwhile, or it is damaged."""
    removed = removal_time(database, game)
    return UnknownGame(game, removed) if removed else UnreadableEvent(version, "it is missing")


def select_rows(database: ReadDatabase, game: UUID, after: int, version: int) -> Sequence[tuple[int, bytes]]:
    """Return the rows after the last version of a row, up to the row that contains another version."""
    return database.select((_BETWEEN, (game.hex, after, version)))


def select_parts(database: Database, game: UUID, parts: Sequence[range]) -> list[VersionedEvent]:
    """Return the events of these ranges; raise an error for a missing event."""
    if len(parts) > PARTS_AT_ONCE:
        later = select_parts(database, game, parts[PARTS_AT_ONCE:])
        return [*select_parts(database, game, parts[:PARTS_AT_ONCE]), *later]
    if not parts:
        return []
    bounds = chain.from_iterable((part[0], part[-1]) for part in parts)
    rows = database.select((_select_parts(len(parts)), (game.hex, *bounds, game.hex)))
    found = dict(chain.from_iterable(starmap(split_row, rows)))
    try:
        return [(version, found[version]) for part in parts for version in part]
    except KeyError as missing:
        raise missing_event(database, game, missing.args[0]) from missing


_COLUMNS = "SELECT CAST(originator_version AS BIGINT), state FROM"
"""The columns of a row. On SQLite a stored version may be any number."""

_BETWEEN = (
    f"{_COLUMNS} stored_events WHERE originator_id = ? AND originator_version > ? AND originator_version <= ?"
    " ORDER BY originator_version"
)
_NEW_EVENTS = (
    "SELECT 0, digest FROM heads WHERE game = ? AND version = ?"  # noqa: S608 - no value from outside
    f" UNION ALL {_COLUMNS} stored_events WHERE originator_id = ? AND originator_version > ?"
    f" AND originator_version <= {LAST_VERSION} ORDER BY 1"
)
_ENDS_WITH = (
    f"SELECT 1 FROM (SELECT {LAST_DIGEST} AS written FROM stored_events"  # noqa: S608 - as above
    " WHERE originator_id = ? AND originator_version <= ? ORDER BY originator_version DESC LIMIT 1) AS last"
    " WHERE written = ?"
)
_LAST = f"{_COLUMNS} stored_events WHERE originator_id = ? ORDER BY originator_version DESC LIMIT 1"


@cache
def _select_parts(parts: int) -> str:
    """Return the statement for a number of ranges. The first row of a range may begin before it."""
    values = ", ".join(["(?, ?)"] * parts)
    first_row = "SELECT MAX(originator_version) FROM stored_events WHERE originator_id = ? AND originator_version <="
    bounds = (
        f"SELECT COALESCE(({first_row} column1), 0) AS low, column2 AS high"  # noqa: S608 - no value from outside
        f" FROM (VALUES {values}) AS part"
    )
    return (
        f"{_COLUMNS} ({bounds}) AS bounds"
        " JOIN stored_events ON originator_id = ? AND originator_version BETWEEN low AND high"
    )


# --- heads ---

HEAD_BY_GAME = Keyed(
    "heads",
    "game",
    "version, digest, EXISTS"
    " (SELECT 1 FROM stored_events WHERE originator_id = CAST(game AS {id}) AND originator_version > version)",
)
"""Heads by game, with a flag that is set if there are later events. Then the head was changed."""


def find_head(database: ReadDatabase, game: UUID) -> Head | None:
    """Return the head of a game, None if it is lost or unreadable."""
    found = database.select(("SELECT version, digest FROM heads WHERE game = ?", (game.hex,)))
    return read_head(*found[0]) if found else None


def has_head(database: ReadDatabase, game: UUID) -> bool:
    """Return whether a game has a head, even an unreadable one."""
    return bool(database.select(("SELECT 1 FROM heads WHERE game = ?", (game.hex,))))


def read_head(version: Any, digest: Any) -> Head | None:
    """Return a head from its columns, None if they are unreadable."""
    try:
        return msgspec.convert((version, digest), Head)
    except msgspec.ValidationError:
        return None


def all_heads(database: Database) -> Iterator[tuple[str, Head]]:
    """Yield the ids and the heads of all games in order of ids, without unreadable heads."""
    last, page = "", database.select((_HEADS_AFTER, ("", IDS_AT_ONCE)))
    while page and page[-1][0] != last:
        for text, *columns in page:
            game, head = parse_id(text), read_head(*columns)
            if game is not None and head is not None:
                yield str(game), head
        last = page[-1][0]
        page = database.select((_HEADS_AFTER, (last, IDS_AT_ONCE)))


def insert_heads(new: Sequence[StreamExtension]) -> list[Statement]:
    """Return the statement that stores the heads of new streams."""
    values = ((each.game, each.before, each.version, each.digest, each.progress) for each in new)
    return [(_insert_heads(len(new)), tuple(chain.from_iterable(values)))]


def advance_heads(extensions: Sequence[StreamExtension]) -> Statement:
    """Return the statement that updates heads. It skips a head that is not the expected one."""
    moved = ((*_moved(each), each.based_on) for each in extensions)
    return _update_heads(len(extensions), digest=True), tuple(chain.from_iterable(moved))


def update_heads(extensions: Sequence[StreamExtension]) -> Iterator[Statement]:
    """Return the statements that update heads, and fail if a stream does not end as expected.

    In that case the game was removed, or the database was restored from a backup.
    """
    if extensions:
        known = ((each.game, each.before, each.based_on, each.based_on.hex().encode()) for each in extensions)
        yield _require_streams(len(extensions)), tuple(chain.from_iterable(known))
        yield _update_heads(len(extensions), digest=False), tuple(chain.from_iterable(map(_moved, extensions)))


def erase_other_events(game: UUID, version: int, digest: bytes) -> Iterator[Statement]:
    """Return the statements that delete all events of a game except one, and prevent later events."""
    yield "DELETE FROM stored_events WHERE originator_id = ? AND originator_version <> ?", (game.hex, version)
    yield _SET_HEAD_OF_REMOVED, (game.hex, REMOVED, version, digest)


def set_progress(game: str, version: int, progress: bytes | None) -> Statement:
    """Return the statement that stores the progress of a game, unless it has a newer version."""
    return "UPDATE heads SET progress = ? WHERE game = ? AND version = ?", (progress, game, version)


_moved = attrgetter("before", "version", "digest", "progress", "game", "before")
"""Returns the values of an extension in the order of ``_update_heads``."""

_HEADS_AFTER = "SELECT game, version, digest FROM heads WHERE game > ? ORDER BY game LIMIT ?"
_SET_HEAD_OF_REMOVED = (
    "INSERT INTO heads (game, prior, version, digest) VALUES (?, ?, ?, ?) ON CONFLICT (game) DO UPDATE"
    " SET prior = excluded.prior, version = excluded.version, digest = excluded.digest, progress = NULL"
)


@cache
def _insert_heads(number: int) -> str:
    rows = ", ".join(["(?, ?, ?, ?, ?)"] * number)
    return f"INSERT INTO heads (game, prior, version, digest, progress) VALUES {rows}"  # noqa: S608 - nothing from outside


@cache
def _update_heads(number: int, digest: bool) -> str:
    """Return one statement for many heads, found by version and optionally by digest.

    For a single head there is no join: that halves the time in SQLite.
    """
    columns = 6 + digest
    rows, values = ", ".join([f"({', '.join('?' * columns)})"] * number), ["?"] * columns
    joined = ""
    if number > 1:
        joined, values = f" FROM (VALUES {rows}) AS new", [f"column{column}" for column in range(1, columns + 1)]
    prior, version, after, progress, game, before, *known = values
    return (
        f"UPDATE heads SET prior = {prior}, version = {version}, digest = {after}, progress = {progress}{joined}"  # noqa: S608 - as above
        f" WHERE heads.game = {game} AND heads.version = {before}"
        + (f" AND heads.digest = {known[0]}" if known else "")
    )


@cache
def _require_streams(number: int) -> str:
    """Return the statement that fails unless each stream has a digest at a version: ``prior`` cannot be null.

    It reads the stream itself only if the head was changed. It finds heads by game only: with more columns PostgreSQL
    would read all heads to find many.
    """
    rows = ", ".join(["(?, ?, ?, ?)"] * number)
    return (
        "INSERT INTO heads (game, prior, version, digest) SELECT column1, NULL, column2, column3"  # noqa: S608 - as above
        f" FROM (VALUES {rows}) AS known WHERE CASE WHEN"
        " (SELECT heads.version = column2 AND heads.digest = column3 FROM heads WHERE heads.game = column1)"
        f" THEN FALSE ELSE COALESCE((SELECT {LAST_DIGEST} FROM stored_events"
        " WHERE originator_id = CAST(column1 AS {id}) AND originator_version <= column2"
        " ORDER BY originator_version DESC LIMIT 1) <> column4, TRUE) END"
    )


# --- ids of games ---


def is_stored(database: ReadDatabase, game: UUID) -> bool:
    """Return whether anything of a game is stored, even without its first events."""
    return bool(database.select((_ANYTHING_OF, (game.hex, game.hex))))


def all_ids(database: ReadDatabase) -> list[UUID]:
    """Return the ids of all games with events or a head, in order."""
    texts = chain(_id_pages(database, _IDS_OF_HEADS), _id_pages(database, _IDS_OF_EVENTS))
    return sorted({game for text in texts if (game := parse_id(text.replace("-", ""))) is not None})


def _id_pages(database: ReadDatabase, statement: str) -> Iterator[str]:
    """Yield ids page by page, because a database aborts long statements."""
    last, page = "", ["0" * 32]
    while page and page[-1] != last:
        last = page[-1]
        page = [text for (text,) in database.select((statement, (last, IDS_AT_ONCE))) if text is not None]
        yield from page


_ANYTHING_OF = (
    "SELECT 1 FROM heads WHERE game = ? UNION ALL SELECT 1 FROM stored_events WHERE originator_id = ? LIMIT 1"
)
_IDS_OF_HEADS = "SELECT game FROM heads WHERE game > ? ORDER BY game LIMIT ?"
_NEXT_ID = "SELECT originator_id FROM stored_events WHERE originator_id > {} ORDER BY originator_id LIMIT 1"
_IDS_OF_EVENTS = (
    f"WITH RECURSIVE ids (id) AS (SELECT * FROM ({_NEXT_ID.format('?')}) AS first"  # noqa: S608 - no value from outside
    f" UNION ALL SELECT ({_NEXT_ID.format('ids.id')}) FROM ids WHERE id IS NOT NULL)"
    " SELECT CAST(id AS TEXT) FROM ids LIMIT ?"
)
"""The statement for the next ids. It takes one step in the index per id, because reading all rows would take long."""
