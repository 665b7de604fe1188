"""The middleware of every request, and the hook that completes every response."""

import itertools
import os
import re
import secrets
from time import perf_counter
from typing import Any

import msgspec
from litestar.config.cors import CORSConfig
from litestar.types import ASGIApp, Message, Middleware, Receive, Scope, Send

from api.http.access import enter
from api.http.apps import identify
from api.http.limits import RateLimit, client_of
from api.http.log import RequestLog
from api.http.problems import MEDIA_TYPE, ApiProblem, body_of
from api.http.requests import check_query_parameters, required_parameters

ALWAYS = ((b"x-content-type-options", b"nosniff"), (b"vary", b"accept-encoding, authorization"))
"""Headers of every response; litestar's CORS middleware would overwrite an earlier ``Vary``.

Browsers cache responses about a version of a private game, and must reuse them for the same token only.
"""

_numbers = itertools.count(1)
_server = secrets.token_hex(6)
_safe_id = re.compile(rb"[A-Za-z0-9._-]{1,64}").fullmatch


def request_id_of(scope: Scope) -> str:
    """Return the id of a request: the client's own if it is safe in a log, else a new one."""
    state: dict[str, Any] = scope["state"]
    if "request_id" not in state:
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        state["request_id"] = given.decode() if _safe_id(given) else f"{_server}-{os.getpid()}-{next(_numbers)}"
    request_id: str = state["request_id"]
    return request_id


def request_middleware(limit: RateLimit) -> Middleware:
    """Make the middleware that checks the rate limit, the access and the query of a request."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Any, receive: Receive, send: Send) -> None:
            scope["state"]["began"] = perf_counter()
            handler = scope["route_handler"]
            cost = handler.opt.get("cost", 1)
            if any(name == b"x-app-key" for name, _ in scope["headers"]):
                await identify(scope, limit)
            if cost:
                limit.take(client_of(scope["client"]), cost)
            access = handler.opt.get("access")
            if access is not None:
                await enter(scope, access)
            checked = not handler.opt.get("any_query") and scope["method"] != "OPTIONS"
            if checked and (scope["query_string"] or required_parameters(handler)):
                check_query_parameters(handler, scope["query_string"])
            await app(scope, receive, send)

        return middleware

    return wrap


# --- responses -----------------------------------------------------------------------------------------------------

ALLOWED_HEADERS = [
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"),
    *("Last-Event-ID", "Traceparent", "X-Invite", "X-Request-Id"),
]
SKIPPED_BYTES = 4096
"""The server skips up to this many bytes of an unread body; after a longer one it closes the connection."""
EXPOSED_HEADERS = ["ETag", "Location", "Retry-After", "X-Request-Id"]


def cors_config(origins: tuple[str, ...]) -> CORSConfig | None:
    """Return litestar's CORS configuration for these origins, None if there are none."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
        allow_headers=ALLOWED_HEADERS,
        expose_headers=EXPOSED_HEADERS,
        max_age=600,
    )


_REFUSAL = msgspec.json.encode(
    body_of(ApiProblem("bad_request", "CORS: the Origin, the method or a header of this request is not allowed."))
)


class ResponseHook:
    """Completes the headers of every response, and logs it."""

    def __init__(self, log: RequestLog) -> None:
        self._log = log

    async def before_send(self, message: Message, scope: Scope) -> None:
        response: Any = message
        method = scope.get("method")
        if response["type"] == "http.response.body":
            if method == "HEAD":
                response["body"] = b""
            elif scope["state"].get("preflight_refused"):
                response["body"] = _REFUSAL
            return
        if method == "OPTIONS":
            _complete_options(response, scope)
        elif method not in ("GET", "HEAD") and "body" not in scope["state"] and _has_long_body(scope):
            response["headers"] = [*response["headers"], (b"connection", b"close")]
        request_id = request_id_of(scope)
        response["headers"] = [*response["headers"], (b"x-request-id", request_id.encode()), *ALWAYS]
        if self._log.enabled:
            self._log.add(scope, request_id, response["status"])


def _complete_options(start: Any, scope: Scope) -> None:
    """Name all methods of a path, and add a problem to a refused preflight request; litestar does neither."""
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
    """Return whether the server will close the connection because it does not skip the unread body."""
    if not scope["http_version"].startswith("1"):
        return False
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or int(headers.get(b"content-length", b"0")) > SKIPPED_BYTES
