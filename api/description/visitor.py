"""A client without a network: calls the operations of the document on an application in the same process."""

from typing import Any, NamedTuple

import msgspec
from litestar import Litestar
from litestar.types import Message

from api.description.schemas import Schema


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: Any


class Visitor:
    """Knows the operations by their names, as a generated client does."""

    def __init__(self, app: Litestar, document: Schema) -> None:
        self._app = app
        self._routes = {
            operation["operationId"]: (method.upper(), path)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    async def call(
        self,
        name: str,
        *,
        body: Any = None,
        token: str = "",
        query: str = "",
        headers: dict[str, str] | None = None,
        **path: Any,
    ) -> Reply:
        """Call an operation."""
        method, template = self._routes[name]
        raw = b"" if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        sent = (
            {"content-type": "application/json"}
            | (headers or {})
            | ({"authorization": f"Bearer {token}"} if token else {})
        )
        return await self._send(method, template.format(**path), query, sent, raw)

    async def _send(self, method: str, path: str, query: str, headers: dict[str, str], body: bytes) -> Reply:
        got: list[Message] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            got.append(message)

        await self._app(_scope(method, path, query, headers), receive, send)
        return _reply(got)


def _scope(method: str, path: str, query: str, headers: dict[str, str]) -> Any:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }


def _reply(messages: list[Any]) -> Reply:
    start, *rest = messages
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    body = b"".join(message.get("body", b"") for message in rest)
    is_json = "json" in headers.get("content-type", "")
    return Reply(start["status"], headers, msgspec.json.decode(body) if is_json else body.decode())
