"""Reads of a game's stream: pages of events, events in force, the record, the audit."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from domain import audit, records
from domain.modules import TableOpened
from domain.store.database import Database
from domain.store.errors import UnknownGame
from domain.store.loaded_games import LoadedGame
from domain.store.stored_events import select_parts, select_up_to
from domain.stream import Recorded, UnreadableEvent, fact_of, read, removed_at
from domain.table import effective_versions


class EventPage(msgspec.Struct, frozen=True):
    """A part of a stream as JSON, and the version after which the next part begins, None if there is none."""

    items: tuple[bytes, ...]
    next: int | None
    version: int


def event_page(database: Database, loaded: LoadedGame, after: int, limit: int, full: bool) -> EventPage:
    """Return the stored events after a version: those in force, or all of them."""
    newest = loaded.version
    parts = (range(1, newest + 1),) if full else effective_versions(loaded.table.restored, newest)
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
    """Return the facts of these parts of a stream, each with its version and time."""
    return tuple(read(*row) for row in select_parts(database, game, joined(versions)))


def effective_events(database: Database, loaded: LoadedGame) -> tuple[Recorded, ...]:
    """Return the events in force at the version of the game; what was taken back is not read."""
    return recorded(database, loaded.id, effective_versions(loaded.table.restored, loaded.version))


def joined(parts: Sequence[range]) -> list[range]:
    """Return parts of a stream with those that follow each other joined."""
    found: list[range] = []
    for part in parts:
        follows = bool(found) and found[-1].stop == part.start
        found.append(range(found.pop().start, part.stop) if follows else part)
    return found


def export_record(database: Database, loaded: LoadedGame) -> bytes:
    """Return the game as a portable document."""
    events = [event for _, event in select_parts(database, loaded.id, [range(1, loaded.version + 1)])]
    return records.record(str(loaded.id), loaded.table, events)


def audit_game(database: Database, game: UUID) -> audit.Audit:
    """Audit a stream; raise ``UnknownGame`` if nothing is stored, or the game was removed and that is in order."""
    head, rows = select_head(database, game), select_up_to(database, game)
    while (now := select_head(database, game)) != head:  # somebody wrote in between
        head, rows = now, select_up_to(database, game)
    if not rows and not head:
        raise UnknownGame(game)
    found = audit.audit(str(game), rows, audit.Head(*head[0]) if head else None)
    if found.ok and (removed := removed_at(rows[-1][1])):
        raise UnknownGame(game, removed)
    return found


def opened_private(database: Database, game: UUID) -> bool:
    """Return whether the first event of a stream opened a private game; one that cannot be read counts as private."""
    try:
        fact = fact_of(*select_up_to(database, game, 1)[0])
    except (IndexError, UnreadableEvent):
        return True
    return not isinstance(fact, TableOpened) or fact.options.private


def game_ids(database: Database) -> list[UUID]:
    """Return the ids of all games."""
    return [UUID(game) for (game,) in database.select(("SELECT game FROM heads ORDER BY game", ()))]


def select_head(database: Database, game: UUID) -> Sequence[tuple[Any, ...]]:
    """Return the row of the end of a stream, as it is noted outside of it: its version and its digest."""
    return database.select(("SELECT version, digest FROM heads WHERE game = ?", (game.hex,)))
