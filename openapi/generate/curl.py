"""An operation as a command to try out, made from the examples of the document."""

import json
import shlex
from collections.abc import Iterator
from urllib.parse import urlencode

from api.http.event_stream import MEDIA_TYPE as STREAM
from openapi.generate.reading import resolved
from openapi.generate.schemas import Schema

_LONGEST_BODY = 1200


def curl(document: Schema, method: str, path: str, operation: Schema) -> str:
    """Return the command; it expects the address of the server in ``$API`` and a token in ``$TOKEN``."""
    return " \\\n  ".join(_parts(document, method, path, operation))


def _parts(document: Schema, method: str, path: str, operation: Schema) -> Iterator[str]:
    body = _body(operation)
    sent = "" if method == "GET" or body else f"-X {method} "
    options = "-sSN" if STREAM in operation["responses"].get("200", {}).get("content", {}) else "-sS"
    yield f'curl {options} {sent}"$API{_filled(document, path, operation)}"'
    if operation["security"] and {} not in operation["security"]:
        yield '-H "Authorization: Bearer $TOKEN"'
    if body:
        yield "-H 'Content-Type: application/json'"
        yield f"-d {body}"


def _filled(document: Schema, path: str, operation: Schema) -> str:
    """Return the path and the query with the examples of their parameters."""
    parameters = [resolved(document, part) for part in operation["parameters"]]
    query = {part["name"]: part["example"] for part in parameters if part["in"] == "query" and "example" in part}
    filled = path.format(**{part["name"]: part["example"] for part in parameters if part["in"] == "path"})
    return f"{filled}?{urlencode(query, doseq=True)}" if query else filled


def _body(operation: Schema) -> str:
    """Return the first example of the body; leave one that is too long to read to a file."""
    for media in operation.get("requestBody", {}).get("content", {}).values():
        for example in media["examples"].values():
            body = json.dumps(example["value"], ensure_ascii=False)
            return shlex.quote(body) if len(body) <= _LONGEST_BODY else "@body.json"
    return ""
