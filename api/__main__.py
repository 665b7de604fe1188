"""``python -m api``: serve games, or look after them."""

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
        sys.stdout.close()  # or the interpreter would try again what could not be written
    sys.exit(status)
