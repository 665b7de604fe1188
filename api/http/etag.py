"""ETag and Cache-Control headers, and the conditions If-Match and If-None-Match (RFC 9110, 13)."""

import re
from hashlib import sha256
from typing import Annotated

from litestar.params import HeaderParameter

from api.http.problems import ApiProblem, FieldError
from domain.store import LoadedGame, require_version

VERSION_PATTERN = '^("[0-9]{1,18}"|[0-9]{1,18})$'
IF_MATCH_PATTERN = r'^("[0-9]{1,18}"|[0-9]{1,18}|\*)$'

KEPT_SECONDS = 24 * 60 * 60
"""The time for which caches keep what never changes without asking: a removed game must be gone from them too."""

IfNoneMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-None-Match",
        description="The `ETag` of what you have: the answer is 304 if it is still the same.",
    ),
]
IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description="The `ETag` your decision is based on: the answer is 412 if the game has gone on since.",
        schema_extra={"pattern": IF_MATCH_PATTERN},
    ),
]

_version = re.compile(VERSION_PATTERN[1:-1], re.ASCII).fullmatch


def etag(version: int) -> str:
    """Return the entity tag of a game at a version."""
    return f'"{version}"'


def content_tag(body: bytes) -> str:
    """Return the entity tag of bytes that belong to no version of a game."""
    return f'"{sha256(body).hexdigest()[:16]}"'


def game_headers(game: LoadedGame, version: int | None = None) -> dict[str, str]:
    """Return the headers of an answer about a game: its ETag, and that caches have to ask again."""
    cache_control = "private, no-cache" if game.table.options.private else "no-cache"
    return {"etag": etag(version or game.version), "cache-control": cache_control}


def lasting_headers(game: LoadedGame) -> dict[str, str]:
    """Return the headers of an answer that never changes, since it is about a version that was named."""
    scope = "private, " if game.table.options.private else ""
    return {"etag": etag(game.version), "cache-control": f"{scope}max-age={KEPT_SECONDS}, immutable"}


def matches(if_none_match: str | None, tag: str) -> bool:
    """Tell if a client already has the answer with this tag."""
    if if_none_match is None:
        return False
    tags = (one.strip().removeprefix("W/") for one in if_none_match.split(","))
    return any(one in ("*", tag) for one in tags)


def parse_expected_version(if_match: str) -> int | None:
    """Return the version that a change is based on, None if any will do; quotes may be left out."""
    if if_match.strip() == "*":
        return None
    found = _version(if_match.strip())
    if found is None:
        why = 'a version in quotes is expected, such as "12"'
        raise ApiProblem("invalid_header", f"Header If-Match: {why}.", errors=(FieldError("If-Match", why),))
    return int(found[1].strip('"'))


def check_expected_version(game: LoadedGame, if_match: str | None) -> None:
    """Raise ``StaleVersion`` unless a game is at the version that a request is based on."""
    require_version(None if if_match is None else parse_expected_version(if_match), game.version)
