"""The rules open next to the game, and how to play is shown in both themes."""

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, expect

from projections.pictures.themes import THEMES, ThemeName
from tests.api.people import People
from tests.page.playing import board
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors


def test_the_rules_open_next_to_the_game(page: Page, url: str, client: Client) -> None:
    table = People(client)
    page.goto(f"{url}/play/{table.id}")
    expect(board(page)).to_have_attribute("data-version", str(table.version))
    link = page.get_by_role("navigation", name="Site").get_by_role("link", name="How to play")
    with page.expect_popup() as opened:
        link.click()
    rules = opened.value
    expect(rules.get_by_role("heading", name="Learn the game")).to_be_visible()
    rules.goto(f"{url}/rules#R4.1")
    page.bring_to_front()
    link.click()
    expect(rules).to_have_url(f"{url}/rules")
    assert page.context.pages == [page, rules]
    expect(board(page)).to_be_visible()


def test_the_lobby_opens_the_rules_in_the_same_second_tab(page: Page, url: str) -> None:
    page.goto(f"{url}/play")
    links = page.get_by_role("link", name="How to play")
    expect(links).to_have_count(2)
    assert links.evaluate_all("all => all.map(each => [each.pathname, each.target])") == [["/rules", "rules"]] * 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_follow_the_theme(browser: Browser, url: str, theme: ThemeName) -> None:
    red, green, blue = bytes.fromhex(THEMES[theme].sea[1:])
    with page_without_errors(browser, color_scheme=theme) as page:
        page.goto(f"{url}/rules")
        picture = page.get_by_role("img", name="The free spaces of Ann's cities")
        expect(picture.locator(".sea")).to_have_css("fill", f"rgb({red}, {green}, {blue})")


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 360), ("light", 360), ("dark", 1280)])
def test_how_to_play_is_accessible_and_fits(browser: Browser, url: str, theme: str, width: int) -> None:
    with page_without_errors(browser, color_scheme=theme, viewport={"width": width, "height": 740}) as page:
        page.goto(f"{url}/rules")
        expect(page.get_by_role("figure")).to_have_count(9)
        expect(page.get_by_role("img")).to_have_count(5)
        assert not violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_rule_can_still_be_linked(page: Page, url: str) -> None:
    page.goto(f"{url}/rules#R7.2")
    expect(page.locator("[id='R7.2']")).to_be_in_viewport()
    page.goto(f"{url}/rules#legend")
    expect(page.get_by_role("heading", name="Legend")).to_be_in_viewport()
