"""The middleware of every request: its beginning is noted, its cost taken, and its body limited in time."""

from time import perf_counter
from typing import Any

from litestar.types import ASGIApp, Middleware, Receive, Send

from api.http.body_timeout import receive_within
from api.http.rate_limit import RateLimit, client_of, too_many_requests


def request_middleware(limit: RateLimit, body_seconds: float) -> Middleware:
    """Make the middleware that lets in requests of clients that have not used up their allowance."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Any, receive: Receive, send: Send) -> None:
            scope["state"]["began"] = perf_counter()
            wait = limit.seconds_to_wait(client_of(scope["client"]), scope["route_handler"].opt.get("cost", 1))
            if wait:
                raise too_many_requests(wait)
            if scope["method"] == "POST":
                receive = receive_within(body_seconds, receive)
            await app(scope, receive, send)

        return middleware

    return wrap
