"""Operations: litestar's route handlers with everything that is promised of them.

Who may call, the status and type of the answer, the problems and the cost are declared once, here; the guards, the rate
limit and the OpenAPI document follow from that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from litestar import route
from litestar.datastructures import ResponseHeader
from litestar.di import Provide
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import Guard

from api.http.access import require_host, require_member, require_player, require_reader
from api.http.problems import CATALOGUE, MEDIA_TYPE, Problem

_TOKEN_PROBLEMS = ("token_missing", "token_unknown", "foreign_token")
_BODY_PROBLEMS = (
    "malformed_json",
    "invalid_body",
    "unsupported_media_type",
    "body_too_large",
    "request_timeout",
    "bad_request",
    "invalid_header",
    "key_reused",
)
_ALWAYS = ("internal_error", "storage_unavailable", "invalid_parameter")

_SEAT_OR_HOST: list[dict[str, list[str]]] = [{"seat": []}, {"host": []}]


class Access(msgspec.Struct, frozen=True):
    """The callers that an operation is for."""

    guards: tuple[Guard, ...] = ()
    security: Sequence[dict[str, list[str]]] = ()
    problems: tuple[str, ...] = ()


ANYBODY = Access()
READER = Access((), [{}, *_SEAT_OR_HOST], _TOKEN_PROBLEMS)
"""Anybody, or who has a token of the game if it is private."""
IDENTIFIED_READER = Access((require_reader,), READER.security, _TOKEN_PROBLEMS)
"""A reader for whom it makes a difference whose token it is."""
MEMBER = Access((require_member,), _SEAT_OR_HOST, _TOKEN_PROBLEMS)
PLAYER = Access((require_player,), _SEAT_OR_HOST, (*_TOKEN_PROBLEMS, "players_only"))
HOST = Access((require_host,), [{"host": []}], (*_TOKEN_PROBLEMS, "host_only"))

ETAG = ResponseHeader(
    name="ETag",
    documentation_only=True,
    description="The version of the game, in quotes: for `If-None-Match` and `If-Match`.",
)
LOCATION = ResponseHeader(name="Location", documentation_only=True, description="Where the new one is.")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of an operation that succeeds."""

    text: str
    type: Any = None
    status: int = 200
    media_type: str = "application/json"
    headers: tuple[ResponseHeader, ...] = ()
    conditional: bool = False


Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]


def get(
    path: str | list[str] = "/",
    *,
    operation_id: str,
    summary: str,
    answer: Answer,
    access: Access = ANYBODY,
    problems: Iterable[str] = (),
    cost: int = 1,
    dependencies: Mapping[str, Provide] | None = None,
    tags: Sequence[str] | None = None,
) -> Decorator:
    """Declare an operation that reads; HEAD answers wherever GET does."""
    aliases = path[1:] if isinstance(path, list) else []

    def id_of(_: HTTPRouteHandler, method: Any, components: list[Any]) -> str:
        """Return an id for each method and path; the document shows only GET on the first path."""
        parts = [operation_id, *(["head"] if method == HttpMethod.HEAD else [])]
        return "_".join([*parts, *(["alias"] if f"/{'/'.join(map(str, components))}" in aliases else [])])

    codes = _sorted({*_ALWAYS, *access.problems, *problems, *(["too_many_requests"] if cost else [])})
    return route(
        path,
        http_method=[HttpMethod.GET, HttpMethod.HEAD],
        operation_id=id_of,
        dependencies=dependencies,
        tags=tags,
        **_declared(operation_id, summary, answer, access, codes, cost),
    )


def post(
    path: str = "/",
    *,
    operation_id: str,
    summary: str,
    answer: Answer,
    access: Access = ANYBODY,
    problems: Iterable[str] = (),
    cost: int = 1,
    dependencies: Mapping[str, Provide] | None = None,
    tags: Sequence[str] | None = None,
) -> Decorator:
    """Declare an operation that takes a body."""
    codes = _sorted({*_ALWAYS, *_BODY_PROBLEMS, "too_many_requests", *access.problems, *problems})
    return route(
        path,
        http_method=HttpMethod.POST,
        operation_id=operation_id,
        dependencies=dependencies,
        tags=tags,
        **_declared(operation_id, summary, answer, access, codes, cost),
    )


def delete(
    path: str = "/",
    *,
    operation_id: str,
    summary: str,
    answer: Answer,
    access: Access,
    problems: Iterable[str],
    dependencies: Mapping[str, Provide] | None = None,
    tags: Sequence[str] | None = None,
) -> Decorator:
    """Declare an operation that takes something away."""
    codes = _sorted({*_ALWAYS, "invalid_header", "too_many_requests", *access.problems, *problems})
    return route(
        path,
        http_method=HttpMethod.DELETE,
        operation_id=operation_id,
        dependencies=dependencies,
        tags=tags,
        **_declared(operation_id, summary, answer, access, codes, 1),
    )


def _declared(
    operation_id: str, summary: str, answer: Answer, access: Access, codes: list[str], cost: int
) -> dict[str, Any]:
    """Return the arguments of litestar's decorator that all methods have in common."""
    return {
        "summary": summary,
        "status_code": answer.status,
        "guards": list(access.guards),
        "security": list(access.security),
        "response_description": answer.text,
        "response_headers": list(answer.headers),
        "responses": _responses(answer, codes),
        "opt": {"operation_id": operation_id, "cost": cost, "problems": codes, "answer": answer},
    }


def _responses(answer: Answer, codes: list[str]) -> dict[int, ResponseSpec]:
    """Document the answer, the 304 of conditional requests, and the problems by their status."""
    specs = {
        answer.status: ResponseSpec(
            answer.type, generate_examples=False, description=answer.text, media_type=answer.media_type
        )
    }
    if answer.conditional:
        specs[304] = ResponseSpec(None, generate_examples=False, description="You have it already.")
    for status in sorted({CATALOGUE[code].status for code in codes}):
        lines = [f"- `{code}`: {CATALOGUE[code].title}." for code in codes if CATALOGUE[code].status == status]
        specs[status] = ResponseSpec(
            Problem, generate_examples=False, description="\n".join(lines), media_type=MEDIA_TYPE
        )
    return specs


def _sorted(codes: Iterable[str]) -> list[str]:
    """Return codes by status, and within it as the catalogue has them."""
    order = list(CATALOGUE)
    return sorted(codes, key=lambda code: (CATALOGUE[code].status, order.index(code)))
