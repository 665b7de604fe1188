"""Undo over HTTP under each policy, with two clients."""

from pathlib import Path
from typing import Any

from httpx import Client

from tests.api.people import People, problem, serving


def in_a_turn(client: Client, **options: object) -> People:
    """A table at which the active player has moved in this turn and can move again."""
    table = People(client, **options)  # type: ignore[arg-type]
    table.play(20)
    while True:
        expansions = [move for move in table.moves() if move["type"] == "expand"]
        if expansions:
            table.do(expansions[0])
            return table
        table.play(1)


def shown(table: People, view: str) -> Any:
    """Return a view without its version."""
    body = table.seen(view)
    return {name: part for name, part in body.items() if name != "version"}


def test_players_undo_their_actions_in_their_own_turn(client: Client) -> None:
    table = in_a_turn(client, undo="turn")
    seat, board = table.to_play, shown(table, "/board")
    problem(table.post("/undo", table.tokens[1 - seat], {}), 409, "not_your_turn")
    problem(table.post("/undo", table.host, {}), 403, "players_only")
    version = table.version
    back = table.post("/undo", table.tokens[seat], {})
    assert back.status_code == 200
    assert back.json()["events"][-1]["type"] == "undone"
    assert back.json()["version"] > version
    assert shown(table, "/board") != board
    assert table.post("/redo", table.tokens[seat]).status_code == 200
    assert shown(table, "/board") == board
    problem(table.post("/redo", table.tokens[seat]), 409, "nothing_to_redo")


def test_the_turn_of_another_player_cannot_be_undone(client: Client) -> None:
    table = in_a_turn(client, undo="turn")
    seat = table.to_play
    ended = table.do({"type": "end_turn"})
    assert ended.status_code == 200
    problem(table.post("/undo", table.tokens[seat], {}), 409, "not_your_turn")
    problem(table.post("/undo", table.tokens[1 - seat], {}), 409, "undo_past_turn_start")


def test_an_undo_ends_right_before_an_action(client: Client) -> None:
    table = in_a_turn(client, undo="free")
    problem(table.post("/undo", table.host, {"to": 2}), 409, "not_a_boundary")
    problem(table.post("/undo", table.host, {"to": table.version + 5}), 409, "not_a_boundary")
    start = table.created["game"]["version"]
    assert table.post("/undo", table.host, {"to": start}).status_code == 200
    assert table.seen()["phase"] == "towns"
    problem(table.post("/undo", table.host, {}), 409, "nothing_to_undo")


def test_under_agree_an_undo_is_proposed_and_answered(client: Client) -> None:
    table = People(client, seats=3, undo="agree")
    table.play(6)
    before = shown(table, "/history")
    asks, answers, last = 0, 1, 2
    proposed = table.post("/undo", table.tokens[asks], {})
    assert proposed.status_code == 200
    proposal = table.seen()["proposal"]
    assert (proposal["seat"], proposal["accepted"], proposal["waiting"]) == (asks, [], [answers, last])
    assert shown(table, "/history") == before
    problem(table.post("/undo", table.tokens[last], {}), 409, "undo_proposed")
    problem(table.post("/undo/answer", table.tokens[asks], {"accept": True}), 409, "own_proposal")
    problem(table.post("/undo/answer", table.host, {"accept": True}), 403, "players_only")
    assert table.post("/undo/answer", table.tokens[answers], {"accept": True}).status_code == 200
    problem(table.post("/undo/answer", table.tokens[answers], {"accept": True}), 409, "already_answered")
    assert table.seen()["proposal"]["waiting"] == [last]
    assert table.post("/undo/answer", table.tokens[last], {"accept": True}).status_code == 200
    assert table.seen()["proposal"] is None
    assert shown(table, "/history") != before
    problem(table.post("/undo/answer", table.tokens[last], {"accept": True}), 409, "no_proposal")


def test_one_refusal_ends_a_proposal(client: Client) -> None:
    table = People(client, seats=3, undo="agree")
    table.play(4)
    before = shown(table, "/history")
    table.post("/undo", table.tokens[0], {})
    assert table.post("/undo/answer", table.tokens[2], {"accept": False}).status_code == 200
    assert table.seen()["proposal"] is None
    assert shown(table, "/history") == before


def test_under_free_anybody_can_undo_anything_even_the_end(client: Client) -> None:
    table = People(client, undo="free")
    table.play(10)
    table.do({"type": "resign"})
    assert table.seen()["status"] == "finished"
    assert table.post("/undo", table.tokens[0], {}).status_code == 200
    assert table.seen()["status"] == "playing"
    table.play()
    assert table.seen()["status"] == "finished"
    assert table.seen("/audit")["ok"]


def test_under_off_nothing_can_be_undone(client: Client) -> None:
    table = People(client, undo="off")
    table.play(3)
    for token in (*table.tokens.values(), table.host):
        problem(table.post("/undo", token, {}), 409, "undo_off")
        problem(table.post("/redo", token), 409, "undo_off")


def test_two_processes_see_the_same_game_after_an_undo(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        table = in_a_turn(one, undo="free")
        views = ("", "/board", "/scores", "/legal-moves", "/history")
        for path in ("/undo", "/redo", "/undo", "/undo"):
            for view in views:
                other.get(table.path + view)
            assert table.post(path, table.host, None if path == "/redo" else {}).status_code == 200
            for view in views:
                theirs, ours = other.get(table.path + view), table.get(view)
                assert theirs.text == ours.text
                assert theirs.headers["etag"] == ours.headers["etag"]


def test_the_second_of_two_clients_with_the_same_version_gets_412(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url) as one, serving(database_url=url) as other:
        for undo in ("turn", "agree", "free"):
            table = in_a_turn(one, undo=undo)
            seat, seen = table.to_play, f'"{table.version}"'
            assert table.post("/undo", table.tokens[seat], {}, if_match=seen).status_code == 200
            headers = {"authorization": f"Bearer {table.tokens[seat]}", "if-match": seen}
            late = other.post(f"{table.path}/moves", json={"type": "end_turn"}, headers=headers)
            details = problem(late, 412, "stale_version")
            assert details["version"] == table.version


def test_undone_events_stay_in_the_full_stream(client: Client) -> None:
    table = in_a_turn(client, undo="free")
    version = table.version
    table.post("/undo", table.host, {})
    effective = table.seen("/events", params={"limit": 1000})
    full = table.seen("/events", params={"limit": 1000, "view": "full"})
    assert [event["version"] for event in full["items"]] == list(range(1, table.version + 1))
    assert full["items"][-1]["type"] == "undone"
    assert max(event["version"] for event in effective["items"]) < version
    assert effective["version"] == table.version


def test_an_undo_keeps_renewed_tokens(client: Client) -> None:
    table = People(client, seats=3, undo="free")
    begun = table.version
    table.play(2)
    old = table.tokens[1]
    table.tokens[1] = table.post("/seats/1/token", table.host).json()["token"]
    old_host, table.host = table.host, table.post("/host-token", table.host).json()["host_token"]
    table.play(2)
    assert table.post("/undo", table.tokens[1], {"to": begun}).status_code == 200
    for token in (old, old_host):
        problem(table.get("", token), 401, "token_unknown")
        problem(table.post("/redo", token), 401, "token_unknown")
    for view in ("effective", "full"):
        events = table.seen("/events", params={"view": view})["items"]
        renewed = [(event["seat"], event["by"]) for event in events if event["type"] == "token_renewed"]
        assert renewed == [(1, "host"), (None, "host")]
    assert table.seen("/audit")["ok"]
    record, fork = table.seen("/record"), table.post("/fork", body={}).json()
    copy = client.post("/v1/records", json=record).json()
    for other in (copy, fork):
        path = f"/v1/games/{other['game']['id']}"
        assert client.get(f"{path}/audit").json()["ok"]
        kinds = [event["type"] for event in client.get(f"{path}/events").json()["items"]]
        assert kinds.count("token_renewed") == 2
    assert table.post("/redo", table.host).status_code == 200
    assert table.seen("/audit")["ok"]
