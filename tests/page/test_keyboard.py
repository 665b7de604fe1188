"""The page without a mouse."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.page.playing import board, moves, open_table, settled

FOCUSED = "(document.activeElement.ariaLabel || document.activeElement.innerText || '').trim()"
PLACE = re.compile("^(Expand|Increase|.*: [0-9]+ actions$)")
MANY = 300


def tab_to(page: Page, wanted: Callable[[str], object]) -> str:
    """Press Tab until the name of the focused element is wanted; return the name."""
    for _ in range(MANY):
        page.keyboard.press("Tab")
        name: str = page.evaluate(FOCUSED)
        if wanted(name):
            return name
    raise AssertionError("no element with the wanted name got the focus")


def test_from_the_lobby_to_a_table(page: Page, url: str) -> None:
    page.goto(f"{url}/play")
    expect(page.get_by_role("heading", name="Open tables")).to_be_visible()
    tab_to(page, "Skip to the content".__eq__)
    page.keyboard.press("Enter")
    tab_to(page, "New table".__eq__)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="New table")).to_be_visible()
    for name in ("Ann", "Bob"):
        letter = "A" if name == "Ann" else "B"
        tab_to(page, f"Seat {letter}: name".__eq__)
        page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(moves(page)).to_contain_text("Ann and Bob start a game.")


def test_a_turn(page: Page, url: str) -> None:
    open_table(page, url, "Hot seat", "Ann", "Bob")
    before = settled(page)
    place = tab_to(page, PLACE.match)
    page.keyboard.press("Enter")
    if place.endswith("actions"):
        expect(page.get_by_role("dialog", name="Choose an action")).to_be_visible()
        page.keyboard.press("Enter")
    expect(board(page)).not_to_have_attribute("data-version", str(before))
    expect(moves(page).get_by_role("listitem").first).to_contain_text("Ann expands")
    tab_to(page, "End the turn".__eq__)
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Turn 2: Bob", level=1)).to_be_visible()


def test_escape_closes_a_dialog_and_returns_the_focus(page: Page, url: str) -> None:
    open_table(page, url, "Hot seat", "Ann", "Bob")
    settled(page)
    page.get_by_role("button", name=re.compile("^Resign as ")).press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Resign as "))).to_be_focused()


def test_why_nothing_can_be_done_at_a_place(page: Page, url: str) -> None:
    open_table(page, url, "Hot seat", "Ann", "Bob")
    settled(page)
    tab_to(page, "Why not another place?".__eq__)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    place = page.get_by_role("combobox", name="Place")
    expect(place).to_be_focused()
    page.keyboard.type("New York")
    tab_to(page, "Explain".__eq__)
    page.keyboard.press("Enter")
    refusal = "Expand: No direct link leads to New York from a place where Ann has a franchise. (R4.1)"
    expect(page.get_by_role("alert")).to_contain_text(refusal)
    offered = board(page).get_by_role("button").evaluate_all("all => all.map(each => each.dataset.focus)")
    others = place.get_by_role("option").evaluate_all("all => all.map(each => each.value)")
    assert not set(offered) & set(others)
    assert len(offered) + len(others) == board(page).locator(".place").count()
