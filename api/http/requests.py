"""Requests: strict JSON bodies and query parameters, with a time limit for bodies."""

import asyncio
import re
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.datastructures import State
from litestar.exceptions import InternalServerException
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter
from litestar.types import Receive
from litestar.typing import FieldDefinition

from api.http.limits import RateLimit, client_of
from api.http.problems import ApiProblem, FieldError, shortened
from api.http.responses import HTML, JSON
from api.http.validation_messages import field_error
from domain.store import BoundedCache, GameService

T = TypeVar("T")

ViewCache = BoundedCache[tuple[int, int, str], Any]
"""Views and responses by the reading of the game, its version and a name."""

LONGEST_REREAD = 65_536
"""The longest body that is decoded again if a float stands in place of an integer."""

MAX_EXACT = 2**53
"""Floats represent every integer up to this one."""

_lone_surrogate = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])", re.DOTALL).search


if TYPE_CHECKING:
    from api.http.access import Visit

    Typed = Request[None, Visit, State]
else:
    Typed = Request


class ApiRequest(Typed):
    """A request whose body msgspec decodes strictly; litestar's own decoding accepts "2" for 2."""

    @property
    def service(self) -> GameService:
        """The game service; a second dependency of a handler would cost 50 us a request."""
        service: GameService = self.app.state["service"]
        return service

    @property
    def views(self) -> ViewCache:
        """The cache of views and responses."""
        views: ViewCache = self.app.state["views"]
        return views

    @property
    def client_name(self) -> str:
        """The client in the sense of the limits."""
        return client_of(self.scope["client"])

    @property
    def prefers_html(self) -> bool:
        """True if the client prefers HTML to JSON, as browsers do."""
        try:
            return self.accept.best_match([JSON, HTML]) == HTML
        except (OverflowError, ValueError):  # a weight that is not a number
            return False

    def charge(self, cost: float, *, afterwards: bool = False) -> None:
        """Charge the client a cost in addition to the cost of the operation, as ``RateLimit.take`` does."""
        limit: RateLimit = self.app.state["rate_limit"]
        limit.take(self.client_name, cost, afterwards=afterwards)

    async def body(self) -> bytes:
        """Return the body; raise a problem if it is incomplete or too slow."""
        state: dict[str, Any] = self.scope["state"]
        if "body" not in state:
            timeout: BodyTimeout = self.app.state["body_timeout"]
            state["body"] = await timeout.read(super().body())
        body: bytes = state["body"]
        return body

    async def json(self) -> Any:
        """Decode the body as the type of ``data``; raise a problem if it is invalid."""
        kind = self.route_handler.parsed_fn_signature.parameters["data"].annotation
        body = await self.body()
        declared = self.headers.get("content-type", "application/json")
        if declared.partition(";")[0].strip().lower() != "application/json":
            raise ApiProblem(
                "unsupported_media_type", f"The Content-Type is {shortened(declared)!r}. Send application/json."
            )
        try:
            try:
                return _decoder(kind).decode(body)
            except msgspec.ValidationError as error:
                return _decoder(kind).decode(_with_integers(body, error))
        except msgspec.ValidationError as error:
            errors = (field_error(error, kind),)
            raise ApiProblem("invalid_body", "The request body is invalid.", errors=errors) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._unreadable(body, error) from error

    def _unreadable(self, body: bytes, error: Exception) -> ApiProblem:
        """Return why a body is not JSON: compressed, an unpaired surrogate, or the decoder's error."""
        encoding = self.headers.get("content-encoding")
        if encoding is not None:
            return ApiProblem(
                "unsupported_media_type",
                f"The body is compressed ({shortened(encoding)}). Send it without Content-Encoding.",
            )
        why = "it has an unpaired surrogate" if _lone_surrogate(body) else error
        return ApiProblem("malformed_json", f"The body is not JSON: {why}.")


def _with_integers(body: bytes, error: msgspec.ValidationError) -> bytes:
    """Replace 6.0 by 6, which JSON Schema calls an integer; raise the error if it is about no float."""
    if "got `float`" not in str(error) or len(body) > LONGEST_REREAD:
        raise error
    return msgspec.json.encode(_PLAIN.decode(body))


def _number(text: str) -> int | msgspec.Raw:
    """Return a whole number as an integer, any other unchanged."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) <= MAX_EXACT else msgspec.Raw(text.encode())


_PLAIN = msgspec.json.Decoder(float_hook=_number)


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


# --- the time of a body --------------------------------------------------------------------------------------------

SECONDS_AT_STOP = 1.0
"""The time limit for bodies after the server was told to stop."""


class BodyTimeout:
    """The time limit for bodies, which becomes short when the server stops."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopping = False

    def stop(self) -> None:
        """Shorten the time limit for running and later uploads of bodies."""
        self._stopping, self._seconds = True, min(self._seconds, SECONDS_AT_STOP)
        for timeout in self._running:
            timeout.reschedule(asyncio.get_running_loop().time() + self._seconds)

    async def read(self, body: Awaitable[bytes]) -> bytes:
        """Return a body; raise a problem if it is incomplete or too slow."""
        timeout = asyncio.timeout(self._seconds)
        self._running.add(timeout)
        try:
            async with timeout:
                return await body
        except TimeoutError as error:
            raise self._late() from error
        except InternalServerException as error:
            raise ApiProblem("bad_request", "The request is incomplete.") from error
        finally:
            self._running.discard(timeout)

    def _late(self) -> ApiProblem:
        if self._stopping:
            return ApiProblem("bad_request", "The server stopped before the request was complete.")
        return ApiProblem("request_timeout", f"The body was not complete after {self._seconds:g} s.")


# --- query parameters ----------------------------------------------------------------------------------------------


def check_query_parameters(handler: BaseRouteHandler, query_string: bytes) -> None:
    """Raise a problem for the first query parameter that is unknown, invalid or missing."""
    declared = dict(query_parameters(handler))
    seen: set[str] = set()
    for name, value in _pairs(query_string):
        if name not in declared:
            raise invalid_parameter(name, "this parameter does not exist")
        field = declared[name]
        item = next((inner.inner_types[0] for inner in field.inner_types if inner.is_non_string_sequence), None)
        if name in seen and item is None:
            raise invalid_parameter(name, "it is given twice")
        seen.add(name)
        _check(name, value, (item or field).raw)
    for name in sorted(required_parameters(handler) - seen):
        raise invalid_parameter(name, "it is missing")


@cache
def required_parameters(handler: BaseRouteHandler) -> frozenset[str]:
    return frozenset(name for name, field in query_parameters(handler) if field.is_required)


def query_parameters(handler: BaseRouteHandler) -> Iterator[tuple[str, FieldDefinition]]:
    """Yield the name and definition of each query parameter of a handler and its dependencies."""
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
    name = shortened(name)
    return ApiProblem("invalid_parameter", f"Parameter {name}: {why}.", errors=(FieldError(name, why),))


def _pairs(query_string: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError as error:
        raise invalid_parameter("?", "the query is not UTF-8") from error


def _check(name: str, value: str, kind: Any) -> None:
    try:
        converted = msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise invalid_parameter(name, field_error(error, kind).what) from error
    if converted is None:
        raise invalid_parameter(name, "this value does not exist")
    if isinstance(converted, bool):
        if value not in ("true", "false"):
            raise invalid_parameter(name, "Expected true or false")
    elif isinstance(converted, int) and not value.isdecimal():
        raise invalid_parameter(name, "Expected integer in decimal digits")


# --- clients that leave --------------------------------------------------------------------------------------------


async def while_connected(receive: Receive, waiting: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of a coroutine, None if the client disconnects before."""
    done, gone = asyncio.create_task(waiting), asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait((done, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        done.cancel()
        with suppress(asyncio.CancelledError):
            await done
    return None if done.cancelled() else done.result()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
