"""The first screen of the page in a browser with an empty cache."""

from httpx import Client
from playwright.sync_api import Page, expect

from tests.api.people import People
from tests.page.playing import settled
from tests.support.traffic import FIRST_SCREEN_BYTES, GAME_BYTES, Traffic


def test_the_lobby_is_small(page: Page, url: str, client: Client) -> None:
    People(client, 3)
    traffic = Traffic(page)
    page.goto(f"{url}/play")
    expect(page.get_by_role("region", name="Games in progress").get_by_role("link").first).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("Live")
    traffic.measure()
    assert 0 < traffic.size <= FIRST_SCREEN_BYTES
    assert 0 < traffic.requests <= 45


def test_a_game_is_small(page: Page, url: str, client: Client) -> None:
    table = People(client, 5)
    table.play(40)
    traffic = Traffic(page)
    page.goto(f"{url}/play/{table.id}")
    settled(page)
    traffic.measure()
    assert 0 < traffic.size <= GAME_BYTES
    assert 0 < traffic.requests <= 45
