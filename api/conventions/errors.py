"""Whatever is raised leaves as a problem: the only place where exceptions become answers."""

from functools import singledispatch
from typing import Any

from litestar import Response
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.types import ExceptionHandlersMap

from api.conventions.answers import Answer, encode
from api.conventions.problems import CATALOGUE, MEDIA_TYPE, REASONS, RESTORED_SECONDS, RETRY_SECONDS, Failure
from api.conventions.requests import Call
from domain.application import (
    BrokenCursor,
    KeyReused,
    StaleVersion,
    StorageAway,
    UnknownGame,
    UnknownVersion,
)
from domain.records import RecordRefused
from domain.refusals import Refused
from domain.stream import UnreadableEvent

WHICH_METHODS = "OPTIONS?"
"""No path knows this method, so that its answer lists those it does know; the framework's own may forget some."""


@singledispatch
def as_failure(_: Exception) -> Failure:
    """What the client is told about an exception; of an unexpected one nothing that is none of their business."""
    return Failure("internal_error", "Something went wrong that should not have.")


@as_failure.register
def _(error: Failure) -> Failure:
    return error


@as_failure.register
def _(error: Refused) -> Failure:
    """A refusal of the moment, or of the action itself for one of many reasons."""
    why = {"rule": error.rule, "needed": error.needed, "had": error.had}
    if error.code in CATALOGUE and error.code != "illegal_action":
        return Failure(error.code, error.detail, None, **why)
    reason = error.code if error.code in REASONS else "no_such_action"
    return Failure("illegal_action", error.detail, None, reason=reason, **why)


@as_failure.register
def _(_: UnknownGame) -> Failure:
    return Failure("game_not_found", "There is no such game.")


@as_failure.register
def _(error: UnknownVersion) -> Failure:
    detail = f"There is no version {error.version}, the newest is {error.newest}."
    return Failure("version_not_found", detail, version=error.newest)


@as_failure.register
def _(error: StaleVersion) -> Failure:
    detail = f"The game is at version {error.current} by now."
    return Failure("stale_version", detail, {"ETag": f'"{error.current}"'}, version=error.current)


@as_failure.register
def _(_: KeyReused) -> Failure:
    return Failure("key_reused", "This Idempotency-Key came with another request before.")


@as_failure.register
def _(_: BrokenCursor) -> Failure:
    return Failure("invalid_cursor", "The cursor is not one that this API gave.")


@as_failure.register
def _(error: RecordRefused) -> Failure:
    return Failure("record_rejected", f"{error.where}: {error.detail}")


@as_failure.register
def _(_: StorageAway) -> Failure:
    return Failure("storage_unavailable", "The storage does not answer.", {"Retry-After": str(RETRY_SECONDS)})


@as_failure.register
def _(error: UnreadableEvent) -> Failure:
    return Failure("game_unreadable", f"The stored game is damaged: {error}.", {"Retry-After": str(RESTORED_SECONDS)})


@as_failure.register
def _(_: NotFoundException) -> Failure:
    return Failure("not_found", "Nothing is at this path. /v1 has links to follow, /schema explains every path.")


@as_failure.register
def _(error: MethodNotAllowedException) -> Failure:
    """What the path knows; HEAD goes wherever GET does."""
    known = set(dict(error.headers or {}).get("allow", "").split(", "))
    allowed = ", ".join(sorted(known | {"HEAD"} if "GET" in known else known))
    return Failure("method_not_allowed", f"This path knows {allowed}.", {"Allow": allowed})


@as_failure.register
def _(error: HTTPException) -> Failure:
    """What routing and reading refuse by themselves."""
    if error.status_code < 500:
        return Failure("bad_request", error.detail, error.headers)
    return Failure("internal_error", "Something went wrong that should not have.")


def told_failure(request: Call, error: Exception) -> Failure:
    """What is told about a request that raised: to the client, and to who looks after the server if it is to blame."""
    failure = as_failure(error)
    if failure.code == "internal_error":
        request_id: Any = request.scope.get("request_id", b"")
        request.app.state["log"].error("failed", request_id=request_id.decode(), exc_info=error)
    return failure


def answer_problem(request: Call, error: Exception) -> Response[bytes]:
    """The answer to a request that raised."""
    failure = told_failure(request, error)
    problem = failure.problem
    return Response(encode(problem), status_code=problem.status, media_type=MEDIA_TYPE, headers=_headers(failure))


def answer_wrong_method(request: Call, error: MethodNotAllowedException) -> Response[Any]:
    """The answer to a method the path does not know; whoever asks for those that it knows (OPTIONS) is told."""
    if request.scope["method"] == WHICH_METHODS:
        return Response(None, status_code=204, headers=dict(as_failure(error).headers))
    return answer_problem(request, error)


def problem_answer(failure: Failure) -> Answer:
    """A problem as an answer, where no request has been made of what was sent yet."""
    problem = failure.problem
    headers = [(name.lower().encode(), value.encode()) for name, value in _headers(failure).items()]
    return Answer(encode(problem), status=problem.status, media_type=MEDIA_TYPE.encode(), headers=headers)


def _headers(failure: Failure) -> dict[str, str]:
    if CATALOGUE[failure.code].status == 401:
        return {"WWW-Authenticate": "Bearer", **failure.headers}
    return dict(failure.headers)


HANDLERS: ExceptionHandlersMap = {Exception: answer_problem, MethodNotAllowedException: answer_wrong_method}
