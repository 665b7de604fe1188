"""Operations: litestar's route decorators with access, cost and problems.

The access check, the rate limit and the OpenAPI document follow from these declarations and the handler's signature.
"""

from collections.abc import Callable, Sequence
from typing import Any

from litestar import route
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler

from api.http import access as door
from api.http.access import Access

_SEAT_OR_HOST: tuple[dict[str, list[str]], ...] = ({"seat": []}, {"host": []})
_HOST_OR_SEAT: tuple[dict[str, list[str]], ...] = ({"host": []}, {"seat": []})
_READING: tuple[dict[str, list[str]], ...] = ({}, *_SEAT_OR_HOST, {"spectator": []})
_TOKEN_PROBLEMS = ("token_missing", "token_unknown", "foreign_token")

_APP_PROBLEMS = ("app_key_missing", "app_key_unknown", "app_key_in_browser")

ANYBODY: Access | None = None
READER = Access(door.admit_reader, _READING, _TOKEN_PROBLEMS)
"""Everybody for a public game, holders of a token for a private one."""
INVITED = Access(door.admit_reader, _READING, _TOKEN_PROBLEMS, invite=True)
"""A reader, or a caller with the invitation code."""
AUDITOR = Access(door.admit_auditor, _READING, _TOKEN_PROBLEMS)
"""A reader, or a member of a damaged game."""
ADVISED = Access(door.admit_advised, _READING[1:], _TOKEN_PROBLEMS)
"""Readers. While a game is played, only holders of its tokens."""
FORKER = Access(door.admit_forker, ({}, *_SEAT_OR_HOST), (*_TOKEN_PROBLEMS, "players_only"))
"""A reader, but no spectator."""
GUEST = Access(door.admit_anybody, _READING, _TOKEN_PROBLEMS)
"""Everybody; the operation itself checks the table and the invitation code in the body."""
OWNER = Access(door.admit_lobby_reader, ({"app": []},), ("token_missing", "token_unknown", *_APP_PROBLEMS))
"""Applications; the operation itself asks what an application may see of the game."""
LOBBY_READER = Access(
    door.admit_lobby_reader, (*_READING, {"app": []}), ("token_missing", "token_unknown", *_APP_PROBLEMS)
)
"""Everybody; a token adds its private game to the lobby, and an application finds games by its references."""
FOLLOWER = Access(door.admit_lobby_reader, _READING, _TOKEN_PROBLEMS)
"""Everybody; the operation asks for a token of each private game in the query."""
MEMBER = Access(door.admit_member, _SEAT_OR_HOST, (*_TOKEN_PROBLEMS, "players_only", "not_started"), change=True)
PLAYER = Access(door.admit_player, _SEAT_OR_HOST, MEMBER.problems, change=True)
HOST = Access(door.admit_host, ({"host": []},), (*_TOKEN_PROBLEMS, "host_only"), change=True)
HOST_OR_PLAYER = Access(door.admit_host_or_player, _HOST_OR_SEAT, HOST.problems, change=True)
"""The host or a player. An operation with a seat in its path compares the seats."""
RENEWING_HOST = Access(door.admit_renewing_host, HOST.security, HOST.problems, change=True, former=True)
"""The host, or the holder of a renewed token, who may repeat the renewal."""
RENEWING = Access(door.admit_renewing_host_or_player, _HOST_OR_SEAT, HOST.problems, change=True, former=True)
"""The host or the player of the seat, or the holder of a renewed token."""

COST_OF_CHANGE = 5

Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]


def get(path: str | list[str] = "/", **declared: Any) -> Decorator:
    """Declare an operation that reads, for GET and HEAD."""
    return operation(path, [HttpMethod.GET, HttpMethod.HEAD], **declared)


def post(path: str = "/", **declared: Any) -> Decorator:
    """Declare an operation with a body; the status is 200 unless another is declared."""
    return operation(path, [HttpMethod.POST], **{"status_code": 200, "cost": COST_OF_CHANGE, **declared})


def delete(path: str = "/", **declared: Any) -> Decorator:
    return operation(path, [HttpMethod.DELETE], cost=COST_OF_CHANGE, **declared)


def operation(
    path: str | list[str],
    methods: Sequence[HttpMethod],
    *,
    access: Access | None = ANYBODY,
    problems: tuple[str, ...] = (),
    cost: int = 1,
    any_query: bool = False,
    **declared: Any,
) -> Decorator:
    """Declare an operation; other arguments go to litestar.

    Pages take ``any_query``, since other sites add parameters to links, such as `fbclid`.
    """
    return route(
        path,
        http_method=methods,
        security=list(access.security) if access else [],
        opt={
            "access": access,
            "cost": cost,
            "problems": (*(access.problems if access else ()), *problems),
            "any_query": any_query,
        },
        **declared,
    )
