"""Absent players: claims, returns, handovers and missed deadlines, as clients see them (R14)."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from httpx import Client, Response

from api.app import create_app
from api.bots.runner import BotRunner
from api.cli import main
from api.operations import streams
from tests.api.people import LIMIT, People, bearer, clock_shifted, late_table, problem, serving, settings
from tests.api.server import client_of, running
from tests.api.sse import Event, Stream, following
from tests.store.clients import connected
from tests.support.waiting import until

ANN, BOB, CEM = range(3)
DETROIT = {"type": "expand", "path": ["indianapolis", "detroit"]}
END_TURN = {"type": "end_turn"}
KEY = "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of a server without bot processes, where a stand-in decides nothing."""
    with serving(bot_workers=0) as client:
        yield client


def claim(table: People, token: str, seat: int = ANN) -> Response:
    return table.post("/absence", token, {"seat": seat})


def come_back(table: People, token: str) -> Response:
    return table.client.delete(f"{table.path}/absence", headers=bearer(token))


def hand_over(table: People, name: str = "Zoe", seat: int = ANN, **headers: str) -> Response:
    return table.post(f"/seats/{seat}/handover", table.host, {"name": name}, **headers)


def stand_ins(table: People) -> list[str | None]:
    return [seat["stand_in"] for seat in table.seen()["seats"]]


def absent(client: Client, **options: Any) -> People:
    """A table at which a bot plays for Ann."""
    table = late_table(client, **options)
    assert claim(table, table.host).status_code == 200
    return table


# --- claims and returns ----------------------------------------------------------------------------------------------


def test_options_and_deadline_are_shown(client: Client) -> None:
    table = People(client, turn_limit=90, absent="bot")
    seen = table.seen()
    assert (seen["options"]["turn_limit"], seen["options"]["absent"]) == (90, "bot")
    assert seen["deadline"] > seen["waiting_since"]
    (entry,) = (item for item in client.get("/v1/games").json()["items"] if item["id"] == table.id)
    assert entry["deadline"] == seen["deadline"]
    assert entry["options"] == seen["options"]
    assert People(client).seen()["deadline"] is None


def test_it_is_not_the_turn_of_a_player_for_whom_a_bot_plays(client: Client) -> None:
    """R14.2."""
    table = absent(client)
    (found,) = client.post("/v1/seats/lookup", json={"tokens": [table.tokens[ANN]]}).json()["items"]
    assert (found["seat"], found["my_turn"]) == (ANN, False)
    assert come_back(table, table.tokens[ANN]).status_code == 200
    (found,) = client.post("/v1/seats/lookup", json={"tokens": [table.tokens[ANN]]}).json()["items"]
    assert found["my_turn"]


@pytest.mark.parametrize("options", [{"turn_limit": 59}, {"turn_limit": 2_592_001}, {"absent": "pass"}])
def test_other_options_are_refused(client: Client, options: dict[str, Any]) -> None:
    problem(client.post("/v1/games", json={"seats": 2, "options": options}), 400, "invalid_body")


def test_nobody_is_claimed_before_the_deadline(client: Client) -> None:
    table = People(client, turn_limit=60, start="introductory")
    refused = problem(claim(table, table.tokens[BOB]), 409, "not_absent")
    assert refused["needed"] == {"at": table.seen()["deadline"]}
    assert refused["had"]["now"] < refused["needed"]["at"]
    assert refused["rule"] == "R14.2"
    problem(claim(People(client), People(client).host), 403, "foreign_token")


@pytest.mark.parametrize("by", ["host", "seat"])
def test_the_host_or_another_player_lets_a_bot_play(client: Client, by: str) -> None:
    table = late_table(client)
    version = table.version
    claimed = claim(table, table.host if by == "host" else table.tokens[BOB])
    assert claimed.status_code == 200
    (event,) = claimed.json()["events"]
    assert (event["type"], event["seat"], event["bot"], event["by"]) == ("seat_left_to_bot", ANN, "greedy", by)
    assert claimed.headers["etag"] == f'"{version + 1}"'
    assert stand_ins(table) == ["greedy", None]
    assert claim(table, table.tokens[BOB]).json()["events"] == []
    assert table.version == version + 1


def test_only_those_who_have_to_decide_are_claimed(client: Client) -> None:
    table = late_table(client, seats=3, bots=["random"])
    problem(claim(table, table.host, BOB), 409, "not_absent")
    problem(claim(table, table.host, 2), 409, "bot_seat")
    problem(claim(table, table.host, 4), 404, "unknown_seat")
    problem(claim(table, table.tokens[ANN]), 409, "not_absent")
    problem(claim(table, ""), 401, "token_missing")
    assert stand_ins(table) == [None] * 3


def test_a_player_comes_back(client: Client) -> None:
    table = absent(client)
    problem(come_back(table, table.host), 403, "players_only")
    assert come_back(table, table.tokens[BOB]).json()["events"] == []
    (event,) = come_back(table, table.tokens[ANN]).json()["events"]
    assert (event["type"], event["seat"]) == ("seat_taken_back", ANN)
    assert stand_ins(table) == [None, None]
    assert come_back(table, table.tokens[ANN]).json()["events"] == []
    problem(claim(table, table.host), 409, "not_absent")
    with clock_shifted(LIMIT):
        assert claim(table, table.host).is_success


def test_any_action_brings_a_player_back(client: Client) -> None:
    table = absent(client)
    types = [event["type"] for event in table.do(DETROIT, ANN).json()["events"]]
    assert types[:2] == ["seat_taken_back", "action_taken"]
    assert stand_ins(table) == [None, None]
    notes = [note["text"] for note in table.seen("/history")["notes"]]
    assert notes == ["Ann is absent: a greedy bot plays for them.", "Ann is back."]
    assert table.seen("/audit")["ok"]


def test_each_refused_request_leaves_the_bot_in_the_seat(client: Client) -> None:
    table = absent(client)
    problem(table.do({"type": "increase", "city": "new-york"}, ANN), 409, "illegal_action")
    problem(table.post("/redo", table.tokens[ANN]), 409, "nothing_to_redo")
    assert stand_ins(table) == ["greedy", None]


# --- seats that are handed over --------------------------------------------------------------------------------------


def test_a_seat_is_handed_over(client: Client) -> None:
    table = late_table(client)
    refused = problem(hand_over(table), 409, "not_absent")
    assert refused["rule"] == "R14.5"
    assert claim(table, table.host).is_success
    problem(hand_over(table, "BOB"), 409, "name_taken")
    problem(hand_over(table, "\u0007"), 400, "invalid_name")
    problem(table.post("/seats/0/handover", table.tokens[BOB], {"name": "Zoe"}), 403, "host_only")
    response = hand_over(table)
    assert response.status_code == 201
    seat = response.json()
    assert (seat["seat"], seat["name"]) == (ANN, "Zoe")
    assert stand_ins(table) == [None, None]
    old, table.tokens[ANN] = table.tokens[ANN], seat["token"]
    assert table.do(DETROIT, ANN).status_code == 200
    assert table.seen("/history")["notes"][-1]["text"] == "Zoe takes the seat of Ann."
    problem(table.post("/moves", old, END_TURN), 401, "token_unknown")
    assert table.seen("/audit")["ok"]


def test_a_former_holder_cannot_return(client: Client) -> None:
    table = late_table(client)
    first = table.tokens[ANN]
    renewed = table.post("/seats/0/token", first, {}).json()["token"]
    assert claim(table, table.host).is_success
    new = hand_over(table).json()["token"]
    for token in (first, renewed):
        for path, body in (
            ("/moves", END_TURN),
            ("/undo", {}),
            ("/absence", {"seat": BOB}),
            ("/seats/0/token", {}),
            ("/rematch", {}),
        ):
            problem(table.post(path, token, body), 401, "token_unknown")
        problem(come_back(table, token), 401, "token_unknown")
        assert client.post("/v1/seats/lookup", json={"tokens": [token]}).json()["items"] == [None]
    assert table.post("/moves", new, {"type": "resign"}).is_success
    for token in (first, renewed):
        problem(table.post("/rematch", token, {}), 401, "token_unknown")
    assert table.post("/rematch", new, {}).status_code == 201


def test_a_repeated_renewal_after_a_handover_opens_nothing(client: Client) -> None:
    table = late_table(client)
    first = table.tokens[ANN]
    renewed = table.post("/seats/0/token", first, {}, idempotency_key=KEY).json()["token"]
    assert claim(table, table.host).is_success
    assert hand_over(table).is_success
    again = table.post("/seats/0/token", first, {}, idempotency_key=KEY)
    assert again.json()["token"] == renewed
    problem(table.post("/moves", renewed, END_TURN), 401, "token_unknown")


def test_a_repeated_handover_returns_the_same_token(client: Client) -> None:
    table = absent(client)
    first, again = (hand_over(table, idempotency_key=KEY) for _ in range(2))
    assert (first.status_code, first.content) == (again.status_code, again.content)
    table.tokens[ANN] = first.json()["token"]
    assert table.do(END_TURN, ANN).is_success
    problem(hand_over(table, "Max", idempotency_key=KEY), 422, "key_reused")


def test_copies_of_games_with_absent_players_pass_their_audit(client: Client) -> None:
    table = absent(client, undo="free")
    assert hand_over(table).is_success
    record = client.get(f"{table.path}/record").json()
    for copy in (client.post("/v1/records", json=record), table.post("/fork", body={})):
        assert copy.status_code == 201, copy.text
        assert client.get(f"/v1/games/{copy.json()['game']['id']}/audit").json()["ok"]


def test_the_command_line_audits_games_with_absent_players(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url, bot_workers=0) as client:
        assert hand_over(absent(client)).is_success
        assert absent(client).do(END_TURN, ANN).is_success
    assert main(["audit", "--all", "--database", url]) == 0
    assert "all is well" in capsys.readouterr().out


# --- the server ------------------------------------------------------------------------------------------------------


def test_a_table_with_one_silent_person_reaches_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.app.BotRunner", partial(BotRunner, patience=0))
    with serving(bot_seconds=0.02) as client:
        table = late_table(client, absent="bot")
        until(lambda: stand_ins(table) == ["greedy", None])
        del table.tokens[ANN]
        assert table.play_with_bots()["status"] == "finished"
        assert table.seen("/audit")["ok"]


def test_a_new_server_first_lets_players_come_back() -> None:
    with serving(bot_seconds=0.02) as client:
        table, with_bot = late_table(client, absent="bot"), People(client, bots=["greedy"], start="introductory")
        assert with_bot.do(END_TURN, ANN).is_success
        until(lambda: with_bot.to_play == ANN)
        assert stand_ins(table) == [None, None]


# --- streams ---------------------------------------------------------------------------------------------------------


class Site(NamedTuple):
    """A server, and an application in this process on the same database, whose clock a test can shift."""

    url: str
    client: Client
    local: Client

    def follow(self, path: str, token: str = "") -> Stream:
        return Stream(self.url + path, token=token)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    database = f"sqlite:///{tmp_path_factory.mktemp('absence')}/games.db"
    with ExitStack() as stack:
        server = stack.enter_context(running(database, bot_workers="0", heartbeat="60", log_level="error"))
        client = stack.enter_context(client_of(server.url))
        yield Site(server.url, client, stack.enter_context(serving(database_url=database, bot_workers=0)))


def is_lapsed(event: Event) -> bool:
    return event.name == "lapsed"


def lapsed(table: People, *seats: int) -> list[dict[str, Any]]:
    """The data of the events that a new client gets now."""
    seen = table.get("", table.host).json()
    common = {"game": table.id, "version": seen["version"]}
    return [{**common, "seat": seat, "deadline": seen["deadline"]} for seat in seats]


def of_game(table: People) -> str:
    return f"{table.path}/stream"


def of_page(table: People) -> str:
    return f"/v1/stream?game={table.id}"


PATHS = pytest.mark.parametrize("path", [of_game, of_page])


@PATHS
@pytest.mark.parametrize("private", [False, True])
def test_a_stream_tells_once_when_a_deadline_passes(site: Site, path: Callable[[People], str], private: bool) -> None:
    table = late_table(site.local, -0.5, private=private, undo="free")
    token = table.host if private else ""
    with site.follow(path(table), token) as first:
        event = first.until(is_lapsed)[-1]
        assert [event.json()] == lapsed(table, ANN)
        assert event.id == first.last_event_id
        assert table.do(DETROIT, ANN).is_success
        with site.follow(path(table), token) as second:
            assert [second.until(is_lapsed)[-1].json()] == lapsed(table, ANN)
            assert table.do(END_TURN, ANN).is_success
            version = str(table.get("", table.host).json()["version"])

            def is_last(event: Event) -> bool:
                return event.name != "lapsed" and str(event.json()["version"]) == version

            for stream in (first, second):
                assert not any(map(is_lapsed, stream.until(is_last)))


@PATHS
def test_a_client_that_reconnects_is_told_again(site: Site, path: Callable[[People], str]) -> None:
    table = late_table(site.local)
    with site.follow(path(table)) as stream:
        stream.until(is_lapsed)
        position = stream.position()
    with Stream(site.url + path(table), last_event_id=position) as again:
        assert [again.until(is_lapsed)[-1].json()] == lapsed(table, ANN)
        assert again.last_event_id == position


@PATHS
def test_each_player_who_has_to_answer_is_named_once(site: Site, path: Callable[[People], str]) -> None:
    with clock_shifted(-LIMIT - 5):
        table = People(site.local, seats=3, start="introductory", turn_limit=LIMIT, undo="agree")
        assert table.do(END_TURN, ANN).is_success
        assert table.post("/undo", table.tokens[ANN], {}).is_success
    with site.follow(path(table)) as stream:
        found = [event.json() for _ in (BOB, CEM) for event in stream.until(is_lapsed) if is_lapsed(event)]
        assert found == lapsed(table, BOB, CEM)
        assert claim(table, table.host, BOB).is_success
        assert table.post("/undo/answer", table.tokens[CEM], {"accept": False}).is_success
        version = table.version
        later = stream.until(lambda event: event.name != "lapsed" and event.json()["version"] == version)
        assert not any(map(is_lapsed, later))


def test_an_idle_stream_of_a_late_table_waits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nobody is late while a bot stands in; after the deadline and after the event, a stream only sends heartbeats."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url, bot_workers=0) as client:
        told, nobody = late_table(client), absent(client)
    asked, seconds_until = list[str | None](), streams.seconds_until

    def counting(deadline: str | None) -> float:
        asked.append(deadline)
        return seconds_until(deadline)

    async def scene(path: str) -> list[str]:
        app = create_app(settings(database_url=url, bot_workers=0))
        async with app.lifespan():
            app.state["heartbeat"] = 0.05
            async with following(app, path) as stream:
                return [(await stream.next()).name for _ in range(6)]

    for module in ("streams", "lobby_stream"):
        monkeypatch.setattr(f"api.operations.{module}.seconds_until", counting)
    for table, first in ((told, ["lapsed"]), (nobody, [])):
        for path in (of_game(table), of_page(table)):
            names = asyncio.run(scene(path))
            entry = ["game"] if path == of_page(table) else []
            assert names == (entry + first + ["heartbeat"] * 6)[:6]
    assert len(asked) < 400


def test_a_stream_is_right_after_a_restart(tmp_path: Path) -> None:
    """Nothing has to be remembered: deadlines follow from the events."""
    url = f"sqlite:///{tmp_path}/games.db"
    with serving(database_url=url, bot_workers=0) as client:
        table = late_table(client, -1)
        deadline = table.seen()["deadline"]
    with connected(url) as store:
        assert store.lobby().items[0].deadline == deadline
    with running(url, bot_workers="0") as server, Stream(f"{server.url}{of_game(table)}") as stream:
        assert stream.until(is_lapsed)[-1].json()["deadline"] == deadline
