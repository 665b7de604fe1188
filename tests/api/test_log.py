"""The log: who does not read it stops nobody, and nothing in it can steer a terminal."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO
from urllib.parse import quote

import pytest

from api.http.log_output import MOST_BYTES, LogOutput
from api.http.request_log import open_log
from tests.api.people import serving
from tests.api.server import STOPPED, client_of, running
from tests.support.logged import logged

STEERING = "\x1b[2J\x07\x7f\x85\x9b\u061c\u200f\u2028\u202e\u2066\ufeff\U000e0041"
DROPPED = "lines of the log were dropped, as they were not read in time"


@contextmanager
def piped(most_bytes: int = MOST_BYTES, outputs: int = 1) -> Iterator[tuple[list[LogOutput], BinaryIO]]:
    """Outputs that have one pipe, with the end from which it is read.

    The other end stays open: the thread of an output writes again and again what it could not write, and its number
    would soon be that of another file, or of a connection to a database.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader:
        yield [LogOutput(writing, most_bytes) for _ in range(outputs)], reader


def line_of(number: int) -> bytes:
    return json.dumps({"event": "request", "number": number, "path": "x" * 900}).encode() + b"\n"


def test_who_does_not_read_holds_up_nobody_and_is_told_what_was_dropped() -> None:
    with piped(100_000) as ([output], reader):
        for number in range(1000):
            output.write(line_of(number))
        assert not output.close(0.05), "nobody reads"
        assert 0 < output.dropped < 1000
        kept: list[int] = []
        told = 0
        while len(kept) + told < 1000:
            line = json.loads(reader.readline())
            if line["event"] == DROPPED:
                told += line["lines"]
            else:
                kept.append(line["number"])
        assert told == output.dropped
        assert kept == sorted(kept)
        assert output.close(STOPPED)
        output.write(line_of(1000))
        assert json.loads(reader.readline())["number"] == 1000


def test_lines_that_nobody_can_read_any_more_are_dropped_and_counted() -> None:
    with piped(100_000) as ([output], reader):
        reader.close()
        output.write(line_of(1) + line_of(2))
        assert output.close(STOPPED)
        assert output.dropped == 2


def test_two_processes_that_write_to_one_pipe_mix_no_lines() -> None:
    """A pipe that is nearly full takes a few kB as a whole, and parts of what is longer."""
    with piped(outputs=2) as (outputs, reader):
        for number in range(200):
            for output in outputs:
                output.write(line_of(number) * 3)
        numbers = [json.loads(reader.readline())["number"] for _ in range(1200)]
        assert sorted(numbers) == sorted(list(range(200)) * 6)


def test_a_server_whose_log_nobody_reads_answers_and_stops() -> None:
    with running(log_level="info") as server, client_of(server.url) as client:
        for _ in range(2 * MOST_BYTES // 50_000):
            assert client.get("/nothing/" + "x" * 50_000).status_code == 404
        assert client.get("/health/ready").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(STOPPED) in (0, -signal.SIGTERM)


def test_nothing_in_the_log_can_steer_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    headers = {"x-request-id": quote(STEERING), "traceparent": quote(STEERING), "user-agent": quote(STEERING)}
    with serving(log_level="info") as client:
        client.get(f"/v1/{quote(STEERING)}/Zoë", headers=headers)
        client.get(f"/v1/games/{quote(STEERING)}")
        client.get("/v1/%ff%c2", headers=headers)
    open_log("info").warning(STEERING, **{STEERING: STEERING}, name="Zoë")
    text = logged(capfd)
    assert all(character.isprintable() or character == "\n" for character in text)
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["path"] == f"/v1/{STEERING}/Zoë"
    assert (lines[-1]["event"], lines[-1][STEERING]) == (STEERING, STEERING)
    assert "Zoë" in text, "what is harmless stays as it is"
