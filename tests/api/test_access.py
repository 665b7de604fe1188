"""The rights of each caller: players, hosts, strangers, members of private games, and hot seats."""

from pathlib import Path

import pytest
from httpx import Client

from tests.api.people import People, problem, serving

VIEWS = ("", "/state", "/board", "/scores", "/legal-moves", "/history", "/events", "/audit", "/record")


def test_a_move_needs_a_token_of_this_game(client: Client) -> None:
    table, other = People(client), People(client)
    action = {"type": "resign"}
    nobody = table.post("/moves", body=action)
    problem(nobody, 401, "token_missing")
    assert nobody.headers["www-authenticate"] == "Bearer"
    unknown = table.post("/moves", "not-a-token", action)
    problem(unknown, 401, "token_unknown")
    assert unknown.headers["www-authenticate"] == "Bearer"
    for token in (other.tokens[0], other.host):
        for path in ("/moves", "/undo", "/redo", "/undo/answer", "/start", "/close", "/seats/0/token"):
            problem(table.post(path, token, action), 403, "foreign_token")
    other_scheme = client.post(f"{table.path}/moves", json=action, headers={"authorization": "Basic QW5uOg=="})
    problem(other_scheme, 401, "token_missing")


@pytest.mark.parametrize("view", VIEWS)
def test_only_members_read_a_private_game(client: Client, view: str) -> None:
    table, other = People(client, private=True), People(client)
    problem(table.get(view), 401, "token_missing")
    problem(table.get(view, "not-a-token"), 401, "token_unknown")
    problem(table.get(view, other.host), 403, "foreign_token")
    for token in (table.host, *table.tokens.values()):
        read = table.get(view, token)
        assert read.status_code == 200
        assert "private" in read.headers["cache-control"] or read.headers["cache-control"] == "no-store"
    known = table.get(view, headers={"if-none-match": "*"})
    problem(known, 401, "token_missing")


def test_strangers_neither_see_nor_fork_nor_preview_a_private_game(fresh: Client) -> None:
    table = People(fresh, private=True)
    assert fresh.get("/v1/games").json()["items"] == []
    mine = fresh.get("/v1/games", headers={"authorization": f"Bearer {table.tokens[1]}"})
    assert [game["id"] for game in mine.json()["items"]] == [table.id]
    problem(table.post("/fork"), 401, "token_missing")
    problem(table.post("/preview", body={"type": "end_turn"}), 401, "token_missing")
    assert table.post("/fork", table.tokens[0]).status_code == 201


def test_reading_a_public_game_needs_no_token_but_unknown_tokens_are_refused(client: Client) -> None:
    table, other = People(client), People(client, private=True)
    renewed = table.tokens[0]
    assert table.post("/seats/0/token", table.host).status_code == 201
    for view in VIEWS:
        for token in ("", other.host, table.tokens[1]):
            assert table.get(view, token).status_code == 200
        for token in ("not-a-token", renewed):
            problem(table.get(view, token), 401, "token_unknown")
            problem(table.get(view, token, headers={"if-none-match": "*"}), 401, "token_unknown")


def test_players_play_their_own_seat_and_the_host_none(client: Client) -> None:
    table = People(client)
    problem(table.do(table.moves()[0], seat=1 - table.to_play), 409, "not_your_turn")
    problem(table.post("/moves", table.host, table.moves()[0]), 403, "players_only")
    assert table.do(table.moves()[0]).status_code == 200


def test_players_preview_their_own_actions(client: Client) -> None:
    table, other = People(client), People(client)
    to_play = table.to_play
    resign, town = {"type": "resign"}, table.moves()[0]
    for token, seat in ((table.tokens[1 - to_play], 1 - to_play), (table.host, to_play), (other.tokens[0], to_play)):
        (step,) = table.post("/preview", token, resign).json()["steps"]
        assert step["seat"] == seat
    refused = table.post("/preview", table.tokens[1 - to_play], town).json()["refused"]
    assert refused["code"] == "not_your_turn"
    assert table.post("/preview", table.tokens[to_play], town).json()["refused"] is None
    problem(table.post("/preview", "not-a-token", town), 401, "token_unknown")


def test_under_free_undo_the_host_plays_every_seat(client: Client) -> None:
    table = People(client, seats=4, undo="free")
    seats = []
    for _ in range(12):
        seats.append(table.to_play)
        assert table.post("/moves", table.host, table.moves()[0]).status_code == 200
    assert set(seats) == {0, 1, 2, 3}
    assert table.post("/undo", table.host, {}).status_code == 200


@pytest.mark.parametrize("undo", ["turn", "agree", "off"])
def test_the_host_of_a_hot_seat_plays_every_seat_under_any_undo(client: Client, undo: str) -> None:
    table = People(client, seats=3, undo=undo, hot_seat=True, start="introductory")
    problem(table.do({"type": "end_turn"}, seat=(table.to_play + 1) % 3), 409, "not_your_turn")
    seats = []
    for _ in range(9):
        seats.append(table.to_play)
        move = next((move for move in table.moves() if move["type"] == "expand"), {"type": "end_turn"})
        assert table.post("/moves", table.host, move).status_code == 200
    assert set(seats) == {0, 1, 2}
    assert table.post("/moves", table.host, {"type": "resign"}).status_code == 200
    assert sum(seat["resigned"] for seat in table.seen()["seats"]) == 1
    assert table.seen("/audit")["ok"]


def test_the_host_of_a_hot_seat_undoes_the_current_turn(client: Client) -> None:
    table = People(client, seats=3, hot_seat=True, start="introductory")
    before = table.seen("/board")["places"]
    move = next(move for move in table.moves() if move["type"] == "expand")
    table.post("/moves", table.host, move)
    assert table.post("/undo", table.host, {}).status_code == 200
    assert table.seen("/board")["places"] == before
    assert table.post("/redo", table.host).status_code == 200
    table.post("/moves", table.host, {"type": "end_turn"})
    problem(table.post("/undo", table.host, {}), 409, "undo_past_turn_start")
    assert table.seen("/audit")["ok"]


def test_the_host_of_a_hot_seat_needs_no_agreement_and_answers_for_all(client: Client) -> None:
    table = People(client, seats=3, hot_seat=True, undo="agree", start="introductory")
    moves = [move for move in table.moves() if move["type"] == "expand"]
    start = table.version
    table.post("/moves", table.host, moves[0])
    assert table.post("/undo", table.host, {}).json()["events"][-1]["to"] == start
    table.post("/moves", table.host, moves[1])
    table.post("/undo", table.tokens[1], {})
    for _ in range(2):
        assert table.seen()["proposal"] is not None
        assert table.post("/undo/answer", table.host, {"accept": True}).status_code == 200
    assert table.seen()["proposal"] is None
    assert table.moves() == moves + [move for move in table.moves() if move["type"] != "expand"]
    assert table.seen("/audit")["ok"]


def test_undo_can_be_off_at_a_hot_seat(client: Client) -> None:
    table = People(client, hot_seat=True, undo="off", start="introductory")
    table.post("/moves", table.host, {"type": "end_turn"})
    problem(table.post("/undo", table.host, {}), 409, "undo_off")


def test_a_new_token_replaces_the_old_one(client: Client) -> None:
    table = People(client)
    problem(table.post("/seats/0/token", table.tokens[1]), 403, "host_only")
    problem(table.post("/seats/7/token", table.host), 404, "unknown_seat")
    problem(table.post("/seats/x/token", table.host), 404, "unknown_seat")
    version = table.version
    new = table.post(f"/seats/{table.to_play}/token", table.host)
    assert new.status_code == 201
    assert new.json()["name"] == table.seen()["seats"][table.to_play]["name"]
    assert table.version == version + 1
    (renewed,) = table.seen("/events", params={"after": version})["items"]
    assert (renewed["type"], renewed["seat"], renewed["by"]) == ("token_renewed", table.to_play, "host")
    assert new.json()["token"] not in table.get("/events").text
    assert table.seen("/audit")["ok"]
    problem(table.do(table.moves()[0]), 401, "token_unknown")
    assert table.post("/moves", new.json()["token"], table.moves()[0]).status_code == 200


def test_a_revoked_token_is_refused_by_every_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        table = People(one)
        action = table.moves()[0]
        seat = table.to_play
        problem(
            other.post(f"{table.path}/moves", json={"type": "end_turn"}, headers=_token(table, seat)),
            409,
            "illegal_action",
        )
        table.post(f"/seats/{seat}/token", table.host)
        problem(other.post(f"{table.path}/moves", json=action, headers=_token(table, seat)), 401, "token_unknown")


def test_tokens_are_not_stored_in_clear_or_shown_again(tmp_path: Path) -> None:
    with serving(database_url=f"sqlite:///{tmp_path}/games.db") as client:
        table = People(client)
        tokens = [table.host, *table.tokens.values()]
        for view in VIEWS:
            assert not any(token in table.get(view).text for token in tokens)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(token.encode() in stored for token in tokens)


def _token(table: People, seat: int) -> dict[str, str]:
    return {"authorization": f"Bearer {table.tokens[seat]}"}
