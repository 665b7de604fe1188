"""New games: opened as a table, forked from another game, or imported from a record."""

import secrets
from collections.abc import Sequence
from itertools import count, starmap
from time import time_ns
from typing import get_args
from uuid import UUID

from msgspec.structs import replace

from domain.clock import is_time
from domain.modules import ActionTaken, Fact, GameStarted, TableFact, TableOpened
from domain.records import RecordRefused, verify_record
from domain.refused import BaseNeeded, Refused, Value
from domain.store.apps import Owner
from domain.store.archive import effective_events
from domain.store.commit import Commit, commit_of_stream, now
from domain.store.database import Database
from domain.store.games import LoadedGame, LoadedGames
from domain.store.keys import IdempotencyKey
from domain.store.streams import select_parts
from domain.stream import Recorded, at_of, digest_of, fact_of, origin, rechain, renumber, write
from domain.table_facts import GameForked, GameImported, Rematched, UndoAnswered, UndoProposed
from domain.timeline import moment_at_depth

LONGEST_DECISION = 500
"""More events than follow from one decision."""

_DECIDED = (ActionTaken, *get_args(TableFact))
"""The facts that record a decision. All others follow from them."""


def new_id() -> UUID:
    """Return a new random id that begins with the time in milliseconds (version 7 of RFC 9562).

    So games of the same time are close together in the index of events, and a commit of many games changes few pages.
    """
    milliseconds = time_ns() // 1_000_000
    return UUID(int=milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62))


def commit_of_new_game(
    facts: Sequence[Fact],
    key: IdempotencyKey | None = None,
    game: UUID | None = None,
    owner: Owner | None = None,
) -> Commit:
    """Return the commit of a game that begins with these facts now."""
    game = game or new_id()
    events, _ = write(0, origin(str(game)), now(), facts)
    return commit_of_stream(game, facts, events, key, owner)


def commit_of_fork(
    database: Database,
    games: LoadedGames,
    newest: LoadedGame,
    at: int | None,
    key: IdempotencyKey | None = None,
    owner: Owner | None = None,
) -> Commit:
    """Return the commit of a game that continues another one, without the actions that were taken back."""
    game, at = newest.id, newest.version if at is None else at
    loaded = newest if at == newest.version else games.load_at(game, at)
    between = at == newest.version or _begins_decision(database, game, at + 1)
    if not loaded.table.started or not between:
        nearest = _nearest_boundaries(database, newest, at)
        needed: BaseNeeded = {"versions": nearest} if nearest else {}
        values: dict[str, Value] = {"versions": nearest}
        raise Refused("not_a_boundary", "fork", needed, {"at": at}, sentence="no_fork_there", values=values)
    events = effective_events(database, loaded)
    recorded = [event for event in events if not isinstance(event.fact, UndoProposed | UndoAnswered | Rematched)]
    recorded.append(Recorded(len(recorded) + 1, max(now(), loaded.changed_at), GameForked(game=str(game), up_to=at)))
    facts = [event.fact for event in recorded]
    fork = new_id()
    return commit_of_stream(fork, facts, renumber(str(fork), recorded), key, owner)


def commit_of_import(
    document: bytes, *, private: bool, key: IdempotencyKey | None = None, owner: Owner | None = None
) -> Commit:
    """Return the commit of a recorded game under its own id.

    If the game is imported as private, its first event changes. So it gets a new id.
    """
    record = verify_record(document)
    require_times(record.events, now())
    game, events, facts = UUID(record.game), record.events, record.facts
    imported = GameImported(game=record.game, up_to=len(events), prior=digest_of(events[-1]).hex())
    hidden = tuple(map(_made_private, facts)) if private else facts
    if hidden != facts:
        game, facts = new_id(), hidden
        times = [at_of(version, event) for version, event in enumerate(events, 1)]
        events = tuple(renumber(str(game), starmap(Recorded, zip(count(1), times, facts, strict=False))))
    at = max(now(), at_of(len(events), events[-1]))
    more, _ = write(len(events), digest_of(events[-1]), at, [imported])
    return commit_of_stream(game, (*facts, imported), (*events, *more), key, owner)


def with_new_id(commit: Commit, key: IdempotencyKey | None = None, owner: Owner | None = None) -> Commit:
    """Return the commit of the same game under a new id."""
    game = new_id()
    return commit_of_stream(game, commit.facts, rechain(str(game), commit.events), key, owner)


def _made_private(fact: Fact) -> Fact:
    """Return a fact with the option ``private``, if it has options."""
    if isinstance(fact, TableOpened | GameStarted):
        return replace(fact, options=replace(fact.options, private=True))
    return fact


def require_times(events: Sequence[bytes], latest: str) -> None:
    """Raise ``RecordRefused`` unless the times of the events are valid, in order, and not after ``latest``."""
    before = ""
    for version, event in enumerate(events, 1):
        at = at_of(version, event)
        if not is_time(at):
            raise RecordRefused(f"event {version}", f"at is {at}, which is not a valid time")
        if at < before:
            raise RecordRefused(f"event {version}", f"at is {at}, which is before the previous event")
        if at > latest:
            raise RecordRefused(f"event {version}", f"at is {at}, which is in the future")
        before = at


def _nearest_boundaries(database: Database, newest: LoadedGame, at: int) -> list[int]:
    """Return the version before and the version after this one at which a game could be forked, if there are any."""
    if newest.timeline.now is None:
        return []
    first, end = moment_at_depth(newest.timeline.now, 0).version, newest.version
    around = range(max(at - LONGEST_DECISION, 1), min(at + LONGEST_DECISION, end) + 1)
    decided = (
        version for version, event in select_parts(database, newest.id, (around,)) if _is_decided(version, event)
    )
    boundaries = [first, *(version - 1 for version in decided if version > first), end]
    before, after = [one for one in boundaries if one < at], [one for one in boundaries if one > at]
    return [*(before and [max(before)]), *(after and [min(after)])]


def _begins_decision(database: Database, game: UUID, version: int) -> bool:
    """Return whether an event is the first one of a decision."""
    (event,) = select_parts(database, game, (range(version, version + 1),))
    return _is_decided(*event)


def _is_decided(version: int, event: bytes) -> bool:
    return isinstance(fact_of(version, event), _DECIDED)
