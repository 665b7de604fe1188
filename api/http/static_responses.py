"""Answers that never change while the server runs: maps, pages, the document."""

from collections.abc import Mapping
from typing import Any

import msgspec

from api.http.etag import content_tag, matches
from api.http.responses import Encoded

HTML = "text/html"
JSON = "application/json"

NO_HEADERS: Mapping[str, str] = {}
BY_ACCEPT = {"vary": "accept"}
"""The header of answers that are JSON or a page, as the sender prefers."""


class StaticContent(msgspec.Struct, frozen=True):
    """Bytes with the tag that stands for just these, as a whole answer and as 304."""

    tag: str
    whole: Encoded[Any]
    not_modified: Encoded[Any]


def static_content(body: bytes, media_type: str = JSON, more: Mapping[str, str] = NO_HEADERS) -> StaticContent:
    """Prepare bytes that will be sent again and again, with the headers that all static answers have and more."""
    tag = content_tag(body)
    headers = {"etag": tag, "cache-control": "public, max-age=300", **more}
    whole = Encoded[Any](body, media_type=media_type, headers=headers)
    return StaticContent(tag, whole, Encoded[Any](b"", status_code=304, headers=headers))


def static_response(content: StaticContent, if_none_match: str | None) -> Encoded[Any]:
    """Return an answer that never changes, or 304 if the client has it."""
    return content.not_modified if matches(if_none_match, content.tag) else content.whole
