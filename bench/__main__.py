"""Measure everything, or the parts named in ONLY: one table on the output, JSON in ``bench/results``."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.machine import describe, headline
from bench.progress import tell
from bench.report import Found, Growth, Line, Report, drift, growth_table, read, table, write

PARTS = ("engine", "store", "http", "memory", "growth")
MODULES = {"http": "web"}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run what is asked for."""
    parts = chosen(os.environ.get("ONLY", ""))
    machine, began = describe(), time.perf_counter()
    tell(headline(machine))
    found = [one for part in parts for one in _measure(part)]
    report = Report(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.perf_counter() - began, 1),
        machine=machine,
        lines=tuple(one for one in found if isinstance(one, Line)),
        growth=tuple(one for one in found if isinstance(one, Growth)),
    )
    path = RESULTS / f"{'latest' if parts == PARTS else '-'.join(parts)}.json"
    before = read(path)
    write(report, path)
    for text in _told(report, before, path):
        print(text)


def chosen(only: str) -> tuple[str, ...]:
    """The parts that are asked for, in their usual order; all, if none is named."""
    named = {name.strip() for name in only.split(",")} - {""}
    unknown = named - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. There are: {', '.join(PARTS)}.")
    return tuple(part for part in PARTS if part in named or not named)


def _measure(part: str) -> list[Found]:
    measure: Callable[[], Iterator[Found]] = import_module(f"bench.{MODULES.get(part, part)}").measure
    return list(measure())


def _told(report: Report, before: Report | None, path: Path) -> Iterator[str]:
    yield f"{report.date}  {headline(report.machine)}\n"
    if report.lines:
        yield table(report.lines) + "\n"
    if report.growth:
        yield growth_table(report.growth) + "\n"
    yield f"{report.seconds:.0f} s; ratio: median of the rounds, spread: lowest and highest; written to {path}"
    changed = drift(before, report) if before else None
    if before and changed:
        yield f"Against the run of {before.date} the ratios differ by at most {changed[0]:.0%} ({changed[1]})."


if __name__ == "__main__":
    main()
