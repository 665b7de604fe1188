"""Pictures inline in a page that forbids inline styles, with the programs of docs/pictures.md."""

from collections.abc import Iterator
from itertools import combinations
from math import dist
from pathlib import Path

import pytest
from playwright.sync_api import Page

from domain.actions import EndTurn, Expand
from projections.pictures.board_picture import board_picture, map_picture
from projections.pictures.scores_picture import scores_picture
from tests.projections.play import Match
from tests.support.browser import texts_without_height
from tests.support.documents import programs
from tests.support.web_server import serving_folder

Box = tuple[float, float, float, float]

PROGRAMS = programs("docs/pictures.md")
PAGE = """<!doctype html><title>Pictures</title>
<meta http-equiv="content-security-policy" content="default-src 'self'">{links}<body>{picture}</body>"""
BOXES = """(selector) => [...document.querySelectorAll(selector)].map((shown) => {
  const { left, top, right, bottom } = shown.getBoundingClientRect();
  return [left, top, right, bottom];
})"""
COLOUR = "(selector) => getComputedStyle(document.querySelector(selector)).fill"
PATCH = """async (game) => {
  const board = document.querySelector("svg.board");
  const kept = new Map([...board.querySelectorAll("g.place")].map((place) => [place.dataset.place, place.firstChild]));
  const { patch } = await import("/patch.js");
  await patch(board, game);
  const changed = (place) => place.firstChild !== kept.get(place.dataset.place);
  return [...board.querySelectorAll("g.place")].filter(changed).map((place) => place.dataset.place);
}"""


class Site:
    """A site of pages with pictures."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder
        self._url = url
        self._shown = 0
        for name, program in PROGRAMS.items():
            self.write(name, program)

    def write(self, path: str, text: str) -> None:
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def show(self, page: Page, picture: str, links: str = "") -> None:
        self._shown += 1  # a new page each time: the browser caches pages
        self.write(f"{self._shown}.html", PAGE.format(links=links, picture=picture))
        page.goto(f"{self._url}/{self._shown}.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with serving_folder(folder) as url:
        yield Site(folder, url)


def test_the_programs_exist() -> None:
    assert list(PROGRAMS) == ["style.css", "patch.js"]


def test_names_do_not_overlap_in_the_fonts_of_a_browser(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 1250, "height": 900})
    site.show(page, map_picture("usa-1960s", 5))
    assert not texts_without_height(page)
    names = [letters(name) for name in boxes(page, "g.place text.name")]
    assert len(names) == 45
    assert not [(a, b) for a, b in combinations(names, 2) if boxes_meet(a, b)]
    for rectangles in ("g.tile rect", "g.space rect"):
        assert not [(a, b) for a in names for b in boxes(page, rectangles) if boxes_meet(a, b)]
    for circles in ("g.price circle", "circle.disc"):
        assert not [(a, b) for a in names for b in boxes(page, circles) if box_meets_circle(a, b)]


def boxes(page: Page, selector: str) -> list[Box]:
    """Return left, top, right and bottom of all matching elements."""
    found: list[Box] = page.evaluate(BOXES, selector)
    assert len(found) >= 10
    return found


def letters(box: Box) -> Box:
    """Return the part of a text's box that its letters fill."""
    left, top, right, bottom = box
    return left, top + 0.2 * (bottom - top), right, bottom - 0.15 * (bottom - top)


def boxes_meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def box_meets_circle(box: Box, circle: Box) -> bool:
    left, top, right, bottom = circle
    x, y = (left + right) / 2, (top + bottom) / 2
    return dist((x, y), (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))) < (right - left) / 2 - 1


def test_a_style_sheet_overrides_every_style(page: Page, site: Site, second_turn: Match) -> None:
    picture = board_picture(second_turn.timeline)
    site.show(page, picture)
    assert page.evaluate(COLOUR, "[data-place=denver] .disc") == "rgb(255, 255, 255)"
    assert page.locator("g.players").is_visible()
    site.show(page, picture, '<link rel="stylesheet" href="style.css">')
    assert page.evaluate(COLOUR, "[data-place=denver] .disc") == "rgb(255, 255, 240)"
    assert page.evaluate(COLOUR, "g.franchise.seat-0 circle") == "rgb(102, 51, 153)"
    assert page.locator("g.players").is_hidden()


def test_a_page_patches_changed_places(page: Page, site: Site, second_turn: Match) -> None:
    site.show(page, board_picture(second_turn.timeline))
    site.write("v1/games/before/board.svg", board_picture(second_turn.timeline))
    assert page.evaluate(PATCH, "before") == []
    after = second_turn.play(Expand(("denver", "salt-lake-city")), EndTurn())
    site.write("v1/games/after/board.svg", board_picture(after.timeline))
    assert page.evaluate(PATCH, "after") == ["salt-lake-city"]
    assert page.locator("g.place[data-place=salt-lake-city] g.franchise.seat-0").count() == 1


def test_a_plot_has_the_coordinates_of_each_version(page: Page, site: Site, new_york_scored: Match) -> None:
    site.show(page, scores_picture(new_york_scored.timeline, "dark"))
    assert not texts_without_height(page)
    points = page.locator("g.line.seat-0 circle.point")
    placed = [(p.get_attribute("data-x"), p.get_attribute("cx")) for p in points.all()]
    assert placed
    assert all(x == cx for x, cx in placed)
    assert page.locator("svg.scores").get_attribute("data-left") == placed[0][0]
    assert page.locator("svg.scores").get_attribute("data-right") == placed[-1][0]
