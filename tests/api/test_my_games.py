"""A caller's games: lookups of tokens, turns, and the lobby."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from tests.api.people import People, problem, serving
from tests.support.logged import logged


def look_up(client: Client, *tokens: str) -> list[Any]:
    """Return the holders of tokens."""
    response = client.post("/v1/seats/lookup", json={"tokens": tokens})
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    found: list[Any] = response.json()["items"]
    return found


def test_tokens_are_looked_up_in_order(client: Client) -> None:
    first, second = People(client), People(client, seats=3, private=True)
    spectator = second.post("/spectators", second.host).json()["token"]
    asked = [second.tokens[2], first.host, "nobody-has-this", spectator, first.tokens[0], first.tokens[0]]
    found = look_up(client, *asked)
    assert [holder and (holder["game"]["id"], holder["role"], holder["seat"]) for holder in found] == [
        (second.id, "seat", 2),
        (first.id, "host", None),
        None,
        (second.id, "spectator", None),
        (first.id, "seat", 0),
        (first.id, "seat", 0),
    ]


def test_a_lookup_shows_the_entry_of_the_lobby_and_the_turn(fresh: Client) -> None:
    table = People(fresh, seats=3)
    for seed in range(8):
        (entry,) = fresh.get("/v1/games").json()["items"]
        found = look_up(fresh, *(table.tokens[seat] for seat in range(3)), table.host)
        assert [holder["game"] for holder in found] == [entry] * 4
        assert [holder["my_turn"] for holder in found] == [*(seat == table.to_play for seat in range(3)), False]
        summary = table.seen()
        for field in ("id", "status", "version", "changed_at", "turn", "phase", "to_play", "winners", "options"):
            assert entry[field] == summary[field], field
        table.play(1, seed=seed)


@pytest.mark.parametrize("options", [{"undo": "free"}, {"hot_seat": True}])
def test_at_a_hot_seat_it_is_always_the_turn_of_the_host(client: Client, options: dict[str, Any]) -> None:
    table = People(client, **options)
    (host,) = look_up(client, table.host)
    assert host["my_turn"]
    table.post("/moves", table.tokens[table.to_play], {"type": "resign"})
    (host,) = look_up(client, table.host)
    assert (host["game"]["status"], host["my_turn"]) == ("finished", False)


def test_it_is_nobodys_turn_at_an_open_table(client: Client) -> None:
    table = People(client, seats=3, players=1, hot_seat=True)
    ann, host = look_up(client, table.tokens[0], table.host)
    assert (ann["my_turn"], host["my_turn"]) == (False, False)
    assert (ann["game"]["phase"], ann["game"]["turn"], ann["game"]["to_play"]) == ("lobby", 0, None)


def test_revoked_tokens_and_tokens_of_deleted_tables_are_unknown(client: Client) -> None:
    table = People(client, seats=3, players=1)
    old = table.tokens[0]
    table.post("/seats/0/token", table.host)
    assert look_up(client, old) == [None]
    client.request("DELETE", table.path, headers={"authorization": f"Bearer {table.host}"})
    assert look_up(client, table.host) == [None]


@pytest.mark.parametrize(
    "body",
    [{}, {"tokens": []}, {"tokens": ["x"] * 101}, {"tokens": [1]}, {"tokens": [""]}, {"tokens": ["x" * 201]}, []],
)
def test_a_lookup_takes_1_to_100_tokens(client: Client, body: Any) -> None:
    problem(client.post("/v1/seats/lookup", json=body), 400, "invalid_body")


def test_a_key_on_a_lookup_is_ignored(client: Client) -> None:
    table = People(client)
    for tokens in ([table.host], [table.tokens[0]]):
        response = client.post("/v1/seats/lookup", json={"tokens": tokens}, headers={"idempotency-key": "once"})
        assert response.status_code == 200


def test_tokens_that_are_looked_up_are_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(log_level="debug") as client:
        table = People(client)
        look_up(client, table.host, table.tokens[0])
    log = logged(capfd)
    assert "/v1/seats/lookup" in log
    assert table.host not in log
    assert table.tokens[0] not in log


# --- the lobby ---------------------------------------------------------------------------------------------------


def test_the_lobby_can_be_filtered_by_several_statuses(fresh: Client) -> None:
    waiting, playing, finished = People(fresh, players=1), People(fresh), People(fresh)
    finished.post("/moves", finished.tokens[0], {"type": "resign"})
    ids = {"open": waiting.id, "playing": playing.id, "finished": finished.id}
    for chosen in (["open"], ["open", "finished"], ["playing", "finished"], ["open", "open"], list(ids)):
        found = fresh.get("/v1/games", params={"status": chosen}).json()["items"]
        assert {entry["id"] for entry in found} == {ids[status] for status in chosen}
    problem(fresh.get("/v1/games", params={"status": ["open", "closed"]}), 400, "invalid_parameter")
    problem(fresh.get("/v1/games?limit=1&limit=2"), 400, "invalid_parameter")


def test_an_unchanged_lobby_is_not_sent_again(client: Client) -> None:
    table = People(client)
    lobby = client.get("/v1/games")
    tag = {"if-none-match": lobby.headers["etag"]}
    again = client.get("/v1/games", headers=tag)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", lobby.headers["etag"])
    table.play(1)
    moved = client.get("/v1/games", headers=tag)
    assert moved.status_code == 200
    assert moved.json()["items"][0]["version"] == table.version


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "1" * 16, "\u0663", "1 "])
def test_a_forged_cursor_is_refused(client: Client, cursor: str) -> None:
    problem(client.get("/v1/games", params={"cursor": cursor}), 400, "invalid_cursor")


@pytest.mark.parametrize("url", ["memory:", "file"])
def test_an_entry_is_of_one_version_while_games_end_and_go_on(tmp_path: Path, url: str) -> None:
    """In the lobby and in lookups; a filter never shows another status."""
    with serving(database_url=url if url == "memory:" else f"sqlite:///{tmp_path}/games.db") as client:
        table = People(client, undo="free")

        def check(entry: Any) -> None:
            assert (entry["status"] == "finished") == (entry["phase"] == "finished") == (entry["winners"] is not None)
            assert (entry["to_play"] is None) == (entry["status"] == "finished")

        def end_and_go_on() -> None:
            for _ in range(60):
                table.post("/moves", table.tokens[0], {"type": "resign"})
                table.post("/undo", table.host, {})

        with ThreadPoolExecutor(1) as threads:
            ends = threads.submit(end_and_go_on)
            while not ends.done():
                for holder in look_up(client, table.host, table.tokens[1]):
                    check(holder["game"])
                for status in ("playing", "finished"):
                    for entry in client.get("/v1/games", params={"status": status}).json()["items"]:
                        check(entry)
                        assert entry["status"] == status
            ends.result()


# --- colours -----------------------------------------------------------------------------------------------------


def colours(table: Any) -> list[str]:
    return [seat["colour"] for seat in table["seats"]]


def create(client: Client, seats: int, *players: Any) -> Any:
    return client.post("/v1/games", json={"seats": seats, "players": players})


def test_players_choose_their_colours(client: Client) -> None:
    created = create(client, 3, "Ann", {"name": "Bob", "colour": "blue"}, {"name": "Cem"}).json()
    assert colours(created["game"]) == ["red", "blue", "orange"]
    scores = client.get(f"/v1/games/{created['game']['id']}/scores").json()
    assert [player["colour"] for player in scores["players"]] == ["red", "blue", "orange"]
    assert client.get(f"/v1/games/{created['game']['id']}/audit").json()["ok"]


def test_without_a_choice_colours_follow_the_seats(client: Client) -> None:
    assert colours(create(client, 5, "Ann", "Bob", "Cem", "Dora", "Eve").json()["game"]) == [
        *("blue", "red", "orange", "black", "beige")
    ]


def test_later_players_choose_among_the_free_colours(client: Client) -> None:
    created = create(client, 3, {"name": "Ann", "colour": "red"}).json()["game"]
    path = f"/v1/games/{created['id']}"
    assert colours(created) == ["red", "blue", "orange"]
    taken = problem(client.post(f"{path}/seats", json={"name": "Bob", "colour": "red"}), 409, "colour_taken")
    assert taken["needed"] == {"colour": ["blue", "orange", "black", "beige"]}
    bob = client.post(f"{path}/seats", json={"name": "Bob", "colour": "beige"}).json()
    assert colours(bob["game"]) == ["red", "beige", "blue"]
    cem = client.post(f"{path}/seats", json={"name": "Cem"}).json()
    assert colours(cem["game"]) == ["red", "beige", "blue"]
    assert client.get(f"{path}/audit").json()["ok"]


def test_nobody_gets_the_colour_of_another(client: Client) -> None:
    both = [{"name": name, "colour": "black"} for name in ("Ann", "Bob")]
    problem(create(client, 2, *both), 409, "colour_taken")
    problem(create(client, 2, {"name": "Ann", "colour": "green"}), 400, "invalid_body")
    problem(create(client, 2, {"name": "Ann", "color": "red"}), 400, "invalid_body")
    problem(create(client, 2, {"name": "\u0007", "colour": "red"}), 400, "invalid_name")
