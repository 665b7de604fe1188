"""The server with a clock that is off by the seconds in a file, which a test may write at any time."""

import os
import sys
from pathlib import Path
from time import time_ns
from unittest.mock import patch

from api.cli import main

FILE = "SHIFT_FILE"
"""The variable with the path of the file."""


def shifted_time_ns() -> int:
    return time_ns() + 10**9 * int(Path(os.environ[FILE]).read_text(encoding="ascii"))


if __name__ in ("__main__", "__mp_main__"):  # the server and its workers
    patch("domain.store.commit.time_ns", shifted_time_ns).start()

if __name__ == "__main__":
    sys.exit(main())
