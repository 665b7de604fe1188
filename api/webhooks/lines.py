"""The notices of endpoints that wait to be tried, in order for each game. Nothing here waits or writes.

A line is the queue of an endpoint. Lines that have read up to the same mark are in a group, which reads once for all.
A line with many waiting notices leaves its group and reads no further until some are settled. So a dead endpoint costs
only its tries. All lines that can read on do so in one group, from the earliest of their marks, and each skips what it
has read.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from uuid import UUID

from domain.store import Endpoint, Found, Mark, Noted, NoticePage, Statement, webhooks

MOST_FAILING = 10
"""The number of games with failed notices from which on an endpoint reads no further."""

MOST_NOTED = 30
"""The number of stored notices from which on an endpoint reads no further."""

MOST_FRESH = 500
"""The number of notices that wait for their first try from which on an endpoint reads no further."""

MOST_IN_ALL = 20_000
"""The number of notices of all endpoints that wait for their first try."""


class Pending:
    """A notice that waits to be tried. A noted one is stored, or is going to be with the next progress."""

    __slots__ = ("found", "next_at", "noted", "tries")

    def __init__(self, found: Found, tries: int = 0, next_at: float = 0, noted: bool = False) -> None:
        self.found, self.tries, self.next_at, self.noted = found, tries, next_at, noted


class Total:
    """The numbers of notices of all lines: those that wait for their first try, and the noted ones."""

    def __init__(self) -> None:
        self.fresh = self.noted = 0


class Line:
    """The queue of an endpoint."""

    def __init__(self, endpoint: Endpoint, mark: Mark, total: Total) -> None:
        """Begin at a mark."""
        self.endpoint = endpoint
        self.group: Group | None = None
        self.left_at = mark
        self._total = total
        self.games: dict[UUID, deque[Pending]] = {}
        self.ready: deque[UUID] = deque()
        self.busy: set[UUID] = set()
        self.failing_since = endpoint.failing_since
        self.held_until = 0.0
        self.closed = self.queued = False
        self.noted = self.fresh = 0
        self.stored = endpoint.mark, endpoint.failing_since
        self._dirty: dict[Pending, None] = {}
        self._gone: list[Found] = []

    @property
    def mark(self) -> Mark:
        """The mark up to which the line has read."""
        if self.group is None:
            return self.left_at
        return _later(self.group.mark, self.left_at)

    def has_read(self, found: Found) -> bool:
        """Return whether a notice is before the mark at which the line left its last group; lapses may come again."""
        return found.notice.type != "game.lapsed" and found.position <= self.left_at.position

    @property
    def failing_games(self) -> int:
        return sum(1 for waiting in self.games.values() if waiting[0].noted) if self.noted else 0

    def is_full(self, part: float = 1) -> bool:
        """Return whether the line has too many notices, or more than a part of that."""
        return (
            self.fresh >= MOST_FRESH * part
            or self.noted >= MOST_NOTED * part
            or (self.noted >= MOST_FAILING * part and self.failing_games >= MOST_FAILING * part)
        )

    def add(self, pending: Pending) -> bool:
        """Add a notice after those of its game; return whether it is the first one, False also if it is known."""
        waiting = self.games.setdefault(pending.found.game, deque())
        if any(_key(other.found) == _key(pending.found) for other in waiting):
            return False
        first = not waiting
        waiting.append(pending)
        if pending.noted:
            self._count(noted=1)
        else:
            self._count(fresh=1)
            if pending.found.notice.type == "game.lapsed" or waiting[0].noted:
                self.note(pending)
        return first

    def note(self, pending: Pending) -> None:
        """Store a notice, so that the mark can go beyond it."""
        if not pending.noted:
            pending.noted = True
            self._count(fresh=-1, noted=1)
        self._dirty[pending] = None

    def note_game(self, game: UUID) -> None:
        """Store all notices of a game, since the first one waits for another try."""
        for pending in self.games[game]:
            self.note(pending)

    def settle(self, game: UUID) -> None:
        """Drop the first notice of a game: it was delivered, or is over."""
        waiting = self.games[game]
        pending = waiting.popleft()
        if pending.noted:
            self._count(noted=-1)
            self._gone.append(pending.found)
            self._dirty.pop(pending, None)
        else:
            self._count(fresh=-1)
        if not waiting:
            del self.games[game]

    def close(self) -> None:
        """Drop all notices."""
        self.closed = True
        self._count(-self.fresh, -self.noted)

    def _count(self, fresh: int = 0, noted: int = 0) -> None:
        self.fresh, self.noted = self.fresh + fresh, self.noted + noted
        self._total.fresh, self._total.noted = self._total.fresh + fresh, self._total.noted + noted

    @property
    def oldest(self) -> Mark:
        """The mark before all notices that are not delivered."""
        positions = [pending.found.position - 1 for waiting in self.games.values() for pending in waiting]
        return Mark(min([self.mark.position, *positions]), self.mark.lapsed_to)

    @property
    def delivered(self) -> Mark:
        """The mark up to which all notices are settled or noted."""
        if not self.fresh:
            return self.mark
        fresh = (pending.found.position for waiting in self.games.values() for pending in waiting if not pending.noted)
        return Mark(min(self.mark.position, min(fresh) - 1), self.mark.lapsed_to)

    def changes(self) -> Iterator[Statement]:
        """Return the statements that store the notices that have changed since the last call."""
        yield from (webhooks.forget(self.endpoint.id, found) for found in self._gone)
        for pending in self._dirty:
            found = pending.found
            where = self.endpoint.id, found.position, found.game, found.version, found.notice
            yield webhooks.note(Noted(*where, pending.tries, round(pending.next_at * 1000)))
        self._dirty.clear()
        self._gone.clear()


def _later(one: Mark, other: Mark) -> Mark:
    return Mark(max(one.position, other.position), max(one.lapsed_to, other.lapsed_to))


def _key(found: Found) -> tuple[object, ...]:
    return found.position, found.notice.type, found.notice.seat


class Group:
    """The lines that have read up to the same mark."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark
        self.of_app: dict[str | None, dict[Line, None]] = {}

    def add(self, line: Line) -> None:
        line.group = self
        self.of_app.setdefault(line.endpoint.app, {})[line] = None

    def remove(self, line: Line) -> None:
        """Remove a line."""
        line.group = None
        of_app = self.of_app[line.endpoint.app]
        del of_app[line]
        if not of_app:
            del self.of_app[line.endpoint.app]

    def __len__(self) -> int:
        return sum(map(len, self.of_app.values()))

    def lines(self) -> Iterator[Line]:
        return (line for of_app in self.of_app.values() for line in of_app)


class Lines:
    """All lines, and their groups."""

    def __init__(self, shared: Mark) -> None:
        self.shared = shared
        self.by_id: dict[str, Line] = {}
        self.groups: list[Group] = []
        self.total = Total()
        self._newest: Group | None = None
        self._touched: dict[Line, None] = {}
        self._returning: dict[Line, None] = {}

    def open(self, endpoint: Endpoint, noted: Iterable[Noted]) -> Line:
        """Add the line of an endpoint, with its noted notices."""
        line = self.by_id[endpoint.id] = Line(endpoint, endpoint.mark or self.shared, self.total)
        for each in noted:
            found = Found(each.position, each.game, each.version, each.notice, frozenset((endpoint.app,)))
            line.add(Pending(found, each.tries, each.next_at / 1000, noted=True))
        if not line.is_full():
            self._returning[line] = None
        self.touch(line)
        return line

    def close(self, line: Line) -> None:
        """Remove a line and its notices."""
        del self.by_id[line.endpoint.id]
        if line.group is not None:
            self._leave(line, line.group.mark)
        self._touched.pop(line, None)
        self._returning.pop(line, None)
        line.close()

    def touch(self, line: Line) -> None:
        """Store the progress of a line with the next one."""
        self._touched[line] = None

    def settle(self, line: Line, game: UUID) -> None:
        """Drop the first notice of a game, and let the line read on once it has room."""
        line.settle(game)
        if line.group is None and not line.is_full(0.5):
            self._returning[line] = None

    def rejoin(self) -> None:
        """Let the lines that have room again read on, and forget empty groups."""
        self.groups = [group for group in self.groups if group.of_app]
        if not self._returning or self.total.fresh >= MOST_IN_ALL / 2:
            return
        returning, self._returning = list(self._returning), {}
        marks = [line.left_at for line in returning]
        group = Group(Mark(min(mark.position for mark in marks), min(mark.lapsed_to for mark in marks)))
        for line in returning:
            group.add(line)
            self.touch(line)
        self.groups.append(group)
        self._merge(group.mark)

    def _leave(self, line: Line, mark: Mark) -> None:
        if line.group is not None:
            line.group.remove(line)
            line.left_at = _later(mark, line.left_at)
            self.touch(line)

    def receive(self, group: Group, page: NoticePage) -> Iterator[tuple[Line, UUID]]:
        """Add the notices of a page to the lines of a group, and yield those with a notice that can be tried."""
        for found in page.found:
            is_lapse = found.notice.type == "game.lapsed"
            before = Mark(page.mark.position if is_lapse else found.position - 1, group.mark.lapsed_to)
            for app in found.audience:
                for line in [line for line in group.of_app.get(app, ()) if found.notice.type in line.endpoint.events]:
                    if not line.has_read(found) and self._has_room(line, before) and line.add(Pending(found)):
                        yield line, found.game
        group.mark = page.mark
        if group is not self._newest:
            self._touched.update(dict.fromkeys(group.lines()))
        self._merge(group.mark)

    def _has_room(self, line: Line, before: Mark) -> bool:
        """Return whether a line may have another notice; else it leaves its group at a mark."""
        self.touch(line)
        if not line.is_full() and self.total.fresh < MOST_IN_ALL:
            return True
        self._leave(line, before)
        if not line.is_full():  # it has to wait for others
            self._returning[line] = None
        return False

    def _merge(self, mark: Mark) -> None:
        """Move all lines at a mark to the largest of their groups, and forget empty groups."""
        largest, *others = sorted((group for group in self.groups if group.mark == mark), key=len, reverse=True)
        for other in others:
            for line in list(other.lines()):
                other.remove(line)
                largest.add(line)
                self.touch(line)
        self.groups = [group for group in self.groups if group.of_app]

    def progress(self) -> Iterator[Statement]:
        """Return the statements that store the progress. The lines that have read furthest share one mark."""
        newest = max(self.groups, key=lambda group: group.mark, default=None)
        if newest is not self._newest:
            for group in (each for each in (newest, self._newest) if each is not None):
                self._touched.update(dict.fromkeys(group.lines()))
            self._newest = newest
        touched, self._touched = self._touched, {}
        if newest is not None:
            positions = [line.delivered.position for line in touched if line.group is newest]
            self.shared = Mark(min([newest.mark.position, *positions]), newest.mark.lapsed_to)
            yield webhooks.share(self.shared)
        for line in touched:
            now = None if newest is not None and line.group is newest else line.delivered, line.failing_since
            if now != line.stored:
                line.stored = now
                yield webhooks.move(line.endpoint.id, *now)
            yield from line.changes()
            if line.fresh:
                self.touch(line)
