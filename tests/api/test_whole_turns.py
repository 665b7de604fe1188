"""Several actions in one request: all of them are played or none, in one commit."""

from typing import Any

from httpx import Client

from tests.api.people import People, problem
from tests.api.server import Server, client_of
from tests.api.sse import Stream, ids_and_data, stored

EXPAND = {"type": "expand", "path": ["indianapolis", "detroit"]}
END = {"type": "end_turn"}


def opened(client: Client, **options: Any) -> People:
    return People(client, start="introductory", **options)


def test_a_turn_is_one_commit_and_its_response_has_all_events(client: Client) -> None:
    table = opened(client)
    before = table.version
    assert EXPAND in table.moves()
    done = table.post("/moves?include=state", table.tokens[0], [EXPAND, END]).json()
    assert [event["type"] for event in done["events"] if event["type"] == "action_taken"] == ["action_taken"] * 2
    assert [event["version"] for event in done["events"]] == list(range(before + 1, done["version"] + 1))
    assert len({event["at"] for event in done["events"]}) == 1
    assert done["summary"]["to_play"] == 1
    assert done["state"]["game"] == done["summary"]
    assert [line["action"] for line in table.seen("/history")["items"]] == [EXPAND, END]
    assert table.seen("/audit")["ok"]


def test_nothing_is_played_if_one_action_is_refused(client: Client) -> None:
    table = opened(client)
    before = table.version
    refused = problem(table.post("/moves", table.tokens[0], [EXPAND, END, END]), 409, "not_your_turn")
    assert (refused["index"], refused["needed"], refused["had"]) == (2, {"seat": 1}, {"seat": 0})
    refused = problem(table.post("/moves", table.tokens[0], [EXPAND, EXPAND]), 409, "illegal_action")
    assert refused["index"] == 1
    assert "index" not in problem(table.post("/moves", table.tokens[1], END), 409, "not_your_turn")
    assert table.version == before


def test_a_list_has_one_to_forty_actions(client: Client) -> None:
    table = opened(client)
    for actions in ([], [END] * 41):
        problem(table.post("/moves", table.tokens[0], actions), 400, "invalid_body")
    assert problem(table.post("/moves", table.tokens[0], [END] * 40), 409, "not_your_turn")["index"] == 1


def test_an_undo_takes_back_the_last_action_of_a_list_and_a_redo_puts_it_back(client: Client) -> None:
    table = opened(client, undo="free")
    done = table.post("/moves", table.tokens[0], [EXPAND, END]).json()
    boundary = [event["version"] for event in done["events"] if event["type"] == "action_taken"][1] - 1
    undone = table.post("/undo", table.host, {}).json()
    assert (undone["events"][0]["to"], undone["summary"]["to_play"]) == (boundary, 0)
    assert [line["action"] for line in table.seen("/history")["items"]] == [EXPAND]
    assert table.seen(f"/scores?at={boundary}")["players"] == table.seen("/scores")["players"]
    assert table.post("/redo", table.host, {}).json()["summary"]["to_play"] == 1
    fork = table.post("/fork", body={"at": boundary})
    assert fork.status_code == 201
    assert table.seen("/audit")["ok"]
    assert client.get(f"/v1/games/{fork.json()['game']['id']}/audit").json()["ok"]


def test_the_host_of_a_hot_seat_plays_the_turns_of_all(client: Client) -> None:
    table = opened(client, hot_seat=True)
    played = table.post("/moves", table.host, [EXPAND, END, END, END]).json()
    acted = [event for event in played["events"] if event["type"] == "action_taken"]
    assert [(event["seat"], event["by"]) for event in acted] == [(0, "host"), (0, "host"), (1, "host"), (0, "host")]


def test_a_repeated_list_is_played_once(client: Client) -> None:
    table, key = opened(client), {"idempotency-key": "a-turn"}
    first, again = (table.post("/moves", table.tokens[0], [EXPAND, END], **key) for _ in range(2))
    assert first.content == again.content
    problem(table.post("/moves", table.tokens[0], [EXPAND], **key), 422, "key_reused")
    problem(table.post("/moves", table.tokens[1], [END], if_match='"1"'), 412, "stale_version")


def test_a_stream_gets_the_events_of_a_list_with_all_others(shared_server: Server) -> None:
    with client_of(shared_server.url) as client:
        table = opened(client)
        version = table.version
        with Stream(f"{shared_server.url}{table.path}/stream") as watched:
            done = table.post("/moves", table.tokens[0], [EXPAND, END]).json()
            assert ids_and_data(watched.up_to(done["version"])) == stored(client, table.path, after=version)
