"""The replay of recorded games: at the first and the last version the page says what the server's views say."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from httpx import Client
from playwright.sync_api import Locator, Page, expect

from tests.games.facts import FILES, record_document, recorded
from tests.page.playing import board, moves, open_scores, settled, status
from tests.support.soak import soak_factor

CHOSEN = FILES if soak_factor() > 1 else FILES[::25]
SVG = "{http://www.w3.org/2000/svg}"
SOURCES = {
    "cities": "Scored cities",
    "regions": "Ranks in regions",
    "region_track": "Region track",
    "towns": "Towns",
    "dollars": "Money left",
    "bonus_tiles": "Bonus tiles left",
}
COUNTED = {"towns": "Franchises in towns", "dollars": "Money left", "bonus_tiles": "Bonus tiles left"}


def listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def check_status(page: Page, state: Any) -> None:
    """Compare whose turn it is, or who has won."""
    game = state["game"]
    names = [seat["name"] for seat in game["seats"]]
    if game["ending"]:
        expect(status(page)).to_contain_text(listed([names[seat] for seat in game["ending"]["winners"]]))
        expect(status(page)).to_contain_text(re.compile(" wins? "))
    else:
        expect(status(page).locator(".name")).to_have_text(names[game["to_play"]])
    if game["turn"] and not game["ending"]:
        expect(status(page)).to_contain_text(f"Turn {game['turn']}: ")


def check_scores(page: Page, state: Any) -> None:
    """Compare what everybody has, and where it came from."""
    for player in state["scores"]["players"]:
        name = state["game"]["seats"][player["seat"]]["name"]
        card = region(page, "Players").get_by_role("group").filter(has_text=name)
        expect(card.locator("summary")).to_contain_text(f"${player['money']}")
        expect(card.locator("summary")).to_contain_text(f"{player['influence']} IP")
        rows = dict(row.split("\t") for row in card.get_by_role("table").inner_text().splitlines() if "\t" in row)
        assert rows == expected_rows(player)


def expected_rows(player: Any) -> dict[str, str]:
    gained, final = player["influence_from"], player["final"]
    if not final:
        found = {text: f"{gained[source]} IP" for source, text in SOURCES.items() if gained[source]}
        return {**found, "Sum": f"{player['influence']} IP"}
    before = {SOURCES[source]: f"{gained[source]} IP" for source in ("cities", "regions", "region_track")}
    counted = {f"{text}: {final[source]}": f"{final[f'{source}_influence']} IP" for source, text in COUNTED.items()}
    return {**before, **counted, "Total": f"{final['total']} IP"}


def check_words(page: Page, state: Any) -> None:
    """Compare the board in words, place by place."""
    names = [seat["name"] for seat in state["game"]["seats"]]
    shown = [row.split("\t") for row in page.locator(".words").inner_text().splitlines() if row.count("\t") == 2]
    cells = {re.sub(r" \(Boom\)$|, red$", "", name): told for name, *told in shown}
    track = [cells.pop(f"Space {space['space']}") for space in state["board"]["track"]]
    assert [told[0] for told in track] == [f"{space['influence']} IP" for space in state["board"]["track"]]
    assert [told[1] == "free" for told in track] == [space["tile"] is None for space in state["board"]["track"]]
    places = state["board"]["places"]
    assert cells == {place["name"]: [value_of(place), presence(place, names)] for place in places}
    for drawn in state["board"]["regions"]:
        expect(page.get_by_role("table", name=re.compile(f"^{drawn['name']}, {drawn['status']}"))).to_have_count(1)


def value_of(place: Any) -> str:
    if place["closed"] or place["scored"]:
        return "closed" if place["closed"] else "scored"
    return "town" if place["kind"] == "town" else f"city of {place['value']}"


def presence(place: Any, names: list[str]) -> str:
    """Say who is there: by space in a city with spaces, by number elsewhere."""
    by_number = [f"{names[int(seat)]} {count}" for seat, count in place["franchises"].items()]
    there = [names[seat] for seat in place["spaces"] if seat is not None] if place["spaces"] else by_number
    there += [f"{names[seat]} (marker)" for seat in place["markers"]]
    return listed(there + [f"{names[int(seat)]} {count} in the centre" for seat, count in place["centre"].items()]) or (
        "free"
    )


def check_picture(page: Page, client: Client, path: str, version: int) -> None:
    """Compare what the board tells those who do not see it."""
    picture = ET.fromstring(client.get(f"{path}/board.svg", params={"at": version}).content)
    for part in ("title", "desc"):
        expected = picture.findtext(SVG + part)
        assert expected
        expect(board(page).locator(f"svg > {part}")).to_have_text(expected)


def check_version(page: Page, client: Client, path: str, version: int) -> None:
    expect(board(page)).to_have_attribute("data-version", str(version))
    state = client.get(f"{path}/state", params={"at": version}).json()
    check_status(page, state)
    open_scores(page)
    check_scores(page, state)
    check_words(page, state)
    check_picture(page, client, path, version)


@pytest.mark.parametrize("file", CHOSEN, ids=lambda file: file.stem)
def test_the_first_and_the_last_version_say_what_the_views_say(
    page: Page, url: str, client: Client, file: Path
) -> None:
    record = record_document(recorded(file))
    brought = client.post("/v1/records", content=record, headers={"content-type": "application/json"})
    game = brought.json()["game"]
    path, last = f"/v1/games/{game['id']}", game["version"]
    lines = client.get(f"{path}/history", params={"limit": 500}).json()
    first = min(turn["version"] for turn in lines["turns"])
    page.goto(f"{url}/play/{game['id']}")
    settled(page)
    page.get_by_text("The board in words").click()
    check_version(page, client, path, last)
    page.get_by_role("link", name="Replay").click()
    where = region(page, "Replay").get_by_role("status")
    number = len(lines["items"])
    expect(where).to_have_text(f"Move {number} of {number} · {lines['items'][-1]['text']}")
    expect(moves(page).locator("[aria-current]")).to_have_text(lines["items"][-1]["text"])
    check_version(page, client, path, last)
    page.keyboard.press("Home")
    expect(where).to_have_text(f"Move 0 of {number} · The beginning")
    check_version(page, client, path, first)
    assert page.url.endswith(f"#v={first}")
