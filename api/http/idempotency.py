"""Idempotency keys: where a request that is sent again gets the first answer."""

import re
from hashlib import sha256
from typing import Annotated

from litestar.params import HeaderParameter

from api.http.problems import ApiProblem, FieldError
from api.http.request_body import ApiRequest
from domain.store import IdempotencyKey, TokenHolder

KEY_PATTERN = "^[!-~]{1,200}$"

KeyHeader = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="A text of your choice, best a UUID, that stands for this request. If no answer arrives, send it "
        "again: it is done once, and you get the first answer. Who knows the key can have that answer.",
        schema_extra={"pattern": KEY_PATTERN},
    ),
]

_visible_ascii = re.compile(KEY_PATTERN[1:-1]).fullmatch


def parse_key(request: ApiRequest, body: bytes, header: str) -> IdempotencyKey:
    """Return the key of a request, which counts for the holder of its token, its path and its body."""
    if not _visible_ascii(header):
        why = "1 to 200 visible ASCII characters are expected"
        raise ApiProblem(
            "invalid_header", f"Header Idempotency-Key: {why}.", errors=(FieldError("Idempotency-Key", why),)
        )
    holder: TokenHolder | None = request.scope.get("auth")
    caller = f"{holder.game}:{'spectator' if holder.role == 'spectator' else holder.seat}" if holder else ""
    return IdempotencyKey(f"{caller} {request.scope['path'].lower()}", header, sha256(body).digest())
