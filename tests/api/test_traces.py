"""The trace id of a request, which connects its lines in the logs of several programs."""

import json
from collections.abc import Sequence

import pytest

from tests.api.people import serving
from tests.api.server import fetch, running
from tests.support.logged import logged

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"

WELL_FORMED = (f"00-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-00", f"01-{TRACE}-{SPAN}-01", f"cc-{TRACE}-{SPAN}-01-new")

MALFORMED = (
    "",
    TRACE,
    f"00-{TRACE}-{SPAN}",
    f"00-{TRACE}-{SPAN}-01-new",
    f"00-{TRACE}-{SPAN}-01 ",
    f"ff-{TRACE}-{SPAN}-01",
    f"00-{'0' * 32}-{SPAN}-01",
    f"00-{TRACE}-{'0' * 16}-01",
    f"00-{TRACE.upper()}-{SPAN}-01",
    f'00-{TRACE[:-1]}"-{SPAN}-01',
    f"01-{TRACE}-{SPAN}-01.new",
)


def traced(capfd: pytest.CaptureFixture[str], headers: Sequence[str]) -> list[str | None]:
    """The trace ids in the log lines of requests with these headers."""
    with serving(log_level="info") as client:
        for header in headers:
            assert client.get("/v1/boards", headers={"traceparent": header}).status_code == 200
    lines = map(json.loads, logged(capfd).splitlines())
    return [line.get("trace_id") for line in lines if line["event"] == "request"]


def test_the_log_line_of_a_request_has_its_trace(capfd: pytest.CaptureFixture[str]) -> None:
    assert traced(capfd, WELL_FORMED) == [TRACE] * len(WELL_FORMED)


def test_a_malformed_trace_is_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    assert traced(capfd, MALFORMED) == [None] * len(MALFORMED)


def test_the_log_line_of_a_failure_has_its_trace(capfd: pytest.CaptureFixture[str]) -> None:
    with serving() as client:
        client.app.state["boards"] = None  # type: ignore[attr-defined]
        assert client.get("/v1/boards/usa-1960s", headers={"traceparent": WELL_FORMED[0]}).status_code == 500
        assert client.get("/v1/boards/usa-1960s").status_code == 500
    first, second = map(json.loads, logged(capfd).splitlines())
    assert (first["event"], first["trace_id"]) == ("failed", TRACE)
    assert (second["event"], "trace_id" in second) == ("failed", False)


def test_a_server_logs_the_trace_of_a_refused_request() -> None:
    with running(log_level="info") as server:
        headers = {"traceparent": WELL_FORMED[0], "x-request-id": "nothing-here"}
        assert fetch(f"{server.url}/nothing", headers=headers).status_code == 404
        _, log = server.stop()
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["trace_id"] for line in lines if line.get("request_id") == "nothing-here"] == [TRACE]
