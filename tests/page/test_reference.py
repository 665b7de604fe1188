"""The tools of the reference: contents, filter, buttons to copy, and forms to try operations."""

import re
from collections.abc import Iterator

import pytest
from httpx import Client
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from tests.api.people import People
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors

CONFLICT = "Failed to load resource: the server responded with a status of 409 (Conflict)"
"""The message that the browser itself logs for a refusal."""


ONE_OF_EACH = """for (const each of document.querySelectorAll(
  "section.operation:not(#create_game), section.type:not(#Expand), [id^=problem-]:not(#problem-not_found)"
)) (each.closest("tr") || each).remove()"""
"""Leave only one operation, type and problem on the page: axe would need half a minute for all of them."""


def contents(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Contents")


def operation(page: Page, name: str) -> Locator:
    """Open the form of an operation."""
    form = page.locator(f"#{name} .try")
    form.locator("> summary").click()
    expect(form.get_by_role("button", name="Send")).to_be_visible()
    return form


def sent(form: Locator) -> Locator:
    """Send the request of a form, and return the element with its status."""
    form.get_by_role("button", name="Send").click()
    return form.locator(".response .status")


def with_table(page: Page, table: People) -> None:
    """Store a game and its tokens in the browser."""
    values = {"GAME": table.id, "TOKEN": table.tokens[0], "HOST": table.host}
    page.add_init_script(
        f"for (const [k, v] of Object.entries({values})) sessionStorage.setItem(`franchise:reference:${{k}}`, v)"
    )


@pytest.fixture
def reference(page: Page, url: str) -> Page:
    """The reference in a new browser."""
    page.goto(f"{url}/schema")
    return page


def test_the_filter_finds_operations_types_and_problems(reference: Page) -> None:
    nav, field = contents(reference), reference.get_by_role("searchbox")
    reference.keyboard.press("/")
    expect(field).to_be_focused()
    before = nav.get_by_role("link").count()
    field.fill("undo answer")
    expect(nav.get_by_role("link", name="Answer a proposed undo")).to_be_visible()
    expect(nav.get_by_role("link", name="UndoAnswer", exact=True)).to_be_visible()
    expect(nav.get_by_role("link", name="Open a table")).to_be_hidden()
    field.fill("free_link")
    expect(nav.get_by_role("link", name="Expand", exact=True)).to_be_visible()
    field.fill("stale_version")
    expect(nav.get_by_role("link", name="stale_version", exact=True)).to_be_visible()
    expect(nav.get_by_role("link", name="Play an action")).to_be_visible()
    field.fill("xyzzy")
    expect(nav.get_by_role("status")).to_have_text("Nothing found")
    field.press("Escape")
    expect(field).to_have_value("")
    assert nav.get_by_role("link").count() == before
    field.fill("#problem-token_missing")
    field.press("Enter")
    expect(reference.locator("#problem-token_missing")).to_be_in_viewport()


def test_the_contents_mark_the_section_that_is_read(reference: Page) -> None:
    current = contents(reference).locator("[aria-current]")
    reference.evaluate("document.getElementById('read_board').scrollIntoView()")
    expect(current).to_have_text(re.compile("board"))
    expect(current).to_be_in_viewport()
    reference.evaluate("document.getElementById('UndoneEvent').scrollIntoView()")
    expect(current).to_have_text("UndoneEvent")
    expect(current).to_be_in_viewport()
    reference.evaluate("document.getElementById('Summary').scrollIntoView()")
    expect(current).to_have_text("Summary")
    expect(contents(reference).get_by_role("link", name="UndoneEvent")).to_be_hidden()


def test_an_address_leads_to_its_section_although_the_contents_fold(browser: Browser, url: str) -> None:
    with page_without_errors(browser, viewport={"width": 360, "height": 740}) as page:
        page.goto(f"{url}/schema#play_move")
        heading = page.get_by_role("heading", name="Play an action")
        expect(heading).to_be_in_viewport(ratio=1)
        fold = contents(page).locator("summary").first
        expect(fold).to_have_text("Contents: Play an action or a whole turn")
        expect(page.get_by_role("searchbox")).to_be_hidden()
        fold.click()
        page.get_by_role("searchbox").fill("hint")
        contents(page).get_by_role("link", name=re.compile("hint$")).click()
        expect(page.get_by_role("searchbox")).to_be_hidden()
        expect(page.locator("#read_hint > h2")).to_be_in_viewport()
        page.set_viewport_size({"width": 1280, "height": 740})
        expect(page.get_by_role("searchbox")).to_be_visible()


def test_commands_and_examples_are_copied(browser: Browser, url: str) -> None:
    with page_without_errors(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(f"{url}/schema")
        copied = page.locator("#read_state .samples").get_by_role("button", name="Copy").first
        copied.click()
        expect(page.locator("body > [role=status]")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == 'curl -sS "$API/v1/games/$GAME/state"'


def test_a_text_that_cannot_be_copied_is_selected(reference: Page) -> None:
    """Without HTTPS a page may not write to the clipboard."""
    reference.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    reference.locator("#read_state .samples").get_by_role("button", name="Copy").first.click()
    expect(reference.locator("body > [role=status]")).to_have_text("Press Ctrl+C")
    assert reference.evaluate("getSelection().toString()") == 'curl -sS "$API/v1/games/$GAME/state"'


def test_a_table_is_opened_and_used_without_typing(browser: Browser, url: str) -> None:
    with page_without_errors(browser, expected=[CONFLICT]) as page:
        requested: list[str] = []
        page.on("request", lambda request: requested.append(request.url))
        page.goto(f"{url}/schema")
        form = operation(page, "play_move")
        form.get_by_role("button", name="Open a table").click()
        expect(form.get_by_label("Token")).not_to_have_value("")
        status = sent(form)
        expect(status).to_contain_text("200 OK")
        expect(form.get_by_role("table")).to_contain_text("etag")
        expect(form.locator(".response pre")).to_contain_text('"type": "expanded"')

        expect(sent(form)).to_contain_text("409 Conflict")
        problem = form.locator(".response .problem")
        expect(problem.get_by_role("link").first).to_have_attribute("href", re.compile("^/problems/"))
        expect(problem.get_by_role("link", name="Rule R4")).to_have_attribute("href", re.compile(r"^/rules#R4"))

        state = operation(page, "read_state")
        expect(sent(state)).to_contain_text("200 OK")
        expect(state.locator(".response pre")).to_contain_text('"legal_moves": {')
        token = form.get_by_label("Token").input_value()
        assert token not in page.url + "".join(requested)
        assert token not in page.evaluate("JSON.stringify(localStorage)")


def test_all_forms_can_use_a_new_game(reference: Page) -> None:
    form = operation(reference, "create_game")
    form.get_by_label("Example").select_option("A full table")
    expect(sent(form)).to_contain_text("201 Created")
    form.get_by_role("button", name="Use this game").click()
    renewal = operation(reference, "renew_token")
    expect(renewal.get_by_label("Token of the host")).to_have_value(re.compile(".{20}"))
    expect(renewal.get_by_role("button", name="Open a table")).to_be_hidden()
    reference.reload()
    expect(sent(operation(reference, "renew_token"))).to_contain_text("201 Created")


def test_a_stream_is_shown_and_stopped(page: Page, url: str, client: Client) -> None:
    table = People(client, start="introductory")
    with_table(page, table)
    page.goto(f"{url}/schema")
    form = operation(page, "stream_events")
    status = sent(form)
    expect(status).to_contain_text("200 OK")
    assert table.do(table.moves()[0]).status_code == 200
    expect(form.get_by_role("log")).to_contain_text('"type": "action_taken"')
    form.get_by_role("button", name="Stop").click()
    expect(status).to_contain_text("stopped")
    expect(form.get_by_role("button", name="Stop")).to_be_hidden()


def test_a_picture_is_shown(page: Page, url: str, client: Client) -> None:
    with_table(page, People(client))
    page.goto(f"{url}/schema")
    form = operation(page, "draw_board_png")
    form.get_by_label("theme").select_option("dark")
    expect(sent(form)).to_contain_text("200 OK")
    expect(form.get_by_role("img")).to_have_js_property("complete", True)
    assert form.get_by_role("img").evaluate("image => image.naturalWidth") > 100


@pytest.fixture
def prefilled(browser: Browser, url: str, client: Client) -> Iterator[list[Request]]:
    """The requests of all prefilled forms. None of them reaches the server."""
    requests: list[Request] = []

    def keep(route: Route) -> None:
        requests.append(route.request)
        route.fulfill(status=204)

    with page_without_errors(browser) as page:
        with_table(page, People(client, start="introductory"))
        page.goto(f"{url}/schema")
        page.locator(".try > summary").evaluate_all("all => all.forEach(each => each.click())")
        expect(page.locator("form")).to_have_count(page.locator("section.operation").count())
        page.route("**/*", keep)
        page.evaluate("for (const form of document.forms) form.requestSubmit()")
        expect(page.locator("form .status")).to_contain_text(["204"] * page.locator("form").count())
        yield requests


def test_every_prefilled_form_sends_a_valid_request(prefilled: list[Request], client: Client) -> None:
    """A prefilled request may come too late for the game, but it is never invalid."""
    paths = client.get("/schema/openapi.json").json()["paths"]
    operations = [(method.upper(), path) for path, methods in paths.items() for method in methods]
    assert len(prefilled) == len(operations)
    renewals = [request for request in prefilled if request.url.endswith("/host-token")]
    assert len(renewals) == 1
    for request in sorted(prefilled, key=lambda each: each in renewals):  # the last to use the host's token
        headers = {name: value for name, value in request.headers.items() if name in ("authorization", "content-type")}
        with client.stream(request.method, request.url, headers=headers, content=request.post_data_buffer) as response:
            streamed = response.headers.get("content-type", "").startswith("text/event-stream")
            code = response.json()["code"] if not streamed and response.read() and response.is_error else ""
        refused = code in ("record_rejected", "app_key_missing")  # a page has no key
        assert response.status_code < 400 or response.status_code in (409, 503) or refused, code


def test_everything_can_be_read_without_a_script(browser: Browser, url: str) -> None:
    with page_without_errors(browser, java_script_enabled=False, viewport={"width": 360, "height": 740}) as page:
        page.goto(f"{url}/schema")
        expect(page.get_by_role("link", name="Play an action")).to_be_visible()
        page.get_by_role("link", name="Play an action").click()
        expect(page.get_by_role("heading", name="Play an action")).to_be_in_viewport()
        expect(page.locator("#play_move pre.curl")).to_be_visible()
        expect(page.locator("#play_move").get_by_text("not_your_turn")).to_be_visible()
        expect(page.locator("#play_move .try")).to_be_hidden()


def test_browsers_get_the_problems_as_a_page(page: Page, url: str, client: Client) -> None:
    page.goto(f"{url}/problems")
    page.get_by_role("main").get_by_role("link", name="not_your_turn").click()
    expect(page).to_have_url(f"{url}/problems/not_your_turn")
    expect(contents(page).locator("[aria-current]")).to_have_text("not_your_turn")
    page.get_by_role("link", name="Example in the reference").click()
    expect(page.locator("#problem-not_your_turn")).to_be_in_viewport()


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 360)])
def test_the_reference_is_accessible_and_fits(browser: Browser, url: str, theme: str, width: int) -> None:
    with page_without_errors(browser, color_scheme=theme, viewport={"width": width, "height": 740}) as page:
        page.goto(f"{url}/schema")
        form = operation(page, "create_game")
        expect(sent(form)).to_contain_text("201 Created")
        page.evaluate(ONE_OF_EACH)
        assert not violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
