"""A real browser for the tests: Chromium without a window, driven by Playwright.

A test waits by a locator's `wait_for` or by `expect`, never for a time: both end at once when what they wait for is
there, and give up only when it will never be.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.chromium import Chromium, find_chromium

HOST = "127.0.0.1"
NEVER = 30_000
"""Milliseconds after which what has not happened will not."""

ARGUMENTS = [
    "--no-sandbox",  # root has none
    "--no-zygote",
    "--disable-dev-shm-usage",  # small in containers
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


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    """The program, fetched if need be."""
    return find_chromium()


@pytest.fixture(scope="module")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """A browser that knows no host but 127.0.0.1.

    It lives as long as the tests of one file: while it does, Playwright has an event loop in this thread, and
    `asyncio.run` is refused.
    """
    expect.set_options(timeout=NEVER)
    with launched(chromium) as browser:
        yield browser


@contextmanager
def launched(chromium: Chromium) -> Iterator[Browser]:
    """Start the browser, and end it afterwards."""
    environment: dict[str, str | float | bool] = {**os.environ, **chromium.environment}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium.executable, args=ARGUMENTS, env=environment) as browser,
    ):
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own, on which nothing may go wrong."""
    with faultless_page(browser) as page:
        yield page


@contextmanager
def faultless_page(browser: Browser, expected: Collection[str] = (), **options: Any) -> Iterator[Page]:
    """Open a page in a new context, and fail at its end if it asked another host or reported an error not expected."""
    faults: list[str] = []
    with browser.new_context(**options) as context:
        context.on("console", lambda message: faults.extend([message.text] * (message.type == "error")))
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on("request", lambda request: faults.extend(_requests_elsewhere(request.url)))
        context.on("page", lambda page: page.on("websocket", lambda to: faults.extend(_requests_elsewhere(to.url))))
        yield context.new_page()
    unexpected = [fault for fault in faults if fault not in expected]
    assert not unexpected, "\n".join(unexpected)


def _requests_elsewhere(url: str) -> list[str]:
    parts = urlsplit(url)
    local = parts.scheme in ("blob", "data") or parts.hostname == HOST
    return [] if local else [f"request to another host: {url}"]


def texts_without_height(page: Page) -> list[str]:
    """Return the texts that take part in the page and yet have no height, as without fonts."""
    texts: list[str] = page.evaluate(TEXTS_WITHOUT_HEIGHT)
    return texts


def draws_text(page: Page) -> bool:
    """Return true if a screenshot shows text: it differs from one in which all text is transparent, as it is then."""
    before = page.screenshot(animations="disabled")
    page.evaluate(HIDE_TEXT)
    after = page.screenshot(animations="disabled")
    page.evaluate("document.adoptedStyleSheets.pop()")
    return before != after
