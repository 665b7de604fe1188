"""Parts of board pictures as inline SVG, for pages in a light and a dark theme."""

import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

from domain.geometry import Point, ViewBox
from domain.timeline import Timeline
from projections.pictures.board_picture import board_picture
from projections.pictures.themes import THEMES

_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_PAIR = re.compile(r"(-?[\d.]+) (-?[\d.]+)")
_MARGIN = Point(72, 52)
_ANCHORS = {"start": 0, "middle": 0.5, "end": 1}
_NAMES = {"name", "region-name"}
_WORDS = {"title", "desc", *_NAMES}


def box_around(*points: Point) -> ViewBox:
    """Return the box that contains these points and a margin."""
    left, top = min(point.x for point in points) - _MARGIN.x, min(point.y for point in points) - _MARGIN.y
    right, bottom = max(point.x for point in points) + _MARGIN.x, max(point.y for point in points) + _MARGIN.y
    return left, top, right - left, bottom - top


def figure(timeline: Timeline, box: ViewBox, title: str, below: str, above: str = "") -> str:
    """Return a part of a board with marks below its places and above them, and with its places described in words."""

    def describe(part: ET.Element) -> None:
        places = [each for each in part.iter("g") if each.get("data-place")]
        named = [place.findtext("title", "") for place in places]
        words = {"title": title, "desc": " ".join(f"{name}." for name in named if ": " in name)}
        for child in part:
            child.text = words.get(child.tag)
        for parent in list(part.iter("g")):
            for child in list(parent):
                if child.get("class") in _NAMES and _is_cut(parent, child, box):
                    parent.remove(child)

    drawn = _part(timeline, box, describe).replace("</svg>", f"{above}</svg>")
    return drawn.replace('<g class="prices"', f'{below}<g class="prices"')


def _is_cut(parent: ET.Element, name: ET.Element, box: ViewBox) -> bool:
    """Estimate whether the edge of a box cuts the name of a place or a region."""
    width = 0.6 * float(name.get("font-size", 0)) * len(name.text or "")
    x = sum(x for x, _ in _pairs(parent.get("transform", ""))) + float(name.get("x", 0))
    start = x - width * _ANCHORS[name.get("text-anchor", "start")]
    return start < box[0] or start + width > box[0] + box[2]


def symbol(timeline: Timeline, box: ViewBox, marks: str = "") -> str:
    """Return a part of a board without words and in its own size. The text next to it describes it."""

    def strip(part: ET.Element) -> None:
        for parent in list(part.iter()):
            for child in [each for each in parent if {each.tag, each.get("class")} & _WORDS]:
                parent.remove(child)
        del part.attrib["role"]
        part.attrib |= {"width": str(box[2]), "height": str(box[3]), "aria-hidden": "true"}

    return _part(timeline, box, strip).replace("</svg>", f"{marks}</svg>")


def _part(timeline: Timeline, box: ViewBox, finish: Callable[[ET.Element], None]) -> str:
    """Return the part of a board in a box, with the colours of both themes."""
    themes: list[str] = []
    for theme in THEMES:
        drawn = board_picture(timeline, theme).replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)
        part = ET.fromstring(drawn)  # noqa: S314 - drawn here
        part.set("viewBox", " ".join(map(str, box)))
        _crop(part, box)
        finish(part)
        themes.append(ET.tostring(part, encoding="unicode"))
    light, dark = themes
    darker = iter(_COLOUR.findall(dark))
    return _COLOUR.sub(lambda found: _in_both_themes(found[0], next(darker)), light)


def _in_both_themes(light: str, dark: str) -> str:
    return light if light == dark else f"light-dark({light},{dark})"


def _crop(parent: ET.Element, box: ViewBox) -> None:
    """Remove all elements that cannot be seen in a box. Translated groups stay whole."""
    left, top, width, height = box
    for child in list(parent):
        points = list(_points(child))
        if points and not (
            min(x for x, _ in points) <= left + width
            and max(x for x, _ in points) >= left
            and min(y for _, y in points) <= top + height
            and max(y for _, y in points) >= top
        ):
            parent.remove(child)
        elif not child.get("transform"):
            _crop(child, box)


def _points(each: ET.Element) -> Iterator[tuple[float, float]]:
    """Yield points whose hull contains an element; of a translated group, only its origin."""
    if each.get("transform"):
        yield from _pairs(each.get("transform", ""))
        return
    yield from _pairs(each.get("d", ""))
    x, y = each.get("x", each.get("cx")), each.get("y", each.get("cy"))
    if x is not None and y is not None:
        yield float(x), float(y)
        yield float(x) + float(each.get("width", 0)), float(y) + float(each.get("height", 0))
    for child in each:
        yield from _points(child)


def _pairs(text: str) -> Iterator[tuple[float, float]]:
    return ((float(x), float(y)) for x, y in _PAIR.findall(text))
