"""The machine and the versions of packages with which figures were measured."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

PACKAGES = ("catanatron", "chess", "eventsourcing", "granian", "litestar", "msgspec", "psycopg", "uvicorn", "uvloop")


class Machine(msgspec.Struct, frozen=True):
    """The machine, the system and the versions that the figures depend on."""

    cpu: str
    cores: int
    memory_gib: float
    system: str
    python: str
    sqlite: str
    packages: dict[str, str]
    commit: str
    load: float
    """The load average of the last minute before the measurement; above 0.5 other programs were busy."""


def describe() -> Machine:
    """Return a description of this machine."""
    return Machine(
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sqlite=sqlite3.sqlite_version,
        packages={name: _version(name) for name in PACKAGES},
        commit=_commit(),
        load=round(os.getloadavg()[0], 2),
    )


def headline(machine: Machine) -> str:
    """Return the machine in one line."""
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_gib:g} GiB, {machine.system}, {machine.python}, "
        f"SQLite {machine.sqlite}, load before {machine.load:g}"
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
