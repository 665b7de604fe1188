"""A soak: players, bots, watchers and disruptions together, and an audit afterwards."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic, sleep
from typing import Any

import httpx

from tests.api.server import ROOT
from tests.api.site import Site
from tests.soak import disruptions
from tests.soak.ledger import Ledger
from tests.soak.player import Player
from tests.support.postgres import stoppable_server

PLAYERS = 6
SETTINGS = {"database_timeout": "2", "bot_seconds": "0.05", "seats_limit": "0", "storage_limit": "0"}
PAUSE = 3.0
"""The longest time between two disruptions in seconds."""


def soak(kind: str, seconds: float, seed: int, players: int = PLAYERS) -> Ledger:
    """Run everything together for some seconds on a database of this kind, and return the results."""
    ledger, over, random = Ledger(), Event(), Random(seed)
    with _database(kind) as (url, of_database), Site(url, **SETTINGS) as site:
        tried = {**disruptions.of_servers(site), **of_database}
        with ThreadPoolExecutor(players) as threads:
            playing = [
                threads.submit(Player(site, ledger, seed + each).play_on, over.is_set) for each in range(players)
            ]
            try:
                _disrupt(tried, ledger, random, monotonic() + seconds)
            finally:
                over.set()
            for player in playing:
                player.result()
        check_heads(site.address(0), ledger)
        _audit(url, ledger)
    return ledger


def _disrupt(tried: Mapping[str, disruptions.Disruption], ledger: Ledger, random: Random, end: float) -> None:
    """Cause all disruptions, each time in another order."""
    waiting: list[str] = []
    while (left := end - monotonic()) > 0:
        sleep(min(left, random.random() * PAUSE))
        waiting = waiting or random.sample(sorted(tried), len(tried))
        name = waiting.pop()
        tried[name](random)
        ledger.count(name)


@contextmanager
def _database(kind: str) -> Iterator[tuple[str, Mapping[str, disruptions.Disruption]]]:
    if kind == "postgresql":
        with stoppable_server() as server:
            yield server.url, disruptions.of_postgres(server)
    else:
        with TemporaryDirectory(prefix="franchise-soak-") as directory:
            file = Path(directory) / "games.db"
            yield f"sqlite:///{file}", disruptions.of_sqlite(str(file))


def check_heads(address: str, ledger: Ledger) -> None:
    """Look for the newest acknowledged event of each game; its digest covers every event before it."""
    for path, head in ledger.heads.items():
        url = f"{address}{path}/events?view=full&limit=1&after={head.version - 1}"
        items = httpx.get(url, timeout=60).json()["items"]
        if not items or items[0]["digest"] != head.digest:
            ledger.count("acknowledged and lost")
            ledger.error(f"{path}: event {head.version} was acknowledged and is not stored")


def _audit(url: str, ledger: Ledger) -> None:
    """Audit all games by the command."""
    done = subprocess.run(
        [sys.executable, "-m", "api", "audit", "--all", "--json"],
        cwd=ROOT,
        env={**os.environ, "FRANCHISE_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    found: Any = json.loads(done.stdout) if done.stdout else {"games": 0, "events": 0, "bad": {"all": done.stderr}}
    ledger.count("games audited", found["games"])
    ledger.count("events audited", found["events"])
    for game, why in found["bad"].items():
        ledger.error(f"audit of {game}: {why}")
