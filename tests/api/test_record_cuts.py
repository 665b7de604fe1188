"""Exports of finished games that are cut off, at two servers that are killed, have the record of every ending once."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from threading import Event as Flag
from time import monotonic
from uuid import UUID

import httpx
from httpx import Client

from tests.api.people import bearer
from tests.api.server import client_of
from tests.api.site import SERVERS, Site
from tests.api.test_all_event_cuts import pages
from tests.api.test_failing_storage import until_ready
from tests.api.test_stream_cuts import LONG, READERS
from tests.store.clients import connected
from tests.support.postgres import stoppable_server
from tests.support.soak import soak_factor
from tests.support.waiting import until

CUTS = 64
"""The cuts of each of four readers."""


def finish(client: Client, *, endings: int = 1, private: bool = False) -> str | None:
    """End a game, undo the end and end it again; return its id, None if the server fails."""
    options = {"start": "introductory", "first_player": 0, "undo": "free", "private": private}
    opened = client.post("/v1/games", json={"seats": 2, "players": ["Ann", "Bob"], "options": options})
    if not opened.is_success:
        return None
    game, token = opened.json()["game"]["id"], opened.json()["seats"][0]["token"]
    for act in ("/moves", "/undo") * (endings - 1) + ("/moves",):
        body = {"type": "resign"} if act == "/moves" else {}
        client.post(f"/v1/games/{game}{act}", json=body, headers=bearer(token))
    return str(game)


def finish_games(site: Site, number: int, stopped: Flag) -> None:
    """End games at one process until told to stop; ignore failures."""
    random = Random(number)
    while not stopped.is_set():
        with suppress(httpx.TransportError), client_of(site.address(number)) as client:
            while not stopped.wait(0.1):
                finish(client, endings=random.randint(1, 3))


class Reader:
    """A client that reads all records, is cut off repeatedly, and resumes after the last complete one."""

    def __init__(self, site: Site, seed: int) -> None:
        self._site = site
        self._random = Random(seed)
        self.records: list[bytes] = []
        self.cuts = 0

    def was_cut(self, times: int) -> bool:
        return self.cuts >= times

    def read(self, is_over: Callable[[], bool], longest: int) -> None:
        late = monotonic() + LONG
        while not is_over():
            assert monotonic() < late, (self.cuts, len(self.records))
            with suppress(httpx.TransportError):
                self._read_once(self._random.randint(1, longest))

    def _read_once(self, most: int) -> None:
        last = json.loads(self.records[-1]) if self.records else None
        query = {"after": f"{last['game']}-{last['events'][-1]['version']}"} if last else {}
        address = self._site.address(self._random.randrange(SERVERS))
        text = b""
        with httpx.stream("GET", f"{address}/v1/records", params=query, timeout=LONG) as response:
            if response.status_code == 410:
                del self.records[-1]
            if response.status_code != 200:
                return
            try:
                for part in response.iter_bytes():
                    text += part
                    if len(text) > most:
                        self.cuts += 1
                        break
            finally:
                lines = text[:most].split(b"\n")[:-1]
                self.records += [line for line in lines if not line.startswith(b'{"next"')]


def check_cuts(url: str, disturb: Callable[[Site], None]) -> None:
    """Cut readers off while games end at two servers that are disturbed; every reader has every ending once."""
    enough, stopped, over = CUTS * soak_factor(), Flag(), Flag()
    with Site(url) as site, ThreadPoolExecutor(READERS + SERVERS) as threads:
        with client_of(site.address(0)) as client:
            private, erased = finish(client, private=True), finish(client)
        assert private
        assert erased
        readers = [Reader(site, seed) for seed in range(READERS)]
        players = [threads.submit(finish_games, site, number, stopped) for number in range(SERVERS)]
        try:
            leaving = [threads.submit(reader.read, partial(reader.was_cut, enough), 20_000) for reader in readers]
            until(lambda: all(reader.records for reader in readers))
            with connected(url) as operator:
                operator.wait(operator.service.remove(UUID(erased)))
            disturb(site)
            wait(leaving, LONG)
            staying = [threads.submit(reader.read, over.is_set, 100_000) for reader in readers]
            disturb(site)
        finally:
            stopped.set()
        for each in (*players, *leaving):
            each.result(LONG)
        with client_of(site.address(0)) as client:
            until_ready(client)
            *expected, _ = client.get("/v1/records").raise_for_status().content.splitlines()
            events = [event for _, item in pages(client) for event in item["events"]]
        until(lambda: all(reader.records[-1:] == expected[-1:] for reader in readers))
        over.set()
        for reading in staying:
            reading.result(LONG)
    assert len(expected) == sum(event["type"] == "game_ended" for event in events)
    assert any(event["type"] == "undone" for event in events)
    for reader in readers:
        assert reader.cuts >= enough
        seen = [(json.loads(record)["game"], record) for record in reader.records]
        assert [record for game, record in seen if game != erased] == expected
        assert [game for game, _ in seen].count(erased) <= 1
        assert private not in {game for game, _ in seen}


def test_exports_that_are_cut_off_miss_nothing_on_sqlite(tmp_path: Path) -> None:
    def disturb(site: Site) -> None:
        site.kill(0)
        status, logged = site.restart(1)
        assert status == 0, logged

    check_cuts(f"sqlite:///{tmp_path}/games.db", disturb)


def test_exports_that_are_cut_off_miss_nothing_on_postgresql() -> None:
    with stoppable_server() as database:

        def disturb(site: Site) -> None:
            site.kill(0)
            database.stop()
            database.start()

        check_cuts(database.url, disturb)
