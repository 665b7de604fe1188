"""Progress messages on the standard error; the standard output has only the tables."""

import sys
import time

_BEGAN = time.monotonic()


def report_progress(text: str) -> None:
    """Print a line of progress with the time since the start."""
    seconds = time.monotonic() - _BEGAN
    print(f"[{int(seconds // 60)}:{seconds % 60:04.1f}] {text}", file=sys.stderr, flush=True)
