"""The colours of pictures: contrast by WCAG 2, and differences that colour-blind people see."""

import re
from itertools import combinations
from math import dist

import pytest

from domain.boards import load_board
from projections.pictures.themes import PIECES, THEMES, Theme, region_fill

USA = load_board("usa-1960s")
Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

SIGHTS: dict[str, Matrix] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Linear RGB as seen without one kind of cone (Machado, Oliveira and Fernandes, 2009, severity 1)."""

TO_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE: Vector = (0.95047, 1.0, 1.08883)


def linear(colour: str) -> Vector:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in bytes.fromhex(colour[1:]))
    )
    return red, green, blue


def times(matrix: Matrix, vector: Vector) -> Vector:
    x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio by WCAG 2."""
    dark, light = sorted(times(TO_XYZ, linear(colour))[1] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, sight: Matrix) -> Vector:
    """Return a colour in CIELAB as seen."""
    seen = times(sight, linear(colour))
    red, green, blue = (min(max(part, 0.0), 1.0) for part in seen)
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (a / b for a, b in zip(times(TO_XYZ, (red, green, blue)), WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: str, other: str, sight: Matrix) -> float:
    """Return the colour difference CIE76; it is visible from about 2 on."""
    return dist(lab(one, sight), lab(other, sight))


def corners(area: str) -> list[tuple[int, int]]:
    numbers = [int(number) for number in re.findall(r"-?\d+", area)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def neighbours() -> set[tuple[str, str]]:
    """Return the pairs of adjacent regions."""
    return {
        (one.id, other.id)
        for one, other in combinations(USA.regions, 2)
        if min(dist(a, b) for a in corners(one.area) for b in corners(other.area)) < 40
    }


@pytest.mark.parametrize("sight", SIGHTS)
def test_pieces_are_distinguishable(sight: str) -> None:
    for one, other in combinations(PIECES.values(), 2):
        assert difference(one.fill, other.fill, SIGHTS[sight]) > 30, (one, other)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("name", THEMES)
def test_regions_are_distinguishable(name: str, sight: str) -> None:
    theme, adjacent = next(theme for each, theme in THEMES.items() if each == name), neighbours()
    assert len(adjacent) > 15
    fills = {region.id: region_fill(theme, region.colour) for region in USA.regions}
    for one, other in combinations(fills, 2):
        least = 10 if (one, other) in adjacent else 5
        assert difference(fills[one], fills[other], SIGHTS[sight]) >= least, (one, other)


def test_letters_on_pieces_are_readable() -> None:
    for colours in PIECES.values():
        assert contrast(colours.letter, colours.fill) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_pieces_stand_out_from_the_background(theme: Theme) -> None:
    around = [theme.paper, theme.scored, theme.sea, theme.closed, *fills_of(theme)]
    for ground in around:
        for colours in PIECES.values():
            assert max(contrast(colours.fill, ground), contrast(theme.outline, ground)) >= 3, (colours, ground)


def fills_of(theme: Theme) -> list[str]:
    return [region_fill(theme, region.colour) for region in USA.regions]


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_texts_are_readable(theme: Theme) -> None:
    for ground in (theme.paper, theme.scored, theme.sea, theme.closed, *fills_of(theme)):
        assert contrast(theme.ink, ground) >= 4.5, ground
    for ground in (theme.paper, theme.sea, theme.closed):
        assert contrast(theme.muted, ground) >= 4.5, ground
    assert contrast(theme.alarm, theme.sea) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_lines_and_spaces_are_visible(theme: Theme) -> None:
    for ground in (theme.sea, theme.closed, *fills_of(theme)):
        assert contrast(theme.line, ground) >= 3, ground
        assert contrast(theme.outline, ground) >= 3, ground
    assert contrast(theme.slot, theme.paper) >= 3
    assert contrast(theme.boom, theme.paper) >= 3
    assert contrast(theme.alarm, theme.paper) >= 3
