"""Rematches on the page: players of a finished game meet at a new table."""

import json
import re

from httpx import Client
from playwright.sync_api import Page, expect

from tests.api.people import People, bearer
from tests.page.playing import button, keep, keep_seat, settled


def finished(client: Client) -> People:
    table = People(client, start="introductory")
    assert table.post("/moves", table.tokens[0], {"type": "resign"}).status_code == 200
    return table


def test_one_device_asks_for_all_its_seats_and_play_begins(page: Page, url: str, client: Client) -> None:
    table = finished(client)
    keep(page, table.id, json.dumps({"host": table.host, "seats": table.tokens}))
    page.goto(f"{url}/play/{table.id}")
    button(page, "Rematch").click()
    expect(page).not_to_have_url(re.compile(table.id))
    settled(page)
    expect(page.get_by_role("heading", name="Your turn: ")).to_contain_text("Bob")
    page.get_by_text("About this rematch").click()
    page.get_by_role("link", name="the original game").click()
    expect(page).to_have_url(f"{url}/play/{table.id}")
    expect(page.get_by_role("log", name="Moves")).to_contain_text("A rematch was opened.")


def test_a_player_waits_at_the_table_until_the_other_one_asks(page: Page, url: str, client: Client) -> None:
    table = finished(client)
    keep_seat(page, table, 0)
    page.goto(f"{url}/play/{table.id}")
    button(page, "Rematch").click()
    seats = page.get_by_role("listitem")
    expect(seats.filter(has_text="Ann")).to_contain_text("You")
    expect(seats.filter(has_text="Bob")).to_contain_text("Not here yet")
    asked = client.post(f"{table.path}/rematch", headers=bearer(table.tokens[1]))
    assert asked.status_code == 200
    settled(page)
    assert page.url.endswith(asked.json()["game"]["id"])


def test_others_follow_a_link_to_the_rematch(page: Page, url: str, client: Client) -> None:
    table = finished(client)
    page.goto(f"{url}/play/{table.id}")
    expect(page.get_by_role("heading", name="Game over")).to_be_visible()
    expect(button(page, "Rematch")).to_have_count(0)
    game = client.post(f"{table.path}/rematch", headers=bearer(table.tokens[1])).json()["game"]["id"]
    page.get_by_role("link", name="Watch the rematch").click()
    expect(page).to_have_url(f"{url}/play/{game}")
