"""Tables: opening, joining, starting, closing and deleting them; and a whole game."""

import msgspec
import pytest
from httpx import Client

from domain.stream import rechain
from tests.api.people import NAMES, NOWHERE, People, bearer, problem


def test_a_full_table_starts_at_once(client: Client) -> None:
    created = client.post("/v1/games", json={"seats": 3, "players": ["Ann", "Bob", "Cem"]})
    assert created.status_code == 201
    body = created.json()
    game = body["game"]
    assert created.headers["location"] == f"/v1/games/{game['id']}"
    assert created.headers["etag"] == f'"{game["version"]}"'
    assert game["status"] == "playing"
    assert [(seat["seat"], seat["name"], seat["colour"]) for seat in game["seats"]] == [
        (0, "Ann", "blue"),
        (1, "Bob", "red"),
        (2, "Cem", "orange"),
    ]
    assert [(seat["seat"], seat["name"]) for seat in body["seats"]] == [(0, "Ann"), (1, "Bob"), (2, "Cem")]
    assert len({body["host_token"], *(seat["token"] for seat in body["seats"])}) == 4


def test_players_join_one_by_one_and_the_last_one_starts_the_game(client: Client) -> None:
    table = People(client, seats=3, players=1)
    assert table.seen()["status"] == "open"
    bob = table.post("/seats", body={"name": "Bob"})
    assert bob.status_code == 201
    assert (bob.json()["seat"], bob.json()["name"]) == (1, "Bob")
    assert table.seen()["status"] == "open"
    cem = table.post("/seats", body={"name": " Cem "})
    assert (cem.json()["seat"], cem.json()["name"]) == (2, "Cem")
    assert table.seen()["status"] == "playing"
    problem(table.post("/seats", body={"name": "Dora"}), 409, "already_started")


def test_names_are_normalised_and_differ_by_more_than_capitals(client: Client) -> None:
    table = People(client, seats=3, players=0)
    assert table.post("/seats", body={"name": "  Zoe\u0301 "}).json()["name"] == "Zo\u00e9"
    problem(table.post("/seats", body={"name": "ZO\u00c9"}), 409, "name_taken")
    twice = client.post("/v1/games", json={"seats": 2, "players": ["ann", "ANN"]})
    problem(twice, 409, "name_taken")


@pytest.mark.parametrize("name", ["\uff21\uff4e\uff4e", "An\ufe0fn", "\u1d2c\u207f\u207f"])
def test_names_differ_by_more_than_their_form(fresh: Client, name: str) -> None:
    table = People(fresh, seats=3, players=1)
    problem(table.post("/seats", body={"name": name}), 409, "name_taken")
    problem(fresh.post("/v1/games", json={"seats": 2, "players": ["Ann", name]}), 409, "name_taken")
    assert [entry["id"] for entry in fresh.get("/v1/games", params={"player": name}).json()["items"]] == [table.id]
    assert table.post("/seats", body={"name": "Bob"}).json()["seat"] == 1


def test_the_host_starts_before_every_seat_is_taken(client: Client) -> None:
    table = People(client, seats=5, players=1)
    problem(table.post("/start", table.host), 409, "too_few_players")
    table.post("/seats", body={"name": "Bob"})
    problem(table.post("/start", table.tokens[0]), 403, "host_only")
    problem(table.post("/start"), 401, "token_missing")
    started = table.post("/start", table.host)
    assert started.status_code == 200
    assert started.json()["summary"]["status"] == "playing"
    assert len(started.json()["summary"]["seats"]) == 2
    problem(table.post("/start", table.host), 409, "already_started")


def test_nobody_can_join_a_closed_table(client: Client) -> None:
    table = People(client, seats=3, players=2)
    assert table.post("/close", table.host).json()["summary"]["closed"] is True
    problem(table.post("/seats", body={"name": "Cem"}), 409, "table_closed")
    assert table.post("/start", table.host).status_code == 200


def test_options_for_a_full_table_may_not_fit_fewer_players(client: Client) -> None:
    table = People(client, seats=3, players=2, first_player=2)
    details = problem(table.post("/start", table.host), 409, "options_unfit")
    assert details["rule"] == "R2.1"
    assert table.seen()["status"] == "open"
    assert table.post("/seats", body={"name": "Cem"}).json()["game"]["first_player"] == 2


def test_a_deleted_table_is_gone(fresh: Client) -> None:
    table = People(fresh, seats=3, players=1)
    problem(fresh.delete(table.path, headers=bearer(table.tokens[0])), 403, "host_only")
    gone = fresh.delete(table.path, headers=bearer(table.host))
    assert (gone.status_code, gone.content) == (204, b"")
    problem(table.get(), 404, "game_not_found")
    problem(table.post("/seats", body={"name": "Bob"}), 404, "game_not_found")
    assert fresh.get("/v1/games").json()["items"] == []
    problem(fresh.delete(table.path, headers=bearer(table.host)), 404, "game_not_found")


def test_a_started_game_cannot_be_deleted(client: Client) -> None:
    table = People(client)
    problem(client.delete(table.path, headers=bearer(table.host)), 409, "already_started")


def test_before_the_start_the_board_is_public_but_nobody_can_move(client: Client) -> None:
    table = People(client, seats=3, players=1)
    problem(table.post("/moves", table.tokens[0], {"type": "choose_town", "town": "pueblo"}), 409, "not_started")
    problem(table.post("/preview", body={"type": "end_turn"}), 409, "not_started")
    problem(table.get("/record"), 409, "not_started")
    assert table.seen("/legal-moves")["items"] == []
    assert len(table.seen("/board")["places"]) == 45
    assert table.seen("/history")


def test_the_lobby_filters_by_status_and_player(fresh: Client) -> None:
    waiting, playing, over = People(fresh, 3, 1), People(fresh), People(fresh)
    over.do({"type": "resign"})

    def ids(**query: str) -> list[str]:
        return [game["id"] for game in fresh.get("/v1/games", params=query).json()["items"]]

    assert ids() == [over.id, playing.id, waiting.id]
    assert ids(status="open") == [waiting.id]
    assert ids(status="playing") == [playing.id]
    assert ids(status="finished") == [over.id]
    assert ids(player="bOB") == [over.id, playing.id]
    assert ids(player="bOB", status="finished") == [over.id]
    assert ids(player="Bo") == []


def test_a_whole_game_is_played_over_http(client: Client) -> None:
    table = People(client, seats=3, undo="off")
    table.play()
    summary = table.seen()
    assert summary["status"] == "finished"
    assert summary["to_play"] is None
    scores = table.seen("/scores")
    assert scores["winners"] == summary["winners"]
    best = max(player["influence"] for player in scores["players"])
    assert all(scores["players"][seat]["influence"] == best for seat in summary["winners"])
    audit = table.seen("/audit")
    assert audit == {"ok": True, "events": table.version, "chain_ok": True, "replay_ok": True, "first_difference": None}
    problem(table.do({"type": "end_turn"}, seat=0), 409, "game_over")


def test_a_move_returns_its_events_and_the_new_summary(client: Client) -> None:
    table = People(client)
    before = table.version
    action = table.moves()[0]
    moved = table.do(action).json()
    assert [event["version"] for event in moved["events"]] == list(range(before + 1, moved["version"] + 1))
    assert moved["events"][0]["type"] == "action_taken"
    assert moved["events"][0]["action"] == action
    assert moved["summary"] == table.seen()
    assert table.seen("/events", params={"after": before})["items"] == moved["events"]


def test_a_refused_action_has_rule_needed_and_had(client: Client) -> None:
    table = People(client)
    details = problem(table.do({"type": "choose_town", "town": "chicago"}), 409, "illegal_action")
    assert (details["rule"], details["reason"]) == ("R2.3", "not_a_town")
    details = problem(table.do({"type": "keep_boom"}, seat=1 - table.to_play), 409, "not_your_turn")
    assert details["needed"] == {"seat": table.to_play}
    assert details["had"] == {"seat": 1 - table.to_play}


def test_a_preview_shows_a_whole_turn_and_stores_nothing(client: Client) -> None:
    table = People(client)
    version, towns = table.version, table.moves()
    preview = table.post("/preview", body=[towns[0], towns[1]]).json()
    assert [step["action"] for step in preview["steps"]] == towns[:2]
    assert preview["refused"] is None
    single = table.post("/preview", body=towns[0]).json()
    assert len(single["steps"]) == 1
    wrong = table.post("/preview", body=[towns[0], towns[0], towns[1]]).json()
    assert len(wrong["steps"]) == 1
    assert wrong["refused"]["index"] == 1
    assert table.version == version
    assert table.moves() == towns


def test_a_fork_is_an_independent_game(client: Client) -> None:
    table = People(client)
    begun = table.version
    table.play(6)
    fork = client.post(f"{table.path}/fork", json={"at": begun})
    assert fork.status_code == 201
    body = fork.json()
    assert body["game"]["forked_from"] == {"game": table.id, "version": begun}
    assert body["game"]["phase"] == "towns"
    assert len(body["seats"]) == 2
    assert client.get(f"/v1/games/{body['game']['id']}/audit").json()["ok"]
    problem(client.post(f"{table.path}/fork", json={"at": 10_000}), 404, "version_not_found")
    problem(client.post(f"{table.path}/fork", json={"at": 2}), 409, "not_a_boundary")
    newest = client.post(f"{table.path}/fork")
    assert newest.json()["game"]["forked_from"]["version"] == table.version


def test_a_record_is_imported_and_played_on(client: Client) -> None:
    table = People(client)
    table.play(8)
    record = table.get("/record")
    assert table.host not in record.text
    assert not any(token in record.text for token in table.tokens.values())
    brought = client.post("/v1/records", content=record.content, headers={"content-type": "application/json"})
    assert brought.status_code == 201, brought.text
    copy = brought.json()
    assert [seat["name"] for seat in copy["seats"]] == list(NAMES[:2])
    view = client.get(f"/v1/games/{copy['game']['id']}/board").json()
    assert view | {"version": table.version} == table.seen("/board")
    changed = record.text.replace('"Ann"', '"Eve"')
    refused = client.post("/v1/records", content=changed, headers={"content-type": "application/json"})
    problem(refused, 422, "record_rejected")
    hidden = record.text.replace('"Ann"', '"\\u202eAnn"')
    refused = client.post("/v1/records", content=hidden, headers={"content-type": "application/json"})
    problem(refused, 422, "record_rejected")


def test_a_record_is_imported_as_a_private_game(fresh: Client) -> None:
    table = People(fresh)
    record = table.get("/record").json()
    brought = fresh.post("/v1/records", params={"private": "true"}, json=record)
    assert brought.status_code == 201, brought.text
    path = f"/v1/games/{brought.json()['game']['id']}"
    assert [entry["id"] for entry in fresh.get("/v1/games").json()["items"]] == [table.id]
    problem(fresh.get(path), 401, "token_missing")
    assert fresh.get(path, headers=bearer(brought.json()["host_token"])).json()["options"]["private"]
    for neither in ("True", "1", "yes", ""):
        problem(fresh.post("/v1/records", params={"private": neither}, json=record), 400, "invalid_parameter")


def test_a_record_with_impossible_times_is_refused(client: Client) -> None:
    """A typed client could no longer read the lobby."""
    record = People(client).get("/record").json()
    for event in record["events"]:
        event["at"] = "2026-02-30T25:61:61.000000Z"
    events = rechain(record["game"], map(msgspec.json.encode, record["events"]))
    record["events"] = [msgspec.json.decode(event) for event in events]
    details = problem(client.post("/v1/records", json=record), 422, "record_rejected")
    assert details["detail"] == "event 1: at is 2026-02-30T25:61:61.000000Z, which is not a valid time"


def test_every_view_can_be_read_at_an_earlier_version(client: Client) -> None:
    table = People(client)
    kept: dict[tuple[str, int], str] = {}
    for step in range(6):
        table.play(1, seed=step)
        for view in ("", "/board", "/scores", "/legal-moves", "/history"):
            kept[view, table.version] = table.get(view).text
    for (view, version), text in kept.items():
        again = table.get(view, params={"at": version})
        assert again.text == text, view
        assert again.headers["etag"] == f'"{version}"'
    problem(table.get("/board", params={"at": 10_000}), 404, "version_not_found")


def test_the_map_has_everything_to_draw_it(client: Client) -> None:
    assert [board["id"] for board in client.get("/v1/boards").json()["items"]] == ["usa-1960s"]
    board = client.get("/v1/boards/usa-1960s").json()
    assert (len(board["places"]), len(board["links"]), len(board["regions"])) == (45, 107, 10)
    problem(client.get("/v1/boards/moon"), 404, "board_not_found")


def test_an_unknown_game_is_not_found_by_any_operation(client: Client) -> None:
    for view in ("", "/board", "/scores", "/legal-moves", "/history", "/events", "/audit", "/record"):
        problem(client.get(f"/v1/games/{NOWHERE}{view}"), 404, "game_not_found")
        problem(client.get(f"/v1/games/not-a-uuid{view}"), 404, "game_not_found")
    for action in ("moves", "undo", "redo", "undo/answer", "start", "close", "seats/0/token", "fork", "preview"):
        body = (
            {"accept": True}
            if action == "undo/answer"
            else {"type": "resign"}
            if action in ("moves", "preview")
            else {}
        )
        problem(client.post(f"/v1/games/{NOWHERE}/{action}", json=body), 404, "game_not_found")
    problem(client.post(f"/v1/games/{NOWHERE}/seats", json={"name": "Ann"}), 404, "game_not_found")
