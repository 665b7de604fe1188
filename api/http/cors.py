"""Cross-origin requests: the pages of other servers that may call this one."""

from typing import Any

import msgspec
from litestar.config.cors import CORSConfig
from litestar.types import Message, Scope

from api.http.problems import MEDIA_TYPE, ApiProblem

ALLOWED_HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id"]
EXPOSED_HEADERS = ["ETag", "Location", "Retry-After", "X-Request-Id"]


def cors_config(origins: tuple[str, ...], *, credentials: bool) -> CORSConfig | None:
    """Return litestar's configuration for these origins, None if no other origin may call."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
        allow_headers=ALLOWED_HEADERS,
        allow_credentials=credentials,
        expose_headers=EXPOSED_HEADERS,
        max_age=600,
    )


_refusal = ApiProblem("bad_request", "CORS: the Origin, the method or a header of this request is not allowed.")
_REFUSAL_BODY = msgspec.json.encode(
    {
        "type": _refusal.type_,
        "title": _refusal.title,
        "status": _refusal.status_code,
        "code": _refusal.code,
        "detail": _refusal.detail,
    }
)


async def refuse_preflight_as_problem(message: Message, scope: Scope) -> None:
    """Turn the plain text with which litestar refuses a preflight request into a problem."""
    changed: Any = message
    state = scope["state"]
    if changed["type"] == "http.response.start" and scope.get("method") == "OPTIONS" and changed["status"] == 400:
        state["preflight_refused"] = True
        length = str(len(_REFUSAL_BODY)).encode()
        changed["headers"] = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", length)]
    elif changed["type"] == "http.response.body" and state.get("preflight_refused"):
        changed["body"] = _REFUSAL_BODY
