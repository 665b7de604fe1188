"""The report of a run: a table and JSON, with the machine that the figures depend on."""

import os
import platform
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import msgspec

PACKAGES = ("catanatron", "chess", "eventsourcing", "granian", "litestar", "msgspec", "psycopg", "uvicorn", "uvloop")
HEAD = ("part", "figure", "ours", "compared with", "theirs", "ratio", "spread", "target", "met")


class Comparison(msgspec.Struct, frozen=True):
    """A comparison: our figure and the other one of each round, and the target of their ratio."""

    name: str
    unit: str
    ours: Sequence[float]
    other: str
    theirs: Sequence[float]
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ratios(self) -> list[float]:
        """Our figure divided by the other one, in each round."""
        return [mine / other for mine, other in zip(self.ours, self.theirs, strict=True)]

    @property
    def met(self) -> bool | None:
        """True if the median ratio meets the target, None without a target."""
        if self.at_least is not None:
            return median(self.ratios) >= self.at_least
        return None if self.at_most is None else median(self.ratios) <= self.at_most


class Machine(msgspec.Struct, frozen=True):
    """The hardware and the versions of a run."""

    cpu: str
    cores: int
    memory_gib: float
    system: str
    python: str
    sqlite: str
    packages: dict[str, str]
    commit: str
    load: float
    """The load average of the minute before; above 0.5, other programs were busy."""


class Report(msgspec.Struct, frozen=True):
    """All comparisons of a run by part."""

    date: str
    machine: Machine
    lines: dict[str, list[Comparison]]


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")


def percentile(values: Sequence[float], fraction: float) -> float:
    """Return the smallest value that is at least as large as this fraction of all values."""
    ordered = sorted(values)
    return ordered[max(0, -(-round(len(ordered) * fraction * 1000) // 1000) - 1)]


# --- the table -------------------------------------------------------------------------------------------------


def table(lines: Mapping[str, Sequence[Comparison]]) -> str:
    """Return all comparisons as a Markdown table."""
    rows = [HEAD, ("---",) * len(HEAD), *(_cells(part, line) for part in lines for line in lines[part])]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(part: str, line: Comparison) -> tuple[str, ...]:
    return (
        part,
        line.name,
        f"{_number(median(line.ours))} {line.unit}",
        line.other,
        _number(median(line.theirs)),
        f"{median(line.ratios):.2f}",
        f"{min(line.ratios):.2f}-{max(line.ratios):.2f}",
        _target(line),
        {True: "yes", False: "NO", None: ""}[line.met],
    )


def _target(line: Comparison) -> str:
    if line.at_least is not None:
        return f">= {line.at_least:g}"
    return "" if line.at_most is None else f"<= {line.at_most:g}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


# --- the machine -----------------------------------------------------------------------------------------------


def describe_machine() -> Machine:
    return Machine(
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sqlite=sqlite3.sqlite_version,
        packages=_versions(),
        commit=_commit(),
        load=round(os.getloadavg()[0], 2),
    )


def headline(machine: Machine) -> str:
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_gib:g} GiB, {machine.system}, {machine.python}, "
        f"SQLite {machine.sqlite}, load before {machine.load:g}"
    )


def _cpu() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
