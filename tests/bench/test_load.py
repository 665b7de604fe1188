"""The load generator: what it counts, and that it is bounded."""

import asyncio
from collections.abc import Callable

import pytest

from bench.load import Client, Outcome, Plan, check, length_of, percentile


class Wire(asyncio.Transport):
    """A connection that only remembers what was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))


def talk(requests: list[bytes], conversation: Callable[[Client], None]) -> tuple[Client, list[bytes]]:
    """Return the end of a client, and all that it sends, while this is said to it."""

    async def connected() -> tuple[Client, list[bytes]]:
        wire, client = Wire(), Client(requests)
        client.connection_made(wire)
        client.start()
        conversation(client)
        return client, wire.sent

    return asyncio.run(connected())


def test_a_percentile_is_a_value_that_was_measured() -> None:
    times = [float(number) for number in range(100, 0, -1)]
    assert percentile(times, 0.5) == 50.0
    assert percentile(times, 0.99) == 99.0
    assert percentile(times, 1.0) == 100.0
    assert percentile([7.0], 0.5) == percentile([7.0], 0.99) == 7.0
    assert percentile([1.0, 2.0, 3.0], 0.99) == 3.0


def test_the_rate_is_answers_a_second() -> None:
    assert Outcome(2.0, {200: 3}, [0.1, 0.2, 0.3]).rate == 1.5


@pytest.mark.parametrize(
    ("head", "length"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 12", 12),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\netag: x", 3),
        (b"HTTP/1.1 304 Not Modified\r\netag: x", 0),
    ],
)
def test_the_head_says_how_long_the_body_is(head: bytes, length: int) -> None:
    assert length_of(head) == length


def test_a_client_sends_its_next_request_once_the_whole_answer_is_there() -> None:
    def conversation(client: Client) -> None:
        client.data_received(b"HTTP/1.1 200 OK\r\nconte")
        client.data_received(b"nt-length: 6\r\n\r\nab")
        client.data_received(b"cd")
        assert not client.times
        client.data_received(b"ef")
        assert not client.done.done()
        client.data_received(b"HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n")

    client, sent = talk([b"first", b"second"], conversation)
    assert sent == [b"first", b"second"]
    assert client.statuses == {200: 1, 409: 1}
    assert len(client.times) == 2
    assert client.done.done()


def test_a_client_ends_when_the_server_hangs_up() -> None:
    client, sent = talk([b"first", b"second"], lambda client: client.connection_lost(None))
    assert client.done.done()
    assert sent == [b"first"]


@pytest.mark.parametrize(
    "plan",
    [
        Plan(1, ((b"x",),) * 257),
        Plan(1, ((b"x",) * 200_001,)),
        Plan(1, ((b"x",),), seconds=11.0),
    ],
)
def test_a_plan_is_bounded_in_clients_requests_and_time(plan: Plan) -> None:
    with pytest.raises(ValueError, match="too much"):
        check(plan)
