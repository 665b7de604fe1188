"""Answers to OPTIONS: the methods of a path, and refusals of cross-origin preflight requests."""

from typing import Any

import msgspec
from litestar.config.cors import CORSConfig
from litestar.types import Message, Scope

from api.http.problems import MEDIA_TYPE, ApiProblem, body_of

ALLOWED_HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id"]
EXPOSED_HEADERS = ["ETag", "Location", "Retry-After", "X-Request-Id"]


def cors_config(origins: tuple[str, ...], *, credentials: bool) -> CORSConfig | None:
    """Return litestar's configuration for pages of these origins, None if no other origin may call."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
        allow_headers=ALLOWED_HEADERS,
        allow_credentials=credentials,
        expose_headers=EXPOSED_HEADERS,
        max_age=600,
    )


_REFUSAL = msgspec.json.encode(
    body_of(ApiProblem("bad_request", "CORS: the Origin, the method or a header of this request is not allowed."))
)


async def complete_options_answer(message: Message, scope: Scope) -> None:
    """Make litestar's answers to OPTIONS complete: all methods of a path, and a problem instead of plain text."""
    if scope.get("method") != "OPTIONS":
        return
    answer: Any = message
    if answer["type"] == "http.response.start" and answer["status"] == 400:
        scope["state"]["preflight_refused"] = True
        length = str(len(_REFUSAL)).encode()
        answer["headers"] = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", length)]
    elif answer["type"] == "http.response.start" and "path_template" in scope:
        answer["headers"] = [
            _all_methods(scope) if name == b"allow" else (name, value) for name, value in answer["headers"]
        ]
    elif scope["state"].get("preflight_refused"):
        answer["body"] = _REFUSAL


def _all_methods(scope: Scope) -> tuple[bytes, bytes]:
    """Return the Allow header of a path; litestar's OPTIONS handler knows the methods of the first handler only."""
    routes = scope["litestar_app"].routes
    methods = next(route.methods for route in routes if route.path_format == scope["path_template"])
    return b"allow", ", ".join(sorted(methods)).encode()
