"""``python -m api``: serve games, or look after them."""

import sys

from api.cli import main

if __name__ == "__main__":
    sys.exit(main())
