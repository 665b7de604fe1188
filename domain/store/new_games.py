"""New games: opened at a table, forked from another game, or imported from a record."""

import secrets
from collections.abc import Sequence
from time import time_ns
from typing import get_args
from uuid import UUID

from domain.modules import ActionTaken, Fact, TableFact
from domain.records import Verified
from domain.refused import Refused
from domain.store.commit import Commit, commit_of_stream, now
from domain.store.database import Database
from domain.store.loaded_games import LoadedGames
from domain.store.stored_events import select_parts
from domain.store.streams import effective_events
from domain.stream import Recorded, fact_of, origin, rechain, renumber, write
from domain.table_facts import GameForked, SeatTaken, UndoAnswered, UndoProposed

_DECIDED = (ActionTaken, *get_args(TableFact))
"""The facts that do not follow by themselves from those before them."""


def new_id() -> UUID:
    """Return an id that no other game has: random, after the milliseconds of now (version 7 of RFC 9562).

    So games of the same time lie together in the index of events, and a commit for many of them changes few pages.
    """
    milliseconds = time_ns() // 1_000_000
    return UUID(int=milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62))


def commit_of_new_game(facts: Sequence[Fact]) -> Commit:
    """Return the commit of a game that begins with these facts now."""
    game = new_id()
    events, _ = write(0, origin(str(game)), now(), facts)
    return commit_of_stream(game, facts, events, _seats(facts))


def commit_of_fork(database: Database, games: LoadedGames, game: UUID, at: int | None) -> Commit:
    """Return the commit of a game that goes on from another one, without what was taken back there."""
    newest = games.load(game)
    at = newest.version if at is None else at
    loaded = games.load_at(game, at)
    between = at == newest.version or _begins_decision(database, game, at + 1)
    if not loaded.table.started or not between:
        raise Refused("not_a_boundary", "fork", "A fork begins between two actions.", {}, {"at": at})
    events = effective_events(database, loaded)
    recorded = [event for event in events if not isinstance(event.fact, UndoProposed | UndoAnswered)]
    recorded.append(Recorded(len(recorded) + 1, now(), GameForked(game=str(game), up_to=at)))
    facts = [event.fact for event in recorded]
    fork = new_id()
    return commit_of_stream(fork, facts, renumber(str(fork), recorded), _seats(facts))


def commit_of_import(database: Database, record: Verified) -> Commit:
    """Return the commit of a recorded game, under its own id unless a game has that already."""
    game, events = UUID(record.game), record.events
    if database.select((_ANYTHING_OF, (game.hex, game.hex))):
        game = new_id()
        events = tuple(rechain(str(game), events))
    return commit_of_stream(game, record.facts, events, _seats(record.facts))


def _begins_decision(database: Database, game: UUID, version: int) -> bool:
    """Return whether an event is the first of a decision."""
    (event,) = select_parts(database, game, (range(version, version + 1),))
    return isinstance(fact_of(*event), _DECIDED)


def _seats(facts: Sequence[Fact]) -> list[int]:
    return [fact.seat for fact in facts if isinstance(fact, SeatTaken)]


_ANYTHING_OF = (
    "SELECT 1 FROM heads WHERE game = ? UNION ALL SELECT 1 FROM stored_events WHERE originator_id = ? LIMIT 1"
)
"""The statement that finds a game, also one that has lost its first events or all of them."""
