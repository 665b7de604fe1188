"""Failures in the log: a flood of them is a few lines."""

from typing import Any

from api.http.failure_log import KINDS, QUIET_SECONDS, FailureLog


class Told:
    """A log that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, Any]]] = []

    def error(self, event: str, **facts: Any) -> None:
        self.lines.append((event, facts))


def test_a_flood_of_failures_is_a_line_now_and_then_with_their_number() -> None:
    log, now = Told(), [0.0]
    failures = FailureLog(log, lambda: now[0])  # type: ignore[arg-type]  # it needs no more of a log
    for _ in range(5):
        failures.tell("failed", "one game", error="x")
    failures.tell("failed", "another game", error="y")
    now[0] = QUIET_SECONDS
    failures.tell("failed", "one game", error="z")
    for number in range(2 * KINDS):
        failures.tell("failed", str(number))
    assert log.lines[:3] == [
        ("failed", {"error": "x"}),
        ("failed", {"error": "y"}),
        ("failed", {"error": "z", "left_out": 4}),
    ]
    failures.tell("failed", "one game", error="forgotten")
    assert log.lines[-1] == ("failed", {"error": "forgotten"})
