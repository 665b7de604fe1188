"""Strict query parameters.

litestar ignores unknown parameters and all but the last of repeated ones, enforces no limits on optional ones and takes
"1.0" for 1. What is allowed is read from the signatures of the handler and of its dependencies.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition

from api.http.problems import ApiProblem, FieldError, shortened
from api.http.validation_messages import field_error


def check_query_parameters(handler: BaseRouteHandler, query_string: bytes) -> None:
    """Raise a problem for the first query parameter that an operation does not know or that does not fit."""
    declared = dict(query_parameters(handler))
    seen: set[str] = set()
    for name, value in _pairs(query_string):
        if name not in declared:
            raise invalid_parameter(name, "there is no such parameter")
        field = declared[name]
        item = next((inner.inner_types[0] for inner in field.inner_types if inner.is_non_string_sequence), None)
        if name in seen and item is None:
            raise invalid_parameter(name, "it is there twice")
        seen.add(name)
        _check(name, value, (item or field).raw)


def query_parameters(handler: BaseRouteHandler) -> Iterator[tuple[str, FieldDefinition]]:
    """Yield the name and definition of each query parameter, those of dependencies included."""
    dependencies = handler.resolve_dependencies()
    signatures = [handler.parsed_fn_signature]
    while signatures:
        for name, field in signatures.pop().parameters.items():
            definition = field.kwarg_definition
            if name in dependencies:
                signatures.append(dependencies[name].parsed_fn_signature)
            elif isinstance(definition, QueryParameter):
                yield definition.name or name, field


def invalid_parameter(name: str, why: str) -> ApiProblem:
    """Return the problem of a query parameter that does not fit."""
    name = shortened(name)
    return ApiProblem("invalid_parameter", f"Parameter {name}: {why}.", errors=(FieldError(name, why),))


def _pairs(query_string: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError as error:
        raise invalid_parameter("?", "not text in UTF-8") from error


def _check(name: str, value: str, kind: Any) -> None:
    try:
        converted = msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise invalid_parameter(name, field_error(error, kind).what) from error
    if converted is None:
        raise invalid_parameter(name, "there is no value of that name")
    if isinstance(converted, bool):
        if value not in ("true", "false"):
            raise invalid_parameter(name, "Expected true or false")
    elif isinstance(converted, int) and not value.isdecimal():
        raise invalid_parameter(name, "Expected integer in decimal digits")
