"""Positions on the picture of a board, in its own units: x to the right, y downwards."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

TextAnchor = Annotated[
    Literal["start", "middle", "end"], Meta(description="The part of the name at `x`, as in SVG's `text-anchor`.")
]

ViewBox = tuple[int, int, int, int]
"""Left, top, width and height, as in SVG's ``viewBox``."""

_PATH = re.compile(r"M(-?\d+ -?\d+)(?:L|Q-?\d+ -?\d+ |C-?\d+ -?\d+ -?\d+ -?\d+ )(-?\d+ -?\d+)").fullmatch


class Point(msgspec.Struct, frozen=True):
    """A position on the picture of a board."""

    x: Annotated[int, Meta(description="From the left, in the map's own units.")]
    y: Annotated[int, Meta(description="From the top.")]


class NamePosition(Point, frozen=True):
    """The position of a name beside its place: of its baseline."""

    anchor: TextAnchor


def holds(view_box: ViewBox, point: Point) -> bool:
    """Return whether a point lies in a view box."""
    x, y, width, height = view_box
    return 0 <= point.x - x <= width and 0 <= point.y - y <= height


def path_ends(path: str) -> tuple[str, str] | None:
    """Return both ends of an SVG path of one line or curve, None if it is no such path."""
    found = _PATH(path)
    return (found[1], found[2]) if found else None
