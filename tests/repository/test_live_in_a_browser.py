"""The programs of docs/live.md in a real browser, on pages of another origin than the API."""

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, expect

from tests.api.people import NOWHERE, People, bearer
from tests.api.server import Server, client_of, running
from tests.support.browser import NEVER, page_without_errors
from tests.support.documents import programs
from tests.support.web_server import proxying, serving_folder

Versions = dict[str, int | str]
"""The versions of the entries of games, or `gone`."""

FAILED = "Failed to load resource: "
STOPPED = [f"{FAILED}net::ERR_{why}" for why in ("CONNECTION_REFUSED", "CONNECTION_RESET", "EMPTY_RESPONSE")]
STATUS = f"{FAILED}the server responded with a status of "
UNAUTHORIZED = f"{STATUS}401 (Unauthorized)"
NOT_FOUND = f"{STATUS}404 (Not Found)"
TOO_MANY = f"{STATUS}429 (Too Many Requests)"

PAGE = """<!doctype html><title>Live</title><body><script>
  const versions = {}, stopping = new AbortController();
  const show = (text) => document.body.appendChild(document.createElement("p")).append(text);
</script>"""
WATCH = """async ([api, game, version]) => {
  const { watch } = await import("/watch.js");
  const source = watch(api, game, version, (event) => show(event.version), () => show("refused"));
  source.addEventListener("heartbeat", () => document.title += " heartbeat");
}"""
FOLLOW = """async ([api, game, version, token, silence]) => {
  const { follow } = await import("/follow.js");
  const { signal } = stopping;
  const followed = async () => {
    for await (const event of follow(api, game, { version, token, silence, signal })) show(event.version);
    show("stopped");
  };
  followed().catch((error) => show(error.cause.status));
}"""
ENTRIES = """async ([api, games]) => {
  const { followEntries } = await import("/entries.js");
  followEntries(api, games, (kind, entry) => { versions[entry.id] = kind === "gone" ? kind : entry.version; });
}"""
READ_VERSION = "async (url) => (await (await fetch(url)).json()).version"
SHOWN = "(expected) => JSON.stringify(Object.entries(versions).sort()) === JSON.stringify(expected)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with the programs, on another origin than the API."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text(PAGE, "utf-8")
    for name, program in programs("docs/live.md").items():
        (folder / name).write_text(program, "utf-8")
    with serving_folder(folder) as url:
        yield url


def act(table: People) -> None:
    """Take the first legal action."""
    summary, moves = (table.seen(view, token=table.host) for view in ("", "/legal-moves"))
    assert table.do(moves["items"][0]["action"], summary["to_play"]).status_code == 200


def newest(table: People) -> int:
    return int(table.seen(token=table.host)["version"])


def act_and_expect(page: Page, table: People, first: int) -> None:
    """Act three times; each time expect all events from a version on, once and in order."""
    for _ in range(3):
        act(table)
        expect(page.locator("p")).to_have_text([str(version) for version in range(first, newest(table) + 1)])


def follow_entries(page: Page, site: str, server: Server, games: Iterable[str]) -> None:
    page.goto(site)
    page.evaluate(ENTRIES, [server.url, list(games)])


def expect_entries(page: Page, versions: Versions) -> None:
    """Expect a page to show these versions."""
    page.wait_for_function(SHOWN, arg=sorted(map(list, versions.items())), timeout=NEVER)


@pytest.mark.parametrize("program", [WATCH, FOLLOW])
def test_a_page_sees_every_move_even_during_a_restart(
    browser: Browser, site: str, tmp_path: Path, program: str
) -> None:
    database = f"sqlite:///{tmp_path}/games.db"
    with page_without_errors(browser, STOPPED) as page:
        with running(database) as server, client_of(server.url) as client:
            table = People(client)
            version, port = newest(table), urlsplit(server.url).port
            assert port is not None
            page.goto(site)
            page.evaluate(program, [server.url, table.id, version])
            act_and_expect(page, table, version + 1)
            server.stop()
        with running(database, port=port) as server, client_of(server.url) as table.client:
            act_and_expect(page, table, version + 1)


def test_a_page_follows_a_private_game_until_its_token_is_revoked(
    browser: Browser, site: str, shared_server: Server, client: Client
) -> None:
    table = People(client, private=True)
    version, token = newest(table), table.post("/spectators", table.host).json()["token"]
    with page_without_errors(browser, [UNAUTHORIZED]) as page:
        page.goto(site)
        page.evaluate(FOLLOW, [shared_server.url, table.id, version, token])
        act_and_expect(page, table, version + 1)
        assert client.delete(f"{table.path}/spectators", headers=bearer(table.host)).status_code == 204
        expect(page.locator("p").last).to_have_text("401")


def test_a_page_shows_that_a_game_is_unknown(browser: Browser, site: str, shared_server: Server) -> None:
    with page_without_errors(browser, [NOT_FOUND]) as page:
        page.goto(site)
        page.evaluate(WATCH, [shared_server.url, NOWHERE, 0])
        expect(page.locator("p")).to_have_text("refused")


def test_a_page_waits_for_a_permit_and_frees_it(browser: Browser, site: str) -> None:
    with running(watchers="1") as server, client_of(server.url) as client, ExitStack() as pages:
        table = People(client)
        version = newest(table)
        first, second = (pages.enter_context(page_without_errors(browser, [TOO_MANY])) for _ in range(2))
        for page in (first, second):
            page.goto(site)
        first.evaluate(FOLLOW, [server.url, table.id, version])
        act_and_expect(first, table, version + 1)
        with second.expect_response(lambda response: response.status == 429):
            second.evaluate(FOLLOW, [server.url, table.id, version])
        first.evaluate("stopping.abort()")
        expect(first.locator("p").last).to_have_text("stopped")
        act_and_expect(second, table, version + 1)


def test_heartbeats_pass_a_proxy_without_a_buffer(page: Page, site: str, shared_server: Server, client: Client) -> None:
    table = People(client)
    version = newest(table)
    with proxying(shared_server.url, buffer=0) as url:
        page.goto(site)
        page.evaluate(WATCH, [url, table.id, version])
        expect(page).to_have_title(re.compile("heartbeat heartbeat"))
        act_and_expect(page, table, version + 1)


@pytest.mark.parametrize("buffer", [300, 1_000_000])
def test_a_page_behind_a_buffering_proxy_polls_the_events(
    page: Page, site: str, shared_server: Server, client: Client, buffer: int
) -> None:
    table = People(client)
    version = newest(table)
    with proxying(shared_server.url, buffer) as url:
        page.goto(site)
        page.evaluate(FOLLOW, [url, table.id, version, None, 2])
        with page.expect_request(re.compile(r"/events\?")):
            act_and_expect(page, table, version + 1)
        act_and_expect(page, table, version + 1)


def test_seven_tabs_with_eight_games_share_a_stream_and_can_send_requests(
    page: Page, site: str, shared_server: Server, client: Client
) -> None:
    tables = [People(client) for _ in range(8)]
    versions: Versions = {table.id: newest(table) for table in tables}
    tabs = [page, *(page.context.new_page() for _ in range(6))]
    for tab in tabs:
        follow_entries(tab, site, shared_server, versions)
    for table in tables:
        act(table)
        versions[table.id] = newest(table)
        for tab in tabs:
            expect_entries(tab, versions)
    for tab, table in zip(tabs, tables, strict=False):
        assert tab.evaluate(READ_VERSION, shared_server.url + table.path) == newest(table)


def test_tabs_go_on_without_deleted_games(page: Page, site: str, shared_server: Server, client: Client) -> None:
    stays, goes, other = People(client), People(client, players=1), page.context.new_page()
    versions: Versions = {stays.id: newest(stays), goes.id: newest(goes)}
    follow_entries(page, site, shared_server, versions)
    expect_entries(page, versions)
    assert client.delete(goes.path, headers=bearer(goes.host)).status_code == 204
    versions[goes.id] = "gone"
    expect_entries(page, versions)
    versions |= {NOWHERE: "gone"}
    follow_entries(other, site, shared_server, versions)
    expect_entries(other, versions)
    act(stays)
    for tab in (page, other):
        tab.wait_for_function("([game, version]) => versions[game] === version", arg=[stays.id, newest(stays)])
