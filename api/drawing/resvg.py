"""The program of a process that draws an image: SVG from its input, PNG to its output."""

import sys
from importlib.resources import files

from resvg_py import svg_to_bytes

_FONTS = files("ttf_opensans") / "ttf"
FONT_FILES = [str(_FONTS / f"OpenSans-{weight}.ttf") for weight in ("Regular", "SemiBold", "Bold")]
"""The fonts of all texts; those of the machine are not looked for, which takes long and differs between machines."""


def draw(svg: str, width: int, font_files: list[str]) -> bytes:
    """Return an SVG image as PNG of a width, its texts in these fonts; texts in no font are left out."""
    return svg_to_bytes(svg_string=svg, width=width, font_files=font_files, skip_system_fonts=True)


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(sys.stdin.buffer.read().decode(), int(sys.argv[1]), FONT_FILES))
