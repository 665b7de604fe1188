"""Answers that never change while the server runs: maps, pages, the document."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from api.http.etag import matches
from api.http.responses import Encoded

HTML = "text/html"
JSON = "application/json"


class StaticContent(msgspec.Struct, frozen=True):
    """Bytes that are ready to be sent, with the tag that stands for just these."""

    body: bytes
    media_type: str
    tag: str


def static_content(body: bytes, media_type: str = JSON) -> StaticContent:
    """Tag bytes that will be sent again and again."""
    return StaticContent(body, media_type, f'"{sha256(body).hexdigest()[:16]}"')


def static_file(path: Path, media_type: str = HTML) -> StaticContent:
    """Read a file that will be sent again and again."""
    return static_content(path.read_bytes(), media_type)


def static_response(content: StaticContent, if_none_match: str | None) -> Encoded[Any]:
    """Return an answer that never changes, or 304 if the client has it."""
    headers = {"etag": content.tag, "cache-control": "public, max-age=300"}
    if matches(if_none_match, content.tag):
        return Encoded(b"", status_code=304, headers=headers)
    return Encoded(content.body, media_type=content.media_type, headers=headers)
