"""ETags (RFC 9110, 13), idempotency keys, and cursors of pages."""

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl

from litestar.params import HeaderParameter, QueryParameter

from api.http.problems import ApiProblem, FieldError
from domain.store import IdempotencyKey, LoadedGame, require_version

if TYPE_CHECKING:
    from api.http.access import Visit
    from api.http.requests import ApiRequest

VERSION_PATTERN = '^("[0-9]{1,18}"|[0-9]{1,18})$'
IF_MATCH_PATTERN = r'^("[0-9]{1,18}"|[0-9]{1,18}|\*)$'

KEPT_SECONDS = 24 * 60 * 60
"""The longest time that caches keep an immutable response, so that a removed game disappears from them too."""

IfNoneMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-None-Match",
        description="The `ETag` of your copy. The response is 304 if it is current.",
    ),
]
IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description="The `ETag` that your decision is based on. The response is 412 if the game has changed.",
        schema_extra={"pattern": IF_MATCH_PATTERN},
    ),
]

_version = re.compile(VERSION_PATTERN[1:-1], re.ASCII).fullmatch


def etag(version: int) -> str:
    return f'"{version}"'


def content_tag(body: bytes) -> str:
    """Return the entity tag of content that has no version."""
    return f'"{sha256(body).hexdigest()[:16]}"'


def game_headers(game: LoadedGame, version: int | None = None) -> dict[str, str]:
    """Return the headers of a response that changes with the game: caches must revalidate it."""
    timeline = game.timeline
    cache_control = "private, no-cache" if timeline.table.options.private else "no-cache"
    return {"etag": etag(version or timeline.version), "cache-control": cache_control}


def immutable_headers(game: LoadedGame) -> dict[str, str]:
    """Return the headers of a response about a fixed version."""
    scope = "private, " if game.table.options.private else ""
    return {"etag": etag(game.version), "cache-control": f"{scope}max-age={KEPT_SECONDS}, immutable"}


def matches(if_none_match: str | None, tag: str) -> bool:
    """Return whether the client has the response with this tag."""
    if if_none_match is None:
        return False
    tags = (one.strip().removeprefix("W/") for one in if_none_match.split(","))
    return any(one in ("*", tag) for one in tags)


def parse_expected_version(if_match: str) -> int | None:
    """Parse ``If-Match``: a version with or without quotes, None for ``*``."""
    if if_match.strip() == "*":
        return None
    found = _version(if_match.strip())
    if found is None:
        why = 'send a version in quotes, such as "12"'
        raise ApiProblem("invalid_header", f"Header If-Match: {why}.", errors=(FieldError("If-Match", why),))
    return int(found[1].strip('"'))


def check_expected_version(game: LoadedGame, if_match: str | None) -> None:
    """Raise ``StaleVersion`` if the game has changed since the version in ``If-Match``."""
    require_version(None if if_match is None else parse_expected_version(if_match), game.version)


# --- idempotency keys ----------------------------------------------------------------------------------------------

KEY_PATTERN = "^[!-~]{1,200}$"

FORM = (b"include", b"lang")
"""Query parameters that only change the form of a response."""

KeyHeader = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="A random text that identifies this request. If no response arrives, repeat the request with the "
        "same key: it is processed once, and you get its response. A response with tokens needs a key of at least 22 "
        "characters, such as 32 random hexadecimal digits, or a shorter key and your token of this game "
        "(`renew_host_token` always needs a long key); otherwise you get 422 `weak_key`. Keep such a key secret.",
        schema_extra={"pattern": KEY_PATTERN},
    ),
]

_visible_ascii = re.compile(KEY_PATTERN[1:-1]).fullmatch


def parse_key(request: "ApiRequest", body: bytes, header: str) -> IdempotencyKey:
    """Return the key of a request, which is bound to the holder of the token and to the path."""
    if not _visible_ascii(header):
        why = "send 1 to 200 visible ASCII characters"
        raise ApiProblem(
            "invalid_header", f"Header Idempotency-Key: {why}.", errors=(FieldError("Idempotency-Key", why),)
        )
    visit: Visit | None = request.scope.get("auth")
    holder = visit.holder if visit else None
    caller = f"{holder.game}:{'spectator' if holder.role == 'spectator' else holder.seat}" if holder else ""
    path = request.scope["path"].lower()
    return IdempotencyKey(
        f"{caller} {path}", header, _content(request, body), visit.member.token if visit and visit.member else None
    )


def _content(request: "ApiRequest", body: bytes) -> bytes:
    """Return the body with the query, without parameters that only change the form of the response."""
    query = request.scope["query_string"]
    if not query:
        return body
    pairs = sorted(pair for pair in parse_qsl(query) if pair[0] not in FORM)
    return b"%b?%b" % (body, repr(pairs).encode()) if pairs else body


# --- pages ---------------------------------------------------------------------------------------------------------

CURSOR_PATTERN = "^[0-9]{1,15}$"

Cursor = Annotated[
    str | None,
    QueryParameter(name="cursor", description="`next` of the previous page.", schema_extra={"pattern": CURSOR_PATTERN}),
]

_digits = re.compile(CURSOR_PATTERN[1:-1], re.ASCII).fullmatch


def position_of(cursor: str | None) -> int | None:
    """Parse a cursor; raise a problem if it does not come from this API."""
    if cursor is None:
        return None
    if not _digits(cursor):
        raise broken_cursor()
    return int(cursor)


def broken_cursor() -> ApiProblem:
    return ApiProblem("invalid_cursor", "This cursor does not come from this API.")
