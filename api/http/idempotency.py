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
        description="A text of your choice, drawn at random, that stands for this request. If no answer arrives, send "
        "it again: it is done once, and you get the first answer. A first answer with tokens (201) is given again only "
        "if the request comes with the token of the host or of a seat of that game, or if the key may be a secret of "
        "128 bits: at least 22 characters, such as 32 random hexadecimal digits. To anybody else it is `weak_key`. Who "
        "knows such a key can have that answer: keep it like a token.",
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
    path = request.scope["path"].lower()
    digest = sha256(body).digest()
    return IdempotencyKey(f"{caller} {path}", header, digest, with_token=holder is not None and _alone(request, holder))


def _alone(request: ApiRequest, holder: TokenHolder) -> bool:
    """Return whether nobody else can be this caller: spectators are many, and seats change hands before a start."""
    return holder.role != "spectator" and request.path_params.get("game_id", "").lower() == str(holder.game)
