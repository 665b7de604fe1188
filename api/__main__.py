"""``python -m api``: serve games and maintain them."""

import sys
from contextlib import suppress
from signal import SIGINT

if __name__ == "__main__":
    try:
        from api.cli import main

        status = main()
    except KeyboardInterrupt:
        status = 128 + SIGINT
    with suppress(OSError):
        sys.stdout.close()  # else the interpreter retries a failed write
    sys.exit(status)
