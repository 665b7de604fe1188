"""The server: Granian with our settings."""

import os
import resource
import socket
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EADDRINUSE
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings, HTTP2Settings
from granian.log import LogLevels
from granian.utils.proxies import wrap_asgi_with_proxy_headers
from litestar.types import ASGIApp

from api.app import serve_app
from api.http.shutdown import STOPPING_SECONDS, stop_with_parent
from api.metrics.directory import VARIABLE, metrics_home, remove_directory
from api.settings import (
    PREFIX,
    SettingError,
    Settings,
    metrics_address,
    read_region_tiles,
    read_settings,
    trusted_networks,
)
from domain.store import open_application

PROBE_SECONDS = 0.02

FILES_BESIDE = 80
"""The most files that a worker has open besides its connections."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"log": {"()": "api.http.log.queue_handler"}},
    "root": {"handlers": ["log"], "level": "WARNING"},
    "loggers": {"_granian": {"propagate": True}},
}


def serve(_: Namespace) -> int:
    """Serve until somebody stops it."""
    settings = read_settings()
    read_region_tiles(settings)
    open_application(settings.database_url).close()  # so that a wrong URL is told once, and not by each worker
    with _metrics_page(settings) as metrics, socket.socket(_family(settings.host)) as reserved:
        port = _reserve_port(reserved, settings)
        server = _server(settings, port)
        server.on_startup(Thread(target=_announce, args=(settings, port, metrics), daemon=True).start)
        server.serve()
    return 0


def worker_app() -> ASGIApp:
    """Create the application of a worker process."""
    settings = read_settings()
    stop_with_parent(remove_directory)
    app: ASGIApp = serve_app()
    proxies = trusted_networks(settings)
    if proxies:
        app = wrap_asgi_with_proxy_headers(app, trusted_hosts=[str(proxy) for proxy in proxies])
    return app


def _server(settings: Settings, port: int) -> Any:
    return Granian(
        "api.server:worker_app",
        factory=True,
        address=settings.host,
        port=port,
        interface=Interfaces.ASGI,
        workers=settings.workers,
        respawn_failed_workers=True,
        workers_kill_timeout=STOPPING_SECONDS,
        backpressure=_connections(settings),
        websockets=False,
        http=HTTPModes(settings.http),
        http1_settings=HTTP1Settings(
            header_read_timeout=settings.head_timeout * 1000, max_buffer_size=settings.head_limit
        ),
        http2_settings=HTTP2Settings(max_headers_size=settings.head_limit),
        ssl_cert=Path(settings.tls_certificate) if settings.tls_certificate else None,
        ssl_key=Path(settings.tls_key) if settings.tls_key else None,
        log_level=LogLevels.warning,
        log_dictconfig=LOGGING,
    )


@contextmanager
def _metrics_page(settings: Settings) -> Iterator[str]:
    """Serve the metrics of all workers as long as this context lasts, and return where; nowhere if they are off.

    The client looks for the directory when it is loaded, so that is told to this process and its workers before.
    """
    if not settings.metrics:
        yield ""
        return
    host, port = metrics_address(settings)
    with TemporaryDirectory(prefix="franchise-metrics-", dir=metrics_home()) as directory:
        os.environ[VARIABLE] = directory
        from api.metrics.page import open_page

        try:
            page = open_page(host, port, Path(directory))
        except OSError as error:
            raise SettingError(f"{PREFIX}METRICS={settings.metrics}: {error.strerror}") from error
        with page:
            yield f"http://{_in_url(host)}:{page.server_port}/metrics"


def _connections(settings: Settings) -> int:
    """Return how many connections a worker may accept: those that are set, as far as it may open files for them.

    A worker without a file left would accept again and again, and log nothing.
    """
    wanted = settings.connections + FILES_BESIDE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return min(settings.connections, max(files - FILES_BESIDE, files // 4))


def _reserve_port(reserved: socket.socket, settings: Settings) -> int:
    """Return the port to serve on, a free one if any will do, and keep it until the workers listen there."""
    if settings.port:
        _refuse_taken_port(settings)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind((settings.host, settings.port))
    port: int = reserved.getsockname()[1]
    return port


def _refuse_taken_port(settings: Settings) -> None:
    """Raise ``SettingError`` if nobody may listen there, or somebody does: workers would share the port with others."""
    with socket.socket(_family(settings.host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what is left of closed connections is no matter
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            address = f"{_in_url(settings.host)}:{settings.port}"
            if error.errno != EADDRINUSE:
                raise SettingError(f"The API cannot be at {address}: {error.strerror}") from error
            advice = "choose another one by PORT=<number>, or any free one by PORT=0"
            raise SettingError(f"Another program has the port of {address}: {advice}") from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _announce(settings: Settings, port: int, metrics: str) -> None:
    """Print the addresses as soon as a worker listens."""
    while not _listening(settings.host, port):
        sleep(PROBE_SECONDS)
    scheme = "https" if settings.tls_certificate else "http"
    address = f"{scheme}://{_in_url(settings.host)}:{port}"
    sys.stdout.write(f"The API is at {address}/v1, its reference at {address}/schema\n")
    if metrics:
        sys.stdout.write(f"The metrics are at {metrics}\n")
    sys.stdout.flush()


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listening(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True
