"""The screens of the page, light and dark, wide and narrow: axe-core finds nothing serious on them.

A long run tries both themes in both widths, a short one each theme and each width once.
"""

from collections.abc import Iterator

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, expect

from tests.games.facts import FILES, record_document, recorded
from tests.page.playing import button, fill_table, moves, open_scores, open_table, settled
from tests.support.accessibility import violations
from tests.support.browser import page_without_errors
from tests.support.soak import soak_factor

NOT_THERE = "Failed to load resource: the server responded with a status of 404 (Not Found)"
SCREENS = [("light", 1280), ("dark", 360), *[("light", 360), ("dark", 1280)] * (soak_factor() > 1)]


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1]}")
def screen(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page for each theme and width."""
    theme, width = request.param
    with page_without_errors(browser, color_scheme=theme, viewport={"width": width, "height": 740}) as page:
        yield page


@pytest.fixture(scope="module")
def finished(client: Client) -> str:
    """The path of a finished game."""
    record = record_document(recorded(next(path for path in FILES if path.stem == "by-hand-2")))
    imported = client.post("/v1/records", content=record, headers={"content-type": "application/json"})
    return f"/play/{imported.json()['game']['id']}"


def test_the_check_finds_errors(page: Page) -> None:
    page.set_content("<!doctype html><html><body><img src='data:,'><p style='color: #ddd; background: #eee'>Pale")
    assert {error.partition(":")[0] for error in violations(page)} >= {"color-contrast", "html-has-lang"}


def test_the_lobby(screen: Page, url: str, finished: str) -> None:
    screen.goto(f"{url}/play")
    expect(screen.get_by_role("region", name="Finished games").get_by_role("link").first).to_be_visible()
    assert not violations(screen)


def test_the_form_for_a_new_table(screen: Page, url: str) -> None:
    fill_table(screen, url, "With friends", "Ann", "Bot: greedy", "Open seat")
    screen.get_by_role("combobox", name="Expert variant").select_option("explicit")
    screen.get_by_role("combobox", name="Region tiles").select_option("chosen")
    screen.get_by_text("About the bots").click()
    assert not violations(screen)


def test_an_open_table(screen: Page, url: str) -> None:
    fill_table(screen, url, "With friends", "Ann", "Bot: greedy", "Open seat")
    button(screen, "Open the table").click()
    expect(screen.get_by_role("region", name="Host controls")).to_be_visible()
    assert not violations(screen)
    screen.evaluate("localStorage.clear()")
    screen.reload()
    expect(button(screen, "Join")).to_be_visible()
    assert not violations(screen)


def test_a_game_in_progress(screen: Page, url: str) -> None:
    open_table(screen, url, "Hot seat", "Ann", "Bob")
    settled(screen)
    button(screen, "Hint").click()
    expect(button(screen, "Do it")).to_be_visible()
    for part in ("All 8 actions as a list", "The board in words", "Continue on another device"):
        screen.get_by_text(part).click()
    open_scores(screen)
    assert not violations(screen)
    button(screen, "Resign as Ann").click()
    assert not violations(screen)


def test_the_replay_of_a_finished_game(screen: Page, url: str, finished: str) -> None:
    screen.goto(url + finished)
    expect(moves(screen)).to_contain_text("The game is over")
    settled(screen)
    assert not violations(screen)
    screen.get_by_role("link", name="Replay", exact=True).click()
    button(screen, "First move").click()
    expect(screen.get_by_role("region", name="Replay").get_by_role("status")).to_contain_text("The beginning")
    button(screen, "Verify").click()
    expect(screen.get_by_text("Verified")).to_be_visible()
    assert not violations(screen)


def test_an_unknown_address(browser: Browser, url: str) -> None:
    with page_without_errors(browser, [NOT_THERE]) as page:
        page.goto(f"{url}/play/nonsense")
        expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
        assert not violations(page)
