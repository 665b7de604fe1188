"""Whose token acted: in the stream, in the history, and in the audit."""

import json
from random import Random
from typing import Any

import msgspec
import pytest
from httpx import Client

from domain.stream import rechain
from tests.api.people import People, problem

BY = {"seat": "", "host": " (Played by the host.)", "bot": " (Played by a bot.)"}


def stored(table: People) -> list[Any]:
    """All events of a game, undone ones too."""
    items: list[Any] = table.seen("/events?view=full&limit=1000")["items"]
    return items


@pytest.mark.parametrize("seed", range(5))
def test_the_stream_tells_for_each_action_whose_token_it_was(client: Client, seed: int) -> None:
    """A host plays at a hot seat as well as the players do, undos and renewals included."""
    rng = Random(seed)
    table = People(client, seats=3, undo=rng.choice(["turn", "free"]), hot_seat=True, start="introductory")
    acted: list[tuple[str, int | None]] = []
    for _ in range(40):
        summary = table.seen()
        seat, by = summary["to_play"], rng.choice(["seat", "host"])
        token = table.host if by == "host" else table.tokens[seat]
        kind = rng.choice(["moves", "moves", "undo", "redo", "renew"])
        if kind == "moves" and (moves := table.moves()):
            done = table.post("/moves", token, rng.choice([rng.choice(moves), moves[:1]]))
        elif kind == "renew":
            done = table.post(f"/seats/{seat}/token", token)
            table.tokens[seat] = done.json()["token"]
            assert done.status_code == 201
            continue
        else:
            done = table.post(f"/{kind}", token, {})
            seat = None if by == "host" else seat
        if done.status_code == 200:
            acted.append((by, seat))
    told = [event for event in stored(table) if event["type"] in ("action_taken", "undone", "redone")]
    assert [(event.get("by", "seat"), event["seat"]) for event in told] == acted
    assert {by for by, _ in acted} == {"seat", "host"}
    for line in table.seen("/history?limit=500")["items"]:
        assert line["text"].endswith(BY[line["by"]] or "."), line
    assert table.seen("/audit")["ok"]


def test_bots_act_as_bots(client: Client) -> None:
    table = People(client, bots=["greedy"], start="introductory", undo="agree")
    table.do(table.moves()[0])
    table.do({"type": "end_turn"})
    while table.to_play != 0:
        table.wait_beyond(table.version)
    version = table.version
    assert table.post("/undo", table.tokens[0], {}).status_code == 200
    table.wait_beyond(version + 1)
    by = {(event["type"], event["seat"], event.get("by")) for event in stored(table) if "by" in event}
    assert by >= {("action_taken", 1, "bot"), ("undo_answered", 1, "bot")}
    assert {line["by"] for line in table.seen("/history")["items"] if line["seat"] == 1} <= {"bot"}
    assert table.seen("/audit")["ok"]


def test_hosts_and_bots_of_release_1_0_are_known_by_their_seats(client: Client) -> None:
    """Its events do not tell whose token acted."""
    table = People(client, bots=["greedy"], start="introductory")
    table.do(table.moves()[0])
    table.do({"type": "end_turn"})
    while table.to_play != 0:
        table.wait_beyond(table.version)
    lines = table.seen("/history")["items"]
    copy = client.post("/v1/records", json=changed(table, by=None)).json()["game"]["id"]
    assert [line["by"] for line in client.get(f"/v1/games/{copy}/history").json()["items"]] == [
        line["by"] for line in lines
    ]
    assert client.get(f"/v1/games/{copy}/audit").json()["ok"]


@pytest.mark.parametrize("by", ["host", "bot", "stand_in"])
def test_an_action_of_a_token_that_could_not_act_is_found(client: Client, by: str) -> None:
    table = People(client, start="introductory")
    table.do(table.moves()[0])
    refused = problem(client.post("/v1/records", json=changed(table, by=by)), 422, "record_rejected")
    assert refused["detail"].endswith("expected by seat")


def changed(table: People, by: str | None) -> Any:
    """The record of a game in which another token has acted, chained again so that only the audit can find it."""
    record = table.seen("/record")
    for event in record["events"]:
        if event["type"] == "action_taken":
            event.pop("by", None)
            event.update({} if by is None else {"by": by}, digest=event.pop("digest"))
    events = rechain(record["game"], map(msgspec.json.encode, record["events"]))
    return record | {"events": [json.loads(event) for event in events]}
