"""Webhooks: who gets which notice, tries, and endpoints that are switched off."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from time import time
from uuid import UUID

import pytest

from api.webhooks import session
from api.webhooks.delivery import Delivery
from api.webhooks.message import headers_of, signature
from api.webhooks.session import DELAYS
from domain.actions import EndTurn, Expand, Resign
from domain.decide import legal_actions
from domain.modules import Action, GameOptions
from domain.store import Commit, Endpoint, Owner, UnknownApp, UnknownEndpoint, commands
from domain.store.commit import now
from domain.store.webhooks import EVENTS
from tests.api.webhook_receivers import REFUSED, Receiver, replies
from tests.store.clients import Client, connected, database_statements
from tests.support.waiting import soon

ALL = frozenset(EVENTS.values())
QUICK = GameOptions(start="introductory", first_player=0, undo="free")
NAMES = ("Ann", "Bob", "Cid")


class Shifted:
    """A clock that can be set forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time() + self.ahead


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'games.db'}"
    url: str = request.getfixturevalue("postgres_database_url")
    return url


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with connected(url) as client:
        yield client


class Scene:
    """A service whose notices are delivered to a receiver."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.receiver = Receiver()
        self.clock = Shifted()
        self.delivery = Delivery(client.service, self.receiver.post, lease_seconds=1, clock=self.clock)

    def add(self, app: str | None = None, events: frozenset[str] = ALL) -> tuple[str, str]:
        return self.client.wait(self.client.service.webhooks.add(f"https://{app}.example/hook", events, app))

    def endpoint(self, id_: str) -> Endpoint:
        return next(each for each in self.client.wait(self.client.service.webhooks.all()) if each.id == id_)

    def open(self, owner: str | None = None, options: GameOptions = QUICK, refs: dict[int, str] | None = None) -> UUID:
        owned = Owner(owner, refs or {}) if owner else None
        return self.client.wait(self.client.service.open_table(2, NAMES[:2], options, owner=owned)).id

    def resign(self, game: UUID) -> Commit:
        loaded = self.client.load(game).game
        assert loaded is not None
        assert loaded.to_play is not None
        return self.client.change(game, commands.act(loaded.to_play, Resign()))

    def deliver(
        self, condition: Callable[[], object], meanwhile: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """Deliver until a condition is true and the progress is stored."""

        async def run() -> None:
            self.delivery = Delivery(self.client.service, self.receiver.post, lease_seconds=1, clock=self.clock)
            async with self.delivery:
                if meanwhile is not None:
                    await meanwhile()
                await soon(condition)

        self.client.wait(run())

    def deliver_all(self, endpoints: set[str] | None = None) -> None:
        """Deliver until a game that was opened last has arrived at all endpoints, or at some."""
        expected = endpoints or {each.id for each in self.client.wait(self.client.service.webhooks.all())}
        markers: list[str] = []

        async def mark() -> None:
            await soon(lambda: self.delivery.counts.endpoints)
            opened = await self.client.service.open_table(2, NAMES[:2], QUICK)
            markers.append(str(opened.id))

        def arrived() -> set[str]:
            return {got.id.split("_")[1] for got in self.receiver.got if got.data["game"] in markers}

        self.deliver(lambda: expected <= arrived(), mark)
        self.receiver.got = [got for got in self.receiver.got if got.data["game"] not in markers]


@pytest.fixture
def scene(client: Client) -> Scene:
    return Scene(client)


def next_expansion(client: Client, game: UUID) -> Action:
    playing = client.load(game).game
    assert playing is not None
    return next(legal.action for legal in legal_actions(playing) if isinstance(legal.action, Expand))


def test_a_turn_and_an_ending_arrive_signed_and_in_order(scene: Scene) -> None:
    endpoint, secret = scene.add()
    game = scene.open()
    scene.deliver(lambda: scene.receiver.got)
    scene.resign(game)
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    turn, ended = scene.receiver.got
    assert turn.content == {
        "type": "game.turn",
        "timestamp": scene.client.load(game, turn.data["version"]).changed_at,
        "data": {"game": str(game), "version": turn.data["version"], "position": turn.data["position"], "seat": 0},
    }
    assert ended.type == "game.ended"
    assert ended.data["version"] == scene.client.load(game).version
    assert "seat" not in ended.data
    assert turn.id != ended.id
    assert all(got.is_signed_with(secret) for got in (turn, ended))
    assert abs(int(turn.headers["webhook-timestamp"]) - time()) < 60
    assert scene.endpoint(endpoint).stopped is None


def test_the_position_is_that_of_the_events_of_all_games(scene: Scene) -> None:
    scene.add()
    game = scene.open()
    scene.deliver(lambda: scene.receiver.got)
    page = scene.client.wait(scene.client.service.public_events.page(0, 100))
    (position,) = {row.position for row in page.rows[-1:]}
    assert scene.receiver.got[0].data["position"] == position
    assert page.rows[-1].game == game


def test_each_endpoint_gets_its_own_events_only(scene: Scene) -> None:
    scene.add(events=frozenset({"game.ended"}))
    scene.resign(scene.open())
    scene.deliver(lambda: scene.receiver.got)
    assert scene.receiver.types() == ["game.ended"]


def test_games_go_to_those_who_may_see_them(scene: Scene) -> None:
    for name in ("meeple", "other"):
        scene.client.wait(scene.client.service.apps.add(name))
    scene.add()
    scene.add("meeple")
    scene.add("other")
    private = scene.open("meeple", GameOptions(start="introductory", first_player=0, private=True), {0: "user-1"})
    public = scene.open("meeple", refs={0: "user-2"})
    strangers = scene.open()
    scene.deliver(lambda: len(scene.receiver.got) >= 4)
    found = {(got.path.split("/")[2], got.data["game"], got.data.get("ref")) for got in scene.receiver.got}
    assert found == {
        ("meeple.example", str(private), "user-1"),
        ("meeple.example", str(public), "user-2"),
        ("None.example", str(public), None),
        ("None.example", str(strangers), None),
    }


def test_an_application_gets_the_public_games_that_its_users_joined(scene: Scene, url: str) -> None:
    for name in ("meeple", "other"):
        scene.client.wait(scene.client.service.apps.add(name))
    scene.add("meeple")
    game = scene.open("other")
    with database_statements(url) as run:
        run("INSERT INTO refs (game, seat, app, ref) VALUES (?, 1, 'meeple', 'user-1')", game.hex)
    scene.deliver(lambda: scene.receiver.got)
    assert scene.receiver.got[0].data["seat"] == 0
    assert "ref" not in scene.receiver.got[0].data


def test_a_turn_that_is_over_is_left_out(scene: Scene) -> None:
    scene.add()
    game = scene.open()
    for seat in (0, 1):
        scene.client.change(game, commands.act(seat, next_expansion(scene.client, game)))
        scene.client.change(game, commands.act(seat, EndTurn()))
    scene.deliver(lambda: scene.receiver.got)
    assert [(got.type, got.data["seat"]) for got in scene.receiver.got] == [("game.turn", 0)]
    assert scene.receiver.got[0].data["version"] == scene.client.load(game).version


def test_a_proposal_arrives_for_each_seat_that_has_to_answer(scene: Scene) -> None:
    scene.add(events=frozenset({"game.undo_proposed"}))
    options = GameOptions(start="introductory", first_player=0, undo="agree", seed=1)
    game = scene.client.open_table(3, NAMES, options).id
    scene.client.play(game, 1)
    scene.client.change(game, commands.undo(0))
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    assert {got.data["seat"] for got in scene.receiver.got} == {1, 2}
    assert len({got.id for got in scene.receiver.got}) == 2


def test_a_lapse_arrives_once_with_the_position_of_the_turn(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.add(events=frozenset({"game.turn", "game.lapsed"}))
    game = scene.open(options=GameOptions(start="introductory", first_player=0, turn_limit=60))
    scene.deliver(lambda: scene.receiver.got)
    later = f"{now()[:2]}99{now()[4:]}"
    monkeypatch.setattr("domain.store.webhooks.now", lambda: later)
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    scene.deliver_all()
    turn, lapse = scene.receiver.got
    assert lapse.type == "game.lapsed"
    assert lapse.data == turn.data
    assert lapse.content["timestamp"] > turn.content["timestamp"]
    assert scene.client.load(game).progress.deadline == lapse.content["timestamp"]


def test_a_failed_notice_is_tried_again_with_the_same_id_and_holds_back_its_game_only(scene: Scene) -> None:
    scene.add()
    failing, fine = scene.open(), scene.open()
    scene.receiver.answer = lambda got: replies(500 if got.data["game"] == str(failing) else 204)
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    scene.resign(failing)
    scene.resign(fine)
    scene.deliver(lambda: len(scene.receiver.got) == 3)
    assert scene.receiver.types()[-1] == "game.ended"
    scene.clock.ahead += 6
    scene.deliver(lambda: len(scene.receiver.got) == 4)
    assert scene.receiver.got[-1].data["game"] == str(failing)
    scene.receiver.answer = lambda _: replies()
    scene.clock.ahead += 400
    scene.deliver(lambda: len(scene.receiver.got) == 5)
    assert scene.receiver.got[-1].id == scene.receiver.got[-2].id
    assert scene.receiver.types()[-2:] == ["game.ended", "game.ended"]


def test_after_the_last_try_an_endpoint_is_off(
    scene: Scene, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_log", logging.getLogger(__name__))  # servers of other tests set up the usual one
    endpoint, _ = scene.add()
    scene.open()
    scene.receiver.answer = lambda _: REFUSED
    for delay in (*DELAYS[1:], 0):
        assert scene.endpoint(endpoint).stopped is None
        scene.receiver.got.clear()
        scene.deliver(lambda: scene.receiver.got)
        assert len(scene.receiver.got) == 1
        scene.clock.ahead += delay * 1.2
    assert scene.endpoint(endpoint).stopped == "no try has succeeded: connection refused"
    assert scene.delivery.counts.switched_off == 1
    assert "a webhook was switched off" in caplog.messages
    assert scene.endpoint(endpoint).mark is not None


def test_an_endpoint_whose_notices_are_soon_over_is_off_in_the_end(scene: Scene) -> None:
    endpoint, _ = scene.add(events=frozenset({"game.turn"}))
    scene.receiver.answer = lambda _: REFUSED
    scene.open()
    scene.deliver(lambda: scene.receiver.got)
    scene.clock.ahead += sum(DELAYS) + 60
    scene.deliver(lambda: scene.delivery.counts.switched_off)
    assert scene.endpoint(endpoint).stopped is not None


def test_410_switches_an_endpoint_off_at_once(scene: Scene) -> None:
    gone, _ = scene.add()
    other, _ = scene.add()
    scene.receiver.answer = lambda got: replies(410 if gone in got.id else 204)
    scene.open()
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    assert scene.endpoint(gone).stopped == "410 Gone"
    assert scene.endpoint(other).stopped is None


def test_retry_after_is_honoured_for_all_games_of_the_endpoint(scene: Scene) -> None:
    scene.add()
    scene.receiver.answer = lambda _: replies(429, 3600)
    scene.open()
    scene.deliver(lambda: scene.receiver.got)
    scene.open()
    scene.clock.ahead += 3000
    scene.receiver.answer = lambda _: replies()
    other = Scene(scene.client)
    other.add()
    other.receiver, other.clock = scene.receiver, scene.clock
    marker = str(other.open())
    scene.deliver(lambda: marker in {got.data["game"] for got in scene.receiver.got})
    count = len(scene.receiver.got)
    scene.clock.ahead += 700
    scene.deliver(lambda: len(scene.receiver.got) > count)


def test_a_dead_endpoint_stops_reading_and_reads_on_when_it_is_back(scene: Scene) -> None:
    endpoint, _ = scene.add()
    scene.receiver.answer = lambda _: REFUSED
    games = [scene.open() for _ in range(15)]
    scene.deliver(lambda: scene.receiver.got)
    games += [scene.open() for _ in range(15)]
    other, _ = scene.add()
    scene.receiver.answer = lambda got: replies() if other in got.id else REFUSED
    scene.deliver_all({other})
    assert scene.endpoint(endpoint).mark is not None, "it does not keep up"
    assert {got.data["game"] for got in scene.receiver.got if endpoint in got.id} <= set(map(str, games[:15]))
    scene.receiver.answer = lambda _: replies()
    scene.receiver.got.clear()
    scene.clock.ahead += 400
    scene.deliver(lambda: {got.data["game"] for got in scene.receiver.got} >= set(map(str, games)))
    scene.deliver_all()
    assert scene.endpoint(endpoint).mark is None


def test_an_endpoint_that_waits_for_others_reads_on(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.webhooks.lines.MOST_IN_ALL", 4)
    monkeypatch.setattr("api.webhooks.session.MOST_IN_ALL", 4)
    endpoints = {scene.add()[0] for _ in range(6)}
    games = {str(scene.open()) for _ in range(3)}
    expected = {(endpoint, game) for endpoint in endpoints for game in games}
    scene.deliver(lambda: expected == {(got.id.split("_")[1], got.data["game"]) for got in scene.receiver.got})


def test_rotated_secrets_sign_for_a_day(scene: Scene) -> None:
    endpoint, old = scene.add()
    new = scene.client.wait(scene.client.service.webhooks.rotate(endpoint))
    scene.open()
    scene.deliver(lambda: scene.receiver.got)
    assert scene.receiver.got[0].is_signed_with(old)
    assert scene.receiver.got[0].is_signed_with(new)
    scene.clock.ahead += 24 * 3600 + 60
    scene.open()
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    assert not scene.receiver.got[1].is_signed_with(old)
    assert scene.receiver.got[1].is_signed_with(new)


def test_replay_starts_again_from_a_position(scene: Scene) -> None:
    endpoint, _ = scene.add()
    games = [scene.open() for _ in range(3)]
    for game in games:
        scene.resign(game)
    scene.deliver(lambda: len(scene.receiver.got) == 3)
    first = list(scene.receiver.got)
    scene.receiver.got.clear()
    replay = scene.client.service.webhooks.replay
    scene.deliver(lambda: len(scene.receiver.got) == 2, lambda: replay(endpoint, first[1].data["position"]))
    assert {got.id for got in scene.receiver.got} == {got.id for got in first[1:]}


def test_replay_switches_an_endpoint_on(scene: Scene) -> None:
    endpoint, _ = scene.add()
    scene.receiver.answer = lambda _: replies(410)
    scene.resign(scene.open())
    scene.deliver(lambda: scene.receiver.got)
    stopped = scene.endpoint(endpoint)
    assert stopped.mark is not None
    scene.receiver.answer = lambda _: replies()
    scene.client.wait(scene.client.service.webhooks.replay(endpoint, stopped.mark.position + 1))
    scene.deliver(lambda: len(scene.receiver.got) == 2)
    assert scene.receiver.got[0].id == scene.receiver.got[1].id
    assert scene.endpoint(endpoint).stopped is None


def test_endpoints_are_added_and_removed_while_a_process_delivers(scene: Scene) -> None:
    store = scene.client.service.webhooks
    first, _ = scene.add()

    async def meanwhile() -> None:
        await scene.client.service.open_table(2, NAMES[:2], QUICK)
        await soon(lambda: scene.receiver.got)
        await store.remove(first)
        second, _ = await store.add("https://second.example/", ALL)
        await scene.client.service.open_table(2, NAMES[:2], QUICK)
        await soon(lambda: any(second in got.id for got in scene.receiver.got))

    scene.deliver(lambda: True, meanwhile)
    assert sum(first in got.id for got in scene.receiver.got) in (1, 2), "the process may learn of it a moment later"
    with pytest.raises(UnknownEndpoint):
        scene.client.wait(store.remove(first))
    with pytest.raises(UnknownApp):
        scene.add("nobody")


def test_a_new_epoch_starts_at_the_newest_position(scene: Scene, url: str) -> None:
    endpoint, _ = scene.add()
    scene.receiver.answer = lambda _: REFUSED
    scene.open()
    scene.deliver(lambda: scene.receiver.got)
    with database_statements(url) as run:
        run("UPDATE epoch SET id = 'restored'")
    scene.receiver.answer = lambda _: replies()
    scene.receiver.got.clear()
    scene.clock.ahead += 10**5
    scene.deliver_all()
    assert scene.receiver.got == []
    scene.resign(scene.open())
    scene.deliver(lambda: scene.receiver.got)
    assert scene.receiver.got[0].id.startswith(f"msg_{endpoint}_restored_")


def test_one_process_at_a_time_delivers(scene: Scene, url: str) -> None:
    scene.add()
    with connected(url) as other:
        service = scene.client.service.webhooks
        assert scene.client.wait(service.take("one", 60)) is not None
        assert other.wait(other.service.webhooks.take("two", 60)) is None
        scene.client.wait(service.release("one"))
        lease = other.wait(other.service.webhooks.take("two", -1))
        assert lease is not None
        taken_over = scene.client.wait(service.take("one", 60))
        assert taken_over is not None
        assert other.wait(other.service.webhooks.progress("two", 60, lease, ())) is None


def test_without_endpoints_nobody_takes_the_lease(client: Client) -> None:
    assert client.wait(client.service.webhooks.take("one", 60)) is None


def test_nothing_is_stored_for_a_webhook_when_a_move_is_made(scene: Scene, url: str) -> None:
    scene.add()
    tables = ("webhooks", "webhook_notices", "webhook_delivery")
    with database_statements(url) as run:
        before = [run(f"SELECT * FROM {table}") for table in tables]
        scene.client.play(scene.open(), 20)
        assert [run(f"SELECT * FROM {table}") for table in tables] == before


def test_the_vectors_of_standard_webhooks() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    message_id, at, body = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
    assert signature(secret, message_id, at, body) == expected
    headers = headers_of(message_id, at, body, [secret, "whsec_AAAA"])
    assert headers["webhook-signature"].split(" ")[0] == expected
    assert len(headers["webhook-signature"].split(" ")) == 2
