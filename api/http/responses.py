"""Responses whose bytes are ready before they are sent, and may be sent again and again."""

import gzip
from typing import Any, Generic, TypeVar, cast

from litestar import Litestar, Request, Response
from litestar.enums import MediaType
from litestar.response.base import ASGIResponse

from api.http.compression import LEVEL, SMALLEST, accepts_gzip

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
        compress: bool = True,
    ) -> None:
        """Answer with these bytes, which stand for a value of the type."""
        super().__init__(cast(T, body), status_code=status_code, media_type=media_type, headers=headers)
        self.body = body
        self._plain = ASGIResponse(body=body, status_code=status_code, media_type=media_type, headers=headers)
        self._compress = compress and len(body) >= SMALLEST
        self._compressed: ASGIResponse | None = None

    def to_asgi_response(self, app: Litestar | None, request: Request[Any, Any, Any], **_: Any) -> ASGIResponse:
        """Return the prepared answer, compressed for clients that accept it."""
        if not self._compress or not accepts_gzip(request):
            return self._plain
        if self._compressed is None:
            self._compressed = ASGIResponse(
                body=gzip.compress(self.body, LEVEL, mtime=0),
                status_code=self.status_code,
                media_type=self.media_type,
                headers={**self.headers, "content-encoding": "gzip"},
            )
        return self._compressed
