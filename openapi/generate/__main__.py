"""``python -m openapi.generate [--check]``: write the published documents, or check that they are current."""

import sys
from collections.abc import Sequence

from openapi.generate import files


def main(arguments: Sequence[str]) -> int:
    """Write the documents; with ``--check``, print those that are outdated and return 1."""
    if "--check" not in arguments:
        files.write()
        return 0
    stale = [path.name for path, made in files.current_files() if not path.exists() or path.read_bytes() != made]
    if stale:
        sys.stderr.write(f"Outdated: {', '.join(stale)}\nRun `make openapi`.\n")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
