"""The end of a game: by how much it was won, the turn that decided it, the curve, and ways on."""

import pytest
from httpx import Client
from playwright.sync_api import Locator, Page, expect

from tests.api.people import People
from tests.page.playing import board, button, settled, status
from tests.page.texts import GAINED, listed

COUNTED_AT_THE_END = ("towns", "dollars", "bonus_tiles")


def ending(page: Page) -> Locator:
    return page.get_by_role("region", name="Game over")


def finished(client: Client, seed: int) -> People:
    table = People(client, 2 + seed % 4, start="introductory", seed=seed)
    table.play(seed=seed)
    return table


def standings(table: People) -> list[tuple[int, dict[int, int]]]:
    """Return the influence of all players after each turn, by its number, and after the final count as the last."""
    after: dict[int, dict[int, int]] = {}
    for line in table.seen("/history")["items"]:
        after[line["turn"]] = {each["seat"]: each["influence"] for each in line["players"]}
    last, players = max(after), table.seen("/scores")["players"]
    counted = {each["seat"]: sum(each["influence_from"][key] for key in COUNTED_AT_THE_END) for each in players}
    final = after[last]
    return [*after.items(), (last, {seat: final[seat] - counted[seat] for seat in final}), (last + 1, final)]


def decision(table: People) -> str:
    """Return the sentence about the last change of the lead."""
    names = [seat["name"] for seat in table.seen()["seats"]]
    *turns, final = [(turn, leaders(influence)) for turn, influence in standings(table)]
    changes, leader = list[str](), ""
    for turn, seats in turns:
        if len(seats) == 1 and names[seats[0]] != leader:
            whom = f" from {leader}" if leader else ""
            leader = names[seats[0]]
            changes.append(f"Turn {turn} decided the game: {leader} took the lead{whom}.")
    if names[final[1][0]] != leader:
        return f"The final count decided the game. Before it, {listed([names[seat] for seat in turns[-1][1]])} led."
    return changes[-1]


def leaders(influence: dict[int, int]) -> list[int]:
    return [seat for seat, points in influence.items() if points == max(influence.values())]


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_margin_and_the_deciding_turn_are_named(page: Page, url: str, client: Client, seed: int) -> None:
    table = finished(client, seed)
    scores = table.seen("/scores")
    page.goto(f"{url}/play/{table.id}")
    expect(ending(page).locator(".plot svg")).to_be_visible()
    if scores["ending"]["decided_by"] != "influence":
        expect(ending(page)).not_to_contain_text(" won by ")
        expect(ending(page)).not_to_contain_text("decided the game")
        return
    winner, second = sorted(scores["players"], key=lambda player: -player["influence"])[:2]
    differences = {key: winner["influence_from"][key] - second["influence_from"][key] for key in GAINED}
    most = max(differences, key=lambda key: differences[key])
    figures = f"{winner['influence_from'][most]} to {second['influence_from'][most]}"
    margin = f"{winner['name']} won by {winner['influence'] - second['influence']} IP over {second['name']}."
    expect(ending(page)).to_contain_text(f"{margin} The largest difference: {GAINED[most].lower()}, {figures}.")
    expect(ending(page)).to_contain_text(decision(table))


def test_the_deciding_turn_leads_to_the_replay(page: Page, url: str, client: Client) -> None:
    table = next(found for found in (finished(client, seed) for seed in range(1, 30)) if "Turn" in decision(found))
    page.goto(f"{url}/play/{table.id}")
    link = ending(page).get_by_role("link", name="Turn ")
    turn = link.inner_text()
    link.click()
    expect(page.get_by_role("region", name="Replay").get_by_role("status")).to_contain_text("Move ")
    expect(ending(page)).to_be_hidden()
    marked = page.get_by_role("log", name="Moves").locator("section").filter(has=page.locator("[aria-current]"))
    expect(marked.get_by_role("heading")).to_contain_text(turn)
    page.get_by_role("link", name="Back to the present").click()
    expect(ending(page)).to_be_visible()


def test_the_curve_leads_to_the_replay(page: Page, url: str, client: Client) -> None:
    table = finished(client, 1)
    page.goto(f"{url}/play/{table.id}")
    ending(page).locator(".plot svg").click()
    expect(page.get_by_role("region", name="Replay")).to_be_visible()


def test_the_last_player_wins_without_a_margin(page: Page, url: str, client: Client) -> None:
    table = People(client, start="introductory")
    assert table.post("/moves", table.tokens[0], {"type": "resign"}).status_code == 200
    page.goto(f"{url}/play/{table.id}")
    expect(status(page)).to_contain_text("Bob wins as the last player.")
    expect(ending(page).get_by_role("columnheader").nth(1)).to_contain_text("Bob won")
    expect(ending(page).locator(".outcome")).to_have_text("Game over")


def test_the_record_is_saved_at_the_end(page: Page, url: str, client: Client) -> None:
    table = finished(client, 1)
    page.goto(f"{url}/play/{table.id}")
    with page.expect_download() as saved:
        button(page, "Save record").click()
    assert saved.value.suggested_filename == f"franchise-{table.id}.json"


def test_an_undo_takes_the_ending_back(page: Page, url: str, client: Client) -> None:
    table = People(client, start="introductory", undo="free")
    table.play()
    page.goto(f"{url}/play/{table.id}")
    expect(ending(page)).to_be_visible()
    assert table.post("/undo", table.host, {}).status_code == 200
    expect(ending(page)).to_be_hidden()
    expect(board(page)).to_have_attribute("data-version", str(table.version))


def test_the_table_fits_a_narrow_screen(page: Page, url: str, client: Client) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    table = finished(client, 3)
    assert len(table.tokens) == 5
    page.goto(f"{url}/play/{table.id}")
    settled(page)
    expect(ending(page).get_by_role("columnheader")).to_have_count(6)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_curve_follows_the_theme(page: Page, url: str, client: Client) -> None:
    page.goto(f"{url}/play/{finished(client, 1).id}")
    expect(ending(page).locator(".plot svg")).to_be_visible()
    with page.expect_response("**/scores.svg?theme=dark"):
        page.emulate_media(color_scheme="dark")
