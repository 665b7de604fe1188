"""The problems of an operation: declared ones, and those implied by its signature."""

from collections.abc import Iterator

from litestar.handlers import HTTPRouteHandler
from litestar.status_codes import HTTP_201_CREATED

from api.http.problems import CATALOGUE

_ALWAYS = ("internal_error", "storage_unavailable", "invalid_parameter")
_OF_A_GAME = ("game_not_found", "game_unreadable")
_OF_A_BODY = (
    "malformed_json",
    "invalid_body",
    "unsupported_media_type",
    "body_too_large",
    "request_timeout",
    "bad_request",
)
_OF_PARAMETERS = {
    "at": ("version_not_found",),
    "cursor": ("invalid_cursor",),
    "If-Match": ("invalid_header", "stale_version"),
    "Idempotency-Key": ("invalid_header", "key_reused", "answer_unreadable"),
    "Last-Event-ID": ("invalid_header",),
}


def problems_by_status(path: str, parameters: set[str], handler: HTTPRouteHandler) -> dict[int, list[str]]:
    """Return the codes of problems by status, each in the order of the catalogue."""
    codes = set(_codes(path, parameters, handler))
    statuses = sorted({CATALOGUE[code].status for code in codes})
    return {
        status: [code for code in CATALOGUE if code in codes and CATALOGUE[code].status == status]
        for status in statuses
    }


def _codes(path: str, parameters: set[str], handler: HTTPRouteHandler) -> Iterator[str]:
    yield from _ALWAYS
    yield from handler.opt["problems"]
    if handler.opt["cost"]:
        yield "too_many_requests"
    if "{game_id}" in path:
        yield from _OF_A_GAME
    if handler.parsed_data_field is not None:
        yield from _OF_A_BODY
    if "Idempotency-Key" in parameters and handler.status_code == HTTP_201_CREATED:
        yield "weak_key"
    for name in parameters & _OF_PARAMETERS.keys():
        yield from _OF_PARAMETERS[name]
