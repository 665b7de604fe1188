"""What is being measured right now, on the error stream: the table alone goes to the output."""

import sys
import time

_BEGAN = time.monotonic()


def tell(what: str) -> None:
    """One line of progress, with the time since the beginning."""
    seconds = time.monotonic() - _BEGAN
    print(f"[{int(seconds // 60)}:{seconds % 60:04.1f}] {what}", file=sys.stderr, flush=True)
