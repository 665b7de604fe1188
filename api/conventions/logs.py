"""Structured logs: one JSON object a line, on standard error, each with the id of the request it belongs to."""

import asyncio
import itertools
import logging
import secrets
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger, Processor

Log = FilteringBoundLogger

_PROCESSORS: tuple[Processor, ...] = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper("iso", key="at"),
    structlog.processors.format_exc_info,
)

LINES_WAIT_SECONDS = 0.1
"""How long the line of a request may wait for others: each line written for itself costs more than it tells."""

_numbers = itertools.count(1)
_process = secrets.token_hex(6)


def new_request_id() -> bytes:
    """An id that no other request to any process has."""
    return b"%s-%d" % (_process.encode(), next(_numbers))


def open_log(level: str) -> Log:
    """The log of one application."""
    unbound: Log = structlog.wrap_logger(
        structlog.BytesLogger(sys.stderr.buffer),
        processors=[*_PROCESSORS, structlog.processors.JSONRenderer(_to_bytes)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
    )
    return unbound.bind()


class RequestLine(msgspec.Struct, frozen=True, gc=False):
    """What is logged of a request; written past the log's processors, since there is one for each request."""

    request_id: str
    method: str
    path: str
    status: int
    ms: float
    at: datetime
    event: str = "request"
    level: str = "info"


class RequestLog:
    """A line for each request, unless the level says that nobody wants to know; several are written at once."""

    def __init__(self, level: str) -> None:
        self._wanted = level in ("debug", "info")
        self._lines: list[bytes] = []

    def tell(self, request_id: bytes, method: str, path: str, status: int, seconds: float) -> None:
        """Log a request that was answered."""
        if not self._wanted:
            return
        line = RequestLine(request_id.decode(), method, path, status, round(seconds * 1000, 2), datetime.now(UTC))
        self._lines.append(_encode(line))
        if len(self._lines) == 1:
            asyncio.get_running_loop().call_later(LINES_WAIT_SECONDS, self.write)

    def write(self) -> None:
        """Write the lines that wait."""
        if self._lines:
            lines, self._lines = self._lines, []
            sys.stderr.buffer.write(b"\n".join(lines) + b"\n")
            sys.stderr.buffer.flush()


def log_libraries(level: str) -> None:
    """Have what the libraries say look the same; for the process that serves."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_PROCESSORS, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(lambda event, **_: _to_bytes(event).decode()),
            ],
        )
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


_encode = msgspec.json.Encoder().encode


def _to_bytes(event: object, **_: Any) -> bytes:
    return msgspec.json.encode(event, enc_hook=repr)
