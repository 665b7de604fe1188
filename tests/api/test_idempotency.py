"""Idempotency keys: a repeated request is done once, and its response is rendered again."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from httpx import Client, Response
from litestar.testing import TestClient

from tests.api.people import People, bearer, problem, serving

KEY = "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e"


def same(first: Response, again: Response) -> None:
    assert (first.status_code, first.content) == (again.status_code, again.content)
    for name in ("etag", "location", "content-type"):
        assert first.headers.get(name) == again.headers.get(name)


def create(client: Client, key: str = KEY, **body: Any) -> Response:
    return client.post(
        "/v1/games", json={"seats": 2, "players": ["Ann", "Bob"]} | body, headers={"idempotency-key": key}
    )


def test_a_repeated_creation_returns_the_same_tokens(fresh: Client) -> None:
    first = create(fresh)
    assert first.status_code == 201
    same(first, create(fresh))
    assert len(fresh.get("/v1/games").json()["items"]) == 1
    assert create(fresh, key=KEY[::-1]).json() != first.json()


def test_a_key_belongs_to_one_request(fresh: Client) -> None:
    assert create(fresh).status_code == 201
    problem(create(fresh, seats=3), 422, "key_reused")


def test_a_move_is_made_once_although_the_response_was_lost(client: Client) -> None:
    table = People(client)
    seat, action = table.to_play, table.moves()[0]
    first = table.do(action, idempotency_key=KEY)
    version = table.version
    same(first, table.do(action, seat, idempotency_key=KEY))
    assert table.version == version
    problem(table.do(table.moves()[0], seat, idempotency_key=KEY), 422, "key_reused")


def test_a_repeated_request_ignores_its_old_version(client: Client) -> None:
    table = People(client)
    seat, seen, action = table.to_play, f'"{table.version}"', table.moves()[0]
    first = table.do(action, seat, idempotency_key=KEY, if_match=seen)
    same(first, table.do(action, seat, idempotency_key=KEY, if_match=seen))


def test_a_refused_request_can_be_retried_with_the_same_key(client: Client) -> None:
    table = People(client)
    later = 1 - table.to_play
    town = table.moves()[-1]
    problem(table.do(town, later, idempotency_key=KEY), 409, "not_your_turn")
    table.do(table.moves()[0])
    assert table.do(town, later, idempotency_key=KEY).status_code == 200


def test_callers_and_paths_have_separate_keys(client: Client) -> None:
    one, other = People(client), People(client)
    first = one.do(one.moves()[0], idempotency_key=KEY)
    second = one.do(one.moves()[0], idempotency_key=KEY)
    third = other.do(other.moves()[0], idempotency_key=KEY)
    assert [response.status_code for response in (first, second, third)] == [200, 200, 200]


@pytest.mark.parametrize("query", ["?include=state", "?lang=de", ""])
def test_a_repeated_move_is_rendered_as_the_repetition_requests(client: Client, query: str) -> None:
    table = People(client)
    seat, action = table.to_play, table.moves()[0]
    first = table.post("/moves?include=state", table.tokens[seat], action, idempotency_key=KEY).json()
    table.play(3)
    again = table.post(f"/moves{query}", table.tokens[seat], action, idempotency_key=KEY)
    if "lang" in query:  # no operation has this parameter yet
        problem(again, 400, "invalid_parameter")
    elif query:
        assert again.json() == first
    else:
        assert again.json() == {name: value for name, value in first.items() if name != "state"}


def test_a_query_for_another_change_needs_another_key(fresh: Client) -> None:
    record, headers = People(fresh).seen("/record"), {"idempotency-key": KEY}
    first = fresh.post("/v1/records?private=true", json=record, headers=headers)
    same(first, fresh.post("/v1/records?private=true", json=record, headers=headers))
    for query in ("", "?private=false"):
        problem(fresh.post(f"/v1/records{query}", json=record, headers=headers), 422, "key_reused")


@pytest.mark.parametrize("how", ["deleted", "removed"])
def test_a_repeated_request_for_a_deleted_game_gets_404(how: str, tmp_path: Path) -> None:
    """The key stays known, so that the repetition does not create the game again."""
    with serving(database_url=f"sqlite:///{tmp_path}/games.db") as client:
        assert isinstance(client, TestClient)
        first = create(client, players=["Ann"])
        same(first, create(client, players=["Ann"]))
        path, host = f"/v1/games/{first.json()['game']['id']}", bearer(first.json()["host_token"])
        bob: dict[str, Any] = {"json": {"name": "Bob"}, "headers": {"idempotency-key": KEY}}
        if how == "deleted":
            assert client.delete(path, headers=host).status_code == 204
        else:
            assert client.post(f"{path}/seats", **bob).status_code == 201
            with client.portal() as portal:
                portal.call(client.app.state["service"].remove, UUID(first.json()["game"]["id"]))
        for _ in range(2):
            problem(create(client, players=["Ann"]), 404, "game_not_found")
            problem(client.post(f"{path}/seats", **bob), 404, "game_not_found")
        problem(create(client, players=["Bob"]), 422, "key_reused")
        assert client.get("/v1/games").json()["items"] == []


def test_every_post_can_be_repeated(client: Client) -> None:
    table = People(client, undo="free")
    table.play(4)
    waiting = People(client, seats=4, players=1)
    record = table.get("/record").json()
    requests: list[tuple[str, str, Any]] = [
        (f"{waiting.path}/seats", "", {"name": "Bob"}),
        (f"{waiting.path}/seats/0/token", waiting.host, None),
        (f"{waiting.path}/close", waiting.host, None),
        (f"{waiting.path}/start", waiting.host, None),
        (f"{table.path}/preview", "", {"type": "end_turn"}),
        (f"{table.path}/undo", table.host, {}),
        (f"{table.path}/redo", table.host, None),
        (f"{table.path}/fork", "", {}),
        ("/v1/records", "", record),
    ]
    for path, token, body in requests:
        headers = {"idempotency-key": KEY} | ({"authorization": f"Bearer {token}"} if token else {})
        first, again = (client.post(path, json=body, headers=headers) for _ in range(2))
        assert first.status_code < 300, (path, first.text)
        same(first, again)


def test_a_key_on_a_preview_is_ignored(client: Client) -> None:
    table = People(client)
    towns = table.moves()
    first = table.post("/preview", body=towns[0], idempotency_key=KEY)
    assert table.post("/preview", body=towns[0], idempotency_key=KEY).content == first.content
    assert table.post("/preview", body=towns[1], idempotency_key=KEY).json()["steps"][0]["action"] == towns[1]
    table.do(towns[0], idempotency_key=KEY)
    gone_on = table.post("/preview", body=towns[0], idempotency_key=KEY)
    assert gone_on.json()["version"] == table.version
    assert gone_on.json()["refused"]["reason"] == "occupied"


def test_a_key_survives_restarts_and_counts_in_every_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        first = create(one)
        same(first, create(other))
        problem(create(other, seats=3), 422, "key_reused")
    with serving(database_url=url) as restarted:
        same(first, create(restarted))
        assert len(restarted.get("/v1/games").json()["items"]) == 1


def test_simultaneous_requests_with_one_key_are_one_request(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other, ThreadPoolExecutor(8) as threads:
        responses = list(threads.map(create, [one, other] * 8))
        assert {response.status_code for response in responses} == {201}
        assert len({response.content for response in responses}) == 1
        assert len(one.get("/v1/games").json()["items"]) == 1


# --- weak keys ------------------------------------------------------------------------------------------------------

GUESSED, SECRET = "k" * 21, "k" * 22


def test_a_short_key_without_a_token_opens_no_table(fresh: Client) -> None:
    other = People(fresh)
    for token in ("", other.host, other.tokens[0]):
        for players in (["Ann", "Bob"], ["Ann"]):
            sent = {"idempotency-key": GUESSED} | bearer(token)
            refused = fresh.post("/v1/games", json={"seats": 2, "players": players}, headers=sent)
            details = problem(refused, 422, "weak_key")
            assert "token" in details["detail"]
            assert "22" in details["detail"]
    assert [game["id"] for game in fresh.get("/v1/games").json()["items"]] == [other.id]
    assert create(fresh, key=SECRET).status_code == 201


def test_a_strong_key_returns_the_same_tokens(fresh: Client) -> None:
    same(create(fresh, key=SECRET), create(fresh, key=SECRET))


@pytest.mark.parametrize("key", [GUESSED, SECRET])
@pytest.mark.parametrize("foreign", [False, True])
def test_without_a_token_of_the_game_responses_with_tokens_need_a_strong_key(
    fresh: Client, key: str, foreign: bool
) -> None:
    table, waiting = People(fresh), People(fresh, seats=4, players=1)
    sent = {"idempotency-key": key} | (bearer(People(fresh).tokens[0]) if foreign else {})
    requests: list[tuple[str, Any]] = [
        (f"{waiting.path}/seats", {"name": "Bob"}),
        (f"{table.path}/fork", {}),
        ("/v1/records", table.get("/record").json()),
    ]
    before, games = waiting.version, len(fresh.get("/v1/games").json()["items"])
    for path, body in requests:
        first, again = (fresh.post(path, json=body, headers=sent) for _ in range(2))
        if key == SECRET:
            assert first.status_code == 201, first.text
            same(first, again)
        else:
            problem(first, 422, "weak_key")
            problem(again, 422, "weak_key")
    done = key == SECRET
    assert waiting.version == before + done
    assert len(fresh.get("/v1/games").json()["items"]) == games + 2 * done


def test_bots_are_seated_with_any_key_since_they_have_no_token(client: Client) -> None:
    table = People(client, seats=4, players=1)
    same(*(table.post("/seats", table.host, {"bot": "random"}, idempotency_key="1") for _ in range(2)))
    assert sum(seat["name"] is not None for seat in table.seen()["seats"]) == 2


def test_with_a_token_of_the_game_any_key_is_accepted(client: Client) -> None:
    table = People(client, seats=3, players=2)
    for path in ("/seats/1/token", "/spectators"):
        same(*(table.post(path, table.host, idempotency_key="1") for _ in range(2)))
    begun = People(client)
    for token in (begun.host, begun.tokens[1]):
        same(*(begun.post("/fork", token, {}, idempotency_key="1") for _ in range(2)))


def test_a_short_key_is_tied_to_the_token_of_its_request(client: Client) -> None:
    """All spectators are one caller, and so are successive players of a seat."""
    table = People(client)
    spectators = [table.post("/spectators", table.host).json()["token"] for _ in range(2)]
    same(*(table.post("/fork", spectators[0], {}, idempotency_key="1") for _ in range(2)))
    problem(table.post("/fork", spectators[1], {}, idempotency_key="1"), 422, "weak_key")
    same(*(table.post("/fork", table.tokens[1], {}, idempotency_key="1") for _ in range(2)))
    renewed = table.post("/seats/1/token", table.host).json()["token"]
    problem(table.post("/fork", table.tokens[1], {}, idempotency_key="1"), 401, "token_unknown")
    problem(table.post("/fork", renewed, {}, idempotency_key="1"), 422, "weak_key")
    same(*(table.post("/fork", renewed, {}, idempotency_key="2") for _ in range(2)))


def test_keys_and_tokens_are_not_stored_or_derived_from_stored_data(tmp_path: Path) -> None:
    with serving(database_url=f"sqlite:///{tmp_path}/games.db") as client:
        table = People(client, seats=3, players=2)
        first = table.post("/seats", body={"name": "Cem"}, idempotency_key=KEY).json()["token"]
        other = People(client, seats=3, players=2)
        second = other.post("/seats", body={"name": "Cem"}, idempotency_key=KEY).json()["token"]
        assert first != second
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(secret.encode() in stored for secret in (KEY, first, second))


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "caf\u00e9"])
def test_a_key_is_visible_ascii(fresh: Client, key: str) -> None:
    sent = {b"idempotency-key": key.encode("latin-1")}
    problem(fresh.post("/v1/games", json={"seats": 2}, headers=sent), 400, "invalid_header")
