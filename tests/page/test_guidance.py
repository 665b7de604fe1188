"""Guidance for players who do not know the game: advice, refusals, choices of paths, and the replay."""

import random
import re
from itertools import chain
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, Route, expect

from tests.api.people import People
from tests.page.playing import actions, board, open_table, preferred, status
from tests.support.browser import page_without_errors

NARROW = {"width": 360, "height": 740}
END = {"type": "end_turn"}


def open_as_host(page: Page, url: str, table: People) -> None:
    """Enter the token of the host, which plays every seat."""
    page.goto(f"{url}/play")
    page.get_by_label("Link, game id or token").fill(table.host)
    page.get_by_role("button", name="Go", exact=True).click()
    expect(board(page)).to_have_attribute("data-version", str(table.version))


def click_place(page: Page, table: People, place: str) -> None:
    """Click on a place after the board shows the newest version."""
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    board(page).locator(f"[data-place={place}] > .disc").click(force=True)  # the value of a city lies on it


def test_each_step_is_explained_and_a_wrong_place_is_refused_by_rules(page: Page, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    open_as_host(page, url, table)
    refusal = page.locator("#notices")
    expect(actions(page)).to_contain_text("Choose a marked town for your first franchise.")
    click_place(page, table, "denver")
    expect(refusal).to_contain_text("Choose town: Denver is a city, not a town. (R2.3)")
    for town in ("flagstaff", "pueblo"):
        table.do({"type": "choose_town", "town": town})
    expect(refusal).to_be_empty()
    expect(actions(page)).to_contain_text("Expand once to a marked town or city. The number on the link is the cost.")
    expect(actions(page)).to_contain_text("You have $3 and 4 bonus tiles.")
    click_place(page, table, "detroit")
    for kind in table.seen("/refusals?target=detroit")["items"]:
        expect(refusal).to_contain_text(f"{kind['text']} ({kind['rule']})")
    table.do({"type": "expand", "path": ["pueblo", "denver"]})
    expect(actions(page)).to_contain_text("You can do nothing more on the board this turn.")
    click_place(page, table, "phoenix")
    expect(refusal).to_contain_text("Expand: A turn has one expansion; a second one takes a bonus tile. (R4.1)")
    expect(refusal).to_contain_text("Expand again, Double: Bonus tiles cannot be used in a player's first turn. (R9.1)")
    expect(refusal.get_by_role("link", name="R9.1")).to_have_attribute("href", "/rules#R9.1")
    expect(refusal).not_to_contain_text("Detroit")
    expect(refusal.get_by_role("button", name="Dismiss")).to_have_count(1)


def test_a_refusal_waits_for_the_board(page: Page, url: str, client: Client) -> None:
    held: list[Route] = []
    table = People(client, hot_seat=True, start="introductory")
    page.route("**/board.svg*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright inspects its signature
    page.goto(f"{url}/play")
    page.get_by_label("Link, game id or token").fill(table.host)
    with page.expect_request("**/board.svg*"):
        page.get_by_role("button", name="Go", exact=True).click()
    actions(page).get_by_text("Why not another place?").click()
    actions(page).get_by_label("Place").select_option("New York")
    actions(page).get_by_role("button", name="Explain").click()
    for route in held:
        route.continue_()
    expect(page.locator("#notices")).to_contain_text("Expand: No direct link leads to New York from a place where ")


def test_the_consequences_of_ending_the_turn_are_shown(page: Page, url: str, client: Client) -> None:
    table, luck = People(client, hot_seat=True, start="introductory", seed=15), random.Random(15)
    open_as_host(page, url, table)
    expect(actions(page)).to_contain_text("If you end the turn now, nothing scores.")
    while not (outcome := table.seen("/legal-moves")["end_of_turn"]["text"]):
        table.do(luck.choice(preferred(table.moves())))
    expect(actions(page)).to_contain_text("If you end the turn now")
    expect(actions(page).locator(".end-of-turn p")).to_have_text(outcome)


def test_a_draft_shows_the_remaining_tiles(page: Page, url: str, client: Client) -> None:
    table = People(client, hot_seat=True, expert={"mode": "draft"})
    open_as_host(page, url, table)
    expect(actions(page)).to_contain_text("City tiles left: 4 of value 2, 3 of value 3, 8 of value 4, ")
    expect(actions(page)).to_contain_text("2 of value 6, 2 of value 7, 1 of value 8.")
    table.do({"type": "place_city_tile", "city": "new-york", "value": 7})
    expect(actions(page)).to_contain_text("2 of value 6, 1 of value 7, 1 of value 8.")


def play_until_far(client: Client, *, with_route: bool) -> tuple[People, dict[str, Any]]:
    """Return a table where a player has won the tiles, and a long expansion that is not among the legal moves."""
    tiles = {"region_tiles": {"chosen": [f"new-{number:02}" for number in range(11, 21)]}}
    table, luck = People(client, hot_seat=True, start="introductory", seed=15, modules=tiles), random.Random(15)
    while moves := table.moves():
        far = [move for move in moves if len(move.get("path", ())) > 2 and ("free_link" in move) >= with_route]
        for target in sorted({move["path"][-1] for move in far}):
            if found := unlisted(table, target, [{"free_link": 0}, {"free_link": 1}] if with_route else [{}], moves):
                return table, found
        near = [move for move in moves if "free_link" not in move and len(move.get("path", ())) <= 2]
        table.do(END if table.to_play and END in near else luck.choice(preferred(near)))
    raise AssertionError("no player has won the tiles")


def unlisted(table: People, target: str, free: list[dict[str, int]], moves: list[Any]) -> dict[str, Any] | None:
    """Return a legal expansion over two links to the target that is not among the legal moves, if any."""
    links = [link["between"] for link in table.client.get("/v1/boards/usa-1960s").json()["links"]]
    joined = {place: {*chain(*(link for link in links if place in link))} for place in chain(*links)}
    own = [place["id"] for place in table.seen("/board")["places"] if str(table.to_play) in place["franchises"]]
    paths = [[a, b, target] for a in own for b in sorted(joined[a] & joined[target] - {a})]
    for action in ({"type": "expand", "path": path} | link for path in paths for link in free):
        if action not in moves and table.post("/preview", body=action).json()["refused"] is None:
            return action
    return None


@pytest.mark.parametrize("with_route", [False, True], ids=["alone", "with the Route tile"])
def test_the_development_tile_leads_along_any_path(page: Page, url: str, client: Client, with_route: bool) -> None:
    """R12.5, R12.6: over several links through any places, not only by the cheapest path, with one free link."""
    table, action = play_until_far(client, with_route=with_route)
    first, over, target = action["path"]
    names = {place["id"]: place["name"] for place in table.seen("/board")["places"]}
    open_as_host(page, url, table)
    expect(actions(page)).to_contain_text("The Development tile lets you expand over several links")
    board(page).locator(f"[data-place={target}] > .target").click()
    page.get_by_role("button", name="Another path").click()
    for place in (first, over, target):
        page.get_by_role("dialog").get_by_role("button", name=re.compile(f"^{names[place]}( for|$)")).click()
    if with_route:
        ends = action["path"][action["free_link"] :][:2]
        page.get_by_role("button", name=" to ".join(map(names.__getitem__, ends)) + " for free").click()
    line = page.get_by_role("log", name="Moves").get_by_role("listitem").first
    expect(line).to_contain_text(f"from {names[first]} via {names[over]} to {names[target]} for $")
    assert "using the Development tile" in line.inner_text()
    assert ("and the Route tile ($" in line.inner_text()) is with_route


def test_a_finished_game_is_replayed_from_its_beginning(page: Page, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    table.play()
    page.goto(f"{url}/play/{table.id}")
    ending = page.get_by_role("region", name="Game over")
    expect(ending).to_be_visible()
    page.get_by_role("link", name="Watch the replay").click()
    slider = page.get_by_role("slider", name="Move")
    for name in ("Play", "Back to the present"):
        expect(page.get_by_text(name, exact=True)).to_be_in_viewport()
    top = slider.bounding_box()
    slider.press("Home")
    expect(slider).to_have_value("0")
    slider.press("End")
    expect(status(page)).to_contain_text("The game is over: ")
    expect(ending).to_be_hidden()
    assert slider.bounding_box() == top
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("region", name="Replay")).to_contain_text(re.compile(r"Move \d of \d\d"))


def test_a_phone_shows_the_board_in_parts_and_as_a_whole(browser: Browser, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    with page_without_errors(browser, viewport=NARROW) as page:
        open_as_host(page, url, table)
        expect(actions(page)).to_be_in_viewport()
        expect(board(page).get_by_role("button", name=re.compile("^Start in ")).first).to_be_attached()
        frame, hits = board(page).bounding_box(), board(page).locator(".target")
        assert frame is not None
        boxes = [box for hit in hits.all() if (box := hit.bounding_box())]
        assert min(box["width"] for box in boxes) >= 24
        assert any(frame["x"] <= box["x"] <= frame["x"] + frame["width"] - box["width"] for box in boxes)
        page.get_by_role("button", name="Smaller").click()
        picture = board(page).locator("svg").bounding_box()
        assert picture is not None
        assert picture["width"] <= frame["width"]


def test_the_lobby_shows_my_game_once(page: Page, url: str) -> None:
    open_table(page, url, "Hot seat", "Ann", "Bob of here")
    page.goto(f"{url}/play")
    page.get_by_label("Name", exact=True).fill("Bob of here")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("region", name="My games").get_by_role("link")).to_contain_text("Ann and Bob of here")
    expect(page.get_by_role("region", name="Games in progress")).to_have_text("Games in progressOnly your own games.")
    expect(page.get_by_role("region", name="Finished games")).to_contain_text("No game has finished yet.")


def test_a_private_game_says_what_it_needs(browser: Browser, url: str, client: Client) -> None:
    table = People(client, private=True)
    refused = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"
    with page_without_errors(browser, [refused]) as page:
        page.goto(f"{url}/play/{table.id}")
        expect(page.get_by_role("heading", name="This game is private")).to_be_visible()
        page.get_by_label("Your token").fill(table.tokens[0])
        page.get_by_role("button", name="Open", exact=True).click()
        expect(actions(page)).to_be_visible()


def test_the_rule_of_a_refused_move_is_a_link(browser: Browser, url: str, client: Client) -> None:
    conflict = "Failed to load resource: the server responded with a status of 409 (Conflict)"
    problem = {"title": "Illegal", "status": 409, "code": "illegal_action", "detail": "Not there.", "rule": "R2.3"}
    with page_without_errors(browser, [conflict]) as page:
        open_as_host(page, url, People(client, hot_seat=True))
        page.route("**/moves*", lambda route: route.fulfill(status=409, json=problem))
        board(page).get_by_role("button").first.click()
        notice = page.locator("#notices")
        expect(notice).to_contain_text("Illegal: Not there. (R2.3)")
        with page.expect_popup() as opened:
            notice.get_by_role("link", name="R2.3").click()
        expect(opened.value).to_have_url(f"{url}/rules#R2.3")
