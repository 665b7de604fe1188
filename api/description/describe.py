"""The OpenAPI document, made from the routes and from what is promised of each operation."""

from collections.abc import Iterable, Iterator
from inspect import cleandoc
from itertools import groupby
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from api.conventions.conditions import PATTERN as IF_MATCH
from api.conventions.operation import Operation
from api.conventions.problems import CATALOGUE, MEDIA_TYPE, REASONS, Problem
from api.description.introduction import INTRODUCTION, TAGS
from api.description.schemas import Schema, Types

VERSION = "1.0.0"

_HEADERS: Schema = {
    "ETag": ("The version of the game, in quotes: for `If-None-Match` and `If-Match`.", {"type": "string"}),
    "Location": ("Where the new one is.", {"type": "string"}),
    "Retry-After": ("After how many seconds to try again.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("The scheme in which a token is expected.", {"type": "string"}),
    "X-Request-Id": ("The id of this request in our logs: yours, if you sent one.", {"type": "string"}),
}

_CONDITIONS: Schema = {
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "The `ETag` of what you have: the answer is 304 if it is still the same.",
        "example": '"12"',
        "schema": {"type": "string"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "The `ETag` your decision is based on: the answer is 412 if the game has gone on since.",
        "example": '"12"',
        "schema": {"type": "string", "pattern": IF_MATCH},
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A text of your choice, best a UUID, that stands for this request. If no answer arrives, "
        "send it again: it is done once, and you get the first answer. Who knows the key can have that answer.",
        "example": "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e",
        "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    },
    "GameId": {
        "name": "game_id",
        "in": "path",
        "required": True,
        "description": "The id of a game.",
        "example": "3f2b8c1d-9a4e-4d7b-8c6f-1e2d3c4b5a69",
        "schema": {"type": "string", "format": "uuid"},
    },
    "Seat": {
        "name": "seat",
        "in": "path",
        "required": True,
        "description": "The number of a seat, from 0.",
        "example": 1,
        "schema": {"type": "integer", "minimum": 0, "maximum": 4},
    },
    "Board": {
        "name": "board",
        "in": "path",
        "required": True,
        "description": "The id of a board.",
        "example": "usa-1960s",
        "schema": {"type": "string"},
    },
    "Code": {
        "name": "code",
        "in": "path",
        "required": True,
        "description": "The `code` of a problem.",
        "example": "not_your_turn",
        "schema": {"type": "string"},
    },
}

_ENDINGS = ("delete_game", "renew_token")

_PATH_PARAMETERS = {"game_id": "GameId", "seat": "Seat", "board": "Board", "code": "Code"}

_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "anybody": [],
    "reader": [{}, {"seat": []}, {"host": []}],
    "player": [{"seat": []}, {"host": []}],
    "member": [{"seat": []}, {"host": []}],
    "host": [{"host": []}],
}

_SCHEMES: Schema = {
    "seat": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a seat, given when it was taken. It plays that seat, and reads a private game.",
    },
    "host": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of the host, given when the game was created. It starts, closes and deletes an open "
        "table, issues new tokens, and with `undo: free` plays every seat.",
    },
}


def describe(app: Litestar) -> Schema:
    """The document without examples."""
    routes = list(_operations(app))
    operations = [handler.opt["operation"] for _, _, handler in routes]
    types = Types(
        _each(operation.takes for operation in operations),
        _each([Problem, *(operation.gives for operation in operations)]),
    )
    _list_codes(types.components)
    paths: Schema = {}
    for path, method, handler in routes:
        described = _describe(types, path, method, handler)
        if handler.opt["operation"].located:
            described["responses"]["201"]["links"] = _links(routes)
        paths.setdefault(path, {})[method.lower()] = described
    document: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": "Franchise engine",
            "version": VERSION,
            "description": cleandoc(INTRODUCTION),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": types.components,
            "responses": {_title(code): _failure(types, entry.status, [code]) for code, entry in CATALOGUE.items()},
            "headers": {name: {"description": text, "schema": schema} for name, (text, schema) in _HEADERS.items()},
            "parameters": _CONDITIONS,
            "securitySchemes": _SCHEMES,
        },
    }
    _prune(document)
    return document


def _list_codes(components: Schema) -> None:
    """Problems and refusals name the codes and reasons that there are."""
    for name in ("Problem", "PreviewRefusal"):
        properties = components[name]["properties"]
        properties["code"]["enum"] = list(CATALOGUE)
        for kind in properties["reason"].get("anyOf", [properties["reason"]]):
            if kind["type"] == "string":
                kind["enum"] = list(REASONS)


def _prune(document: Schema) -> None:
    """Leave out the types and answers that nothing refers to."""
    components = document["components"]
    before = 0
    while before != (before := sum(map(len, components.values()))):
        text = msgspec.json.encode(document).decode()
        for kind in ("schemas", "responses"):
            used = {name: part for name, part in components[kind].items() if f'"#/components/{kind}/{name}"' in text}
            components[kind] = used


def _operations(app: Litestar) -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """Every documented operation with its path and method, in the order of the paths, each once."""
    seen = set()
    for route in sorted(app.routes, key=lambda route: route.path):
        handlers = route.route_handlers if isinstance(route, HTTPRoute) else []
        for handler in sorted(handlers, key=lambda handler: sorted(handler.http_methods)):
            if "operation" in handler.opt and handler.operation_id not in seen:
                seen.add(handler.operation_id)
                yield route.path_format, min(handler.http_methods), handler


def _each(kinds: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for kind in kinds:
        if kind is not None and kind not in found:
            found.append(kind)
    return found


def _describe(types: Types, path: str, method: str, handler: HTTPRouteHandler) -> Schema:
    operation: Operation = handler.opt["operation"]
    described: Schema = {
        "operationId": handler.operation_id,
        "summary": handler.summary,
        "description": cleandoc(handler.fn.__doc__ or ""),
        "tags": sorted(handler.resolve_tags()),
        "security": _SECURITY[operation.caller],
        "parameters": list(_parameters(types, path, method, operation)),
    }
    if operation.takes is not None:
        described["requestBody"] = {
            "description": types.text_of(operation.takes),
            "required": not operation.body_optional,
            "content": {"application/json": {"schema": types.of(operation.takes)}},
        }
    described["responses"] = _responses(types, path, method, handler.status_code, operation)
    return described


def _links(routes: list[tuple[str, str, HTTPRouteHandler]]) -> Schema:
    """What can be done with a game that was just made."""
    return {
        str(handler.operation_id): {
            "description": handler.summary,
            "operationId": handler.operation_id,
            "parameters": {"game_id": "$response.body#/game/id"},
        }
        for path, _, handler in routes
        if "{game_id}" in path and handler.operation_id not in _ENDINGS
    }


def _parameters(types: Types, path: str, method: str, operation: Operation) -> Iterator[Schema]:
    for name, component in _PATH_PARAMETERS.items():
        if f"{{{name}}}" in path:
            yield _parameter(component)
    for name, schema in types.parameters(operation.query):
        text = schema.pop("description")
        yield {"name": name, "in": "query", "description": text, "schema": schema}
    if method == "POST":
        yield _parameter("IdempotencyKey")
    if operation.guarded(method, path):
        yield _parameter("IfMatch")
    elif operation.may_be_known(method):
        yield _parameter("IfNoneMatch")


def _parameter(component: str) -> Schema:
    return {"$ref": f"#/components/parameters/{component}"}


def _responses(types: Types, path: str, method: str, status: int, operation: Operation) -> Schema:
    tagged = operation.versioned and operation.gives is not None
    names = ["X-Request-Id", *["ETag"] * tagged, *["Location"] * operation.located]
    success: Schema = {"description": operation.answer, "headers": _headers(names)}
    if operation.gives is not None:
        success["content"] = {operation.media_type: {"schema": types.of(operation.gives)}}
    responses = {str(status): success}
    if operation.may_be_known(method):
        responses["304"] = {"description": "You have it already.", "headers": _headers(["X-Request-Id", "ETag"])}
    for failed, group in groupby(
        sorted(operation.codes(method, path), key=lambda code: CATALOGUE[code].status),
        key=lambda code: CATALOGUE[code].status,
    ):
        codes = list(group)
        responses[str(failed)] = _shared(codes[0]) if len(codes) == 1 else _failure(types, failed, codes)
    return responses


def _shared(code: str) -> Schema:
    return {"$ref": f"#/components/responses/{_title(code)}"}


def _title(code: str) -> str:
    return code.title().replace("_", "")


def _failure(types: Types, status: int, codes: list[str]) -> Schema:
    """All problems of a status, in one answer."""
    names = ["X-Request-Id", *["Retry-After"] * (status in (429, 503)), *["WWW-Authenticate"] * (status == 401)]
    return {
        "description": "\n".join(f"- `{code}`: {CATALOGUE[code].title}." for code in codes),
        "headers": _headers(names),
        "content": {MEDIA_TYPE: {"schema": types.of(Problem)}},
        "x-codes": codes,
    }


def _headers(names: Iterable[str]) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
