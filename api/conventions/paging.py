"""Cursors: where in a list the following page begins. They name a place, so that additions elsewhere shift nothing."""

import re
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from api.conventions.problems import Failure

PATTERN = "^[0-9]{1,15}$"

Cursor = (
    Annotated[str, Meta(description="`next` of the page before.", extra_json_schema={"pattern": PATTERN})] | UnsetType
)

_position = re.compile(PATTERN[1:-1], re.ASCII).fullmatch


def position(cursor: str | UnsetType) -> int | None:
    """The place that a cursor names, None without one; raises ``Failure`` for what cannot be one of ours."""
    if cursor is UNSET:
        return None
    if not _position(cursor):
        raise Failure("invalid_cursor", "The cursor is not one that this API gave.")
    return int(cursor)
