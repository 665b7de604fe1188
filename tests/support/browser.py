"""A real browser for the tests: headless Chromium, driven by Playwright.

Tests wait with a locator's `wait_for` or with `expect`, never for a fixed time: both end as soon as the condition
holds, and fail after a timeout.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.support.chromium import Chromium, find_chromium

HOST = "127.0.0.1"
NEVER = 30_000
"""Timeout in milliseconds."""

ARGUMENTS = [
    "--no-sandbox",  # root cannot use the sandbox
    "--no-zygote",
    "--disable-dev-shm-usage",  # /dev/shm is small in containers
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
]

TEXTS_WITHOUT_HEIGHT = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [], range = new Range();
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    const text = texts.currentNode.data.trim();
    if (text && texts.currentNode.parentElement.checkVisibility() && !range.getBoundingClientRect().height)
      found.push(text);
  }
  return found;
}"""

HIDE_TEXT = """() => {
  const styles = new CSSStyleSheet();
  styles.replaceSync("* { color: transparent !important }");
  document.adoptedStyleSheets.push(styles);
}"""


SKIP_GUIDE = """try { localStorage.setItem("franchise:guide", "shown") } catch { /* no storage, no guide */ }"""


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    """The program, downloaded if necessary."""
    return find_chromium()


@pytest.fixture(scope="module")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """A browser that can only reach 127.0.0.1.

    It lives as long as the tests of one file. Meanwhile Playwright has an event loop in this thread, so that
    `asyncio.run` is refused.
    """
    expect.set_options(timeout=NEVER)
    with launched(chromium) as browser:
        yield browser


@contextmanager
def launched(chromium: Chromium) -> Iterator[Browser]:
    """Run the browser."""
    environment: dict[str, str | float | bool] = {**os.environ, **chromium.environment}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium.executable, args=ARGUMENTS, env=environment) as browser,
    ):
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in its own context, on which any error fails the test."""
    with page_without_errors(browser) as page:
        yield page


@contextmanager
def page_without_errors(
    browser: Browser, expected: Collection[str] = (), *, guide: bool = False, **options: Any
) -> Iterator[Page]:
    """Open a page in a new context; fail at its end after a request to another host or an unexpected error.

    Without other options it shows what others did at once, and no guide in a first game.
    """
    errors: list[str] = []
    options = {"reduced_motion": "reduce"} | options
    with browser.new_context(**options) as context:
        if not guide:
            context.add_init_script(SKIP_GUIDE)
        context.on("console", lambda message: errors.extend([message.text] * (message.type == "error")))
        context.on("weberror", lambda error: errors.append(str(error.error)))
        context.on("request", lambda request: errors.extend(_requests_elsewhere(request.url)))
        context.on("page", lambda page: page.on("websocket", lambda to: errors.extend(_requests_elsewhere(to.url))))
        yield context.new_page()
    unexpected = [message for message in errors if message not in expected]
    assert not unexpected, "\n".join(unexpected)


class Hold:
    """Keeps the requests for an address open until they are released."""

    def __init__(self, page: Page, address: str) -> None:
        self.held: list[Route] | None = []
        page.route(address, lambda route: self.take(route))  # noqa: PLW0108 - Playwright inspects its signature

    def take(self, route: Route) -> None:
        if self.held is None:
            route.continue_()
        else:
            self.held.append(route)

    def release(self) -> None:
        held, self.held = self.held, None
        for route in held or ():
            route.continue_()


def _requests_elsewhere(url: str) -> list[str]:
    parts = urlsplit(url)
    local = parts.scheme in ("blob", "data") or parts.hostname == HOST
    return [] if local else [f"request to another host: {url}"]


def texts_without_height(page: Page) -> list[str]:
    """Return the visible texts without height, a sign of missing fonts."""
    texts: list[str] = page.evaluate(TEXTS_WITHOUT_HEIGHT)
    return texts


def draws_text(page: Page) -> bool:
    """Return true if a screenshot shows text: if it differs from one with transparent text."""
    before = page.screenshot(animations="disabled")
    page.evaluate(HIDE_TEXT)
    after = page.screenshot(animations="disabled")
    page.evaluate("document.adoptedStyleSheets.pop()")
    return before != after
