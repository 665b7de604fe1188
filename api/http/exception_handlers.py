"""Exceptions as problems: what the client is told about each kind of exception that leaves a handler."""

from collections.abc import Callable
from typing import Any

from litestar import Request
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException, ValidationException
from litestar.plugins.problem_details import ProblemDetailsConfig, ProblemDetailsPlugin
from litestar.response import Response
from litestar.status_codes import HTTP_413_REQUEST_ENTITY_TOO_LARGE, HTTP_500_INTERNAL_SERVER_ERROR
from litestar.types import Scope

from api.http.access import Visit
from api.http.hooks import request_id_of
from api.http.log import log, trace_of
from api.http.problems import ApiProblem, FieldError
from domain.records import RecordRefused
from domain.refused import Refused
from domain.store import (
    SECRET_LENGTH,
    AnswerUnreadable,
    KeyReused,
    Revoked,
    StaleVersion,
    StorageUnavailable,
    TooManyWatchers,
    TooMuchWork,
    UnknownGame,
    UnknownVersion,
    WeakKey,
)
from domain.stream import UnreadableEvent
from projections.names import player_names
from projections.words import en

RETRY_AFTER = 2
RESTORE_SECONDS = 3600


def _always(
    code: str, detail: str, retry_after: int | None = None, **members: Any
) -> Callable[[Exception], ApiProblem]:
    """Return a conversion that ignores the details of the exception."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return lambda _: ApiProblem(code, detail, headers, **members)


storage_unavailable = _always("storage_unavailable", "The storage does not answer.", RETRY_AFTER)
answer_unreadable = _always(
    "answer_unreadable", "This was done before, under release 1.0, and not again. Its response is not kept."
)
missing_body = _always("invalid_body", "Send a JSON body.", errors=(FieldError("$", "Expected JSON, got no body"),))
"""litestar refuses nothing else itself: the parameters were checked before."""
unexpected = _always("internal_error", "Something went wrong that should not have.")
"""The text of any other exception is for the log, not for clients."""


def refusal_response(request: Request[Any, Any, Any], error: Refused) -> Response[Any]:
    """Return the response to a refused decision, in a sentence with the names of the players."""
    visit: Visit | None = request.scope.get("auth")
    players = player_names(visit.loaded.table) if visit and visit.loaded else {}
    detail = en.refusal_text(players, error)
    reason: dict[str, Any] = {} if error.reason is None else {"reason": error.reason}
    problem = ApiProblem(error.code, detail, rule=error.rule, needed=error.needed, had=error.had, **reason)
    return problem.to_response(request)


def unknown_game(error: UnknownGame) -> ApiProblem:
    """Convert the exception of a game that is not there, or not any more."""
    removed = error.removed_at
    return ApiProblem(
        "game_not_found", f"An operator removed this game at {removed}." if removed else "There is no such game."
    )


def unknown_version(error: UnknownVersion) -> ApiProblem:
    """Convert the exception of a version that a game never had."""
    detail = f"There is no version {error.version}, the newest is {error.newest}."
    return ApiProblem("version_not_found", detail, version=error.newest)


def stale_version(error: StaleVersion) -> ApiProblem:
    """Convert the exception of a change that is based on an older version."""
    detail = f"The game is at version {error.current} by now."
    return ApiProblem("stale_version", detail, {"ETag": f'"{error.current}"'}, version=error.current)


def unreadable_event(error: UnreadableEvent) -> ApiProblem:
    """Convert the exception of a stored event that cannot be read."""
    return ApiProblem("game_unreadable", f"The stored game is damaged: {error}.", {"Retry-After": str(RESTORE_SECONDS)})


def method_not_allowed(error: MethodNotAllowedException) -> ApiProblem:
    """Convert the exception of a method that the path does not have."""
    allowed = ", ".join(sorted(dict(error.headers or {}).get("allow", "").split(", ")))
    return ApiProblem("method_not_allowed", f"This path knows {allowed}.", {"Allow": allowed})


def http_error(error: HTTPException) -> ApiProblem:
    """Convert what the framework refuses by itself."""
    if error.status_code == HTTP_413_REQUEST_ENTITY_TOO_LARGE:
        return ApiProblem("body_too_large", "The body has more bytes than this operation takes.")
    if error.status_code < HTTP_500_INTERNAL_SERVER_ERROR:
        return ApiProblem("bad_request", error.detail, error.headers)
    return unexpected(error)


_CONVERSIONS: dict[type[Exception], Callable[[Any], ApiProblem]] = {
    UnknownGame: unknown_game,
    UnknownVersion: unknown_version,
    StaleVersion: stale_version,
    KeyReused: _always("key_reused", "This Idempotency-Key came with another request before."),
    Revoked: _always(
        "token_unknown", "This token was renewed while the request was processed. Ask the host for the new one."
    ),
    WeakKey: _always(
        "weak_key",
        "The response holds tokens: without a token of the game, the same as the first time, it needs an "
        f"Idempotency-Key of {SECRET_LENGTH} or more characters.",
    ),
    AnswerUnreadable: answer_unreadable,
    RecordRefused: lambda error: ApiProblem("record_rejected", f"{error.where}: {error.detail}"),
    StorageUnavailable: storage_unavailable,
    UnreadableEvent: unreadable_event,
    TooManyWatchers: _always(
        "too_many_requests", "Too many watch already; ask for `events` without `wait`.", RETRY_AFTER
    ),
    TooMuchWork: _always(
        "too_many_requests", "Too many audits, records, forks and images wait for their turn.", RETRY_AFTER
    ),
    NotFoundException: _always("not_found", "Nothing is here: /v1 has links, /schema explains every path."),
    MethodNotAllowedException: method_not_allowed,
    ValidationException: missing_body,
    HTTPException: http_error,
}


async def log_failure(error: Exception, scope: Scope) -> None:
    """Log an exception that is an error of the server, with its traceback if it was not expected.

    Errors of the storage are logged by the observer of the store.
    """
    request = {"request_id": request_id_of(scope), **trace_of(scope)}
    if isinstance(error, UnreadableEvent):
        log.error("failed", extra={"facts": {**request, "path": scope["path"], "error": str(error)}})
    elif not isinstance(error, (ApiProblem, Refused, *_CONVERSIONS)) or getattr(error, "status_code", 0) >= 500:
        log.error("failed", extra={"facts": request}, exc_info=error)


def log_storage_error(error: StorageUnavailable) -> None:
    """Log an error of the storage."""
    log.error("the storage failed", extra={"facts": {"error": str(error), "cause": repr(error.__cause__)}})


def problem_code(error: Exception) -> str:
    """Return the code of the problem with which an exception is answered."""
    if isinstance(error, ApiProblem | Refused):
        return error.code
    convert = next((_CONVERSIONS[kind] for kind in type(error).__mro__ if kind in _CONVERSIONS), unexpected)
    return convert(error).code


PROBLEM_DETAILS = ProblemDetailsPlugin(
    ProblemDetailsConfig(exception_to_problem_detail_map={**_CONVERSIONS, Exception: unexpected})
)
"""litestar's plugin for RFC 9457, with every exception that has a problem of its own but for ``Refused``."""
