"""Receivers of webhooks in tests, and processes that only deliver and can be killed."""

import asyncio
import base64
import hmac
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from multiprocessing.process import BaseProcess
from threading import Thread
from time import time
from typing import Any, NamedTuple

import msgspec

from api.webhooks.delivery import Delivery
from api.webhooks.sender import Reply, Sender
from domain.store import open_service

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.api.webhook_receivers"])


class Got(NamedTuple):
    """A request that a receiver got."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def type(self) -> str:
        return str(self.content["type"])

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = self.content["data"]
        return data

    @property
    def content(self) -> dict[str, Any]:
        content: dict[str, Any] = msgspec.json.decode(self.body)
        return content

    def is_signed_with(self, secret: str) -> bool:
        """Verify a signature like a receiver."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
        return f"v1,{expected}" in self.headers["webhook-signature"].split(" ")


def replies(status: int | None = 204, retry_after: float | None = None, error: str = "") -> Reply:
    return Reply(status, retry_after, error)


REFUSED = Reply(None, None, "connection refused")


class Receiver:
    """A receiver without a network."""

    def __init__(self, answer: Callable[[Got], Reply] = lambda _: replies()) -> None:
        self.got: list[Got] = []
        self.answer = answer

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        got = Got(url, headers, body)
        self.got.append(got)
        await asyncio.sleep(0)
        return self.answer(got)

    def types(self) -> list[str]:
        return [got.type for got in self.got]


@contextmanager
def receiving(answer: Callable[[Got], int]) -> Iterator[tuple[str, list[Got]]]:
    """Run a real receiver that responds with these statuses; return its URL and what it accepted."""
    accepted: list[Got] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got = Got(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            status = answer(got)
            if status < 300:
                accepted.append(got)
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 - the name of the base class

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", accepted
        server.shutdown()
        thread.join()


def start(url: str, scale: float = 1) -> BaseProcess:
    """Start a process that delivers until it is killed. Its clock runs ``scale`` times as fast."""
    process = _context.Process(target=_run, args=(url, scale), daemon=True)
    process.start()
    return process


def _run(url: str, scale: float) -> None:
    asyncio.run(_deliver(url, scale))


async def _deliver(url: str, scale: float) -> None:
    async with (
        open_service(url) as service,
        Sender([ip_network("127.0.0.0/8")]) as sender,
        Delivery(service, sender.post, lease_seconds=1, clock=lambda: time() * scale),
    ):
        await asyncio.Event().wait()
