"""Responses whose bytes are ready before they are sent, and may be sent again and again."""

from typing import Any, Generic, TypeVar, cast

from litestar import Response
from litestar.enums import MediaType
from litestar.response.base import ASGIResponse

T = TypeVar("T")


class Encoded(Response[T], Generic[T]):
    """A response of a type, encoded already; one instance may answer many requests."""

    def __init__(
        self,
        body: bytes,
        *,
        status_code: int = 200,
        media_type: str = MediaType.JSON,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Answer with these bytes, which stand for a value of the type."""
        super().__init__(cast(T, body), status_code=status_code, media_type=media_type, headers=headers)
        self.body = body
        self._ready = ASGIResponse(body=body, status_code=status_code, media_type=media_type, headers=headers)

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIResponse:
        """Return what is ready."""
        return self._ready
