"""The program of a drawing process: SVG from standard input, PNG to standard output."""

import sys
from importlib.resources import files

from resvg_py import svg_to_bytes

_FONTS = files("ttf_opensans") / "ttf"
FONT_FILES = [str(_FONTS / f"OpenSans-{weight}.ttf") for weight in ("Regular", "SemiBold", "Bold")]
"""The fonts of all texts; system fonts are slow to find and differ between machines."""


def draw(svg: str, width: int, font_files: list[str]) -> bytes:
    """Convert an SVG image to PNG; characters in none of the fonts are left out."""
    return svg_to_bytes(svg_string=svg, width=width, font_files=font_files, skip_system_fonts=True)


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(sys.stdin.buffer.read().decode(), int(sys.argv[1]), FONT_FILES))
