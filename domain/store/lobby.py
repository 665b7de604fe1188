"""The lobby: the list of all games, derived from their events.

The lobby follows the order in which events were stored. It remembers the position up to which it has read, in the same
transaction as the entries that it has changed. Any process may bring it up to date, one at a time.
``python -m api rebuild-list`` builds it again from all events.
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
from domain.store.database import Database, Statement, Transaction
from domain.store.errors import StorageUnavailable, UnknownGame
from domain.store.games import LoadedGames, encode_progress
from domain.store.schema import EMPTY_LOBBY
from domain.store.streams import ANY_TABLE_ROW_UNREAD, CLEAR_PROGRESS, TABLE_ROWS_AFTER, set_progress
from domain.store.tokens import TokenHolder, digest_of, holder_of, parse_id
from domain.stream import BrokenChain, UnreadableEvent, at_of, fact_of, split_row, verify
from domain.table import Table, change_table, changes_lobby, new_table

IDS_PER_QUERY = 500
ROWS_PER_TRANSACTION = 500

NEWEST = 2**62
"""A position that no game has."""

CATCH_UP_SECONDS = 1.0
"""The time for which changes are gathered in the background; the lobby also catches up whenever it is read."""

_log = logging.getLogger(__name__)


class LobbyPage(msgspec.Struct, frozen=True):
    """Games, the newest first; ``next`` is the position below which the following page begins, None at the end."""

    items: tuple[LobbyEntry, ...]
    next: int | None


class UnchangedTables(msgspec.Struct, frozen=True):
    """Open tables that have not changed for long; ``next`` is the position above which to look on, None at the end."""

    games: tuple[UUID, ...]
    next: int | None


class TokenGame(msgspec.Struct, frozen=True):
    """A game that a token opens, and the holder of the token."""

    game: LobbyEntry
    holder: TokenHolder


class StoredEntry(msgspec.Struct, frozen=True):
    """A game in the lobby; ``position`` is that of its first event among all rows."""

    game: str
    position: int
    table: Table
    opened: str
    changed: str


def list_games(
    database: Database,
    games: LoadedGames,
    *,
    statuses: Sequence[Status] = (),
    player: str | None = None,
    limit: int = 50,
    below: int | None = None,
    visible: UUID | None = None,
) -> LobbyPage:
    """Return a page of games, those opened last first, without private ones except the one that is ``visible``."""
    catch_up(database)
    rows = database.select(_page(statuses, player, limit + 1, NEWEST if below is None else below, visible))
    items = tuple(_entries_of(database, games, (row[1:] for row in rows[:limit])).values())
    return LobbyPage(items, rows[limit - 1][0] if len(rows) > limit else None)


def find_games(database: Database, games: LoadedGames, given: Sequence[str]) -> list[TokenGame | None]:
    """Return the game that each token opens, None for a token that opens none; with one query if nothing is unread."""
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
    """Return the entries of games by their ids; deleted tables have none."""
    catch_up(database)
    wanted, found = [game.hex for game in ids], dict[UUID, LobbyEntry]()
    for start in range(0, len(wanted), IDS_PER_QUERY):
        part = wanted[start : start + IDS_PER_QUERY]
        rows = database.select((_entries_statement(len(part)), tuple(part)))
        found |= {UUID(game): entry for game, entry in _entries_of(database, games, rows).items()}
    return found


def unchanged_tables(database: Database, since: str, above: int, limit: int) -> UnchangedTables:
    """Look at this many of the open tables, those opened first, and return those without a change since a time."""
    catch_up(database)
    rows = database.select((_OPENED_FIRST, (above, limit)))
    entries = [entry for _, game, line in rows if (entry := read_entry(game, line)) is not None]
    games = tuple(UUID(entry.game) for entry in entries if entry.changed < since)
    more = len(rows) == limit and (not entries or any(entry.opened < since for entry in entries))
    return UnchangedTables(games, rows[-1][0] if more else None)


class LobbyTimer:
    """A timer after which the lobby catches up, so that its readers do not have to wait for much."""

    def __init__(self, catch_up: Callable[[], Awaitable[None]]) -> None:
        """Let the lobby catch up now."""
        self._catch_up = catch_up
        self._timer: asyncio.TimerHandle | None = None
        self._reading = asyncio.create_task(self._run(None))

    def start(self) -> None:
        """Start the timer, unless it runs already."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CATCH_UP_SECONDS, self._expired)

    async def close(self) -> None:
        """Stop the timer and wait for the end of the last read."""
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


# --- kept up to date ----------------------------------------------------------------------------------------------


def catch_up(database: Database) -> None:
    """Bring the lobby up to date with the events stored since."""
    while database.select((ANY_TABLE_ROW_UNREAD, ())):
        with database.transaction() as transaction:
            _read_on(transaction)


def rebuild(database: Database) -> None:
    """Build the lobby again from all events."""
    with database.transaction() as transaction:
        for statement in (*EMPTY_LOBBY, CLEAR_PROGRESS):
            transaction.run(statement)
    catch_up(database)


def delete_entry(game: UUID) -> Iterator[Statement]:
    """Return the statements that take a game out of the lobby."""
    yield "DELETE FROM lobby_players WHERE number IN (SELECT number FROM lobby WHERE game = ?)", (game.hex,)
    yield "DELETE FROM lobby WHERE game = ?", (game.hex,)


def _read_on(transaction: Transaction) -> None:
    """Read the next rows and write the entries they change."""
    found = transaction.run(("SELECT notification FROM lobby_position", ()))
    rows = transaction.run((TABLE_ROWS_AFTER, (found[0][0] if found else 0, ROWS_PER_TRANSACTION)))
    by_game = sorted(rows, key=lambda row: str(row[1]))
    for originator, unread in groupby(by_game, key=lambda row: str(row[1])):
        game = originator.replace("-", "")
        if parse_id(game) is None:
            continue
        stored = transaction.run(("SELECT game, line FROM lobby WHERE game = ?", (game,)))
        entry = read_entry(*stored[0]) if stored else None
        for position, _, first, text in unread:
            for version, event in split_row(first, text):
                entry = _after_event(entry, game, position, version, event)
        for statement in store_entry(entry) if entry else ():
            transaction.run(statement)
    if rows:
        transaction.run((_SET_POSITION, (rows[-1][0],)))


def _after_event(entry: StoredEntry | None, game: str, position: int, version: int, event: bytes) -> StoredEntry | None:
    """Return the entry of a game after an event.

    A damaged event changes nothing. Nor does a first event that was changed: it says whether the game is private.
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
    """Return the statements that store an entry as it is now, or delete it if its table was deleted."""
    yield "DELETE FROM lobby WHERE number = ? OR game = ?", (entry.position, entry.game)
    yield "DELETE FROM lobby_players WHERE number = ?", (entry.position,)
    table = entry.table
    if table.deleted:
        return
    line = _encode_entry(replace(entry, table=replace(table, restored=table.restored[-1:])))  # the last one says it all
    yield _INSERT, (entry.position, entry.game, table.status, int(table.options.private), line)
    for name in {name_hash(player.name) for player in table.players}:
        yield "INSERT INTO lobby_players (name, number) VALUES (?, ?)", (name, entry.position)


def name_hash(name: str) -> bytes:
    """Return the hash by which a player is found, the same for names that are compared as the same."""
    return sha256(comparable_name(name).encode(errors="surrogatepass")).digest()


# --- entries and their progress -----------------------------------------------------------------------------------


def read_entry(game: str, line: Any) -> StoredEntry | None:
    """Return the entry of a row, None if there is no row or it cannot be decoded."""
    try:
        return None if line is None else _decode_entry(line)
    except (TypeError, msgspec.DecodeError):
        _warn(game)
        return None


@lru_cache(maxsize=1000)
def _warn(game: str) -> None:
    """Log once for each game that its entry cannot be read."""
    _log.warning("the lobby leaves out a game, run `python -m api rebuild-list`: game %s", game)


def _entries_of(database: Database, games: LoadedGames, rows: Iterable[Sequence[Any]]) -> dict[str, LobbyEntry]:
    """Return the games of rows that have the columns of an entry and of its head.

    A progress that is missing, as in databases of 1.0, or not of the version of the head is computed and stored.
    """
    entries: dict[str, LobbyEntry] = {}
    learnt: list[Statement] = []
    for game, line, version, stored in rows:
        if (entry := read_entry(game, line)) is None:
            continue
        progress = _read_progress(stored, version)
        if progress is None:
            progress = _compute_progress(games, entry)
            if progress is not None and progress.version == version:
                learnt.append(set_progress(entry.game, version, encode_progress(progress)))
        if progress is None:  # the game is damaged
            progress = Progress(version if isinstance(version, int) else entry.table.version, entry.changed)
        entries[entry.game] = LobbyEntry(entry.game, entry.table, entry.opened, entry.changed, progress)
    if learnt:
        database.append((), learnt)
    return entries


def _read_progress(stored: Any, version: object) -> Progress | None:
    """Return a stored progress, None if it is missing, unreadable or of another version."""
    try:
        found = None if stored is None else _decode_progress(stored)
    except (TypeError, msgspec.DecodeError):
        return None
    return found if found is not None and found.version == version else None


def _compute_progress(games: LoadedGames, entry: StoredEntry) -> Progress | None:
    """Return the progress of a game from its events, None if it is damaged."""
    try:
        return games.load(UUID(entry.game)).progress
    except (UnreadableEvent, UnknownGame):
        return None


_decode_progress = msgspec.json.Decoder(Progress).decode
_encode_entry = msgspec.json.Encoder().encode
_decode_entry = msgspec.json.Decoder(StoredEntry).decode


# --- SQL ----------------------------------------------------------------------------------------------------------

_OPENED_FIRST = "SELECT number, game, line FROM lobby WHERE status = 'open' AND number > ? ORDER BY number LIMIT ?"
_INSERT = "INSERT INTO lobby (number, game, status, private, line) VALUES (?, ?, ?, ?, ?)"
_SET_POSITION = (
    "INSERT INTO lobby_position (one, notification) VALUES (1, ?)"
    " ON CONFLICT (one) DO UPDATE SET notification = excluded.notification"
)
_COLUMNS = "lobby.game, lobby.line, heads.version, heads.progress"
"""The columns from which ``_entries_of`` makes games."""


def _page(statuses: Sequence[Status], player: str | None, limit: int, below: int, visible: UUID | None) -> Statement:
    """Return the statement for the entries of a page, each after its position; by the index of names for a player."""
    where = "(private = 0 OR lobby.game = ?)"
    values: list[object] = [visible.hex if visible else ""]
    source, number = "lobby", "lobby.number"
    if player is not None:
        source, number = "lobby_players JOIN lobby USING (number)", "lobby_players.number"
        where += " AND name = ?"
        values.append(name_hash(player))
    if statuses:
        where += f" AND status IN ({', '.join('?' * len(statuses))})"
        values += statuses
    page = (
        f"SELECT {number} AS number, lobby.game, lobby.line FROM {source}"  # noqa: S608 - all values are bound
        f" WHERE {where} AND {number} < ? ORDER BY {number} DESC LIMIT ?"
    )
    return (
        f"SELECT lobby.number, {_COLUMNS} FROM ({page}) AS lobby"  # noqa: S608
        " LEFT JOIN heads ON heads.game = lobby.game ORDER BY lobby.number DESC",
        (*values, below, limit),
    )


@cache
def _tokens(number: int) -> str:
    """Return the statement for the games that this many tokens open, with a flag that the lobby has to catch up."""
    columns = f"tokens.digest, tokens.game, tokens.seat, ({ANY_TABLE_ROW_UNREAD}) AS unread, {_COLUMNS}"
    joined = "tokens LEFT JOIN heads ON heads.game = tokens.game LEFT JOIN lobby ON lobby.game = tokens.game"
    return f"SELECT {columns} FROM {joined} WHERE tokens.digest IN ({', '.join('?' * number)})"  # noqa: S608


@cache
def _entries_statement(number: int) -> str:
    """Return the statement for the entries of this many games."""
    return (
        f"SELECT {_COLUMNS} FROM lobby LEFT JOIN heads ON heads.game = lobby.game"  # noqa: S608
        f" WHERE lobby.game IN ({', '.join('?' * number)})"
    )
