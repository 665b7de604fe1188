"""A player who looks elsewhere notices the turn: by the title and icon of the tab, a sound and a notification."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.people import People
from tests.page.playing import actions, board, keep, settled
from tests.support.browser import page_without_errors

SIGNALS = """(permission) => {
  const told = (window.told = []), node = { connect: (to) => to };
  const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
  window.away = false;
  Object.defineProperty(document, "hidden", { get: () => window.away });
  document.hasFocus = () => !window.away;
  window.AudioContext = class {
    currentTime = 0;
    async resume() {}
    createOscillator = () => ({ ...node, frequency: {}, start: () => told.push("note"), stop() {} });
    createGain = () => ({ ...node, gain });
  };
  window.focus = () => told.push("focus");
  window.Notification = class extends EventTarget {
    static permission = "default";
    static requestPermission = async () => (Notification.permission = permission);
    constructor(title, { body, tag }) { super(); window.last = this; told.push(`${title}: ${body} (${tag})`); }
    close() { told.push("closed"); }
  };
}"""
"""Replace sounds and notifications by notes in `told`. The page is hidden while `away` is true."""

LIMITED = "Failed to load resource: the server responded with a status of 429 (Too Many Requests)"

Opened = Callable[..., Page]


@pytest.fixture
def table(client: Client) -> People:
    """A game in its first turn, that of Ann."""
    return People(client, 3, start="introductory")


@pytest.fixture
def opened(browser: Browser, url: str) -> Iterator[Opened]:
    """A function that opens a game in a browser with these tokens."""
    with page_without_errors(browser, [LIMITED]) as page:

        def open_game(table: People, *seats: int, permission: str = "granted", **tokens: Any) -> Page:
            page.add_init_script(f"({SIGNALS})({json.dumps(permission)})")
            keep(page, table.id, json.dumps({"seats": {seat: table.tokens[seat] for seat in seats}, **tokens}))
            page.goto(f"{url}/play/{table.id}")
            settled(page)
            return page

        yield open_game


def switch(page: Page) -> Locator:
    return page.get_by_role("checkbox", name="Tell me when it is my turn")


def end_turn(table: People, page: Page) -> None:
    """Expand if possible and end the turn of a player elsewhere, and wait until the page shows it."""
    for action in [move for move in table.moves() if move["type"] == "expand"][:1]:
        table.do(action)
    table.do({"type": "end_turn"})
    expect(board(page)).to_have_attribute("data-version", str(table.version))


def told(page: Page) -> list[str]:
    """Return the signals since the last call."""
    found: list[str] = page.evaluate("told.splice(0)")
    return found


def icon(page: Page) -> str:
    return str(page.locator("link[rel=icon]").get_attribute("href")).rpartition("/")[2]


def test_title_and_icon_show_whose_turn_it_is(opened: Opened, url: str, table: People) -> None:
    page = opened(table, 1)
    expect(page).to_have_title("Franchise: Ann, Bob, Cem")
    assert icon(page) == "icon.svg"
    end_turn(table, page)
    expect(page).to_have_title("● Your turn: Ann, Bob, Cem")
    assert icon(page) == "turn.svg"
    page.goto(f"{url}/play")
    expect(page).to_have_title("(1) Franchise: your turn")
    assert icon(page) == "turn.svg"
    table.do({"type": "end_turn"})
    expect(page).to_have_title("Franchise: lobby")
    assert icon(page) == "icon.svg"


def test_the_turn_is_noticed_during_the_replay(opened: Opened, table: People) -> None:
    page = opened(table, 1)
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.get_by_role("button", name="First move")).to_be_visible()
    table.do({"type": "end_turn"})
    expect(page).to_have_title("● Your turn: Ann, Bob, Cem")


def test_a_hidden_page_tells_once_that_the_turn_begins(opened: Opened, table: People) -> None:
    page = opened(table, 1)
    assert told(page) == []
    switch(page).check()
    expect(page.get_by_text("You hear a sound, and get a notification while this page is hidden.")).to_be_visible()
    assert told(page) == ["note", "note"]
    page.evaluate("away = true")
    end_turn(table, page)
    assert told(page) == ["note", "note", f"Your turn: Ann, Bob, Cem (franchise:{table.id})"]
    page.evaluate("last.dispatchEvent(new Event('click'))")
    assert told(page) == ["focus", "closed"]
    table.do(next(move for move in table.moves() if move["type"] == "expand"))
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    assert told(page) == []
    table.do({"type": "end_turn"})
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    assert told(page) == ["closed"]
    for _ in range(2):
        end_turn(table, page)
    assert told(page)[-1].startswith("Your turn: ")


def test_a_game_that_is_shown_again_tells_once(opened: Opened, table: People) -> None:
    """Other tabs change tokens meanwhile."""
    page = opened(table, 1)
    switch(page).check()
    told(page)
    read_again = "dispatchEvent(new StorageEvent('storage'))"
    page.route("**/state", lambda route: route.fulfill(status=429, json={"title": "Too many requests"}))
    page.evaluate(read_again)
    expect(page.get_by_role("heading", name="Too many requests")).to_be_visible()
    page.unroute("**/state")
    page.evaluate(read_again)
    expect(switch(page)).to_be_checked()
    page.evaluate("away = true")
    end_turn(table, page)
    assert told(page) == ["note", "note", f"Your turn: Ann, Bob, Cem (franchise:{table.id})"]


def test_a_page_with_the_focus_stays_silent(opened: Opened, table: People) -> None:
    page = opened(table, 1)
    switch(page).check()
    told(page)
    end_turn(table, page)
    expect(actions(page)).to_contain_text("Your turn: ")
    assert told(page) == []


def test_the_choice_is_remembered_and_nothing_is_told_at_the_load_of_the_page(opened: Opened, table: People) -> None:
    page = opened(table, 0)
    switch(page).check()
    page.reload()
    expect(switch(page)).to_be_checked()
    settled(page)
    assert told(page) == []
    switch(page).uncheck()
    page.evaluate("away = true")
    for _ in range(3):
        end_turn(table, page)
    expect(page).to_have_title("● Your turn: Ann, Bob, Cem")
    assert told(page) == []


def test_a_browser_that_refuses_notifications_is_named_and_the_sound_stays(opened: Opened, table: People) -> None:
    page = opened(table, 1, permission="denied")
    switch(page).check()
    expect(page.get_by_text("This browser does not allow notifications from this page.")).to_be_visible()
    told(page)
    page.evaluate("away = true")
    end_turn(table, page)
    assert told(page) == ["note", "note"]


def test_two_players_of_one_device_are_told_after_the_turns_of_others_only(opened: Opened, table: People) -> None:
    page = opened(table, 1, 2)
    switch(page).check()
    told(page)
    page.evaluate("away = true")
    end_turn(table, page)
    assert told(page)[-1].startswith("Your turn: ")
    end_turn(table, page)
    assert told(page) == []


@pytest.mark.parametrize("seats", [(), (0, 1, 2)], ids=["a spectator", "all players"])
def test_no_switch_for(opened: Opened, table: People, seats: tuple[int, ...]) -> None:
    page = opened(table, *seats)
    expect(actions(page)).to_contain_text("Your turn: " if seats else "Waiting for ")
    expect(switch(page)).to_be_hidden()
