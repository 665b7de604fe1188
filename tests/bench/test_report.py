"""Rounds, comparisons and the report of the benchmarks, without any measurement."""

from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from bench.__main__ import PARTS, chosen_parts
from bench.report import HEAD, Comparison, Report, describe_machine, headline, percentile, table, write
from bench.rounds import interleave

BENCHMARKS = Path(__file__).parents[2] / "BENCHMARKS.md"


def line(name: str = "moves", at_least: float | None = None) -> Comparison:
    return Comparison(name, "moves/s", [90.0] * 5, "commits", [100.0] * 5, at_least=at_least)


def test_the_ratio_is_the_median_of_the_rounds_and_not_the_ratio_of_the_medians() -> None:
    found = Comparison("y", "1/s", [1.0, 10.0, 100.0], "z", [100.0, 10.0, 2.0])
    assert found.ratios == [0.01, 1.0, 50.0]
    assert table({"x": [found]}).splitlines()[2] == "| x | y | 10 1/s | z | 10 | 1.00 | 0.01-50.00 |  |  |"


def test_every_second_round_reverses_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.rounds.ROUNDS", 3)
    calls: list[str] = []

    def subject(name: str, number: int) -> str:
        calls.append(name)
        return f"{name}{number}"

    first, second = interleave("test", lambda number: subject("a", number), lambda number: subject("b", number))
    assert calls == ["b", "a", "a", "b", "b", "a", "a", "b"]
    assert first == ["a1", "a2", "a3"], "the warm-up, round 0, does not count"
    assert second == ["b1", "b2", "b3"]


@pytest.mark.parametrize(("at_least", "met"), [(None, None), (0.9, True), (0.91, False)])
def test_a_target_is_met_by_the_median(at_least: float | None, met: bool | None) -> None:
    assert line(at_least=at_least).met is met


def test_a_target_can_be_an_upper_limit() -> None:
    assert Comparison("p99", "ms", [4.0], "p50", [1.0], at_most=5).met is True
    assert Comparison("p99", "ms", [4.0], "p50", [1.0], at_most=3).met is False


def test_the_table_marks_missed_targets() -> None:
    head, rule, *rows = table({"store": [line(at_least=0.95)], "http": [line("views", 0.5)]}).splitlines()
    assert head == f"| {' | '.join(HEAD)} |"
    assert rule.count("---") == len(HEAD)
    assert rows == [
        "| store | moves | 90 moves/s | commits | 100 | 0.90 | 0.90-0.90 | >= 0.95 | NO |",
        "| http | views | 90 moves/s | commits | 100 | 0.90 | 0.90-0.90 | >= 0.5 | yes |",
    ]


def test_the_table_of_the_page_has_the_printed_form() -> None:
    assert f"| {' | '.join(HEAD)} |" in BENCHMARKS.read_text(encoding="utf-8").splitlines()


def test_a_percentile_is_a_measured_value() -> None:
    times = [float(number) for number in range(100, 0, -1)]
    assert percentile(times, 0.5) == 50.0
    assert percentile(times, 0.99) == 99.0
    assert percentile(times, 1.0) == 100.0
    assert percentile([7.0], 0.5) == percentile([7.0], 0.99) == 7.0
    assert percentile([1.0, 2.0, 3.0], 0.99) == 3.0


def test_a_report_is_stored_with_the_figures_of_every_round(tmp_path: Path) -> None:
    report = Report("2026-01-31T18:00:00+00:00", describe_machine(), {"store": [line()]})
    write(report, tmp_path / "results" / "latest.json")
    stored = (tmp_path / "results" / "latest.json").read_bytes()
    assert msgspec.json.decode(stored, type=Report) == report


def test_the_machine_is_described() -> None:
    machine = describe_machine()
    assert machine.cores >= 1
    assert machine.packages["litestar"]
    assert machine.python in headline(machine)


def test_parts_run_in_order_and_all_by_default() -> None:
    assert chosen_parts("") == list(PARTS)
    assert chosen_parts("http, engine") == ["engine", "http"]
    with pytest.raises(SystemExit, match="Unknown part: engines"):
        chosen_parts("engines")


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_a_function_and_is_listed(part: str) -> None:
    module = find_spec(f"bench.{PARTS[part]}")
    assert module is not None
    assert module.origin is not None
    assert f"def measure_{part}() ->" in Path(module.origin).read_text(encoding="utf-8")
    (listed,) = (line for line in BENCHMARKS.read_text(encoding="utf-8").splitlines() if "a part: " in line)
    assert part in listed.partition("a part: ")[2].split(", ")
