"""The messages about invalid requests."""

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
def test_errors_use_the_words_of_json(client: Client, body: bytes, where: str, what: str) -> None:
    details = problem(client.post("/v1/games", content=body, headers=JSON), 400, "invalid_body")
    assert details["errors"] == [{"where": where, "what": what}]


def test_errors_name_actions_and_parameters(client: Client) -> None:
    table = People(client)
    for body, where in (({"type": "cheat"}, "$.type"), ([{"type": "cheat"}], "$[0].type")):
        (details,) = problem(table.post("/preview", body=body), 400, "invalid_body")["errors"]
        assert details["where"] == where
        assert details["what"].startswith("'cheat' is none of choose_town, double, end_turn, expand, ")
    for query, where, what in (
        ("status=lost", "status", "'lost' is none of finished, open, playing"),
        ("limit=many", "limit", "Expected integer, got text"),
        ("limit=1&status=open&limit=2", "limit", "it is given twice"),
    ):
        details = problem(client.get(f"/v1/games?{query}"), 400, "invalid_parameter")
        assert details["errors"] == [{"where": where, "what": what}]


def test_long_values_are_shortened_in_messages(client: Client) -> None:
    table, flood, many = People(client), "x" * 9_000, [f"tile {number}" for number in range(900)]
    for response in (
        client.get(f"/v1/games?{flood}=1"),
        client.get(f"/v1/games?status={flood}"),
        client.post("/v1/games", json={"seats": 2, flood: 1}),
        client.post("/v1/games", json={"seats": 2, "options": {"undo": flood}}),
        client.post("/v1/games", content=b"{}", headers={"content-type": flood}),
        client.post("/v1/games", json={"seats": 2, "options": {"modules": {"region_tiles": {"chosen": many}}}}),
        client.post("/v1/records", json=table.seen("/record") | {flood: 1}),
    ):
        assert response.status_code in (400, 415, 422)
        assert len(response.text) < 700


def test_a_compressed_body_is_refused(client: Client) -> None:
    packed = gzip.compress(b'{"seats": 2}')
    details = problem(client.post("/v1/games", content=packed, headers=JSON | {"content-encoding": "gzip"}), 415, MEDIA)
    assert "gzip" in details["detail"]


@pytest.mark.parametrize("half", [rb"\ud800", rb"\uD83Dx", rb"\ud800\u0041"])
def test_half_a_surrogate_pair_is_named(client: Client, half: bytes) -> None:
    lone = problem(client.post("/v1/games", content=b'{"players": ["%b"]}' % half, headers=JSON), 400, "malformed_json")
    assert "surrogate" in lone["detail"]
    cut = problem(client.post("/v1/games", content=b'{"players": ["', headers=JSON), 400, "malformed_json")
    assert "truncated" in cut["detail"]
