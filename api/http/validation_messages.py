"""Validation errors of msgspec, in terms of JSON."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from api.http.problems import FieldError, shortened

_WORDS = {"int": "integer", "str": "text", "bool": "true or false", "float": "number"}

_type_names = re.compile(r"`([a-z]+(?: \| [a-z]+)*)`")
_path_steps = re.compile(r"[a-z_]+|\[")


def field_error(error: msgspec.ValidationError, kind: Any) -> FieldError:
    """Return the path and the reason of a validation error."""
    message, _, path = str(error).rpartition(" - at `")
    if not message:
        message, path = path, "$"
    where = "$" + path.rpartition("$")[2].rstrip("`")
    return FieldError(shortened(where), _reason(message, kind, where))


def _reason(message: str, kind: Any, where: str) -> str:
    if message.startswith("Expected"):
        return _type_names.sub(
            lambda found: " or ".join(_WORDS.get(name, name) for name in found[1].split(" | ")), message
        )
    choices = _choices(kind, where) if message.startswith("Invalid") else []
    if choices:
        return f"{shortened(message.partition(' value ')[2])} is none of {', '.join(choices)}"
    return shortened(message)


def _choices(kind: Any, where: str) -> list[str]:
    """Return the allowed values at a path of a type, if it has a closed set of them."""
    kinds = [_type_info(kind)]
    for step in _path_steps.findall(where):
        kinds = [part for whole in kinds for one in _alternatives(whole) for part in _members(one, step)]
    found = [one for whole in kinds for one in _alternatives(whole)]
    return sorted({str(value) for one in found if isinstance(one, inspect.LiteralType) for value in one.values})


_type_info = cache(inspect.type_info)


def _alternatives(kind: inspect.Type) -> Iterator[inspect.Type]:
    match kind:
        case inspect.Metadata():
            yield from _alternatives(kind.type)
        case inspect.UnionType():
            for one in kind.types:
                yield from _alternatives(one)
        case _:
            yield kind


def _members(kind: inspect.Type, step: str) -> Iterator[inspect.Type]:
    match kind:
        case inspect.StructType():
            if step == kind.tag_field:
                yield inspect.LiteralType((kind.tag,))
            yield from (field.type for field in kind.fields if field.encode_name == step)
        case inspect.VarTupleType():
            if step == "[":
                yield kind.item_type
        case _:
            pass
