"""Copies of a game: they say where they come from, and their hosts may delete them."""

import json
from typing import Any

import pytest
from httpx import Client

from tests.api.people import People, bearer, problem

JSON = {"content-type": "application/json"}


def played(client: Client, **options: Any) -> People:
    table = People(client, start="introductory", **options)
    table.play(12)
    return table


def brought(client: Client, record: bytes, **query: str) -> Any:
    answer = client.post("/v1/records", content=record, headers=JSON, params=query)
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.mark.parametrize("query", [{}, {"private": "true"}], ids=["public", "private"])
def test_every_import_names_the_game_that_was_recorded(client: Client, query: dict[str, str]) -> None:
    table = played(client)
    record = table.get("/record")
    last = record.json()["events"][-1]
    origin = {"game": table.id, "version": last["version"], "digest": last["digest"]}
    copy = brought(client, record.content, **query)
    path, token = f"/v1/games/{copy['game']['id']}", bearer(copy["host_token"])
    assert table.seen()["imported_from"] is None
    assert copy["game"]["imported_from"] == origin
    found = client.post("/v1/seats/lookup", json={"tokens": [copy["host_token"]]}).json()["items"][0]["game"]
    assert found["imported_from"] == origin
    event = client.get(f"{path}/events", params={"after": last["version"]}, headers=token).json()["items"][-1]
    named = {"type": "game_imported", "game": table.id, "up_to": last["version"], "prior": last["digest"]}
    assert event.items() >= named.items()
    assert client.get(f"{path}/record", headers=token).json()["events"][-1] == event
    assert client.get(f"{path}/audit", headers=token).json()["ok"]


def test_an_import_of_an_import_names_the_record_it_came_from(client: Client) -> None:
    first = brought(client, played(client).get("/record").content)["game"]
    record = client.get(f"/v1/games/{first['id']}/record").content
    second = brought(client, record)["game"]
    assert second["imported_from"]["game"] == first["id"]
    assert second["imported_from"]["digest"] == json.loads(record)["events"][-1]["digest"]


def test_an_undo_leaves_the_import_in_force_and_its_game_plays_on(client: Client) -> None:
    copy = brought(client, played(client, undo="free").get("/record").content)
    path, host = f"/v1/games/{copy['game']['id']}", bearer(copy["host_token"])
    for _ in range(3):
        assert client.post(f"{path}/undo", headers=host).status_code == 200
    events = client.get(f"{path}/events", params={"limit": 1000}).json()["items"]
    assert [event["type"] for event in events].count("game_imported") == 1
    assert client.get(path).json()["imported_from"] == copy["game"]["imported_from"]
    fork = client.post(f"{path}/fork").json()["game"]
    assert client.get(f"/v1/games/{fork['id']}/audit").json()["ok"]
    assert client.get(f"{path}/audit").json()["ok"]


@pytest.mark.parametrize("steps", [12, 10_000], ids=["playing", "finished"])
@pytest.mark.parametrize("kind", ["fork", "import"])
def test_the_host_deletes_a_copy_in_any_status(fresh: Client, kind: str, steps: int) -> None:
    table = People(fresh, start="introductory")
    table.play(steps)
    copy = table.post("/fork").json() if kind == "fork" else brought(fresh, table.get("/record").content)
    path = f"/v1/games/{copy['game']['id']}"
    problem(fresh.delete(path, headers=bearer(copy["seats"][0]["token"])), 403, "host_only")
    assert fresh.delete(path, headers=bearer(copy["host_token"])).status_code == 204
    problem(fresh.get(path), 404, "game_not_found")
    problem(
        fresh.post(f"{path}/moves", json={"type": "resign"}, headers=bearer(copy["seats"][0]["token"])),
        404,
        "game_not_found",
    )
    assert [game["id"] for game in fresh.get("/v1/games").json()["items"]] == [table.id]
    problem(fresh.delete(table.path, headers=bearer(table.host)), 409, "already_started")
    assert table.seen("/audit")["ok"]


def test_no_bot_plays_on_in_a_deleted_copy(fresh: Client) -> None:
    table = People(fresh, bots=["greedy"], start="introductory")
    table.do(table.moves()[0])
    copy = table.post("/fork").json()
    path = f"/v1/games/{copy['game']['id']}"
    ended = fresh.post(f"{path}/moves", json={"type": "end_turn"}, headers=bearer(copy["seats"][0]["token"]))
    assert ended.status_code == 200
    assert fresh.delete(path, headers=bearer(copy["host_token"])).status_code == 204
    table.play_with_bots()
    problem(fresh.get(path), 404, "game_not_found")


def test_a_fork_inside_a_decision_names_the_nearest_versions_at_which_it_can_be(client: Client) -> None:
    table = played(client)
    events = table.seen("/events?limit=1000")["items"]
    decided = [event["version"] - 1 for event in events if event["type"] == "action_taken"]
    boundaries = [*decided, events[-1]["version"]]
    for event in events[:-1]:
        at = event["version"]
        answer = table.post("/fork", body={"at": at})
        if at in boundaries:
            assert answer.status_code == 201
            continue
        refused = problem(answer, 409, "not_a_boundary")
        before, after = [one for one in boundaries if one < at], [one for one in boundaries if one > at]
        assert refused["needed"] == {"versions": [*before[-1:], *after[:1]]}
        assert refused["had"] == {"at": at}
        assert str(refused["needed"]["versions"][-1]) in refused["detail"]
