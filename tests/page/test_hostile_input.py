"""The page and hostile input: names, addresses, invitations, files, and the storage of the browser."""

import json
from pathlib import Path

from httpx import Client
from playwright.sync_api import Browser, Dialog, Page, expect

from tests.api.people import People, bearer
from tests.page.playing import keep, kept
from tests.support.browser import page_without_errors

NAMES = (
    "<img src=x onerror=alert(1)>",
    "__proto__",
    "constructor",
    "\u05e9\u05dc\u05d5\u05dd\u05e9\u05dc\u05d5\u05dd" * 5,
    "\U0001f469\u0301\U0001f680" * 13,
)
NOT_THERE = "Failed to load resource: the server responded with a status of 404 (Not Found)"
TOO_LARGE = "Failed to load resource: the server responded with a status of 413 (Payload Too Large)"
REFUSED = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"
UNREADABLE = "File.prototype.text = () => Promise.reject(new DOMException('gone', 'NotFoundError'))"


def hostile_table(client: Client) -> People:
    """Open a table of players with hostile names."""
    options = {"hot_seat": True, "modules": {"milestones": True, "boom": True, "region_tiles": "mixed"}}
    created = client.post("/v1/games", json={"seats": 5, "players": NAMES, "options": options})
    assert created.status_code == 201, created.text
    table = People(client)
    table.id, table.host = created.json()["game"]["id"], created.json()["host_token"]
    table.path = f"/v1/games/{table.id}"
    table.tokens = {seat["seat"]: seat["token"] for seat in created.json()["seats"]}
    return table


def test_names_are_plain_text_in_every_part_of_the_page(page: Page, url: str, client: Client) -> None:
    table, dialogs = hostile_table(client), list[str]()

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    keep(page, table.id, json.dumps({"host": table.host, "seats": {"__proto__": "x"}}))
    table.play(40)
    page.goto(f"{url}/play")
    expect(page.get_by_role("link").filter(has_text=NAMES[0]).first).to_be_visible()
    page.goto(f"{url}/play/{table.id}")
    for name in NAMES:
        expect(page.get_by_role("region", name="Players")).to_contain_text(name)
    page.get_by_text("The board in words").click()
    for title in ("Host controls", "Continue on another device"):
        page.get_by_text(title).click()
    page.get_by_role("button", name="Resign as").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Resign as")
    page.get_by_role("button", name="Cancel").click()
    page.goto(f"{url}/play")
    table.play()
    page.goto(f"{url}/play/{table.id}")
    expect(page.get_by_role("heading", name="Game over")).to_be_visible()
    page.get_by_role("link", name="Watch the replay").click()
    expect(page.locator(".plot svg")).to_be_visible()
    assert not page.locator("main img, main script").count()
    assert not dialogs


def test_a_picture_that_is_opened_alone_runs_nothing(page: Page, url: str, client: Client) -> None:
    table = hostile_table(client)
    for picture in ("board.svg", "scores.svg"):
        page.goto(f"{url}{table.path}/{picture}")
        assert page.evaluate("document.documentElement.localName") == "svg"
        assert not page.evaluate("document.querySelectorAll('script, foreignObject, image, use, a, [onload]').length")


def test_the_browser_may_store_garbage(page: Page, url: str, client: Client) -> None:
    for text in ("{", "null", "[]", "7", '"x"', '{"seats": null}', '{"host": null, "seats": 5}'):
        table = People(client)
        keep(page, table.id, text)
        page.goto(f"{url}/play")
        expect(page.get_by_role("link").filter(has_text="Ann").first).to_be_visible()
        page.goto(f"{url}/play/{table.id}")
        expect(page.get_by_role("region", name="Players")).to_be_visible()


def test_an_id_in_capitals_is_the_same_game(page: Page, url: str, client: Client) -> None:
    table = People(client, hot_seat=True)
    keep(page, table.id, json.dumps({"host": table.host}))
    page.goto(f"{url}/play/{table.id.upper()}")
    expect(page.get_by_role("heading", name="Your turn")).to_be_visible()


def test_a_wrong_address_causes_no_request(browser: Browser, url: str, client: Client) -> None:
    table, requested = People(client), list[str]()
    with page_without_errors(browser, [NOT_THERE]) as page:
        page.on("request", lambda request: requested.extend([request.url] * ("/v1/" in request.url)))
        for ending in ("%3F", "%23", "%253F", "%25", "%27%22%3E%3Cb%3E"):
            page.goto("about:blank")
            requested.clear()
            page.goto(f"{url}/play/{table.id}{ending}")
            expect(page.get_by_role("heading", level=1)).to_have_text("Nothing is here")
            assert not requested
        page.get_by_role("main").get_by_role("link", name="Lobby").click()
        expect(page.get_by_role("heading", name="Open tables")).to_be_visible()


def test_a_false_invitation_does_not_replace_that_of_the_host(page: Page, url: str, client: Client) -> None:
    table = People(client, seats=3, players=1, invite=True)
    keep(page, table.id, json.dumps({"host": table.host, "invite": table.created["invite"]}))
    page.goto(f"{url}/play/{table.id}#invite=made-up")
    expect(page.get_by_role("heading", name="Host controls")).to_be_visible()
    expect(page).to_have_url(f"{url}/play/{table.id}")
    assert kept(page, table.id) == {"host": table.host, "invite": table.created["invite"]}


def test_an_invitation_is_removed_from_the_address_of_an_open_page(page: Page, url: str, client: Client) -> None:
    table = People(client, seats=3, players=1, invite=True)
    page.goto(f"{url}/play/{table.id}")
    page.get_by_role("heading", name="Join").wait_for()
    page.goto(f"{url}/play/{table.id}#invite={table.created['invite']}")
    expect(page.get_by_label("Invitation", exact=True)).to_have_value(table.created["invite"])
    expect(page).to_have_url(f"{url}/play/{table.id}")


def test_a_large_or_unreadable_record_is_refused_in_words(browser: Browser, url: str, tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_text(json.dumps({"games": "x" * 10_000_000}))
    with page_without_errors(browser, [TOO_LARGE]) as page:
        page.goto(f"{url}/play")
        page.get_by_label("Record file").set_input_files(large)
        expect(page.get_by_role("alert")).to_contain_text("too large")
        page.evaluate(f"() => {{ {UNREADABLE} }}")
        page.get_by_label("Record file").set_input_files(tmp_path / "large.json")
        expect(page.get_by_role("alert")).to_contain_text("This file cannot be read.")


def test_cached_pictures_of_a_private_game_need_the_token(browser: Browser, url: str, client: Client) -> None:
    table = People(client, private=True)
    ask = "([path, headers]) => fetch(path, { headers }).then(({ status }) => status)"
    with page_without_errors(browser, [REFUSED]) as page:
        page.goto(f"{url}/play")
        for picture in ("board.svg?at=2", "scores.svg?at=2", "board.png?at=2&width=200"):
            path = f"{table.path}/{picture}"
            statuses = [page.evaluate(ask, [path, sent]) for sent in (bearer(table.host), {}, bearer(table.tokens[0]))]
            assert statuses == [200, 401, 200]
