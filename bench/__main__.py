"""``python -m bench``: measure all parts or those in ONLY, print a table, and write JSON to ``bench/results``."""

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
    "data": "data",
}
"""The module of each part; its function ``measure_<part>`` measures the part."""


def main() -> None:
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
    """Return the named parts in their usual order, by default all of them."""
    named = {name.strip() for name in only.split(",")} - {""}
    if unknown := named - set(PARTS):
        sys.exit(f"Unknown part: {', '.join(sorted(unknown))}. Use ONLY with some of: {', '.join(PARTS)}.")
    return [part for part in PARTS if part in named or not named]


def measure_function(part: str) -> Callable[[], Iterator[Comparison]]:
    """Import the module of a part only when it is measured, since it may need packages of its own."""
    measure: Callable[[], Iterator[Comparison]] = getattr(import_module(f"bench.{PARTS[part]}"), f"measure_{part}")
    return measure


if __name__ == "__main__":
    main()
