"""Rounds: what is compared is measured in turns, so that a noisy moment of the machine meets both sides alike."""

import gc
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import msgspec

from bench.progress import tell

ROUNDS = 7
"""Odd, so that the median is one of the measured values; at least five."""

ENOUGH = 2.0
"""Seconds after which a subject may end its round, however little it has done: on a slow or busy disk."""

Subject = Callable[[int], float]
"""Does its work for the round of this number and gives a rate, or whatever figure is compared."""


class Spread(msgspec.Struct, frozen=True):
    """The middle of several values, and how far apart they lie."""

    median: float
    lowest: float
    highest: float


def spread(values: Sequence[float]) -> Spread:
    """The spread of the values of several rounds."""
    return Spread(median(values), min(values), max(values))


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Round by round, what we reach of what the other reaches."""
    return [mine / other for mine, other in zip(ours, theirs, strict=True)]


def interleave(what: str, *subjects: Subject, rounds: int = ROUNDS, warm_up: int = 1) -> list[list[float]]:
    """The figures of each subject, round by round; the warm-up is thrown away.

    Every second round goes the other way round: a drift of the machine then favours nobody.
    """
    figures: list[list[float]] = [[] for _ in subjects]
    for number in counted(what, rounds, warm_up):
        for which in _order(len(subjects), number):
            gc.collect()
            figure = subjects[which](number + warm_up)
            if number >= 0:
                figures[which].append(figure)
    return figures


def counted(what: str, rounds: int = ROUNDS, warm_up: int = 1) -> Iterator[int]:
    """The numbers of the rounds, told as they come; what is measured below 0 is the warm-up, to be thrown away."""
    for number in range(-warm_up, rounds):
        tell(f"{what}: " + (f"round {number + 1} of {rounds}" if number >= 0 else "warming up"))
        yield number


def _order(subjects: int, number: int) -> list[int]:
    return list(range(subjects)) if number % 2 == 0 else list(reversed(range(subjects)))
