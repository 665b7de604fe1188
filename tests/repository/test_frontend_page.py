"""The programs of docs/frontend.md in a real browser, served by the command of the page."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from tests.api.people import People, bearer
from tests.api.server import Server
from tests.support.browser import page_without_errors
from tests.support.documents import ROOT, programs

SERVE = re.compile(r"^    python3 (-m http\.server) 8080 (.*)$", re.MULTILINE)
LOST = "Failed to load resource: net::ERR_FAILED"
CONFLICT, STALE = (
    f"Failed to load resource: the server responded with a status of {status}"
    for status in ("409 (Conflict)", "412 (Precondition Failed)")
)
GAME = """async ([api, id, token]) => {
  const { Game } = await import("/game.js");
  window.shown = [];
  window.game = new Game(api, id, token, ({ version }) => shown.push(version));
  await game.read();
}"""
CHANGE = """([what, body]) => game.change(what, body).then(
  () => null,
  ({ status, code, rule, needed, message }) => ({ status, code, rule, needed, message, shown: game.state.version }),
)"""
JOIN_TABLE = """async ([api, game, name, invite]) => {
  const { joinTable, myGames } = await import("/table.js");
  return [await myGames(api), await joinTable(api, game, name, invite), await myGames(api)];
}"""


@pytest.fixture
def url(shared_server: Server) -> str:
    return shared_server.url


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with the programs and an empty page, on another origin than the API."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "frontend").mkdir()
    for name, text in {**programs("docs/live.md"), **programs("docs/frontend.md"), "empty.html": ""}.items():
        (folder / "frontend" / name).write_text(text, "utf-8")
    command = SERVE.search((ROOT / "docs/frontend.md").read_text("utf-8"))
    assert command is not None
    arguments = [sys.executable, "-u", *shlex.split(command[1]), "0", *shlex.split(command[2])]
    with subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        announced = re.search(r"\((http://127\.0\.0\.1:\d+)/\)", server.stdout.readline())
        assert announced is not None
        yield announced[1]
        server.terminate()


def buttons(page: Page) -> Locator:
    return page.get_by_role("navigation").get_by_role("button")


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def about_a_game(request: Request) -> list[str]:
    """Return the method and the path after the id of the game; nothing for preflights and other requests."""
    _, _, part = request.url.partition("?")[0].partition("/v1/games/")
    return [f"{request.method} {part.partition('/')[2]}"] if part and request.method != "OPTIONS" else []


def test_a_game_is_played_on_the_page_and_followed_on_another(
    browser: Browser, site: str, url: str, client: Client
) -> None:
    with page_without_errors(browser) as page, page_without_errors(browser) as watcher:
        page.goto(f"{site}/?api={url}")
        expect(heading(page)).to_have_text(re.compile("Turn 1: (Ann|Bob) to play"))
        (entry,) = client.get("/v1/games?status=playing&limit=1").json()["items"]
        path = f"/v1/games/{entry['id']}"
        watcher.goto(f"{site}/?api={url}&game={entry['id']}")
        expect(watcher.locator(".place")).to_have_count(45)
        with page.expect_request(re.compile("/stream")):
            page.reload()
        detroit = page.locator("[data-place=detroit]")
        expect(detroit).to_have_class(re.compile("possible"))
        asked: list[str] = []
        page.on("request", lambda request: asked.extend(about_a_game(request)))
        detroit.locator(".value").click()
        expect(buttons(page)).to_have_count(1)
        buttons(page).get_by_text("Expand from Indianapolis to Detroit for $1").click()
        for each in (page, watcher):
            expect(each.locator("[data-place=detroit] .marker")).to_have_count(1)
        assert asked == ["POST moves", "GET board.svg"]
        expect(buttons(watcher)).to_have_count(0)
        assert watcher.locator(".possible").count() == 0
        buttons(page).get_by_text("Take back").click()
        for each in (page, watcher):
            expect(each.locator("[data-place=detroit] .marker")).to_have_count(0)
        buttons(page).get_by_text("End the turn").click()
        for each in (page, watcher):
            expect(heading(each)).to_have_text(re.compile("Turn 2: (Ann|Bob) to play"))
    assert [each["action"]["type"] for each in client.get(f"{path}/history").json()["items"]] == ["end_turn"]


def test_a_move_is_made_once_although_its_response_is_lost(
    browser: Browser, site: str, url: str, client: Client
) -> None:
    table = People(client, hot_seat=True)
    keys = []

    def lose(route: Route) -> None:
        """Pass the requests on, and drop the first response."""
        if route.request.method == "OPTIONS":
            return route.continue_()
        keys.append(route.request.headers["idempotency-key"])
        response = route.fetch()
        return route.abort() if len(keys) == 1 else route.fulfill(response=response)

    before = table.version
    with page_without_errors(browser, [LOST]) as page:
        page.goto(f"{site}/empty.html")
        page.evaluate(GAME, [url, table.id, table.host])
        page.route("**/moves?include=state", lose)
        assert page.evaluate(CHANGE, ["moves", table.moves()[0]]) is None
        assert page.evaluate("shown") == [before, table.version]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert [each["version"] for each in table.seen("/history")["items"]] == [table.version]


def test_a_page_reads_the_game_again_after_a_refusal(browser: Browser, site: str, url: str, client: Client) -> None:
    table = People(client, hot_seat=True, start="introductory")
    with page_without_errors(browser, [CONFLICT, STALE]) as page:
        page.goto(f"{site}/empty.html")
        page.evaluate(GAME, [url, table.id, table.host])
        far = {"type": "expand", "path": ["indianapolis", "denver"]}
        refused = page.evaluate(CHANGE, ["moves", far])
        assert (refused["status"], refused["code"], refused["rule"]) == (409, "illegal_action", "R4.1")
        assert refused["needed"] == {"linked": "denver"}
        assert refused["message"] == "No direct link joins Indianapolis and Denver."
        move, *others = table.moves()
        assert table.do(move).status_code == 200
        late = page.evaluate(CHANGE, ["moves", others[0]])
        assert (late["status"], late["code"], late["shown"]) == (412, "stale_version", table.version)
        assert page.evaluate(CHANGE, ["undo", {}]) is None
        assert page.evaluate("game.state.version") == table.version
    assert table.moves()[0] == move


def test_invited_players_join_and_find_the_game_again(page: Page, site: str, url: str, client: Client) -> None:
    table = People(client, players=1, invite=True, private=True, first_player=1, start="introductory")
    page.goto(f"{site}/empty.html")
    before, seat, after = page.evaluate(JOIN_TABLE, [url, table.id, "Bob", table.created["invite"]])
    assert (before, seat) == ([], 1)
    (place,) = after
    assert (place["game"]["id"], place["role"], place["seat"], place["my_turn"]) == (table.id, "seat", 1, True)
    page.evaluate(GAME, [url, table.id, place["token"]])
    page.evaluate("void game.follow()")
    move = table.seen("/legal-moves", token=table.host)["items"][0]["action"]
    assert client.post(f"{table.path}/moves", json=move, headers=bearer(place["token"])).status_code == 200
    page.wait_for_function("(version) => game.state.version === version", arg=table.seen(token=table.host)["version"])
