"""The page in a browser: the lobby, and a turn of a game."""

import re

from httpx import Client
from playwright.sync_api import Browser, Page, expect

from tests.api.people import People
from tests.page.playing import more_options
from tests.support.browser import page_without_errors, texts_without_height


def open_hot_seat(page: Page, url: str, *names: str) -> None:
    """Open a table at which all play at one device."""
    page.goto(f"{url}/play#new")
    for letter, name in zip("ABCDE", names, strict=False):
        page.get_by_role("textbox", name=f"Seat {letter}: name").fill(name)
    page.get_by_role("button", name="Open the table").click()


def test_a_browser_is_redirected_to_the_lobby(page: Page, url: str) -> None:
    page.goto(url)
    expect(page).to_have_url(f"{url}/play")
    expect(page.get_by_role("heading", name="Open tables")).to_be_in_viewport()
    expect(page.get_by_role("link", name="New table").first).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("Live")
    assert not texts_without_height(page)


def test_two_players_on_one_device_open_a_table_and_play_a_turn(page: Page, url: str) -> None:
    open_hot_seat(page, url, "Ann", "Bob")
    board, moves = page.get_by_role("region", name="Board"), page.get_by_role("log", name="Moves")
    for _ in range(2):
        board.get_by_role("button", name=re.compile("^Start in ")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 1")
    target = board.get_by_role("button", name=re.compile("^Expand from "))
    label = target.first.get_attribute("aria-label")
    assert label is not None
    target.first.press("Enter")
    expect(moves).to_contain_text(label.removeprefix("Expand ").partition(" for ")[0])
    page.get_by_role("button", name="End the turn").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 2")
    expect(moves).to_contain_text("ends the turn")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 2")


def test_a_game_is_replayed_move_by_move(page: Page, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    table.play(30)
    versions = [line["version"] for line in table.seen("/history")["items"]]
    page.goto(f"{url}/play/{table.id}#v={versions[10]}")
    slider, replay = page.get_by_role("slider", name="Move"), page.get_by_role("region", name="Replay")
    expect(slider).to_have_value("11")
    for key, move in (("ArrowLeft", 10), ("ArrowRight", 11), ("Home", 0), ("End", 30)):
        slider.press(key)
        expect(slider).to_have_value(str(move))
        expect(replay).to_contain_text(f"Move {move} of 30")
    expect(page).to_have_url(re.compile(f"#v={versions[-1]}$"))
    replay.get_by_role("spinbutton", name="Turn").fill("5")
    replay.get_by_role("button", name="Go to turn").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 5")
    replay.get_by_role("button", name="Next turn").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Turn 6")
    replay.get_by_role("link", name="Back to the present").click()
    expect(replay).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Turn {table.seen()['turn']}")


def test_a_renewed_token_appears_in_the_history_at_once(page: Page, url: str, client: Client) -> None:
    table = People(client)
    table.play(4)
    page.goto(f"{url}/play/{table.id}")
    moves = page.get_by_role("log", name="Moves")
    expect(moves).to_contain_text("starts with a franchise")
    table.tokens[1] = table.post("/seats/1/token", table.host).json()["token"]
    expect(moves).to_contain_text("The host issued a new token for Bob.")
    table.play(1)
    expect(moves.get_by_role("listitem").filter(has_text="The host issued a new token for Bob.")).to_have_count(1)


def test_a_player_joins_a_private_table_by_invitation(browser: Browser, page: Page, url: str) -> None:
    page.goto(f"{url}/play#new")
    page.get_by_role("button", name="With friends").click()
    page.get_by_label("Number of players").select_option("2")
    page.get_by_role("textbox", name="Seat A: name").fill("Ann")
    more_options(page).click()
    page.get_by_label("Private").check()
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("heading", name="Table: 1 of 2").wait_for()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject() }")
    page.get_by_role("button", name="Copy link").click()
    link = page.get_by_role("textbox", name="The link").input_value()
    page.keyboard.press("Escape")
    with page_without_errors(browser) as other:
        other.goto(link)
        other.get_by_label("Your name").fill("Bob")
        other.get_by_role("button", name="Join").click()
        for each in (page, other):
            expect(each.get_by_role("heading", level=1)).to_contain_text("choose a town")
        first, second = (other, page) if page.get_by_role("heading", name="Waiting for").count() else (page, other)
        first.get_by_role("button", name=re.compile("^Start in ")).first.click()
        expect(second.get_by_role("heading", name="Your turn")).to_be_visible()
        expect(second.get_by_role("log", name="Moves")).to_contain_text("starts with a franchise in")


def test_a_table_gets_the_chosen_options(page: Page, url: str, client: Client) -> None:
    page.goto(f"{url}/play#new")
    page.get_by_role("button", name="Against bots").click()
    page.get_by_role("textbox", name="Seat A: name").fill("Ann")
    more_options(page).click()
    page.get_by_label("Seat A: colour").select_option("black")
    page.get_by_label("Seat C: player").select_option("random")
    page.get_by_label("Start", exact=True).select_option("introductory")
    page.get_by_label("Expert variant").select_option("random")
    page.get_by_label("Region tiles").select_option("new")
    page.get_by_label("Seed").fill("7")
    page.get_by_label("Undo").select_option("agree")
    for box in ("Milestones", "Boom"):
        page.get_by_role("checkbox", name=box).check()
    with page.expect_response(lambda response: response.status == 201) as created:
        page.get_by_role("button", name="Open the table").click()
    game = client.get(created.value.headers["location"]).json()
    assert [(seat["colour"], seat["bot"]) for seat in game["seats"]] == [
        ("black", None),
        ("blue", "planner"),
        ("red", "random"),
    ]
    assert game["options"] == {
        "board": "usa-1960s",
        "start": "introductory",
        "first_player": "random",
        "seed": 7,
        "expert": {"mode": "random"},
        "modules": {"milestones": True, "boom": True, "region_tiles": "new"},
        "undo": "agree",
        "private": False,
        "hot_seat": False,
        "invite": False,
        "hints": True,
        "turn_limit": None,
        "absent": "ask",
    }
