"""JSON bodies, decoded strictly by the type that the operation declares."""

import re
from functools import cache
from typing import Any

import msgspec
from litestar import Request
from litestar.datastructures import State

from api.http.problems import ApiProblem, shortened
from api.http.rate_limit import RateLimit, client_of, too_many_requests
from api.http.static_responses import HTML, JSON
from api.http.validation_messages import field_error
from domain.store import GameService, TokenHolder

LONGEST_REREAD = 65_536
"""The most bytes of a body that is read once more if a float stands where it does not fit."""

MAX_EXACT = 2**53
"""Up to here every whole number is a float of its own."""

_lone_surrogate = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])", re.DOTALL).search


class ApiRequest(Request[None, TokenHolder, State]):
    """A request whose body is decoded by msgspec; litestar's own decoding takes "2" for 2."""

    @property
    def service(self) -> GameService:
        """The service that keeps all games; a dependency for it beside another one would cost 50 us a request."""
        service: GameService = self.app.state["service"]
        return service

    @property
    def client_name(self) -> str:
        """The client as limits count it."""
        return client_of(self.scope["client"])

    @property
    def prefers_html(self) -> bool:
        """The wish for HTML rather than JSON, which browsers send for the address of a page."""
        return self.accept.best_match([JSON, HTML]) == HTML

    def charge(self, cost: float) -> None:
        """Charge the client for what a request needs beside its own cost, or raise a problem."""
        limit: RateLimit = self.app.state["rate_limit"]
        wait = limit.seconds_to_wait(self.client_name, cost)
        if wait:
            raise too_many_requests(wait)

    async def json(self) -> Any:
        """Return the body as a value of the type of `data`; raise a problem where it does not fit."""
        kind = self.route_handler.parsed_fn_signature.parameters["data"].annotation
        body = await self.body()
        declared = self.headers.get("content-type", "application/json")
        if declared.partition(";")[0].strip().lower() != "application/json":
            raise ApiProblem("unsupported_media_type", f"The body is declared as {shortened(declared)!r}.")
        try:
            try:
                return _decoder(kind).decode(body)
            except msgspec.ValidationError as error:
                return _decoder(kind).decode(_with_integers(body, error))
        except msgspec.ValidationError as error:
            errors = (field_error(error, kind),)
            raise ApiProblem("invalid_body", "The body does not fit.", errors=errors) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._unreadable(body, error) from error

    def _unreadable(self, body: bytes, error: Exception) -> ApiProblem:
        """Return why a body is no JSON: compressed, with half of a surrogate pair, or as the decoder says."""
        encoding = self.headers.get("content-encoding")
        if encoding is not None:
            return ApiProblem("unsupported_media_type", f"The body is declared as packed ({shortened(encoding)}).")
        why = "half of a surrogate pair stands alone" if _lone_surrogate(body) else error
        return ApiProblem("malformed_json", f"The body is not JSON: {why}.")


def _with_integers(body: bytes, error: msgspec.ValidationError) -> bytes:
    """Return a body with 6 for 6.0, which JSON Schema calls an integer; raise its error if that is about no float."""
    if "got `float`" not in str(error) or len(body) > LONGEST_REREAD:
        raise error
    return msgspec.json.encode(_PLAIN.decode(body))


def _number(text: str) -> int | msgspec.Raw:
    """Return a whole number as an integer, any other as it was written."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) <= MAX_EXACT else msgspec.Raw(text.encode())


_PLAIN = msgspec.json.Decoder(float_hook=_number)


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)
