"""The heads of games: where each stream ends, noted apart from it, so that an end that was cut off shows."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

from domain.audit import Head
from domain.store.database import Database, ReadDatabase
from domain.store.game_ids import IDS_AT_ONCE
from domain.store.look_ups import Keyed
from domain.store.tokens import parse_id

BY_GAME = Keyed("heads", "game", "version, digest")
"""The ends of streams by their games."""


def find(database: ReadDatabase, game: UUID) -> Head | None:
    """Return the head of a game, None if it is lost or was made unreadable."""
    found = database.select(("SELECT version, digest FROM heads WHERE game = ?", (game.hex,)))
    return read_head(*found[0]) if found else None


def read_head(version: Any, digest: Any) -> Head | None:
    """Read a head, None if it is none that this program writes."""
    try:
        return msgspec.convert((version, digest), Head)
    except msgspec.ValidationError:
        return None


def select_all(database: Database) -> Iterator[tuple[str, Head]]:
    """Return the head of each game after its id, in order of ids, page by page; those that are unreadable left out."""
    last, page = "", database.select((_PAGE, ("", IDS_AT_ONCE)))
    while page and page[-1][0] != last:
        for text, *noted in page:
            game, head = parse_id(text), read_head(*noted)
            if game is not None and head is not None:
                yield str(game), head
        last = page[-1][0]
        page = database.select((_PAGE, (last, IDS_AT_ONCE)))


_PAGE = "SELECT game, version, digest FROM heads WHERE game > ? ORDER BY game LIMIT ?"
