"""The pictures of a turn and the symbols of the legend for the rules page, all from real positions."""

from math import atan2, degrees

from domain.board import Link
from domain.boards import load_board
from domain.geometry import Point
from domain.timeline import Timeline
from openapi.generate.cropped import box_around, figure, symbol
from openapi.generate.positions import boom, turn
from projections.board import board
from projections.pictures.links import PRICE_RADIUS
from projections.pictures.pieces import CITY_RADIUS, TOWN_RADIUS, ring
from projections.pictures.regions import TILE_HEIGHT, TILE_WIDTH
from projections.pictures.svg import centred, element, group

_BOARD = load_board("usa-1960s")
_TRACK = _BOARD.region_track
_PLACES = "minneapolis", "chicago", "detroit", "indianapolis"
"""The places of the region in the pictures."""


def figures() -> dict[str, str]:
    """Return the five pictures of a turn by name."""
    at, way, tile = turn(), _link("detroit", "indianapolis"), _tile("great-lakes")
    region = box_around(*map(_at, _PLACES), tile)
    with_track = box_around(*map(_at, _PLACES), _TRACK.spaces[0])
    cities = _ring("chicago") + _ring("detroit")
    counts = _free_spaces(at["income"], "chicago") + _free_spaces(at["income"], "detroit")
    path = (
        element("path", class_="way", d=way.path, fill="none")
        + _circle(way.label, PRICE_RADIUS)
        + _ring("indianapolis")
    )
    all_places, arrow = "".join(map(_ring, _PLACES)), _arrow(tile)
    return {
        "income": figure(at["income"], region, "The free spaces of Ann's cities", cities, counts),
        "expand": figure(at["expand"], region, "Ann expands from Detroit to Indianapolis", path),
        "increase": figure(at["increase"], region, "Ann increases in Chicago and in Detroit", cities),
        "cities": figure(at["cities"], region, "Chicago and Detroit are scored", cities),
        "region": figure(at["region"], with_track, "The Great Lakes are scored", all_places, arrow),
    }


def symbols() -> dict[str, str]:
    """Return the symbols of the legend by name, each a small part of a board."""
    at, booming, tile = turn(), boom(), _tile("great-lakes")
    here = _at("indianapolis")
    radius, spaces = ring(7)
    free = Point(round(_at("chicago").x + spaces[5][0]), round(_at("chicago").y + spaces[5][1]))
    expansion, inner = _ring("indianapolis") + _ghost(here, 7, "expand"), _circle(here, TOWN_RADIUS, "inner")
    shown = {
        "city": (at["income"], _at("chicago"), ""),
        "town": (at["income"], here, ""),
        "price": (at["income"], _link("houston", "jacksonville").label, ""),
        "franchise": (at["region"], here, ""),
        "marker": (at["expand"], here, ""),
        "centre": (at["increase"], _at("chicago"), ""),
        "scored": (at["region"], _at("detroit"), ""),
        "tile": (at["income"], _tile("grand-canyon"), ""),
        "tie-break": (at["income"], Point(tile.x + TILE_WIDTH // 4, tile.y), ""),
        "red-zone": (at["income"], _TRACK.spaces[_TRACK.red_from - 1], ""),
        "closed": (booming, _at("casper"), ""),
        "boom": (booming, _at("denver"), ""),
        "can-expand": (at["income"], here, expansion),
        "can-increase": (at["income"], _at("chicago"), _ring("chicago", "increase") + _ghost(free, radius, "increase")),
        "with-tile": (at["income"], here, expansion + inner),
    }
    return {
        name: symbol(timeline, (point.x - 48, point.y - 33, 96, 66), marks)
        for name, (timeline, point, marks) in shown.items()
    }


def _at(place: str) -> Point:
    found = _BOARD.places[_BOARD.number[place]]
    return Point(found.x, found.y)


def _tile(region: str) -> Point:
    return _BOARD.regions[_BOARD.region_number[region]].tile_at


def _link(*ends: str) -> Link:
    return next(link for link in _BOARD.links if link.between == ends)


def _ring(place: str, kind: str = "") -> str:
    town = _BOARD.places[_BOARD.number[place]].kind == "town"
    return _circle(_at(place), TOWN_RADIUS if town else CITY_RADIUS, kind)


def _circle(around: Point, radius: int, kind: str = "") -> str:
    """Draw a ring as the page at `/play` does."""
    return element("circle", class_=f"ring {kind}".rstrip(), cx=around.x, cy=around.y, r=radius + 4.25)


def _ghost(point: Point, radius: float, kind: str) -> str:
    """Draw the piece that an action would put there, as the page at `/play` does."""
    turned = " rotate(45)" * (kind == "increase")
    corners = f"M0 -{radius:g}L{radius:g} 0L0 {radius:g}L-{radius:g} 0Z"
    return element("path", class_=f"ghost {kind}", d=corners, transform=f"translate({point.x} {point.y}){turned}")


def _free_spaces(timeline: Timeline, city: str) -> str:
    """Draw the number of free spaces next to a city."""
    x, y = _at(city).x + CITY_RADIUS + 10, _at(city).y + CITY_RADIUS // 2
    number = str(board(timeline).places[_BOARD.number[city]].spaces.count(None))
    return group("count", element("circle", cx=x, cy=y, r=13), centred(number, x, y, 17))


def _arrow(tile: Point) -> str:
    """Draw an arrow from above the name of a region to the first space of the track."""
    space, next_space, *_ = _TRACK.spaces
    start, end = Point(tile.x, tile.y - 2 * TILE_HEIGHT), Point((space.x + next_space.x) // 2, space.y + 38)
    bend = Point(start.x, end.y + 12)
    angle = degrees(atan2(end.y - bend.y, end.x - bend.x))
    head = element("path", d="M0 0L-16 -8L-16 8z", transform=f"translate({end.x} {end.y}) rotate({angle:.0f})")
    return group("arrow", element("path", d=f"M{start.x} {start.y}Q{bend.x} {bend.y} {end.x} {end.y}"), head)
