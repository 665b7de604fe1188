"""The floor of views: litestar on uvicorn, with ready-made bytes behind a typed handler."""

import sys
from typing import Annotated
from uuid import UUID

import msgspec
import uvicorn
from litestar import Litestar, MediaType, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, HeaderParameter

from bench.load import HOST

Authorization = Annotated[str | None, HeaderParameter(name="Authorization")]
IfNoneMatch = Annotated[str | None, HeaderParameter(name="If-None-Match")]


def create(bodies: dict[str, bytes]) -> Litestar:
    """Create an application with one answer for each name: at a fixed path, and at a path like that of the API."""
    return Litestar(
        [handler for name, body in bodies.items() for handler in _handlers(name, body)],
        openapi_config=None,
        logging_config=None,
    )


def _handlers(name: str, body: bytes) -> list[HTTPRouteHandler]:
    @get(f"/ready/{name}", media_type=MediaType.JSON)
    async def ready() -> bytes:
        return body

    @get(f"/v1/games/{{game:uuid}}/{name}", media_type=MediaType.JSON)
    async def ready_for(
        game: FromPath[UUID], authorization: Authorization = None, if_none_match: IfNoneMatch = None
    ) -> bytes:
        return body

    return [ready, ready_for]


def main() -> None:
    """Read the answers from the input and serve them on the port of the first argument."""
    application = create(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=dict[str, bytes]))
    uvicorn.run(
        application,
        host=HOST,
        port=int(sys.argv[1]),
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
    )


if __name__ == "__main__":
    main()
