"""The pages of a running server in a browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.api.server import Server
from tests.support.browser import draws_text, texts_without_height


@pytest.fixture
def url(shared_server: Server) -> str:
    return shared_server.url


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/schema", "Franchise engine"),
        ("/rules", "How to play Franchise"),
        ("/problems", "Problems"),
        ("/problems/illegal_action", "The rules do not allow this action"),
    ],
)
def test_a_page_is_shown(page: Page, url: str, path: str, heading: str) -> None:
    page.goto(url + path)
    expect(page.get_by_role("heading", name=heading)).to_be_in_viewport()
    assert not texts_without_height(page)
    assert draws_text(page)


def test_a_rule_number_links_to_its_rule(page: Page, url: str) -> None:
    page.goto(f"{url}/problems/illegal_action")
    page.get_by_role("link", name="R4.1").click()
    expect(page.locator("[id='R4.1']")).to_be_in_viewport()
