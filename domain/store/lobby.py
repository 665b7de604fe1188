"""The lobby: the list of all games, derived from their events.

The lobby reads events in the order in which they were stored. It stores its position in the same transaction as the
changed entries. Any process may update it, one at a time. ``python -m api rebuild-list`` builds it again from all
events, in steps.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from itertools import groupby
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.field_types import Status
from domain.lobby_entry import LobbyEntry, Progress
from domain.modules import TableOpened
from domain.player_names import comparable_name
from domain.store.apps import Ref
from domain.store.database import Database, Statement, Transaction
from domain.store.errors import StorageUnavailable, UnknownGame
from domain.store.games import LoadedGames, encode_progress
from domain.store.streams import (
    ANY_TABLE_ROW_UNREAD,
    NEWEST_TABLE_ROW,
    TABLE_ROWS_AFTER,
    set_progress,
    table_rows_of,
)
from domain.store.tokens import TokenHolder, digest_of, holder_of, parse_id
from domain.stream import BrokenChain, UnreadableEvent, at_of, fact_of, split_row, verify
from domain.table import Table, change_table, changes_lobby, new_table

IDS_PER_QUERY = 500
ROWS_PER_TRANSACTION = 500

ROWS_PER_STEP = 100
"""The rows in a step of a rebuild. There are fewer than in other updates, because all rows of their games are read."""

NEWEST = 2**62
"""A position beyond all rows."""

CATCH_UP_SECONDS = 1.0
"""The interval of updates in the background. In addition, every read of the lobby updates it."""

_log = logging.getLogger(__name__)


class LobbyPage(msgspec.Struct, frozen=True):
    """A page of entries, newest first. ``next`` is the position below which the next page begins, None at the end."""

    items: tuple[LobbyEntry, ...]
    next: int | None


class GameSearch(msgspec.Struct, frozen=True):
    """The games of a page: those below a position, with some statuses and with a player.

    Private games are left out, except for the ``visible`` one. With the reference of an application, only the games
    with that person are found, private ones too.
    """

    statuses: Sequence[Status] = ()
    player: str | None = None
    limit: int = 50
    below: int | None = None
    visible: UUID | None = None
    ref: Ref | None = None


class UnchangedTables(msgspec.Struct, frozen=True):
    """Open tables without recent changes. ``next`` is the position after which to continue, None at the end."""

    games: tuple[UUID, ...]
    next: int | None


class TokenGame(msgspec.Struct, frozen=True):
    """The game and the holder of a token."""

    game: LobbyEntry
    holder: TokenHolder


class StoredEntry(msgspec.Struct, frozen=True):
    """The stored form of an entry. ``position`` is the position of the game's first event."""

    game: str
    position: int
    table: Table
    opened: str
    changed: str


def list_games(database: Database, games: LoadedGames, search: GameSearch) -> LobbyPage:
    """Return a page of games, newest first."""
    catch_up(database)
    rows, limit = database.select(_page(search)), search.limit
    items = tuple(_entries_of(database, games, (row[1:] for row in rows[:limit])).values())
    return LobbyPage(items, rows[limit - 1][0] if len(rows) > limit else None)


def find_games(database: Database, games: LoadedGames, given: Sequence[str]) -> list[TokenGame | None]:
    """Return the game of each token, None for an unknown token. If the lobby is up to date, one query suffices."""
    tokens = {digest_of(token): token for token in given}
    statement = _tokens(len(tokens)), tuple(tokens)
    rows = database.select(statement)
    if any(row[3] for row in rows):
        catch_up(database)
        rows = database.select(statement)
    entries = _entries_of(database, games, {row[1]: row[4:] for row in rows}.values())
    found: dict[bytes, TokenGame] = {}
    for digest, game, seat, *_ in rows:
        holder = holder_of(game, seat)
        if holder is not None and game in entries and not entries[game].table.has_seat(holder.seat):
            holder = games.resolve_token(tokens[digest], holder)
        if holder is not None and holder.game.hex in entries:
            found[digest] = TokenGame(entries[holder.game.hex], holder)
    return [found.get(digest_of(token)) for token in given]


def entries_of(database: Database, games: LoadedGames, ids: Collection[UUID]) -> dict[UUID, LobbyEntry]:
    """Return the entries of games by id. Deleted tables have no entry."""
    catch_up(database)
    wanted, found = [game.hex for game in ids], dict[UUID, LobbyEntry]()
    for start in range(0, len(wanted), IDS_PER_QUERY):
        part = wanted[start : start + IDS_PER_QUERY]
        rows = database.select((_entries_statement(len(part)), tuple(part)))
        found |= {UUID(game): entry for game, entry in _entries_of(database, games, rows).items()}
    return found


def unchanged_tables(database: Database, since: str, above: int, limit: int) -> UnchangedTables:
    """Look at some open tables, oldest first, and return those that did not change since a time."""
    catch_up(database)
    rows = database.select((_OPENED_FIRST, (above, limit)))
    entries = [entry for _, game, line in rows if (entry := read_entry(game, line)) is not None]
    games = tuple(UUID(entry.game) for entry in entries if entry.changed < since)
    more = len(rows) == limit and (not entries or any(entry.opened < since for entry in entries))
    return UnchangedTables(games, rows[-1][0] if more else None)


class LobbyTimer:
    """A timer that updates the lobby in the background, so that its readers rarely have to."""

    def __init__(self, catch_up: Callable[[], Awaitable[None]]) -> None:
        """Update the lobby now."""
        self._catch_up = catch_up
        self._timer: asyncio.TimerHandle | None = None
        self._reading = asyncio.create_task(self._run(None))

    def start(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CATCH_UP_SECONDS, self._expired)

    async def close(self) -> None:
        """Stop the timer and wait for the last update."""
        if self._timer is not None:
            self._timer.cancel()
        await self._reading

    def _expired(self) -> None:
        self._timer = None
        self._reading = asyncio.create_task(self._run(self._reading))

    async def _run(self, earlier: "asyncio.Task[None] | None") -> None:
        if earlier is not None:
            await earlier
        with suppress(StorageUnavailable):
            await self._catch_up()


# --- updates ------------------------------------------------------------------------------------------------------


def catch_up(database: Database) -> None:
    """Update the lobby with the events stored since the last update."""
    while database.select((ANY_TABLE_ROW_UNREAD, ())):
        with database.transaction() as transaction:
            _read_on(transaction)


def rebuild(database: Database, games: LoadedGames) -> Iterator[str]:
    """Build the lobby again from all events, and yield the id of each game that is done.

    Each step replaces the entries and the progress of some games, in the order in which the games were opened. Readers
    see the old entry of a game until the new one is stored, so the list is always complete, but it does not change as
    a whole. A rebuild that was interrupted resumes. If several run at once, they share the steps.
    """
    with database.transaction() as transaction:
        for statement in _BEGIN_REBUILD:
            transaction.run(statement)
    catch_up(database)
    while found := database.select(_REBUILT_UP_TO):
        yield from _rebuild_after(database, games, found[0][0])


def delete_entry(game: UUID) -> Iterator[Statement]:
    yield "DELETE FROM lobby_players WHERE number IN (SELECT number FROM lobby WHERE game = ?)", (game.hex,)
    yield "DELETE FROM lobby WHERE game = ?", (game.hex,)


def _read_on(transaction: Transaction) -> None:
    """Read the next rows and update the entries that they change."""
    found = transaction.run(_POSITION)
    rows = transaction.run((TABLE_ROWS_AFTER, (found[0][0] if found else 0, ROWS_PER_TRANSACTION)))
    for game, unread in _by_game(rows):
        stored = transaction.run(("SELECT game, line FROM lobby WHERE game = ?", (game,)))
        entry = _after_rows(read_entry(*stored[0]) if stored else None, game, unread)
        for statement in store_entry(entry) if entry else ():
            transaction.run(statement)
    if rows:
        transaction.run((_SET_POSITION, (rows[-1][0],)))


def _rebuild_after(database: Database, games: LoadedGames, after: int) -> Collection[str]:
    """Replace the entries of the next games after a position, and return the ids of these games.

    Progress takes long to compute, so it is stored before the transaction, unless the game changes meanwhile.
    """
    rows = database.select((TABLE_ROWS_AFTER, (after, ROWS_PER_STEP)))
    last = rows[-1][0] if len(rows) == ROWS_PER_STEP else NEWEST
    opened = {game for game, of_game in _by_game(rows) if _after_rows(None, game, of_game)}
    if opened:
        database.append((), list(_progress_anew(database, games, opened)))
    with database.transaction() as transaction:
        position = transaction.run(_REBUILT_UP_TO)
        if not position or position[0][0] != after:
            return ()  # another process did this step
        _replace_entries(transaction, opened, after, last)
    return opened


def _progress_anew(database: Database, games: LoadedGames, ids: Collection[str]) -> Iterator[Statement]:
    """Return the statements that store the progress of games. That of a damaged game is deleted."""
    marks = ", ".join("?" * len(ids))
    for game, version in database.select((f"SELECT game, version FROM heads WHERE game IN ({marks})", tuple(ids))):  # noqa: S608
        progress = _compute_progress(games, game)
        known = progress is not None and progress.version == version
        yield set_progress(game, version, encode_progress(progress) if known else None)


def _replace_entries(transaction: Transaction, opened: Collection[str], after: int, last: int) -> None:
    """Replace the entries of games, and all entries between two positions. Entries without a game are deleted.

    If there are too many entries, which only damage can cause, end at an earlier position.
    """
    shown = transaction.run((_ENTRIES_BETWEEN, (after, last, ROWS_PER_STEP)))
    if len(shown) == ROWS_PER_STEP:
        last = shown[-1][0]
    ids = {*opened, *(str(game) for _, game in shown if parse_id(game) is not None)}
    up_to = transaction.run(_POSITION)
    rows = transaction.run(table_rows_of(ids, up_to[0][0])) if ids and up_to else ()
    for table in ("lobby_players", "lobby"):
        transaction.run((f"DELETE FROM {table} WHERE number > ? AND number <= ?", (after, last)))  # noqa: S608
    for game, of_game in _by_game(rows):
        entry = _after_rows(None, game, of_game)
        for statement in store_entry(entry) if entry else ():
            transaction.run(statement)
    transaction.run(_END_REBUILD if last == NEWEST else ("UPDATE lobby_rebuild SET position = ?", (last,)))


def _by_game(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, Iterable[Sequence[Any]]]]:
    """Group rows by the ids of their games, in the order of their positions."""
    ordered = sorted(rows, key=lambda row: (str(row[1]), row[0]))
    for originator, of_game in groupby(ordered, key=lambda row: str(row[1])):
        game = originator.replace("-", "")
        if parse_id(game) is not None:
            yield game, of_game


def _after_rows(entry: StoredEntry | None, game: str, rows: Iterable[Sequence[Any]]) -> StoredEntry | None:
    """Return the entry of a game after some rows of its events."""
    for position, _, first, text in rows:
        for version, event in split_row(first, text):
            entry = _after_event(entry, game, position, version, event)
    return entry


def _after_event(entry: StoredEntry | None, game: str, position: int, version: int, event: bytes) -> StoredEntry | None:
    """Return the entry of a game after an event.

    Damaged events are ignored. So is a first event that was changed, because it defines whether the game is private.
    """
    try:
        fact, at = fact_of(version, event), at_of(version, event)
        if isinstance(fact, TableOpened):
            verify(str(UUID(game)), [event])
            return StoredEntry(game, position, new_table(fact), at, at)
    except (BrokenChain, UnreadableEvent):
        return entry
    if entry is None or not changes_lobby(fact):
        return entry
    return replace(entry, table=change_table(entry.table, version, fact), changed=at)


def store_entry(entry: StoredEntry) -> Iterator[Statement]:
    """Return the statements that store an entry, or delete it if the table was deleted."""
    yield "DELETE FROM lobby WHERE number = ? OR game = ?", (entry.position, entry.game)
    yield "DELETE FROM lobby_players WHERE number = ?", (entry.position,)
    table = entry.table
    if table.deleted:
        return
    line = _encode_entry(
        replace(entry, table=replace(table, restored=table.restored[-1:]))
    )  # only the last undo or redo matters here
    yield _INSERT, (entry.position, entry.game, table.status, int(table.options.private), line)
    for name in {name_hash(player.name) for player in table.players}:
        yield "INSERT INTO lobby_players (name, number) VALUES (?, ?)", (name, entry.position)


def name_hash(name: str) -> bytes:
    """Return the hash of a name. Names that count as the same have the same hash."""
    return sha256(comparable_name(name).encode(errors="surrogatepass")).digest()


# --- entries and their progress -----------------------------------------------------------------------------------


def read_entry(game: str, line: Any) -> StoredEntry | None:
    """Decode the entry of a row, None if it is missing or damaged."""
    try:
        return None if line is None else _decode_entry(line)
    except (TypeError, msgspec.DecodeError):
        _warn(game)
        return None


@lru_cache(maxsize=1000)
def _warn(game: str) -> None:
    """Log once per game that its entry is damaged."""
    _log.warning("the lobby omits a damaged entry, run `python -m api rebuild-list`: game %s", game)


def _entries_of(database: Database, games: LoadedGames, rows: Iterable[Sequence[Any]]) -> dict[str, LobbyEntry]:
    """Return the entries of rows with the columns of an entry and its head.

    If the progress is missing, as in databases of 1.0, or has another version than the head, compute and store it.
    """
    entries: dict[str, LobbyEntry] = {}
    learnt: list[Statement] = []
    for game, line, version, stored in rows:
        if (entry := read_entry(game, line)) is None:
            continue
        progress = _read_progress(stored, version)
        if progress is None:
            progress = _compute_progress(games, entry.game)
            if progress is not None and progress.version == version:
                learnt.append(set_progress(entry.game, version, encode_progress(progress)))
        if progress is None:  # the game is damaged
            progress = Progress(version if isinstance(version, int) else entry.table.version, entry.changed)
        entries[entry.game] = LobbyEntry(entry.game, entry.table, entry.opened, entry.changed, progress)
    if learnt:
        database.append((), learnt)
    return entries


def _read_progress(stored: Any, version: object) -> Progress | None:
    """Decode a stored progress, None if it is missing, damaged or of another version."""
    try:
        found = None if stored is None else _decode_progress(stored)
    except (TypeError, msgspec.DecodeError):
        return None
    return found if found is not None and found.version == version else None


def _compute_progress(games: LoadedGames, game: str) -> Progress | None:
    """Compute the progress of a game from its events, None if it is damaged."""
    try:
        return games.load(UUID(game)).progress
    except (UnreadableEvent, UnknownGame):
        return None


_decode_progress = msgspec.json.Decoder(Progress).decode
_encode_entry = msgspec.json.Encoder().encode
_decode_entry = msgspec.json.Decoder(StoredEntry).decode


# --- SQL ----------------------------------------------------------------------------------------------------------

_OPENED_FIRST = "SELECT number, game, line FROM lobby WHERE status = 'open' AND number > ? ORDER BY number LIMIT ?"
_INSERT = "INSERT INTO lobby (number, game, status, private, line) VALUES (?, ?, ?, ?, ?)"
_POSITION: Statement = "SELECT notification FROM lobby_position", ()
_SET_POSITION = (
    "INSERT INTO lobby_position (one, notification) VALUES (1, ?)"
    " ON CONFLICT (one) DO UPDATE SET notification = excluded.notification"
)
_REBUILT_UP_TO: Statement = "SELECT position FROM lobby_rebuild", ()
_BEGIN_REBUILD: tuple[Statement, ...] = (
    ("INSERT INTO lobby_rebuild (one, position) VALUES (1, ?) ON CONFLICT (one) DO NOTHING", (-NEWEST,)),
    (f"UPDATE lobby_position SET notification = ({NEWEST_TABLE_ROW}) WHERE notification > ({NEWEST_TABLE_ROW})", ()),  # noqa: S608
)
"""The statements that begin or resume a rebuild. A wrong position beyond all rows would hide games from the lobby."""
_END_REBUILD: Statement = "DELETE FROM lobby_rebuild", ()
_ENTRIES_BETWEEN = "SELECT number, game FROM lobby WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"
_COLUMNS = "lobby.game, lobby.line, heads.version, heads.progress"
"""The columns that ``_entries_of`` reads."""


def _page(search: GameSearch) -> Statement:
    """Return the statement for the entries of a page with their positions, and one more entry.

    A player is found by the index of names.
    """
    values: list[object] = [search.visible.hex if search.visible else ""]
    where, source, number = "(private = 0 OR lobby.game = ?)", "lobby", "lobby.number"
    if search.ref is not None:
        where = "lobby.game IN (SELECT game FROM refs WHERE app = ? AND ref = ?)"
        values = list(search.ref)
    if search.player is not None:
        source, number = "lobby_players JOIN lobby USING (number)", "lobby_players.number"
        where += " AND name = ?"
        values.append(name_hash(search.player))
    if search.statuses:
        where += f" AND status IN ({', '.join('?' * len(search.statuses))})"
        values += search.statuses
    page = (
        f"SELECT {number} AS number, lobby.game, lobby.line FROM {source}"  # noqa: S608 - all values are bound
        f" WHERE {where} AND {number} < ? ORDER BY {number} DESC LIMIT ?"
    )
    return (
        f"SELECT lobby.number, {_COLUMNS} FROM ({page}) AS lobby"  # noqa: S608
        " LEFT JOIN heads ON heads.game = lobby.game ORDER BY lobby.number DESC",
        (*values, NEWEST if search.below is None else search.below, search.limit + 1),
    )


@cache
def _tokens(number: int) -> str:
    """Return the statement for the games of a number of tokens, with a flag whether the lobby is out of date."""
    columns = f"tokens.digest, tokens.game, tokens.seat, ({ANY_TABLE_ROW_UNREAD}) AS unread, {_COLUMNS}"
    joined = "tokens LEFT JOIN heads ON heads.game = tokens.game LEFT JOIN lobby ON lobby.game = tokens.game"
    return f"SELECT {columns} FROM {joined} WHERE tokens.digest IN ({', '.join('?' * number)})"  # noqa: S608


@cache
def _entries_statement(number: int) -> str:
    return (
        f"SELECT {_COLUMNS} FROM lobby LEFT JOIN heads ON heads.game = lobby.game"  # noqa: S608
        f" WHERE lobby.game IN ({', '.join('?' * number)})"
    )
