"""The OpenAPI document as a page to read."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from api.description.markdown import blocks, inline
from api.description.schemas import REF, Schema

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #b4451f; }
@media (prefers-color-scheme: dark) { :root { --accent: #f08a5d; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: flex; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; flex: 0 0 17rem; padding: 1rem; border-right: 1px solid
  var(--line); font-size: .9rem; }
nav a { display: block; padding: .1rem 0; color: inherit; text-decoration: none; }
nav b { display: block; margin-top: 1rem; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 8rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; }
a { color: var(--accent); }
code, pre { font: .88em/1.45 ui-monospace, monospace; background: var(--soft); border-radius: 4px; padding: .1em .3em; }
pre { padding: .8em; overflow: auto; max-height: 28rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
td, th { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
summary { cursor: pointer; }
.method { color: var(--accent); font-weight: bold; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; width: auto; } }
"""


def render(document: Schema) -> str:
    """The whole page."""
    info = document["info"]
    operations = list(_operations(document))
    return "".join(
        [
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}</style></head><body><nav><a href='#top'><b>{escape(info['title'])}</b></a>",
            *_contents(document, operations),
            f"</nav><main id='top'><h1>{escape(info['title'])} {escape(info['version'])}</h1>",
            '<p><a href="/schema/openapi.json">openapi.json</a></p>',
            blocks(info["description"]),
            *_tags(document, operations),
            "<h1 id='schemas'>Types</h1>",
            *(_type(name, schema) for name, schema in document["components"]["schemas"].items()),
            "</main></body></html>",
        ]
    )


Described = tuple[str, str, Schema]


def _operations(document: Schema) -> Iterator[Described]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _contents(document: Schema, operations: list[Described]) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"<b>{escape(tag['name'])}</b>"
        for _, _, operation in operations:
            if tag["name"] in operation["tags"]:
                yield f"<a href='#{operation['operationId']}'>{escape(operation['summary'])}</a>"
    yield "<b><a href='#schemas'>Types</a></b>"


def _tags(document: Schema, operations: list[Described]) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"<h1>{escape(tag['name'].capitalize())}</h1>{blocks(tag['description'])}"
        for method, path, operation in operations:
            if tag["name"] in operation["tags"]:
                yield from _operation(document, method, path, operation)


def _operation(document: Schema, method: str, path: str, operation: Schema) -> Iterator[str]:
    yield f"<section id='{operation['operationId']}'><h2>{inline(operation['summary'])}</h2>"
    yield f"<p><code><span class='method'>{method}</span> {escape(path)}</code> · {operation['operationId']}</p>"
    yield blocks(operation["description"])
    yield from _token(operation["security"])
    yield from _parameters(document, operation["parameters"])
    if "requestBody" in operation:
        yield from _content("Body", operation["requestBody"]["content"])
    yield "<h3>Answers</h3>"
    for status, given in operation["responses"].items():
        response = _resolved(document, given)
        yield f"<h4>{status}</h4>{blocks(response['description'])}"
        if status < "300":
            yield from _content("", response.get("content", {}))
    yield "</section>"


def _token(security: list[dict[str, Any]]) -> Iterator[str]:
    if security:
        kinds = " or ".join(next(iter(one), "none") for one in security)
        yield f"<p>Token: {kinds}</p>"


def _parameters(document: Schema, parameters: list[Schema]) -> Iterator[str]:
    if parameters:
        yield "<h3>Parameters</h3><table>"
        for given in parameters:
            parameter = _resolved(document, given)
            kind = _kind(parameter["schema"])
            text = inline(parameter["description"])
            yield f"<tr><td><code>{escape(parameter['name'])}</code><td>{parameter['in']}<td>{kind}<td>{text}"
        yield "</table>"


def _resolved(document: Schema, part: Schema) -> Schema:
    """What a part stands for, if it refers to a component."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    found: Schema = document["components"][kind][name]
    return found


def _content(title: str, content: Schema) -> Iterator[str]:
    for media in content.values():
        yield f"<p>{title} {_kind(media['schema'])}</p>"
        for example in media.get("examples", {}).values():
            text = json.dumps(example["value"], indent=2, ensure_ascii=False)
            name = escape(example["summary"])
            yield f"<details><summary>Example: {name}</summary><pre>{escape(text)}</pre></details>"


def _type(name: str, schema: Schema) -> str:
    return "".join(
        [
            f"<section id='{name}'><h3>{name}</h3>{blocks(schema.get('description', ''))}",
            *_fields(schema),
            *([f"<p>{_kind(schema)}"] if "oneOf" in schema else []),
            *(_example(value) for value in schema.get("examples", [])),
            "</section>",
        ]
    )


def _fields(schema: Schema) -> Iterator[str]:
    if schema.get("properties"):
        yield "<table>"
        for name, field in schema["properties"].items():
            needed = "" if name in schema.get("required", []) else "may be left out"
            text = inline(field.get("description", ""))
            yield f"<tr><td><code>{escape(name)}</code><td>{_kind(field)}<td>{needed}<td>{text}"
        yield "</table>"


def _example(value: Any) -> str:
    return f"<pre>{escape(json.dumps(value, ensure_ascii=False))}</pre>"


def _kind(schema: Schema) -> str:
    """A type in a few characters, with links to the types it is made of."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REF)
        return f"<a href='#{name}'>{name}</a>"
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(_kind(part) for part in schema[key])
    if "enum" in schema:
        return " or ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items') or {})}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_kind(schema['additionalProperties'])}"
    return escape(str(schema.get("format") or schema.get("type") or "anything"))
