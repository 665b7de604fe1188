"""The tests' own browser: it draws, and whatever goes wrong on a page fails the test."""

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import draws_text, faultless_page, texts_without_height


@pytest.mark.parametrize(
    ("script", "event", "fault"),
    [
        ("console.error('it is broken')", "console", "it is broken"),
        ("throw new Error('it is broken')", "pageerror", "it is broken"),
        ("fetch('http://127.0.0.2:8000/')", "request", "request to another host: http://127.0.0.2:8000/"),
        ("fetch('http://franchise.example/')", "request", "request to another host: http://franchise.example/"),
        ("new WebSocket('ws://127.0.0.2:8000/')", "websocket", "request to another host: ws://127.0.0.2:8000/"),
    ],
)
def test_what_goes_wrong_on_a_page_fails_the_test(browser: Browser, script: str, event: str, fault: str) -> None:
    with pytest.raises(AssertionError) as failed, faultless_page(browser) as page, page.expect_event(event):
        page.set_content(f"<script>{script}</script>")
    assert fault in str(failed.value).splitlines()


def test_no_other_host_is_reached(browser: Browser) -> None:
    with pytest.raises(AssertionError) as failed, faultless_page(browser) as page, page.expect_event("console"):
        page.set_content("<img src='http://127.0.0.2:8000/'>")
    assert "ERR_NAME_NOT_RESOLVED" in str(failed.value)


def test_each_page_has_a_context_of_its_own(browser: Browser) -> None:
    with faultless_page(browser) as one, faultless_page(browser, viewport={"width": 320, "height": 480}) as other:
        assert one.context != other.context
        assert other.evaluate("innerWidth") == 320


def test_messages_that_are_no_errors_are_none(page: Page) -> None:
    page.set_content(
        "<script>console.log('all is well')</script><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"
    )


def test_text_without_height_is_found(page: Page) -> None:
    page.set_content("<p>one<p style='font-size: 0'>two<p hidden>three<style>p { color: red }</style>")
    assert texts_without_height(page) == ["two"]


def test_a_screenshot_shows_text_or_none(page: Page) -> None:
    page.set_content("<style>body { background: linear-gradient(red, blue) }</style>")
    assert not draws_text(page)
    page.set_content("<p>one")
    assert draws_text(page)
    assert draws_text(page), "asking changes nothing"
