"""The list of all games, kept up to date from the events that tables store.

The list follows the order in which events were stored and remembers how far it has read, in the same transaction as
what it has written; any process may bring it up to date, one does at a time.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.listed import ListedGame, Progress
from domain.modules import TableOpened
from domain.player_names import comparable_name
from domain.store.database import Database, Statement, Transaction
from domain.store.errors import UnknownGame
from domain.store.loaded_games import LoadedGames
from domain.store.progress import encode_progress, progress_of, read_progress
from domain.store.tokens import TokenHolder, digest_of, holder_of
from domain.stream import UnreadableEvent, at_of, fact_of, split_row
from domain.table import Status, Table, change_table, changes_listing, new_table

ROWS_PER_TRANSACTION = 500
IDS_PER_QUERY = 500
NEWEST = 2**62
"""A number that no game has."""


class ListPage(msgspec.Struct, frozen=True):
    """Games, the newest first, and the number below which the following page begins, None if there is none."""

    items: tuple[ListedGame, ...]
    next: int | None


class UnchangedTables(msgspec.Struct, frozen=True):
    """Open tables that have not changed for long, and the number above which to look on, None at the end."""

    games: tuple[UUID, ...]
    next: int | None


class TokenGame(msgspec.Struct, frozen=True):
    """A game that a token opens, and what its holder is there."""

    game: ListedGame
    holder: TokenHolder


class _Entry(msgspec.Struct, frozen=True):
    """A game as the list stores it; ``number`` is its place among all games."""

    game: str
    number: int
    table: Table
    opened: str
    changed: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Entry).decode


def list_games(
    database: Database,
    games: LoadedGames,
    *,
    statuses: Sequence[Status] = (),
    player: str | None = None,
    limit: int = 50,
    below: int | None = None,
    visible: UUID | None = None,
) -> ListPage:
    """Return a page of games, those opened last first, without private ones except the one that is ``visible``."""
    catch_up(database)
    chosen = database.select(_page(statuses, player, limit + 1, NEWEST if below is None else below, visible))
    items = tuple(_listed(database, games, [row[1:] for row in chosen[:limit]]))
    return ListPage(items, chosen[limit - 1][0] if len(chosen) > limit else None)


def find_games(database: Database, games: LoadedGames, given: Sequence[str]) -> list[TokenGame | None]:
    """Return the game that each token opens, None for one that opens none; one query if the list is up to date."""
    digests = [digest_of(token) for token in given]
    statement = _tokens(len(digests)), tuple(digests)
    rows = database.select(statement)
    if any(unread or line is None for *_, line, unread in rows):
        catch_up(database)
        rows = database.select(statement)
    ends = {game: end for _, game, _, *end, _ in rows if end[-1] is not None}
    listed = dict(zip(ends, _listed(database, games, [tuple(end) for end in ends.values()]), strict=True))
    found = {
        digest: TokenGame(listed[game], holder)
        for digest, game, seat, *_ in rows
        if game in ends and (holder := holder_of(game, seat)) is not None
    }
    return [found.get(digest) for digest in digests]


def lines_of(database: Database, games: LoadedGames, ids: Collection[UUID]) -> dict[UUID, ListedGame]:
    """Return the lines of games by their ids; tables that were taken away have none."""
    catch_up(database)
    wanted, found = [game.hex for game in ids], dict[UUID, ListedGame]()
    for start in range(0, len(wanted), IDS_PER_QUERY):
        part = wanted[start : start + IDS_PER_QUERY]
        for listed in _listed(database, games, database.select((_lines(len(part)), tuple(part)))):
            found[UUID(listed.id)] = listed
    return found


def unchanged_tables(database: Database, since: str, above: int, limit: int) -> UnchangedTables:
    """Look at so many of the open tables, those opened first, and return those without a change since a time."""
    catch_up(database)
    entries = [_decode(line) for (line,) in database.select((_OPENED_FIRST, (above, limit)))]
    games = tuple(UUID(entry.game) for entry in entries if entry.changed < since)
    more = len(entries) == limit and any(entry.opened < since for entry in entries)
    return UnchangedTables(games, entries[-1].number if more else None)


def catch_up(database: Database) -> None:
    """Bring the list up to date with the events stored since."""
    while database.select(_ANY_UNREAD):
        with database.transaction() as transaction:
            _read_on(transaction)


def rebuild(database: Database) -> None:
    """Build the list again from all events."""
    with database.transaction() as transaction:
        for table in ("lobby", "lobby_players", "lobby_position"):
            transaction.run((f"DELETE FROM {table}", ()))  # noqa: S608 - no value from outside
        transaction.run(("UPDATE heads SET progress = NULL", ()))
    catch_up(database)


def _page(statuses: Sequence[Status], player: str | None, limit: int, below: int, visible: UUID | None) -> Statement:
    """Return the statement for the entries of a page, by the index of names if a player is asked for."""
    where = "(private = 0 OR lobby.game = ?)"
    values: list[object] = [visible.hex if visible else ""]
    source, number, distinct = "lobby", "lobby.number", ""
    if player is not None:
        source, number = "lobby_players JOIN lobby USING (number)", "lobby_players.number"
        hashes = {_name_hash(player), _hash(player.casefold())}  # of entries made since, and by the first release
        where += f" AND name IN ({', '.join('?' * len(hashes))})"
        values += hashes
        distinct = "DISTINCT " if len(hashes) > 1 else ""
    if statuses:
        where += f" AND status IN ({', '.join('?' * len(statuses))})"
        values += statuses
    page = (
        f"SELECT {distinct}{number} AS place, lobby.game, line FROM {source}"  # noqa: S608 - all values are bound
        f" WHERE {where} AND {number} < ? ORDER BY {number} DESC LIMIT ?"
    )
    return (
        f"SELECT place, version, progress, line FROM ({page}) AS page"  # noqa: S608
        " JOIN heads ON heads.game = page.game ORDER BY place DESC",
        (*values, below, limit),
    )


@cache
def _tokens(number: int) -> str:
    """Return the statement for the games that so many tokens open, and whether the list has to catch up."""
    columns = "tokens.digest, tokens.game, tokens.seat, heads.version, heads.progress, lobby.line"
    joined = "tokens JOIN heads ON heads.game = tokens.game LEFT JOIN lobby ON lobby.game = tokens.game"
    return (
        f"SELECT {columns}, ({_ANY_UNREAD[0]}) AS unread FROM {joined}"  # noqa: S608 - no value from outside
        f" WHERE tokens.digest IN ({', '.join('?' * number)})"
    )


@cache
def _lines(number: int) -> str:
    """Return the statement for the lines of so many games."""
    return (
        "SELECT version, progress, line FROM lobby JOIN heads ON heads.game = lobby.game"  # noqa: S608
        f" WHERE lobby.game IN ({', '.join('?' * number)})"
    )


def _listed(database: Database, games: LoadedGames, rows: Sequence[tuple[Any, ...]]) -> list[ListedGame]:
    """Return the games of rows of version, progress and line.

    A progress that is missing, as in databases of the first release, is read from the game and stored.
    """
    listed: list[ListedGame] = []
    learnt: list[Statement] = []
    for version, stored, line in rows:
        entry = _decode(line)
        progress = read_progress(stored, version)
        if progress is None:
            progress = _progress_now(games, entry, version)
            if progress.version == version:
                learnt.append((_SET_PROGRESS, (encode_progress(progress), entry.game, version)))
        listed.append(ListedGame(entry.game, entry.table, entry.opened, entry.changed, progress))
    if learnt:
        database.append((), learnt)
    return listed


def _progress_now(games: LoadedGames, entry: _Entry, version: int) -> Progress:
    """Read the progress from a game; one that is damaged has none."""
    try:
        return progress_of(games.load(UUID(entry.game)))
    except (UnreadableEvent, UnknownGame):
        return Progress(version, entry.changed)


def _read_on(transaction: Transaction) -> None:
    """Read the next rows and write the entries they change."""
    position = transaction.run(("SELECT notification FROM lobby_position", ()))
    rows = transaction.run((_UNREAD, (position[0][0] if position else 0, ROWS_PER_TRANSACTION)))
    changed: dict[str, _Entry] = {}
    for number, originator, version, text in rows:
        game = UUID(str(originator)).hex
        entry = changed.get(game) or _stored_entry(transaction, game)
        for event in split_row(version, text):
            entry = _change_entry(entry, game, number, *event)
        if entry is not None:
            changed[game] = entry
    for entry in changed.values():
        for statement in _entry_statements(entry):
            transaction.run(statement)
    if rows:
        transaction.run((_SET_POSITION, (rows[-1][0],)))


def _stored_entry(transaction: Transaction, game: str) -> _Entry | None:
    found = transaction.run(("SELECT line FROM lobby WHERE game = ?", (game,)))
    return _decode(found[0][0]) if found else None


def _change_entry(entry: _Entry | None, game: str, number: int, version: int, event: bytes) -> _Entry | None:
    """Return the entry of a game after an event; one that is damaged and cannot be read changes nothing."""
    try:
        fact, at = fact_of(version, event), at_of(version, event)
    except UnreadableEvent:
        return entry
    if isinstance(fact, TableOpened):
        return _Entry(game, number, new_table(fact), at, at)
    if entry is None or not changes_listing(fact):
        return entry
    return replace(entry, table=change_table(entry.table, version, fact), changed=at)


def _entry_statements(entry: _Entry) -> Iterator[Statement]:
    yield "DELETE FROM lobby WHERE number = ?", (entry.number,)
    yield "DELETE FROM lobby_players WHERE number = ?", (entry.number,)
    if entry.table.deleted:
        return
    private = int(entry.table.options.private)
    stored = replace(entry, table=replace(entry.table, restored=entry.table.restored[-1:]))  # the last one says it all
    yield _INSERT, (entry.number, entry.game, entry.table.status, private, _encode(stored))
    for name in {_name_hash(player.name) for player in entry.table.players}:
        yield "INSERT INTO lobby_players (name, number) VALUES (?, ?)", (name, entry.number)


def _name_hash(name: str) -> bytes:
    """Return the hash by which a player is found, the same for names that are compared as the same."""
    return _hash(comparable_name(name))


def _hash(text: str) -> bytes:
    return sha256(text.encode(errors="surrogatepass")).digest()


_ANY_UNREAD: Statement = (
    "SELECT 1 FROM stored_events WHERE topic = 'table'"
    " AND {number} > COALESCE((SELECT notification FROM lobby_position), 0) LIMIT 1",
    (),
)
_UNREAD = (
    "SELECT {number}, originator_id, originator_version, state FROM stored_events"
    " WHERE topic = 'table' AND {number} > ? ORDER BY {number} LIMIT ?"
)
_OPENED_FIRST = "SELECT line FROM lobby WHERE status = 'open' AND number > ? ORDER BY number LIMIT ?"
_INSERT = "INSERT INTO lobby (number, game, status, private, line) VALUES (?, ?, ?, ?, ?)"
_SET_PROGRESS = "UPDATE heads SET progress = ? WHERE game = ? AND version = ?"
_SET_POSITION = (
    "INSERT INTO lobby_position (one, notification) VALUES (1, ?)"
    " ON CONFLICT (one) DO UPDATE SET notification = excluded.notification"
)
