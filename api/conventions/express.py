"""The short way to what is asked for most: everything about one game, past the framework's routing.

Routing a request, making up its arguments and wrapping its answer takes the framework longer than most of these
operations take to do what they do. They are the framework's own handlers, and what they raise becomes the same answer.
"""

from typing import Any

from litestar import Litestar, Request
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, Receive, Scope, Send

from api.conventions.answers import Answer
from api.conventions.errors import problem_answer, told_failure
from api.conventions.requests import refuse_unknown_parameters

_METHODS = ("GET", "POST")
_PARAMETER = "{game_id:str}"
_BEFORE = "/v1/games/"
_ID = slice(len(_BEFORE), len(_BEFORE) + 36)
"""Where the id stands in a path."""


class Express:
    """Calls the handlers that look at a game or change it, on paths with an id of the usual length and nothing else."""

    def __init__(self, app: Litestar, otherwise: ASGIApp) -> None:
        """Know the way to all of them; whatever is asked otherwise goes on as before."""
        self._otherwise = otherwise
        self._handlers: dict[tuple[str, str], HTTPRouteHandler] = {}
        for route in app.routes:
            before, parameter, after = route.path.partition(_PARAMETER)
            if isinstance(route, HTTPRoute) and parameter and before == _BEFORE and "{" not in after:
                for method, (handler, _) in route.route_handler_map.items():
                    if method in _METHODS:
                        self._handlers[method, after] = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it take the long way."""
        handler = self.handler(scope["method"], scope["path"]) if scope["type"] == ScopeType.HTTP else None
        if handler is None:
            await self._otherwise(scope, receive, send)
        else:
            answer = await _answer(handler, scope, receive, send)
            await answer(scope, receive, send)

    def handler(self, method: str, path: str) -> HTTPRouteHandler | None:
        """What answers a request, None if it has to take the long way."""
        handler = self._handlers.get((method, path[_ID.stop :]))
        if handler is None or len(path) < _ID.stop or not path.startswith(_BEFORE) or "/" in path[_ID]:
            return None
        return handler


async def _answer(handler: HTTPRouteHandler, scope: Scope, receive: Receive, send: Send) -> Answer:
    prepared: Any = scope
    prepared["path_params"] = {"game_id": scope["path"][_ID]}
    prepared["route_handler"] = handler
    request: Request[Any, Any, Any] = Request(prepared, receive, send)
    try:
        if scope["query_string"]:
            await refuse_unknown_parameters(request)
        answer: Answer = await handler.fn(request=request)
    except Exception as error:
        return problem_answer(told_failure(request, error))
    return answer
