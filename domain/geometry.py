"""Positions on the map in map units: x to the right, y downwards."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

TextAnchor = Annotated[
    Literal["start", "middle", "end"], Meta(description="Which part of the name is at `x`, as in SVG's `text-anchor`.")
]

ViewBox = tuple[int, int, int, int]
"""Left, top, width and height, as in SVG's ``viewBox``."""

_PATH = re.compile(r"M(-?\d+ -?\d+)(?:L|Q-?\d+ -?\d+ |C-?\d+ -?\d+ -?\d+ -?\d+ )(-?\d+ -?\d+)").fullmatch


class Point(msgspec.Struct, frozen=True):
    """A position on the map."""

    x: Annotated[int, Meta(description="The x coordinate, in map units.")]
    y: Annotated[int, Meta(description="The y coordinate, in map units, downwards.")]


class NamePosition(Point, frozen=True):
    """The position of the baseline of a place's name."""

    anchor: TextAnchor


def holds(view_box: ViewBox, point: Point) -> bool:
    """Return whether a view box contains a point."""
    x, y, width, height = view_box
    return 0 <= point.x - x <= width and 0 <= point.y - y <= height


def path_ends(path: str) -> tuple[str, str] | None:
    """Return the two ends of an SVG path with one line or curve; None for any other path."""
    found = _PATH(path)
    return (found[1], found[2]) if found else None
