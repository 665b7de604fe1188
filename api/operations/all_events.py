"""The events of all public games: pages, long polls, and server-sent events."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.params import HeaderParameter, QueryParameter
from msgspec import Meta

from api.http.apps import app_of, may_still_act
from api.http.event_stream import (
    MEDIA_TYPE,
    RETRY,
    RETRY_SECONDS,
    EventStream,
    HeartbeatTimer,
    invalid_event_id,
    sse_event,
    sse_position,
)
from api.http.operation import get
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest, while_connected
from api.http.responses import Encoded
from api.operations.events import BYTES_READ, PAGE_COST, Wait
from domain.store import EpochChanged, PublicPage, StorageUnavailable, require_epoch
from domain.stream import Envelope

PAGE_LENGTH = 500

ROWS_READ = 10
"""The number of rows that cost 1 more, in addition to their bytes."""

ROWS_LEFT_OUT = 40
"""The number of rows of private games that cost 1 more."""

ROWS_PER_CHUNK = 50
"""The number of rows that a stream sends at once. The server holds several chunks for a client that does not read."""

NOT_STORED = {"cache-control": "no-store"}

MOST = 2**53
EPOCH_PATTERN = "^[0-9a-f]{12}$"
ID_PATTERN = "^[0-9a-f]{12}-[0-9]{1,15}$"

_is_id = re.compile(ID_PATTERN[1:-1]).fullmatch

AfterPosition = Annotated[
    Annotated[int, Meta(ge=0, le=MOST)],
    QueryParameter(name="after", description="Only rows after this position."),
]
StreamAfter = Annotated[
    Annotated[int, Meta(ge=0, le=MOST)] | None,
    QueryParameter(
        name="after",
        description="Start after this position, 0 for all rows. Default: only new rows. `Last-Event-ID` overrides it.",
    ),
]
RowsPerPage = Annotated[
    Annotated[int, Meta(ge=1, le=1000)], QueryParameter(name="limit", description="Maximum number of rows.")
]
Epoch = Annotated[
    Annotated[str, Meta(pattern=EPOCH_PATTERN)] | None,
    QueryParameter(
        name="epoch", description="The `epoch` to which your position belongs. If it has changed, the response is 410."
    ),
]
LastId = Annotated[
    str | None,
    HeaderParameter(
        name="Last-Event-ID",
        description="The `id` of the last event that you got; the stream continues after it. Browsers send this.",
        schema_extra={"pattern": ID_PATTERN, "example": "5f0c1a7e2b9d-12"},
    ),
]

Position = Annotated[int, Meta(ge=0, description="The position of the row among all rows. Positions may have gaps.")]


class FeedItem(msgspec.Struct, frozen=True):
    """A stored row: events of a game that were stored together."""

    position: Position
    game: Annotated[UUID, Meta(description="The id of the game.")]
    events: Annotated[
        tuple[Envelope, ...],
        Meta(description="The events, as in the stream of the game. Empty if the row is damaged: see `audit_game`."),
    ]


class FeedPage(msgspec.Struct, frozen=True):
    """Rows of all public games in the order in which they were stored."""

    epoch: Annotated[
        str,
        Meta(
            pattern=EPOCH_PATTERN,
            description="The epoch of the positions. It changes when the database is restored from a backup.",
        ),
    ]
    items: tuple[FeedItem, ...]
    next: Annotated[int, Meta(ge=0, description="Send it as `after` to read on.")]


class FeedHeartbeat(msgspec.Struct, frozen=True):
    """A sign that the connection is alive."""

    position: Annotated[int, Meta(description="The position up to which the stream is complete.")]


class AllEventsController(Controller):
    """The events of all public games."""

    path = "/v1/events"
    tags = ("stream",)

    @get(
        summary="Read the events of all public games, or wait for new ones",
        response_description="Rows in order.",
        problems=("epoch_changed",),
    )
    async def watch_all_events(
        self,
        request: ApiRequest,
        after: AfterPosition = 0,
        epoch: Epoch = None,
        limit: RowsPerPage = PAGE_LENGTH,
        wait: Wait = 0,
    ) -> Encoded[FeedPage]:
        """Read everything that was ever stored, for statistics, search, archives and ratings of your own.

        Repeat the request with `next` as `after` and with `epoch`. A page may have fewer rows than `limit` although
        more follow: you are at the end when `next` is your `after`. With `wait=20` the response is sent as soon as
        something happens. `stream_all_events` sends the same as it is stored.

        Private games are left out, except those that your application opened (`X-App-Key`). When a game is deleted
        (`table_deleted`) or erased (`game_removed`), delete your copy: from then on this is the only event of the game.
        If the database was restored from a backup, the response is 410 `epoch_changed`: start again at 0.
        """
        events, page = request.service.public_events, None
        if wait:
            waiting = events.next_page(after, limit, epoch, wait, request.client_name, app_of(request))
            page = await while_connected(request.receive, waiting)
        if page is None:
            page = await events.page(after, limit, epoch, app_of(request))
        items = b",".join(row.text for row in page.rows)
        body = b'{"epoch":"%b","items":[%b],"next":%d}' % (page.epoch.encode(), items, page.next)
        request.charge(_cost(page), afterwards=True)
        return Encoded(body, headers=NOT_STORED)

    @get(
        "/stream",
        summary="Stream the events of all public games",
        response_description="Server-sent events, until the client disconnects.",
        problems=("epoch_changed",),
        media_type=MEDIA_TYPE,
    )
    async def stream_all_events(
        self, request: ApiRequest, after: StreamAfter = None, epoch: Epoch = None, last_id: LastId = None
    ) -> EventStream[FeedItem | FeedHeartbeat]:
        """Get every row once and in order, as `watch_all_events` returns it.

        The `id` of an event is `<epoch>-<position>`. After a lost connection, send `Last-Event-ID` to continue without
        gaps; browsers do so automatically. Without new rows, a `heartbeat` is sent every 15 seconds (or as the server
        is configured), also with an `id`. The stream ends when the database is restored from a backup or the server
        stops; with an id of another epoch the response is 410 `epoch_changed`.
        """
        if last_id is not None:
            epoch, after = _parse_id(last_id)
        return EventStream(_following(request, after, epoch), partial(_chunks, request, after))


@asynccontextmanager
async def _following(request: ApiRequest, after: int | None, epoch: str | None) -> AsyncGenerator[PublicPage]:
    """Follow new rows while the context is open. Return the first page without its rows: the position exists."""
    events = request.service.public_events
    async with events.watching(request.client_name):
        page = await _paid_page(request, events.position if after is None else after)
        require_epoch(epoch, page.epoch)
        yield PublicPage(page.epoch, (), page.next)


async def _chunks(request: ApiRequest, after: int | None, first: PublicPage) -> AsyncGenerator[bytes, None]:
    """Yield rows until the stream is over."""
    events, heartbeat = request.service.public_events, HeartbeatTimer(request.app.state["heartbeat"])
    epoch, restored = first.epoch, events.restored
    position = first.next if after is None else after
    yield RETRY + sse_position(f"{epoch}-{position}")
    read_after: Callable[[int], Awaitable[PublicPage]] = partial(events.after, app=app_of(request))  # paid already
    while not events.is_over(restored):
        try:
            page = await read_after(position)
        except (ApiProblem, EpochChanged, StorageUnavailable):  # the stream soon ends if the database was restored
            await asyncio.sleep(RETRY_SECONDS)
            continue
        read_after = partial(_paid_page, request)
        if page.epoch != epoch or not await may_still_act(request):
            return
        if page.rows:
            for start in range(0, len(page.rows), ROWS_PER_CHUNK):
                rows = page.rows[start : start + ROWS_PER_CHUNK]
                yield b"".join([_EVENT % (epoch.encode(), row.position, row.text) for row in rows])
            heartbeat.restart()
        elif page.next == position >= events.position:
            await events.notifier.wait(heartbeat.remaining)
        position = page.next
        if not heartbeat.remaining:
            yield sse_event(msgspec.json.encode(FeedHeartbeat(position)), f"{epoch}-{position}", b"heartbeat")
            heartbeat.restart()


_EVENT = b"id: %b-%d\ndata: %b\n\n"
"""An event as ``sse_event`` makes it, in a third of the time."""


async def _paid_page(request: ApiRequest, position: int) -> PublicPage:
    """Return the rows after a position, and charge for them; before a read that has to wait, raise a problem."""
    events, app = request.service.public_events, app_of(request)
    if not events.is_in_memory(position, app):
        request.charge(PAGE_COST)
    page = await events.after(position, app)
    if not page.from_memory:
        request.charge(_cost(page) - PAGE_COST, afterwards=True)
    return page


def _cost(page: PublicPage) -> float:
    rows = len(page.rows) / ROWS_READ + page.left_out / ROWS_LEFT_OUT
    return PAGE_COST + rows + sum(len(row.text) for row in page.rows) / BYTES_READ


def _parse_id(header: str) -> tuple[str, int]:
    """Return the epoch and the position of an id, or raise a problem."""
    if _is_id(header) is None:
        raise invalid_event_id()
    epoch, _, position = header.partition("-")
    return epoch, int(position)
