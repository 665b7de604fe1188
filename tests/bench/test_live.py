"""The streams in the benchmarks: the arithmetic, and what the bare server sends."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.live import Plan as Paced
from bench.live import Times, WatchedSubject, carry_out, exchange
from bench.servers import broadcast_server, get, post
from bench.usage import Usage, usage_of
from bench.watch import WatchFailed

FAN_OUTS = (b"f\r\nid: 5\ndata: {}\n\n\r\n", b"11\r\nid: 6\ndata: true\n\n\r\n")


def publishing(port: int, fan_outs: Sequence[bytes] = FAN_OUTS) -> Paced:
    requests = [post("/stream", "", fan_out) for fan_out in fan_outs]
    return Paced(port, requests, port, get("/stream"), watchers=3)


def test_the_rate_is_requests_that_all_have_seen() -> None:
    assert Times(answered=[0.001, 0.001], arrived=[0.3, 0.1]).rate == 5.0


def test_the_bare_server_writes_what_is_published_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.live.ROUND_SECONDS", 60)
    with broadcast_server() as server:
        times, arrivals = carry_out(publishing(server.port))
        assert [arrival.first for arrival in arrivals] == list(FAN_OUTS)
        assert [arrival.total for arrival in arrivals] == [3 * len(fan_out) for fan_out in FAN_OUTS]
        assert len(times.answered) == len(times.arrived) == 2
        subject = WatchedSubject(lambda: publishing(server.port))
        assert subject(0) > 0
        assert len(subject.answers()) == len(subject.arrivals(0.99)) == 1


def test_a_refused_request_is_no_measurement() -> None:
    server, client = socket.socketpair()
    with server, client:
        server.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        exchange(client, b"first")
        server.sendall(b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\n{}")
        with pytest.raises(WatchFailed, match="409"):
            exchange(client, b"second")
        assert server.recv(100) == b"firstsecond"


def stat(folder: Path, pid: int, parent: int, ticks: int, pages: int) -> None:
    fields = ["S", str(parent), *["0"] * 9, str(ticks), str(ticks), *["0"] * 8, str(pages), "0"]
    (folder / str(pid)).mkdir()
    (folder / str(pid) / "stat").write_text(f"{pid} (a (b) c) {' '.join(fields)}\n")


def test_a_process_is_counted_with_those_it_has_started(tmp_path: Path) -> None:
    stat(tmp_path, 10, 1, 100, 5)
    stat(tmp_path, 11, 10, 50, 2)
    stat(tmp_path, 12, 11, 25, 1)
    stat(tmp_path, 13, 1, 999, 999)
    seconds, resident = 350 / os.sysconf("SC_CLK_TCK"), 8 * os.sysconf("SC_PAGE_SIZE")
    assert usage_of(10, tmp_path) == Usage(seconds, resident)
    assert usage_of(14, tmp_path) is None
