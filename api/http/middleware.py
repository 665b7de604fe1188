"""The middleware of every request: its time, its cost, its query parameters and its body are looked after."""

from time import perf_counter
from typing import Any

from litestar.types import ASGIApp, Middleware, Receive, Send

from api.http.body_timeout import BodyTimeout
from api.http.query_parameters import check_query_parameters
from api.http.rate_limit import RateLimit, client_of, too_many_requests


def request_middleware(limit: RateLimit, body_timeout: BodyTimeout) -> Middleware:
    """Make the middleware that lets in well-formed requests of clients that have not used up their allowance."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Any, receive: Receive, send: Send) -> None:
            scope["state"]["began"] = perf_counter()
            handler = scope["route_handler"]
            wait = limit.seconds_to_wait(client_of(scope["client"]), handler.opt.get("cost", 1))
            if wait:
                raise too_many_requests(wait)
            if scope["query_string"] and scope["method"] != "OPTIONS":
                check_query_parameters(handler, scope["query_string"])
            if scope["method"] == "POST":
                receive = body_timeout.limit(scope, receive)
            await app(scope, receive, send)

        return middleware

    return wrap
