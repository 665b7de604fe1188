"""Pages of the history, also while others move and undo."""

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from tests.api.people import People, problem, serving
from tests.support.soak import soak_factor


def pages(table: People, limit: int, first: dict[str, Any] | None = None, **query: Any) -> list[dict[str, Any]]:
    """Read all pages."""
    found = [first or table.seen("/history", params={"limit": limit, **query})]
    while found[-1]["next"] is not None:
        found.append(table.seen("/history", params={"limit": limit, "cursor": found[-1]["next"]}))
    return found


def together(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Join pages to one."""
    lists = {name: [item for page in found for item in page[name]] for name in ("items", "turns")}
    return {**found[0], **lists, "next": None}


@pytest.mark.parametrize("limit", [1, 3, 10, 1000])
def test_all_pages_together_are_the_same_as_one_page(client: Client, limit: int) -> None:
    table = People(client, seats=3)
    table.play(40)
    whole = table.seen("/history")
    found = pages(table, limit)
    assert together(found) == whole
    assert {page["version"] for page in found} == {table.version}
    assert all(len(page["items"]) == limit for page in found[:-1])
    assert [page["after"] for page in found[1:]] == [page["items"][-1]["version"] for page in found[:-1]]


def test_each_line_has_the_time_of_its_event(client: Client) -> None:
    table = People(client)
    table.play(20)
    at = {event["version"]: event["at"] for event in table.seen("/events", params={"limit": 1000})["items"]}
    for line in table.seen("/history")["items"]:
        assert line["at"] == at[line["version"]]


@pytest.mark.parametrize("seed", range(2 * soak_factor()))
@pytest.mark.parametrize("url", ["memory:", "file"])
def test_all_pages_show_the_version_of_the_first_page(tmp_path: Path, url: str, seed: int) -> None:
    """With moves, undos and redos between the pages, read from both processes."""
    database = url if url == "memory:" else f"sqlite:///{tmp_path}/games.db"
    luck = random.Random(seed)
    with serving(database_url=database) as client:
        table = People(client, undo="free")
        table.play(30, seed=seed)
        whole = table.seen("/history")
        page = table.seen("/history", params={"limit": 4})
        found = [page]
        while page["next"] is not None:
            for _ in range(luck.randrange(1, 4)):
                moves = [m for m in table.moves() if m["type"] != "end_turn"]
                choice = luck.choice(["/undo", "/redo", "/moves", "/back"])
                if choice == "/moves" and moves:
                    table.do(luck.choice(moves))
                elif choice == "/back":
                    turns = table.seen("/history")["turns"]
                    table.post("/undo", table.host, {"to": luck.choice(turns)["version"]})
                else:
                    table.post("/redo" if choice == "/redo" else "/undo", table.host, {})
            page = table.seen("/history", params={"limit": 4, "cursor": page["next"]})
            found.append(page)
        assert together(found) == whole
        assert page["version"] == whole["version"] < table.version


def test_later_lines_only(client: Client) -> None:
    table = People(client)
    table.play(20)
    whole = table.seen("/history")["items"]
    for line, following in itertools.pairwise(whole):
        page = table.seen("/history", params={"after": line["version"], "limit": 1})
        assert page["items"] == [following]
        assert page["after"] == line["version"]
    newest = table.seen("/history", params={"after": table.version})
    assert (newest["items"], newest["next"], newest["version"]) == ([], None, table.version)


def test_clients_with_undone_lines_learn_where_to_continue(client: Client) -> None:
    table = People(client, undo="free")
    table.play(20)
    before = table.seen("/history")["items"]
    table.post("/undo", table.host, {"to": before[9]["version"]})
    table.do(next(move for move in table.moves() if move != before[10]["action"]))
    page = table.seen("/history", params={"after": before[-1]["version"]})
    assert page["after"] == before[9]["version"]
    kept = [line for line in before if line["version"] <= page["after"]]
    assert kept + page["items"] == table.seen("/history")["items"]


@pytest.mark.parametrize("policy", ["free", "turn", "agree"])
@pytest.mark.parametrize("seed", range(2 * soak_factor()))
def test_a_polling_client_always_has_the_whole_history(client: Client, policy: str, seed: int) -> None:
    """With moves, undos and redos between the polls, and pages of any length."""
    luck = random.Random(seed)
    table = People(client, undo=policy, hot_seat=True, start="introductory")
    lines: list[dict[str, Any]] = []
    version = 0
    for _ in range(60):
        for _ in range(luck.choice((0, 1, 1, 2, 5))):
            choice = luck.random()
            moves = table.moves()
            if choice < 0.5 and moves:
                table.post("/moves", table.host, luck.choice(moves))
            elif choice < 0.6:
                table.post("/undo", table.tokens[luck.randrange(2)], {})
            elif choice < 0.7:
                table.post("/undo/answer", table.host, {"accept": luck.random() < 0.7})
            else:
                table.post("/undo" if choice < 0.85 else "/redo", table.host, {})
        for page in pages(table, luck.choice((1, 3, 1000)), after=version):
            lines = [line for line in lines if line["version"] <= page["after"]] + page["items"]
            version = page["version"]
        assert lines == table.seen("/history")["items"]
        assert version == table.version


def test_a_page_with_an_undone_game_is_cached(client: Client) -> None:
    """The game continued differently, so that redo is impossible; pages cost only what they hold."""
    table = People(client, undo="free")
    table.play(30)
    whole = table.seen("/history")
    first = table.seen("/history", params={"limit": 5})
    table.post("/undo", table.host, {"to": whole["items"][3]["version"]})
    table.do(next(move for move in table.moves() if move != whole["items"][4]["action"]))
    assert together(pages(table, 5, first)) == whole


def test_pages_of_an_earlier_version(client: Client) -> None:
    table = People(client)
    table.play(20)
    at = table.seen("/history")["items"][11]["version"]
    whole = table.seen("/history", params={"at": at})
    assert len(whole["items"]) == 12
    assert together(pages(table, 5, at=at)) == whole


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "1", "1-2", "1-2-3", "1-2-3-4-5", "-1-2-3-4", "1-2-999999-0", "0-0-0-0", "5-9-8-0", "1-2-3-\uff14"],
)
def test_a_forged_cursor_is_refused(client: Client, cursor: str) -> None:
    table = People(client)
    response = table.get("/history", params={"cursor": cursor})
    assert response.status_code == 400, response.text
    assert response.json()["code"] in ("invalid_cursor", "invalid_parameter")


def test_an_unchanged_page_is_not_sent_again(client: Client) -> None:
    table = People(client)
    table.play(20)
    page = table.get("/history", params={"limit": 3})
    tag = {"if-none-match": page.headers["etag"]}
    assert table.get("/history", params={"limit": 3}, headers=tag).status_code == 304
    cursor = page.json()["next"]
    table.play(3)
    assert table.get("/history", params={"limit": 3}, headers=tag).status_code == 200
    second = table.get("/history", params={"limit": 3, "cursor": cursor})
    assert second.headers["etag"] == page.headers["etag"]
    assert table.get("/history", params={"limit": 3, "cursor": cursor}, headers=tag).status_code == 304


@pytest.mark.parametrize("limit", ["0", "1001", "-1", "many"])
def test_a_page_has_1_to_1000_lines(client: Client, limit: str) -> None:
    problem(People(client).get("/history", params={"limit": limit}), 400, "invalid_parameter")


# --- notes ----------------------------------------------------------------------------------------------------------


def renewed(table: People, seat: int | None = None) -> int:
    """Renew the token of a seat or of the host, and return the version of the event."""
    if seat is None:
        table.host = table.post("/host-token", table.host).json()["host_token"]
    else:
        table.tokens[seat] = table.post(f"/seats/{seat}/token", table.host).json()["token"]
    return table.version


def test_renewed_tokens_are_noted_in_words(client: Client) -> None:
    table = People(client, seats=3, players=2)
    versions = [renewed(table, 1), renewed(table)]
    table.post("/start", table.host)
    versions.append(renewed(table, 0))
    notes = table.seen("/history")["notes"]
    assert [note["version"] for note in notes] == versions
    assert [note["text"] for note in notes] == [
        "The host issued a new token for Bob.",
        "The host renewed the host's token.",
        "The host issued a new token for Ann.",
    ]
    events = {event["version"]: event for event in table.seen("/events")["items"]}
    assert [note["at"] for note in notes] == [events[version]["at"] for version in versions]
    assert [events[version]["type"] for version in versions] == ["token_renewed"] * 3


def test_a_note_stays_when_the_action_before_it_is_undone(client: Client) -> None:
    table = People(client, undo="free")
    table.play(2)
    version = renewed(table, 1)
    table.play(1)
    for _ in range(3):
        assert table.post("/undo", table.host, {}).status_code == 200
    history = table.seen("/history")
    assert [line["version"] for line in history["items"]] == []
    assert [note["version"] for note in history["notes"]] == [version]
    assert version in [event["version"] for event in table.seen("/events")["items"]]


def test_each_note_is_on_one_page_and_polling_clients_get_it_once(client: Client) -> None:
    table = People(client, undo="free")
    versions, known, polled = [], 0, []
    for number in range(6):
        table.play(2)
        versions.append(renewed(table, number % 2))
        news = table.seen("/history", params={"after": known})
        polled += news["notes"]
        known = news["version"]
    whole = table.seen("/history")
    assert [note["version"] for note in whole["notes"]] == versions
    assert polled == whole["notes"]
    for limit in (1, 5):
        found = pages(table, limit)
        assert [note for page in found for note in page["notes"]] == whole["notes"]
        for page in found[:-1]:
            assert all(note["version"] <= page["items"][-1]["version"] for note in page["notes"])
    first = table.seen("/history", params={"after": versions[3], "limit": 1})
    found = pages(table, 1, first)
    assert [note["version"] for page in found for note in page["notes"]] == versions[4:]
    before = table.seen("/history", params={"at": versions[2]})
    assert [note["version"] for note in before["notes"]] == versions[:3]
