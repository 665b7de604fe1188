"""How the process that serves treats the garbage collector."""

import gc


def seldom_look() -> None:
    """Have it seldom look through everything: what is loaded stays, and games that are held have hardly a cycle.

    Each look would stop the server for moments, longer ones the more games are held.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 1_000)
