"""Operations as curl commands, made from the examples of the document."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from api.http.event_stream import MEDIA_TYPE as STREAM
from api.operations.pictures import PNG
from openapi.generate.operations import GAME
from openapi.generate.reading import resolved
from openapi.generate.schemas import Schema

VARIABLES = {
    "API": "the address of this server, such as `http://127.0.0.1:8000`",
    "GAME": "the id of a game",
    "TOKEN": "the token of its first seat",
    "HOST": "the token of its host",
}
"""The shell variables of the commands; the README sets them."""

APPLICATION: list[dict[str, list[str]]] = [{"app": []}]
"""The security of operations for applications only."""

_CAPTURED_TOKEN = re.compile(r"token-[0-9a-f]{32}")
_LONGEST_BODY = 1200


def curl(document: Schema, method: str, path: str, operation: Schema) -> str:
    """Return the command; a long body is fetched by a command before it."""
    body = _body(operation)
    if len(body) <= _LONGEST_BODY:
        return _command(document, method, path, operation, shlex.quote(body))
    source = _source(document, operation["requestBody"])
    return f"{source} > body.json\n{_command(document, method, path, operation, '@body.json')}"


def _token(operation: Schema) -> str:
    """Return the variable with the token that an operation requires, if any."""
    if {} in operation["security"] or operation["security"] in ([], APPLICATION):
        return ""
    return "HOST" if operation["security"][0] == {"host": []} else "TOKEN"


def _command(document: Schema, method: str, path: str, operation: Schema, body: str) -> str:
    return " \\\n  ".join(_parts(document, method, path, operation, body))


def _parts(document: Schema, method: str, path: str, operation: Schema, body: str) -> Iterator[str]:
    sends = "requestBody" in operation
    content = operation["responses"].get("200", {}).get("content", {})
    options = "-sSN" if STREAM in content else "-sS"
    sent = "" if method == "GET" or sends else f"-X {method} "
    saved = f" -o {path.rpartition('/')[2]}" if PNG in content else ""
    yield f'curl {options} {sent}"$API{_filled(document, path, operation)}"{saved}'
    if token := _token(operation):
        yield f'-H "Authorization: Bearer ${token}"'
    if operation["security"] == APPLICATION:
        yield "-H 'X-App-Key: key-of-your-application'"
    if sends:
        yield "-H 'Content-Type: application/json'"
        yield f"-d {_CAPTURED_TOKEN.sub(_AMID_QUOTES, body, count=1)}"


_AMID_QUOTES = """'"$TOKEN"'"""
"""The variable between quotes, since the shell expands nothing in a text in single quotes."""


def _filled(document: Schema, path: str, operation: Schema) -> str:
    """Return the path with example values, and with query parameters that are required or name a game."""
    parameters = [resolved(document, part) for part in operation["parameters"]]
    query = {
        part["name"]: part["example"]
        for part in parameters
        if part["in"] == "query" and (part.get("required") or part.get("example") == [GAME])
    }
    filled = path.format(**{part["name"]: part["example"] for part in parameters if part["in"] == "path"})
    return (f"{filled}?{urlencode(query, doseq=True)}" if query else filled).replace(GAME, "$GAME")


def _body(operation: Schema) -> str:
    for media in operation.get("requestBody", {}).get("content", {}).values():
        for example in media["examples"].values():
            return json.dumps(example["value"], ensure_ascii=False)
    return ""


def _source(document: Schema, body: Schema) -> str:
    """Return the command of the operation whose response has the type of a body."""
    for path, methods in document["paths"].items():
        response = methods.get("get", {"responses": {}})["responses"].get("200", {})
        if _type(response) == _type(body):
            return _command(document, "GET", path, methods["get"], "")
    raise LookupError("no operation returns such a body")


def _type(part: Schema) -> list[Any]:
    return [media["schema"] for media in part.get("content", {}).values()]
