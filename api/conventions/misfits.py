"""What does not fit, in words for those who write clients in any language."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from api.conventions.problems import FieldError, shortened

_WORDS = {"int": "integer", "str": "text", "bool": "true or false", "float": "number"}

_kinds = re.compile(r"`([a-z]+(?: \| [a-z]+)*)`")
_steps = re.compile(r"[a-z_]+|\[")


def misfit(error: msgspec.ValidationError, kind: Any) -> FieldError:
    """Where something does not fit its type, and why."""
    told, _, path = str(error).rpartition(" - at `")
    if not told:
        told, path = path, "$"
    where = "$" + path.rpartition("$")[2].rstrip("`")
    return FieldError(shortened(where), _reason(told, kind, where))


def _reason(told: str, kind: Any, where: str) -> str:
    if told.startswith("Expected"):
        return _kinds.sub(lambda found: " or ".join(_WORDS.get(name, name) for name in found[1].split(" | ")), told)
    choices = _choices(kind, where) if told.startswith("Invalid") else []
    if choices:
        return f"{shortened(told.partition(' value ')[2])} is none of {', '.join(choices)}"
    return shortened(told)


def _choices(kind: Any, where: str) -> list[str]:
    """The values that are possible at a place of a type, if they can be counted."""
    kinds = [_type(kind)]
    for step in _steps.findall(where):
        kinds = [part for whole in kinds for one in _alternatives(whole) for part in _inside(one, step)]
    found = [one for whole in kinds for one in _alternatives(whole)]
    return sorted({str(value) for one in found if isinstance(one, inspect.LiteralType) for value in one.values})


_type = cache(inspect.type_info)


def _alternatives(kind: inspect.Type) -> Iterator[inspect.Type]:
    match kind:
        case inspect.Metadata():
            yield from _alternatives(kind.type)
        case inspect.UnionType():
            for one in kind.types:
                yield from _alternatives(one)
        case _:
            yield kind


def _inside(kind: inspect.Type, step: str) -> Iterator[inspect.Type]:
    """What stands in a field of an object, or in a list."""
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
