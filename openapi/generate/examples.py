"""Examples for the OpenAPI document: requests and responses from a tour of the running application."""

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from typing import Any, get_args
from uuid import UUID

from msgspec import to_builtins

from api.http.problems import CATALOGUE, MEDIA_TYPE
from api.http.responses import HTML
from domain.modules import Action, Fact
from openapi.generate.client import ApiClient, Reply
from openapi.generate.schemas import Schema

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


class Examples:
    """Captured requests and responses; values that differ from run to run are replaced."""

    def __init__(self) -> None:
        self.sent: dict[str, dict[str, Any]] = {}
        self.responses: dict[tuple[str, int], dict[str, Any]] = {}
        self.problems: dict[str, Any] = {}
        self.actions: dict[str, Any] = {}
        self.events: dict[str, Any] = {}
        self._known: dict[str, str] = {}
        self._numbers = count(1)

    def keep(self, operation: str, name: str, body: Any, reply: Reply) -> None:
        """Keep a request with its response under a name, and the first problem of each code."""
        body_returned = self._steady(reply.body)
        if reply.status >= 400:
            self.problems.setdefault(body_returned["code"], body_returned)
        elif name:
            self.responses.setdefault((operation, reply.status), {})[name] = body_returned
            if isinstance(body, dict | list):
                self.sent.setdefault(operation, {})[name] = self._steady(body)
        for action in _actions(body):
            self.actions.setdefault(action["type"], action)

    def keep_events(self, events: list[Any]) -> None:
        for event in events:
            if event["type"] not in self.events:
                self.events[event["type"]] = self._steady(event)

    @property
    def missing(self) -> set[str]:
        """The types of actions and events without an example."""
        actions = {kind.__struct_config__.tag for kind in get_args(Action)} - self.actions.keys()
        return actions | {kind.__struct_config__.tag for kind in get_args(Fact)} - self.events.keys()

    def _steady(self, value: Any) -> Any:
        """Return a captured value with fixed ids, tokens, times and digests."""
        if isinstance(value, list):
            return [self._steady(part) for part in value]
        if isinstance(value, dict):
            return {key: self._steady_field(key, part) for key, part in value.items()}
        return self._steady_text(value) if isinstance(value, str) else value

    def _steady_field(self, key: str, value: Any) -> Any:
        if key == "tokens":
            return [self._steady_token(token) for token in value]
        if key == "epoch":
            return "5f0c1a7e2b9d"
        is_token = key in ("token", "host_token", "invite") and isinstance(value, str)
        return self._steady_token(value) if is_token else self._steady(value)

    def _steady_text(self, text: str) -> str:
        text = _ID.sub(lambda found: self._instead_of(found[0], _some_id), text)
        text = _DIGEST.sub(lambda found: self._instead_of(found[0], _some_digest), text)
        return _TIME.sub("2026-01-31T18:00:00.000000Z", text)

    def _steady_token(self, token: str) -> str:
        return self._instead_of(token, lambda number: f"token-{_some_digest(number)[:32]}")

    def _instead_of(self, drawn: str, steady: Any) -> str:
        if drawn not in self._known:
            self._known[drawn] = steady(next(self._numbers))
        return self._known[drawn]


def add_examples(document: Schema, examples: Examples) -> None:
    """Add the captured examples to the document."""
    for methods in document["paths"].values():
        for operation in methods.values():
            _add_to(operation, examples)
    for response in document["components"]["responses"].values():
        _add_to_response("", "", response, examples)
    document["components"]["examples"] = {
        code: {"summary": problem["title"], "description": CATALOGUE[code].help, "value": problem}
        for code, problem in sorted(examples.problems.items())
    }
    _add_to_types(document["components"]["schemas"], examples)


def _add_to(operation: Schema, examples: Examples) -> None:
    name = operation["operationId"]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        media["examples"] = _named(examples.sent.get(name, {}))
    for status, response in operation["responses"].items():
        _add_to_response(name, status, response, examples)


def _add_to_response(operation: str, status: str, response: Schema, examples: Examples) -> None:
    for kind, media in response.get("content", {}).items():
        if kind == MEDIA_TYPE:
            known = [code for code in response["x-codes"] if code in examples.problems]
            media["examples"] = {code: {"$ref": f"#/components/examples/{code}"} for code in known}
        elif kind != HTML:
            media["examples"] = _named(examples.responses.get((operation, int(status)), {}))


def _add_to_types(schemas: Schema, examples: Examples) -> None:
    for tag, schema in _tagged(Action, schemas, ""):
        schema["examples"] = [examples.actions[tag]]
    for tag, schema in _tagged(Fact, schemas, "Event"):
        if tag in examples.events:
            schema["examples"] = [examples.events[tag]]


def _tagged(union: Any, schemas: Schema, suffix: str) -> Iterator[tuple[str, Schema]]:
    for kind in get_args(union):
        if kind.__name__ + suffix in schemas:
            yield kind.__struct_config__.tag, schemas[kind.__name__ + suffix]


def _named(values: dict[str, Any]) -> Schema:
    return {
        name.replace(",", "").replace(" ", "_"): {"summary": name[:1].upper() + name[1:], "value": value}
        for name, value in values.items()
    }


def _actions(body: Any) -> Iterator[Any]:
    for part in body if isinstance(body, list) else [body]:
        if isinstance(part, dict) and "type" in part:
            yield part


def _some_id(number: int) -> str:
    return str(UUID(bytes=sha256(f"id {number}".encode()).digest()[:16], version=4))


def _some_digest(number: int) -> str:
    return sha256(f"digest {number}".encode()).hexdigest()


class Guide:
    """A client that keeps its requests and responses as examples."""

    def __init__(self, client: ApiClient, examples: Examples) -> None:
        self._client = client
        self.examples = examples

    async def __call__(self, operation: str, name: str = "", *, body: Any = None, **more: Any) -> Any:
        """Call an operation; a response without a name is kept only if it is a problem."""
        reply = await self._client.call(operation, body=body, **more)
        self.examples.keep(operation, name, body, reply)
        return reply.body

    async def new_application(self, name: str) -> str:
        """Store an application as an operator does, and return its key."""
        return await self._client.new_application(name)

    async def draw(self, operation: str, name: str, **more: Any) -> None:
        """Call an operation that draws, and keep the image without its shapes."""
        reply = await self._client.call(operation, **more)
        words, ending, _ = reply.body.partition("</desc>")
        self.examples.keep(operation, name, None, Reply(reply.status, f"{words}{ending}</svg>"))

    def keep_events_of_stream(self, operation: str, events: dict[str, Any]) -> None:
        """Keep the data of events of a stream, by name."""
        for name, data in events.items():
            self.examples.keep(operation, name, None, Reply(200, to_builtins(data)))
