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
    button,
    by_keyboard,
    by_mouse,
    by_touch,
    game_path,
    moves,
    open_table,
    status,
    to_play,
)
from tests.page.texts import GAINED
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors


def assert_final_count(page: Page, client: Client) -> None:
    """Assert that the page shows the ending and the final count of every player as the server has them."""
    scores = client.get(f"{game_path(page)}/scores").json()
    game = client.get(game_path(page)).json()
    assert game["status"] == "finished"
    names = [seat["name"] for seat in game["seats"]]
    expect(status(page)).to_have_text(game["ending"]["text"])
    assert_final_table(page, scores, names)
    expect(moves(page)).to_contain_text("The game is over")


def assert_final_table(page: Page, scores: Any, names: list[str]) -> None:
    """Assert that one table has the influence of all players by source, the winners first."""
    players = sorted(
        scores["players"],
        key=lambda player: (player["seat"] not in scores["winners"], player["resigned"], -player["influence"]),
    )
    table = page.get_by_role("table", name="Final count in influence points (IP)")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["IP", *(re.compile(f"{names[player['seat']]}{' won' * (player is players[0])}$") for player in players)]
    )
    rows = table.get_by_role("row").all()[1:]
    assert [row.get_by_role("rowheader").inner_text() for row in rows] == [*GAINED.values(), "Total"]
    for source, row in zip(GAINED, rows, strict=False):
        points = [player["influence_from"][source] for player in players]
        assert [int(cell.split()[0]) for cell in row.get_by_role("cell").all_inner_texts()] == points
    expect(rows[-1].get_by_role("cell")).to_have_text([str(player["final"]["total"]) for player in players])


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
        assert not violations(page)
        sources = [each["influence_from"] for each in client.get(f"{game_path(page)}/scores").json()["players"]]
        assert all(sum(each[source] for each in sources) > 0 for source in ("cities", "towns"))


def test_a_person_and_bots_play_to_the_end(page: Page, url: str, client: Client) -> None:
    open_table(page, url, "Against bots", "Ann", "Bot: greedy", "Bot: random")
    luck = Random(2)
    heading = page.get_by_role("heading", level=2, name=re.compile("^(Your turn|Waiting for|Thinking|Game over)"))
    while True:
        expect(heading).to_have_text(re.compile("^(Your turn: .*Ann|Game over)$"))
        if heading.inner_text() == "Game over":
            break
        act_once(page, luck)
    game = client.get(game_path(page)).json()
    assert [seat["bot"] for seat in game["seats"]] == [None, "greedy", "random"]
    expect(button(page, "Hint")).to_have_count(0)
    expect(status(page)).to_have_text(game["ending"]["text"])
