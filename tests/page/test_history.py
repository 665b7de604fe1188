"""The history: turns with one line per move, whose many effects fold."""

import random
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Page, expect

from tests.api.people import People
from tests.page.playing import moves


@pytest.fixture(scope="module")
def table(client: Client) -> People:
    """A game up to the first turn with points for two players."""
    table, luck = People(client, 3, start="introductory"), random.Random(15)
    while not points_of(table.seen("/history")["items"][-1:]):
        offered = table.moves()
        growing = [move for move in offered if move["type"] in ("expand", "increase")]
        assert table.do(luck.choice(growing or offered[-1:])).status_code == 200
    return table


def points_of(lines: list[Any]) -> dict[str, int]:
    """Return the points of each player in a line."""
    gained: dict[str, int] = {}
    for change in (change for line in lines for effect in line["effects"] for change in effect["changes"]):
        if change["influence"]:
            gained[change["seat"]] = gained.get(change["seat"], 0) + change["influence"]
    return gained


def test_the_effects_of_the_end_of_a_turn_are_summed_up_and_fold(page: Page, url: str, table: People) -> None:
    line = table.seen("/history")["items"][-1]
    first, *others = [effect["text"] for effect in line["effects"]]
    page.goto(f"{url}/play/{table.id}")
    shown = moves(page).locator(f"[data-version='{line['version']}']")
    link, effects = shown.get_by_role("link"), shown.get_by_role("listitem")
    expect(link).to_contain_text(first)
    for seat, points in points_of([line]).items():
        expect(link).to_contain_text(f"{table.seen()['seats'][int(seat)]['name']} +{points} IP")
    expect(effects).to_have_count(0)
    shown.get_by_text(f"{len(others)} effects").press("Enter")
    expect(effects).to_have_text(others)
    link.click()
    expect(page).to_have_url(f"{url}/play/{table.id}#v={line['version']}")
    expect(effects).to_have_text(others)


def test_a_turn_names_its_player_in_the_sentences_only(page: Page, url: str, table: People) -> None:
    page.goto(f"{url}/play/{table.id}")
    expect(moves(page).get_by_role("heading", name="Turn 1", exact=True)).to_have_text("ATurn 1")
    expect(moves(page)).not_to_contain_text("to play.")


@pytest.mark.parametrize(("hot_seat", "shown"), [(True, 0), (False, 1)])
def test_a_move_of_the_host_is_marked_unless_the_host_plays_all_seats(
    page: Page, url: str, client: Client, *, hot_seat: bool, shown: int
) -> None:
    table = People(client, undo="free", hot_seat=hot_seat)
    assert table.post("/moves", table.host, table.moves()[0]).status_code == 200
    page.goto(f"{url}/play/{table.id}")
    line = moves(page).get_by_role("listitem").first
    expect(line).to_contain_text("starts with a franchise in")
    expect(line.get_by_text("Host", exact=True)).to_have_count(shown)
