"""The form for a new table."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.page.playing import button, fill_table, moves


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
