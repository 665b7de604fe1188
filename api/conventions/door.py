"""What happens to every request before it is routed: its id, its line in the log, and methods the framework lacks."""

import re
from time import perf_counter
from typing import Any

from litestar.enums import ScopeType
from litestar.status_codes import HTTP_400_BAD_REQUEST
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from api.conventions.errors import WHICH_METHODS, problem_answer
from api.conventions.logs import RequestLog, new_request_id
from api.conventions.problems import Failure
from api.conventions.requests import first_headers

_NO_SNIFFING = (b"x-content-type-options", b"nosniff")

_echoed = re.compile(rb"[A-Za-z0-9._-]{1,64}").fullmatch


class Door:
    """The way in. It stands before the framework, so that what the framework refuses by itself also passes here.

    Pages of other origins go ``across``, everybody else ``straight``: most requests need no look at their origin.
    """

    def __init__(self, straight: ASGIApp, across: ASGIApp, log: RequestLog) -> None:
        self._straight = straight
        self._across = across
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in."""
        if scope["type"] == ScopeType.HTTP:
            await self._admit(scope, receive, send)
        else:
            await self._straight(scope, receive, send)

    async def _admit(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        request_id, origin = _look_at(scope)
        origin = origin and self._across is not self._straight
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id), _NO_SNIFFING]
            await send(message)

        method, path = scope["method"], scope["path"]
        if origin:
            told = _refused_as_problem(scope, receive, send_with_id)
            await self._across(_prepared(scope, request_id, origin), receive, told)
        else:
            await self._straight(_prepared(scope, request_id, origin), receive, send_with_id)
        self._log.tell(request_id, method, path, status, perf_counter() - began)


def _look_at(scope: HTTPScope) -> tuple[bytes, bool]:
    """The id of a request, the client's own if it can be trusted in a log, and whether a page of an origin sends it."""
    headers = first_headers(scope)
    given = headers.get(b"x-request-id", b"")
    return given if _echoed(given) else new_request_id(), bool(headers.get(b"origin"))


def _refused_as_problem(scope: HTTPScope, receive: Receive, send: Send) -> Send:
    """A page that asks whether it may call (OPTIONS) is refused in plain text by the framework: tell it properly."""
    if scope["method"] != "OPTIONS":
        return send
    refused = False

    async def send_problem(message: Message) -> None:
        nonlocal refused
        if message["type"] == "http.response.start" and message["status"] == HTTP_400_BAD_REQUEST:
            refused = True
        elif refused and message["type"] == "http.response.body":
            failure = Failure("bad_request", f"{message['body'].decode()}.")
            await problem_answer(failure)(scope, receive, send)
        else:
            await send(message)

    return send_problem


def _prepared(scope: HTTPScope, request_id: bytes, origin: bool) -> Scope:
    """The request as the framework sees it: HEAD is a GET of which the server sends the head only."""
    prepared: Any = scope
    if scope["method"] == "HEAD":
        prepared = {**scope, "method": "GET"}
    elif scope["method"] == "OPTIONS" and not origin:
        prepared = {**scope, "method": WHICH_METHODS}
    prepared["request_id"] = request_id
    found: Scope = prepared
    return found
