"""Server-sent events of one game."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime
from functools import partial
from math import inf
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import QueryParameter
from msgspec import Meta

from api.http.access import RequestedGame, may_still_read, provide_game
from api.http.event_stream import (
    MEDIA_TYPE,
    RETRY,
    RETRY_SECONDS,
    EventStream,
    HeartbeatTimer,
    LastEventId,
    parse_last_event_id,
    sse_event,
    sse_position,
)
from api.http.operation import READER, get
from api.http.requests import ApiRequest
from domain.field_types import Time
from domain.lobby_entry import Progress
from domain.store import Batch, Channel, LoadedGame, StorageUnavailable, UnknownGame, now
from domain.stream import Envelope, UnreadableEvent

READING_COST, EVENTS_READ = 4, 20
"""The cost of reading events that are not in memory, and the number of events that cost 1 more."""

StreamAfter = Annotated[
    Annotated[int, Meta(ge=0, le=2**31 - 1)] | None,
    QueryParameter(
        name="after",
        description="Start after this version, 0 for all events. Default: only new events. `Last-Event-ID` overrides "
        "it.",
    ),
]


class Heartbeat(msgspec.Struct, frozen=True):
    """A sign that the connection is alive."""

    version: Annotated[int, Meta(description="The version of the game.")]


class Lapsed(msgspec.Struct, frozen=True):
    """The limit of a player who has to decide is over (R14.1)."""

    game: Annotated[UUID, Meta(description="The id of the game.")]
    version: Annotated[int, Meta(description="The version of the game.")]
    seat: Annotated[int, Meta(description="The seat that has not decided in time.")]
    deadline: Annotated[Time, Meta(description="The time that has passed.")]


class Lapses:
    """The deadline of a game, and the events that tell a client once when it has passed."""

    def __init__(self, game: UUID, progress: Progress) -> None:
        self._game, self._version, self._told = game, 0, frozenset[tuple[str, int]]()
        self.follow(progress)

    def follow(self, progress: Progress) -> None:
        """Use the deadline of a later version."""
        if progress.version > self._version:
            self._version = progress.version
            self._due = frozenset((progress.deadline, seat) for seat in progress.late if progress.deadline)

    @property
    def deadline(self) -> str | None:
        """The deadline of the next event."""
        return min((deadline for deadline, _ in self._due - self._told), default=None)

    def events(self) -> bytes:
        """Return the events that are due."""
        if seconds_until(self.deadline):
            return b""
        due, self._told = sorted(self._due - self._told), self._due
        lapsed = (Lapsed(self._game, self._version, seat, deadline) for deadline, seat in due)
        return b"".join(sse_event(msgspec.json.encode(each), name=b"lapsed") for each in lapsed)


def seconds_until(deadline: str | None) -> float:
    """Return the seconds until a deadline, infinite without one."""
    if deadline is None:
        return inf
    return max(0.0, (datetime.fromisoformat(deadline) - datetime.fromisoformat(now())).total_seconds())


class StreamsController(Controller):
    """The stream of one game."""

    path = "/v1/games/{game_id:str}/stream"
    tags = ("stream",)
    dependencies = {"game": Provide(provide_game)}

    @get(
        summary="Stream the events of a game",
        response_description="Server-sent events, until the client disconnects.",
        access=READER,
        media_type=MEDIA_TYPE,
    )
    async def stream_events(
        self, request: ApiRequest, game: RequestedGame, after: StreamAfter = None, last_event_id: LastEventId = None
    ) -> EventStream[Envelope | Heartbeat | Lapsed]:
        """Get every event once and in order, as `watch_events` with `view=full` returns it.

        The `id` of an event is its version. After a lost connection, send `Last-Event-ID` to continue without gaps;
        browsers do so automatically. The events of one decision are sent together. Without events, a `heartbeat` with
        the version is sent every 15 seconds (or as the server is configured). With a turn limit, `lapsed` is sent once
        when `deadline` passes, and once to each client that connects later.

        A private game needs its token in `Authorization`. `EventSource` cannot send it, but `fetch` can. The stream
        ends when the token is revoked, the game is deleted, or the server stops. If no heartbeat arrives because a
        proxy buffers the stream, use `watch_events` with `wait`.
        """
        if last_event_id is not None:
            after = parse_last_event_id(last_event_id)
        version = game.version if after is None else after
        return EventStream(
            request.service.watchers.watching(game.id, request.client_name),
            partial(_chunks, request, game, version),
        )


async def _chunks(request: ApiRequest, game: LoadedGame, version: int, channel: Channel) -> AsyncGenerator[bytes, None]:
    """Yield the events after a version until the stream is over or the caller may no longer read them."""
    lapses = Lapses(game.id, game.progress)
    watchers, heartbeat = request.service.watchers, HeartbeatTimer(request.app.state["heartbeat"])
    version = min(version, channel.version)
    yield RETRY + sse_position(version)
    while not watchers.is_over(channel):
        try:
            batches = await _next_batches(request, game, channel, version, lapses)
        except StorageUnavailable:
            await asyncio.sleep(RETRY_SECONDS)
            if not heartbeat.remaining:
                yield _heartbeat(channel)
                heartbeat.restart()
            continue
        if batches is None:
            return
        for batch in batches:
            yield _encoded(batch)
            version = batch.last
            heartbeat.restart()
        if watchers.is_over(channel) or (batches and version < channel.version):
            continue
        if news := await _wait(channel, heartbeat, lapses):
            yield news


async def _next_batches(
    request: ApiRequest, game: LoadedGame, channel: Channel, version: int, lapses: Lapses
) -> list[Batch] | None:
    """Return the batches after a version, from memory or the database; None if the caller may no longer read them."""
    try:
        if channel.private and not await may_still_read(request, game.id):
            return None
        batches = channel.after(version)
        if batches is None:
            batches = await request.service.batches(game.id, version)
            request.charge(READING_COST + sum(len(batch.events) for batch in batches) / EVENTS_READ, afterwards=True)
        if batches and game.table.options.turn_limit:
            lapses.follow((await request.service.load(game.id)).progress)
        return batches
    except (UnknownGame, UnreadableEvent):
        return None


async def _wait(channel: Channel, heartbeat: HeartbeatTimer, lapses: Lapses) -> bytes:
    """Wait for events, for the next heartbeat, or for a deadline; return what has to be sent."""
    if lapsed := lapses.events():
        return lapsed
    if await channel.notifier.wait(min(heartbeat.remaining, seconds_until(lapses.deadline))) or heartbeat.remaining:
        return b""
    heartbeat.restart()
    return _heartbeat(channel)


def _heartbeat(channel: Channel) -> bytes:
    return sse_event(msgspec.json.encode(Heartbeat(channel.version)), name=b"heartbeat")


def _encoded(batch: Batch) -> bytes:
    """Return the events of a batch, encoded once for all clients."""
    text = batch.texts.get(MEDIA_TYPE)
    if text is None:
        events = enumerate(batch.events, batch.first)
        text = batch.texts[MEDIA_TYPE] = b"".join(sse_event(event, version) for version, event in events)
    return text
