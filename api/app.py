"""The application, and the wiring of all its parts."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.types import ControllerRouterHandler

from api.bots.runner import BotRunner
from api.bots.workers import BotWorkers
from api.http.exception_handlers import PROBLEM_DETAILS, log_failure, log_storage_error, refusal_response
from api.http.hooks import ResponseHook, cors_config, request_middleware
from api.http.limits import HOUR, RateLimit, SeatLimit, request_limit, upload_middleware
from api.http.log import RequestLog, flush_log, open_log
from api.http.requests import ApiRequest, BodyTimeout
from api.http.shutdown import on_stop_signal
from api.operations.absence import AbsenceController
from api.operations.all_events import AllEventsController
from api.operations.apps import RefsController
from api.operations.boards import BoardsController, render_boards
from api.operations.bots import BotsController, HintController
from api.operations.events import EventsController
from api.operations.history import HistoryController
from api.operations.hosting import HostController
from api.operations.lobby_stream import LobbyStreamController
from api.operations.moves import MovesController
from api.operations.pictures import GamePicturesController, MapPicturesController
from api.operations.records import GameRecordController, RecordsController
from api.operations.rematches import RematchController
from api.operations.seats import SeatsController
from api.operations.service import ServiceController
from api.operations.spectators import SpectatorsController
from api.operations.streams import StreamsController
from api.operations.tables import GameController, TableController, TablesController
from api.operations.views import ViewsController
from api.settings import Settings, read_region_tiles, read_settings, unknown_settings, webhook_networks
from api.web.documents import DocumentsController
from api.web.play_page import EmbedController, PlayController, not_found_response
from api.webhooks.delivery import Delivery
from api.webhooks.sender import Sender
from domain.refused import Refused
from domain.store import BoundedCache, Limits, Observer, open_service

if TYPE_CHECKING:
    from api.metrics.recorder import Metrics

VIEW_OVERHEAD = 1000
"""The approximate bytes that a cached view needs in addition to its text."""

CONTROLLERS: tuple[ControllerRouterHandler, ...] = (
    ServiceController,
    DocumentsController,
    PlayController,
    EmbedController,
    TablesController,
    SeatsController,
    RefsController,
    GameController,
    TableController,
    HostController,
    SpectatorsController,
    AbsenceController,
    RematchController,
    ViewsController,
    GamePicturesController,
    HintController,
    HistoryController,
    MovesController,
    EventsController,
    StreamsController,
    LobbyStreamController,
    AllEventsController,
    GameRecordController,
    BoardsController,
    MapPicturesController,
    BotsController,
)


def serve_app() -> Litestar:
    """Create the application of a serving process from the environment."""
    settings = read_settings()
    log = open_log(settings.log_level)
    for name in unknown_settings():
        log.warning("unknown setting", extra={"facts": {"variable": name}})
    app = create_app(settings)
    tune_garbage_collection()
    let_light_requests_pass()
    return app


def tune_garbage_collection() -> None:
    """Freeze start-up objects and make full collections rare, since they stop a server with many cached games."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 1_000)


def let_light_requests_pass() -> None:
    """Let the event loop interrupt threads with heavy work after 1 ms instead of 5 ms."""
    sys.setswitchinterval(0.001)


def create_app(settings: Settings, openapi_config: OpenAPIConfig | None = None) -> Litestar:
    tiles = read_region_tiles(settings)
    limits = msgspec.convert(settings, Limits, from_attributes=True)
    metrics = _open_metrics(settings)
    shared = _shared_state(settings)
    service = open_service(settings.database_url, region_tiles=tiles, limits=limits, observer=_observer(metrics))
    runner = BotRunner(service, shared["bot_workers"])
    sender = Sender(webhook_networks(settings))
    delivery = Delivery(service, sender.post)
    request_log = RequestLog(settings.log_level)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        async with service, runner, sender, delivery:
            with on_stop_signal(service.close_streams, shared["body_timeout"].stop, runner.stop, delivery.stop):
                yield
        request_log.flush()
        await asyncio.to_thread(flush_log)

    return Litestar(
        route_handlers=[
            *CONTROLLERS,
            _records(settings),
        ],
        request_class=ApiRequest,
        request_max_body_size=settings.body_limit,
        middleware=[request_middleware(shared["rate_limit"])],
        before_send=[ResponseHook(request_log).before_send],
        plugins=[PROBLEM_DETAILS, metrics] if metrics else [PROBLEM_DETAILS],
        after_exception=[log_failure],
        exception_handlers={Refused: refusal_response, NotFoundException: not_found_response},
        cors_config=cors_config(settings.cors_origins),
        openapi_config=openapi_config,
        logging_config=None,
        lifespan=[lifespan],
        state=State({**shared, "boards": render_boards(tiles), "service": service, "webhooks": delivery.counts}),
    )


def _open_metrics(settings: Settings) -> "Metrics | None":
    """Return the metrics of this process; the Prometheus client is loaded only if they are on."""
    if not settings.metrics:
        return None
    from api.metrics.recorder import Metrics

    return Metrics()


def _observer(metrics: "Metrics | None") -> Observer:
    """Return the observer of the store, which logs errors and counts for the metrics."""
    if metrics is None:
        return Observer(failed=(log_storage_error,))
    return Observer(stored=metrics.stored, failed=(log_storage_error, metrics.failed))


def _records(settings: Settings) -> Router:
    """Return the route of records, whose bodies may be larger."""
    uploads = upload_middleware(settings.heavy_requests, settings.heavy_requests_per_client, settings.app_factor)
    return Router(
        "/", route_handlers=[RecordsController], request_max_body_size=settings.record_limit, middleware=[uploads]
    )


def _shared_state(settings: Settings) -> dict[str, Any]:
    """Return the state that all requests of a process share."""
    open_log(settings.log_level)
    return {
        "body_timeout": BodyTimeout(settings.body_timeout),
        "bot_workers": BotWorkers(settings.bot_workers, settings.bot_seconds),
        "heartbeat": settings.heartbeat,
        "rate_limit": request_limit(settings.rate_limit, settings.app_factor),
        "seat_limit": SeatLimit(settings.seats_limit, settings.app_factor),
        "storage_limit": RateLimit(settings.storage_limit, HOUR, name="storage", app_factor=settings.app_factor),
        "views": BoundedCache(settings.cache_bytes // 4, VIEW_OVERHEAD),
    }
