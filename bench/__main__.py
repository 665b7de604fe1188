"""``python -m bench``: measure all parts or those in ONLY, print the table and write JSON to ``bench/results``."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module

from bench.report import Comparison, Report, describe_machine, headline, table, write
from bench.servers import RESULTS

PARTS = {
    "engine": "engine",
    "store": "store",
    "http": "http",
    "release": "pairs",
    "pictures": "page",
    "page": "page",
    "live": "live",
    "crowd": "pairs",
    "bots": "bots",
    "memory": "store",
    "growth": "http",
}
"""The module of each part, in which ``measure_<part>`` measures it."""


def main() -> None:
    """Measure the chosen parts, then print and store the report."""
    parts = chosen_parts(os.environ.get("ONLY", ""))
    machine, began = describe_machine(), time.perf_counter()
    report = Report(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine,
        lines={part: list(measure_function(part)()) for part in parts},
    )
    path = RESULTS / f"{'latest' if len(parts) == len(PARTS) else '-'.join(parts)}.json"
    write(report, path)
    print(f"{report.date}  {headline(machine)}\n\n{table(report.lines)}\n")
    print(f"{time.perf_counter() - began:.0f} s; written to {path}")


def chosen_parts(only: str) -> list[str]:
    """Return the parts that are named, in their usual order; all of them if none is named."""
    named = {name.strip() for name in only.split(",")} - {""}
    if unknown := named - set(PARTS):
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. There are: {', '.join(PARTS)}.")
    return [part for part in PARTS if part in named or not named]


def measure_function(part: str) -> Callable[[], Iterator[Comparison]]:
    """Import the module of a part, which may need packages that other parts do not need."""
    measure: Callable[[], Iterator[Comparison]] = getattr(import_module(f"bench.{PARTS[part]}"), f"measure_{part}")
    return measure


if __name__ == "__main__":
    main()
