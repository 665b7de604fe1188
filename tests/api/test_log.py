"""The log: a full pipe blocks neither requests nor the exit, and no line can control a terminal."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from logging import INFO, LogRecord, getLogger
from typing import BinaryIO
from urllib.parse import quote

import pytest

from api.http.log import MOST_RECORDS, LogQueue, open_log
from tests.api.people import serving
from tests.api.server import STOPPED, client_of, running
from tests.support.logged import logged

CONTROLS = "\x1b[2J\x07\x7f\x85\x9b\u061c\u200f\u2028\u202e\u2066\ufeff\U000e0041"
DROPPED = "lines of the log were dropped, as they were not read in time"


@contextmanager
def piped(most: int = MOST_RECORDS, logs: int = 1) -> Iterator[tuple[list[LogQueue], BinaryIO]]:
    """Logs that write to one pipe, and its end for reading; the end for writing stays open for their threads."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader:
        yield [LogQueue(writing, most) for _ in range(logs)], reader


def record(number: int, lines: int = 1) -> LogRecord:
    line = json.dumps({"event": "request", "number": number, "path": "x" * 900})
    return LogRecord("requests", INFO, "", 0, "\n".join([line] * lines), None, None)


def test_a_log_without_a_reader_blocks_nothing_and_reports_dropped_lines() -> None:
    with piped(100) as ([log], reader):
        for number in range(1000):
            log.handle(record(number))
        assert 0 < log.dropped < 1000
        kept: list[int] = []
        reported = 0
        while len(kept) + reported < 1000:
            line = json.loads(reader.readline())
            if line["event"] == DROPPED:
                reported += line["lines"]
            else:
                kept.append(line["number"])
        assert reported == log.dropped
        assert kept == sorted(kept)
        log.handle(record(1000))
        assert json.loads(reader.readline())["number"] == 1000


def test_lines_for_a_closed_pipe_are_dropped_and_counted() -> None:
    with piped() as ([log], reader):
        reader.close()
        log.handle(record(1, lines=2))
        log.waiting.join()
        assert log.dropped == 2


def test_two_processes_that_write_to_one_pipe_do_not_mix_lines() -> None:
    """A nearly full pipe takes short writes whole, but splits longer ones."""
    with piped(logs=2) as (logs, reader):
        for number in range(200):
            for log in logs:
                log.handle(record(number, lines=3))
        numbers = [json.loads(reader.readline())["number"] for _ in range(1200)]
        assert sorted(numbers) == sorted(list(range(200)) * 6)


def test_a_line_has_its_facts_its_logger_and_its_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    ours = open_log("info")
    ours.warning("too few", extra={"facts": {"files": 7}})
    try:
        raise ValueError("what went wrong")
    except ValueError as error:
        ours.error("failed", exc_info=error)
    getLogger("another.library").warning("%s of %d", "one", 2)
    ours.debug("too little to be logged")
    lines = [json.loads(line) for line in logged(capfd).splitlines()]
    assert all(datetime.fromisoformat(line.pop("at")).tzinfo for line in lines)
    assert lines[0] == {"event": "too few", "files": 7, "level": "warning"}
    assert lines[1].pop("exception").splitlines()[-1] == "ValueError: what went wrong"
    assert lines[1:] == [
        {"event": "failed", "level": "error"},
        {"event": "one of 2", "level": "warning", "logger": "another.library"},
    ]


def test_a_server_whose_log_nobody_reads_responds_and_stops() -> None:
    with running(log_level="info") as server, client_of(server.url) as client:
        for _ in range(40):
            assert client.get("/nothing/" + "x" * 50_000).status_code == 404
        assert client.get("/health/ready").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(STOPPED) in (0, -signal.SIGTERM)


def test_a_process_ends_although_nobody_reads_its_log() -> None:
    program = "from api.http.log import open_log; log = open_log('info'); [log.error('x' * 1000) for _ in range(300)]"
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) as process:
        assert process.wait(STOPPED) == 0


def test_no_line_of_the_log_can_control_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    headers = {"x-request-id": quote(CONTROLS), "traceparent": quote(CONTROLS), "user-agent": quote(CONTROLS)}
    with serving(log_level="info") as client:
        client.get(f"/v1/{quote(CONTROLS)}/Zoë", headers=headers)
        client.get(f"/v1/games/{quote(CONTROLS)}")
        client.get("/v1/%ff%c2", headers=headers)
    open_log("info").warning(CONTROLS, extra={"facts": {CONTROLS: CONTROLS, "name": "Zoë"}})
    text = logged(capfd)
    assert all(character.isprintable() or character == "\n" for character in text)
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["path"] == f"/v1/{CONTROLS}/Zoë"
    assert (lines[-1]["event"], lines[-1][CONTROLS]) == (CONTROLS, CONTROLS)
    assert "Zoë" in text, "harmless letters stay as they are"
