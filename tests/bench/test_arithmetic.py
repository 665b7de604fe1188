"""The arithmetic of the benchmarks; nothing here takes the time of anything."""

import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.__main__ import MODULES, PARTS, chosen_parts
from bench.machine import describe, headline
from bench.report import HEAD, Growth, Line, Report, compare, drift, growth_table, read, table, write
from bench.rounds import interleave, ratios, spread
from bench.web import stored_bytes

BENCHMARKS = Path(__file__).parents[2] / "BENCHMARKS.md"


def line(name: str = "moves", ours: float = 90.0, at_least: float | None = None) -> Line:
    return compare("store", name, "moves/s", [ours] * 5, beside="commits", theirs=[100.0] * 5, at_least=at_least)


def report(*lines: Line, growth: tuple[Growth, ...] = ()) -> Report:
    return Report("2026-01-31T18:00:00+00:00", 1.5, describe(), lines, growth)


def test_a_spread_is_the_middle_and_both_ends() -> None:
    found = spread([5.0, 1.0, 2.0, 9.0, 3.0])
    assert (found.median, found.lowest, found.highest) == (3.0, 1.0, 9.0)


def test_ratios_are_taken_round_by_round() -> None:
    assert ratios([10.0, 30.0], [20.0, 10.0]) == [0.5, 3.0]


def test_the_ratio_is_the_median_of_the_rounds_and_not_the_ratio_of_the_medians() -> None:
    found = compare("x", "y", "1/s", [1.0, 10.0, 100.0], beside="z", theirs=[100.0, 10.0, 2.0])
    assert found.ours == found.theirs == 10.0
    assert (found.ratio.median, found.ratio.lowest, found.ratio.highest) == (1.0, 0.01, 50.0)


def test_every_second_round_goes_the_other_way_round() -> None:
    calls: list[tuple[str, int]] = []

    def subject(name: str) -> float:
        calls.append((name, len(calls)))
        return float(len(calls))

    first, second = interleave("test", lambda _: subject("a"), lambda _: subject("b"), rounds=3, warm_up=1)
    assert [name for name, _ in calls] == ["b", "a", "a", "b", "b", "a", "a", "b"]
    assert first == [3.0, 6.0, 7.0], "the warm-up is thrown away"
    assert second == [4.0, 5.0, 8.0]


def test_a_subject_learns_the_number_of_the_round() -> None:
    (numbers,) = interleave("test", float, rounds=3, warm_up=2)
    assert numbers == [2.0, 3.0, 4.0]


@pytest.mark.parametrize(("at_least", "met"), [(None, None), (0.9, True), (0.91, False)])
def test_a_target_is_met_by_the_median(at_least: float | None, met: bool | None) -> None:
    assert line(at_least=at_least).met is met


def test_a_target_may_be_a_limit() -> None:
    found = compare("http", "p99", "ms", [4.0], beside="p50", theirs=[1.0], at_most=5.0)
    assert found.met is True


def test_the_table_says_what_is_missed() -> None:
    told = table([line(at_least=0.95), line("views", at_least=0.5), line("reads")]).splitlines()
    assert [cell.strip() for cell in told[0].split("|")[1:-1]] == list(HEAD)
    assert set(told[1]) == set("| -:")
    assert [cell.strip() for cell in told[2].split("|")[1:-1]] == [
        *("store", "moves", "90 moves/s", "commits", "100", "0.90", "0.90-0.90", ">= 0.95", "NO"),
    ]
    assert told[3].endswith("|  >= 0.5 | yes |")
    assert told[4].endswith("|         |     |")
    assert len({len(text) for text in told}) == 1, "aligned"


def test_a_growth_has_a_column_for_each_size() -> None:
    told = growth_table(
        [Growth("move", "events", {10: 98.7, 1000: 101.2}), Growth("list", "games", {1000: 5.4321})]
    ).splitlines()
    assert told[0] == "| microseconds, by events |   10 | 1,000 |"
    assert told[2] == "| move                    | 98.7 |   101 |"
    assert told[6] == "| list                   |  5.43 |"


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    kept = report(line(), growth=(Growth("move", "events", {10: 1.0}),))
    write(kept, tmp_path / "results" / "latest.json")
    assert read(tmp_path / "results" / "latest.json") == kept


def test_a_report_that_is_not_there_or_damaged_is_none(tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_text("{")
    assert read(tmp_path / "damaged.json") is None
    assert read(tmp_path / "missing.json") is None


def test_two_runs_are_compared_by_their_ratios() -> None:
    before = report(line("moves", 100.0), line("views", 50.0))
    changed = drift(before, report(line("moves", 110.0), line("views", 40.0)))
    assert changed is not None
    assert changed[0] == pytest.approx(0.2)
    assert changed[1] == "store, views"
    assert drift(before, report(line("other", 1.0))) is None


def test_parts_run_in_their_order_and_all_if_none_is_named() -> None:
    assert chosen_parts("") == PARTS
    assert chosen_parts("http, engine") == ("engine", "http")
    with pytest.raises(SystemExit, match="no part engines"):
        chosen_parts("engines")


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_a_module_and_is_listed(part: str) -> None:
    assert find_spec(f"bench.{MODULES.get(part, part)}") is not None
    (listed,) = (line for line in BENCHMARKS.read_text(encoding="utf-8").splitlines() if "a part: " in line)
    assert part in listed.partition("a part: ")[2].split(", ")


def test_free_pages_of_a_database_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE stored_events (state BLOB)")
        connection.executemany("INSERT INTO stored_events VALUES (?)", [(bytes(10_000),), (bytes(90_000),)])
        connection.execute("DELETE FROM stored_events WHERE LENGTH(state) > 10000")
        connection.commit()
    found = stored_bytes(path)
    assert found.events == 10_000
    assert 10_000 < found.size < 40_000


def test_the_machine_is_described() -> None:
    machine = describe()
    assert machine.cores >= 1
    assert machine.python in headline(machine)
