"""The pieces of players: franchises, and the markers and unopened franchises of the turn."""

from functools import cache
from math import cos, pi, sin, sqrt

from projections.pictures.svg import SIZE, centred, element, group
from projections.pictures.themes import PIECES, PieceColours, Theme
from projections.scores import PlayerScore

Pieces = tuple[PieceColours, ...]
"""The colours of the pieces by seat."""

CITY_RADIUS = 28
TOWN_RADIUS = 12
_LARGEST = 9


def pieces_of(players: tuple[PlayerScore, ...]) -> Pieces:
    return tuple(PIECES[player.colour] for player in players)


def seat_letter(seat: int) -> str:
    return "ABCDE"[seat]


@cache
def ring(spaces: int) -> tuple[float, tuple[tuple[float, float], ...]]:
    """Return the radius of a space, and the positions of all spaces around a city, from the top clockwise (R1.3)."""
    half_angle = sin(pi / spaces)
    radius = min(_LARGEST, (CITY_RADIUS * half_angle - 0.25) / (1 + half_angle))
    middle = CITY_RADIUS - radius
    angles = [2 * pi * space / spaces for space in range(spaces)]
    return radius, tuple((middle * sin(angle), -middle * cos(angle)) for angle in angles)


@cache
def franchise(theme: Theme, pieces: Pieces, seat: int, x: float, y: float, radius: float) -> str:
    """Draw a franchise: a disc with the letter of its seat."""
    disc = element("circle", cx=x, cy=y, r=radius, fill=pieces[seat].fill, stroke=theme.outline)
    return _piece("franchise", pieces, seat, disc, x, y)


@cache
def marker(theme: Theme, pieces: Pieces, seat: int, x: float, y: float, radius: float) -> str:
    """Draw an expansion marker (R4.2): a square on its corner."""
    half = radius * sqrt(1.6)
    corners = f"M{x:g} {y - half:.1f}l{half:.1f} {half:.1f}l-{half:.1f} {half:.1f}l-{half:.1f} -{half:.1f}z"
    return _piece(
        "marker",
        pieces,
        seat,
        element("path", d=corners, fill=pieces[seat].fill, stroke=theme.outline),
        x,
        y,
    )


@cache
def centre(theme: Theme, pieces: Pieces, seat: int, x: float, y: float, radius: float) -> str:
    """Draw a franchise in the centre of a city (R5.1): a square, on the space where it will open."""
    side = radius * 1.6
    square = element(
        "rect",
        x=x - side / 2,
        y=y - side / 2,
        width=side,
        height=side,
        rx=2,
        fill=pieces[seat].fill,
        stroke=theme.outline,
        stroke_dasharray="2 1.5",
    )
    return _piece("centre", pieces, seat, square, x, y)


def _piece(class_: str, pieces: Pieces, seat: int, shape: str, x: float, y: float) -> str:
    letter = centred(seat_letter(seat), x, y, SIZE, fill=pieces[seat].letter, font_weight=700)
    return group(f"{class_} seat-{seat}", shape, letter, data_seat=seat)
