"""The page in a browser: the lobby, and a turn of a game."""

import re

from playwright.sync_api import Page, expect

from tests.support.browser import texts_without_height


def open_hot_seat(page: Page, url: str, *names: str) -> None:
    """Open a table at which all play at one device."""
    page.goto(f"{url}/play#new")
    for letter, name in zip("ABCDE", names, strict=False):
        page.get_by_role("textbox", name=f"Seat {letter}: name").fill(name)
    page.get_by_role("button", name="Open the table").click()


def test_whoever_opens_the_server_in_a_browser_is_led_to_the_lobby(page: Page, url: str) -> None:
    page.goto(url)
    expect(page).to_have_url(f"{url}/play")
    expect(page.get_by_role("heading", name="Open tables")).to_be_in_viewport()
    expect(page.get_by_role("link", name="New table").first).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("Live")
    assert not texts_without_height(page)


def test_two_at_one_device_open_a_table_and_play_a_turn_by_clicks(page: Page, url: str) -> None:
    open_hot_seat(page, url, "Ann", "Bob")
    board, moves = page.get_by_role("region", name="Board"), page.get_by_role("log", name="Moves")
    for _ in range(2):
        board.get_by_role("button", name=re.compile("^Start in ")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 1")
    target = board.get_by_role("button", name=re.compile("^Expand from "))
    said = target.first.get_attribute("aria-label")
    assert said is not None
    target.first.press("Enter")
    expect(moves).to_contain_text(said.removeprefix("Expand ").partition(" for ")[0])
    page.get_by_role("button", name="End the turn").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 2")
    expect(moves).to_contain_text("ends the turn")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 2")
