"""The list of all games: pages of it, and the games that tokens open."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any
from uuid import UUID

import msgspec

from domain.field_types import Status
from domain.listed import ListedGame, Progress
from domain.store.database import Database, Statement
from domain.store.errors import UnknownGame
from domain.store.list_entries import COLUMNS, Entry, hash_of, name_hash, read_entry
from domain.store.list_updates import ANY_UNREAD, catch_up, mend
from domain.store.loaded_games import LoadedGames
from domain.store.progress import encode_progress, progress_of, read_progress
from domain.store.token_holders import find_place
from domain.store.tokens import TokenHolder, digest_of, holder_of, parse_id
from domain.stream import UnreadableEvent

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


class _Line(msgspec.Struct, frozen=True):
    """A row of the list joined with the head of its game; there is no entry if the row does not fit."""

    number: int | None
    game: str
    entry: Entry | None
    head: Sequence[Any]
    changed: bool


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
    statement = _page(statuses, player, limit + 1, NEWEST if below is None else below, visible)
    lines = _read_lines(database, statement)
    items = tuple(_listed(database, games, lines[:limit]).values())
    return ListPage(items, lines[limit - 1].number if len(lines) > limit else None)


def find_games(database: Database, games: LoadedGames, given: Sequence[str]) -> list[TokenGame | None]:
    """Return the game that each token opens, None for one that opens none; one query if all is as it should be."""
    tokens = {digest_of(token): token for token in given}
    statement = _tokens(len(tokens)), tuple(tokens)
    rows = database.select(statement)
    if any(unread or number is None for *_, unread, number in (row[:5] for row in rows)):
        catch_up(database)
        rows = database.select(statement)
    lines = {row[1]: _line(row[4:]) for row in rows}
    if unfit := [
        (line.number, game, line.changed)
        for game, line in lines.items()
        if line.entry is None and (line.number is not None or _is_there(games, game))
    ]:
        mend(database, unfit)
        rows = database.select(statement)
        lines = {row[1]: _line(row[4:]) for row in rows}
    listed = _listed(database, games, lines.values())
    found: dict[bytes, TokenGame] = {}
    for digest, game, seat, *_ in rows:
        holder = holder_of(game, seat)
        if holder is not None and game in listed and not listed[game].table.has_place(holder.seat):
            holder = find_place(database, games, tokens[digest], holder)
        if holder is not None and holder.game.hex in listed:
            found[digest] = TokenGame(listed[holder.game.hex], holder)
    return [found.get(digest_of(token)) for token in given]


def lines_of(database: Database, games: LoadedGames, ids: Collection[UUID]) -> dict[UUID, ListedGame]:
    """Return the lines of games by their ids; tables that were taken away have none."""
    catch_up(database)
    wanted, found = [game.hex for game in ids], dict[UUID, ListedGame]()
    for start in range(0, len(wanted), IDS_PER_QUERY):
        part = wanted[start : start + IDS_PER_QUERY]
        lines = _read_lines(database, (_lines(len(part)), tuple(part)))
        found |= {UUID(game): listed for game, listed in _listed(database, games, lines).items()}
    return found


def unchanged_tables(database: Database, since: str, above: int, limit: int) -> UnchangedTables:
    """Look at so many of the open tables, those opened first, and return those without a change since a time."""
    catch_up(database)
    lines = _read_lines(database, (_OPENED_FIRST, (above, limit)))
    entries = [line.entry for line in lines if line.entry is not None]
    games = tuple(UUID(entry.game) for entry in entries if entry.changed < since)
    more = len(lines) == limit and any(entry.opened < since for entry in entries)
    return UnchangedTables(games, entries[-1].number if more else None)


def _is_there(games: LoadedGames, text: str) -> bool:
    """Return whether a game that the list does not have can be read, and so has to be in the list."""
    game = parse_id(text)
    if game is None:
        return False
    try:
        games.load(game)
    except (UnreadableEvent, UnknownGame):
        return False
    return True


def _read_lines(database: Database, statement: Statement) -> list[_Line]:
    """Read lines of the list; those that do not fit are made anew first."""
    lines = [_line(row) for row in database.select(statement)]
    if unfit := [(line.number, line.game, line.changed) for line in lines if line.entry is None]:
        mend(database, unfit)
        lines = [_line(row) for row in database.select(statement)]
    return lines


def _line(row: Sequence[Any]) -> _Line:
    """Read the columns of the list and those of the head."""
    columns, head = row[: len(COLUMNS)], row[len(COLUMNS) :]
    return _Line(columns[0], columns[1], read_entry(*columns), head, columns[-1] is not None)


def _page(statuses: Sequence[Status], player: str | None, limit: int, below: int, visible: UUID | None) -> Statement:
    """Return the statement for the entries of a page, by the index of names if a player is asked for."""
    where = "(private = 0 OR lobby.game = ?)"
    values: list[object] = [visible.hex if visible else ""]
    source, number, distinct = "lobby", "lobby.number", ""
    if player is not None:
        source, number = "lobby_players JOIN lobby USING (number)", "lobby_players.number"
        hashes = {name_hash(player), hash_of(player.casefold())}  # of entries made since, and by the first release
        where += f" AND name IN ({', '.join('?' * len(hashes))})"
        values += hashes
        distinct = "DISTINCT " if len(hashes) > 1 else ""
    if statuses:
        where += f" AND status IN ({', '.join('?' * len(statuses))})"
        values += statuses
    page = (
        f"SELECT {distinct}{number} AS number, {_REST} FROM {source}"  # noqa: S608 - all values are bound
        f" WHERE {where} AND {number} < ? ORDER BY {number} DESC LIMIT ?"
    )
    return (
        f"SELECT page.number, {_REST.replace('lobby', 'page')}, {_HEAD} FROM ({page}) AS page"  # noqa: S608
        " LEFT JOIN heads ON heads.game = page.game ORDER BY page.number DESC",
        (*values, below, limit),
    )


@cache
def _tokens(number: int) -> str:
    """Return the statement for the games that so many tokens open, and whether the list has to catch up."""
    columns = f"tokens.digest, tokens.game, tokens.seat, ({ANY_UNREAD[0]}) AS unread, lobby.number, {_REST}, {_HEAD}"
    joined = "tokens LEFT JOIN heads ON heads.game = tokens.game LEFT JOIN lobby ON lobby.game = tokens.game"
    return f"SELECT {columns} FROM {joined} WHERE tokens.digest IN ({', '.join('?' * number)})"  # noqa: S608


_REST = ", ".join(f"lobby.{column}" for column in COLUMNS[1:])
_HEAD = "heads.version, heads.digest, heads.progress"


@cache
def _lines(number: int) -> str:
    """Return the statement for the lines of so many games."""
    return (
        f"SELECT lobby.number, {_REST}, {_HEAD} FROM lobby LEFT JOIN heads ON heads.game = lobby.game"  # noqa: S608
        f" WHERE lobby.game IN ({', '.join('?' * number)})"
    )


def _listed(database: Database, games: LoadedGames, lines: Iterable[_Line]) -> dict[str, ListedGame]:
    """Return the games of lines that fit.

    A progress that is missing, as in databases of the first release, or was changed, is read from the game and stored.
    """
    listed: dict[str, ListedGame] = {}
    learnt: list[Statement] = []
    for line in lines:
        if (entry := line.entry) is None:
            continue
        version, end, stored = line.head
        progress = read_progress(entry.game, end, stored, version)
        if progress is None:
            progress, read_end = _progress_now(games, entry, version)
            if (progress.version, read_end) == (version, end):
                learnt.append((_SET_PROGRESS, (encode_progress(entry.game, end, progress), entry.game, version)))
        listed[entry.game] = ListedGame(entry.game, entry.table, entry.opened, entry.changed, progress)
    if learnt:
        database.append((), learnt)
    return listed


def _progress_now(games: LoadedGames, entry: Entry, version: object) -> tuple[Progress, bytes]:
    """Read the progress from a game, and the digest at its end; one that is damaged has none."""
    try:
        loaded = games.load(UUID(entry.game))
    except (UnreadableEvent, UnknownGame):
        return Progress(version if isinstance(version, int) else entry.table.version, entry.changed), b""
    return progress_of(loaded), loaded.digest


_OPENED_FIRST = f"SELECT lobby.number, {_REST} FROM lobby WHERE status = 'open' AND number > ? ORDER BY number LIMIT ?"  # noqa: S608
_SET_PROGRESS = "UPDATE heads SET progress = ? WHERE game = ? AND version = ?"
