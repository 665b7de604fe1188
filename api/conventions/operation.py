"""What is promised of an operation, beside the code that keeps it: the document is made from this."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from api.conventions.problems import CATALOGUE

Caller = Literal["anybody", "reader", "player", "member", "host"]


_FOR_MEMBERS = {"token_missing", "token_unknown", "foreign_token"}

_OF_CALLER: dict[Caller, set[str]] = {
    "anybody": set(),
    "reader": _FOR_MEMBERS,
    "member": _FOR_MEMBERS,
    "player": _FOR_MEMBERS | {"players_only"},
    "host": _FOR_MEMBERS | {"host_only"},
}

_OF_POST = {
    "malformed_json",
    "invalid_body",
    "unsupported_media_type",
    "body_too_large",
    "invalid_header",
    "key_reused",
}


class NoParameters(msgspec.Struct, frozen=True):
    """For operations without anything after the question mark."""


class At(msgspec.Struct, frozen=True):
    """Every view can be had as it was."""

    at: (
        Annotated[
            int, Meta(ge=1, le=2**31 - 1, description="Look at the game as it was at this version, not as it is now.")
        ]
        | UnsetType
    ) = UNSET


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that clients can ask for.

    ``answer`` tells what comes back and ``gives`` its type, ``takes`` is the type of the body, ``query`` has a field
    for each parameter, and ``problems`` are the codes that path, body and caller do not explain already.
    """

    answer: str
    gives: Any = None
    takes: Any = None
    body_optional: bool = False
    query: type[msgspec.Struct] = NoParameters
    caller: Caller = "anybody"
    problems: tuple[str, ...] = ()
    versioned: bool = False
    conditional: bool = True
    located: bool = False
    media_type: str = "application/json"

    def __deepcopy__(self, _: object) -> "Operation":
        return self  # the framework copies what hangs on a route, and types cannot be copied

    def codes(self, method: str, path: str) -> list[str]:
        """Every code this operation may answer with, by status."""
        codes = {"too_many_requests", "internal_error", "storage_unavailable", "invalid_parameter", *self.problems}
        if path.startswith("/health/"):
            codes.remove("too_many_requests")
        if "{game_id}" in path:
            codes |= {"game_not_found", "game_unreadable"}
        codes |= _OF_CALLER[self.caller]
        if method == "POST":
            codes |= _OF_POST
        if self.query is At:
            codes.add("version_not_found")
        if self.guarded(method, path):
            codes |= {"invalid_header", "stale_version"}
        return sorted(codes, key=lambda code: (CATALOGUE[code].status, list(CATALOGUE).index(code)))

    def may_be_known(self, method: str) -> bool:
        """Whether who has the answer already may be told just that (``If-None-Match``)."""
        return method == "GET" and self.versioned and self.conditional

    def guarded(self, method: str, path: str) -> bool:
        """Whether it changes a game that is there already, so that ``If-Match`` makes sense."""
        return method != "GET" and "{game_id}" in path and self.versioned
