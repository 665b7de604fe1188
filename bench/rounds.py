"""Rounds: subjects are measured in turns, so that noise of the machine affects all of them."""

import gc
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import msgspec

from bench.progress import report_progress

ROUNDS = 7
"""An odd number, so that the median is a measured value; at least five."""

ROUND_SECONDS = 2.0
"""The seconds after which a subject ends its round even if its work is not done, as on a slow disk."""

Subject = Callable[[int], float]
"""A function that does the work of a round, given its number, and returns the figure to compare."""


class Spread(msgspec.Struct, frozen=True):
    """The median, the lowest and the highest of several values."""

    median: float
    lowest: float
    highest: float


def spread(values: Sequence[float]) -> Spread:
    """Return the spread of the values of several rounds."""
    return Spread(median(values), min(values), max(values))


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Divide our figure by theirs in each round."""
    return [mine / other for mine, other in zip(ours, theirs, strict=True)]


def interleave(what: str, *subjects: Subject, rounds: int = ROUNDS, warm_up: int = 1) -> list[list[float]]:
    """Return the figures of each subject by round, without the warm-up.

    Every second round runs the subjects in reverse order, so that a drift of the machine favours none of them.
    """
    figures: list[list[float]] = [[] for _ in subjects]
    for number in numbered_rounds(what, rounds, warm_up):
        for index in _order(len(subjects), number):
            gc.collect()
            figure = subjects[index](number + warm_up)
            if number >= 0:
                figures[index].append(figure)
    return figures


def numbered_rounds(what: str, rounds: int = ROUNDS, warm_up: int = 1) -> Iterator[int]:
    """Yield the numbers of the rounds and report progress; numbers below 0 are the warm-up."""
    for number in range(-warm_up, rounds):
        report_progress(f"{what}: " + (f"round {number + 1} of {rounds}" if number >= 0 else "warming up"))
        yield number


def _order(subjects: int, number: int) -> list[int]:
    return list(range(subjects)) if number % 2 == 0 else list(reversed(range(subjects)))
