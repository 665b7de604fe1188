"""Whole games, played to the end by clicks."""

import re
from random import Random
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, expect

from tests.page.playing import (
    Press,
    act_once,
    actions,
    button,
    by_keyboard,
    by_mouse,
    by_touch,
    game_path,
    moves,
    open_scores,
    open_table,
    status,
    to_play,
)
from tests.support.accessibility import serious_violations
from tests.support.browser import page_without_errors


def assert_final_count(page: Page, client: Client) -> None:
    """Assert that the page shows the ending and the final count of every player as the server has them."""
    scores = client.get(f"{game_path(page)}/scores").json()
    game = client.get(game_path(page)).json()
    assert game["status"] == "finished"
    names = [seat["name"] for seat in game["seats"]]
    expect(status(page)).to_have_text(game["ending"]["text"])
    open_scores(page)
    for player in scores["players"]:
        card = page.get_by_role("region", name="Players").get_by_role("group").filter(has_text=names[player["seat"]])
        count = card.get_by_role("table", name="Final count")
        expect(count.get_by_role("row").last).to_have_text(f"Total{player['final']['total']} IP")
        assert player["final"]["total"] == player["influence"]
    expect(moves(page)).to_contain_text("The game is over")


@pytest.mark.parametrize(
    ("press", "look"),
    [
        (by_mouse, {"viewport": {"width": 1280, "height": 800}}),
        (by_keyboard, {"viewport": {"width": 1920, "height": 1080}, "color_scheme": "dark"}),
        (by_touch, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "forced_colors": "active"}),
    ],
    ids=["mouse", "keyboard", "touch"],
)
def test_three_players_on_one_device_play_to_the_end(
    browser: Browser, url: str, client: Client, press: Press, look: Any
) -> None:
    with page_without_errors(browser, **look) as page:
        open_table(page, url, "Hot seat", "Ann", "Bob", "Cem")
        luck = Random(1)
        played = []
        while name := to_play(page):
            played.append(name)
            act_once(page, luck, press)
        assert set(played) == {"Ann", "Bob", "Cem"}
        assert_final_count(page, client)
        assert not serious_violations(page)
        sources = [each["influence_from"] for each in client.get(f"{game_path(page)}/scores").json()["players"]]
        assert all(sum(each[source] for each in sources) > 0 for source in ("cities", "towns"))


def test_a_person_and_bots_play_to_the_end(page: Page, url: str, client: Client) -> None:
    open_table(page, url, "Against bots", "Ann", "Bot: greedy", "Bot: random")
    luck = Random(2)
    heading = actions(page).get_by_role("heading", level=2)
    while True:
        expect(heading).to_have_text(re.compile("^(Your turn: .*Ann|Game over)$"))
        if heading.inner_text() == "Game over":
            break
        act_once(page, luck)
    game = client.get(game_path(page)).json()
    assert [seat["bot"] for seat in game["seats"]] == [None, "greedy", "random"]
    expect(button(page, "Hint")).to_have_count(0)
    expect(status(page)).to_have_text(game["ending"]["text"])
