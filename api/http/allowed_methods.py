"""The Allow header of answers to OPTIONS."""

from litestar import Litestar
from litestar.datastructures import MutableScopeHeaders
from litestar.types import Message, Scope


async def complete_allow(message: Message, scope: Scope) -> None:
    """Name all methods of a path; litestar's own OPTIONS handler knows those of the first handler there only."""
    if message["type"] == "http.response.start" and message["status"] == 204 and scope.get("method") == "OPTIONS":
        headers = MutableScopeHeaders.from_message(message)
        if "allow" in headers:
            app: Litestar = scope["litestar_app"]
            template: str = scope["path_template"]
            methods = next((route.methods for route in app.routes if route.path_format == template), set())
            headers["allow"] = ", ".join(sorted(methods))
