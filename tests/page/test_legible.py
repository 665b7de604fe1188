"""The board can be read: texts of 11 px, nothing on a place or in its ring, and the buttons in view with the board.

Measured in 30 positions of recorded games, on a laptop and on a phone.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.api.people import People
from tests.games.facts import FILES, record_document, recorded
from tests.page.playing import actions, board, button, keep
from tests.support.browser import page_without_errors

SCREENS: dict[str, ViewportSize] = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
SCROLLBARS = {"laptop": 15, "phone": 0}
"""The widths of scrollbars. Headless Chromium lays them over the page, most browsers on laptops do not."""
LEAST = 11
"""The size in pixels of the smallest text."""
RING = 7
"""The width in map units of the ring around a place that shows a choice."""
HALO = 1.5
"""The width in map units of the halo around a name."""

MEASURE = """async ([pictures, ring, halo]) => {
  const frame = document.querySelector(".frame"), own = frame.firstElementChild, texts = [], covered = [];
  for (const picture of pictures) {
    const parsed = new DOMParser().parseFromString(await (await fetch(picture)).text(), "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    frame.replaceChildren(svg);
    const unit = svg.getScreenCTM().a;
    const parts = (selector, shape) => [...svg.querySelectorAll(selector)].map((part) => {
      return { name: part.parentElement.textContent, ...shape(part.getBoundingClientRect(), part) };
    });
    const box = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
    const letters = ({ left, top, right, bottom, height }) => ({
      left: left + halo * unit, top: top + 0.2 * height,
      right: right - halo * unit, bottom: bottom - 0.15 * height,
    });
    const disc = ({ left, top, width, height }, part, more = 0) => {
      return { x: left + width / 2, y: top + height / 2, r: (Number(part.getAttribute("r")) + more) * unit };
    };
    const meet = (a, b) => {
      if (!a.r && !b.r) return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      if (!a.r) return meet(b, a);
      const x = b.r ? b.x : Math.min(Math.max(a.x, b.left), b.right);
      const y = b.r ? b.y : Math.min(Math.max(a.y, b.top), b.bottom);
      return Math.hypot(a.x - x, a.y - y) < a.r + (b.r ?? 0) - 0.5;
    };
    const names = parts(".name, .region-name", letters);
    const tiles = parts(".tiles rect, .tie-break circle, .space > rect", box);
    const prices = parts(".price circle", disc);
    const rings = parts(".place > .disc", (at, part) => disc(at, part, ring));
    const check = (some, others) => {
      for (const one of some) for (const other of others)
        if (one !== other && meet(one, other)) covered.push(`${picture}: ${one.name} and ${other.name}`);
    };
    check(rings, [...names, ...tiles, ...prices]);
    check(names, [...names, ...tiles, ...prices]);
    check(prices, [...tiles, ...prices]);
    const drawn = [...svg.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().width);
    for (const text of drawn) texts.push([parseFloat(getComputedStyle(text).fontSize) * unit, text.textContent]);
  }
  frame.replaceChildren(own);
  return { number: texts.length, smallest: texts.sort(([a], [b]) => a - b)[0], covered };
}"""
CONTROLS_ON_THE_BOARD = """() => {
  const box = (part) => part.getBoundingClientRect(), frame = box(document.querySelector(".frame"));
  return [...document.querySelectorAll("main :is(button, a, input, select, summary)")].filter((control) => {
    const { left, top, right, bottom } = box(control);
    return left < frame.right && frame.left < right && top < frame.bottom && frame.top < bottom;
  }).map((control) => control.textContent);
}"""


@pytest.fixture(scope="module")
def pictures(client: Client) -> list[str]:
    """The paths of the boards in the middle and at the end of 15 games."""
    games = FILES[:: len(FILES) // 15][:15]
    return [picture for file in games for picture in boards(client, record_document(recorded(file)))]


def boards(client: Client, record: bytes) -> Iterator[str]:
    game = client.post("/v1/records", content=record, headers={"content-type": "application/json"}).json()["game"]
    lines = client.get(f"/v1/games/{game['id']}/history", params={"limit": 500}).json()["items"]
    for line in (lines[len(lines) // 2], lines[-1]):
        yield f"/v1/games/{game['id']}/board.svg?at={line['version']}"


@pytest.fixture(scope="module", params=SCREENS)
def screen(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def playing(screen: str, browser: Browser, url: str, client: Client) -> Iterator[Page]:
    """The page of a player who has to decide and has asked for a hint."""
    table = People(client, hot_seat=True)
    table.play(8)
    with page_without_errors(browser, viewport=SCREENS[screen]) as page:
        keep(page, table.id, f'{{"host": "{table.host}"}}')
        page.goto(f"{url}/play/{table.id}")
        expect(board(page)).to_have_attribute("data-version", str(table.version))
        button(page, "Hint").click()
        expect(button(page, "Do it")).to_be_visible()
        yield page


def test_every_text_is_large_enough_and_covers_nothing(playing: Page, screen: str, pictures: list[str]) -> None:
    assert len(set(pictures)) == 30
    found: dict[str, Any] = playing.evaluate(MEASURE, [pictures, RING, HALO])
    assert found["number"] > 30 * 200
    assert not found["covered"]
    size, text = found["smallest"]
    width = SCREENS[screen]["width"]
    assert size * (width - SCROLLBARS[screen]) / width >= LEAST, text


def test_no_control_lies_on_the_board(playing: Page) -> None:
    assert playing.evaluate(CONTROLS_ON_THE_BOARD) == []


def test_the_board_the_hint_and_the_buttons_are_in_view_together(playing: Page) -> None:
    buttons = [button(playing, name) for name in ("Do it", "Hint", "End the turn", "Larger")]
    for part in (board(playing), actions(playing).get_by_role("status"), *buttons):
        expect(part).to_be_in_viewport(ratio=1)
    assert playing.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_board_stays_where_it_is_when_the_status_changes(playing: Page) -> None:
    before = board(playing).bounding_box()
    playing.evaluate("document.querySelector('h1').textContent = 'Turn 9'")
    assert board(playing).bounding_box() == before


def test_a_finished_game_has_no_empty_panel(page: Page, url: str, pictures: list[str]) -> None:
    _, _, _, game, _ = pictures[0].split("/")
    page.goto(f"{url}/play/{game}")
    expect(page.get_by_role("region", name="Players")).to_be_visible()
    expect(page.locator(".panel")).to_be_hidden()
    page.get_by_role("link", name="Watch the replay").click()
    expect(page.locator(".panel")).to_be_visible()
