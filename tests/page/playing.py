"""A player who uses the page: targets on the board, choices in dialogs, buttons, stored tokens."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.api.people import People

LIVELY_UNTIL = 9
"""The turn from which the players only pass, so that the game ends soon (R8.1)."""


def board(page: Page) -> Locator:
    """The board, whose `data-version` is the version that it shows."""
    return page.get_by_role("group", name="Board", exact=True)


def status(page: Page) -> Locator:
    """The heading with the player to move or the ending."""
    return page.get_by_role("heading", level=1)


def actions(page: Page) -> Locator:
    """The panel of the player to move."""
    return page.get_by_role("region", name="Your turn")


def moves(page: Page) -> Locator:
    return page.get_by_role("log", name="Moves")


def open_scores(page: Page) -> None:
    """Open the cards of all players, with the sources of their points."""
    for card in page.get_by_role("region", name="Players").get_by_role("group").all():
        if card.get_attribute("open") is None:
            card.locator("summary").click()


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def settled(page: Page) -> int:
    """Wait until the board shows the newest version of the page, and return it."""
    link = page.get_by_role("link", name="Replay", exact=True).get_attribute("href")
    assert link is not None
    version = link.removeprefix("#v=")
    expect(board(page)).to_have_attribute("data-version", version)
    return int(version)


Press = Callable[[Locator], None]
"""Presses a button or a place."""


def by_mouse(target: Locator) -> None:
    target.click()


def by_touch(target: Locator) -> None:
    target.tap()


def by_keyboard(target: Locator) -> None:
    target.focus()
    target.page.keyboard.press("Enter")


def act_once(page: Page, luck: Random, press: Press = by_mouse) -> None:
    """Do one action, and wait until the board shows the result.

    The player prefers to increase, so that cities score, and then to expand.
    """
    before = settled(page)
    offered = _targets(page) if _turn(page) < LIVELY_UNTIL else []
    preferred = [name for name in offered if name.startswith("Increase")] or offered
    if preferred:
        _press_target(page, luck.choice(preferred), luck, press)
    else:
        end_turn(page, press)
    expect(board(page)).not_to_have_attribute("data-version", str(before))


def end_turn(page: Page, press: Press = by_mouse) -> None:
    """End the turn, also if the page asks whether to."""
    press(button(page, "End the turn"))
    asked = page.get_by_role("dialog").get_by_role("button", name="End the turn")
    if asked.count():
        press(asked)


def _turn(page: Page) -> int:
    found = re.match(r"Turn (\d+)", status(page).inner_text())
    return int(found[1]) if found else 0


def _targets(page: Page) -> list[str]:
    names: list[str] = board(page).get_by_role("button").evaluate_all("all => all.map(each => each.ariaLabel)")
    return names


def _press_target(page: Page, name: str, luck: Random, press: Press) -> None:
    press(board(page).get_by_role("button", name=name, exact=True))
    if re.search(r": \d+ actions$", name):
        entries = page.get_by_role("dialog", name="Choose an action").get_by_role("listitem")
        press(entries.nth(luck.randrange(entries.count())).get_by_role("button"))


def to_play(page: Page) -> str | None:
    """Return the name of the player who has to decide, or None after the end."""
    settled(page)
    heading = page.get_by_role("heading", level=2, name=re.compile("^(Your turn|Waiting for|Thinking|Game over)"))
    return None if heading.inner_text() == "Game over" else heading.locator(".name").inner_text()


def fill_table(page: Page, url: str, begin: str, *seats: str, first: str = "A: Ann", seed: str = "7") -> None:
    """Fill in the form for a new table with these players, bots and open seats."""
    page.goto(f"{url}/play#new")
    page.get_by_role("button", name=begin).click()
    page.get_by_role("combobox", name="Number of players").select_option(str(len(seats)))
    for letter, seat in zip("ABCDE", seats, strict=False):
        named = not seat.startswith("Bot: ") and seat != "Open seat"
        page.get_by_role("combobox", name=f"Seat {letter}: player").select_option("Person" if named else seat)
        if named:
            page.get_by_role("textbox", name=f"Seat {letter}: name").fill(seat)
    more_options(page).click()
    page.get_by_role("combobox", name="Start").select_option("introductory")
    page.get_by_role("combobox", name="First player").select_option(first)
    page.get_by_role("textbox", name="Seed").fill(seed)


def more_options(page: Page) -> Locator:
    """The line over the folded options of the form for a new table."""
    return page.locator("summary", has_text="More options")


def open_table(page: Page, url: str, begin: str, *seats: str) -> None:
    """Open a table and wait for the first turn."""
    fill_table(page, url, begin, *seats)
    button(page, "Open the table").click()
    expect(status(page)).to_contain_text("Turn 1")


def game_path(page: Page) -> str:
    """Return the path of the open game in the API."""
    return "/v1/games/" + urlsplit(page.url).path.removeprefix("/play/")


def keep(page: Page, game: str, text: str) -> None:
    """Store a text in the browser as the tokens of a game, unless it already stores some."""
    key = json.dumps(f"franchise:tokens:{game}")
    page.add_init_script(f"localStorage.getItem({key}) ?? localStorage.setItem({key}, {json.dumps(text)})")


def keep_seat(page: Page, table: People, seat: int) -> None:
    """Store the token of a seat in the browser."""
    keep(page, table.id, json.dumps({"seats": {seat: table.tokens[seat]}}))


def preferred(moves: list[Any]) -> list[Any]:
    """Return the expansions among moves, or else the increases, or else all."""
    kinds = ([move for move in moves if move["type"] == kind] for kind in ("expand", "increase"))
    return next(filter(None, kinds), moves)


def kept(page: Page, game: str) -> Any:
    """Return the stored tokens of a game."""
    return json.loads(page.evaluate("key => localStorage.getItem(key)", f"franchise:tokens:{game}"))
