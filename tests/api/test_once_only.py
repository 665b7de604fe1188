"""Idempotency keys: what is sent again is done once, and answered as the first time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response

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


def test_a_game_is_created_once_and_its_tokens_come_again(fresh: Client) -> None:
    first = create(fresh)
    assert first.status_code == 201
    same(first, create(fresh))
    assert len(fresh.get("/v1/games").json()["items"]) == 1
    assert create(fresh, key="another-key").json() != first.json()


def test_a_key_stands_for_one_request(fresh: Client) -> None:
    assert create(fresh).status_code == 201
    problem(create(fresh, seats=3), 422, "key_reused")


def test_a_move_is_made_once_although_the_answer_was_lost(client: Client) -> None:
    table = People(client)
    seat, action = table.to_play, table.moves()[0]
    first = table.do(action, idempotency_key=KEY)
    version = table.version
    same(first, table.do(action, seat, idempotency_key=KEY))
    assert table.version == version
    problem(table.do(table.moves()[0], seat, idempotency_key=KEY), 422, "key_reused")


def test_a_retry_comes_before_the_version_that_was_seen(client: Client) -> None:
    table = People(client)
    seat, seen, action = table.to_play, f'"{table.version}"', table.moves()[0]
    first = table.do(action, seat, idempotency_key=KEY, if_match=seen)
    same(first, table.do(action, seat, idempotency_key=KEY, if_match=seen))


def test_a_refused_request_has_done_nothing_and_is_looked_at_anew(client: Client) -> None:
    table = People(client)
    later = 1 - table.to_play
    town = table.moves()[-1]
    problem(table.do(town, later, idempotency_key=KEY), 409, "not_your_turn")
    table.do(table.moves()[0])
    assert table.do(town, later, idempotency_key=KEY).status_code == 200


def test_callers_and_paths_have_keys_of_their_own(client: Client) -> None:
    one, other = People(client), People(client)
    first = one.do(one.moves()[0], idempotency_key=KEY)
    second = one.do(one.moves()[0], idempotency_key=KEY)
    third = other.do(other.moves()[0], idempotency_key=KEY)
    assert [answer.status_code for answer in (first, second, third)] == [200, 200, 200]


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


def test_a_key_outlives_the_server_and_counts_in_every_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        first = create(one)
        same(first, create(other))
        problem(create(other, seats=3), 422, "key_reused")
    with serving(database_url=url) as restarted:
        same(first, create(restarted))
        assert len(restarted.get("/v1/games").json()["items"]) == 1


def test_requests_with_one_key_at_the_same_time_are_one_request(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other, ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(create, [one, other] * 8))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.content for answer in answers}) == 1
        assert len(one.get("/v1/games").json()["items"]) == 1


# --- keys that anybody may guess ------------------------------------------------------------------------------------

GUESSED, SECRET = "k" * 21, "k" * 22


def test_a_short_key_alone_does_not_give_tokens_again_and_does_nothing_twice(fresh: Client) -> None:
    first = create(fresh, key=GUESSED)
    assert first.status_code == 201
    told = problem(create(fresh, key=GUESSED), 422, "weak_key")
    assert "token" in told["detail"]
    assert "22" in told["detail"]
    assert not any(seat["token"] in str(told) for seat in first.json()["seats"])
    assert len(fresh.get("/v1/games").json()["items"]) == 1
    unknown_to_create = {"idempotency-key": GUESSED, "authorization": "Bearer nobody-has-this"}
    body = {"seats": 2, "players": ["Ann", "Bob"]}
    problem(fresh.post("/v1/games", json=body, headers=unknown_to_create), 422, "weak_key")


def test_a_key_that_may_be_a_secret_gives_tokens_again(fresh: Client) -> None:
    same(create(fresh, key=SECRET), create(fresh, key=SECRET))


@pytest.mark.parametrize("key", [GUESSED, SECRET])
def test_every_answer_with_tokens_needs_a_token_or_a_secret_key(client: Client, key: str) -> None:
    table, waiting = People(client), People(client, seats=4, players=1)
    requests: list[tuple[str, Any]] = [
        (f"{waiting.path}/seats", {"name": "Bob"}),
        (f"{table.path}/fork", {}),
        ("/v1/records", table.get("/record").json()),
    ]
    for path, body in requests:
        first, again = (client.post(path, json=body, headers={"idempotency-key": key}) for _ in range(2))
        assert first.status_code == 201, first.text
        if key == SECRET:
            same(first, again)
        else:
            problem(again, 422, "weak_key")
    assert [seat["name"] for seat in waiting.seen()["seats"]][:3] == ["Ann", "Bob", None]


def test_with_a_token_any_key_will_do(client: Client) -> None:
    table = People(client, seats=3, players=2)
    for path in ("/seats/1/token", "/spectators"):
        same(*(table.post(path, table.host, idempotency_key="1") for _ in range(2)))
    begun = People(client)
    for token in (begun.host, begun.tokens[1]):
        same(*(begun.post("/fork", token, {}, idempotency_key="1") for _ in range(2)))


def test_a_token_that_others_may_have_is_no_credential_for_an_answer(client: Client) -> None:
    """Each spectator is the same caller, and a seat of another table may change hands."""
    table, waiting = People(client), People(client, seats=3, players=2)
    spectators = [table.post("/spectators", table.host).json()["token"] for _ in range(2)]
    assert table.post("/fork", spectators[0], {}, idempotency_key="1").status_code == 201
    problem(table.post("/fork", spectators[1], {}, idempotency_key="1"), 422, "weak_key")
    assert table.post("/fork", waiting.tokens[1], {}, idempotency_key="1").status_code == 201
    client.delete(f"{waiting.path}/seats/1", headers=bearer(waiting.host))
    zoe = waiting.post("/seats", body={"name": "Zoe"}).json()
    assert zoe["seat"] == 1
    problem(table.post("/fork", zoe["token"], {}, idempotency_key="1"), 422, "weak_key")


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "caf\u00e9"])
def test_a_key_is_visible_ascii(fresh: Client, key: str) -> None:
    sent = {b"idempotency-key": key.encode("latin-1")}
    problem(fresh.post("/v1/games", json={"seats": 2}, headers=sent), 400, "invalid_header")
