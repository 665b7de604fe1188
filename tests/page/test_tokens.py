"""The tokens of players: they leave an open table, and renew their tokens."""

import json
import re
from typing import Any

from httpx import Client
from playwright.sync_api import Browser, Page, Route, expect

from tests.api.people import People
from tests.page.playing import actions, button, keep, kept
from tests.support.browser import page_without_errors

LOST = "Failed to load resource: net::ERR_FAILED"
REVOKED = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"


def open_game(page: Page, url: str, table: People, *seats: int, **tokens: Any) -> None:
    """Open a game in a browser that stores the tokens of these seats."""
    keep(page, table.id, json.dumps({"seats": {seat: table.tokens[seat] for seat in seats}, **tokens}))
    page.goto(f"{url}/play/{table.id}")


def confirm(page: Page, press: str, yes: str) -> None:
    """Press a button, and confirm the question that it asks."""
    button(page, press).click()
    page.get_by_role("dialog").get_by_role("button", name=yes, exact=True).click()


def names(table: People) -> list[str | None]:
    return [seat["name"] for seat in table.seen()["seats"]]


def test_a_player_leaves_an_open_table_after_a_question(page: Page, url: str, client: Client) -> None:
    table = People(client, seats=3, players=2)
    open_game(page, url, table, 1)
    confirm(page, "Leave this table", "Cancel")
    expect(button(page, "Leave this table")).to_be_focused()
    assert names(table) == ["Ann", "Bob", None]
    confirm(page, "Leave this table", "Leave")
    expect(page).to_have_url(f"{url}/play")
    assert names(table) == ["Ann", None, None]
    assert kept(page, table.id) == {"seats": {}}
    expect(page.get_by_role("region", name="Open tables").get_by_role("link").first).to_be_visible()
    expect(page.get_by_role("region", name="My games")).to_have_count(0)


def test_a_player_leaves_a_private_table(page: Page, url: str, client: Client) -> None:
    table = People(client, seats=3, players=2, private=True)
    open_game(page, url, table, 1)
    confirm(page, "Leave this table", "Leave")
    expect(page).to_have_url(f"{url}/play")
    assert [seat["name"] for seat in table.get(token=table.host).json()["seats"]] == ["Ann", None, None]


def test_the_host_leaves_a_seat_and_takes_another_one(page: Page, url: str, client: Client) -> None:
    table = People(client, seats=3, players=2)
    open_game(page, url, table, 0, 1, host=table.host)
    confirm(page, "Leave this table as Ann", "Leave")
    expect(button(page, "Leave this table")).to_be_visible()
    confirm(page, "Kick Bob", "Kick")
    page.get_by_role("textbox", name="Your name").fill("Ada")
    button(page, "Join").click()
    expect(button(page, "Leave this table")).to_be_visible()
    assert names(table) == ["Ada", None, None]


def test_a_renewed_token_is_stored_and_the_old_one_no_longer_works(page: Page, url: str, client: Client) -> None:
    table = People(client)
    player = table.to_play
    open_game(page, url, table, player)
    page.get_by_text("Continue on another device").click()
    button(page, "Renew my token").click()
    expect(page.get_by_role("dialog")).to_contain_text("other devices that use it are logged out")
    with page.expect_request("**/token") as sent:
        button(page, "Renew").click()
    assert re.fullmatch("[0-9a-f]{32}", sent.value.headers["idempotency-key"])
    expect(page.get_by_role("alert")).to_contain_text("has a new token. Devices with the old one are logged out.")
    token = kept(page, table.id)["seats"][str(player)]
    assert table.get(token=table.tokens[player]).status_code == 401
    assert table.get(token=token).status_code == 200
    button(page, f"Token of {table.seen()['seats'][player]['name']}").click()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_have_value(token)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Start in ")).first.click()
    expect(page.get_by_role("log", name="Moves")).to_contain_text("starts with a franchise in")


def test_a_new_token_is_fetched_again_if_the_response_is_lost(browser: Browser, url: str, client: Client) -> None:
    table = People(client, private=True)
    player = table.get(token=table.host).json()["to_play"]
    keys: list[str] = []

    def lose(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        assert route.fetch().status == 201
        route.abort()

    with page_without_errors(browser, [LOST, REVOKED]) as page:
        open_game(page, url, table, player)
        page.get_by_text("Continue on another device").click()
        page.route("**/token", lose)
        confirm(page, "Renew my token", "Renew")
        expect(button(page, "Try again")).to_be_visible()
        assert table.get(token=table.tokens[player]).status_code == 401
        page.unroute("**/token")
        button(page, "Try again").click()
        expect(actions(page)).to_contain_text("Your turn: ")
        assert len(keys) > 1
        assert len(set(keys)) == 1
        assert kept(page, table.id).keys() == {"seats", "bound"}
        assert table.get(token=kept(page, table.id)["seats"][str(player)]).status_code == 200
