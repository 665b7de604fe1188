"""Settings of the garbage collector for a process that serves."""

import gc


def tune() -> None:
    """Freeze start-up objects and make full collections rare.

    A full collection stops the server for moments, longer ones the more games are cached; cached games have hardly a
    reference cycle.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 1_000)
