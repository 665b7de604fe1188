"""Operations: litestar's route decorators, with who may call, what it costs and which problems are its own.

The guards, the rate limit and the OpenAPI document follow from that and from the handler's signature.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import msgspec
from litestar import route
from litestar.enums import HttpMethod
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.types import Guard

from api.http.access import (
    require_host,
    require_member,
    require_no_spectator,
    require_player,
    require_present_or_former_host,
    require_reader,
)
from api.http.request_body import ApiRequest


class Access(msgspec.Struct, frozen=True):
    """The callers that an operation is for."""

    guards: tuple[Callable[[ApiRequest, BaseRouteHandler], Awaitable[None]], ...] = ()
    security: tuple[dict[str, list[str]], ...] = ()
    problems: tuple[str, ...] = ()


_SEAT_OR_HOST: tuple[dict[str, list[str]], ...] = ({"seat": []}, {"host": []})
_READING: tuple[dict[str, list[str]], ...] = ({}, *_SEAT_OR_HOST, {"spectator": []})
_TOKEN_PROBLEMS = ("token_missing", "token_unknown", "foreign_token")

ANYBODY = Access()
READER = Access((), _READING, _TOKEN_PROBLEMS)
"""Anybody, or who has a token of the game if it is private; the dependency that loads the game checks it."""
READER_WITH_BODY = Access((require_reader,), READER.security, _TOKEN_PROBLEMS)
"""A reader who sends a body, which is read after the check."""
FORKER = Access((require_no_spectator,), ({}, *_SEAT_OR_HOST), (*_TOKEN_PROBLEMS, "players_only"))
"""A reader who takes the game elsewhere, which spectators may not."""
GUEST = Access((), READER.security, _TOKEN_PROBLEMS)
"""Anybody who sits down; at a private table that nobody can join the operation asks for a token of it."""
LISTER = Access((), READER.security, ("token_missing", "token_unknown"))
"""Anybody, who sees one private game more with a token of it."""
MEMBER = Access((require_member,), _SEAT_OR_HOST, (*_TOKEN_PROBLEMS, "players_only", "not_started"))
PLAYER = Access((require_player,), _SEAT_OR_HOST, MEMBER.problems)
HOST = Access((require_host,), ({"host": []},), (*_TOKEN_PROBLEMS, "host_only"))
RENEWING_HOST = Access((require_present_or_former_host,), HOST.security, HOST.problems)
"""The host, or who was it until the renewal whose answer may have been lost."""

Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]


def get(path: str | list[str] = "/", **declared: Any) -> Decorator:
    """Declare an operation that reads; HEAD answers wherever GET does."""
    return operation(path, [HttpMethod.GET, HttpMethod.HEAD], **declared)


def post(path: str = "/", **declared: Any) -> Decorator:
    """Declare an operation that takes a body, and answers 200 unless it says otherwise."""
    return operation(path, [HttpMethod.POST], **{"status_code": 200, **declared})


def delete(path: str = "/", **declared: Any) -> Decorator:
    """Declare an operation that takes something away."""
    return operation(path, [HttpMethod.DELETE], **declared)


def operation(
    path: str | list[str],
    methods: Sequence[HttpMethod],
    *,
    access: Access = ANYBODY,
    problems: tuple[str, ...] = (),
    cost: int = 1,
    **declared: Any,
) -> Decorator:
    """Declare an operation; what is not named here goes to litestar as it is."""
    return route(
        path,
        http_method=methods,
        guards=cast(list[Guard], list(access.guards)),
        security=list(access.security),
        opt={"cost": cost, "problems": (*access.problems, *problems)},
        **declared,
    )
