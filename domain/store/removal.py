"""The removal of a game by an operator: one event takes the place of all that is stored of it."""

from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID

from domain.store import bot_games, heads
from domain.store.commit import now
from domain.store.database import Database, Statement
from domain.store.errors import Conflict, UnknownGame
from domain.store.game_ids import is_stored
from domain.store.schema import REMOVED, TABLE_TOPIC
from domain.store.stored_events import removal_time, select_last
from domain.store.streams import opened_private
from domain.stream import at_of, digest_of, join_row, origin, verify_form, write
from domain.table_facts import GameRemoved


def remove(database: Database, game: UUID) -> str:
    """Erase a game, whatever its state, and return when it was removed; raise ``UnknownGame``."""
    while (removed := removal_time(database, game)) is None:
        with suppress(Conflict):  # the stream has gone on meanwhile
            _erase(database, game)
    database.purge()
    return removed


def _erase(database: Database, game: UUID) -> None:
    """Put one event in the place of everything; raise ``Conflict`` if somebody has appended meanwhile.

    The event is stored before the others are deleted, so that its place among the events of all games is a new one.
    """
    version, prior, at = _end(database, game)
    removed = GameRemoved(prior=prior.hex(), private=opened_private(database, game))
    events, digest = write(version, prior, max(now(), at), [removed])
    row = game.hex, version + 1, TABLE_TOPIC, join_row(events)
    database.append([row], list(_deletions(game, version + 1, digest)))


def _end(database: Database, game: UUID) -> tuple[int, bytes, str]:
    """Return the version, the digest and the time at which a stream ends, as far as they can still be read.

    The head is read before the last event: what is appended in between is the end all the same.
    """
    head, last = heads.find(database, game), select_last(database, game)
    if last is None and not is_stored(database, game):
        raise UnknownGame(game)
    version, digest = head or (0, origin(str(game)))
    if last is None or last[0] < version:
        return version, digest, ""
    version, event = last
    try:
        verify_form(version, event)
        return version, digest_of(event), at_of(version, event)
    except ValueError:
        return version, digest, ""


def _deletions(game: UUID, version: int, digest: bytes) -> Iterator[Statement]:
    """Return the statements after which only the event at this version is left, as the end of the stream for good."""
    yield "DELETE FROM stored_events WHERE originator_id = ? AND originator_version <> ?", (game.hex, version)
    yield "DELETE FROM tokens WHERE game = ?", (game.hex,)
    yield bot_games.forget(game)
    yield "DELETE FROM lobby_players WHERE number IN (SELECT number FROM lobby WHERE game = ?)", (game.hex,)
    yield "DELETE FROM lobby WHERE game = ?", (game.hex,)
    yield _END, (game.hex, REMOVED, version, digest)


_END = (
    "INSERT INTO heads (game, prior, version, digest) VALUES (?, ?, ?, ?) ON CONFLICT (game) DO UPDATE"
    " SET prior = excluded.prior, version = excluded.version, digest = excluded.digest, progress = NULL"
)
