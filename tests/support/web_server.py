"""Web servers of the tests in threads of this process: a folder, and a buffering proxy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler
from threading import Thread
from typing import Any

import httpx

HOP_BY_HOP = {"connection", "date", "server", "transfer-encoding"}


class QuietHandler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *_: Any) -> None:  # noqa: A002 - named so by the library
        """Say nothing."""


class QuietFolder(QuietHandler, SimpleHTTPRequestHandler):
    """The files of a folder."""


@contextmanager
def listening(handler: Callable[..., BaseRequestHandler]) -> Iterator[str]:
    """Run a server with this handler on a free port, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def serving_folder(folder: Path) -> Iterator[str]:
    """Serve the files of a folder, and yield the address."""
    with listening(partial(QuietFolder, directory=str(folder))) as url:
        yield url


@contextmanager
def proxying(server: str, buffer: int) -> Iterator[str]:
    """Run a proxy for GET that buffers this many bytes of a response, and yield its address."""

    class Handler(QuietHandler):
        wbufsize = buffer

        def do_GET(self) -> None:
            sent = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
            with httpx.stream(self.command, server + self.path, headers=sent, timeout=None) as response:
                self.send_response(response.status_code)
                for name, value in response.headers.items():
                    if name not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.end_headers()
                for chunk in response.iter_raw():
                    self.wfile.write(chunk)

        do_OPTIONS = do_GET  # noqa: N815 - named so by the library

        def handle(self) -> None:
            with suppress(ConnectionError, httpx.TransportError):
                super().handle()

        def finish(self) -> None:
            with suppress(ConnectionError):
                super().finish()

    with listening(Handler) as url:
        yield url
