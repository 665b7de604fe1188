"""The problem responses of exceptions that leave a handler."""

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
from api.http.limits import too_many_requests
from api.http.log import log, trace_of
from api.http.problems import ApiProblem, FieldError
from api.http.responses import BY_ACCEPT
from domain.records import RecordRefused
from domain.refused import Refused
from domain.store import (
    SECRET_LENGTH,
    AnswerUnreadable,
    EpochChanged,
    KeyReused,
    Revoked,
    StaleVersion,
    StorageUnavailable,
    TooManyWatchers,
    TooMuchWork,
    UnknownEnding,
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


storage_unavailable = _always("storage_unavailable", "The database does not respond. Try again later.", RETRY_AFTER)
answer_unreadable = _always(
    "answer_unreadable", "Release 1.0 has already processed this request. Its response is not stored."
)
missing_body = _always("invalid_body", "Send a JSON body.", errors=(FieldError("$", "Expected JSON, got no body"),))
"""litestar refuses nothing else: parameters are checked before."""
unexpected = _always("internal_error", "The server failed. The error is logged with the X-Request-Id of this response.")
"""Other exceptions are logged, and their text is not sent to clients."""


def refusal_response(request: Request[Any, Any, Any], error: Refused) -> Response[Any]:
    """Return the response to a refused decision, a sentence with the names of the players."""
    visit: Visit | None = request.scope.get("auth")
    players = player_names(visit.loaded.table) if visit and visit.loaded else {}
    detail = en.refusal_text(players, error)
    some = {"reason": error.reason, "index": error.index}
    given: dict[str, Any] = {name: value for name, value in some.items() if value is not None}
    problem = ApiProblem(error.code, detail, rule=error.rule, needed=error.needed, had=error.had, **given)
    return problem.to_response(request)


def unknown_game(error: UnknownGame) -> ApiProblem:
    removed = error.removed_at
    return ApiProblem(
        "game_not_found", f"An operator erased this game at {removed}." if removed else "This game does not exist."
    )


def unknown_address(_: NotFoundException) -> ApiProblem:
    return ApiProblem("not_found", "Nothing is here. /v1 lists the paths, /schema explains them.", BY_ACCEPT)


def unknown_version(error: UnknownVersion) -> ApiProblem:
    detail = f"Version {error.version} does not exist. The newest is {error.newest}."
    return ApiProblem("version_not_found", detail, version=error.newest)


def stale_version(error: StaleVersion) -> ApiProblem:
    detail = f"The game is now at version {error.current}."
    return ApiProblem("stale_version", detail, {"ETag": f'"{error.current}"'}, version=error.current)


def unreadable_event(error: UnreadableEvent) -> ApiProblem:
    return ApiProblem("game_unreadable", f"The stored game is damaged: {error}.", {"Retry-After": str(RESTORE_SECONDS)})


def too_many_streams(error: TooManyWatchers) -> ApiProblem:
    """Convert the exception of a stream beyond those that may be open at once."""
    if error.of_client:
        detail = "This client has too many streams and long polls open. Close one, or read `events` without `wait`."
        return too_many_requests("streams", detail, None)
    return too_many_requests("streams", "Too many streams are open. Read `events` without `wait`.", RETRY_AFTER)


def method_not_allowed(error: MethodNotAllowedException) -> ApiProblem:
    allowed = ", ".join(sorted(dict(error.headers or {}).get("allow", "").split(", ")))
    return ApiProblem("method_not_allowed", f"This path supports {allowed}.", {"Allow": allowed})


def http_error(error: HTTPException) -> ApiProblem:
    """Convert an error that litestar raises."""
    if error.status_code == HTTP_413_REQUEST_ENTITY_TOO_LARGE:
        return ApiProblem("body_too_large", "The body has more bytes than this operation accepts.")
    if error.status_code < HTTP_500_INTERNAL_SERVER_ERROR:
        return ApiProblem("bad_request", error.detail, error.headers)
    return unexpected(error)


_CONVERSIONS: dict[type[Exception], Callable[[Any], ApiProblem]] = {
    UnknownGame: unknown_game,
    UnknownVersion: unknown_version,
    StaleVersion: stale_version,
    KeyReused: _always("key_reused", "This Idempotency-Key was used for another request."),
    Revoked: _always("token_unknown", "The token was renewed, or its seat was freed. Ask the host for a new one."),
    WeakKey: _always(
        "weak_key",
        f"The response contains tokens. Send an Idempotency-Key of {SECRET_LENGTH} or more characters, or the token of "
        "this game that you sent with the key before.",
    ),
    AnswerUnreadable: answer_unreadable,
    RecordRefused: lambda error: ApiProblem("record_rejected", f"{error.where}: {error.detail}"),
    EpochChanged: lambda error: ApiProblem(
        "epoch_changed",
        "The database was restored from a backup, or there is no such position yet. Start again at 0.",
        epoch=error.epoch,
    ),
    UnknownEnding: lambda _: ApiProblem(
        "cursor_gone", "The game in `after` was erased, or is not public. Send the cursor of an earlier record."
    ),
    StorageUnavailable: storage_unavailable,
    UnreadableEvent: unreadable_event,
    TooManyWatchers: too_many_streams,
    TooMuchWork: lambda _: too_many_requests(
        "work", "Too many audits, records, forks, hints and images are queued.", RETRY_AFTER
    ),
    NotFoundException: unknown_address,
    MethodNotAllowedException: method_not_allowed,
    ValidationException: missing_body,
    HTTPException: http_error,
}


async def log_failure(error: Exception, scope: Scope) -> None:
    """Log an error of the server, with a traceback if it was not expected.

    Errors of the database are logged by the observer of the store.
    """
    request = {"request_id": request_id_of(scope), **trace_of(scope)}
    if isinstance(error, UnreadableEvent):
        log.error("failed", extra={"facts": {**request, "path": scope["path"], "error": str(error)}})
    elif not isinstance(error, (ApiProblem, Refused, *_CONVERSIONS)) or getattr(error, "status_code", 0) >= 500:
        log.error("failed", extra={"facts": request}, exc_info=error)


def log_storage_error(error: StorageUnavailable) -> None:
    log.error("the storage failed", extra={"facts": {"error": str(error), "cause": repr(error.__cause__)}})


def problem_code(error: Exception) -> str:
    """Return the problem code for an exception."""
    if isinstance(error, ApiProblem | Refused):
        return error.code
    convert = next((_CONVERSIONS[kind] for kind in type(error).__mro__ if kind in _CONVERSIONS), unexpected)
    return convert(error).code


PROBLEM_DETAILS = ProblemDetailsPlugin(
    ProblemDetailsConfig(
        exception_to_problem_detail_map={
            **{kind: convert for kind, convert in _CONVERSIONS.items() if kind is not NotFoundException},
            Exception: unexpected,
        }
    )
)
"""litestar's plugin for RFC 9457. ``Refused`` and unknown addresses have handlers of their own."""
