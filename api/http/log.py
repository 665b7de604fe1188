"""The log: one JSON object a line on standard error, written by a thread so that no request waits."""

import asyncio
import atexit
import json
import logging
import os
import re
import select
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from logging.handlers import QueueHandler, QueueListener
from queue import Full, Queue
from threading import Thread
from time import perf_counter
from typing import Any

import msgspec
from litestar.types import Scope
from msgspec import UNSET, UnsetType

log = logging.getLogger("franchise")
"""The logger of this program; ``extra={"facts": {...}}`` adds fields to a line."""

STANDARD_ERROR = 2

MOST_RECORDS = 256
"""The length of the queue. A record is one line, or the lines of several requests. Further records are dropped."""

CLOSING_SECONDS = 1.0
"""The longest time that the end of the process waits for the log to be written."""

FLUSH_SECONDS = 0.1
"""The longest time that lines of requests are collected, since a system call costs more than a line."""

_traceparent = re.compile(
    rb"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?", re.DOTALL
).fullmatch
"""The ``traceparent`` header of W3C Trace Context; only versions after 00 may have more fields."""


def open_log(level: str) -> logging.Logger:
    """Return the logger, set to a level and connected to the log thread."""
    log.setLevel(level.upper())
    if queue_handler() not in logging.getLogger().handlers:
        logging.getLogger().addHandler(queue_handler())
    return log


def flush_log(seconds: float = CLOSING_SECONDS) -> bool:
    """Wait until everything is written, at most this long; return whether it is."""
    waiting = Thread(target=queue_handler().waiting.join, daemon=True)
    waiting.start()
    waiting.join(seconds)
    return not waiting.is_alive()


# --- requests -----------------------------------------------------------------------------------------------------


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
    """The log of requests, which writes several lines at once."""

    def __init__(self, level: str) -> None:
        self.enabled = level in ("debug", "info")
        self._lines: list[RequestLine] = []

    def add(self, scope: Any, request_id: str, status: int) -> None:
        ended = perf_counter()
        ms = round((ended - scope["state"].get("began", ended)) * 1000, 2)
        at = datetime.now(UTC)
        client = scope["client"][0] if scope["client"] else ""
        traced = trace_of(scope)
        self._lines.append(RequestLine(request_id, client, scope["method"], scope["path"], status, ms, at, **traced))
        if len(self._lines) == 1:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the collected lines."""
        if self._lines:
            lines, self._lines = self._lines, []
            text = _encode_lines(lines)[:-1].decode()
            queue_handler().handle(logging.LogRecord("requests", logging.INFO, "", 0, text, None, None))


def trace_of(scope: Scope) -> dict[str, str]:
    """Return the ``trace_id`` of a valid ``traceparent``, else nothing."""
    given = next((value for name, value in scope["headers"] if name == b"traceparent"), b"")
    found = _traceparent(given)
    return {} if found is None or (found[1] == b"00" and found[3]) else {"trace_id": found[2].decode()}


_encode_lines = msgspec.json.Encoder().encode_lines


# --- the thread ---------------------------------------------------------------------------------------------------


class JsonFormatter(logging.Formatter):
    """Formats records as JSON; records of requests are JSON already."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name == "requests":
            return record.getMessage()
        line = {"event": record.getMessage(), **getattr(record, "facts", {}), "level": record.levelname.lower()}
        if record.name != log.name:
            line["logger"] = record.name
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _encode_line({**line, "at": datetime.fromtimestamp(record.created, UTC)}).decode()


class LogQueue(QueueHandler):
    """The queue of the log thread; drops and counts records when it is full."""

    def __init__(self, descriptor: int = STANDARD_ERROR, most: int = MOST_RECORDS) -> None:
        self.waiting: Queue[Any] = Queue(most)
        super().__init__(self.waiting)
        self.setFormatter(JsonFormatter())
        self.dropped = 0
        _Writer(descriptor, self).start()

    def enqueue(self, record: logging.LogRecord) -> None:
        try:
            self.waiting.put_nowait(record)
        except Full:
            self.dropped += _lines_in(record)


class _Writer(QueueListener):
    """The thread that writes records and reports dropped ones; several processes may share one output.

    It has no handler, since the end of a process waits for the lock of each handler, and writing may block forever.
    """

    def __init__(self, descriptor: int, log_queue: LogQueue) -> None:
        super().__init__(log_queue.waiting)
        self._descriptor = descriptor
        self._log_queue = log_queue
        self._reported = 0

    def handle(self, record: logging.LogRecord) -> None:
        if not self._write(_escaped(f"{record.getMessage()}\n")):
            self._log_queue.dropped += _lines_in(record)
        elif (dropped := self._log_queue.dropped) > self._reported:
            event = "lines of the log were dropped, as they were not read in time"
            facts = {"event": event, "lines": dropped - self._reported, "level": "error", "at": datetime.now(UTC)}
            if self._write(f"{_encode_line(facts).decode()}\n"):
                self._reported = dropped

    def _write(self, text: str) -> bool:
        """Write lines; return False if nobody reads them or the disk is full."""
        try:
            for chunk in _chunks(text.encode()):
                rest = chunk
                while rest:
                    try:
                        rest = rest[os.write(self._descriptor, rest) :]
                    except BlockingIOError:  # another program has set the shared pipe to non-blocking
                        select.select([], [self._descriptor], [])
        except OSError:
            return False
        return True


def _lines_in(record: logging.LogRecord) -> int:
    return 1 + record.getMessage().count("\n")


def _chunks(lines: bytes) -> Iterator[bytes]:
    """Yield lines in chunks that a pipe writes at once; a longer line is a chunk of its own."""
    chunk = b""
    for line in lines.splitlines(keepends=True):
        if chunk and len(chunk) + len(line) > select.PIPE_BUF:
            yield chunk
            chunk = b""
        chunk += line
    yield chunk


def _escaped(lines: str) -> str:
    """Escape characters that could control a terminal or reverse its text."""
    if lines.isascii() and "\x7f" not in lines:
        return lines
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in lines)


def _encode_line(line: dict[str, Any]) -> bytes:
    return msgspec.json.encode(line, enc_hook=repr)


@cache
def queue_handler() -> LogQueue:
    """Return the handler of this process, and start its thread."""
    return LogQueue()


atexit.register(flush_log)
os.register_at_fork(after_in_child=queue_handler.cache_clear)
