"""The tests' own browser renders text, and any error on a page fails the test."""

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import draws_text, page_without_errors, texts_without_height


@pytest.mark.parametrize(
    ("script", "event", "message"),
    [
        ("console.error('it is broken')", "console", "it is broken"),
        ("throw new Error('it is broken')", "pageerror", "it is broken"),
        ("fetch('http://127.0.0.2:8000/')", "request", "request to another host: http://127.0.0.2:8000/"),
        ("fetch('http://franchise.example/')", "request", "request to another host: http://franchise.example/"),
        ("new WebSocket('ws://127.0.0.2:8000/')", "websocket", "request to another host: ws://127.0.0.2:8000/"),
    ],
)
def test_an_error_on_a_page_fails_the_test(browser: Browser, script: str, event: str, message: str) -> None:
    with pytest.raises(AssertionError) as failed, page_without_errors(browser) as page, page.expect_event(event):
        page.set_content(f"<script>{script}</script>")
    assert message in str(failed.value).splitlines()


def test_other_hosts_are_unreachable(browser: Browser) -> None:
    with pytest.raises(AssertionError) as failed, page_without_errors(browser) as page, page.expect_event("console"):
        page.set_content("<img src='http://127.0.0.2:8000/'>")
    assert "ERR_NAME_NOT_RESOLVED" in str(failed.value)


def test_an_expected_error_is_ignored(browser: Browser) -> None:
    with pytest.raises(AssertionError) as failed, page_without_errors(browser, expected=["one"]) as page:
        page.evaluate("console.error('one'), console.error('another')")
    assert "another" in str(failed.value).splitlines()
    assert "one" not in str(failed.value).splitlines()


def test_each_page_has_its_own_context(browser: Browser) -> None:
    with (
        page_without_errors(browser) as one,
        page_without_errors(browser, viewport={"width": 320, "height": 480}) as other,
    ):
        assert one.context != other.context
        assert other.evaluate("innerWidth") == 320


def test_other_messages_are_not_errors(page: Page) -> None:
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
    assert draws_text(page), "the check changes nothing"
