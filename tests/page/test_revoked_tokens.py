"""A token that no longer works: the page shows the game without it, and asks for the new one."""

import json
import re

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.people import People
from tests.page.playing import actions, board, button, keep, kept, moves, settled
from tests.support.browser import page_without_errors

REVOKED = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"
TITLE = "Your token no longer works"


def open_game(page: Page, url: str, table: People, tokens: object) -> None:
    """Open a game in a browser that stores these tokens."""
    keep(page, table.id, json.dumps(tokens))
    page.goto(f"{url}/play/{table.id}")


def renew(table: People, seat: int) -> str:
    """Renew the token of a seat elsewhere."""
    return str(table.post(f"/seats/{seat}/token", table.host).json()["token"])


def note(page: Page) -> Locator:
    return page.get_by_role("region", name=TITLE)


def expect_watching(page: Page, table: People) -> None:
    """Expect the newest state without any action, and the note."""
    expect(note(page)).to_contain_text(
        "It was renewed, or the host removed you from the table. Enter your new token, or ask the host."
    )
    expect(actions(page)).to_contain_text("Waiting for ")
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    expect(board(page).get_by_role("button")).to_have_count(0)
    assert page.title().startswith("Franchise: ")


def enter(page: Page, token: str) -> None:
    page.get_by_role("textbox", name="Your token").first.fill(token)
    button(page, "Open").first.click()


@pytest.mark.parametrize("open_before", [False, True], ids=["before the visit", "during the visit"])
def test_a_public_game_is_watched_live_until_the_new_token_is_entered(
    browser: Browser, url: str, client: Client, *, open_before: bool
) -> None:
    table = People(client)
    seat = table.to_play
    with page_without_errors(browser, [REVOKED]) as page:
        if open_before:
            open_game(page, url, table, {"seats": {seat: table.tokens[seat]}})
            expect(actions(page)).to_contain_text("Your turn: ")
            new = renew(table, seat)
        else:
            new = renew(table, seat)
            open_game(page, url, table, {"seats": {seat: table.tokens[seat]}})
        expect_watching(page, table)
        assert kept(page, table.id)["seats"][str(seat)] == table.tokens[seat]
        table.tokens[seat] = new
        table.play(1)
        expect(board(page)).to_have_attribute("data-version", str(table.version))
        expect(moves(page)).to_contain_text("starts with a franchise in")
        enter(page, new)
        expect(note(page)).to_have_count(0)
        while table.to_play != seat:
            table.do({"type": "end_turn"} if table.seen()["turn"] else table.moves()[0])
        expect(actions(page)).to_contain_text("Your turn: ")
        expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()


def test_a_move_with_a_revoked_token_is_refused_and_the_game_stays(browser: Browser, url: str, client: Client) -> None:
    """The page does not follow the game, so that it learns of the renewal by its move."""
    table = People(client)
    seat = table.to_play
    with page_without_errors(browser, [REVOKED]) as page:
        page.route("**/stream*", lambda _: None)
        open_game(page, url, table, {"seats": {seat: table.tokens[seat]}})
        settled(page)
        renew(table, seat)
        page.get_by_role("button", name=re.compile("^Start in ")).first.click()
        expect(page.locator("#notices")).to_contain_text("This token no longer works.")
        expect_watching(page, table)


def test_another_token_of_the_browser_still_works(browser: Browser, url: str, client: Client) -> None:
    table = People(client)
    with page_without_errors(browser, [REVOKED]) as page:
        open_game(page, url, table, {"host": table.host, "seats": table.tokens})
        expect(actions(page)).to_contain_text("Your turn: ")
        assert table.post("/host-token", table.host).status_code == 201
        expect(note(page)).to_be_visible()
        expect(actions(page)).to_contain_text("Your turn: ")
        button(page, "Forget the old token").click()
        expect(note(page)).to_have_count(0)
        assert kept(page, table.id).keys() == {"seats", "bound"}
        page.get_by_role("button", name=re.compile("^Start in ")).first.click()
        expect(moves(page)).to_contain_text("starts with a franchise in")


def test_a_private_game_is_closed_until_the_new_token_is_entered(browser: Browser, url: str, client: Client) -> None:
    table = People(client, private=True)
    with page_without_errors(browser, [REVOKED]) as page:
        open_game(page, url, table, {"seats": {0: table.tokens[0]}})
        expect(moves(page)).to_be_visible()
        new = renew(table, 0)
        expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
        expect(page.locator("#connection")).to_be_empty()
        expect(page).to_have_title("Franchise")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
        enter(page, new)
        expect(moves(page)).to_be_visible()
        expect(page.locator("#connection")).to_have_text("Live")


def test_a_kicked_player_may_join_again(browser: Browser, url: str, client: Client) -> None:
    table = People(client, seats=3, players=2)
    with page_without_errors(browser, [REVOKED]) as page:
        open_game(page, url, table, {"seats": {1: table.tokens[1]}})
        expect(page.get_by_role("heading", name="Your seat")).to_be_visible()
        assert client.delete(f"{table.path}/seats/1", headers={"authorization": f"Bearer {table.host}"}).is_success
        expect(note(page)).to_be_visible()
        button(page, "Forget the old token").click()
        page.get_by_role("textbox", name="Your name").fill("Bob")
        button(page, "Join").click()
        expect(page.get_by_role("heading", name="Your seat")).to_be_visible()
        expect(note(page)).to_have_count(0)


def test_a_failed_connection_refuses_no_token(browser: Browser, url: str, client: Client) -> None:
    table = People(client)
    seat = table.to_play
    failed = ["Failed to load resource: the server responded with a status of 503 (Service Unavailable)"]
    with page_without_errors(browser, failed) as page:
        page.route("**/state*", lambda route: route.fulfill(status=503, body=""))
        open_game(page, url, table, {"seats": {seat: table.tokens[seat]}})
        button(page, "Try again").wait_for()
        page.unroute("**/state*")
        button(page, "Try again").click()
        expect(actions(page)).to_contain_text("Your turn: ")
        expect(note(page)).to_have_count(0)
