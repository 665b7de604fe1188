"""Whole numbers: JSON Schema accepts 6.0 as an integer, and so does every body."""

import json
from typing import Any

import pytest
from httpx import Client

from tests.api.people import People, bearer, problem

JSON = {"content-type": "application/json"}


def sent(client: Client, path: str, body: str, token: str = "") -> Any:
    response = client.post(path, content=body.encode(), headers=JSON | bearer(token))
    assert response.is_success, response.text
    return response.json()


@pytest.mark.parametrize(("two", "seed"), [("2.0", "7.0"), ("2e0", "70E-1"), ("0.2e1", "0.7e+1")])
def test_a_game_is_opened_with_whole_numbers(client: Client, two: str, seed: str) -> None:
    body = f'{{"seats": {two}, "players": ["Ann", "Bob"], "options": {{"seed": {seed}, "first_player": 1.0}}}}'
    game = sent(client, "/v1/games", body)["game"]
    assert (len(game["seats"]), game["options"]["seed"], game["first_player"]) == (2, 7, 1)


def test_the_largest_and_the_smallest_seed_may_be_floats(client: Client) -> None:
    for seed, kept in ((f"{2**53 - 1}.0", 2**53 - 1), ("-0.0", 0)):
        assert (
            sent(client, "/v1/games", f'{{"seats": 2, "options": {{"seed": {seed}}}}}')["game"]["options"]
            == (client.post("/v1/games", json={"seats": 2, "options": {"seed": kept}}).json()["game"]["options"])
        )


def test_actions_undos_and_forks_take_whole_numbers(client: Client) -> None:
    table = People(client, undo="free", start="introductory", expert={"mode": "draft"})
    before, move = table.version, next(move for move in table.moves() if move["type"] == "place_city_tile")
    action = json.dumps(move | {"value": float(move["value"])})
    assert ".0" in action
    (step,) = sent(client, f"{table.path}/preview", action)["steps"]
    assert step["action"] == move
    (step, *_) = sent(client, f"{table.path}/preview", f"[{action}]")["steps"]
    assert step["action"] == move
    moved = sent(client, f"{table.path}/moves", action, table.host)
    assert moved["events"][0]["action"] == move
    assert sent(client, f"{table.path}/fork", f'{{"at": {before}.0}}')["game"]["forked_from"]["version"] == before
    assert sent(client, f"{table.path}/undo", f'{{"to": {before}.0}}', table.host)["events"][-1]["to"] == before
    assert table.seen("/audit")["ok"]


def test_a_float_in_an_event_of_a_record_is_refused(client: Client) -> None:
    """The digest covers the bytes."""
    record = People(client).get("/record").text
    changed = record.replace('"seats":2', '"seats":2.0', 1)
    assert changed != record
    problem(client.post("/v1/records", content=changed.encode(), headers=JSON), 422, "record_rejected")


def test_parameters_are_written_in_digits(client: Client) -> None:
    problem(client.get("/v1/games", params={"limit": "2.0"}), 400, "invalid_parameter")
