"""Refusals over HTTP: sentences with names, for moves and for targets."""

import pytest
from httpx import Client

from tests.api.people import People, problem


def test_a_refused_move_is_explained_with_names(client: Client) -> None:
    table = People(client, start="introductory")
    other = 1 - table.to_play
    waits = problem(table.do({"type": "end_turn"}, other), 409, "not_your_turn")
    assert waits["detail"] == "It is Ann's turn."
    nowhere = problem(table.do({"type": "increase", "city": "detroit"}), 409, "illegal_action")
    assert (nowhere["reason"], nowhere["detail"]) == ("no_franchise", "Ann has no franchise in Detroit.")
    assert (nowhere["needed"], nowhere["had"]) == ({"franchises": 1}, {"franchises": 0})


def test_a_refusal_without_a_game_is_explained_too(client: Client) -> None:
    asked = {"seats": 2, "options": {"expert": {"mode": "explicit", "city_tiles": {"reno": 2}, "region_tiles": {}}}}
    detail = problem(client.post("/v1/games", json=asked), 400, "invalid_options")["detail"]
    assert detail.startswith("`city_tiles` must name every city in play and no other place. Check Albuquerque, ")
    assert "Reno" in detail


def test_a_preview_refuses_with_the_words_of_a_move(client: Client) -> None:
    table = People(client, start="introductory")
    move = {"type": "expand", "path": ["pueblo", "atlanta"]}
    refused = table.post("/preview", body=move).json()["refused"]
    tried = problem(table.do(move), 409, "illegal_action")
    assert refused["detail"] == tried["detail"] == "No direct link joins Pueblo and Atlanta."


def test_a_place_is_a_target_or_has_a_reason(client: Client) -> None:
    table = People(client, start="introductory")
    moves = table.seen("/legal-moves")
    target = next(move["targets"][0] for move in moves["items"] if move["targets"])
    assert table.seen(f"/refusals?target={target}") == {"version": moves["version"], "items": []}
    first = table.seen("/refusals?target=reno")["items"][0]
    assert first == {
        "action": "expand",
        "text": "Reno is out of play: California is closed with 2 players.",
        "rule": "R2.2",
        "reason": "closed_region",
        "needed": {"region": "in play"},
        "had": {"region": "closed"},
    }


def test_refusals_belong_to_a_version(client: Client) -> None:
    table = People(client, start="introductory")
    before = table.get("/refusals?target=reno")
    assert before.headers["etag"] == f'"{table.version}"'
    same = table.get("/refusals?target=reno", headers={"if-none-match": before.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    table.do({"type": "end_turn"})
    assert table.get(f"/refusals?target=reno&at={before.json()['version']}").json() == before.json()


@pytest.mark.parametrize("query", ["", "?target=", "?target=gotham"])
def test_a_target_is_a_place_or_a_region(client: Client, query: str) -> None:
    details = problem(People(client).get(f"/refusals{query}"), 400, "invalid_parameter")
    assert [error["where"] for error in details["errors"]] == ["target"]


@pytest.mark.parametrize("query", ["", "?at=1"])
def test_a_missing_target_is_named(client: Client, query: str) -> None:
    missing = problem(People(client).get(f"/refusals{query}"), 400, "invalid_parameter")
    assert missing["errors"] == [{"where": "target", "what": "it is missing"}]


def test_there_are_no_refusals_before_and_after_the_game(client: Client) -> None:
    problem(People(client, players=1).get("/refusals?target=reno"), 409, "not_started")
    table = People(client)
    table.do({"type": "resign"})
    problem(table.get("/refusals?target=reno"), 409, "game_over")
