"""The colours of pictures in a light and a dark theme.

The colours of seats and regions can be told apart with red, green and blue colour blindness.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.field_types import Colour

ThemeName = Annotated[Literal["light", "dark"], Meta(description="Dark on light (`light`), or light on dark (`dark`).")]


class Theme(msgspec.Struct, frozen=True):
    """The colours of a picture: surfaces, lines and texts.

    ``strength`` is the share of a region's colour when it is mixed with ``ground``.
    """

    sea: str
    paper: str
    scored: str
    ink: str
    muted: str
    line: str
    slot: str
    outline: str
    closed: str
    alarm: str
    boom: str
    ground: str
    strength: float


THEMES: Mapping[ThemeName, Theme] = {
    "light": Theme(
        sea="#e4ebf0",
        paper="#ffffff",
        scored="#d5dbe0",
        ink="#182026",
        muted="#4a555e",
        line="#56626c",
        slot="#7a858e",
        outline="#20282e",
        closed="#d3d8dc",
        alarm="#b3261e",
        boom="#8a1c7c",
        ground="#ffffff",
        strength=0.48,
    ),
    "dark": Theme(
        sea="#12181d",
        paper="#1d252c",
        scored="#3a444d",
        ink="#f1f4f6",
        muted="#b4bfc8",
        line="#aab5be",
        slot="#7f8b95",
        outline="#eef2f5",
        closed="#262d33",
        alarm="#ff8a80",
        boom="#f2a6e8",
        ground="#0f1418",
        strength=0.5,
    ),
}


class PieceColours(msgspec.Struct, frozen=True):
    """The colours of a player's pieces and of the letters on them."""

    fill: str
    letter: str


PIECES: Mapping[Colour, PieceColours] = {
    "blue": PieceColours("#1f66b8", "#ffffff"),
    "red": PieceColours("#c4242c", "#ffffff"),
    "orange": PieceColours("#f59a23", "#16181b"),
    "black": PieceColours("#16181b", "#ffffff"),
    "beige": PieceColours("#f0dcae", "#16181b"),
}


@cache
def region_fill(theme: Theme, colour: str) -> str:
    """Return the colour of a region's area: its colour, mixed with the ground of the theme."""
    parts = zip(_channels(colour), _channels(theme.ground), strict=True)
    mixed = (round(own * theme.strength + ground * (1 - theme.strength)) for own, ground in parts)
    return f"#{''.join(f'{channel:02x}' for channel in mixed)}"


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue
