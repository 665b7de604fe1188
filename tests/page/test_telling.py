"""The board tells what others did, and marks it until the next click."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, expect

from tests.api.people import People
from tests.page.playing import actions, board, button, end_turn, keep, keep_seat, moves, preferred, settled, status
from tests.support.browser import Hold, page_without_errors

ANN = 0
END = {"type": "end_turn"}
ROUND, STEP = 5000, 100
BOARD = "**/board.svg*"
LIMITED = "Failed to load resource: the server responded with a status of 429 (Too Many Requests)"

RECORD = """() => {
  window.told = [];
  window.players = [];
  const frame = document.querySelector(".frame");
  const note = () => {
    window.told.push(Number(frame.dataset.version));
    window.players.push(document.querySelector(".score.current").dataset.focus);
  };
  new MutationObserver(note).observe(frame, { attributeFilter: ["data-version"] });
}"""


@pytest.fixture
def live(browser: Browser) -> Iterator[Page]:
    """A page that shows actions one by one."""
    with page_without_errors(browser, reduced_motion="no-preference") as page:
        yield page


@pytest.fixture
def table(client: Client) -> People:
    """A table where Ann has ended her first turn."""
    table = People(client, 3, start="introductory")
    table.do(END)
    return table


def play_round(table: People, turns: int = 2) -> list[int]:
    """Let Bob and Cem expand and end their turns; return the versions after their actions."""
    before = table.version
    for _ in range(turns):
        expansion = next(move for move in table.moves() if move["type"] == "expand")
        assert table.do([expansion, END]).status_code == 200
    return [line["version"] for line in table.seen(f"/history?after={before}")["items"]]


def until_scoring(table: People, *, own: bool) -> dict[str, Any]:
    """Play until Ann, or somebody else, would score a city by ending the turn; return the consequences."""
    luck = random.Random(15)
    while True:
        outcome = table.seen("/legal-moves")["end_of_turn"]
        if outcome["cities"] and (table.to_play == ANN) is own:
            return dict(outcome)
        table.do(luck.choice(preferred(table.moves())))


def follow(page: Page, url: str, table: People, seat: int | None = ANN) -> None:
    """Open the game as a player or as a spectator, and record the versions that the board shows."""
    if seat is not None:
        keep_seat(page, table, seat)
    page.goto(f"{url}/play/{table.id}")
    settled(page)
    expect(moves(page).get_by_role("listitem")).not_to_have_count(0)
    page.evaluate(RECORD)


def told(page: Page, table: People) -> list[int]:
    """Return the versions that the board has shown, once it shows the newest one."""
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    shown: list[int] = page.evaluate("window.told")
    return sorted(set(shown))


def marked(page: Page) -> list[str]:
    """Return the places that are marked because something happened there."""
    places: list[str] = board(page).locator(".place.changed").evaluate_all("all => all.map(each => each.dataset.place)")
    return sorted(places)


@pytest.mark.parametrize("seat", [ANN, None], ids=["player", "spectator"])
def test_each_action_of_others_is_shown(live: Page, url: str, table: People, seat: int | None) -> None:
    follow(live, url, table, seat)
    versions = play_round(table)
    assert len(versions) == 4
    assert told(live, table) == versions


def test_a_small_screen_follows_the_actions(browser: Browser, url: str, table: People) -> None:
    phone = {"width": 390, "height": 844}
    with page_without_errors(browser, reduced_motion="no-preference", viewport=phone) as page:
        follow(page, url, table, None)
        for place in ("oklahoma-city", "jacksonville"):
            expansions = [move for move in table.moves() if move["type"] == "expand" and move["path"][-1] == place]
            assert table.do([expansions[0], END]).status_code == 200
            told(page, table)
            expect(board(page).locator(f"[data-place={place}] .disc")).to_be_in_viewport(ratio=1)


def test_the_player_who_acted_is_marked(live: Page, url: str, table: People) -> None:
    follow(live, url, table)
    play_round(table)
    told(live, table)
    expect(actions(live).get_by_role("heading", level=2)).to_contain_text("Your turn")
    marked_players = live.evaluate("window.players")
    assert list(dict.fromkeys(marked_players)) == ["score-1", "score-2", "score-0"]


@pytest.mark.parametrize("way", ["a click", "a key", "the button"])
def test_it_is_skipped(live: Page, url: str, table: People, way: str) -> None:
    follow(live, url, table)
    boards = Hold(live, BOARD)
    versions = play_round(table, turns=1)
    expect(button(live, "Skip")).to_be_visible()
    if way == "a click":
        status(live).click()
    elif way == "a key":
        live.keyboard.press("x")
    else:
        button(live, "Skip").press("Enter")
    expect(button(live, "Skip")).to_have_count(0)
    boards.release()
    assert told(live, table) == versions[-1:]


def test_a_long_round_ends_in_time(live: Page, url: str, table: People) -> None:
    """The clock of the page stands still between the requests of the test."""
    live.clock.install()
    follow(live, url, table)
    live.clock.pause_at(live.evaluate("Date.now() + 1000"))
    for _ in range(8):
        play_round(table)
        table.do(END)
    newest, steps = str(table.version), 0
    while board(live).get_attribute("data-version") != newest:
        live.clock.run_for(STEP)
        live.evaluate("() => fetch('/v1/bots').then(() => null)")
        steps += 1
    assert steps * STEP < 2 * ROUND, "40 actions would take 16 seconds one by one"


def test_without_motion_the_result_is_shown_at_once(page: Page, url: str, table: People) -> None:
    follow(page, url, table)
    page.evaluate("window.skips = 0")
    page.evaluate(
        "new MutationObserver(() => window.skips += document.querySelectorAll('[data-focus=skip]').length)"
        ".observe(document.body, { childList: true, subtree: true })"
    )
    play_round(table)
    expect(actions(page).get_by_role("heading", level=2)).to_contain_text("Your turn")
    told(page, table)
    assert page.evaluate("window.skips") == 0


def test_what_others_did_stays_marked_until_a_click(page: Page, url: str, table: People) -> None:
    follow(page, url, table)
    play_round(table)
    told(page, table)
    taken = [line["action"] for line in table.seen("/history")["items"]]
    places = sorted({action["path"][-1] for action in taken if action["type"] == "expand"})
    expect(board(page).locator(".place.changed")).to_have_count(len(places))
    assert marked(page) == places
    status(page).click()
    assert not marked(page)
    expect(page.locator("[data-change]")).to_have_count(0)


def test_the_host_of_an_online_table_is_one_of_its_players(page: Page, url: str, client: Client) -> None:
    """With free undo the host's token plays every seat, but others play their own."""
    table = People(client, 3, start="introductory", undo="free")
    table.do(END)
    keep(page, table.id, json.dumps({"host": table.host, "seats": {ANN: table.tokens[ANN]}}))
    follow(page, url, table, seat=None)
    play_round(table)
    told(page, table)
    expect(board(page).locator(".place.changed")).not_to_have_count(0)


@pytest.mark.parametrize("own", [True, False], ids=["own", "of others"])
def test_a_scoring_shows_the_points_on_the_board(page: Page, url: str, client: Client, *, own: bool) -> None:
    """R6.3."""
    table = People(client, 3, start="introductory", undo="free")
    outcome = until_scoring(table, own=own)
    follow(page, url, table)
    expect(board(page).locator(".gain")).to_have_count(0)
    if own:
        end_turn(page)
    else:
        table.do(END)
    first = outcome["cities"][0]
    gain = board(page).locator(".gain", has_text=f"{'ABC'[first['winner']]} +")
    expect(gain.first).to_be_visible()
    assert first["city"] in marked(page)
    card = page.get_by_role("region", name="Players").get_by_role("group").nth(first["winner"])
    influence = table.seen("/scores")["players"][first["winner"]]["influence"]
    expect(card.locator("[data-change]").last).to_have_text(f"{influence} IP")
    status(page).click()
    expect(board(page).locator(".gain")).to_have_count(0)


def test_a_turn_of_the_replay_marks_its_changes(page: Page, url: str, client: Client) -> None:
    """R6.3."""
    table = People(client, 3, start="introductory")
    outcome = until_scoring(table, own=False)
    turn = table.seen()["turn"]
    table.do(END)
    page.goto(f"{url}/play/{table.id}#v={table.seen('/history')['turns'][turn]['version']}")
    expect(status(page)).to_contain_text(f"Turn {turn}: ")
    expect(board(page).locator(".changed, .gain")).to_have_count(0)
    button(page, "Next turn").click()
    expect(board(page).locator(".gain").first).to_be_visible()
    assert outcome["cities"][0]["city"] in marked(page)
    button(page, "Previous turn").click()
    expect(board(page).locator(".gain")).to_have_count(0)
    assert outcome["cities"][0]["city"] in marked(page)


def test_actions_that_arrive_meanwhile_are_shown_too(live: Page, url: str, table: People) -> None:
    follow(live, url, table)
    boards = Hold(live, BOARD)
    with live.expect_request(BOARD):
        table.do(END)
    first = table.version
    with live.expect_response("**/state"):
        table.do([next(move for move in table.moves() if move["type"] == "expand"), END])
    later = [line["version"] for line in table.seen(f"/history?after={first}")["items"]]
    boards.release()
    assert told(live, table) == [first, *later]


def test_the_replay_ends_it(live: Page, url: str, table: People) -> None:
    """The way back of the browser is no click on the page."""
    follow(live, url, table)
    live.clock.install()
    live.clock.pause_at(live.evaluate("Date.now() + 1000"))
    play_round(table)
    live.clock.run_for(STEP)
    expect(button(live, "Skip")).to_be_visible()
    first = table.seen("/history")["items"][0]["version"]
    live.evaluate(f"location.hash = '#v={first}'")
    expect(board(live)).to_have_attribute("data-version", str(first))
    expect(live.locator(".game.past")).to_be_visible()
    for _ in range(ROUND // STEP):
        live.clock.run_for(STEP)
        live.evaluate("() => fetch('/v1/bots').then(() => null)")
    expect(board(live)).to_have_attribute("data-version", str(first))
    expect(board(live).locator(".changed")).to_have_count(0)


def test_a_press_that_skips_it_leaves_the_marks(live: Page, url: str, table: People) -> None:
    follow(live, url, table)
    play_round(table)
    expect(button(live, "Skip")).to_be_visible()
    status(live).hover()
    live.mouse.down()
    told(live, table)
    expect(board(live).locator(".place.changed")).to_have_count(2)
    live.mouse.up()
    assert marked(live)
    status(live).click()
    assert not marked(live)


@pytest.mark.parametrize("key", ["Enter", None], ids=["skipped", "to the end"])
def test_the_focus_stays_on_the_page(live: Page, url: str, table: People, key: str | None) -> None:
    follow(live, url, table)
    boards = Hold(live, BOARD)
    play_round(table)
    button(live, "Skip").focus()
    if key:
        live.keyboard.press(key)
    boards.release()
    told(live, table)
    expect(button(live, "Skip")).to_have_count(0)
    expect(status(live)).to_be_focused()


def test_without_the_history_the_newest_state_is_shown(browser: Browser, url: str, table: People) -> None:
    with page_without_errors(browser, [LIMITED]) as page:
        follow(page, url, table)
        page.route("**/history*", lambda route: route.fulfill(status=429, json={"title": "Too many requests"}))
        play_round(table)
        told(page, table)
        expect(actions(page).get_by_role("heading", level=2)).to_contain_text("Your turn")
        expect(page.get_by_role("alert")).to_contain_text("Too many requests")
