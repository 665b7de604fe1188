"""Notices in the order of all games, read from the rows of events and from the deadlines that have passed.

No row is stored when a notice arises: a reader knows the position and the deadline up to which it has read.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, starmap
from typing import Any, NamedTuple
from uuid import UUID

from domain.absence import deadline_of
from domain.clock import limit_starts
from domain.notices import Notice, lapses_of, notices_of
from domain.store import due
from domain.store.apps import owners
from domain.store.database import ReadDatabase
from domain.store.errors import UnknownGame, UnknownVersion
from domain.store.feed import game_of
from domain.store.games import EVENT_BYTES, GAME_BYTES, BoundedCache, LoadedGames
from domain.store.streams import ROWS_AFTER, find_ends, is_private
from domain.store.work import filled_up, parts_of
from domain.stream import UnreadableEvent, VersionedEvent, at_of, facts_of, is_last, split_row
from domain.timeline import Timeline, follow

_log = logging.getLogger(__name__)

ROWS_AT_ONCE = 200
LAPSES_AT_ONCE = 100

FOLDED_BYTES = 32 << 20
"""The approximate size of the games that are kept to follow them."""

GAMES_KNOWN = 10_000
"""The number of games whose owners are kept."""

App = str | None
"""An application; None stands for endpoints without one."""


class Mark(NamedTuple):
    """The end of what a reader has read: the position of a row, and a deadline."""

    position: int
    lapsed_to: str


class Found(NamedTuple):
    """A notice of a game at a version, with the position of its row, and those who may get it."""

    position: int
    game: UUID
    version: int
    notice: Notice
    audience: frozenset[App]


class NoticePage(NamedTuple):
    """Notices after a mark, and the mark after them. ``complete`` if there were no more rows."""

    found: Sequence[Found]
    mark: Mark
    complete: bool


class _Decision(NamedTuple):
    """The rows of one decision: the position of the last one, the game, and the events."""

    position: int
    game: UUID
    events: Sequence[VersionedEvent]


class NoticeReader:
    """Reads notices, and keeps the games that it has followed. One thread at a time may use it."""

    def __init__(self, database: ReadDatabase, games: LoadedGames) -> None:
        self._database = database
        self._games = games
        self._folded: BoundedCache[UUID, Timeline] = BoundedCache(FOLDED_BYTES)
        self._owners: BoundedCache[UUID, tuple[bool, App]] = BoundedCache(GAMES_KNOWN)

    def read(self, mark: Mark, wanted: Collection[App], now: str, up_to: int | None = None) -> NoticePage:
        """Return the next notices for some applications, optionally only up to the end of a decision.

        Lapses come after all rows.
        """
        rows = self._database.select((ROWS_AFTER, (mark.position, ROWS_AT_ONCE)))
        complete = len(rows) < ROWS_AT_ONCE
        if up_to is not None and rows and rows[-1][0] > up_to:
            rows, complete = [row for row in rows if row[0] <= up_to], True
        decisions = list(_decisions_of(rows))
        if not complete and len(decisions) > 1:
            decisions.pop()  # its other rows may be on the next page
        ends = rows if complete or not decisions else [decisions[-1]]
        position = ends[-1][0] if ends else mark.position
        audiences = self._audiences({decision.game for decision in decisions}, wanted)
        found = [
            Found(*where, notice, audiences[decision.game])
            for decision in decisions
            if audiences[decision.game]
            for where, notice in self._notices(decision, mark.lapsed_to)
        ]
        if not complete:
            return NoticePage(found, Mark(position, mark.lapsed_to), complete)
        lapses, lapsed_to = self._lapses(mark.lapsed_to, now, wanted)
        return NoticePage([*found, *lapses], Mark(position, lapsed_to), complete)

    def _notices(self, decision: _Decision, lapsed_to: str) -> Iterator[tuple[tuple[int, UUID, int], Notice]]:
        """Yield the notices of a decision with position, game and version; none of games that are gone or damaged."""
        game, (first, _), (last, _) = decision.game, decision.events[0], decision.events[-1]
        if is_last(decision.events[-1][1]):
            self._folded.drop(game)
            return
        try:
            before = self._timeline(game, first - 1)
            facts, times = facts_of(decision.events), starmap(at_of, decision.events)
            after = follow(before, facts, times)
        except (UnknownGame, UnknownVersion):
            return
        except (UnreadableEvent, TypeError, ValueError, LookupError) as error:
            _log.warning("no notices of a damaged game", extra={"facts": {"game": str(game), "error": repr(error)}})
            return
        self._folded.put(game, after, GAME_BYTES + EVENT_BYTES * after.version)
        for notice in notices_of(before, after):
            yield (decision.position, game, last), notice
        until = deadline_of(after)
        if until and until <= lapsed_to and (before is None or until != deadline_of(before)):
            yield from self._placed(game, after, lapses_of(after, lapsed_to))

    def _timeline(self, game: UUID, version: int) -> Timeline | None:
        folded = self._folded.get(game)
        if folded is not None and folded.version == version:
            return folded
        return self._games.load_at(game, version).timeline if version else None

    def _lapses(self, lapsed_to: str, now: str, wanted: Collection[App]) -> tuple[list[Found], str]:
        """Return the lapses between two deadlines, and the deadline up to which they are complete."""
        late = due.find_between(self._database, lapsed_to, now, LAPSES_AT_ONCE)
        if len(late) == LAPSES_AT_ONCE and late[0][1] != late[-1][1]:
            late = [each for each in late if each[1] != late[-1][1]]
            now = late[-1][1]
        audiences = self._audiences({game for game, _ in late}, wanted)
        found: list[Found] = []
        for game, deadline in late:
            if not audiences[game]:
                continue
            try:
                timeline = self._games.load(game).timeline
            except (UnknownGame, UnreadableEvent):
                continue
            for where, notice in self._placed(game, timeline, lapses_of(timeline, deadline)):
                found.append(Found(*where, notice, audiences[game]))
        return found, max(lapsed_to, now)

    def _placed(
        self, game: UUID, timeline: Timeline, lapses: Iterable[Notice]
    ) -> Iterator[tuple[tuple[int, UUID, int], Notice]]:
        """Yield lapses with the position and the version at which their limit began."""
        starts = limit_starts(timeline.clock)
        rows = self._database.select((_ROWS_OF, (game.hex,))) if (lapses := list(lapses)) else ()
        for position, first, text in rows:
            version, event = list(split_row(first, text))[-1]
            if at_of(version, event) in starts:
                yield from (((position, game, version), notice) for notice in lapses)
                return

    def _audiences(self, games: Collection[UUID], wanted: Collection[App]) -> dict[UUID, frozenset[App]]:
        """Return who may get the notices of games: those who wait for public games, and applications.

        An application gets those of the games that it opened, and of public games in which it has references.
        """
        unknown = [game for game in games if self._owners.get(game) is None]
        for part in parts_of(unknown):
            opened_by = owners(self._database, part)
            for game, ends in find_ends(self._database, part).items():
                self._owners.put(game, (is_private(game, ends), opened_by.get(game)))
        referring = self._referring(games) if any(wanted) else {}
        audiences: dict[UUID, frozenset[App]] = {}
        for game in games:
            private, owner = self._owners.get(game) or (True, None)
            known: set[App] = {owner} if owner else set()
            if not private:
                known |= {None, *referring.get(game.hex, ())}
            audiences[game] = frozenset(known.intersection(wanted))
        return audiences

    def _referring(self, games: Collection[UUID]) -> dict[str, set[str]]:
        """Return the applications with references to players, by game."""
        found: dict[str, set[str]] = {}
        for part in parts_of([game.hex for game in games]):
            values = filled_up(part)
            marks = ", ".join("?" * len(values))
            for game, app in self._database.select((f"{_REFERRING} ({marks})", values)):
                found.setdefault(game, set()).add(app)
        return found


def _decisions_of(rows: Iterable[Sequence[Any]]) -> Iterator[_Decision]:
    """Group rows by decision. All events of a decision have the same time."""
    split = (
        (position, game_of(originator), list(split_row(version, text)))
        for position, originator, version, text in rows
        if isinstance(version, int)
    )
    for (game, _), group in groupby(split, lambda row: (row[1], at_of(*row[2][0]))):
        if game is not None:
            parts = list(group)
            yield _Decision(parts[-1][0], game, list(chain.from_iterable(events for _, _, events in parts)))


_ROWS_OF = (
    "SELECT {number}, CAST(originator_version AS BIGINT), state FROM stored_events WHERE originator_id = ?"
    " ORDER BY originator_version DESC"
)
_REFERRING = "SELECT DISTINCT game, app FROM refs WHERE game IN"
