"""The length of the random tests."""

import os


def soak_factor() -> int:
    """Return the factor for the length of random tests: 1, or the number in the variable SOAK."""
    return int(os.environ.get("SOAK", "1"))
