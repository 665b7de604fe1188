"""Readers of all events and of all records that are cut off, at two servers that are killed, miss nothing."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from threading import Event as Flag
from typing import Any
from uuid import UUID

import httpx
from httpx import Client

from tests.api.people import People
from tests.api.server import client_of
from tests.api.site import SERVERS, Site
from tests.api.test_failing_storage import until_ready
from tests.api.test_stream_cuts import LONG, READERS, Play, Reader, cut_listeners
from tests.store.clients import connected
from tests.support.postgres import stoppable_server
from tests.support.soak import soak_factor
from tests.support.waiting import until

CUTS = 64
"""The cuts of each of four readers."""


def pages(client: Client) -> list[tuple[str, Any]]:
    """Return all rows as the stream sends them: their ids and their data."""
    found: list[tuple[str, Any]] = []
    after: int | None = None
    page = client.get("/v1/events?limit=1000").raise_for_status().json()
    while page["next"] != after:
        found += [(f"{page['epoch']}-{item['position']}", item) for item in page["items"]]
        after = page["next"]
        page = client.get(f"/v1/events?limit=1000&after={after}").raise_for_status().json()
    return found


def check_cuts(url: str, disturb: Callable[[Site], None]) -> None:
    """Cut readers off while two servers write and are disturbed; every reader has every row that may be read once."""
    enough, over = CUTS * soak_factor(), Flag()
    with Site(url, watchers_per_client="1000") as site, ThreadPoolExecutor(READERS + 4) as threads:
        plays = [Play(site) for _ in range(2)]
        with client_of(site.address(0)) as client:
            private = People(client, private=True)
            erased = People(client)
        readers = [Reader(site, "/v1/events/stream?after=0", seed, last_event_id="") for seed in range(READERS)]
        players = [threads.submit(play.go_on, number) for play in plays for number in range(SERVERS)]
        try:
            leaving = [threads.submit(reader.read, partial(reader.was_cut, enough), 20_000) for reader in readers]
            until(lambda: all(f'"{erased.id}"' in str(reader.seen) for reader in readers))
            with connected(url) as operator:
                operator.wait(operator.service.remove(UUID(erased.id)))
            disturb(site)
            wait(leaving, LONG)
            staying = [threads.submit(reader.read, over.is_set, 100_000) for reader in readers]
            disturb(site)
        finally:
            for play in plays:
                play.stopped.set()
        for each in (*players, *leaving):
            each.result(LONG)
        with client_of(site.address(0)) as client:
            until_ready(client)
            expected = pages(client)
            own = {play.table.id: client.get(f"{play.table.path}/events?view=full&limit=1000").json() for play in plays}
        until(lambda: all(reader.seen and reader.seen[-1][0] == expected[-1][0] for reader in readers))
        over.set()
        for reading in staying:
            reading.result(LONG)
    check_whole(expected, own)
    for reader in readers:
        assert reader.cuts >= enough
        check_seen([(id_, json.loads(data)) for id_, data in reader.seen], expected, private.id, erased.id)


def check_whole(expected: list[tuple[str, Any]], own: dict[str, Any]) -> None:
    """The pages have the same events of each game as its own stream."""
    for game, page in own.items():
        events = [event for _, item in expected if item["game"] == game for event in item["events"]]
        assert events[: len(page["items"])] == page["items"]
        assert [event["version"] for event in events] == list(range(1, page["version"] + 1))


def check_seen(seen: list[tuple[str, Any]], expected: list[tuple[str, Any]], private: str, erased: str) -> None:
    """A reader who was there before a game was erased has its events, too, and then the announcement."""
    assert [row for row in seen if row[1]["game"] != erased] == [row for row in expected if row[1]["game"] != erased]
    positions = [int(id_.partition("-")[2]) for id_, _ in seen]
    assert positions == sorted(set(positions))
    assert private not in {item["game"] for _, item in seen}
    announced = [row for row in seen if row[1]["game"] == erased]
    assert announced[-1:] == [row for row in expected if row[1]["game"] == erased]
    assert announced[-1][1]["events"][0]["type"] == "game_removed"


def test_readers_of_all_events_miss_nothing_on_sqlite(tmp_path: Path) -> None:
    def disturb(site: Site) -> None:
        site.kill(0)
        status, logged = site.restart(1)
        assert status == 0, logged

    check_cuts(f"sqlite:///{tmp_path}/games.db", disturb)


def test_readers_of_all_events_miss_nothing_on_postgresql() -> None:
    with stoppable_server() as database:

        def disturb(site: Site) -> None:
            site.kill(0)
            cut_listeners(database.url)
            database.stop()
            database.start()

        check_cuts(database.url, disturb)


# --- records -------------------------------------------------------------------------------------------------------


class Endings:
    """Games that end, are taken up again, and end again, at one server."""

    def __init__(self, site: Site, number: int) -> None:
        self._site = site
        self._number = number
        self.stopped = Flag()

    def go_on(self) -> None:
        """Play until told to stop; begin a new game after a failure."""
        while not self.stopped.is_set():
            with suppress(httpx.TransportError, AssertionError), client_of(self._site.address(self._number)) as client:
                table = People(client, undo="free", start="introductory")
                for _ in range(3):
                    seat = table.get(token=table.host).json()["to_play"]
                    table.do({"type": "resign"}, seat)
                    for act in ("/undo", "/redo", "/undo"):
                        table.post(act, table.host, {})


class Lines:
    """A client that reads the records, is cut off repeatedly, and resumes after the last complete line."""

    def __init__(self, site: Site, seed: int) -> None:
        self._site = site
        self._random = Random(seed)
        self.records: list[bytes] = []
        self.cuts = 0

    def read(self, most: int) -> bool:
        """Read some bytes, and return whether the last line has come."""
        self.cuts += 1
        url = f"{self._site.address(self._random.randrange(SERVERS))}/v1/records{self._after()}"
        text = b""
        with (
            suppress(httpx.TransportError),
            httpx.stream("GET", url, headers={"accept-encoding": "identity"}, timeout=LONG) as response,
        ):
            if response.status_code != 200:
                return False
            for part in response.iter_raw(self._random.randint(1, most)):
                text += part
                if len(text) >= most:
                    break
        *complete, _ = text.split(b"\n")
        self.records += [line for line in complete if not line.startswith(b'{"next"')]
        return any(line.startswith(b'{"next"') for line in complete)

    def _after(self) -> str:
        if not self.records:
            return ""
        last = json.loads(self.records[-1])
        return f"?after={last['game']}-{last['events'][-1]['version']}"


def check_lines(url: str, disturb: Callable[[Site], None]) -> None:
    """Cut readers off while two servers write and are disturbed; every reader has every ending once and in order."""
    with Site(url) as site, ThreadPoolExecutor(READERS + SERVERS) as threads:
        plays = [Endings(site, number) for number in range(SERVERS)]
        playing = [threads.submit(play.go_on) for play in plays]
        readers = [Lines(site, seed) for seed in range(READERS)]

        def read(reader: Lines) -> None:
            while reader.cuts < CUTS * soak_factor():
                reader.read(20_000 * (reader.cuts + 1))

        reading = [threads.submit(read, reader) for reader in readers]
        disturb(site)
        wait(reading, LONG)
        for play in plays:
            play.stopped.set()
        for each in (*playing, *reading):
            each.result(LONG)
        with client_of(site.address(0)) as client:
            until_ready(client)
            *expected, _ = client.get("/v1/records").content.splitlines()
        for reader in readers:
            until(lambda: reader.read(10**9) and len(reader.records) >= len(expected))  # noqa: B023 - waited for here
            assert reader.records == expected
    assert len({json.loads(record)["game"] for record in expected}) < len(expected)


def test_readers_of_records_miss_nothing_on_sqlite(tmp_path: Path) -> None:
    check_lines(f"sqlite:///{tmp_path}/games.db", lambda site: site.kill(0))


def test_readers_of_records_miss_nothing_on_postgresql() -> None:
    with stoppable_server() as database:

        def disturb(site: Site) -> None:
            site.kill(0)
            database.stop()
            database.start()

        check_lines(database.url, disturb)
