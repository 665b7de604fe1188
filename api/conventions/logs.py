"""Structured logs: one JSON object a line, on standard error, each with the id of the request it belongs to."""

import itertools
import logging
import secrets
import sys
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


def _to_bytes(event: object, **_: Any) -> bytes:
    return msgspec.json.encode(event, enc_hook=repr)
