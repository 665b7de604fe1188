"""A client that calls operations by their names, like a generated client."""

from typing import Any, NamedTuple

import msgspec
from litestar import Litestar
from litestar.testing import AsyncTestClient

from openapi.generate.schemas import Schema


class Reply(NamedTuple):
    """A response with its decoded body."""

    status: int
    body: Any


class ApiClient:
    """Calls operations of an application in this process."""

    def __init__(self, http: AsyncTestClient[Litestar], document: Schema) -> None:
        self._http = http
        self._routes = {
            operation["operationId"]: (method.upper(), path)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    async def new_application(self, name: str) -> str:
        key: str = await self._http.app.state["service"].apps.add(name)
        return key

    async def call(
        self,
        operation: str,
        *,
        body: Any = None,
        token: str = "",
        query: str = "",
        headers: dict[str, str] | None = None,
        **path: Any,
    ) -> Reply:
        """Call an operation; a body of ``bytes`` is sent unchanged."""
        method, template = self._routes[operation]
        sent = {"content-type": "application/json"} | (headers or {})
        if token:
            sent["authorization"] = f"Bearer {token}"
        content = b"" if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        url = template.format(**path) + (f"?{query}" if query else "")
        response = await self._http.request(method, url, content=content, headers=sent)
        is_json = "json" in response.headers.get("content-type", "")
        return Reply(response.status_code, response.json() if is_json else response.text)
