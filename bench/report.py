"""The results of a run, as tables to read and as JSON to compare with."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.machine import Machine
from bench.rounds import Spread, ratios, spread


class Line(msgspec.Struct, frozen=True):
    """A comparison: our figure, the other one in the same rounds, and the target of the ratio.

    The ratio is the median of the ratios of the rounds, and so need not be the ratio of the two medians.
    """

    part: str
    name: str
    unit: str
    ours: float
    beside: str
    theirs: float
    ratio: Spread
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met, None without one."""
        if self.at_least is not None:
            return self.ratio.median >= self.at_least
        if self.at_most is not None:
            return self.ratio.median <= self.at_most
        return None


class Growth(msgspec.Struct, frozen=True):
    """The growth of a cost with a size: the median number of microseconds for each size."""

    name: str
    size: str
    costs: dict[int, float]


class Report(msgspec.Struct, frozen=True):
    """All results of a run."""

    date: str
    seconds: float
    machine: Machine
    lines: tuple[Line, ...] = ()
    growth: tuple[Growth, ...] = ()


Result = Line | Growth


def compare(
    part: str,
    name: str,
    unit: str,
    ours: Sequence[float],
    *,
    beside: str,
    theirs: Sequence[float],
    at_least: float | None = None,
    at_most: float | None = None,
) -> Line:
    """Return the comparison of the figures of several rounds."""
    ratio = spread(ratios(ours, theirs))
    return Line(part, name, unit, median(ours), beside, median(theirs), ratio, at_least, at_most)


# --- the tables ------------------------------------------------------------------------------------------------

HEAD = ("part", "figure", "ours", "compared with", "theirs", "ratio", "spread", "target", "met")


def table(lines: Sequence[Line]) -> str:
    """Return all comparisons as an aligned Markdown table."""
    return _aligned(HEAD, [_cells(line) for line in lines], numbers={2, 4, 5, 6, 7})


def growth_table(growth: Sequence[Growth]) -> str:
    """Return the costs by size as aligned Markdown tables."""
    return "\n\n".join(_growth_table(size, growth) for size in dict.fromkeys(one.size for one in growth))


def _growth_table(size: str, growth: Sequence[Growth]) -> str:
    of_size = [one for one in growth if one.size == size]
    sizes = sorted({number for one in of_size for number in one.costs})
    head = (f"microseconds, by {size}", *(f"{number:,}" for number in sizes))
    rows = [(one.name, *(_number(one.costs.get(number)) for number in sizes)) for one in of_size]
    return _aligned(head, rows, numbers=set(range(1, len(head))))


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.part,
        line.name,
        f"{_number(line.ours)} {line.unit}",
        line.beside,
        _number(line.theirs),
        _ratio(line.ratio.median),
        f"{_ratio(line.ratio.lowest)}-{_ratio(line.ratio.highest)}",
        _target(line),
        {True: "yes", False: "NO", None: ""}[line.met],
    )


def _target(line: Line) -> str:
    if line.at_least is not None:
        return f">= {line.at_least:g}"
    return "" if line.at_most is None else f"<= {line.at_most:g}"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _ratio(value: float) -> str:
    return f"{value:.2f}"


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: set[int]) -> str:
    widths = [max(3, *(len(row[column]) for row in (head, *rows))) for column in range(len(head))]
    pads: list[Callable[[str, int], str]] = [
        str.rjust if column in numbers else str.ljust for column in range(len(head))
    ]
    rule = [("-" * (width - 1) + ":") if column in numbers else "-" * width for column, width in enumerate(widths)]
    padded = [[pad(cell, width) for pad, cell, width in zip(pads, row, widths, strict=True)] for row in (head, *rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (padded[0], rule, *padded[1:]))


# --- reports on disk ------------------------------------------------------------------------------------------


def write(report: Report, path: Path) -> None:
    """Write a report as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")


def read(path: Path) -> Report | None:
    """Return the report of an earlier run, None if there is no readable one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Report)
    except (OSError, msgspec.DecodeError):
        return None


def drift(before: Report, now: Report) -> tuple[float, str] | None:
    """Return by what fraction a ratio differs most from the run before, and in which comparison."""
    earlier = {(line.part, line.name, line.beside): line.ratio.median for line in before.lines}
    changes = [
        (abs(line.ratio.median / earlier[key] - 1), f"{line.part}, {line.name}")
        for line in now.lines
        if (key := (line.part, line.name, line.beside)) in earlier
    ]
    return max(changes, default=None)
