"""What never changes while the server runs: maps, the document."""

from hashlib import sha256

import msgspec

from api.conventions.answers import JSON, Answer, Empty
from api.conventions.conditions import knows
from api.conventions.requests import Call


class Printed(msgspec.Struct, frozen=True):
    """Bytes with a tag that stands for just these."""

    body: bytes
    tag: str


def printed(body: bytes) -> Printed:
    """Bytes that are ready to be sent again and again."""
    return Printed(body, f'"{sha256(body).hexdigest()[:16]}"')


def printed_answer(request: Call, what: Printed, media_type: bytes = JSON) -> Answer:
    """Something printed, unless the client has it."""
    headers = ((b"etag", what.tag.encode()), (b"cache-control", b"public, max-age=300"))
    if knows(request, what.tag):
        return Empty(304, headers)
    return Answer(what.body, media_type=media_type, headers=headers)
