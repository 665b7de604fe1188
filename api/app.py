"""The application: everything is wired together here and nowhere else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar, Router
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.middleware import AbstractMiddleware

from api.collector import seldom_look
from api.conventions.door import Door
from api.conventions.errors import HANDLERS
from api.conventions.express import Express
from api.conventions.limits import Limited, RateLimit
from api.conventions.logs import Log, RequestLog, log_libraries, open_log
from api.conventions.requests import refuse_unknown_parameters
from api.conventions.stopping import hearing_stop
from api.conventions.watch import Watch
from api.resources.boards import Boards, print_boards
from api.resources.lobby import Lobby, Table, delete_game
from api.resources.play import Play
from api.resources.reference import Reference
from api.resources.rulebook import Rulebook
from api.resources.service import Service
from api.resources.stream import Records, Stream
from api.resources.views import Views
from api.settings import Settings, read_region_tiles, read_settings, unknown_settings
from domain.application import Club, open_club
from domain.board import RegionTile

CONTROLLERS = (Service, Reference, Rulebook, Lobby, Table, Play, Stream, Boards)
"""All but the views, which look at their parameters themselves and are asked for most."""

_ALLOWED = ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id"]
_EXPOSED = ["ETag", "Location", "Retry-After", "X-Request-Id"]


def create_app(settings: Settings | None = None) -> Litestar:
    """The application under these settings; without any it is the server's, set by the environment."""
    serving = settings is None
    settings = settings or read_settings()
    log = open_log(settings.log_level)
    if serving:
        log_libraries(settings.log_level)
        for name in unknown_settings():
            log.warning("there is no such setting", variable=name)
    tiles = read_region_tiles(settings)
    club = open_club(settings.database_url, games_held=settings.games_cached, tiles=tiles)
    app = build_app(settings, club, tiles, log)
    if serving:
        seldom_look()  # once everything is there that stays
    return app


def build_app(settings: Settings, club: Club, tiles: tuple[RegionTile, ...], log: Log) -> Litestar:
    """The application around a club."""
    watch, requests = Watch(club, settings.watchers), RequestLog(settings.log_level)

    @asynccontextmanager
    async def opened(_: Litestar) -> AsyncIterator[None]:
        async with club:
            with hearing_stop(watch.close):
                yield
            watch.close()
        requests.write()

    app = Litestar(
        route_handlers=[
            Views,
            delete_game,  # a function comes after the controller with the same path: so they share it
            Router("/", route_handlers=CONTROLLERS, before_request=refuse_unknown_parameters),
            Router(
                "/",
                route_handlers=[Records],
                before_request=refuse_unknown_parameters,
                request_max_body_size=settings.record_limit,
            ),
        ],
        openapi_config=None,
        exception_handlers=HANDLERS,
        cors_config=_cors(settings),
        request_max_body_size=settings.body_limit,
        lifespan=[opened],
        logging_config=None,
        state=State(
            {
                "boards": print_boards(tiles),
                "club": club,
                "log": log,
                "settings": settings,
                "watch": watch,
            }
        ),
    )
    app.asgi_handler = _way_in(app, RateLimit(settings.rate_limit), requests)
    return app


def _way_in(app: Litestar, limit: RateLimit, log: RequestLog) -> Door:
    """What stands before the framework's routing; what pages of other origins get goes past its middleware for them."""
    first = app.asgi_handler
    if not isinstance(first, AbstractMiddleware):
        inside = Limited(Express(app, first), limit)
        return Door(inside, inside, log)
    first.app = inside = Limited(Express(app, first.app), limit)
    return Door(inside, first, log)


def _cors(settings: Settings) -> CORSConfig | None:
    if not settings.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_origins),
        allow_methods=["GET", "POST", "DELETE", "OPTIONS"],
        allow_headers=_ALLOWED,
        allow_credentials=settings.cors_credentials,
        expose_headers=_EXPOSED,
        max_age=600,
    )
