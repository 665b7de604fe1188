"""Cities with their spaces and values, towns, and their franchises."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, repeat

from domain.board import Place
from projections.board import PlaceView
from projections.pictures.pieces import CITY_RADIUS, TOWN_RADIUS, Pieces, centre, franchise, marker, ring
from projections.pictures.svg import SIZE, centred, element, escaped, group, label
from projections.pictures.themes import Theme

HIT_RADIUS = {"city": CITY_RADIUS + 2, "town": 22}
_SCORED_POSITIONS = 5
"""The number of positions around a scored city; more if there are more franchises."""


def draw_place(place: Place, view: PlaceView, words: str, theme: Theme, pieces: Pieces, *, boom: bool) -> str:
    """Draw a place with its name and its pieces."""
    state = " scored" * view.scored + " closed" * view.closed
    return group(
        f"place {view.kind}{state}",
        element("title", escaped(words)),
        _hit_circle(view.kind),
        *(_city(view, theme, pieces) if view.kind == "city" else _town(view, theme, pieces)),
        *[element("circle", class_="boom", r=CITY_RADIUS, fill="none", stroke=theme.boom, stroke_width=4)] * boom,
        _name(place, theme.muted if view.closed else theme.ink, theme.ground),
        data_place=view.id,
        transform=f"translate({place.x} {place.y})",
    )


@cache
def _hit_circle(kind: str) -> str:
    return element("circle", class_="hit", r=HIT_RADIUS[kind], fill="transparent")


@cache
def _name(place: Place, fill: str, halo: str) -> str:
    at, city = place.label, place.kind == "city"
    return label(
        place.name,
        at.x - place.x,
        at.y - place.y,
        SIZE,
        class_="name",
        text_anchor=at.anchor,
        fill=fill,
        font_weight=700 if city else 400,
        stroke=halo,
        stroke_width=3,
        stroke_opacity=0.7,
        stroke_linejoin="round",
        paint_order="stroke",
    )


def _disc(view: PlaceView, radius: float, theme: Theme) -> str:
    fill = theme.closed if view.closed else theme.scored if view.scored else theme.paper
    stroke = theme.slot if view.closed else theme.outline
    return element("circle", class_="disc", r=radius, fill=fill, stroke=stroke)


def _town(view: PlaceView, theme: Theme, pieces: Pieces) -> Iterator[str]:
    yield _disc(view, TOWN_RADIUS, theme)
    for seat in view.franchises:
        yield franchise(theme, pieces, seat, 0, 0, 9)
    for seat in view.markers:
        yield marker(theme, pieces, seat, 0, 0, 9)


def _city(view: PlaceView, theme: Theme, pieces: Pieces) -> Iterator[str]:
    yield _disc(view, CITY_RADIUS, theme)
    if view.scored:
        yield _check(theme)
        seats = list(chain.from_iterable(repeat(seat, number) for seat, number in view.franchises.items()))
        radius, positions = ring(max(_SCORED_POSITIONS, len(seats)))
        for seat, (x, y) in zip(seats, positions, strict=False):
            yield franchise(theme, pieces, seat, x, y, radius)
    elif view.value:
        yield centred(str(view.value), 0, 0, 17, class_="value", fill=theme.ink, font_weight=700)
        yield from _spaces(view, theme, pieces)


def _spaces(view: PlaceView, theme: Theme, pieces: Pieces) -> Iterator[str]:
    """Draw the spaces with their franchises. Free spaces show the markers and unopened franchises (R4.2, R5.1)."""
    radius, positions = ring(view.value)
    for seat, (x, y) in zip(view.spaces, positions, strict=True):
        yield _space(theme, x, y, radius) if seat is None else franchise(theme, pieces, seat, x, y, radius)
    free: Sequence[tuple[float, float]] = [at for seat, at in zip(view.spaces, positions, strict=True) if seat is None]
    waiting = [*((marker, seat) for seat in view.markers)]
    waiting += [(centre, seat) for seat, number in view.centre.items() for _ in range(number)]
    for (draw, seat), (x, y) in zip(waiting, free, strict=False):
        yield draw(theme, pieces, seat, x, y, radius)


@cache
def _space(theme: Theme, x: float, y: float, radius: float) -> str:
    return element("circle", class_="space", cx=x, cy=y, r=radius, fill="none", stroke=theme.slot)


@cache
def _check(theme: Theme) -> str:
    return element(
        "path",
        class_="check",
        d="M-6 0l4.5 5l8-10",
        fill="none",
        stroke=theme.ink,
        stroke_width=2.5,
        stroke_linecap="round",
    )
