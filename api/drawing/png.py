"""Requests for PNG images."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 30.0
"""The seconds after which a drawing process is killed; it takes about one."""


def draw_png(svg: bytes, width: int) -> bytes:
    """Convert an SVG image to a PNG image of a width.

    A separate process draws it, since resvg holds the interpreter lock and would block the event loop. The process has
    its own group, so that Ctrl+C stops only the server, which finishes the image.
    """
    command = sys.executable, "-m", "api.drawing.resvg", str(width)
    done = subprocess.run(  # noqa: S603
        command, input=svg, stdout=subprocess.PIPE, cwd=ROOT, timeout=LONGEST, check=True, process_group=0
    )
    return done.stdout
