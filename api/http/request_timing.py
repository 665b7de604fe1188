"""The time a request takes, and the time that its body may take to arrive."""

import asyncio
from time import perf_counter

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.types.asgi_types import HTTPReceiveMessage, WebSocketReceiveMessage

from api.http.problems import ApiProblem

BODY_METHODS = ("POST", "DELETE")


class RequestTimingMiddleware(ASGIMiddleware):
    """Note when a request began, and limit how long its body may take."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, body_seconds: float) -> None:
        self._body_seconds = body_seconds

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass on a request."""
        scope["state"]["began"] = perf_counter()
        if scope["method"] in BODY_METHODS:  # type: ignore[typeddict-item]
            receive = self._limited(receive)
        await next_app(scope, receive, send)

    def _limited(self, receive: Receive) -> Receive:
        """Return a way to receive a body that raises a problem if it does not arrive whole and in time."""
        deadline = asyncio.get_running_loop().time() + self._body_seconds

        async def receive_in_time() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                detail = f"The body was not sent within {self._body_seconds:g} s."
                raise ApiProblem("request_timeout", detail, {"Connection": "close"}) from error
            except asyncio.CancelledError as error:
                raise ApiProblem("bad_request", "The request was not sent before the server stopped.") from error
            if message["type"] == "http.disconnect":
                raise ApiProblem("bad_request", "The request was not sent to its end.")
            return message

        return receive_in_time
