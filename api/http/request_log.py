"""Structured logs: one JSON object a line, on standard error, each with the id of the request it belongs to."""

import asyncio
import logging
import re
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, BinaryIO, cast

import msgspec
import structlog
from litestar.types import Scope
from msgspec import UNSET, UnsetType
from structlog.typing import FilteringBoundLogger, Processor

from api.http.log_output import OUTPUT

Log = FilteringBoundLogger

_PROCESSORS: tuple[Processor, ...] = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper("iso", key="at"),
    structlog.processors.format_exc_info,
)

FLUSH_SECONDS = 0.1
"""The longest time that a line waits for others: a system call for each line costs more than the line."""

_traceparent = re.compile(
    rb"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?", re.DOTALL
).fullmatch
"""The header as W3C Trace Context has it; only versions after 00 may go on."""


def trace_of(scope: Scope) -> dict[str, str]:
    """Return the ``trace_id`` of a request that has a well-formed ``traceparent``, else nothing."""
    given = next((value for name, value in scope["headers"] if name == b"traceparent"), b"")
    found = _traceparent(given)
    return {} if found is None or (found[1] == b"00" and found[3]) else {"trace_id": found[2].decode()}


_encode_lines = msgspec.json.Encoder().encode_lines


class RequestLine(msgspec.Struct, frozen=True, gc=False):
    """The log line of a request."""

    request_id: str
    client: str
    method: str
    path: str
    status: int
    ms: float
    at: datetime
    event: str = "request"
    level: str = "info"
    trace_id: str | UnsetType = UNSET


class RequestLog:
    """The log of requests, written many lines at once."""

    def __init__(self, level: str) -> None:
        self.enabled = level in ("debug", "info")
        self._lines: list[RequestLine] = []

    def add(self, scope: Any, request_id: str, status: int) -> None:
        """Log a request."""
        ended = perf_counter()
        ms = round((ended - scope["state"].get("began", ended)) * 1000, 2)
        at = datetime.now(UTC)
        client = scope["client"][0] if scope["client"] else ""
        traced = trace_of(scope)
        self._lines.append(RequestLine(request_id, client, scope["method"], scope["path"], status, ms, at, **traced))
        if len(self._lines) == 1:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the lines that wait."""
        if self._lines:
            lines, self._lines = self._lines, []
            OUTPUT.write(_encode_lines(lines))


def open_log(level: str) -> Log:
    """Open the log of an application."""
    unbound: Log = structlog.wrap_logger(
        structlog.BytesLogger(cast(BinaryIO, OUTPUT)),
        processors=[*_PROCESSORS, structlog.processors.JSONRenderer(_to_bytes)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
    )
    return unbound.bind()


class LibraryHandler(logging.Handler):
    """A handler that gives the log lines of libraries the same form and way."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        OUTPUT.write(self.format(record).encode() + b"\n")


def json_formatter() -> logging.Formatter:
    """Return a formatter that makes JSON of what libraries log."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_PROCESSORS, structlog.stdlib.add_logger_name],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(lambda event, **_: _to_bytes(event).decode()),
        ],
    )


def _to_bytes(event: object, **_: Any) -> bytes:
    return msgspec.json.encode(event, enc_hook=repr)
