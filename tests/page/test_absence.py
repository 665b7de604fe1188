"""Absent players: the clock at the player to move, a bot that plays, the return, and a seat that is handed over."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, expect

from tests.api.people import People
from tests.api.server import running
from tests.page.playing import actions, board, button, end_turn, fill_table, keep, kept, more_options, moves
from tests.page.shifted_server import FILE
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors

LIMIT = 300
REVOKED = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"
REFUSED = "Failed to load resource: the server responded with a status of 409 (Conflict)"
PHONE = {"width": 390, "height": 844}
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def shift_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clock") / "shift"


@pytest.fixture(autouse=True)
def shift(shift_file: Path) -> Path:
    """The file with the seconds by which the clock of the server is ahead, none at first."""
    shift_file.write_text("0")
    return shift_file


@pytest.fixture(scope="module")
def url(shift_file: Path) -> Iterator[str]:
    shift_file.write_text("0")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(FILE, str(shift_file))
        with running(module="tests.page.shifted_server", bot_seconds="0.05", log_level="error") as server:
            yield server.url


@pytest.fixture
def table(client: Client) -> People:
    """A game in its first turn, that of Ann."""
    return People(client, 3, start="introductory", turn_limit=LIMIT)


@pytest.fixture
def opened(browser: Browser, url: str) -> Iterator[Opened]:
    """A function that opens a game in a browser of its own, which stores these tokens."""
    with ExitStack() as contexts:

        def open_game(table: People, *seats: int, link: str = "", **tokens: str) -> Page:
            page = contexts.enter_context(page_without_errors(browser, [REVOKED, REFUSED], viewport=PHONE))
            page.clock.install()
            keep(page, table.id, json.dumps({"seats": {seat: table.tokens[seat] for seat in seats}, **tokens}))
            page.goto(link or f"{url}/play/{table.id}")
            expect(board(page)).to_be_visible()
            return page

        yield open_game


def let_time_pass(shift: Path, page: Page, seconds: int) -> None:
    shift.write_text(str(int(shift.read_text()) + seconds))
    page.clock.fast_forward(1000 * seconds)


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Players").get_by_role("group").filter(has_text=name).locator("summary")


def leave_to_bot(page: Page, name: str) -> None:
    """Let a bot play for a player whose time is over."""
    button(page, f"Let a bot play for {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Let a bot play", exact=True).click()


def expect_fine(page: Page) -> None:
    """Expect an accessible page that fits a phone."""
    assert not violations(page)
    assert not page.evaluate(WIDER)


def test_a_bot_plays_for_an_absent_player_who_comes_back(table: People, opened: Opened, shift: Path) -> None:
    bob = opened(table, 1)
    heading = actions(bob).get_by_role("heading").first
    expect(heading).to_have_text(re.compile("Waiting for AAnn *4 minutes left"))
    expect(row(bob, "Ann")).to_contain_text("4 minutes left")
    expect(row(bob, "Bob").locator("time")).to_have_count(0)
    expect(button(bob, "Let a bot play for Ann")).to_be_hidden()
    let_time_pass(shift, bob, LIMIT - 60)
    expect(heading).to_have_text(re.compile(r"Waiting for AAnn *[45]\d seconds left"))
    let_time_pass(shift, bob, 60)
    expect(heading).to_contain_text("time ran out just now")
    expect_fine(bob)
    leave_to_bot(bob, "Ann")
    expect(row(bob, "Ann")).to_contain_text("a bot plays for Ann")
    first = moves(bob).locator(".turn").filter(has_text="Turn 1")
    expect(first).to_contain_text("Ann is absent: a greedy bot plays for them.")
    expect(heading).to_have_text(re.compile("Your turn: BBob *4 minutes left"))
    expect(moves(bob).get_by_text("Stand in").first).to_be_visible()
    expect(button(bob, "I am back")).to_have_count(0)

    ann = opened(table, 0)
    expect(row(ann, "Ann")).to_contain_text("a bot plays for Ann")
    expect(actions(ann).get_by_role("button").first).to_have_text("I am back")
    expect_fine(ann)
    button(ann, "I am back").click()
    expect(moves(ann)).to_contain_text("Ann is back.")
    expect(button(ann, "I am back")).to_have_count(0)
    expect(row(bob, "Ann")).not_to_contain_text("a bot plays")
    end_turn(bob)
    expect(heading).to_contain_text("Waiting for CCem")
    table.do({"type": "end_turn"})
    expect(actions(ann)).to_contain_text("Your turn: ")


def test_the_host_hands_a_seat_over_by_a_link(table: People, opened: Opened, url: str, shift: Path) -> None:
    """The old player watches, and the new one has the whole limit."""
    ann, host = opened(table, 0), opened(table, host=table.host)
    expect(actions(ann)).to_contain_text("Your turn: ")
    let_time_pass(shift, host, LIMIT)
    leave_to_bot(host, "Ann")
    button(host, "Hand over the seat of Ann").click()
    host.get_by_role("textbox", name="Name of the new player").fill("Bob")
    expect_fine(host)
    button(host, "Hand over").click()
    expect(host.get_by_role("alert")).to_contain_text("has the name Bob")
    button(host, "Hand over the seat of Ann").click()
    host.get_by_role("textbox", name="Name of the new player").fill("Dora")
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button(host, "Hand over").click()
    shown = host.get_by_role("dialog", name="The link for Dora, which was copied").get_by_role("textbox")
    link = shown.input_value()
    assert host.evaluate("navigator.clipboard.readText()") == link
    expect_fine(host)
    button(host, "Close").click()
    expect(moves(host)).to_contain_text("Dora takes the seat of Ann.")
    expect(row(host, "Dora")).not_to_contain_text("a bot plays")

    expect(ann.get_by_role("region", name="Your token no longer works")).to_be_visible()
    dora = opened(table, link=link)
    expect(dora).to_have_url(f"{url}/play/{table.id}")
    assert list(kept(dora, table.id)["seats"]) == ["0"]
    while table.to_play:
        table.play(1)
    expect(actions(dora)).to_contain_text("Your turn: ")
    end_turn(dora)
    expect(actions(ann)).to_contain_text("Waiting for BBob")


def test_a_link_opens_its_own_game_only(page: Page, url: str, client: Client) -> None:
    table, other = People(client), People(client)
    page.goto(f"{url}/play/{table.id}#token={other.host}")
    expect(page.get_by_role("alert")).to_contain_text("This token does not open this game.")
    expect(page).to_have_url(f"{url}/play/{table.id}")
    expect(actions(page)).to_contain_text("Waiting for ")
    assert "tokens" not in page.evaluate("JSON.stringify(localStorage)")
    page.goto(f"{url}/play/{table.id}#token={table.tokens[table.to_play]}")
    expect(actions(page)).to_contain_text("Your turn: ")
    expect(page).to_have_url(f"{url}/play/{table.id}")


def test_only_the_server_decides_whether_the_time_is_over(table: People, opened: Opened) -> None:
    """The clock of the page may be wrong."""
    bob = opened(table, 1)
    bob.clock.fast_forward(1000 * LIMIT)
    leave_to_bot(bob, "Ann")
    expect(bob.get_by_role("alert")).to_contain_text("Ann still has time")
    expect(row(bob, "Ann")).not_to_contain_text("a bot plays")


def test_my_games_say_how_much_time_is_left(table: People, opened: Opened, url: str, shift: Path) -> None:
    bob = opened(table, 1)
    bob.goto(f"{url}/play")
    entry = bob.get_by_role("region", name="My games").get_by_role("link")
    expect(entry).to_contain_text("Ann to play · 4 minutes left")
    let_time_pass(shift, bob, LIMIT)
    expect(entry).to_contain_text("Ann to play · time ran out just now")


def test_spectators_see_the_time_and_let_no_bot_play(table: People, opened: Opened, shift: Path) -> None:
    page = opened(table)
    let_time_pass(shift, page, LIMIT)
    expect(row(page, "Ann")).to_contain_text("time ran out")
    expect(button(page, "Let a bot play for Ann")).to_have_count(0)


def test_each_player_who_has_to_answer_a_proposal_has_the_limit(client: Client, opened: Opened, shift: Path) -> None:
    table = People(client, 3, start="introductory", turn_limit=LIMIT, undo="agree")
    table.do({"type": "end_turn"})
    assert table.post("/undo", table.tokens[0]).is_success
    bob = opened(table, 1)
    for name in ("Bob", "Cem"):
        expect(row(bob, name)).to_contain_text("4 minutes left")
    let_time_pass(shift, bob, LIMIT)
    expect(button(bob, "Let a bot play for Bob")).to_have_count(0)
    leave_to_bot(bob, "Cem")
    expect(row(bob, "Cem")).to_contain_text("a bot plays for Cem")
    expect(actions(bob)).to_contain_text("Waiting for Bob.")
    button(bob, "Agree as Bob").click()
    expect(actions(bob)).to_contain_text("Waiting for AAnn")


def test_the_form_for_a_new_table_has_the_limit(page: Page, url: str, client: Client) -> None:
    fill_table(page, url, "Against bots", "Ann", "Bot: greedy")
    changes = more_options(page).locator(".badge")
    absent = page.get_by_role("combobox", name="If a player is absent")
    expect(absent).to_have_count(0)
    page.get_by_role("combobox", name="Turn limit").select_option("3 days")
    absent.select_option("A bot plays at once")
    expect(changes.filter(has_text="limit")).to_have_text("Turn limit: 3 days")
    expect(changes.filter(has_text="absent")).to_have_text("A bot plays for absent players")
    page.get_by_role("combobox", name="Turn limit").select_option("None")
    expect(changes.filter(has_text="absent")).to_have_count(0)
    page.get_by_role("combobox", name="Turn limit").select_option("1 hour")
    expect(absent.locator(":checked")).to_have_text("A bot plays at once")
    button(page, "Open the table").click()
    expect(actions(page)).to_contain_text("59 minutes left")
    options = client.get(page.url.replace("/play/", "/v1/games/")).json()["options"]
    assert (options["turn_limit"], options["absent"]) == (3600, "bot")
