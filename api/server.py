"""The server: Granian with the settings of this project."""

import os
import resource
import socket
import ssl
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EADDRINUSE
from pathlib import Path
from signal import SIG_DFL, SIG_IGN, SIGINT, SIGTERM, signal
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

OTHER_FILES = 80
"""The number of files that a worker has open in addition to its connections."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"log": {"()": "api.http.log.queue_handler"}},
    "root": {"handlers": ["log"], "level": "WARNING"},
    "loggers": {"_granian": {"propagate": True}},
}


def serve(_: Namespace) -> int:
    """Serve the API, the page at /play and the reference.

    If the URL has a password, set FRANCHISE_DATABASE_URL instead of --database:
    other users of the machine can see options.

    Examples:
      python -m api serve --port 8001
      python -m api serve --workers 4 --database postgresql:///franchise
    """
    settings = read_settings()
    read_region_tiles(settings)
    _require_certificate(settings)
    open_application(settings.database_url).close()  # so that a wrong URL is reported once, not by each worker
    with _metrics_page(settings) as metrics, socket.socket(_family(settings.host)) as reserved:
        address = _reserve(reserved, settings)
        server = _server(settings, *address)
        server.on_startup(Thread(target=_announce, args=(settings, *address, metrics), daemon=True).start)
        server.serve()
    return 0


def worker_app() -> ASGIApp:
    settings = read_settings()
    signal(SIGTERM, SIG_DFL)  # until the server listens; the parent's handler would do nothing here
    signal(SIGINT, SIG_IGN)  # Ctrl+C reaches the parent, too, which sends SIGTERM
    stop_with_parent(remove_directory)
    app: ASGIApp = serve_app()
    proxies = trusted_networks(settings)
    if proxies:
        app = wrap_asgi_with_proxy_headers(app, trusted_hosts=[str(proxy) for proxy in proxies])
    return app


def _server(settings: Settings, host: str, port: int) -> Any:
    return Granian(
        "api.server:worker_app",
        factory=True,
        address=host,
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
    """Serve the metrics of all workers during this context, and yield their URL; an empty text if they are off.

    The Prometheus client reads the variable with its directory when it is imported, here and in the workers.
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
    """Return the number of connections of a worker, limited by the files that it may open.

    A worker that runs out of files would retry forever without logging anything.
    """
    wanted = settings.connections + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return min(settings.connections, max(files - OTHER_FILES, files // 4))


def _reserve(reserved: socket.socket, settings: Settings) -> tuple[str, int]:
    """Reserve the address until the workers listen there; raise ``SettingError`` if it is taken.

    The workers share their port. Whether another program has it shows only without sharing.
    """
    given = settings.host, settings.port
    try:
        with socket.socket(reserved.family) as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # closed connections may linger
            alone.bind(given)
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind(given)
    except OSError as error:
        advice = ". Set PORT to a free port, or to 0 for any free one." if error.errno == EADDRINUSE else ""
        raise SettingError(
            f"Cannot listen on {_in_url(settings.host)}:{settings.port}: {error.strerror}{advice}"
        ) from error
    host, port, *_ = reserved.getsockname()
    return host, port


def _require_certificate(settings: Settings) -> None:
    """Raise ``SettingError`` unless the certificate and the key are usable; the server would ask for a passphrase."""
    if not settings.tls_certificate:
        return
    certificate, key = Path(settings.tls_certificate), Path(settings.tls_key)
    for file in (certificate, key):
        file.open("rb").close()  # the errors of the next step name no file
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except OSError as error:
        given = f"{PREFIX}TLS_CERTIFICATE={certificate}, {PREFIX}TLS_KEY={key}"
        wanted = "a PEM certificate and its private key without a passphrase"
        raise SettingError(f"{given}: not {wanted}: {error.strerror}") from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _announce(settings: Settings, host: str, port: int, metrics: str) -> None:
    """Print the URLs as soon as a worker listens."""
    while not _listening(host, port):
        sleep(PROBE_SECONDS)
    scheme = "https" if settings.tls_certificate else "http"
    address = f"{scheme}://{_in_url(host)}:{port}"
    sys.stdout.write(f"The API is at {address}/v1, its reference at {address}/schema\nPlay at {address}/play\n")
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
