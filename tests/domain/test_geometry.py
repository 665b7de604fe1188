"""The geometry of the map: lines, prices, names and tiles have room and do not overlap."""

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from math import dist

import pytest

from domain.board import Link, Place
from tests.domain.positions import BOARD

CITY, TOWN = 28, 12
"""The radii of a city with its spaces and of a town."""
CLEAR = 7
"""The width of the ring around a place that shows a choice."""
PRICE = 9
"""The radius of a price."""
SIZE = 15
"""The size of texts; on average a letter is at most 0.6 times as wide, even in wide fonts."""
TILE = (66, 25, 39)
"""The width of a tile, and its heights without and with a caption below the values."""
TIE_BREAK = 22
"""The width of the tie-break marker at the right of a tile."""
SPACE = (66, 64)
"""The size of a space of the track."""

Circle = tuple[float, float, float]
Box = tuple[float, float, float, float]
PLACES = {place.id: place for place in BOARD.places}


def radius(place: Place) -> int:
    return CITY if place.kind == "city" else TOWN


def points_of(link: Link, steps: int = 200) -> Iterator[tuple[float, float]]:
    """Yield points on the line of a link, a Bezier curve of any degree."""
    numbers = [int(number) for number in re.findall(r"-?\d+", link.path)]
    control = list(zip(numbers[::2], numbers[1::2], strict=True))
    for step in range(steps + 1):
        part = step / steps
        points: list[tuple[float, float]] = [*control]
        while len(points) > 1:
            points = [(a + (c - a) * part, b + (d - b) * part) for (a, b), (c, d) in pairwise(points)]
        yield points[0]


def name_box(place: Place) -> Box:
    width = 0.6 * SIZE * len(place.name)
    left = place.label.x - {"start": 0, "middle": width / 2, "end": width}[place.label.anchor]
    return left, place.label.y - 0.76 * SIZE, left + width, place.label.y + 0.2 * SIZE


def tile_box(number: int) -> Box:
    at = BOARD.regions[number].tile_at
    width, height, captioned = TILE
    top = at.y - height / 2
    return at.x - width / 2, top, at.x + width / 2 + TIE_BREAK, top + captioned


def region_name_box(number: int) -> Box:
    region = BOARD.regions[number]
    width = 0.74 * SIZE * len(region.name)
    return region.label.x - width / 2, region.label.y - 12, region.label.x + width / 2, region.label.y + 2


PRICES: dict[str, Circle] = {"-".join(link.between): (link.label.x, link.label.y, PRICE) for link in BOARD.links}
DISCS: dict[str, Circle] = {place.id: (place.x, place.y, radius(place)) for place in BOARD.places}
RINGS: dict[str, Circle] = {place: (x, y, reach + CLEAR) for place, (x, y, reach) in DISCS.items()}
TRACK: dict[str, Box] = {
    f"space {number}": (at.x - SPACE[0] / 2, at.y - SPACE[1] / 2, at.x + SPACE[0] / 2, at.y + SPACE[1] / 2)
    for number, at in enumerate(BOARD.region_track.spaces, start=1)
}
PANEL: Box = (BOARD.panel.x, BOARD.panel.y, BOARD.panel.x + 450, BOARD.panel.y + 156)
BOXES: dict[str, Box] = {
    **{f"name of {place.id}": name_box(place) for place in BOARD.places},
    **{f"tile of {region.id}": tile_box(number) for number, region in enumerate(BOARD.regions)},
    **{f"name of {region.id}, the region": region_name_box(number) for number, region in enumerate(BOARD.regions)},
    **TRACK,
    "panel": PANEL,
}


def circles_meet(one: Circle, other: Circle) -> bool:
    return dist(one[:2], other[:2]) < one[2] + other[2]


def boxes_meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def box_meets_circle(box: Box, circle: Circle) -> bool:
    x, y, reach = circle
    return dist((x, y), (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))) < reach


def test_everything_has_a_position() -> None:
    assert (len(BOARD.places), len(BOARD.links), len(BOARD.regions)) == (45, 107, 10)
    assert len(BOARD.region_track.spaces) == len(set(BOARD.region_track.spaces)) == 10
    assert len(set(PRICES.values())) == 107
    assert len({region.tile_at for region in BOARD.regions}) == 10


@pytest.mark.parametrize("link", BOARD.links, ids=lambda link: "-".join(link.between))
def test_no_link_passes_near_another_place(link: Link) -> None:
    points = list(points_of(link))
    for place in BOARD.places:
        if place.id not in link.between:
            nearest = min(dist(point, (place.x, place.y)) for point in points)
            assert nearest >= max(24, radius(place)), place.id


@pytest.mark.parametrize("link", BOARD.links, ids=lambda link: "-".join(link.between))
def test_a_link_leads_from_its_first_place_to_its_second(link: Link) -> None:
    first, *_, last = points_of(link)
    assert [first, last] == [(PLACES[end].x, PLACES[end].y) for end in link.between]


@pytest.mark.parametrize("link", BOARD.links, ids=lambda link: "-".join(link.between))
def test_a_price_stands_on_its_own_link(link: Link) -> None:
    price = (link.label.x, link.label.y)
    assert min(dist(point, price) for point in points_of(link)) < 2
    for other in BOARD.links:
        if other is not link:
            assert min(dist(point, price) for point in points_of(other, steps=100)) >= 5, other.between


def test_prices_cover_neither_each_other_nor_the_rings_of_places() -> None:
    assert not [(one, two) for one, two in combinations(PRICES, 2) if circles_meet(PRICES[one], PRICES[two])]
    assert not [(price, place) for price in PRICES for place in RINGS if circles_meet(PRICES[price], RINGS[place])]


def test_places_do_not_overlap() -> None:
    assert not [(one, two) for one, two in combinations(DISCS, 2) if circles_meet(DISCS[one], DISCS[two])]


def test_names_tiles_and_the_track_do_not_overlap_anything() -> None:
    covered = [(one, two) for one, two in combinations(BOXES, 2) if boxes_meet(BOXES[one], BOXES[two])]
    for name, circle in [*PRICES.items(), *RINGS.items()]:
        covered += [(name, box) for box in BOXES if box_meets_circle(BOXES[box], circle)]
    assert not covered


def test_everything_lies_in_the_view_box() -> None:
    left, top, width, height = BOARD.view_box
    boxes = [
        *BOXES.items(),
        *(("-".join(link.between), (x, y, x, y)) for link in BOARD.links for x, y in points_of(link)),
    ]
    for name, box in boxes:
        assert (box[0] >= left, box[1] >= top, box[2] <= left + width, box[3] <= top + height) == (True,) * 4, name


def test_no_area_covers_the_name_of_another_region() -> None:
    for number, region in enumerate(BOARD.regions):
        left, top, right, bottom = region_name_box(number)
        corners = [(x, y) for x in (left, (left + right) / 2, right) for y in (top, bottom)]
        found = {other.id for x, y in corners for other in BOARD.regions if inside(x, y, other.area)}
        assert found <= {region.id}


def inside(x: float, y: float, area: str) -> bool:
    """Return whether a point lies in a polygon."""
    numbers = [int(number) for number in re.findall(r"-?\d+", area)]
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    crossed = False
    for (a, b), (c, d) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (b > y) != (d > y) and x < (c - a) * (y - b) / (d - b) + a:
            crossed = not crossed
    return crossed


def test_every_place_lies_only_in_the_area_of_its_region() -> None:
    for place in BOARD.places:
        around = [(place.x + dx, place.y + dy) for dx in (-8, 0, 8) for dy in (-8, 0, 8)]
        found = [{region.id for region in BOARD.regions if inside(x, y, region.area)} for x, y in around]
        assert found == [{place.region}] * 9, place.id
    for region in BOARD.regions:
        assert region.area.startswith("M")
        assert region.area.endswith("Z")
        assert inside(region.tile_at.x, region.tile_at.y, region.area), region.id
