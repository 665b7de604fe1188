"""Rounds: subjects are measured in turns, so that noise affects all of them equally."""

import gc
import sys
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

ROUNDS = 7
"""An odd number, so that the median is a measured value, and at least five."""

ROUND_SECONDS = 2.0
"""The time limit of a subject in a round, for example on a slow disk."""

_BEGAN = time.monotonic()


def interleave(what: str, *subjects: Callable[[int], T]) -> list[list[T]]:
    """Return the results of each subject by round, without the warm-up round 0.

    The order is reversed in every second round, so that a drift of the machine favours no subject.
    """
    report_progress(what)
    results: list[list[T]] = [[] for _ in subjects]
    for number in range(ROUNDS + 1):
        turns = list(enumerate(subjects))
        for index, subject in turns if number % 2 else reversed(turns):
            gc.collect()
            result = subject(number)
            if number:
                results[index].append(result)
    return results


def report_progress(what: str) -> None:
    """Print the current measurement to standard error; standard output has only the table."""
    seconds = int(time.monotonic() - _BEGAN)
    print(f"[{seconds // 60}:{seconds % 60:02}] {what}", file=sys.stderr, flush=True)
