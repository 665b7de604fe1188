"""Navigation in the replay, and the menu of a game: fork, verify, save a record, import it."""

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from httpx import Client
from playwright.sync_api import Locator, Page, expect

from tests.games.facts import FILES, record_document, recorded
from tests.page.playing import board, button, game_path, moves, settled, status
from tests.support.browser import NEVER, Hold

RECORD = record_document(recorded(next(path for path in FILES if path.stem == "by-hand-3")))
DROP = """([target, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], "game.json", { type: "application/json" }));
  target.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""

SCROLLING = """([down, never]) => {
  const panel = document.querySelector(".panel"), before = panel.scrollTop;
  window.scrolled = new Promise((done, failed) => {
    panel.addEventListener("scrollend", () => Math.sign(panel.scrollTop - before) === (down ? 1 : -1) && done(true));
    setTimeout(failed, never);
  });
}"""


@pytest.fixture(scope="module")
def game(client: Client) -> str:
    """The id of a recorded game."""
    imported = client.post("/v1/records", content=RECORD, headers={"content-type": "application/json"})
    found: str = imported.json()["game"]["id"]
    return found


@pytest.fixture(scope="module")
def history(client: Client, game: str) -> Any:
    return client.get(f"/v1/games/{game}/history", params={"limit": 500}).json()


@pytest.fixture
def replay(page: Page, url: str, game: str, history: Any) -> Locator:
    """The replay of that game, at its last move."""
    page.goto(f"{url}/play/{game}")
    settled(page)
    page.get_by_role("link", name="Replay", exact=True).click()
    replay = page.get_by_role("region", name="Replay")
    expect_move(page, history, len(history["items"]))
    return replay


def expect_move(page: Page, history: Any, number: int) -> None:
    """Expect a move in every part of the page: slider, history, board and address."""
    line = history["items"][number - 1]
    replay = page.get_by_role("region", name="Replay")
    expect(replay.get_by_role("slider", name="Move")).to_have_value(str(number))
    expect(replay.get_by_role("status")).to_have_text(f"Move {number} of {len(history['items'])} · {line['text']}")
    expect(moves(page).locator("[aria-current]")).to_have_attribute("data-version", str(line["version"]))
    expect(board(page)).to_have_attribute("data-version", str(line["version"]))
    assert page.url.endswith(f"#v={line['version']}")


def test_buttons_step_by_moves_and_by_turns(page: Page, replay: Locator, history: Any) -> None:
    last = len(history["items"])
    for name, number in [("Previous move", last - 1), ("Previous move", last - 2), ("Next move", last - 1)]:
        button(page, name).click()
        expect_move(page, history, number)
    button(page, "First move").click()
    expect(replay.get_by_role("status")).to_contain_text("The beginning")
    for name, turn in [("Next turn", 2), ("Next turn", 3), ("Previous turn", 2)]:
        button(page, name).click()
        expect(status(page)).to_contain_text(f"Turn {turn}: ")
    button(page, "Last move").click()
    expect_move(page, history, last)


@pytest.mark.usefixtures("replay")
def test_the_present_stays_although_a_move_arrives_after_the_replay(page: Page) -> None:
    states = Hold(page, "**/state?at=*")
    with page.expect_request("**/state?at=*"):
        button(page, "First move").click()
    page.get_by_role("link", name="Back to the present").click()
    expect(page.get_by_role("region", name="Replay")).to_have_count(0)
    with page.expect_response("**/state?at=*") as response:
        states.release()
    response.value.finished()
    page.evaluate("() => fetch('/v1/bots').then(() => null)")
    expect(page.locator(".game.past")).to_have_count(0)
    assert page.url.partition("#")[2] == ""


def test_a_step_marks_the_places_that_it_has_changed(page: Page, replay: Locator, game: str, client: Client) -> None:
    def places(version: str | None) -> dict[str, Any]:
        shown = client.get(f"/v1/games/{game}/board", params={"at": version or ""}).json()["places"]
        return {place["id"]: place for place in shown}

    ends = re.compile("ends the turn")
    moves(page).get_by_role("link", name=ends).first.click()
    expect(moves(page).locator("[aria-current] > a")).to_have_text(ends)
    settled_at = page.url.partition("=")[2]
    expect(board(page)).to_have_attribute("data-version", settled_at)
    expect(board(page).locator(".changed")).to_have_count(0)
    after = places(settled_at)
    button(page, "Previous move").click()
    expect(board(page)).not_to_have_attribute("data-version", settled_at)
    before = places(board(page).get_attribute("data-version"))
    marked = board(page).locator(".place.changed").evaluate_all("all => all.map(each => each.dataset.place)")
    assert marked
    assert set(marked) == {place for place in after if after[place] != before[place]}


def test_keys_step_and_scrolling_keys_still_scroll(page: Page, replay: Locator, history: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 400})
    for key, number in [("ArrowLeft", -1), ("End", 0), ("ArrowLeft", -1), ("ArrowLeft", -2), ("ArrowRight", -1)]:
        page.keyboard.press(key)
        expect_move(page, history, len(history["items"]) + number)
    for key, down in [("ArrowDown", True), ("ArrowUp", False), ("PageDown", True)]:
        page.evaluate(SCROLLING, [down, NEVER])
        page.keyboard.press(key)
        assert page.evaluate("scrolled")
    expect_move(page, history, len(history["items"]) - 1)
    expect(replay).to_be_visible()


def test_the_slider_a_line_and_an_address_lead_to_a_move(page: Page, replay: Locator, history: Any) -> None:
    slider = replay.get_by_role("slider", name="Move")
    slider.fill("7")
    expect_move(page, history, 7)
    slider.press("ArrowRight")
    expect_move(page, history, 8)
    moves(page).get_by_role("link", name=history["items"][3]["text"], exact=True).click()
    expect_move(page, history, 4)
    page.goto(page.url.partition("#")[0] + f"#v={history['items'][4]['version']}")
    expect_move(page, history, 5)
    page.reload()
    expect_move(page, history, 5)


def test_two_addresses_at_once_open_one_replay(page: Page, url: str, game: str, history: Any) -> None:
    page.goto(f"{url}/play/{game}")
    settled(page)
    versions = [line["version"] for line in history["items"][3:5]]
    page.evaluate("versions => versions.forEach((version) => (location.hash = `#v=${version}`))", versions)
    expect_move(page, history, 5)
    page.get_by_role("link", name="Back to the present").click()
    expect(page.get_by_role("region", name="Replay")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("location.hash") == "", "a closed replay ignores keys"


def test_a_jump_to_a_turn(page: Page, replay: Locator) -> None:
    replay.get_by_role("spinbutton", name="Turn").fill("3")
    button(page, "Go to turn").click()
    expect(status(page)).to_contain_text("Turn 3: ")


def test_it_plays_by_itself_until_the_end(page: Page, replay: Locator, history: Any) -> None:
    last = len(history["items"])
    replay.get_by_role("slider", name="Move").fill(str(last - 3))
    replay.get_by_role("combobox", name="Speed").select_option("Slow")
    button(page, "Play").click()
    expect(button(page, "Pause")).to_be_visible()
    replay.get_by_role("combobox", name="Speed").select_option("Fast")
    expect_move(page, history, last)
    expect(button(page, "Play")).to_be_visible()


def test_a_version_takes_two_requests_and_no_more(
    page: Page, replay: Locator, url: str, game: str, history: Any
) -> None:
    """A step forward requests a state and a board, a step back nothing."""
    sent = Counter[str]()
    cached: set[str] = set()

    def count(got: Any) -> None:
        if not got["response"]["fromDiskCache"] and got["requestId"] not in cached:
            sent[got["response"]["url"]] += 1

    page.locator(".plot svg:visible").wait_for()  # the last request of opening the replay
    session = page.context.new_cdp_session(page)
    session.on("Network.requestServedFromCache", lambda served: cached.add(served["requestId"]))
    session.on("Network.responseReceived", count)
    session.send("Network.enable")
    page.keyboard.press("Home")
    for number in range(1, 11):
        page.keyboard.press("ArrowRight")
        expect_move(page, history, number)
    for number in range(9, 0, -1):
        page.keyboard.press("ArrowLeft")
        expect_move(page, history, number)
    stepped = {
        f"{url}/v1/games/{game}/{view}"
        for line in history["items"][:10]
        for view in (f"state?at={line['version']}", f"board.svg?at={line['version']}&theme=light")
    }
    assert {view: times for view, times in sent.items() if times != 1} == {}
    assert stepped <= sent.keys()
    others = {parse_qs(urlsplit(each).query)["at"][0] for each in sent.keys() - stepped}
    nearby = [history["turns"][0], *(history["items"][index] for index in (10, -1, -2))]
    assert others <= {str(each["version"]) for each in nearby}, "the neighbours, and the version before"


def test_a_fork_continues_from_the_move_that_is_shown(
    page: Page, replay: Locator, game: str, history: Any, client: Client
) -> None:
    replay.get_by_role("slider", name="Move").fill("6")
    expect_move(page, history, 6)
    turn = status(page).inner_text()
    button(page, "Fork from here").click()
    page.wait_for_url(lambda address: game not in address)
    settled(page)
    assert status(page).inner_text() == turn
    forked = client.get(game_path(page)).json()["forked_from"]
    assert forked == {"game": game, "version": history["items"][5]["version"]}


def test_a_verification_lists_its_checks(page: Page, replay: Locator, game: str, client: Client) -> None:
    button(page, "Verify").click()
    menu = page.get_by_role("region", name="This game")
    expect(menu.get_by_text("Verified")).to_be_visible()
    events = client.get(f"/v1/games/{game}/audit").json()["events"]
    expect(menu).to_contain_text(f"{events} events checked")
    expect(menu).to_contain_text("Every decision follows from the rules")


def test_the_record_is_saved_as_a_file(page: Page, replay: Locator, game: str, client: Client) -> None:
    with page.expect_download() as saved:
        button(page, "Save record").click()
    assert saved.value.suggested_filename == f"franchise-{game}.json"
    assert json.loads(saved.value.path().read_bytes()) == client.get(f"/v1/games/{game}/record").json()


@pytest.mark.parametrize("way", ["drop", "choose"])
def test_a_record_is_imported(page: Page, url: str, history: Any, way: str) -> None:
    page.goto(f"{url}/play")
    field = page.get_by_label("Record file")
    if way == "drop":
        page.evaluate(DROP, [field.element_handle(), RECORD.decode()])
    else:
        field.set_input_files({"name": "game.json", "mimeType": "application/json", "buffer": RECORD})
    expect(moves(page)).to_contain_text(history["items"][-1]["effects"][-1]["text"])
    expect(status(page)).to_contain_text("The game is over: ")
