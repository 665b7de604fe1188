"""Webhooks of several processes at once, some of which are killed, with receivers that fail at random."""

from collections import defaultdict
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import NamedTuple
from uuid import UUID

import pytest

from domain.modules import GameOptions
from domain.notices import Notice, notices_of
from domain.store import Owner
from domain.store.webhooks import EVENTS
from domain.stream import Recorded
from domain.timeline import Timeline, follow
from tests.api import webhook_receivers
from tests.api.webhook_receivers import Got, receiving
from tests.store.clients import NAMES, Client, connected
from tests.support.soak import soak_factor
from tests.support.waiting import until

KILLS = 4 * soak_factor()
APPS = ("meeple", "other")
ALL = frozenset(EVENTS.values())
FAST = 2000.0
"""The speed of the clock of the processes, so that tries come soon."""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'games.db'}"
    url: str = request.getfixturevalue("postgres_database_url")
    return url


class Told(NamedTuple):
    """A notice that a receiver has to get or got: of a version of a game, of a type and for a seat."""

    game: str
    version: int
    type: str
    seat: int | None


def kill(processes: list[BaseProcess]) -> None:
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def open_games(client: Client, owner: str | None, private: bool) -> list[UUID]:
    options = GameOptions(start="introductory", private=private)
    owned = Owner(owner) if owner else None
    opened = (client.service.open_table(2, NAMES[:2], options, owner=owned) for _ in range(2))
    return [client.wait(each).id for each in opened]


def notices_in(client: Client, game: UUID) -> Iterator[tuple[int, Notice]]:
    """Return the notices of each decision of a game with their versions, computed from the whole stream."""
    recorded: tuple[Recorded, ...] = client.recorded(game)
    decisions: dict[str, list[Recorded]] = defaultdict(list)
    for event in recorded:
        decisions[event.at].append(event)
    before: Timeline | None = None
    for at, events in decisions.items():
        after = follow(before, [event.fact for event in events], [at] * len(events))
        yield from ((after.version, notice) for notice in notices_of(before, after))
        before = after


def told(got: Got) -> Told:
    return Told(got.data["game"], got.data["version"], got.type, got.data.get("seat"))


class Scene:
    """Games of two applications and of nobody, and receivers that fail at random."""

    def __init__(self, client: Client, address: str, accepted: list[Got]) -> None:
        self.client = client
        self.accepted = accepted
        for name in APPS:
            client.wait(client.service.apps.add(name))
        for reader in (None, *APPS):
            client.wait(client.service.webhooks.add(f"{address}/{reader}", ALL, reader))
        self.games = {
            game: (owner, private)
            for owner in (None, *APPS)
            for private in (False, True)
            for game in open_games(client, owner, private)
        }

    def play(self, random: Random, most: int) -> None:
        for game in self.games:
            self.client.play(game, random.randrange(most), random.randrange(10**6))

    def until_another_arrives(self) -> None:
        before = len(self.accepted)
        until(lambda: len(self.accepted) > before)

    def readers(self, game: UUID) -> set[str]:
        owner, private = self.games[game]
        return {str(owner)} if owner and private else set() if private else {str(owner), "None"}

    def arrived(self, reader: str) -> list[Told]:
        return [told(got) for got in list(self.accepted) if got.path == f"/{reader}"]

    def all_have_ended(self) -> bool:
        ended = {
            (reader, each.game)
            for reader in ("None", *APPS)
            for each in self.arrived(reader)
            if each.type == "game.ended"
        }
        return ended == {(reader, str(game)) for game in self.games for reader in self.readers(game)}

    def check(self) -> None:
        """Each notice was due for its receiver, and the first arrivals of a game are in order."""
        due = {
            (reader, Told(str(game), version, notice.type, notice.seat))
            for game in self.games
            for version, notice in notices_in(self.client, game)
            for reader in self.readers(game)
        }
        for reader in ("None", *APPS):
            notices = self.arrived(reader)
            assert {(reader, each) for each in notices} <= due
            for game in {each.game for each in notices}:
                first = list(dict.fromkeys(each.version for each in notices if each.game == game))
                assert first == sorted(first)


def test_every_ending_arrives_in_order_although_processes_are_killed(url: str) -> None:
    random, fails = Random(0), Random(1)
    with connected(url) as client, receiving(lambda _: 204 if fails.random() < 0.6 else 500) as (address, accepted):
        scene = Scene(client, address, accepted)
        playing = [webhook_receivers.start(url, FAST) for _ in range(2)]
        for _ in range(KILLS):
            scene.play(random, 4)
            scene.until_another_arrives()
            killed = random.choice([playing, playing[:1], playing[1:]])
            kill(killed)
            playing = [each for each in playing if each not in killed]
            playing += [webhook_receivers.start(url, FAST) for _ in killed]
        for game in scene.games:
            client.play(game, 10**4, 1)
        until(scene.all_have_ended)
        kill(playing)
        scene.check()
