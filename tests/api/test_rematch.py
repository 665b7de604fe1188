"""Rematches: the players of a finished game meet at a new table, without accounts and without being told its id."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response

from tests.api.people import People, bearer, problem, serving
from tests.api.server import client_of, running

RESIGN = {"type": "resign"}


def finished(client: Client, **options: Any) -> People:
    """Return a table whose game is over: all but the last person resign."""
    table = People(client, **options)
    for seat in list(table.tokens)[:-1] or table.tokens:
        assert table.post("/moves", table.tokens[seat], RESIGN).status_code == 200
    if table.seen(token=table.host)["status"] != "finished":
        table.post("/moves", table.tokens[max(table.tokens)], RESIGN)
    return table


def ask(table: People, token: str, status: int = 200) -> Any:
    response = table.post("/rematch", token)
    assert response.status_code == status, response.text
    return response.json()


def audited(client: Client, game: str, token: str = "") -> bool:
    return bool(client.get(f"/v1/games/{game}/audit", headers=bearer(token)).json()["ok"])


def test_the_players_meet_at_one_table_and_play_begins_when_all_have_asked(client: Client) -> None:
    table = finished(client, seats=3, start="introductory", undo="agree", modules={"boom": True})
    first = ask(table, table.tokens[2], 201)
    game = first["game"]
    assert (game["status"], first["seat"]) == ("open", 2)
    assert game["rematch_of"] == {"game": table.id, "version": table.seen("/events?limit=1000")["version"] - 1}
    old, new = table.seen()["options"], game["options"]
    assert new == old | {"seed": None, "first_player": 1}, "the next seat clockwise begins"
    assert [(seat["name"], seat["colour"], seat["reserved"]) for seat in game["seats"]] == [
        (seat["name"], seat["colour"], seat["seat"] != 2) for seat in table.seen()["seats"]
    ]
    problem(client.post(f"/v1/games/{game['id']}/seats", json={"name": "Zoe"}), 409, "table_full")
    second, third = (ask(table, table.tokens[seat]) for seat in (0, 1))
    assert second["game"]["id"] == third["game"]["id"] == game["id"]
    assert (second["game"]["status"], third["game"]["status"]) == ("open", "playing")
    assert third["game"]["first_player"] == third["game"]["to_play"] == 1
    played = client.post(f"/v1/games/{game['id']}/moves", json=RESIGN, headers=bearer(third["token"]))
    assert played.json()["events"][0]["seat"] == 1
    assert audited(client, game["id"])
    assert audited(client, table.id)


def test_the_two_games_are_linked_in_summary_history_and_record(client: Client) -> None:
    table = finished(client)
    game = ask(table, table.tokens[0], 201)["game"]["id"]
    ask(table, table.tokens[1])
    assert table.seen()["rematch"] == game
    assert [note["text"] for note in table.seen("/history")["notes"]] == ["A rematch was opened."]
    rematched = table.seen("/record")["events"][-1]
    assert (rematched["type"], rematched["game"]) == ("rematched", game)
    opened = client.get(f"/v1/games/{game}/record").json()["events"][0]
    assert opened["rematch_of"] == client.get(f"/v1/games/{game}").json()["rematch_of"]
    for each in (table.id, game):
        record = client.get(f"/v1/games/{each}/record").content
        copy = client.post("/v1/records", content=record, headers={"content-type": "application/json"})
        assert copy.status_code == 201, copy.text
        assert audited(client, copy.json()["game"]["id"])


def test_a_repeated_request_returns_the_same_token(client: Client) -> None:
    table = finished(client)
    first = ask(table, table.tokens[0], 201)
    again = ask(table, table.tokens[0])
    assert again["token"] == first["token"]
    assert again["game"] == first["game"]
    ask(table, table.tokens[1])
    assert ask(table, table.tokens[0])["token"] == first["token"], "during the game, too"


def test_a_new_token_that_was_renewed_does_not_come_back(client: Client) -> None:
    table = finished(client)
    first = ask(table, table.tokens[0], 201)
    path = f"/v1/games/{first['game']['id']}/seats/0/token"
    assert client.post(path, headers=bearer(first["token"])).status_code == 201
    problem(table.post("/rematch", table.tokens[0]), 401, "token_unknown")


def test_only_players_and_the_host_of_a_finished_game_can_ask(client: Client) -> None:
    playing, table, other = People(client), finished(client), finished(client)
    problem(playing.post("/rematch", playing.tokens[0]), 409, "not_finished")
    problem(table.post("/rematch"), 401, "token_missing")
    problem(table.post("/rematch", other.tokens[0]), 403, "foreign_token")
    spectator = table.post("/spectators", table.host).json()["token"]
    problem(table.post("/rematch", spectator), 403, "host_only")
    assert table.seen()["rematch"] is None


def test_a_rematch_of_a_private_game_is_private(client: Client) -> None:
    table = finished(client, private=True)
    game = ask(table, table.tokens[0], 201)["game"]["id"]
    problem(client.get(f"/v1/games/{game}"), 401, "token_missing")


def test_the_host_gets_a_token_replaces_absent_players_and_starts(client: Client) -> None:
    table = finished(client, seats=4, invite=True)
    host = ask(table, table.host, 201)
    assert (host["seat"], "token" in host) == (None, False)
    assert ask(table, table.host)["host_token"] == host["host_token"]
    path, token = f"/v1/games/{host['game']['id']}", bearer(host["host_token"])
    ask(table, table.tokens[0])
    assert client.delete(f"{path}/seats/1", headers=token).status_code == 204
    problem(table.post("/rematch", table.tokens[1]), 401, "token_unknown")
    joined = client.post(f"{path}/seats", json={"name": "Zoe", "invite": host["invite"]})
    assert joined.status_code == 201
    assert joined.json()["game"]["status"] == "open", "two players have not asked yet"
    started = client.post(f"{path}/start", headers=token).json()
    assert [seat["name"] for seat in started["summary"]["seats"]] == ["Ann", "Zoe"]
    assert ask(table, table.tokens[0])["seat"] == 0
    problem(table.post("/rematch", table.tokens[3]), 401, "token_unknown")
    assert audited(client, host["game"]["id"])


def test_the_host_gets_no_token_of_a_reserved_seat(client: Client) -> None:
    """After the start it would open the seat of the player who moves there."""
    table = finished(client, seats=3)
    host = ask(table, table.host, 201)
    path, token = f"/v1/games/{host['game']['id']}", bearer(host["host_token"])
    problem(client.post(f"{path}/seats/1/token", headers=token), 404, "unknown_seat")
    claimed = ask(table, table.tokens[1])
    renewed = client.post(f"{path}/seats/1/token", headers=token).json()
    lookup = client.post("/v1/seats/lookup", json={"tokens": [claimed["token"], renewed["token"]]}).json()["items"]
    assert (lookup[0], lookup[1]["seat"]) == (None, 1)


def test_players_who_move_to_lower_seats_at_the_start_find_them_again(client: Client) -> None:
    table = finished(client, seats=3)
    host = ask(table, table.host, 201)
    before = [ask(table, table.tokens[seat]) for seat in (1, 2)]
    started = client.post(f"/v1/games/{host['game']['id']}/start", headers=bearer(host["host_token"]))
    assert [seat["name"] for seat in started.json()["summary"]["seats"]] == ["Bob", "Cem"]
    after = [ask(table, table.tokens[seat]) for seat in (1, 2)]
    assert [each["seat"] for each in after] == [0, 1]
    assert [each["token"] for each in after] == [each["token"] for each in before]
    assert audited(client, host["game"]["id"])


@pytest.mark.parametrize(
    ("away", "begins"), [([], "Cem"), ([1], "Cem"), ([0, 1], "Cem"), ([2], "Dora"), ([2, 3], "Ann")]
)
def test_the_next_player_begins_if_players_are_away(client: Client, away: list[int], begins: str) -> None:
    table = finished(client, seats=4, first_player=1)
    host = ask(table, table.host, 201)
    path, token = f"/v1/games/{host['game']['id']}", bearer(host["host_token"])
    for seat in {0, 1, 2, 3} - set(away):
        ask(table, table.tokens[seat])
    started = client.post(f"{path}/start", headers=token)
    assert started.status_code == (200 if away else 409)
    game = client.get(path).json()
    assert game["seats"][game["first_player"]]["name"] == begins
    assert audited(client, game["id"])


@pytest.mark.parametrize("bot", [0, 1, 2])
def test_bots_sit_down_again_and_the_game_begins_with_the_last_person(client: Client, bot: int) -> None:
    players: list[Any] = ["Ann", "Bob"]
    players.insert(bot, {"bot": "greedy"})
    options = {"seed": 1, "first_player": 0, "start": "introductory"}
    created = client.post("/v1/games", json={"seats": 3, "players": players, "options": options}).json()
    path, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["seats"]]
    for token in tokens:
        assert client.post(f"{path}/moves", json=RESIGN, headers=bearer(token)).status_code == 200
    first, second = (client.post(f"{path}/rematch", headers=bearer(token)).json()["game"] for token in tokens)
    assert (first["status"], second["status"]) == ("open", "playing")
    assert [seat["bot"] for seat in second["seats"]].index("greedy") == bot
    assert audited(client, second["id"])


def test_the_host_of_a_hot_seat_asks_for_all(client: Client) -> None:
    table = finished(client, seats=3, hot_seat=True)
    host = ask(table, table.host, 201)
    assert host["game"]["status"] == "playing"
    path, token = f"/v1/games/{host['game']['id']}", bearer(host["host_token"])
    assert client.post(f"{path}/moves", json=RESIGN, headers=token).status_code == 200
    assert audited(client, host["game"]["id"])


def test_a_rematch_that_begins_at_once_has_no_invitation_code(client: Client) -> None:
    table = finished(client, hot_seat=True, invite=True, private=True)
    host = ask(table, table.host, 201)
    assert (host["game"]["status"], "invite" in host) == ("playing", False)


def test_an_invitation_code_is_not_returned_once_play_has_begun(client: Client) -> None:
    table = finished(client, invite=True)
    assert "invite" in ask(table, table.host, 201)
    for seat in table.tokens:
        ask(table, table.tokens[seat])
    assert "invite" not in ask(table, table.host)


def test_a_game_that_ends_again_has_another_rematch(client: Client) -> None:
    table = finished(client, undo="free")
    first = ask(table, table.tokens[0], 201)["game"]["id"]
    table.post("/undo", table.host, {})
    problem(table.post("/rematch", table.tokens[0]), 409, "not_finished")
    assert table.seen()["rematch"] == first, "no undo takes it back"
    fork = table.post("/fork").json()["game"]
    assert fork["rematch"] is None
    assert audited(client, fork["id"])
    table.post("/moves", table.tokens[1], RESIGN)
    second = ask(table, table.tokens[0], 201)["game"]["id"]
    assert table.seen()["rematch"] == second != first
    assert table.seen("/audit")["ok"]


def test_a_deleted_rematch_is_followed_by_another_and_a_rematch_by_its_own(client: Client) -> None:
    table = finished(client)
    host = ask(table, table.host, 201)
    deleted = client.delete(f"/v1/games/{host['game']['id']}", headers=bearer(host["host_token"]))
    assert deleted.status_code == 204
    again = [ask(table, table.tokens[seat], status) for seat, status in ((0, 201), (1, 200))]
    assert again[0]["game"]["id"] == again[1]["game"]["id"] != host["game"]["id"]
    path, token = f"/v1/games/{again[0]['game']['id']}", bearer(again[0]["token"])
    client.post(f"{path}/moves", json=RESIGN, headers=token)
    third = client.post(f"{path}/rematch", headers=token)
    assert third.status_code == 201
    assert third.json()["game"]["rematch_of"]["game"] == again[0]["game"]["id"]
    assert third.json()["game"]["options"]["first_player"] == 0


def test_a_game_that_somebody_imported_under_the_id_of_a_rematch_is_not_taken_for_it(tmp_path: Path) -> None:
    with serving() as elsewhere, serving(database_url=f"sqlite:///{tmp_path}/games.db") as here:
        table = finished(elsewhere)
        record = table.get("/record").content
        game = ask(table, table.tokens[0], 201)["game"]["id"]
        ask(table, table.tokens[1])
        forged = elsewhere.get(f"/v1/games/{game}/record").content
        headers = {"content-type": "application/json"}
        copy = here.post("/v1/records", content=record, headers=headers).json()
        taken = here.post("/v1/records", content=forged, headers=headers).json()
        assert (copy["game"]["id"], taken["game"]["id"]) == (table.id, game)
        asked = here.post(f"{table.path}/rematch", headers=bearer(copy["seats"][0]["token"]))
        assert asked.status_code == 201
        assert asked.json()["game"]["id"] != game


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path, postgres_url: str) -> str:
    return f"sqlite:///{tmp_path}/games.db" if request.param == "sqlite" else postgres_url


def test_players_who_ask_at_the_same_moment_in_two_processes_sit_at_one_table(database_url: str) -> None:
    with running(database_url) as one, running(database_url) as other, client_of(one.url) as client:
        for _ in range(3):
            meet(finished(client, seats=4), one.url, other.url)


def meet(table: People, *urls: str) -> None:
    """Let all players ask for a rematch at once, each in both processes."""

    def ask_at(asks: tuple[str, str]) -> Response:
        url, token = asks
        with client_of(url) as anybody:
            return anybody.post(f"{table.path}/rematch", headers=bearer(token))

    with ThreadPoolExecutor(8) as threads:
        asks = [(url, table.tokens[seat]) for seat in table.tokens for url in urls]
        responses = list(threads.map(ask_at, asks))
    assert sorted(response.status_code for response in responses) == [200] * 7 + [201]
    found = [response.json() for response in responses]
    assert len({each["game"]["id"] for each in found}) == 1
    assert len({(each["seat"], each["token"]) for each in found}) == 4
    game = found[0]["game"]["id"]
    assert table.client.get(f"/v1/games/{game}").json()["status"] == "playing"
    claims = table.client.get(f"/v1/games/{game}/events?limit=100").json()["items"]
    assert sorted(event["seat"] for event in claims if event["type"] == "seat_claimed") == [0, 1, 2, 3]
    assert [note["text"] for note in table.seen("/history")["notes"]] == ["A rematch was opened."]


def test_an_undo_leaves_the_claim_of_the_host_in_force(client: Client) -> None:
    table = finished(client, undo="free")
    game = ask(table, table.tokens[0], 201)["game"]["id"]
    ask(table, table.tokens[1])
    before = client.get(f"/v1/games/{game}").json()
    actor = ask(table, table.tokens[before["to_play"]])["token"]
    client.post(f"/v1/games/{game}/moves", json=RESIGN, headers=bearer(actor))
    host = bearer(ask(table, table.host)["host_token"])
    assert client.post(f"/v1/games/{game}/undo", json={"to": before["version"]}, headers=host).status_code == 200
    events = client.get(f"/v1/games/{game}/events?limit=100").json()["items"]
    assert [event["seat"] for event in events if event["type"] == "seat_claimed"] == [0, 1, None]
    assert audited(client, game)
