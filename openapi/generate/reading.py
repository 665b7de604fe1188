"""Schemas for readers: short types, limits and descriptions."""

import json
from collections.abc import Iterator
from html import escape

from openapi.generate.markdown import inline
from openapi.generate.schemas import REF, Schema

_LONGEST_PATTERN = 60

_RANGES = (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " entries"))


def kind(schema: Schema) -> str:
    """Return a short text for a type, with links to the types in it."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REF)
        return f"<a href='#{name}'>{name}</a>"
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return " or ".join(kind(part) for part in schema[key])
    if "enum" in schema or "const" in schema:
        return " or ".join(_code(json.dumps(value)) for value in schema.get("enum", [schema.get("const")]))
    return _simple(schema)


def _simple(schema: Schema) -> str:
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items') or {})}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map to {kind(schema['additionalProperties'])}"
    return escape(str(schema.get("format") or schema.get("type") or "anything"))


def limits(schema: Schema) -> str:
    return ", ".join(_limits(schema))


def _limits(schema: Schema) -> Iterator[str]:
    for part in (schema, *_parts(schema)):
        if part.get("default") is not None:
            yield f"default {_code(json.dumps(part['default']))}"
        for least, most, unit in _RANGES:
            if least in part or most in part:
                yield f"{_range(part.get(least), part.get(most))}{unit}"
        if len(part.get("pattern", "?" * _LONGEST_PATTERN)) < _LONGEST_PATTERN:
            yield f"matches {_code(part['pattern'])}"
    if schema.get("type") == "array":
        yield from (f"each {limit}" for limit in _limits(schema.get("items") or {}))


def _range(least: int | None, most: int | None) -> str:
    if least is None:
        return f"up to {most}"
    return f"from {least}" if most is None else f"{least} to {most}"


def text(schema: Schema) -> str:
    """Return the description of a field, or of one of its types."""
    said = (part.get("description", "") for part in (schema, *_parts(schema)))
    return inline(next(filter(None, said), ""))


def _parts(schema: Schema) -> list[Schema]:
    return [*schema.get("allOf", []), *schema.get("anyOf", [])]


def _code(value: str) -> str:
    return f"<code>{escape(value)}</code>"


def resolved(document: Schema, part: Schema) -> Schema:
    """Return a part of the document; a reference is resolved."""
    if "$ref" not in part:
        return part
    _, _, group, name = part["$ref"].split("/")
    found: Schema = document["components"][group][name]
    return found


def table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """Return an HTML table; nothing without rows."""
    lines = "".join(f"<tr><td>{'<td>'.join(row)}" for row in rows)
    return f"<div class='table'><table><tr><th>{'<th>'.join(heads)}{lines}</table></div>" if lines else ""


def typed(schema: Schema, note: str = "") -> str:
    """Return a type with its limits below it."""
    below = ", ".join(filter(None, (note, limits(schema))))
    return kind(schema) + (f"<span class='limits'>{below}</span>" if below else "")
