"""The OpenAPI document: operations from litestar, types from msgspec."""

from collections.abc import Iterator
from inspect import cleandoc
from itertools import chain
from typing import Any, get_args

import msgspec
from litestar import Litestar
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, License, SecurityScheme, Tag
from litestar.params import ParameterKwarg
from litestar.routes import HTTPRoute
from litestar.types import Empty
from litestar.typing import FieldDefinition

from api.app import create_app
from api.http.apps import KEY
from api.http.event_stream import Chunked
from api.http.problems import CATALOGUE, Problem
from api.http.responses import Encoded
from api.settings import VERSION, Settings
from api.webhooks.message import NoticeBody
from domain.audit import Audit
from openapi.generate.introduction import INTRODUCTION, TAGS
from openapi.generate.problems_of import problems_by_status
from openapi.generate.responses import HEADERS, complete_response, header_refs, problem_response, problems, title
from openapi.generate.schemas import REF, Schema, Types
from openapi.generate.webhooks import webhooks

Handlers = dict[str, HTTPRouteHandler]

GAME = "3f2b8c1d-9a4e-4d7b-8c6f-1e2d3c4b5a69"
"""The id of the game in examples."""

_PARAMETER_EXAMPLES = {
    "If-None-Match": '"12"',
    "If-Match": '"12"',
    "Last-Event-ID": "12",
    "Idempotency-Key": "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e",
    "game_id": GAME,
    "game": [GAME],
    "X-Invite": "Hj0mUbQ7pHqd2nO4sRkqUo1b6XhE3wvT9cZyLfAaGk8",
    "seat": 1,
    "board": "usa-1960s",
    "code": "not_your_turn",
    "at": 12,
    "after": 12,
    "include": "state",
    "limit": 20,
    "list": True,
    "player": "Ann",
    "players": 4,
    "private": True,
    "status": ["open", "playing"],
    "target": "denver",
    "theme": "dark",
    "view": "full",
    "wait": 20,
    "width": 800,
}

_ENDINGS = ("delete_game", "free_seat", "renew_host_token", "renew_token")
"""Operations that are not linked from the responses with a new game."""

_SCHEMES = {
    "seat": "The token of a seat, returned when the seat was taken. It plays that seat and reads a private game.",
    "host": "The token of the host, returned when the game was created. It starts, closes and deletes an open table, "
    "kicks players, renews tokens and invites spectators. With the option `hot_seat` or `undo: free` it plays every "
    "seat.",
    "spectator": "A token that the host creates with `admit_spectator`. It can only read a private game.",
}
_APP = (
    "The key of an application, for servers only (403 `app_key_in_browser` with an `Origin`). All operations accept "
    "it, beside any token: the application then counts as many clients for all limits, and each `X-App-User` (up to 64 "
    "visible characters) as one of them. It never acts for a seat."
)


def _config() -> OpenAPIConfig:
    return OpenAPIConfig(
        path="/generated",  # litestar serves its own pages there
        title="Franchise engine",
        version=VERSION,
        use_handler_docstrings=True,
        operation_id_creator=_operation_id,
        description=cleandoc(INTRODUCTION),
        license=License(name="MIT", identifier="MIT"),
        tags=[Tag(name=name, description=text) for name, text in TAGS.items()],
        components=Components(
            security_schemes={
                **{
                    name: SecurityScheme(type="http", scheme="bearer", description=text)
                    for name, text in _SCHEMES.items()
                },
                "app": SecurityScheme(type="apiKey", name=KEY, security_scheme_in="header", description=_APP),
            }
        ),
    )


def quiet_app() -> Litestar:
    """Create an application with a database in memory and without a log."""
    return create_app(Settings(database_url="memory:", log_level="error", rate_limit=0), _config())


def describe(app: Litestar) -> Schema:
    document: Schema = msgspec.json.decode(msgspec.json.encode(app.openapi_schema.to_schema()))
    handlers = _handlers(app)
    types = _types(handlers)
    types.components["PreviewRefusal"]["properties"]["code"] = {"$ref": f"{REF}Code"}
    document["paths"] = _paths(document, handlers)
    for path, methods in document["paths"].items():
        for operation in methods.values():
            _complete(path, operation, handlers[operation["operationId"]], types)
    _add_links(document)
    document["webhooks"] = webhooks(types)
    document["components"] = {
        "schemas": types.components,
        "responses": {title(code): problem_response(types, entry.status, [code]) for code, entry in CATALOGUE.items()},
        "headers": {name: {"description": text, "schema": schema} for name, (text, schema) in HEADERS.items()},
        "parameters": _shared_parameters(document),
        "securitySchemes": document["components"]["securitySchemes"],
    }
    _prune(document)
    return document


def operations(document: Schema) -> Iterator[Schema]:
    return chain.from_iterable(methods.values() for methods in document["paths"].values())


def _operation_id(handler: HTTPRouteHandler, method: Any, components: list[Any]) -> str:
    """Name an operation after its handler; names for HEAD and second paths differ, and are removed later."""
    second = len(handler.paths) > 1 and bool(components)
    return handler.handler_name + ("_head" if method == HttpMethod.HEAD else "") + ("_alias" if second else "")


def _handlers(app: Litestar) -> Handlers:
    """Return the documented handlers by operation, in the order of their paths."""
    found = {
        (route.path, handler.handler_name): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if "problems" in handler.opt
    }
    return {operation: found[path, operation] for path, operation in sorted(found)}


def _types(handlers: Handlers) -> Types:
    fields = [handler.parsed_data_field for handler in handlers.values()]
    returned = chain.from_iterable(_response_types(handler) for handler in handlers.values())
    return Types([field.annotation for field in fields if field is not None], [Problem, NoticeBody, *returned])


def _response_types(handler: HTTPRouteHandler) -> list[Any]:
    """Return the types of a response: none without a body, several for the parts of a stream."""
    field = handler.parsed_fn_signature.return_type
    if field.is_subclass_of(Chunked):
        return list(get_args(field.inner_types[0].annotation))
    if field.is_subclass_of(Encoded):
        field = field.inner_types[0]
    return [] if field.is_none_type else [field.annotation]


def _paths(document: Schema, handlers: Handlers) -> Schema:
    """Return the operations by path, without HEAD and second paths."""
    paths: Schema = {}
    for path, item in sorted(document["paths"].items()):
        for method in ("delete", "get", "post"):
            if method in item and item[method]["operationId"] in handlers:
                paths.setdefault(path, {})[method] = item[method]
    return paths


def _complete(path: str, operation: Schema, handler: HTTPRouteHandler, types: Types) -> None:
    """Add the types of msgspec, the problems, and the headers of responses."""
    operation.pop("deprecated", None)
    operation.setdefault("security", [])
    declared = {name: (kind, default) for name, kind, default in _declared_parameters(handler)}
    parameters = operation.setdefault("parameters", [])
    for parameter in parameters:
        _complete_parameter(parameter, types, *declared[parameter["name"]])
    parameters.sort(key=lambda parameter: _ORDER.index(parameter["in"]))
    if handler.parsed_data_field is not None:
        _complete_body(operation["requestBody"], handler.parsed_data_field, types)
    names = {parameter["name"] for parameter in parameters}
    success = operation["responses"][str(handler.status_code)]
    returned = _response_types(handler)
    versioned = Audit in returned or not names.isdisjoint(("If-None-Match", "If-Match", "Idempotency-Key"))
    complete_response(success, returned, types, tagged=versioned and bool(returned))
    operation["responses"] = {str(handler.status_code): success, **_redirects(operation)}
    if "If-None-Match" in names:
        not_modified = {
            "description": "Not modified: you already have this version.",
            "headers": header_refs(["X-Request-Id", "ETag"]),
        }
        operation["responses"]["304"] = not_modified
    for status, codes in problems_by_status(path, names, handler).items():
        operation["responses"][str(status)] = problems(types, status, codes)


def _redirects(operation: Schema) -> Schema:
    headers = header_refs(["X-Request-Id", "Location"])
    return {
        status: {"description": response["description"], "headers": headers}
        for status, response in operation["responses"].items()
        if status.startswith("3")
    }


_ORDER = ("path", "query", "header")


def _declared_parameters(handler: HTTPRouteHandler) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, type and default of each parameter of a handler and its dependencies."""
    dependencies = handler.resolve_dependencies()
    signatures = [handler.parsed_fn_signature]
    while signatures:
        for name, field in signatures.pop().parameters.items():
            if name in dependencies:
                signatures.append(dependencies[name].parsed_fn_signature)
            elif isinstance(field.kwarg_definition, ParameterKwarg):
                yield field.kwarg_definition.name or name, field.raw, field.default


def _complete_parameter(parameter: Schema, types: Types, kind: Any, default: Any) -> None:
    extra = next(
        (part.schema_extra for part in getattr(kind, "__metadata__", ()) if isinstance(part, ParameterKwarg)), {}
    )
    more = {"default": default} if default not in (None, Empty) and parameter["in"] == "query" else {}
    schema = types.parameter(kind, (extra or {}) | more)
    described = {key: parameter[key] for key in ("name", "in", "description")}
    if default is Empty:
        described["required"] = True
    if "example" in schema:
        described["example"] = schema.pop("example")
    elif parameter["name"] in _PARAMETER_EXAMPLES and "const" not in schema:
        described["example"] = _PARAMETER_EXAMPLES[parameter["name"]]
    parameter.clear()
    parameter.update(described, schema=schema)


def _complete_body(body: Schema, field: FieldDefinition, types: Types) -> None:
    body.clear()
    body["description"] = types.text_of(field.annotation)
    body["required"] = not field.has_default
    body["content"] = {"application/json": {"schema": types.of(field.annotation)}}


def _add_links(document: Schema) -> None:
    """Link the responses with a new game to the operations on it."""
    links = {
        operation["operationId"]: {
            "description": operation["summary"],
            "operationId": operation["operationId"],
            "parameters": {"game_id": "$response.body#/game/id"},
        }
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if "{game_id}" in path and operation["operationId"] not in _ENDINGS
    }
    for operation in operations(document):
        made = operation["responses"].get("201", {})
        if "Location" in made.get("headers", {}):
            made["links"] = links


def _shared_parameters(document: Schema) -> Schema:
    """Move path and header parameters to the components."""
    shared: Schema = {}
    for operation in operations(document):
        for number, parameter in enumerate(operation["parameters"]):
            if parameter["in"] != "query":
                name = title(parameter["name"])
                shared[name] = parameter
                operation["parameters"][number] = {"$ref": f"#/components/parameters/{name}"}
    return dict(sorted(shared.items()))


def _prune(document: Schema) -> None:
    """Remove the types and responses that nothing refers to."""
    components = document["components"]
    before = 0
    while before != (before := sum(map(len, components.values()))):
        text = msgspec.json.encode(document).decode()
        for kind in ("schemas", "responses"):
            used = {name: part for name, part in components[kind].items() if f'"#/components/{kind}/{name}"' in text}
            components[kind] = used
