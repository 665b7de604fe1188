"""The messages about a request that does not fit."""

import gzip

import pytest
from httpx import Client

from tests.api.people import People, problem

JSON = {"content-type": "application/json"}
MEDIA = "unsupported_media_type"


def _game(options: str) -> bytes:
    return b'{"seats": 2, "options": %b}' % options.encode()


@pytest.mark.parametrize(
    ("body", "where", "what"),
    [
        (b"", "$", "Expected JSON, got no body"),
        (b'{"seats": "2"}', "$.seats", "Expected integer, got text"),
        (b'{"seats": 2.5}', "$.seats", "Expected integer, got number"),
        (b'{"seats": 6.0}', "$.seats", "Expected integer <= 5"),
        (b'{"seats": 2.0, "players": [5.0]}', "$.players[0]", "Expected text or object, got integer"),
        (b'{"seats": 2, "players": ["Ann", 5]}', "$.players[1]", "Expected text or object, got integer"),
        (_game('{"seed": "x"}'), "$.options.seed", "Expected integer or null, got text"),
        (_game('{"private": 1}'), "$.options.private", "Expected true or false, got integer"),
        (_game('{"undo": "often"}'), "$.options.undo", "'often' is none of agree, free, off, turn"),
        (
            _game('{"modules": {"region_tiles": "old"}}'),
            "$.options.modules.region_tiles",
            "'old' is none of mixed, new",
        ),
        (_game('{"expert": {"mode": "chess"}}'), "$.options.expert.mode", "'chess' is none of draft, explicit, random"),
        (_game('{"int": 1}'), "$.options", "Object contains unknown field `int`"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_does_not_fit_is_said_in_words_of_json(client: Client, body: bytes, where: str, what: str) -> None:
    told = problem(client.post("/v1/games", content=body, headers=JSON), 400, "invalid_body")
    assert told["errors"] == [{"where": where, "what": what}]


def test_actions_and_parameters_are_named_too(client: Client) -> None:
    table = People(client)
    for body, where in (({"type": "cheat"}, "$.type"), ([{"type": "cheat"}], "$[0].type")):
        (told,) = problem(table.post("/preview", body=body), 400, "invalid_body")["errors"]
        assert told["where"] == where
        assert told["what"].startswith("'cheat' is none of choose_town, double, end_turn, expand, ")
    for query, where, what in (
        ("status=lost", "status", "'lost' is none of finished, open, playing"),
        ("limit=many", "limit", "Expected integer, got text"),
        ("limit=1&status=open&limit=2", "limit", "it is given twice"),
    ):
        told = problem(client.get(f"/v1/games?{query}"), 400, "invalid_parameter")
        assert told["errors"] == [{"where": where, "what": what}]


def test_only_the_beginning_of_a_flood_is_repeated(client: Client) -> None:
    table, flood, many = People(client), "x" * 9_000, [f"tile {number}" for number in range(900)]
    for answer in (
        client.get(f"/v1/games?{flood}=1"),
        client.get(f"/v1/games?status={flood}"),
        client.post("/v1/games", json={"seats": 2, flood: 1}),
        client.post("/v1/games", json={"seats": 2, "options": {"undo": flood}}),
        client.post("/v1/games", content=b"{}", headers={"content-type": flood}),
        client.post("/v1/games", json={"seats": 2, "options": {"modules": {"region_tiles": {"chosen": many}}}}),
        client.post("/v1/records", json=table.seen("/record") | {flood: 1}),
    ):
        assert answer.status_code in (400, 415, 422)
        assert len(answer.text) < 700


def test_a_body_that_is_packed_is_not_unpacked(client: Client) -> None:
    packed = gzip.compress(b'{"seats": 2}')
    told = problem(client.post("/v1/games", content=packed, headers=JSON | {"content-encoding": "gzip"}), 415, MEDIA)
    assert "gzip" in told["detail"]


@pytest.mark.parametrize("half", [rb"\ud800", rb"\uD83Dx", rb"\ud800\u0041"])
def test_half_a_character_is_not_taken_for_an_end(client: Client, half: bytes) -> None:
    told = problem(client.post("/v1/games", content=b'{"players": ["%b"]}' % half, headers=JSON), 400, "malformed_json")
    assert "surrogate" in told["detail"]
    cut = problem(client.post("/v1/games", content=b'{"players": ["', headers=JSON), 400, "malformed_json")
    assert "truncated" in cut["detail"]
