"""Undo and redo by one player, and moves that the server refuses."""

from random import Random
from typing import Any

from playwright.sync_api import Browser, Page, Route, expect

from tests.page.playing import act_once, actions, board, button, end_turn, moves, open_table, settled
from tests.support.browser import page_without_errors

CONFLICT = "Failed to load resource: the server responded with a status of "
TOO_LATE = [f"{CONFLICT}412 (Precondition Failed)", f"{CONFLICT}409 (Conflict)"]


def test_a_move_is_undone_and_redone(page: Page, url: str) -> None:
    open_table(page, url, "Hot seat", "Ann", "Bob")
    before = settled(page)
    act_once(page, Random(1))
    line = moves(page).get_by_role("listitem").first.inner_text()
    targets = [target.get_attribute("aria-label") for target in board(page).get_by_role("button").all()]
    button(page, "Undo").click()
    expect(moves(page)).not_to_contain_text(line)
    expect(button(page, "Undo")).to_have_count(0)
    button(page, "Redo").click()
    expect(moves(page)).to_contain_text(line)
    expect(button(page, "Redo")).to_have_count(0)
    assert settled(page) > before
    assert [target.get_attribute("aria-label") for target in board(page).get_by_role("button").all()] == targets


def test_players_undo_only_their_own_turn(page: Page, url: str) -> None:
    open_table(page, url, "Against bots", "Ann", "Bot: random")
    expect(button(page, "Undo")).to_have_count(0)
    act_once(page, Random(1))
    button(page, "Undo").click()
    expect(button(page, "Undo")).to_have_count(0)
    expect(button(page, "Redo")).to_be_visible()
    expect(actions(page)).to_contain_text("Your turn: ")


def test_a_late_move_is_refused_in_the_words_of_the_server(browser: Browser, url: str) -> None:
    with page_without_errors(browser, TOO_LATE) as first:
        open_table(first, url, "Hot seat", "Ann", "Bob")
        late = first.context.new_page()
        late.goto(first.url)
        settled(late)
        held: list[Route] = []
        late.route("**/moves?include=state", lambda route: held.append(route))  # noqa: PLW0108 - Playwright inspects its signature
        with late.expect_request("**/moves?include=state"):
            end_turn(late)
        act_once(first, Random(1))
        with late.expect_response("**/moves?include=state") as responded:
            held[0].continue_()
        problem: Any = responded.value.json()
        assert problem["status"] in (409, 412)
        alert = late.get_by_role("alert")
        expect(alert).to_contain_text(f"{problem['title']}: {problem['detail']}")
        expect(board(late)).to_have_attribute("data-version", str(settled(first)))
        expect(moves(late)).to_contain_text(moves(first).get_by_role("listitem").first.inner_text())
        alert.get_by_role("button", name="Dismiss").click()
        expect(alert).to_be_empty()
