"""The limit on large bodies that are on their way, so that they never fill the memory together."""

from litestar.types import ASGIApp, Middleware, Receive, Scope, Send

from api.http.rate_limit import client_of
from domain.store import TooMuchWork
from domain.store.work import ClientLimit


def upload_middleware(most: int, most_of_client: int) -> Middleware:
    """Make the middleware that lets in so many requests with large bodies at once, in all and of each client."""
    limit = ClientLimit(most, most_of_client, TooMuchWork)

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            with limit.counted(client_of(scope["client"])):
                await app(scope, receive, send)

        return middleware

    return wrap
