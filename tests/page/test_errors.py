"""The page when other parts fail: no responses, incomplete or unreadable ones, outages and blocked storage."""

import json
import re
from itertools import pairwise
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, Route, expect

from api.web.play_page import play_files
from tests.api.people import People
from tests.api.server import client_of, running
from tests.page.playing import act_once, actions, board, button, open_table, settled
from tests.support.browser import page_without_errors

SERVER_FAILS = "Failed to load resource: the server responded with a status of 500 (Internal Server Error)"
LIMITED = "Failed to load resource: the server responded with a status of 429 (Too Many Requests)"
REFUSED = "Failed to load resource: net::ERR_FAILED"

RESPONSES: list[dict[str, Any]] = [
    {"status": 200, "content_type": "text/html", "body": "<h1>Please log in</h1>"},
    {"status": 200, "content_type": "application/json", "body": '{"state": {"version": 1'},
    {"status": 500, "content_type": "text/html", "body": "<h1>Oh no</h1>"},
    {"status": 500, "content_type": "application/json", "body": "null"},
]

CUT_OFF = """() => {
  const fetched = window.fetch, cut = { start: (body) => body.error(new TypeError("network error")) };
  window.fetch = async (path, options) =>
    options.method === "POST" ? new Response(new ReadableStream(cut)) : fetched(path, options);
  window.uncut = () => { window.fetch = fetched; };
}"""

FAST_TIMERS = """
  const later = window.setTimeout, waits = (window.waits = []);
  Math.random = () => 0.5;
  window.setTimeout = (work, time) => {
    if (time >= 1000 && time <= 30000) waits.push(time);
    return later(work, time <= 30000 ? 0 : time);
  };
"""

NO_STORAGE = """() => {
  const denied = () => new DOMException("Access is denied for this document.", "SecurityError");
  Object.defineProperty(window, "localStorage", { get() { throw denied(); } });
  navigator.locks.request = async () => { throw denied(); };
}"""

COALESCED = """async (address) => {
  const { coalesced } = await import(address);
  const times = [];
  let next = null;
  const work = coalesced(() => new Promise((done, failed) => {
    times.push(times.length + 1);
    next = { done, failed };
  }));
  const settled = (calls) => Promise.allSettled(calls).then((all) => all.map(({ value, reason }) => value ?? reason));
  const calls = [work(), work(), work()];
  const begun = times.length;
  next.done("old");
  while (times.length < 2) await null;
  next.done("new");
  const outcomes = await settled(calls);
  const refused = work();
  next.failed("refused");
  const failed = await settled([refused]);
  const later = work();
  next.done("found");
  return { begun, outcomes, failed, later: await later, times: times.length };
}"""


def open_as_host(page: Page, url: str, table: People, address: str = "") -> None:
    """Open a game in a browser that stores the token of its host."""
    tokens = json.dumps({"host": table.host, "seats": {}})
    page.add_init_script(f"localStorage.setItem('franchise:tokens:{table.id}', {json.dumps(tokens)})")
    page.goto(f"{url}/play/{table.id}{address}")


def start_somewhere(page: Page) -> None:
    """Choose a town."""
    page.get_by_role("region", name="Board").get_by_role("button", name=re.compile("^Start in ")).first.click()


def test_play_continues_after_an_unreadable_response(browser: Browser, url: str, client: Client) -> None:
    def fulfil(route: Route) -> None:
        route.fulfill(**response)

    with page_without_errors(browser, [SERVER_FAILS]) as page:
        for response in RESPONSES:
            open_as_host(page, url, People(client, hot_seat=True))
            page.route("**/moves*", fulfil)
            start_somewhere(page)
            expect(page.get_by_role("alert")).to_contain_text(
                "Internal Server Error" if response["status"] == 500 else "The server cannot be reached"
            )
            page.unroute("**/moves*")
            start_somewhere(page)
            expect(page.get_by_role("log", name="Moves")).to_contain_text("starts with a franchise in")


def test_a_page_waits_for_its_own_response_although_the_stream_is_faster(
    browser: Browser, url: str, client: Client
) -> None:
    """The page is inert until then, although others already see the new state."""
    table = People(client, hot_seat=True)
    requested: list[str] = []

    def respond_late(route: Route) -> None:
        response = route.fetch()
        expect(board(other)).not_to_have_attribute("data-version", str(before))
        route.fulfill(response=response)

    with page_without_errors(browser) as page, page_without_errors(browser) as other:
        other.goto(f"{url}/play/{table.id}")
        open_as_host(page, url, table)
        before = settled(page)
        assert settled(other) == before
        page.route("**/moves*", respond_late)
        page.on("request", lambda request: requested.append(urlsplit(request.url).path.removeprefix(table.path)))
        start_somewhere(page)
        expect(board(page)).not_to_have_attribute("data-version", str(before))
    assert "/moves" in requested
    assert "/state" not in requested


def test_play_continues_after_an_incomplete_response(page: Page, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    open_as_host(page, url, table)
    page.get_by_role("heading", name="Your turn").wait_for()
    page.evaluate(CUT_OFF)
    start_somewhere(page)
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    page.evaluate("uncut()")
    start_somewhere(page)
    expect(page.get_by_role("log", name="Moves")).to_contain_text("starts with a franchise in")


def fail_once(page: Page, pattern: str) -> None:
    """Let the first request for an address fail."""
    failed: list[str] = []

    def respond(route: Route) -> None:
        if failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.fulfill(status=500, content_type="text/html", body="")

    page.route(re.compile(pattern), respond)


def test_a_failed_read_of_a_move_is_repeated(browser: Browser, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    table.play(12)
    history = table.seen("/history")
    first, last = history["turns"][0]["version"], history["items"][-1]["version"]
    with page_without_errors(browser, [SERVER_FAILS]) as page:
        fail_once(page, rf"state\?at={last}$")
        page.goto(f"{url}/play/{table.id}#v={last}")
        expect(page.get_by_role("alert")).to_contain_text("Internal Server Error")
        board, slider = page.get_by_role("group", name="Board", exact=True), page.get_by_role("slider", name="Move")
        for key, version in (("Home", first), ("End", last)):
            slider.press(key)
            expect(board).to_have_attribute("data-version", str(version))


def test_a_failed_read_of_the_milestones_is_repeated(browser: Browser, url: str, client: Client) -> None:
    table = People(client, hot_seat=True, modules={"milestones": True})
    with page_without_errors(browser, [SERVER_FAILS]) as page:
        fail_once(page, r"/v1/boards/[\w-]+$")
        open_as_host(page, url, table)
        expect(page.get_by_role("alert")).to_contain_text("Internal Server Error")
        start_somewhere(page)
        expect(page.get_by_role("region", name="Milestones").get_by_role("listitem").first).to_be_visible()


def test_the_same_error_is_shown_once(browser: Browser, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    with page_without_errors(browser, [SERVER_FAILS]) as page:
        open_as_host(page, url, table)
        page.route("**/hint", lambda route: route.fulfill(status=500, content_type="text/html", body=""))
        for _ in range(3):
            with page.expect_response("**/hint"):
                page.get_by_role("button", name="Hint").click()
            expect(page.get_by_role("button", name="Hint")).not_to_have_attribute("aria-disabled", "true")
        expect(page.locator(".notice")).to_have_count(1)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        (
            {"limit": "requests", "retry_after": 5},
            "Too many: The limit of requests per minute is reached. Try again in 5 seconds.",
        ),
        (
            {"limit": "storage", "retry_after": 1700},
            "Too many: The limit of data stored per hour is reached. Try again in 29 minutes.",
        ),
        (
            {"limit": "connections", "retry_after": None},
            "Too many: The limit of connections at once is reached. Waiting alone does not help.",
        ),
        ({"limit": "a later one", "retry_after": 5}, "Too many: In the words of the server."),
    ],
)
def test_a_limit_is_named_and_when_to_try_again(
    browser: Browser, url: str, client: Client, members: dict[str, Any], text: str
) -> None:
    problem = {"title": "Too many", "status": 429, "detail": "In the words of the server.", **members}
    with page_without_errors(browser, [LIMITED]) as page:
        open_as_host(page, url, People(client, hot_seat=True))
        page.route("**/hint", lambda route: route.fulfill(status=429, json=problem))
        button(page, "Hint").click()
        expect(page.locator(".notice.problem p")).to_have_text(text)


def test_the_limit_of_streams_is_shown_without_a_click(browser: Browser) -> None:
    with (
        running(watchers_per_client="1", log_level="error") as server,
        client_of(server.url) as client,
        page_without_errors(browser, [LIMITED]) as page,
    ):
        table = People(client)
        with client.stream("GET", f"{table.path}/stream"):
            page.goto(f"{server.url}/play/{table.id}")
            expect(page.get_by_role("alert")).to_contain_text(
                "Close other tabs with games. Waiting alone does not help."
            )


def test_a_page_waits_longer_after_each_failure(browser: Browser, url: str, client: Client) -> None:
    table = People(client)
    with page_without_errors(browser, [REFUSED]) as page:
        page.add_init_script(FAST_TIMERS)
        page.route("**/stream*", lambda route: route.abort())
        page.goto(f"{url}/play/{table.id}")
        page.wait_for_function("() => waits.length >= 6")
        waits = page.evaluate("waits")
    assert waits[:5] == [2000, 4000, 8000, 16000, 30000]
    assert all(earlier <= later for earlier, later in pairwise(waits))


def test_an_outage_is_shown_even_where_streams_are_blocked(browser: Browser, url: str, client: Client) -> None:
    table = People(client)
    with page_without_errors(browser, [REFUSED]) as page:
        page.clock.install()
        page.route("**/stream*", lambda _: None)
        page.goto(f"{url}/play/{table.id}")
        page.get_by_role("heading", level=1).wait_for()
        with page.expect_request("**/events?*"):
            page.clock.run_for(50_000)
        expect(page.get_by_role("status").first).to_have_text("Live")
        page.route("**/events?*", lambda route: route.abort())
        table.play(1)
        with page.expect_request("**/events?*"):
            page.clock.run_for(60_000)
        expect(page.get_by_role("status").first).to_have_text("Connection lost, reconnecting")


def test_concurrent_readers_share_one_more_read(page: Page, url: str) -> None:
    page.goto(f"{url}/play")
    seen = page.evaluate(COALESCED, f"/play/files/{play_files().release}/coalesced.js")
    assert seen == {"begun": 1, "outcomes": ["new"] * 3, "failed": ["refused"], "later": "found", "times": 4}


def test_without_storage_a_game_can_be_played_until_the_page_is_left(page: Page, url: str) -> None:
    page.add_init_script(f"({NO_STORAGE})()")
    open_table(page, url, "Hot seat", "Ann", "Bob")
    expect(page.get_by_role("note")).to_contain_text("This browser does not let pages store data.")
    act_once(page, Random(1))
    page.reload()
    act_once(page, Random(1))
    page.get_by_role("link", name="Replay", exact=True).click()
    before = page.url
    button(page, "Fork from here").click()
    page.wait_for_url(lambda address: address.partition("#")[0] != before.partition("#")[0])
    settled(page)
    expect(actions(page)).to_contain_text("Your turn: ")
    page.get_by_role("link", name="Lobby").click()
    expect(page.get_by_role("heading", name="Games in progress")).to_be_visible()
    expect(page.get_by_role("heading", name="My games")).to_have_count(0)
    page.go_back()
    expect(actions(page)).to_contain_text("Your turn: ")
