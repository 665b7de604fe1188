"""The heads of games: where each stream ends, noted apart from it, so that an end that was cut off shows.

It shows for ever, also that a note was deleted, since what was noted changes only together with a stream that ended
there, and is made for new streams only.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any
from uuid import UUID

import msgspec

from domain.audit import Head
from domain.store.database import Database, Growth, ReadDatabase, Statement
from domain.store.game_ids import IDS_AT_ONCE
from domain.store.look_ups import Keyed
from domain.store.stored_events import LAST_DIGEST
from domain.store.tokens import parse_id

BY_GAME = Keyed(
    "heads",
    "game",
    "version, digest, EXISTS"
    " (SELECT 1 FROM stored_events WHERE originator_id = CAST(game AS {id}) AND originator_version > version)",
)
"""The ends of streams by their games, and whether something stands behind: then somebody has changed the note."""


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


def note_new(ends: Sequence[Growth]) -> Iterator[Statement]:
    """Return the statement that notes where new streams end."""
    if ends:
        values = ((end.game, end.before, end.version, end.digest, end.progress) for end in ends)
        yield _insert(len(ends)), tuple(chain.from_iterable(values))


def grow(growths: Sequence[Growth]) -> Iterator[Statement]:
    """Return the statements that note where streams end now, and fail for each that is not the one that has grown.

    It was removed then, or the database was restored from a backup.
    """
    if growths:
        known = ((end.game, end.before, end.based_on, end.based_on.hex().encode()) for end in growths)
        yield _require_streams(len(growths)), tuple(chain.from_iterable(known))
        noted = ((end.before, end.version, end.digest, end.progress, end.game, end.before) for end in growths)
        yield _update(len(growths)), tuple(chain.from_iterable(noted))


@cache
def _insert(ends: int) -> str:
    rows = ", ".join(["(?, ?, ?, ?, ?)"] * ends)
    return f"INSERT INTO heads (game, prior, version, digest, progress) VALUES {rows}"  # noqa: S608 - nothing from outside


@cache
def _update(ends: int) -> str:
    """Return one statement for many ends.

    For a single end there is no table to join: that takes SQLite less than half the time.
    """
    rows, values = ", ".join(["(?, ?, ?, ?, ?, ?)"] * ends), ["?"] * 6
    joined = ""
    if ends > 1:
        joined, values = f" FROM (VALUES {rows}) AS new", [f"column{place}" for place in range(1, 7)]
    prior, version, digest, progress, game, before = values
    return (
        f"UPDATE heads SET prior = {prior}, version = {version}, digest = {digest}, progress = {progress}{joined}"  # noqa: S608 - as above
        f" WHERE heads.game = {game} AND heads.version = {before}"
    )


@cache
def _require_streams(ends: int) -> str:
    """Return the statement that fails, since no ``prior`` may be null, unless each stream has this digest at a version.

    It looks at the stream itself only where somebody has changed the note of its end. That is found by the game alone:
    PostgreSQL would read all notes to find many by all their columns.
    """
    rows = ", ".join(["(?, ?, ?, ?)"] * ends)
    return (
        "INSERT INTO heads (game, prior, version, digest) SELECT column1, NULL, column2, column3"  # noqa: S608 - as above
        f" FROM (VALUES {rows}) AS known WHERE CASE WHEN"
        " (SELECT heads.version = column2 AND heads.digest = column3 FROM heads WHERE heads.game = column1)"
        f" THEN FALSE ELSE COALESCE((SELECT {LAST_DIGEST} FROM stored_events"
        " WHERE originator_id = CAST(column1 AS {id}) AND originator_version <= column2"
        " ORDER BY originator_version DESC LIMIT 1) <> column4, TRUE) END"
    )
