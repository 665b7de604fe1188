"""The time that the body of a request may take to arrive."""

import asyncio

from litestar.types import HTTPReceiveMessage, Receive, WebSocketReceiveMessage

from api.http.problems import ApiProblem


def receive_within(seconds: float, receive: Receive) -> Receive:
    """Return a way to receive a body that raises a problem if it does not arrive whole and in time."""
    deadline = asyncio.get_running_loop().time() + seconds

    async def receive_in_time() -> HTTPReceiveMessage | WebSocketReceiveMessage:
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError as error:
            detail = f"The body was not sent within {seconds:g} s."
            raise ApiProblem("request_timeout", detail, {"Connection": "close"}) from error
        except asyncio.CancelledError as error:
            raise ApiProblem("bad_request", "The request was not sent before the server stopped.") from error
        if message["type"] == "http.disconnect":
            raise ApiProblem("bad_request", "The request was not sent to its end.")
        return message

    return receive_in_time
