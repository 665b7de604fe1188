"""The length of the random tests."""

import os


def soak_factor() -> int:
    """Return by how much the tries of random tests are multiplied: 1, or the number in the variable SOAK."""
    return int(os.environ.get("SOAK", "1"))
