"""The responses of operations in the document: types, headers, and problems by status."""

from typing import Any

from api.http.problems import CATALOGUE, MEDIA_TYPE, Problem
from api.http.responses import HTML
from api.operations.pictures import PNG, SVG
from api.operations.response_bodies import Created
from api.web.documents import ProblemKinds
from openapi.generate.schemas import Schema, Types

HEADERS: Schema = {
    "ETag": ("The version of the game in quotes. Send it as `If-None-Match` or `If-Match`.", {"type": "string"}),
    "Location": ("The path of the new resource.", {"type": "string"}),
    "Retry-After": ("Seconds to wait before the next attempt.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("The authentication scheme.", {"type": "string"}),
    "X-Request-Id": ("The id of this request in the log: your own if you sent one.", {"type": "string"}),
}


def complete_response(response: Schema, returned: list[Any], types: Types, *, tagged: bool) -> None:
    """Add the headers, and the types of the body or of the events of a stream."""
    names = ["X-Request-Id", *["ETag"] * tagged, *["Location"] * (Created in returned)]
    response["headers"] = header_refs(names)
    if returned:
        schemas = [types.of(kind) for kind in returned]
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        kinds = (*response["content"], *[HTML] * (ProblemKinds in returned))
        response["content"] = {kind: {"schema": _content_schema(kind, schema)} for kind in kinds}


def _content_schema(kind: str, schema: Schema) -> Schema:
    """Return the schema of a body; for a stream it describes the data of its events."""
    if kind == PNG:
        return {"type": "string", "format": "binary"}
    return {"type": "string", "contentMediaType": kind} if kind in (SVG, HTML) else schema


def problems(types: Types, status: int, codes: list[str]) -> Schema:
    """Return the response for problems of a status; a single problem has a shared response."""
    if len(codes) == 1:
        return {"$ref": f"#/components/responses/{title(codes[0])}"}
    return problem_response(types, status, codes)


def problem_response(types: Types, status: int, codes: list[str]) -> Schema:
    """Return the response for all problems of a status."""
    names = ["X-Request-Id", *["Retry-After"] * (status in (429, 503)), *["WWW-Authenticate"] * (status == 401)]
    return {
        "description": "\n".join(f"- `{code}`: {CATALOGUE[code].title}." for code in codes),
        "headers": header_refs(names),
        "content": {MEDIA_TYPE: {"schema": types.of(Problem)}},
        "x-codes": codes,
    }


def header_refs(names: list[str]) -> Schema:
    """Return references to these headers."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def title(code: str) -> str:
    """Return the name of the component for a code or a header."""
    return code.title().replace("_", "").replace("-", "")
