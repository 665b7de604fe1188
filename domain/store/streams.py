"""Reads of a game's stream: pages of events, events in force, the record, the audit."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from domain import audit, records
from domain.audit import Head, Noted
from domain.modules import TableOpened
from domain.store import heads
from domain.store.database import Database, ReadDatabase
from domain.store.errors import UnknownGame
from domain.store.game_ids import is_stored
from domain.store.loaded_games import LoadedGame
from domain.store.stored_events import select_last, select_parts, select_up_to
from domain.stream import BrokenChain, Recorded, UnreadableEvent, fact_of, read, removal_of, removed_at, verify
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


def audit_game(database: ReadDatabase, game: UUID, anchors: Sequence[Head] = ()) -> audit.Audit:
    """Audit a stream, also one that is known from anchors only.

    Raise ``UnknownGame`` if there is none, or the game was removed and that is in order.
    """
    head, rows = heads.find(database, game), select_up_to(database, game)
    while (now := heads.find(database, game)) != head:  # somebody wrote in between
        head, rows = now, select_up_to(database, game)
    if not rows and not anchors and not is_stored(database, game):
        raise UnknownGame(game)
    found = audit.audit(str(game), rows, Noted(head, anchors))
    if found.ok and (removed := removed_at(rows[-1][1])):
        raise UnknownGame(game, removed)
    return found


def opened_private(database: Database, game: UUID) -> bool:
    """Return whether a game was opened as a private one, also if it was removed since.

    One whose first event was changed counts as private.
    """
    rows, last = select_up_to(database, game, 1), select_last(database, game)
    if last is None:
        return True
    try:
        if not rows:
            return removal_of(*last).private
        version, event = rows[0]
        verify(str(game), [event])
        fact = fact_of(version, event)
    except (BrokenChain, UnreadableEvent):
        return True
    return not isinstance(fact, TableOpened) or fact.options.private
