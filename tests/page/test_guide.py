"""The guide of a first game."""

from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.people import People
from tests.page.playing import board, button, keep, moves, settled, status
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors

TITLES = (
    "Choose a marked place",
    "The price of a link",
    "The value of a city",
    "Dollars and influence",
    "End the turn",
    "Hint and rules",
)
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SCREENS: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1280, "height": 800}},
    "phone": PHONE,
    "small-dark": PHONE | {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"},
    "forced-colours": {"viewport": {"width": 1280, "height": 800}, "forced_colors": "active"},
}


@pytest.fixture
def newcomer(browser: Browser) -> Iterator[Page]:
    """A page in a browser that has not shown the guide."""
    with page_without_errors(browser, guide=True) as page:
        yield page


def begin(page: Page, url: str) -> Locator:
    """Start a first game, and return the card of the guide."""
    page.goto(f"{url}/play")
    button(page, "Play against the computer").click()
    expect(page.get_by_role("dialog", name=TITLES[0])).to_be_visible()
    return page.get_by_role("dialog")


def box(part: Locator) -> tuple[float, float, float, float]:
    """The left, top, right and bottom edge."""
    found = part.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def points_at(page: Page, part: Locator) -> bool:
    """Return true if the mark has the same middle as the part."""
    marked, wanted = box(page.locator(".guide-mark")), box(part)
    return all(abs(marked[side] + marked[side + 2] - wanted[side] - wanted[side + 2]) < 2 for side in (0, 1))


def overlap(one: Locator, other: Locator) -> bool:
    a, b = box(one), box(other)
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("screen", SCREENS)
def test_each_step_is_next_to_its_part(browser: Browser, url: str, screen: str) -> None:
    with page_without_errors(browser, guide=True, **SCREENS[screen]) as page:
        card, mark = begin(page, url), page.locator(".guide-mark")
        width, height = page.evaluate("[innerWidth, innerHeight]")
        for number, title in enumerate(TITLES, 1):
            expect(card).to_have_accessible_name(title)
            expect(card).to_contain_text(f"{number} of 6")
            left, top, right, bottom = box(card)
            assert left >= 0
            assert right <= width
            assert top >= box(page.get_by_role("banner"))[3]
            assert bottom <= height
            assert not overlap(card, mark)
            assert width < 1280 or not any(overlap(card, target) for target in page.locator(".target").all())
            assert not violations(page)
            button(page, "Done" if title == TITLES[-1] else "Next").click()
        expect(card).to_have_count(0)
        expect(mark).to_have_count(0)


def test_the_guide_points_at_what_it_explains(newcomer: Page, url: str) -> None:
    begin(newcomer, url)
    shown = board(newcomer)
    for part in (shown.get_by_role("button"), shown.locator(".price"), shown.locator(".city .disc")):
        assert any(points_at(newcomer, each) for each in part.all())
        button(newcomer, "Next").click()
    for part in (newcomer.locator(".score.current"), button(newcomer, "End the turn")):
        assert points_at(newcomer, part)
        button(newcomer, "Next").click()
    assert points_at(newcomer, button(newcomer, "Hint"))


def test_the_guide_on_the_keyboard(newcomer: Page, url: str) -> None:
    card = begin(newcomer, url)
    expect(button(newcomer, "Next")).to_be_focused()
    expect(card).to_have_accessible_description(newcomer.locator("#guide-text").inner_text())
    newcomer.keyboard.press("Enter")
    expect(card).to_have_accessible_name(TITLES[1])
    newcomer.keyboard.press("Tab")
    expect(button(newcomer, "Back")).to_be_focused()
    newcomer.keyboard.press("Enter")
    expect(card).to_have_accessible_name(TITLES[0])
    expect(button(newcomer, "Next")).to_be_focused()
    newcomer.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(status(newcomer)).to_be_focused()


def test_the_guide_comes_once_and_again_on_request(newcomer: Page, url: str) -> None:
    card = begin(newcomer, url)
    button(newcomer, "Skip").click()
    expect(card).to_have_count(0)
    newcomer.reload()
    settled(newcomer)
    expect(button(newcomer, "End the turn")).to_be_visible()
    expect(card).to_have_count(0)
    again = button(newcomer, "Show the guide")
    again.press("Enter")
    expect(card).to_have_accessible_name(TITLES[0])
    newcomer.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(again).to_be_focused()
    newcomer.goto(f"{url}/play")
    button(newcomer, "Play against the computer").click()
    expect(button(newcomer, "End the turn")).to_be_visible()
    settled(newcomer)
    expect(card).to_have_count(0)


def test_the_game_goes_on_behind_the_guide(newcomer: Page, url: str) -> None:
    card = begin(newcomer, url)
    before = settled(newcomer)
    board(newcomer).get_by_role("button").first.click()
    expect(board(newcomer)).not_to_have_attribute("data-version", str(before))
    expect(moves(newcomer)).to_contain_text("Guest expands")
    expect(card).to_have_accessible_name(TITLES[0])
    for _ in TITLES[:4]:
        button(newcomer, "Next").click()
    button(newcomer, "End the turn").click()
    expect(card).to_have_accessible_name("End the turn")
    expect(newcomer.get_by_role("heading", name="Turn 4: Guest", level=1)).to_be_visible()
    assert points_at(newcomer, button(newcomer, "End the turn"))


def test_the_guide_ends_with_the_view_of_the_present(newcomer: Page, url: str) -> None:
    card = begin(newcomer, url)
    newcomer.get_by_role("link", name="Replay", exact=True).click()
    expect(newcomer.get_by_role("region", name="Replay")).to_be_visible()
    expect(card).to_have_count(0)


def test_only_players_in_their_first_round_get_the_guide(newcomer: Page, url: str, client: Client) -> None:
    watched, later = People(client, start="introductory"), People(client, hot_seat=True)
    later.play(20)
    assert later.seen()["turn"] > 2
    keep(newcomer, later.id, f'{{"host": "{later.host}", "seats": {{}}}}')
    for table in (watched, later):
        newcomer.goto(f"{url}/play/{table.id}")
        settled(newcomer)
        expect(newcomer.get_by_role("dialog")).to_have_count(0)
    expect(button(newcomer, "End the turn")).to_be_visible()
    button(newcomer, "Show the guide").click()
    expect(newcomer.get_by_role("dialog", name=TITLES[0])).to_be_visible()


def test_without_hints_the_last_step_points_at_the_rules(newcomer: Page, url: str, client: Client) -> None:
    table = People(client, start="introductory", hot_seat=True, hints=False)
    keep(newcomer, table.id, f'{{"host": "{table.host}", "seats": {{}}}}')
    newcomer.goto(f"{url}/play/{table.id}")
    for _ in TITLES[1:]:
        button(newcomer, "Next").click()
    card = newcomer.get_by_role("dialog", name="Rules")
    expect(card).not_to_contain_text("Hint")
    assert points_at(newcomer, newcomer.get_by_role("link", name="How to play"))
