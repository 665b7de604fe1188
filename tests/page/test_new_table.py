"""The form for a new table."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.playing import button, fill_table, more_options, moves
from tests.support.browser import page_without_errors

COVERED = """() => {
  const { activeElement: field } = document, { left, top, width, height } = field.getBoundingClientRect();
  const points = [[left + 2, top + 2], [left + width / 2, top + height / 2], [left + width - 2, top + height - 2]];
  const covers = (point) => {
    const found = document.elementFromPoint(...point);
    return found && !field.contains(found) && !found.contains(field);
  };
  return points.some(covers) ? field.outerHTML : null;
}"""
"""Return the focused element if another one covers it."""


@pytest.mark.parametrize(("choice", "line"), [("A: Ann", "Ann goes first"), ("B: Bob", "Bob goes first")])
def test_the_chosen_player_goes_first(page: Page, url: str, choice: str, line: str) -> None:
    fill_table(page, url, "Hot seat", "Ann", "Bob", "Cem")
    page.get_by_role("combobox", name="First player").select_option(choice)
    page.get_by_role("combobox", name="Undo").select_option("off")
    expect(page.get_by_role("combobox", name="First player").locator(":checked")).to_have_text(choice)
    button(page, "Open the table").click()
    expect(moves(page)).to_contain_text(f"{line}, chosen by the host.")


def test_without_a_choice_the_first_player_is_random(page: Page, url: str) -> None:
    fill_table(page, url, "Hot seat", "Ann", "Bob", "Cem", first="Random")
    button(page, "Open the table").click()
    expect(moves(page)).to_contain_text(re.compile("(Ann|Bob|Cem) goes first, drawn at random"))


def test_the_form_shows_the_players_and_the_expansions_and_folds_the_rest(page: Page, url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{url}/play#new")
    page.get_by_role("combobox", name="Number of players").select_option("5")
    for name in ("Milestones", "Boom"):
        expect(page.get_by_role("checkbox", name=name)).to_be_in_viewport()
    expect(page.get_by_role("combobox", name="Region tiles")).to_be_in_viewport()
    expect(page.get_by_role("textbox", name="Seat E: name")).to_be_in_viewport()
    expect(button(page, "Open the table")).to_be_in_viewport(ratio=1)
    for name in ("Start", "First player", "Expert variant", "Undo", "Seat A: colour"):
        expect(page.get_by_label(name, exact=True)).to_be_hidden()
    more_options(page).click()
    for name in ("Start", "First player", "Expert variant", "Undo", "Seat A: colour"):
        expect(page.get_by_label(name, exact=True)).to_be_visible()


def test_the_line_over_the_folded_options_names_the_changed_ones(page: Page, url: str) -> None:
    page.goto(f"{url}/play#new")
    changes = more_options(page).locator(".badge")
    expect(changes).to_have_text(["Hot seat", "Undo: free"])
    page.get_by_role("button", name="Against bots").click()
    expect(changes).to_have_count(0)
    page.get_by_role("button", name="With friends").click()
    page.get_by_role("textbox", name="Seat A: name").fill("Ann")
    more_options(page).click()
    page.get_by_label("Start", exact=True).select_option("introductory")
    page.get_by_label("First player").select_option("A: Ann")
    page.get_by_label("Seat A: colour").select_option("black")
    page.get_by_label("Seed").fill("7")
    more_options(page).click()
    page.get_by_role("checkbox", name="Milestones").check()
    expect(changes).to_have_text(["Introductory start", "By invitation", "First: A: Ann", "Seed 7", "A: black"])


def test_further_seats_are_like_the_last_one_of_the_kind_of_game(page: Page, url: str) -> None:
    page.goto(f"{url}/play#new")
    for kind, seat in (("Hot seat", "Person"), ("Against bots", "Bot: greedy"), ("With friends", "Open seat")):
        page.get_by_role("button", name=kind).click()
        page.get_by_role("combobox", name="Number of players").select_option("4")
        expect(page.get_by_role("combobox", name="Seat D: player").locator(":checked")).to_have_text(seat)


def test_a_wrong_value_in_a_folded_option_unfolds_it(page: Page, url: str) -> None:
    fill_table(page, url, "Hot seat", "Ann", "Bob", seed="seven")
    more_options(page).click()
    expect(page.get_by_role("textbox", name="Seed")).to_be_hidden()
    button(page, "Open the table").click()
    expect(page.get_by_role("textbox", name="Seed")).to_be_focused()
    expect(page.get_by_role("textbox", name="Seed")).to_be_in_viewport()


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_covers_the_focused_field(browser: Browser, url: str, width: int) -> None:
    with page_without_errors(browser, viewport={"width": width, "height": 640}) as page:
        fill_table(page, url, "Hot seat", "Ann", "Bob", "Cem", "Dora", "Eve")
        for key, end in (("Tab", button(page, "Open the table")), ("Shift+Tab", page.get_by_role("link", name="API"))):
            while not end.evaluate("each => each === document.activeElement"):
                page.keyboard.press(key)
                assert page.evaluate(COVERED) is None
