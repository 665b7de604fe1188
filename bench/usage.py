"""The processor time and the memory that other processes use, where /proc tells it."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

PROC = Path("/proc")


class Usage(msgspec.Struct, frozen=True):
    """The processor seconds that processes have used so far, and the bytes that they have in memory."""

    seconds: float
    resident: int


def usage_of(pid: int, proc: Path = PROC) -> Usage | None:
    """Return the usage of a process and of those that it has started; None where nobody tells it."""
    stats = dict(_stats(proc))
    family = {pid}
    while found := {child for child, fields in stats.items() if int(fields[1]) in family} - family:
        family |= found
    if pid not in stats:
        return None
    ticks = sum(int(stats[member][11]) + int(stats[member][12]) for member in family)
    pages = sum(int(stats[member][21]) for member in family)
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))


def _stats(proc: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each process after its name, which may have spaces."""
    for path in proc.glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        yield int(path.parent.name), text.rpartition(")")[2].split()
