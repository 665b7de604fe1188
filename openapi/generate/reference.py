"""The OpenAPI document as a page for readers."""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from api.http.problems import CATALOGUE
from api.http.responses import HTML
from openapi.generate.curl import VARIABLES, curl
from openapi.generate.layout import page_of
from openapi.generate.markdown import blocks, inline
from openapi.generate.problem_pages import BY_STATUS, described
from openapi.generate.reading import kind, resolved, table, text, typed
from openapi.generate.schemas import Schema
from openapi.generate.types import Groups, grouped, types

Described = tuple[str, str, Schema]

_BEFORE_THE_EXAMPLES = (
    "The commands below can be pasted into a shell. They use variables, which the tour in the README sets: "
    + "; ".join(f"`{name}`, {text}" for name, text in VARIABLES.items())
    + ". `/schema/openapi.json` is the same document for programs."
)

_TRY_IT = "<details class='try'><summary>Try it</summary><noscript><p>This needs JavaScript.</noscript></details>"
"""The container of the form, which a script creates when it is opened."""

_LINES_SHOWN = 24
"""The first example of a body or a response is open if it has no more lines than this."""


def render(document: Schema) -> str:
    info = document["info"]
    operations, groups = list(_operations(document)), grouped(document)
    page = [
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        blocks(info["description"]),
        blocks(_BEFORE_THE_EXAMPLES),
        *_tags(document, operations),
        f"<h1 id='headers'>Headers of responses</h1>{table(('Header', 'Description'), _headers(document))}",
        f"<h1 id='problems'>Problems</h1>{table(('Status', 'Code', 'Meaning'), _problems(document))}",
        "<h1 id='types'>Types</h1>",
        *types(document, groups),
    ]
    return page_of(info["title"], "".join(_contents(document, operations, groups)), _linked("".join(page), operations))


def _linked(page: str, operations: list[Described]) -> str:
    """Link mentions of operations; names of one word, such as ``undo``, are ambiguous."""
    names = [operation["operationId"] for _, _, operation in operations if "_" in operation["operationId"]]
    return re.sub(rf"<code>({'|'.join(names)})</code>", r"<a href='#\1'><code>\1</code></a>", page)


def _operations(document: Schema) -> Iterator[Described]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _contents(document: Schema, operations: list[Described], groups: Groups) -> Iterator[str]:
    """Yield links to all operations and types, in groups that can be folded."""
    for tag in document["tags"]:
        yield f"<details open><summary>{escape(tag['name'].capitalize())}</summary>"
        for method, path, operation in _tagged(tag, operations):
            yield f"<a href='#{operation['operationId']}'>{escape(operation['summary'])}"
            yield f"<small>{_call(method, path)}</small></a>"
        yield "</details>"
    yield "<a href='#headers'><b>Headers</b></a><a href='#problems'><b>Problems</b></a>"
    yield "<details><summary>Codes</summary>"
    yield from (f"<a href='#problem-{code}'>{code}</a>" for code, _ in BY_STATUS)
    yield "</details><a href='#types'><b>Types</b></a>"
    for group, names in groups.items():
        links = "".join(f"<a href='#{name}'>{name}</a>" for name in names)
        yield f"<details><summary>{group}</summary>{links}</details>"


def _tagged(tag: Schema, operations: list[Described]) -> Iterator[Described]:
    return (described for described in operations if tag["name"] in described[2]["tags"])


def _call(method: str, path: str) -> str:
    return f"<span class='method {method.lower()}'>{method}</span> {escape(path)}"


def _tags(document: Schema, operations: list[Described]) -> Iterator[str]:
    for tag in document["tags"]:
        yield f"<h1 id='tag-{tag['name']}'>{escape(tag['name'].capitalize())}</h1>{blocks(tag['description'])}"
        for method, path, operation in _tagged(tag, operations):
            yield from _operation(document, method, path, operation)


def _operation(document: Schema, method: str, path: str, operation: Schema) -> Iterator[str]:
    yield f"<section class='operation' id='{operation['operationId']}'><h2>{inline(operation['summary'])}</h2>"
    yield f"<p class='call'><code>{_call(method, path)}</code> · {operation['operationId']}</p>"
    yield _TRY_IT
    yield f"<div class='parts'><div class='told'>{blocks(operation['description'])}"
    yield from _token(operation["security"])
    yield "</div><div class='samples'>"
    yield f"<pre class='curl'>{escape(curl(document, method, path, operation), quote=False)}</pre>"
    responses = {status: resolved(document, response) for status, response in operation["responses"].items()}
    yield from _examples("Body", operation.get("requestBody", {}))
    for status, response in responses.items():
        if status < "300":
            yield from _examples(f"Response {status}", response)
    yield f"</div><div class='details'>{''.join(_details(document, operation, responses))}</div></div></section>"


def _details(document: Schema, operation: Schema, responses: dict[str, Schema]) -> Iterator[str]:
    """Yield the parameters, the body, the responses and the problems of an operation."""
    if operation["parameters"]:
        yield "<h3>Parameters</h3>"
        yield table(("Name", "Type", "Description", "Example"), _parameters(document, operation["parameters"]))
    if "requestBody" in operation:
        body = operation["requestBody"]
        yield f"<h3>Body</h3><p>{_content(body)}{'' if body.get('required') else ', optional'}</p>"
    done = ((status, response) for status, response in responses.items() if status < "400")
    refused = ((status, response) for status, response in responses.items() if status >= "400")
    yield f"<h3>Responses</h3>{table(('Status', 'Description', 'Headers'), _responses(done))}"
    yield f"<h3>Problems</h3>{table(('Status', 'Codes', 'Headers'), _responses(refused))}"


def _token(security: list[dict[str, Any]]) -> Iterator[str]:
    if security:
        kinds = " or ".join(scheme for one in security for scheme in one)
        yield f"<p>Token: {kinds}{', for private games only' if {} in security else ''}</p>"


def _parameters(document: Schema, parameters: list[Schema]) -> Iterator[tuple[str, ...]]:
    for part in parameters:
        parameter = resolved(document, part)
        name = f"<code>{escape(parameter['name'])}</code><span class='limits'>{parameter['in']}</span>"
        needed = "" if parameter.get("required") else "optional"
        example = f"<code>{escape(_value(parameter['example']))}</code>" if "example" in parameter else ""
        yield name, typed(parameter["schema"], needed), inline(parameter["description"]), example


def _value(example: Any) -> str:
    """Return an example of a parameter as it is sent."""
    values = example if isinstance(example, list) else [example]
    return ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)


def _responses(responses: Iterator[tuple[str, Schema]]) -> Iterator[tuple[str, ...]]:
    """Yield each status with its response; problems are listed by code."""
    for status, response in responses:
        headers = ", ".join(f"<a href='#header-{name}'>{name}</a>" for name in response.get("headers", {}))
        codes = [f"{_code(code)} {inline(CATALOGUE[code].title)}" for code in response.get("x-codes", [])]
        text_of_response = "<br>".join(codes) or f"{inline(response['description'])} {_content(response)}"
        yield f"<b>{status}</b>", text_of_response, headers


def _code(code: str) -> str:
    return f"<a href='/problems/{code}'><code>{code}</code></a>"


def _content(part: Schema) -> str:
    return "".join(kind(media["schema"]) for name, media in part.get("content", {}).items() if name != HTML)


def _examples(title: str, part: Schema) -> Iterator[str]:
    shown = _LINES_SHOWN
    for media in part.get("content", {}).values():
        for example in media.get("examples", {}).values():
            yield _example(f"{title}: {escape(example['summary'])}", example["value"], shown)
            shown = 0


def _example(title: str, value: Any, shown: int = 0) -> str:
    """Return an example, open if it has at most ``shown`` lines; texts are shown unchanged."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    unfolded = " open" if len(text.splitlines()) <= shown else ""
    return f"<details{unfolded}><summary>{title}</summary><pre tabindex='0'>{escape(text, quote=False)}</pre></details>"


def _headers(document: Schema) -> Iterator[tuple[str, ...]]:
    for name, header in document["components"]["headers"].items():
        yield f"<code id='header-{name}'>{name}</code>", text(header)


def _problems(document: Schema) -> Iterator[tuple[str, ...]]:
    """Yield every code with its status, its explanation and an example."""
    examples = document["components"]["examples"]
    for code, entry in BY_STATUS:
        shown = _example("Example", examples[code]["value"]) if code in examples else ""
        yield f"<span id='problem-{code}'>{entry.status}</span>", _code(code), described(code) + shown
