"""Readers that are cut off at random positions and resume with `Last-Event-ID` get every event once, in order."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path
from random import Random
from threading import Event as Flag
from time import monotonic

import httpx
import psycopg
from httpx import Client

from tests.api.people import People
from tests.api.server import client_of
from tests.api.site import SERVERS, Site
from tests.api.sse import Stream, ids_and_data, stored
from tests.api.test_failing_storage import until_ready
from tests.support.postgres import stoppable_server
from tests.support.soak import soak_factor
from tests.support.waiting import until

READERS = 4
READER_CUTS = 32
DATABASE_CUTS = 3
LONG = 120

LISTENERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"


class Play:
    """Moves, undos and redos of two players at different processes."""

    def __init__(self, site: Site) -> None:
        self._site = site
        with client_of(site.address(0)) as client:
            self.table = People(client, undo="free")
        self.stopped = Flag()
        self.accepted: set[str] = set()

    def go_on(self, number: int) -> None:
        """Act at one process until told to stop; ignore failures."""
        random = Random(number)
        while not self.stopped.is_set():
            with suppress(httpx.TransportError), client_of(self._site.address(number)) as client:
                while not self.stopped.is_set():
                    self._act(client, random)
                    self.stopped.wait(0.01)

    def _act(self, client: Client, random: Random) -> None:
        path, headers = self.table.path, {"authorization": f"Bearer {self.table.host}"}
        act = random.choice(("/undo", "/redo", "/moves", "/moves", "/moves"))
        moves = client.get(f"{path}/legal-moves").json().get("items", ())
        body = {} if act != "/moves" else random.choice(moves)["action"] if moves else None
        if body is not None:
            response = client.post(path + act, json=body, headers=headers)
            assert response.status_code in (200, 409, 503), response.text
            if response.is_success:
                self.accepted.add(act)
        if not moves:
            client.post(f"{path}/undo", json={}, headers=headers)


class Reader:
    """A client that reads a stream, is cut off repeatedly, and resumes."""

    def __init__(self, site: Site, path: str, seed: int, last_event_id: str = "0") -> None:
        self._site = site
        self._path = path
        self._random = Random(seed)
        self.last_event_id = last_event_id
        self.seen: list[tuple[str, str]] = []
        self.cuts = 0

    def read(self, is_over: Callable[[], bool], longest: int) -> None:
        """Read until it is over; close each connection after a random number of bytes."""
        late = monotonic() + LONG
        while not is_over():
            assert monotonic() < late, (self.cuts, self.seen[-1:])
            with suppress(HTTPException, OSError, EOFError):
                self._read_once(is_over, self._random.randint(1, longest))

    def was_cut(self, times: int) -> bool:
        return self.cuts >= times

    def _read_once(self, is_over: Callable[[], bool], most: int) -> None:
        url = f"{self._site.address(self._random.randrange(SERVERS))}{self._path}"
        with Stream(url, last_event_id=self.last_event_id) as stream:
            if stream.status != 200:
                return
            self.cuts += 1
            while most > 0 and not is_over():
                part = min(most, self._random.randint(1, 2000))
                self.seen += ids_and_data(event for event in stream.read(part) if event.name == "message")
                self.last_event_id = stream.last_event_id
                most -= part


def check_cuts(url: str, cut_others: Callable[[Site], None]) -> None:
    """Cut readers off while others play at both processes; in the end the readers have every stored event."""
    enough, over = READER_CUTS * soak_factor(), Flag()
    with Site(url, watchers_per_client="1000") as site, ThreadPoolExecutor(READERS + 2) as threads:
        play = Play(site)
        path = f"{play.table.path}/stream"
        readers = [Reader(site, path, seed) for seed in range(READERS)]
        players = [threads.submit(play.go_on, number) for number in range(SERVERS)]
        try:
            leaving = [threads.submit(reader.read, partial(reader.was_cut, enough), 3000) for reader in readers]
            wait(leaving, LONG)
            staying = [threads.submit(reader.read, over.is_set, 30_000) for reader in readers]
            for _ in range(soak_factor()):
                cut_others(site)
            until(lambda: play.accepted >= {"/moves", "/undo", "/redo"})
        finally:
            play.stopped.set()
        for each in (*players, *leaving):
            each.result(LONG)
        with client_of(site.address(0)) as client:
            until_ready(client)  # the database has just started
            expected = stored(client, play.table.path)
        until(lambda: all(reader.last_event_id == expected[-1][0] for reader in readers))
        over.set()
        for reading in staying:
            reading.result(LONG)
    assert {event["type"] for event in map(json.loads, (data for _, data in expected))} >= {"undone", "redone"}
    for reader in readers:
        assert reader.seen == expected
        assert reader.cuts >= enough


def test_readers_that_are_cut_off_miss_nothing_on_sqlite(tmp_path: Path) -> None:
    def cut(site: Site) -> None:
        for number in range(SERVERS):
            restart(site, number)

    check_cuts(f"sqlite:///{tmp_path}/games.db", cut)


def test_readers_that_are_cut_off_miss_nothing_on_postgresql() -> None:
    with stoppable_server() as database:

        def cut(site: Site) -> None:
            restart(site, 0)
            for _ in range(DATABASE_CUTS):
                cut_listeners(database.url)
                cut_listeners(database.url)
                database.stop()
                database.start()

        check_cuts(database.url, cut)


def restart(site: Site, number: int) -> None:
    status, logged = site.restart(number)
    assert status == 0, logged


def cut_listeners(url: str) -> None:
    """End the connections that listen for commits, two in all."""
    with psycopg.connect(url, autocommit=True) as connection:
        ended = 0
        while ended < 2:
            ended += len(until(lambda: connection.execute(LISTENERS).fetchall()))
