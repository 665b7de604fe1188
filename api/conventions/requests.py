"""Reading a request strictly: what does not fit is named, not guessed at."""

import asyncio
import re
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
from litestar import Request

from api.conventions.misfits import misfit
from api.conventions.operation import NoParameters, Operation
from api.conventions.problems import Failure, FieldError, shortened

Call = Request[Any, Any, Any]
T = TypeVar("T")

_half_a_pair = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])", re.DOTALL).search
"""The first half of a character that is written in two, without the second."""


def header(request: Call, name: bytes) -> str | None:
    """The first header of that name, written in lower case."""
    value = first_headers(request.scope).get(name)
    return None if value is None else value.decode("latin-1")


def first_headers(scope: Any) -> dict[bytes, bytes]:
    """The headers of a request by their name; where one is there twice, the first."""
    if "first_headers" not in scope:
        scope["first_headers"] = dict(reversed(scope["headers"]))
    found: dict[bytes, bytes] = scope["first_headers"]
    return found


@lru_cache(maxsize=10_000)
def game_id(text: str) -> UUID:
    """The id in a path; what is no UUID in its usual form names no game."""
    try:
        found = UUID(text)
    except ValueError:
        found = None
    if found is None or str(found) != text.lower():
        raise Failure("game_not_found", "There is no such game: ids are UUIDs.")
    return found


async def read_body(request: Call, decoder: msgspec.json.Decoder[T]) -> T:
    """The body as what the operation takes; an empty one stands for an object without fields."""
    body = await json_body(request)
    try:
        return decoder.decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise Failure("invalid_body", "The body does not fit.", errors=(misfit(error, decoder.type),)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(request, body, error) from error


def _unreadable(request: Call, body: bytes, error: Exception) -> Failure:
    """Why a body cannot be read: it may be packed, or hold half of a character, which the decoder takes for its end."""
    packed = header(request, b"content-encoding")
    if packed is not None:
        return Failure("unsupported_media_type", f"The body is declared as packed ({shortened(packed)}).")
    why = "half of a surrogate pair stands alone" if _half_a_pair(body) else error
    return Failure("malformed_json", f"The body is not JSON: {why}.")


async def json_body(request: Call) -> bytes:
    """The bytes of the body, which has to be declared as JSON if it is declared at all."""
    body = await body_of(request)
    kind = header(request, b"content-type")
    if body and kind is not None and kind.partition(";")[0].strip().lower() != "application/json":
        raise Failure("unsupported_media_type", f"The body is declared as {shortened(kind)!r}.")
    return body


async def body_of(request: Call) -> bytes:
    """The bytes of the body; raises ``Failure`` as soon as there are more than the operation takes."""
    scope: Any = request.scope
    if "body" not in scope:
        most = request.route_handler.resolve_request_max_body_size() or 0
        declared = header(request, b"content-length")
        if declared is not None and declared.isdecimal() and int(declared) > most:
            raise _too_large(most, unsent=header(request, b"expect") is not None)
        scope["body"] = await _all_parts(request, most)
    body: bytes = scope["body"]
    return body


async def _all_parts(request: Call, most: int) -> bytes:
    parts: list[bytes] = []
    length, more = 0, True
    while more:
        message = await _next_part(request)
        if message["type"] == "http.disconnect":
            raise Failure("bad_request", "The request was not sent to its end.")
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
        length += len(parts[-1])
        if length > most:
            raise _too_large(most)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _next_part(request: Call) -> Any:
    """The next part; a server that stops has waited for it long enough."""
    try:
        return await request.receive()
    except asyncio.CancelledError as stopped:
        raise Failure("bad_request", "The request was not sent before the server stopped.") from stopped


def _too_large(most: int, *, unsent: bool = False) -> Failure:
    """A body that was announced and is not sent now would make the next request part of it: hang up."""
    return Failure("body_too_large", f"The body may have {most} bytes.", {"Connection": "close"} if unsent else None)


def read_query(request: Call, kind: type[T]) -> T:
    """The parameters after the question mark."""
    text = request.scope["query_string"]
    try:
        pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError as error:
        raise _bad_parameter("?", "not text in UTF-8") from error
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise _bad_parameter(name, "it is there twice")
        given[name] = value
        if name not in kind.__struct_fields__:  # type: ignore[attr-defined]
            raise _bad_parameter(name, "there is no such parameter")
    try:
        read = msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        found = misfit(error, kind)
        raise _bad_parameter(found.where.removeprefix("$."), found.what) from error
    for name, value in given.items():
        if isinstance(getattr(read, name), int) and not value.isdecimal():
            raise _bad_parameter(name, "Expected integer in decimal digits")
    return read


async def refuse_unknown_parameters(request: Call) -> None:
    """Raise ``Failure`` for parameters of an operation that has none; the others look at their own."""
    if request.scope["query_string"]:
        operation: Operation | None = request.route_handler.opt.get("operation")
        if operation is not None and operation.query is NoParameters:
            read_query(request, NoParameters)


def _bad_parameter(name: str, what: str) -> Failure:
    name = shortened(name)
    return Failure("invalid_parameter", f"Parameter {name}: {what}.", errors=(FieldError(name, what),))


def bad_header(name: str, what: str) -> Failure:
    """A header that does not fit."""
    return Failure("invalid_header", f"Header {name}: {what}.", errors=(FieldError(name, what),))
