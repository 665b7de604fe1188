"""The metrics of a serving process."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any

from litestar import Litestar
from litestar.config.app import AppConfig
from litestar.plugins import InitPlugin
from litestar.types import Message, Scope
from prometheus_client import Counter, Gauge, Histogram

from api.http.exception_handlers import problem_code
from api.http.log import queue_handler
from api.http.problems import CATALOGUE
from api.metrics.directory import register_worker
from api.webhooks.session import Counts
from domain.modules import ActionTaken
from domain.store import Commit, CommitTimes, GameService, StorageUnavailable

SAMPLE_SECONDS = 1.0
"""The interval at which values of other components are sampled."""

METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
UNKNOWN = "unknown"
"""The label of unknown methods and paths, of which clients could invent any number."""

REQUESTS = Counter("franchise_http_requests", "Responses of the application.", ("method", "route", "status"))
REQUEST_SECONDS = Histogram(
    "franchise_http_request_duration_seconds",
    "Seconds until the response started, including the wait of long polls.",
    ("method", "route"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30),
)
REFUSALS = Counter("franchise_refusals", "Responses with a problem.", ("code",))
MOVES = Counter("franchise_moves", "Stored actions of players.", ("player",))
COMMIT_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
COMMIT_SECONDS = Histogram(
    "franchise_commit_duration_seconds",
    "Seconds to store a transaction durably.",
    buckets=COMMIT_BUCKETS,
)
COMMIT_LOCK_SECONDS = Histogram(
    "franchise_commit_lock_seconds", "Seconds of a transaction spent waiting for other writers.", buckets=COMMIT_BUCKETS
)
COMMIT_QUEUE_SECONDS = Histogram(
    "franchise_commit_queue_seconds",
    "Seconds that the first change of a transaction waited for the previous transaction.",
    buckets=COMMIT_BUCKETS,
)
COMMIT_CHANGES = Histogram(
    "franchise_commit_changes", "Changes stored in one transaction.", buckets=(1, 2, 4, 8, 16, 32, 64, 128)
)
DATABASE_ERRORS = Counter("franchise_database_errors", "Reads and writes of the database that failed or timed out.")
LOG_LINES_DROPPED = Counter("franchise_log_lines_dropped", "Log lines dropped because nobody read them in time.")
CACHE_HITS = Counter("franchise_cache_hits", "Games found in memory.")
CACHE_MISSES = Counter("franchise_cache_misses", "Games loaded from the database, from their first event.")
CACHE_GAMES = Gauge("franchise_cache_games", "Games and versions of games in memory.", multiprocess_mode="livesum")
CACHE_BYTES = Gauge("franchise_cache_bytes", "Approximate bytes of games in memory.", multiprocess_mode="livesum")
CACHE_LIMIT = Gauge("franchise_cache_limit_bytes", "Maximum bytes of games in memory.", multiprocess_mode="livesum")
WATCHERS = Gauge("franchise_watchers", "Open streams and long polls.", multiprocess_mode="livesum")
WEBHOOK_REQUESTS = Counter("franchise_webhook_requests", "Requests to endpoints of webhooks.", ("result",))
WEBHOOKS_OFF = Counter("franchise_webhooks_switched_off", "Endpoints that were switched off after the last try or 410.")
WEBHOOK_NOTICES = Gauge(
    "franchise_webhook_notices", "Notices of webhooks that wait to be delivered.", multiprocess_mode="livesum"
)


_requests = cache(REQUESTS.labels)
_durations = cache(REQUEST_SECONDS.labels)
"""The series by labels from closed sets; the client's own lookup takes longer than counting."""


class Metrics(InitPlugin):
    """A litestar plugin that counts requests, and an observer of the game service."""

    def __init__(self) -> None:
        """Create all series at zero, since alerts compare with earlier values."""
        self._hits = self._misses = self._dropped = 0
        self._webhooks = Counts()
        for player in ("person", "bot"):
            MOVES.labels(player)
        for code in CATALOGUE:
            REFUSALS.labels(code)
        for result in ("delivered", "failed"):
            WEBHOOK_REQUESTS.labels(result)
        register_worker()

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        app_config.before_send.append(self._on_response)
        app_config.after_exception.append(self._on_exception)
        app_config.lifespan.append(self._sampling)
        return app_config

    def stored(self, commits: Sequence[Commit], times: CommitTimes) -> None:
        COMMIT_CHANGES.observe(len(commits))
        COMMIT_SECONDS.observe(times.stored)
        COMMIT_LOCK_SECONDS.observe(times.locked)
        COMMIT_QUEUE_SECONDS.observe(times.queued)
        for commit in commits:
            fact = commit.facts[0] if commit.facts else None
            if isinstance(fact, ActionTaken):
                bot = any(player.bot and player.seat == fact.seat for player in commit.table.players)
                MOVES.labels("bot" if bot else "person").inc()

    def failed(self, error: StorageUnavailable) -> None:
        DATABASE_ERRORS.inc()

    async def _on_response(self, message: Message, scope: Scope) -> None:
        if message["type"] != "http.response.start":
            return
        request: Any = scope
        route, method = request.get("path_template", UNKNOWN), request["method"]
        method = method if method in METHODS else UNKNOWN
        _requests(method, route, message["status"]).inc()
        if (began := request["state"].get("began")) is not None:
            _durations(method, route).observe(perf_counter() - began)

    async def _on_exception(self, error: Exception, _: Scope) -> None:
        REFUSALS.labels(problem_code(error)).inc()

    @asynccontextmanager
    async def _sampling(self, app: Litestar) -> AsyncIterator[None]:
        service: GameService = app.state["service"]
        webhooks: Counts = app.state["webhooks"]
        sampling = asyncio.create_task(self._sample_on(service, webhooks))
        try:
            yield
        finally:
            sampling.cancel()
            self._sample(service)
            self._sample_webhooks(webhooks)

    async def _sample_on(self, service: GameService, webhooks: Counts) -> None:
        while True:
            self._sample(service)
            self._sample_webhooks(webhooks)
            await asyncio.sleep(SAMPLE_SECONDS)

    def _sample_webhooks(self, counts: Counts) -> None:
        before, self._webhooks = self._webhooks, replace(counts)
        WEBHOOK_REQUESTS.labels("delivered").inc(counts.delivered - before.delivered)
        WEBHOOK_REQUESTS.labels("failed").inc(counts.failed - before.failed)
        WEBHOOKS_OFF.inc(counts.switched_off - before.switched_off)
        WEBHOOK_NOTICES.set(counts.waiting)

    def _sample(self, service: GameService) -> None:
        use = service.cache_use
        CACHE_HITS.inc(use.hits - self._hits)
        CACHE_MISSES.inc(use.misses - self._misses)
        self._hits, self._misses = use.hits, use.misses
        dropped = queue_handler().dropped
        LOG_LINES_DROPPED.inc(dropped - self._dropped)
        self._dropped = dropped
        CACHE_GAMES.set(use.games)
        CACHE_BYTES.set(use.bytes_kept)
        CACHE_LIMIT.set(use.most_bytes)
        WATCHERS.set(service.watchers.waiting)
