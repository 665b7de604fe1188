"""Readers of all events that are cut off, at two servers that are killed, on a database that fails, miss nothing."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from threading import Event as Flag
from typing import Any
from uuid import UUID

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
