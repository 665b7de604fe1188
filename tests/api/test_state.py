"""The state of a whole screen in one response: of a single version, also with a move, and compressed if large."""

import gzip
import json
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response

from api.http.responses import allows_gzip
from tests.api.people import People, problem, serving

PARTS = {"game": "", "board": "/board", "scores": "/scores", "legal_moves": "/legal-moves"}
MODULES = {"milestones": True, "boom": True, "region_tiles": "mixed"}


def parts(table: People, **query: Any) -> dict[str, Any]:
    """Return the four views from separate requests."""
    return {name: table.seen(path, params=query) for name, path in PARTS.items()}


@pytest.mark.parametrize("options", [{}, {"modules": MODULES, "expert": {"mode": "draft"}}], ids=["base", "all"])
def test_the_state_is_the_four_views(client: Client, options: dict[str, Any]) -> None:
    table = People(client, seats=3, undo="free", **options)
    for seed in range(12):
        state = table.get("/state")
        assert state.json() == {"version": table.version, **parts(table)}
        assert state.headers["etag"] == f'"{table.version}"'
        table.play(5, seed=seed)
    for version in range(1, table.version, 7):
        assert table.seen("/state", params={"at": version}) == {"version": version, **parts(table, at=version)}


def test_the_state_of_an_open_table(client: Client) -> None:
    table = People(client, seats=3, players=1)
    assert table.seen("/state") == {"version": table.version, **parts(table)}


def test_an_unchanged_state_gets_304(client: Client) -> None:
    table = People(client)
    state = table.get("/state")
    assert table.get("/state", headers={"if-none-match": state.headers["etag"]}).status_code == 304
    table.play(1)
    assert table.get("/state", headers={"if-none-match": state.headers["etag"]}).status_code == 200


@pytest.mark.parametrize("url", ["memory:", "file"])
def test_all_parts_and_the_etag_are_of_one_version_during_moves(url: str, tmp_path: Path) -> None:
    with serving(database_url=url if url == "memory:" else f"sqlite:///{tmp_path}/games.db") as client:
        table = People(client, undo="free")
        at_version: dict[int, bytes] = {}

        def read(number: int) -> None:
            for _ in range(40):
                response = table.get("/state")
                state = response.json()
                version = state["version"]
                assert response.headers["etag"] == f'"{version}"'
                assert {state[name]["version"] for name in PARTS} == {version}
                assert at_version.setdefault(version, response.content) == response.content

        def write(seed: int) -> None:
            luck = random.Random(seed)
            for _ in range(30):
                if luck.random() < 0.3:
                    table.post("/undo", table.host, {})
                with suppress(StopIteration):
                    move = luck.choice(table.moves() or [{"type": "end_turn"}])
                    table.post("/moves", table.host, move)

        with ThreadPoolExecutor(6) as threads:
            for done in [
                *(threads.submit(read, n) for n in range(4)),
                *(threads.submit(write, n) for n in (1, 2)),
            ]:
                done.result()
        for version, body in at_version.items():
            later = table.get("/state", params={"at": version}).json()
            assert later["board"] == json.loads(body)["board"]
            assert later["scores"] == json.loads(body)["scores"]


def test_moves_undo_redo_and_answers_return_the_state_on_request(client: Client) -> None:
    table = People(client, seats=3, undo="agree")
    table.play(4)
    move, seat = table.moves()[0], table.to_play
    first, second = (other for other in range(3) if other != seat)
    asked: list[tuple[str, int, Any]] = [
        ("/moves", seat, move),
        ("/undo", seat, {}),
        ("/undo/answer", first, {"accept": True}),
        ("/undo/answer", second, {"accept": True}),
        ("/redo", seat, {}),
    ]
    for path, actor, body in asked:
        response = table.post(f"{path}?include=state", table.tokens[actor], body)
        assert response.status_code == 200, response.text
        assert response.json()["state"] == table.seen("/state")
        assert response.json()["summary"] == response.json()["state"]["game"]
    assert "state" not in table.do(table.moves()[0]).json()
    problem(table.post("/moves?include=board", table.tokens[table.to_play], move), 400, "invalid_parameter")


def test_a_repeated_move_returns_its_original_state_on_request(tmp_path: Path) -> None:
    """Also after later moves, after a restart, and if only one of the requests includes the state."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as client:
        table = People(client)
        move, seat = table.moves()[0], table.to_play

        def sent(client: Client, query: str) -> Response:
            headers = {"idempotency-key": "once", "authorization": f"Bearer {table.tokens[seat]}"}
            return client.post(f"{table.path}/moves{query}", json=move, headers=headers)

        first = sent(client, "?include=state")
        table.play(5)
        again, plain = sent(client, "?include=state"), sent(client, "")
    with serving(database_url=url) as other:
        later, plain_later = sent(other, "?include=state"), sent(other, "")
    for response in (again, plain, later, plain_later):
        assert (response.status_code, response.headers["etag"]) == (200, first.headers["etag"])
    assert again.content == later.content == first.content
    assert plain.content == plain_later.content
    state = first.json().pop("state")
    assert state["version"] == first.json()["version"]
    assert plain.json() == {name: value for name, value in first.json().items() if name != "state"}


# --- compression -------------------------------------------------------------------------------------------------


def raw(client: Client, path: str, **headers: str) -> tuple[Response, bytes]:
    """Read a response without decoding it."""
    with client.stream("GET", path, headers=headers) as response:
        return response, b"".join(response.iter_raw())


@pytest.mark.parametrize("path", ["/state", "/board", "/scores", "/legal-moves", "/history", "/events", "/record"])
def test_large_responses_are_compressed_for_clients_that_accept_it(client: Client, path: str) -> None:
    table = People(client, seats=5)
    table.play(3)
    plain, body = raw(client, table.path + path, **{"accept-encoding": "identity"})
    packed, packed_body = raw(client, table.path + path, **{"accept-encoding": "br, gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed_body) == body
    assert int(packed.headers["content-length"]) == len(packed_body) < len(body) / 2
    assert plain.headers["etag"] == packed.headers["etag"]
    assert "accept-encoding" in plain.headers["vary"]


@pytest.mark.parametrize("path", ["/schema", "/schema/openapi.json", "/rules", "/problems", "/v1/boards/usa-1960s"])
def test_pages_and_documents_are_compressed(client: Client, path: str) -> None:
    plain, body = raw(client, path, **{"accept-encoding": "identity"})
    packed, packed_body = raw(client, path, **{"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed_body) == body
    assert plain.headers["content-type"] == packed.headers["content-type"]


def test_small_responses_are_not_compressed(client: Client) -> None:
    response, _ = raw(client, "/health/live", **{"accept-encoding": "gzip"})
    assert "content-encoding" not in response.headers


def test_responses_with_tokens_are_neither_compressed_nor_cached(client: Client) -> None:
    table = People(client, seats=3, players=1, undo="free")
    record = None
    for path, token, body in (
        ("/v1/games", "", {"seats": 5, "players": ["Ann", "Bob", "Cem", "Dora", "Eve"]}),
        (f"{table.path}/seats", "", {"name": "Bob"}),
        (f"{table.path}/seats/1/token", table.host, {}),
        (f"{table.path}/seats", "", {"name": "Cem"}),
        (f"{table.path}/fork", "", {}),
        ("/v1/records", "", None),
    ):
        if path == "/v1/records":
            record = table.seen("/record")
        sent = {"authorization": f"Bearer {token}"} if token else {}
        response = client.post(path, json=body or record or {}, headers={"accept-encoding": "gzip", **sent})
        assert response.status_code == 201, response.text
        assert response.headers["cache-control"] == "no-store"
        assert "content-encoding" not in response.headers
        assert "token" in response.text


def test_head_has_the_content_length_of_get(client: Client) -> None:
    table = People(client)
    for encoding in ("identity", "gzip"):
        got, body = raw(client, f"{table.path}/board", **{"accept-encoding": encoding})
        head = client.head(f"{table.path}/board", headers={"accept-encoding": encoding})
        assert head.headers["content-length"] == got.headers["content-length"] == str(len(body))
        assert head.content == b""


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br;q=1.0, gzip;q=0.5", True),
        ("*", True),
        ("*;q=0.1", True),
        ("gzip; q=1", True),
        ("", False),
        ("identity", False),
        ("br, deflate", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
    ],
)
def test_accept_encoding_is_parsed(header: str, allowed: bool) -> None:
    """RFC 9110, 12.5.3."""
    assert allows_gzip(header) is allowed
