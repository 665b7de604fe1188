"""Cross-origin requests, and what litestar leaves open in answers to HEAD, OPTIONS and refused requests."""

from typing import Any

import msgspec
from litestar.config.cors import CORSConfig
from litestar.types import Message, Scope

from api.http.problems import MEDIA_TYPE, ApiProblem, body_of

ALLOWED_HEADERS = [
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"),
    *("Last-Event-ID", "Traceparent", "X-Invite", "X-Request-Id"),
]
SKIPPED_BYTES = 4096
"""The server reads so much of a body that nobody has asked for; after a longer one it hangs up."""
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


async def complete_answer(message: Message, scope: Scope) -> None:
    """Complete the answers to HEAD and OPTIONS, and announce when a connection has to end."""
    answer: Any = message
    method = scope.get("method")
    if answer["type"] == "http.response.body":
        if method == "HEAD":
            answer["body"] = b""
        elif scope["state"].get("preflight_refused"):
            answer["body"] = _REFUSAL
    elif method == "OPTIONS":
        _complete_options(answer, scope)
    elif method not in ("GET", "HEAD") and not scope["state"].get("body_read") and _has_long_body(scope):
        answer["headers"] = [*answer["headers"], (b"connection", b"close")]


def _complete_options(start: Any, scope: Scope) -> None:
    """Name all methods of a path, and refuse a preflight request with a problem; litestar does neither."""
    if start["status"] == 400 and "path_template" not in scope:
        scope["state"]["preflight_refused"] = True
        length = str(len(_REFUSAL)).encode()
        start["headers"] = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", length)]
    elif start["status"] == 204 and "path_template" in scope:
        start["headers"] = [
            _all_methods(scope) if name == b"allow" else (name, value) for name, value in start["headers"]
        ]


def _all_methods(scope: Scope) -> tuple[bytes, bytes]:
    routes = scope["litestar_app"].routes
    methods = next(route.methods for route in routes if route.path_format == scope["path_template"])
    return b"allow", ", ".join(sorted(methods)).encode()


def _has_long_body(scope: Scope) -> bool:
    """Tell if the server will hang up because the body of a refused request is too long to be skipped."""
    if not scope["http_version"].startswith("1"):
        return False
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or int(headers.get(b"content-length", b"0")) > SKIPPED_BYTES
