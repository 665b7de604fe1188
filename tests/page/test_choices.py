"""The choices on the board: their marks, their explanations, the hint, and the question before the end of a turn."""

import random
import re
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.people import People
from tests.page.playing import actions, board, button, keep_seat, preferred, settled, status
from tests.support.browser import page_without_errors

END = {"type": "end_turn"}
PLAYER_COLOURS = {"rgb(31, 102, 184)", "rgb(196, 36, 44)", "rgb(245, 154, 35)", "rgb(22, 24, 27)", "rgb(240, 220, 174)"}


@pytest.fixture
def table(client: Client) -> People:
    return People(client, hot_seat=True, start="introductory", seed=15)


def open_at(page: Page, url: str, table: People) -> None:
    """Open the game as the player to move."""
    keep_seat(page, table, table.to_play)
    page.goto(f"{url}/play/{table.id}")
    settled(page)


def play_until(table: People, kinds: set[str]) -> None:
    """Play until actions of all these kinds are legal."""
    luck = random.Random(15)
    while not kinds <= {move["type"] for move in table.moves()}:
        assert table.do(luck.choice(preferred(table.moves()))).status_code == 200


def choice(page: Page, kind: str) -> Locator:
    return board(page).locator(f".target.{kind}")


def card(page: Page) -> Locator:
    return page.get_by_role("tooltip")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_kind_of_action_has_a_mark_in_a_colour_of_no_player(
    browser: Browser, url: str, table: People, scheme: Any
) -> None:
    """R4.1, R5.1, R9.2, R9.3."""
    looks = {}
    with page_without_errors(browser, color_scheme=scheme) as page:
        for kinds in ({"expand", "increase"}, {"expand_again"}, {"double"}):
            play_until(table, kinds)
            page.context.clear_cookies()
            open_at(page, url, table)
            for kind in kinds:
                place = choice(page, kind).first.locator("xpath=..")
                ring, ghost = place.locator(".ring").first, place.locator(".ghost")
                assert ring.evaluate("ring => getComputedStyle(ring).stroke") not in PLAYER_COLOURS
                looks[kind] = (
                    place.locator(".ring").count(),
                    ring.evaluate("ring => getComputedStyle(ring).strokeDasharray"),
                    re.sub("[-0-9. ]+", "", ghost.get_attribute("d") or ""),
                )
    assert len(set(looks.values())) == 4


def test_hover_shows_the_price_the_space_and_the_link(page: Page, url: str, table: People) -> None:
    """R4.1, R6.1."""
    open_at(page, url, table)
    move = next(move for move in table.seen("/legal-moves")["items"] if move["cost"])
    start, end = move["action"]["path"]
    choice(page, "expand").and_(page.locator(f"[data-focus={end}]")).hover()
    expect(card(page)).to_contain_text(move["text"])
    expect(card(page)).to_contain_text(f"leaves ${move['money_left']}")
    expect(card(page)).to_contain_text(re.compile(r"opens a franchise in .*, space \d of \d"))
    way = board(page).locator("path.way").get_attribute("data-link")
    assert way is not None
    assert set(way.split()) == {start, end}
    status(page).hover()
    expect(card(page)).to_be_hidden()
    expect(board(page).locator(".way")).to_have_count(0)


def test_focus_by_the_keyboard_shows_what_would_score_for_whom(page: Page, url: str, table: People) -> None:
    """R6.3."""
    luck = random.Random(15)
    while not (scoring := [move for move in table.seen("/legal-moves")["items"] if move["would_score"]]):
        table.do(luck.choice(preferred(table.moves())))
    move = scoring[0]
    open_at(page, url, table)
    plan = table.post("/preview", body=[move["action"], END]).json()["steps"]
    scored = next(effect["text"] for effect in plan[1]["effects"] if effect["type"] == "city_scored")
    target = board(page).locator(f".target[data-focus={move['targets'][0]}]")
    page.keyboard.press("Tab")
    target.focus()
    expect(card(page)).to_contain_text(f"scores {move['would_score']['influence']} IP")
    expect(card(page)).to_contain_text(scored)
    assert target.get_attribute("aria-describedby") == card(page).get_attribute("id")
    page.keyboard.press("Escape")
    expect(card(page)).to_be_hidden()


def test_a_long_press_explains_and_a_tap_plays(browser: Browser, url: str, table: People) -> None:
    with page_without_errors(browser, has_touch=True, viewport={"width": 390, "height": 844}) as page:
        open_at(page, url, table)
        before = table.version
        target = choice(page, "expand").first
        touch = {"pointerType": "touch", "bubbles": True, "isPrimary": True}
        target.dispatch_event("pointerdown", touch)
        expect(card(page)).to_be_visible()
        target.dispatch_event("pointerup", touch)
        target.dispatch_event("click")
        expect(card(page)).to_be_hidden()
        assert table.version == before
        target.tap()
        expect(board(page)).not_to_have_attribute("data-version", str(before))


def test_a_hint_is_shown_on_the_board(page: Page, url: str, table: People) -> None:
    open_at(page, url, table)
    button(page, "Hint").click()
    expect(actions(page).get_by_role("button", name="Do it")).to_be_visible()
    hint = table.get("/hint", table.host).json()["action"]
    expect(board(page).locator(".target.hinted")).to_have_attribute("data-focus", hint["path"][-1])
    expect(board(page).locator("path.hinted")).to_have_count(len(hint["path"]) - 1)


def last_button(page: Page) -> Locator:
    return actions(page).locator(".buttons").first.get_by_role("button").last


def test_the_end_of_the_turn_is_the_last_button_and_asks_once(page: Page, url: str, table: People) -> None:
    """R8.1: a turn without an expansion brings the end nearer."""
    open_at(page, url, table)
    expect(last_button(page)).to_have_text("End the turn")
    expect(actions(page).locator(".primary")).to_have_count(0)
    button(page, "End the turn").click()
    dialog = page.get_by_role("dialog")
    free = next(move for move in table.seen("/legal-moves")["items"] if move["targets"] and not move["cost"])
    expect(dialog).to_contain_text(f"You can still do this without paying: {free['text']}.")
    expect(dialog).to_contain_text("If you end the turn now, nothing scores.")
    dialog.get_by_role("button", name="Cancel").click()
    before = table.version
    button(page, "End the turn").click()
    expect(board(page)).not_to_have_attribute("data-version", str(before))


def begun(table: People) -> bool:
    """Return true if the player to move has put something on the board in this turn."""
    seat, places = table.to_play, table.seen("/board")["places"]
    return any(seat in place["markers"] or str(seat) in place["centre"] for place in places)


def test_the_end_of_a_turn_in_which_nothing_was_done_asks(page: Page, url: str, table: People) -> None:
    luck = random.Random(15)
    while begun(table) or any(move["cost"] == 0 and move["targets"] for move in table.seen("/legal-moves")["items"]):
        table.do(luck.choice(preferred(table.moves())))
    assert any(move["targets"] for move in table.seen("/legal-moves")["items"])
    open_at(page, url, table)
    button(page, "End the turn").click()
    expect(page.get_by_role("dialog")).to_contain_text("You have done nothing on the board in this turn.")


def test_the_end_of_the_turn_is_the_main_button_if_nothing_else_is_possible(
    page: Page, url: str, table: People
) -> None:
    luck = random.Random(15)
    while any(move["targets"] for move in table.seen("/legal-moves")["items"]):
        table.do(luck.choice(preferred(table.moves())))
    open_at(page, url, table)
    expect(actions(page).locator(".primary")).to_have_text("End the turn")
    before = table.version
    button(page, "End the turn").click()
    expect(board(page)).not_to_have_attribute("data-version", str(before))
