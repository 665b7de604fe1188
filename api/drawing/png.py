"""Asking for PNG images."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 30.0
"""Seconds after which a process that draws is killed; it takes about one."""


def draw_png(svg: bytes, width: int) -> bytes:
    """Return an SVG image as PNG of a width.

    A process of its own draws it: resvg keeps the lock of the interpreter for as long as it draws, and from any thread
    would stop the event loop. Its group is its own, so that Ctrl-C ends the server alone, which finishes the image.
    """
    command = sys.executable, "-m", "api.drawing.resvg", str(width)
    done = subprocess.run(  # noqa: S603
        command, input=svg, stdout=subprocess.PIPE, cwd=ROOT, timeout=LONGEST, check=True, process_group=0
    )
    return done.stdout
