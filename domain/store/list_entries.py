"""The games as the list stores them, one in a row, each with a digest by which a row shows that somebody changed it."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.modules import TableOpened
from domain.player_names import comparable_name
from domain.store.database import Statement
from domain.stream import BrokenChain, UnreadableEvent, at_of, fact_of, split_row, verify
from domain.table import Table, change_table, changes_listing, new_table

COLUMNS = ("number", "game", "status", "private", "line", "digest")
"""The columns of a row, as ``read_entry`` takes them."""


class Entry(msgspec.Struct, frozen=True):
    """A game in the list; ``number`` is its place among all games."""

    game: str
    number: int
    table: Table
    opened: str
    changed: str

    @property
    def keys(self) -> tuple[int, str, str, int]:
        """The columns of its row by which it is found."""
        return self.number, self.game, self.table.status, int(self.table.options.private)


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


def read_entry(*columns: Any) -> Entry | None:
    """Return the game of a row, None if somebody changed the row or it is one of the first release without a digest."""
    *row, digest = columns
    if digest is None or digest != _digest(row):
        return None
    try:
        entry = _decode(row[-1])
    except msgspec.DecodeError:
        return None
    return entry if entry.keys == tuple(row[:-1]) else None


def change_entry(entry: Entry | None, game: str, rows: Iterable[tuple[int, int, object]]) -> Entry | None:
    """Return a game in the list after stored events, in rows of number, version and text."""
    for number, first, text in rows:
        for version, event in split_row(first, text):
            entry = _after_event(entry, game, number, version, event)
    return entry


def _after_event(entry: Entry | None, game: str, number: int, version: int, event: bytes) -> Entry | None:
    """Return the entry of a game after an event.

    One that is damaged and cannot be read changes nothing, nor does a first one that was changed: it says whether the
    game is private.
    """
    try:
        fact, at = fact_of(version, event), at_of(version, event)
        if isinstance(fact, TableOpened):
            verify(str(UUID(game)), [event])
            return Entry(game, number, new_table(fact), at, at)
    except (BrokenChain, UnreadableEvent):
        return entry
    if entry is None or not changes_listing(fact):
        return entry
    return replace(entry, table=change_table(entry.table, version, fact), changed=at)


def store_entry(entry: Entry) -> Iterator[Statement]:
    """Return the statements that put a game into the list as it is now, or take it out if its table was deleted."""
    yield "DELETE FROM lobby WHERE number = ? OR game = ?", (entry.number, entry.game)
    yield "DELETE FROM lobby_players WHERE number = ?", (entry.number,)
    if entry.table.deleted:
        return
    table = replace(entry.table, restored=entry.table.restored[-1:])  # the last one says it all
    row = (*entry.keys, _encode(replace(entry, table=table)))
    yield _INSERT, (*row, _digest(row))
    for name in {name_hash(player.name) for player in entry.table.players}:
        yield "INSERT INTO lobby_players (name, number) VALUES (?, ?)", (name, entry.number)


def name_hash(name: str) -> bytes:
    """Return the hash by which a player is found, the same for names that are compared as the same."""
    return hash_of(comparable_name(name))


def hash_of(text: str) -> bytes:
    """Return the hash of a text."""
    return sha256(text.encode(errors="surrogatepass")).digest()


def _digest(row: Sequence[Any]) -> bytes:
    return sha256(msgspec.json.encode(row)).digest()


_INSERT = f"INSERT INTO lobby ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - no value from outside
