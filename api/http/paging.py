"""Cursors of paged lists. A cursor names a place, so that additions elsewhere shift nothing."""

import re
from typing import Annotated

from litestar.params import QueryParameter

from api.http.problems import ApiProblem

CURSOR_PATTERN = "^[0-9]{1,15}$"

Cursor = Annotated[
    str | None,
    QueryParameter(name="cursor", description="`next` of the page before.", schema_extra={"pattern": CURSOR_PATTERN}),
]

_digits = re.compile(CURSOR_PATTERN[1:-1], re.ASCII).fullmatch


def position_of(cursor: str | None) -> int | None:
    """Return the place that a cursor names, None without one; raise a problem for one that this API never gave."""
    if cursor is None:
        return None
    if not _digits(cursor):
        raise broken_cursor()
    return int(cursor)


def broken_cursor() -> ApiProblem:
    """Return the problem of a cursor that this API never gave."""
    return ApiProblem("invalid_cursor", "The cursor is not one that this API gave.")
