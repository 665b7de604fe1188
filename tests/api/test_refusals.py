"""Refusals over HTTP: in sentences with names."""

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


def test_a_preview_refuses_in_the_words_of_the_move(client: Client) -> None:
    table = People(client, start="introductory")
    move = {"type": "expand", "path": ["pueblo", "atlanta"]}
    refused = table.post("/preview", body=move).json()["refused"]
    tried = problem(table.do(move), 409, "illegal_action")
    assert refused["detail"] == tried["detail"] == "No direct link joins Pueblo and Atlanta."
