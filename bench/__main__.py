"""``python -m bench``: measure all parts or those in ONLY, print tables and write JSON to ``bench/results``."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.machine import describe, headline
from bench.progress import report_progress
from bench.report import Growth, Line, Report, Result, drift, growth_table, read, table, write

PARTS = ("engine", "store", "http", "release", "pictures", "page", "live", "crowd", "bots", "memory", "growth")
MODULES = {"http": "web"}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Measure the chosen parts, then print and store the report."""
    parts = chosen_parts(os.environ.get("ONLY", ""))
    machine, began = describe(), time.perf_counter()
    report_progress(headline(machine))
    results = [result for part in parts for result in _measure(part)]
    report = Report(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.perf_counter() - began, 1),
        machine=machine,
        lines=tuple(result for result in results if isinstance(result, Line)),
        growth=tuple(result for result in results if isinstance(result, Growth)),
    )
    path = RESULTS / f"{'latest' if parts == PARTS else '-'.join(parts)}.json"
    before = read(path)
    write(report, path)
    for line in _output_lines(report, before, path):
        print(line)


def chosen_parts(only: str) -> tuple[str, ...]:
    """Return the parts that are named, in their usual order; all of them if none is named."""
    named = {name.strip() for name in only.split(",")} - {""}
    unknown = named - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. There are: {', '.join(PARTS)}.")
    return tuple(part for part in PARTS if part in named or not named)


def _measure(part: str) -> list[Result]:
    measure: Callable[[], Iterator[Result]] = import_module(f"bench.{MODULES.get(part, part)}").measure
    return list(measure())


def _output_lines(report: Report, before: Report | None, path: Path) -> Iterator[str]:
    yield f"{report.date}  {headline(report.machine)}\n"
    if report.lines:
        yield table(report.lines) + "\n"
    if report.growth:
        yield growth_table(report.growth) + "\n"
    yield f"{report.seconds:.0f} s; ratio: median of the rounds, spread: lowest and highest; written to {path}"
    change = drift(before, report) if before else None
    if before and change:
        yield f"Against the run of {before.date} the ratios differ by at most {change[0]:.0%} ({change[1]})."


if __name__ == "__main__":
    main()
