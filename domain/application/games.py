"""The games of a database: looking at one, at any version, and changing it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, islice, starmap
from typing import Any
from uuid import UUID

import msgspec

from domain.application import keys, tokens
from domain.application.append import Answer, Append, Change, go_on, heads
from domain.application.commands import Command
from domain.application.database import Database
from domain.application.errors import Conflict, StaleVersion, UnknownGame, UnknownVersion
from domain.application.held import Held, Row, hold
from domain.application.keys import Key
from domain.application.recent import Recent
from domain.application.tokens import Caller
from domain.audit import Audit, Head, audit
from domain.records import record
from domain.stream import Recorded, read, told_apart
from domain.table import surviving

NEWEST = 2**62

PAST_HELD = 100
"""How many games are kept in memory as they were at an earlier version."""


class Events(msgspec.Struct, frozen=True):
    """A part of a stream as JSON, and the version after which the next part begins, None if there is none."""

    items: tuple[bytes, ...]
    next: int | None
    version: int


class Games:
    """All games of a database, those used last held in memory."""

    def __init__(self, database: Database, held: int = 1000) -> None:
        self.database = database
        # By the number that the id is: as a key that is found much faster.
        self._held: Recent[int, Held] = Recent(held)
        self._past: Recent[tuple[int, int], Held] = Recent(PAST_HELD)

    # --- looking --------------------------------------------------------------------------------------------------

    def held(self, game: UUID) -> Held | None:
        """The game as it was when it was last looked at, if it is in memory."""
        held = self._held.get(game.int)
        return None if held is None or held.table.deleted else held

    def look(self, game: UUID) -> Held:
        """The game as it is now, whoever changed it; raises ``UnknownGame``."""
        held = self._held.get(game.int)
        found = self.database.select((_SINCE, (game.hex, held.version if held else 0)))
        if found:
            rows = list(chain.from_iterable(starmap(told_apart, found)))
            held = hold(game, rows, held)
            self._held.put(game.int, held)
        if held is None or held.table.deleted:
            raise UnknownGame(game)
        return held

    def look_at(self, game: UUID, version: int) -> Held:
        """The game as it was at a version; raises ``UnknownVersion``."""
        newest = self.look(game)
        if version == newest.version:
            return newest
        if not 1 <= version < newest.version:
            raise UnknownVersion(version, newest.version)
        held = self._past.get((game.int, version))
        if held is None:
            held = hold(game, self.rows(game, 0, version))
            self._past.put((game.int, version), held)
        return held

    def rows(self, game: UUID, after: int = 0, upto: int = NEWEST) -> list[Row]:
        """The stored events after one version, up to another."""
        found = self.database.select((_BETWEEN, (game.hex, game.hex, after + 1, upto)))
        return [row for stored in found for row in told_apart(*stored) if after < row[0] <= upto]

    def events(self, game: UUID, after: int, limit: int, *, full: bool) -> Events:
        """The events after a version: all that are stored, or those in force."""
        held = self.look(game)
        newest = held.version
        in_force = (range(1, newest + 1),) if full else surviving(held.table.restored, newest)
        versions = chain.from_iterable(range(max(part.start, after + 1), part.stop) for part in in_force)
        asked = list(islice(versions, limit))
        if not asked:
            return Events((), None, newest)
        chosen = frozenset(asked)
        rows = self.rows(game, asked[0] - 1, asked[-1])
        items = tuple(event for version, event in rows if version in chosen)
        return Events(items, asked[-1] if asked[-1] < in_force[-1][-1] else None, newest)

    def story(self, game: UUID, at: int | None = None) -> tuple[Recorded, ...]:
        """The events in force at a version, as values."""
        held = self.look(game) if at is None else self.look_at(game, at)
        rows = self.rows(game, 0, held.version)
        in_force = surviving(held.table.restored, held.version)
        return tuple(read(*rows[version - 1]) for part in in_force for version in part)

    def audit(self, game: UUID) -> Audit:
        """Whether the stream is as it was written, and follows from the rules."""
        head, rows = self._head(game), self.rows(game)
        while (now := self._head(game)) != head:  # somebody wrote in between
            head, rows = now, self.rows(game)
        if not rows and not head:
            raise UnknownGame(game)
        return audit(str(game), rows, Head(*head[0]) if head else None)

    def _head(self, game: UUID) -> Sequence[tuple[Any, ...]]:
        return self.database.select(("SELECT version, digest FROM heads WHERE game = ?", (game.hex,)))

    def record(self, game: UUID) -> bytes:
        """The game as a portable document."""
        held = self.look(game)
        return record(str(game), held.table, [event for _, event in self.rows(game, 0, held.version)])

    def ids(self) -> list[UUID]:
        """All games."""
        return [UUID(game) for (game,) in self.database.select(("SELECT game FROM heads ORDER BY game", ()))]

    def caller(self, token: str) -> Caller | None:
        """Whose token this is."""
        found = self.database.select(tokens.find(token))
        return tokens.caller(*found[0]) if found else None

    # --- changing -------------------------------------------------------------------------------------------------

    def replay(self, key: Key | None) -> bytes | None:
        """The first answer to a key, None if it is new; raises ``KeyReused``."""
        if key is None:
            return None
        found = self.database.select(keys.find(key))
        return keys.first_answer(key, *found[0]) if found else None

    def remember(self, key: Key, answer: bytes) -> bytes:
        """Keep an answer under a key although nothing else is stored with it; gives the first answer to the key."""
        while (first := self.replay(key)) is None:
            with suppress(Conflict):
                self.database.append((), (keys.keep(key, answer),))
        return first

    def store(self, appends: Sequence[Append], *, wait: bool = True) -> None:
        """Store changes in one transaction; raises ``Conflict`` and stores none if one of them comes too late."""
        lines = [line for append in appends for line in append.lines()]
        statements = [*heads(appends), *(statement for append in appends for statement in append.statements())]
        self.database.append(lines, statements, wait=wait)

    def settle(self, append: Append) -> bytes:
        """Go on from what was stored; gives the answer."""
        self._held.put(append.change.id.int, append.change.held)
        return append.answer

    def change(
        self, game: UUID, command: Command, answer: Answer, *, seen: int | None = None, key: Key | None = None
    ) -> bytes:
        """Change a game and give the answer, or the first answer to the key. Whoever comes too late decides anew."""
        return self.perform(lambda: decide(self.look(game), command, seen), answer, key)

    def perform(self, make: Callable[[], Change], answer: Answer, key: Key | None = None) -> bytes:
        """Decide and store until nobody else was faster."""
        while (first := self.replay(key)) is None:
            change = make()
            append = Append(change, answer(change), key)
            try:
                self.store([append])
            except Conflict:
                continue
            return self.settle(append)
        return first


def decide(held: Held, command: Command, seen: int | None) -> Change:
    """What a command changes; raises ``StaleVersion`` if the caller has seen another version."""
    if seen is not None and seen != held.version:
        raise StaleVersion(seen, held.version)
    return go_on(held, command(held))


_SINCE = (
    "SELECT originator_version, state FROM stored_events"
    " WHERE originator_id = ? AND originator_version > ? ORDER BY originator_version"
)
"""After a version at which something was stored to its end."""

_BETWEEN = (
    "SELECT originator_version, state FROM stored_events WHERE originator_id = ? AND originator_version >= COALESCE("
    "(SELECT MAX(originator_version) FROM stored_events WHERE originator_id = ? AND originator_version <= ?), 0)"
    " AND originator_version <= ? ORDER BY originator_version"
)
"""From what holds a version on; it may begin before."""
