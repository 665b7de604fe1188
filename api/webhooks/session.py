"""A session of the delivery: what one process does while it has the lease."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import uniform
from time import monotonic
from uuid import UUID

from api.webhooks.lines import MOST_IN_ALL, Line, Lines
from api.webhooks.message import body_of, headers_of, id_of
from api.webhooks.sender import Reply
from domain.notices import is_due
from domain.store import (
    Endpoint,
    Found,
    GameService,
    Lease,
    Noted,
    Statement,
    StorageUnavailable,
    UnknownGame,
    webhooks,
)
from domain.stream import UnreadableEvent

_log = logging.getLogger("franchise")

DELAYS = (0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""The seconds before each try of a notice. An endpoint that fails the last one is switched off."""

JITTER = 0.1
"""The share by which a delay may be longer or shorter."""

LONGEST_FAILURE = sum(DELAYS)
"""The seconds without a success after which an endpoint is switched off, although each of its notices is soon over."""

LONGEST_HOLD = 86_400.0
"""The longest ``Retry-After`` that is honoured, in seconds."""

POLL_SECONDS = 0.5
"""The time between two looks at deadlines, tries that are due, and progress that is not stored."""

GATHER_SECONDS = 0.05
"""The time for which new events are gathered."""

TRIES_AT_ONCE = 64
TRIES_OF_FAILING = 8
"""The number of requests at once to endpoints whose last request failed. These do not delay the others."""

PAUSE_SECONDS = 0.1
"""The pause after a request to such an endpoint, so that thousands of them take little of the processor."""

TRIES_OF_ENDPOINT = 8

RETRY_SECONDS = 1.0
"""The time after which a notice is tried again if its game could not be read."""

GONE = 410


Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[Reply]]
"""Sends a body with headers to a URL."""


@dataclass
class Counts:
    """Numbers for the metrics of a process. ``waiting`` notices and ``endpoints`` are those of the present session."""

    delivered: int = 0
    failed: int = 0
    switched_off: int = 0
    waiting: int = 0
    endpoints: int = 0


class Session:
    """The delivery during a lease. Notices wait in memory, and in the database after a failure."""

    def __init__(self, service: GameService, post: Post, clock: Callable[[], float], counts: Counts) -> None:
        """``clock`` returns the seconds since 1970."""
        self._service = service
        self._post = post
        self._clock = clock
        self._counts = counts
        self._later: list[tuple[float, int, Line, UUID]] = []
        self._number = count()
        self._queues: dict[bool, deque[Line]] = {False: deque(), True: deque()}
        self._running = {False: 0, True: 0}
        self._tasks: set[asyncio.Task[None]] = set()
        self._statements: list[Statement] = []
        self._changed = self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    async def run(self, holder: str, seconds: float, lease: Lease) -> None:
        """Deliver until the session is stopped, the lease is lost, or an operator changes endpoints."""
        self._holder, self._seconds, self._lease = holder, seconds, lease
        self._renewed = monotonic()
        self._lines = Lines(lease.mark)
        try:
            await self._open()
            while not self._stopped and await self._work():
                pass
            if self._stopped:
                await asyncio.gather(*self._tasks)
                await self._store()
        finally:
            self._stopped = True
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._counts.waiting = self._counts.endpoints = 0

    async def _open(self) -> None:
        """Open the lines of all endpoints that are on."""
        store = self._service.webhooks
        noted: dict[str, list[Noted]] = {}
        for each in await store.noted():
            noted.setdefault(each.endpoint, []).append(each)
        for endpoint in await store.all():
            if endpoint.stopped is None:
                line = self._lines.open(endpoint, noted.get(endpoint.id, ()))
                for game in line.games:
                    self._schedule(line, game)
        self._lines.rejoin()

    async def _work(self) -> bool:
        """Work while lines read or while none does; return False at the end of the session."""
        if not self._lines.groups:
            return await self._step()
        async with self._service.webhooks.following():
            while not self._stopped and self._lines.groups:
                if not await self._step():
                    return False
        return True

    async def _step(self) -> bool:
        """Read, begin tries, and store the progress now and then; return False at the end of the session."""
        complete = await self._read()
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            _, _, line, game = heappop(self._later)
            if not line.closed:
                self._schedule(line, game)
        self._dispatch()
        is_time = monotonic() - self._renewed > (POLL_SECONDS if self._changed else self._seconds / 3)
        if is_time and not await self._store():
            return False
        self._counts.waiting = self._lines.total.fresh + self._lines.total.noted
        self._counts.endpoints = len(self._lines.by_id)
        if complete and not self._stopped:
            await self._service.webhooks.wait(POLL_SECONDS)
            await asyncio.sleep(GATHER_SECONDS)
        return True

    async def _read(self) -> bool:
        """Read a page for each group, and return False if there are more. The groups meet at the mark of the first."""
        self._lines.rejoin()
        complete, furthest = True, None
        for group in sorted(self._lines.groups, key=lambda group: group.mark, reverse=True):
            if not group.of_app or self._lines.total.fresh >= MOST_IN_ALL:
                continue
            page = await self._service.webhooks.read(group.mark, frozenset(group.of_app), furthest)
            self._changed = self._changed or page.mark.position > group.mark.position or bool(page.found)
            for line, game in self._lines.receive(group, page):
                self._schedule(line, game)
            complete, furthest = complete and page.complete, furthest or page.mark
        return complete

    async def _store(self) -> bool:
        """Renew the lease and store the progress; return False if the session has to end."""
        self._changed = False
        statements = [*self._statements, *self._lines.progress()]
        self._statements = []
        began = monotonic()
        lease = await self._service.webhooks.progress(self._holder, self._seconds, self._lease, statements)
        self._renewed = began
        return lease is not None and lease.changes == self._lease.changes

    # --- tries --------------------------------------------------------------------------------------------------------

    def _schedule(self, line: Line, game: UUID) -> None:
        """Let the first notice of a game wait for its time, or for its turn."""
        pending = line.games[game][0]
        at = max(pending.next_at, line.held_until)
        if at > self._clock():
            pending.next_at = at
            line.note_game(game)
            self._lines.touch(line)
            heappush(self._later, (at, next(self._number), line, game))
        else:
            line.ready.append(game)
            self._queue(line)

    def _queue(self, line: Line) -> None:
        """Queue a line that may begin another try, with the lines that fail or with the others."""
        fails = line.failing_since is not None
        if line.ready and not line.queued and len(line.busy) < (1 if fails else TRIES_OF_ENDPOINT):
            line.queued = True
            self._queues[fails].append(line)

    def _dispatch(self) -> None:
        """Begin as many tries as may run at once."""
        for fails, most in ((False, TRIES_AT_ONCE), (True, TRIES_OF_FAILING)):
            queue = self._queues[fails]
            while queue and self._running[fails] < most and not self._stopped:
                line = queue.popleft()
                line.queued = False
                if fails == (line.failing_since is not None) and line.ready and not line.closed:
                    self._begin(line, line.ready.popleft(), fails)
                if not line.closed:
                    self._queue(line)

    def _begin(self, line: Line, game: UUID, fails: bool) -> None:
        line.busy.add(game)
        self._running[fails] += 1
        task = asyncio.create_task(self._run_try(line, game, fails))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_try(self, line: Line, game: UUID, fails: bool) -> None:
        """Try once; the next notice of the game is scheduled before another one can arrive."""
        try:
            await self._try(line, game)
        finally:
            self._end(line, game, fails)

    def _end(self, line: Line, game: UUID, fails: bool) -> None:
        asyncio.get_running_loop().call_later(PAUSE_SECONDS if fails else 0, self._release, fails)
        line.busy.discard(game)
        if line.closed:
            return
        self._changed = True
        self._lines.touch(line)
        if self._stopped:
            return
        if game in line.games:
            self._schedule(line, game)
        self._queue(line)

    def _release(self, fails: bool) -> None:
        self._running[fails] -= 1
        self._dispatch()

    async def _try(self, line: Line, game: UUID) -> None:
        """Try to deliver the first notice of a game, or drop it if it is over."""
        pending = line.games[game][0]
        try:
            request = await self._request(line.endpoint, pending.found)
            if request is None:
                if not line.closed:
                    self._lines.settle(line, game)
                return
            if monotonic() - self._renewed > self._seconds:
                raise StorageUnavailable("another process may have the lease")
            reply = await self._post(line.endpoint.url, *request)
        except StorageUnavailable:
            pending.next_at = self._clock() + RETRY_SECONDS
            return
        except Exception as error:  # or else a broken notice would be tried for ever
            _log.exception("a notice cannot be sent")
            self._fail(line, [game], f"{type(error).__name__}")
            return
        if not line.closed:
            self._accept(line, game, reply)

    async def _request(self, endpoint: Endpoint, found: Found) -> tuple[bytes, dict[str, str]] | None:
        """Return the body and the headers of a notice, None if it is over."""
        try:
            loaded = await self._service.load(found.game)
        except (UnknownGame, UnreadableEvent):
            return None
        if not is_due(found.notice, found.version, loaded.timeline):
            return None
        refs: Mapping[int, str] = {}
        if endpoint.app is not None and found.notice.seat is not None:
            refs = dict(await self._service.apps.refs(found.game, endpoint.app) or ())
        body = body_of(found, refs.get(found.notice.seat) if found.notice.seat is not None else None)
        now = self._clock()
        message_id = id_of(endpoint.id, self._lease.epoch, found)
        return body, headers_of(message_id, int(now), body, endpoint.secrets(round(now * 1000)))

    def _accept(self, line: Line, game: UUID, reply: Reply) -> None:
        """Settle a notice that has arrived, or let it wait for the next try."""
        if reply.status is not None and 200 <= reply.status < 300:
            self._counts.delivered += 1
            line.failing_since = None
            self._lines.settle(line, game)
            return
        self._counts.failed += 1
        if reply.status == GONE:
            self._switch_off(line, "410 Gone")
            return
        games = [game]
        if reply.status is None:  # this would happen to the others, too
            games += line.ready
            line.ready.clear()
        if reply.retry_after is not None:
            line.held_until = self._clock() + min(reply.retry_after, LONGEST_HOLD)
            held = [other for other in line.ready if other not in games]
            line.ready.clear()
            for other in held:
                self._schedule(line, other)
        self._fail(line, games, reply.error or f"status {reply.status}")

    def _fail(self, line: Line, games: list[UUID], why: str) -> None:
        """Count a failed try for the first notices of games. The last try switches the endpoint off."""
        now = self._clock()
        if line.failing_since is None:
            line.failing_since = round(now * 1000)
        for game in games:
            pending = line.games[game][0]
            pending.tries += 1
            if pending.tries >= len(DELAYS) or now - line.failing_since / 1000 > LONGEST_FAILURE:
                self._switch_off(line, f"no try has succeeded: {why}")
                return
            pending.next_at = now + DELAYS[pending.tries] * uniform(1 - JITTER, 1 + JITTER)
            line.note_game(game)
        for game in games[1:]:
            self._schedule(line, game)

    def _switch_off(self, line: Line, why: str) -> None:
        self._counts.switched_off += 1
        mark = line.oldest
        self._lines.close(line)
        self._statements += webhooks.stop(line.endpoint.id, mark, why)
        self._changed = True
        facts = {"webhook": line.endpoint.id, "why": why, "position": mark.position}
        _log.warning("a webhook was switched off", extra={"facts": facts})
