"""Versions in headers: what a client has seen, and what it bases a decision on (RFC 9110, 13)."""

import re

from api.conventions.requests import Call, bad_header, header

PATTERN = '^("[0-9]{1,18}"|[0-9]{1,18})$'

_version = re.compile(PATTERN[1:-1], re.ASCII).fullmatch


def etag(version: int) -> bytes:
    """The entity tag of a game at a version."""
    return b'"%d"' % version


def is_known(request: Call, version: int) -> bool:
    """Whether the client has the game at this version already."""
    return knows(request, f'"{version}"')


def knows(request: Call, tag: str) -> bool:
    """Whether the client already has what carries this tag (``If-None-Match``)."""
    given = header(request, b"if-none-match")
    if given is None:
        return False
    tags = (one.strip().removeprefix("W/") for one in given.split(","))
    return any(one in ("*", tag) for one in tags)


def seen_version(request: Call) -> int | None:
    """The version a decision is based on (``If-Match``), or None if it holds for any; quotes may be forgotten."""
    given = header(request, b"if-match")
    if given is None or given.strip() == "*":
        return None
    found = _version(given.strip())
    if found is None:
        raise bad_header("If-Match", 'a version in quotes is expected, such as "12"')
    return int(found[1].strip('"'))
