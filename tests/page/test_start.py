"""The ways from the lobby to a game, and the remembered name."""

from httpx import Client
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.people import People
from tests.page.playing import actions, board, button, fill_table, moves, settled
from tests.support.browser import Hold, page_without_errors

ALONE = "Play against the computer"

COUNT_INTERVALS = """
  const { setInterval } = window;
  window.intervals = 0;
  window.setInterval = (work, time) => {
    window.intervals += 1;
    return setInterval(work, time);
  };
"""


def first_turn(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=f"Turn 1: {name}", level=1)


def test_one_click_starts_a_game_against_two_bots(page: Page, url: str, client: Client) -> None:
    page.goto(f"{url}/play")
    with page.expect_response(lambda response: response.status == 201) as created:
        button(page, ALONE).click()
    expect(first_turn(page, "Guest")).to_be_visible()
    expect(actions(page).get_by_role("heading", name="Your turn: Guest")).to_be_visible()
    expect(board(page).get_by_role("button").first).to_be_visible()
    game = client.get(created.value.headers["location"]).json()
    assert [(seat["name"], seat["bot"]) for seat in game["seats"][:1]] == [("Guest", None)]
    assert [seat["bot"] for seat in game["seats"][1:]] == ["greedy", "planner"]
    assert (game["options"]["start"], game["options"]["undo"], game["first_player"]) == ("introductory", "turn", 0)


def test_the_first_buttons_of_the_lobby_lead_to_a_game_a_table_and_the_rules(page: Page, url: str) -> None:
    page.goto(f"{url}/play")
    ways = page.locator(".welcome .button, .welcome button")
    expect(ways).to_have_text([ALONE, "New table", "How to play"])
    with page.expect_popup() as rules:
        ways.last.click()
    expect(rules.value).to_have_url(f"{url}/rules")


def test_a_lobby_that_is_left_while_it_loads_polls_nothing(page: Page, url: str) -> None:
    page.add_init_script(COUNT_INTERVALS)
    tables = Hold(page, "**/v1/games?*")
    with page.expect_request("**/v1/games?*"):
        page.goto(f"{url}/play")
    page.evaluate("location.hash = '#new'")
    expect(page.get_by_role("heading", name="New table")).to_be_visible()
    before = page.evaluate("window.intervals")
    with page.expect_response("**/v1/games?*") as response:
        tables.release()
    response.value.finished()
    page.evaluate("() => fetch('/v1/bots').then(() => null)")
    assert page.evaluate("window.intervals") == before


def test_a_refused_start_can_be_repeated(browser: Browser, url: str) -> None:
    busy = "Failed to load resource: the server responded with a status of 403 (Forbidden)"
    with page_without_errors(browser, [busy]) as page:
        problem = {"title": "Not now", "detail": "Come back later.", "status": 403, "code": "forbidden"}
        page.route("**/v1/games", lambda route: route.fulfill(status=403, json=problem), times=1)
        page.goto(f"{url}/play#")
        button(page, ALONE).click()
        expect(page.get_by_role("alert")).to_contain_text("Come back later.")
        button(page, ALONE).click()
        expect(first_turn(page, "Guest")).to_be_visible()


def test_the_name_of_a_new_table_is_remembered(page: Page, url: str, client: Client) -> None:
    fill_table(page, url, "With friends", "Ann", "Open seat")
    button(page, "Open the table").click()
    expect(page.get_by_role("heading", name="Table: 1 of 2 seats taken")).to_be_visible()
    page.goto(f"{url}/play#new")
    expect(page.get_by_role("textbox", name="Seat A: name")).to_have_value("Ann")
    expect(page.get_by_role("textbox", name="Seat B: name")).to_have_value("")
    page.get_by_role("combobox", name="Seat A: player").select_option("Bot: greedy")
    expect(page.get_by_role("textbox", name="Seat A: name")).to_have_value("")
    page.goto(f"{url}/play/{People(client, seats=2, players=1).id}")
    expect(page.get_by_label("Your name")).to_have_value("Ann")
    page.goto(f"{url}/play")
    button(page, ALONE).click()
    expect(first_turn(page, "Ann")).to_be_visible()


def test_the_name_of_a_joined_table_is_remembered(page: Page, url: str, client: Client) -> None:
    page.goto(f"{url}/play/{People(client, seats=2, players=1).id}")
    page.get_by_label("Your name").fill(" Bob ")
    button(page, "Join").click()
    expect(moves(page)).to_contain_text("Ann and Bob start a game.")
    page.goto(f"{url}/play")
    button(page, ALONE).click()
    expect(first_turn(page, "Bob")).to_be_visible()


def test_a_game_starts_without_storage(page: Page, url: str) -> None:
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })")
    page.goto(f"{url}/play")
    button(page, ALONE).click()
    expect(actions(page).get_by_role("heading", name="Your turn: Guest")).to_be_visible()
    settled(page)
