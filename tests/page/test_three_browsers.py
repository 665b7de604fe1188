"""Three people in three browsers: they join by a link, see each other play, and lose connections and tokens."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from random import Random

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.page.playing import act_once, actions, board, button, fill_table, moves, settled, status, to_play
from tests.support.browser import page_without_errors

OFFLINE = "Failed to load resource: net::ERR_INTERNET_DISCONNECTED"
CLIPBOARD = ["clipboard-read", "clipboard-write"]

People = dict[str, Page]


@pytest.fixture
def people(browser: Browser, url: str) -> Iterator[People]:
    """Ann, who opened the table, and two players who joined by her link. An undo needs the consent of all."""
    with ExitStack() as stack:
        ann, bob, cem = (
            stack.enter_context(page_without_errors(browser, [OFFLINE], permissions=CLIPBOARD)) for _ in range(3)
        )
        fill_table(ann, url, "With friends", "Ann", "Open seat", "Open seat")
        ann.get_by_role("combobox", name="Undo").select_option("agree")
        button(ann, "Open the table").click()
        button(ann, "Copy link").click()
        expect(ann.get_by_role("alert")).to_contain_text("The link was copied.")
        button(ann, "Dismiss").click()
        link = ann.evaluate("navigator.clipboard.readText()")
        for name, page in [("Bob", bob), ("Cem", cem)]:
            page.goto(link)
            page.get_by_role("textbox", name="Your name").fill(name)
            button(page, "Join").click()
        people = {"Ann": ann, "Bob": bob, "Cem": cem}
        for page in people.values():
            expect(status(page)).to_contain_text("Turn 1")
        yield people


def play(people: People, luck: Random, until: Callable[[Page], bool] = lambda _: False) -> None:
    """Let all play in turn, until the game is over or the condition is true for the page of the last player."""
    page = people["Ann"]
    while name := to_play(page):
        page = people[name]
        expect(actions(page)).to_contain_text("Your turn: ")
        act_once(page, luck)
        all_see(people, settled(page))
        if until(page):
            return


def all_see(people: People, version: int) -> None:
    for page in people.values():
        expect(board(page)).to_have_attribute("data-version", str(version))


def newest_line(page: Page) -> Locator:
    return moves(page).get_by_role("listitem").first


def test_they_play_to_the_end_and_each_sees_the_same(people: People) -> None:
    play(people, Random(3))
    shown = set()
    for page in people.values():
        expect(status(page)).to_contain_text("nobody has expanded for a whole round.")
        expect(newest_line(page)).to_contain_text("The game is over")
        shown.add((status(page).inner_text(), moves(page).inner_text()))
    assert len(shown) == 1


def ask_to_undo(people: People) -> None:
    """Let Ann ask to undo her last action."""
    button(people["Ann"], "Ask to undo").click()
    for page in people.values():
        expect(actions(page)).to_contain_text("Ann asks to undo. Waiting for Bob and Cem.")


def test_a_move_is_announced_and_undone_if_all_others_agree(people: People) -> None:
    """Screen readers announce the move. It stays if one player declines, or if the proposal is withdrawn."""
    act_once(people["Ann"], Random(5))
    line = newest_line(people["Ann"]).inner_text()
    assert line.startswith("Ann ")
    for page in people.values():
        expect(page.locator("p[aria-live=polite]")).to_have_text(line)
    ask_to_undo(people)
    button(people["Cem"], "Decline as Cem").click()
    for page in people.values():
        expect(actions(page)).not_to_contain_text("asks to undo")
        expect(moves(page)).to_contain_text(line)
    ask_to_undo(people)
    button(people["Ann"], "Withdraw").click()
    for page in people.values():
        expect(button(page, "Withdraw")).to_have_count(0)
        expect(actions(page)).not_to_contain_text("asks to undo")
        expect(moves(page)).to_contain_text(line)
    ask_to_undo(people)
    button(people["Bob"], "Agree as Bob").click()
    expect(actions(people["Ann"])).to_contain_text("Waiting for Cem.")
    expect(moves(people["Ann"])).to_contain_text(line)
    button(people["Cem"], "Agree as Cem").click()
    for page in people.values():
        expect(moves(page)).not_to_contain_text(line)
        expect(actions(page)).not_to_contain_text("asks to undo")
    expect(actions(people["Ann"])).to_contain_text("Your turn: ")


def test_a_reloaded_page_continues_where_it_was(people: People) -> None:
    play(people, Random(6), until=lambda page: page == people["Bob"])
    version, before = settled(people["Bob"]), status(people["Bob"]).inner_text()
    for page in people.values():
        page.reload()
    all_see(people, version)
    for page in people.values():
        assert status(page).inner_text() == before
    play(people, Random(6), until=lambda page: page == people["Cem"])


def test_a_lost_connection_is_shown_and_missed_moves_arrive_later(people: People) -> None:
    ann, cem = people["Ann"], people["Cem"]
    sign = cem.locator("header").get_by_role("status")
    expect(sign).to_have_text("Live")
    cem.context.set_offline(True)
    expect(sign).to_have_text("Connection lost, reconnecting")
    act_once(ann, Random(7))
    line = newest_line(ann).inner_text()
    assert settled(cem) < settled(ann)
    cem.context.set_offline(False)
    expect(moves(cem)).to_contain_text(line)
    expect(board(cem)).to_have_attribute("data-version", str(settled(ann)))
    expect(sign).to_have_text("Live")


def test_a_player_without_a_token_watches_until_it_is_entered_again(people: People) -> None:
    ann = people["Ann"]
    expect(actions(ann)).to_contain_text("Your turn: ")
    ann.get_by_text("Continue on another device").click()
    button(ann, "Token of Ann").click()
    token = ann.get_by_role("textbox", name="The token of Ann").input_value()
    ann.evaluate("localStorage.clear()")
    ann.reload()
    expect(actions(ann)).to_contain_text("Waiting for ")
    settled(ann)
    expect(board(ann).get_by_role("button")).to_have_count(0)
    ann.get_by_role("link", name="Lobby").click()
    ann.get_by_role("textbox", name="Link, game id or token").fill(token)
    button(ann, "Go").click()
    expect(actions(ann)).to_contain_text("Your turn: ")
    act_once(ann, Random(8))
