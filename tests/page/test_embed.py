"""The page of a game in a frame of another page: what it shows, and that it can do nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from tests.api.people import NOWHERE, People
from tests.games.facts import FILES, record_document, recorded
from tests.page.playing import button, keep, settled
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors
from tests.support.web_server import serving_folder

REFUSED = (
    "Failed to load resource: the server responded with a status of 401 (Unauthorized)",
    "Failed to load resource: the server responded with a status of 404 (Not Found)",
)
SCREENS = [("light", 1000, 700), ("dark", 320, 400)]
WATCH_STORAGE = """() => {
  const stored = window.localStorage;
  window.keysRead = [];
  const note = (key, value) => (typeof key === "string" && window.keysRead.push(key), value);
  const watched = new Proxy(stored, {
    get: (_, key) => note(key, typeof stored[key] === "function" ? stored[key].bind(stored) : stored[key]),
    ownKeys: () => note("*", Reflect.ownKeys(stored)),
  });
  Object.defineProperty(window, "localStorage", { get: () => watched });
}"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def finished(client: Client) -> str:
    """The id of a recorded game."""
    record = record_document(recorded(next(path for path in FILES if path.stem == "by-hand-3")))
    imported = client.post("/v1/records", content=record, headers={"content-type": "application/json"})
    game: str = imported.json()["game"]["id"]
    return game


@pytest.fixture(scope="module")
def history(client: Client, finished: str) -> Any:
    return client.get(f"/v1/games/{finished}/history", params={"limit": 500}).json()["items"]


class Blog:
    """A site at another port whose page has a frame."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def show(self, page: Page, src: str, more: str = "") -> FrameLocator:
        """Open a page with a frame."""
        frame = f'<iframe src="{src}" title="A game" width="320" height="400" {more}></iframe>'
        html = f"<!doctype html><html lang='en'><title>Blog</title><input autofocus aria-label='Search'>{frame}"
        (self.folder / "index.html").write_text(html, "utf-8")
        page.goto(self.url)
        return page.frame_locator("iframe")


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[Blog]:
    with serving_folder(tmp_path) as url:
        yield Blog(url, tmp_path)


def board(frame: FrameLocator | Page) -> Locator:
    return frame.get_by_role("group", name="Board", exact=True)


def replay(frame: FrameLocator | Page) -> Locator:
    return frame.get_by_role("region", name="Replay")


def expect_move(frame: FrameLocator | Page, number: int, last: int) -> None:
    expect(replay(frame).get_by_role("slider", name="Move")).to_have_value(str(number))
    expect(replay(frame).get_by_role("status")).to_contain_text(f"Move {number} of {last}")


def test_a_page_of_another_site_shows_the_game_and_its_replay(
    page: Page, url: str, blog: Blog, finished: str, history: Any, client: Client
) -> None:
    sent = list[str]()
    page.on("request", lambda request: sent.append(request.url))
    frame, last = blog.show(page, f"{url}/embed/{finished}"), len(history)
    expect_move(frame, last, last)
    newest = client.get(f"/v1/games/{finished}").json()
    expect(board(frame)).to_have_attribute("data-version", str(newest["version"]))
    expect(frame.get_by_role("heading", level=1)).to_have_text(newest["ending"]["text"])
    expect(frame.get_by_role("region", name="Players")).to_contain_text("winner")
    frame.get_by_role("button", name="First move").click()
    expect(replay(frame).get_by_role("status")).to_contain_text("The beginning")
    frame.get_by_role("button", name="Next move").click()
    expect_move(frame, 1, last)
    expect(board(frame)).to_have_attribute("data-version", str(history[0]["version"]))
    frame.get_by_role("slider", name="Move").fill(str(last - 2))
    frame.get_by_role("combobox", name="Speed").select_option("Fast")
    frame.get_by_role("button", name="Play", exact=True).click()
    expect_move(frame, last, last)
    expect(frame.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(frame.get_by_role("link", name="Back to the present")).to_be_hidden()
    assert not [address for address in sent if "/stream" in address or "wait=" in address], "the game is over"


def test_an_address_with_a_version_shows_that_move(
    page: Page, url: str, blog: Blog, finished: str, history: Any
) -> None:
    version, last = history[6]["version"], len(history)
    frame = blog.show(page, f"{url}/embed/{finished.upper()}#v={version}")
    expect_move(frame, 7, last)
    expect(board(frame)).to_have_attribute("data-version", str(version))
    link = frame.get_by_role("link", name="Open the game")
    expect(link).to_have_attribute("href", f"/play/{finished}#v={version}")
    frame.get_by_role("link", name="Back to the present").click()
    expect_move(frame, last, last)
    expect(link).to_have_attribute("href", f"/play/{finished}")
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.get_by_role("heading", name="This game")).to_be_visible()
    assert opened.value.evaluate("window.opener") is None


def test_keys_step_in_the_frame_but_it_never_takes_the_focus(
    page: Page, url: str, blog: Blog, finished: str, history: Any
) -> None:
    frame, last = blog.show(page, f"{url}/embed/{finished}"), len(history)
    expect_move(frame, last, last)
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    page.keyboard.press("Tab")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    expect_move(frame, last - 2, last)
    page.keyboard.press("ArrowRight")
    expect_move(frame, last - 1, last)


def test_it_follows_the_game_until_an_earlier_move_is_chosen(page: Page, url: str, blog: Blog, client: Client) -> None:
    table = People(client, start="introductory")
    table.play(6)
    frame = blog.show(page, f"{url}/embed/{table.id}")
    expect_move(frame, 6, 6)
    for step in (7, 8):
        table.play(1, seed=step)
        expect_move(frame, step, step)
        expect(board(frame)).to_have_attribute("data-version", str(table.version))
    frame.get_by_role("button", name="Previous move").click()
    expect_move(frame, 7, 8)
    table.play(1)
    expect_move(frame, 7, 9)
    frame.get_by_role("button", name="Last move").click()
    expect_move(frame, 9, 9)
    table.play(1)
    expect_move(frame, 10, 10)
    expect(board(frame)).to_have_attribute("data-version", str(table.version))


def test_an_open_table_becomes_a_game(page: Page, url: str, blog: Blog, client: Client) -> None:
    table = People(client, players=1)
    frame = blog.show(page, f"{url}/embed/{table.id}")
    expect(frame.get_by_role("heading", level=1)).to_have_text("Waiting for playersAAnnBOpen seat")
    expect(replay(frame)).to_be_hidden()
    table.post("/seats", body={"name": "Bob"})
    expect(replay(frame)).to_be_visible()
    expect(frame.get_by_role("region", name="Players")).to_contain_text("Bob")


def test_stored_tokens_are_neither_read_nor_sent(page: Page, url: str, client: Client) -> None:
    """At the site of the server itself, where the page can read what the page for players stores."""
    table, sent = People(client, start="introductory", hot_seat=True), list[tuple[str, Any]]()
    keep(page, table.id, json.dumps({"host": table.host, "seats": table.tokens}))
    page.add_init_script(f"({WATCH_STORAGE})()")
    page.on("request", lambda request: sent.append((request.method, request.headers)))
    page.goto(f"{url}/play/{table.id}")
    settled(page)
    assert f"franchise:tokens:{table.id}" in page.evaluate("keysRead")
    assert any("authorization" in headers for _, headers in sent)
    sent.clear()
    page.goto(f"{url}/embed/{table.id}")
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    expect(replay(page).locator(".plot svg")).to_be_attached()
    assert page.evaluate("keysRead") == []
    assert board(page).get_by_role("button").count() == 0
    assert {method for method, _ in sent} == {"GET"}
    assert not [headers for _, headers in sent if "authorization" in headers]


@pytest.mark.parametrize(("private", "text"), [(True, "This game is private."), (False, "This game does not exist.")])
def test_other_games_are_a_sentence(
    browser: Browser, url: str, blog: Blog, client: Client, private: bool, text: str
) -> None:
    table = People(client, private=True)
    with page_without_errors(browser, REFUSED) as page:
        keep(page, table.id, json.dumps({"host": table.host, "seats": table.tokens}))
        frame = blog.show(page, f"{url}/embed/{table.id if private else NOWHERE}")
        expect(frame.get_by_role("main")).to_have_text(text)
        expect(frame.get_by_role("link", name="Open the game")).to_be_hidden()


def test_a_sandboxed_frame_works(page: Page, url: str, blog: Blog, finished: str, history: Any) -> None:
    frame = blog.show(page, f"{url}/embed/{finished}", 'sandbox="allow-scripts"')
    expect_move(frame, len(history), len(history))


def test_the_page_for_players_cannot_be_framed(browser: Browser, url: str, blog: Blog, finished: str) -> None:
    refused = f"Framing '{url}/' violates the following Content Security Policy directive: \"frame-ancestors 'none'\"."
    with page_without_errors(browser, [f"{refused} The request has been blocked.\n"]) as page:
        with page.expect_console_message(lambda message: message.text.startswith(refused)):
            frame = blog.show(page, f"{url}/play/{finished}")
        expect(frame.get_by_role("main")).to_have_count(0)


@pytest.mark.parametrize(("theme", "width", "height"), SCREENS)
def test_the_board_and_the_replay_fit_into_the_frame(
    browser: Browser, url: str, finished: str, history: Any, theme: Any, width: int, height: int
) -> None:
    with page_without_errors(browser, color_scheme=theme, viewport={"width": width, "height": height}) as page:
        page.goto(f"{url}/embed/{finished}#v={history[9]['version']}")
        expect_move(page, 10, len(history))
        assert not violations(page)
        assert page.evaluate(OVERFLOW) == 0
        for part in (board(page), button(page, "Play"), button(page, "Last move")):
            expect(part).to_be_in_viewport(ratio=1)


def test_the_menu_of_a_public_game_has_a_frame_to_copy(browser: Browser, url: str, blog: Blog, client: Client) -> None:
    table, private = People(client, start="introductory"), People(client, private=True)
    with page_without_errors(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(f"{url}/play/{table.id}")
        version = settled(page)
        button(page, "Embed").click()
        expect(page.get_by_text("The HTML for your page was copied.")).to_be_visible()
        code = page.evaluate("navigator.clipboard.readText()")
        assert f'src="{url}/embed/{table.id}"' in code
        keep(page, private.id, json.dumps({"host": private.host, "seats": {}}))
        page.goto(f"{url}/play/{private.id}")
        settled(page)
        expect(button(page, "Embed")).to_have_count(0)
        (blog.folder / "index.html").write_text(f"<!doctype html><title>Blog</title>{code}", "utf-8")
        page.goto(blog.url)
        expect(board(page.frame_locator("iframe"))).to_have_attribute("data-version", str(version))
