"""Bots at tables: how they are seated and named, and whole games with them."""

from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client, Response

from domain.bots import BOTS
from tests.api.people import People, bearer, problem, serving

GREEDY = {"bot": "greedy"}
QUICK = {"bot_seconds": 0.02}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serving(**QUICK) as client:
        yield client


def seat_bot(table: People, token: str, **bot: Any) -> Response:
    return table.post("/seats", token, {"bot": "greedy", **bot})


def seated(table: People) -> list[tuple[str | None, str | None]]:
    return [(seat["name"], seat["bot"]) for seat in table.seen()["seats"]]


def test_every_kind_has_a_description(client: Client) -> None:
    kinds = client.get("/v1/bots").json()
    assert [each["bot"] for each in kinds["items"]] == list(BOTS) == ["random", "greedy", "planner"]
    assert all(each["description"].endswith(".") for each in kinds["items"])
    assert kinds["next"] is None


@pytest.mark.parametrize(
    "options",
    [{}, {"modules": {"milestones": True, "boom": True, "region_tiles": "mixed"}}, {"expert": {"mode": "draft"}}],
    ids=["base", "modules", "draft"],
)
def test_a_person_plays_a_whole_game_with_every_kind(client: Client, options: dict[str, Any]) -> None:
    table = People(client, seats=4, bots=list(BOTS), **options)
    assert set(table.tokens) == {0}
    ended = table.play_with_bots()
    assert ended["status"] == "finished"
    assert table.seen("/audit")["ok"]


def test_a_table_of_bots_plays_itself_to_the_end(client: Client) -> None:
    table = People(client, seats=3, bots=["greedy", "random", "greedy"])
    assert table.created["seats"] == []
    assert table.play_with_bots()["status"] == "finished"
    assert table.seen("/audit")["ok"]


def test_bots_are_named_after_their_kind_and_avoid_names_that_are_taken(client: Client) -> None:
    players = [GREEDY, GREEDY, {"bot": "planner", "name": " Deep Thought ", "colour": "red"}, "Greedy Bot"]
    created = client.post("/v1/games", json={"seats": 5, "players": players}).json()
    assert [(seat["name"], seat["bot"], seat["colour"]) for seat in created["game"]["seats"][:4]] == [
        ("Greedy bot 2", "greedy", "blue"),
        ("Greedy bot 3", "greedy", "orange"),
        ("Deep Thought", "planner", "red"),
        ("Greedy Bot", None, "black"),
    ]
    assert [seat["seat"] for seat in created["seats"]] == [3]


def test_names_and_colours_of_bots_are_refused_like_those_of_people(client: Client) -> None:
    table = People(client, seats=3, players=1)
    problem(seat_bot(table, table.host, name="ANN"), 409, "name_taken")
    problem(seat_bot(table, table.host, colour="blue"), 409, "colour_taken")
    problem(seat_bot(table, table.host, name="\u0007"), 400, "invalid_name")
    refused = problem(seat_bot(table, table.host, bot="genius"), 400, "invalid_body")
    assert refused["errors"][0]["where"] == "$.bot"
    assert "planner" in refused["errors"][0]["what"]


def test_only_a_bot_may_have_no_name(client: Client) -> None:
    refused = problem(client.post("/v1/games", json={"seats": 2, "players": [{"colour": "red"}]}), 400, "invalid_body")
    assert refused["errors"] == [{"where": "$.players[0]", "what": "Object missing required field `name`"}]


def test_only_the_host_seats_bots(client: Client) -> None:
    table = People(client, seats=3, players=1)
    problem(seat_bot(table, ""), 401, "token_missing")
    problem(seat_bot(table, table.tokens[0]), 403, "host_only")
    problem(seat_bot(table, People(client).host), 403, "foreign_token")
    response = seat_bot(table, table.host)
    assert response.status_code == 201
    assert response.json().keys() == {"seat", "name", "game"}
    assert seated(table) == [("Ann", None), ("Greedy bot", "greedy"), (None, None)]


def test_the_host_needs_no_invite_to_seat_a_bot_at_a_private_table(client: Client) -> None:
    table = People(client, seats=2, players=1, private=True, invite=True)
    assert seat_bot(table, table.host, bot="random").status_code == 201
    assert table.play_with_bots(token=table.host)["status"] == "finished"
    problem(table.get("/hint"), 401, "token_missing")


def test_a_kicked_bot_frees_its_name_and_colour(client: Client) -> None:
    table = People(client, seats=3, players=1, bots=["greedy"])
    assert client.delete(f"{table.path}/seats/1", headers=bearer(table.host)).status_code == 204
    assert seat_bot(table, table.host, colour="red").json()["name"] == "Greedy bot"


def test_bots_have_no_token(client: Client) -> None:
    table = People(client, seats=2, bots=["greedy"])
    problem(table.post("/seats/1/token", table.host, {}), 409, "bot_seat")
    problem(table.post("/seats/2/token", table.host, {}), 404, "unknown_seat")


def test_bots_move_down_to_empty_seats(client: Client) -> None:
    table = People(client, seats=4, players=1, bots=["random"])
    client.delete(f"{table.path}/seats/0", headers=bearer(table.host))
    assert seat_bot(table, table.host, bot="greedy").json()["seat"] == 0
    client.delete(f"{table.path}/seats/0", headers=bearer(table.host))
    seat_bot(table, table.host, bot="planner")
    client.delete(f"{table.path}/seats/1", headers=bearer(table.host))
    table.tokens = {}
    seat_bot(table, table.host, bot="greedy", name="Zoe")
    assert table.post("/start", table.host, {}).status_code == 200
    assert seated(table) == [("Planner bot", "planner"), ("Zoe", "greedy")]
    assert table.play_with_bots()["status"] == "finished"


@pytest.mark.parametrize("people", [1, 2])
def test_bots_accept_an_undo_and_wait_for_the_answers_of_people(client: Client, people: int) -> None:
    table = People(client, seats=4, bots=["greedy", "random", "planner"][people - 1 :], undo="agree")
    while (seen := table.seen())["to_play"] != 0 or not seen["turn"]:
        if seen["to_play"] in table.tokens:
            table.do(table.moves()[0], seen["to_play"])
        else:
            table.wait_beyond(seen["version"])
    proposed = table.post("/undo", table.tokens[0], {}).json()["version"]
    while (version := table.version) < proposed + 4 - people:
        assert table.wait_beyond(version) > version
    if people == 2:
        assert table.seen()["proposal"]["waiting"] == [1]
        assert table.post("/undo/answer", table.tokens[1], {"accept": True}).status_code == 200
    events = table.seen(f"/events?after={proposed}&view=full")["items"]
    assert [event["type"] for event in events[:4]] == ["undo_answered"] * 3 + ["undone"]


def test_forks_and_imports_go_on_with_their_bots(client: Client) -> None:
    table = People(client, seats=3, bots=["greedy", "random"])
    begun = table.version
    ended = table.play_with_bots()
    for copy in (
        table.post("/fork", table.tokens[0], {"at": begun}),
        client.post("/v1/records", json=table.seen("/record")),
    ):
        created = copy.json()
        assert [seat["bot"] for seat in created["game"]["seats"]] == [None, "greedy", "random"]
        assert [seat["seat"] for seat in created["seats"]] == [0]
    created = table.post("/fork", "", {"at": begun}).json()
    table.path, table.tokens = f"/v1/games/{created['game']['id']}", {0: created["seats"][0]["token"]}
    assert table.play_with_bots(seed=2)["status"] == ended["status"] == "finished"
    assert table.seen("/audit")["ok"]


def test_an_imported_game_goes_on_with_its_bots(client: Client) -> None:
    table = People(client, seats=2, bots=["greedy"])
    record = table.seen("/record")
    with serving(**QUICK) as elsewhere:
        created = elsewhere.post("/v1/records", json=record).json()
        there = People(elsewhere)
        there.path = table.path
        there.tokens = {0: created["seats"][0]["token"]}
        assert there.play_with_bots()["status"] == "finished"


def test_the_lobby_shows_bots_like_people(client: Client) -> None:
    table = People(client, seats=3, players=1, bots=["greedy"])
    entry = client.get("/v1/games?player=greedy+bot").json()["items"][0]
    assert (entry["id"], entry["players"]) == (table.id, ["Ann", "Greedy bot"])
    found = client.post("/v1/seats/lookup", json={"tokens": [table.tokens[0]]}).json()["items"]
    assert found[0]["game"]["players"] == ["Ann", "Greedy bot"]


def test_the_seat_of_a_person_is_stored_as_before(client: Client) -> None:
    table = People(client, seats=3, players=1, bots=["greedy"])
    person, bot = table.seen("/events")["items"][1:]
    assert person.keys() == {"version", "at", "type", "seat", "name", "colour", "digest"}
    assert bot["bot"] == "greedy"
