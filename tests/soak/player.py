"""A player who plays one game after another, and retries every request until it succeeds."""

import json
import secrets
from collections.abc import Callable
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Any

import httpx

from tests.api.people import bearer
from tests.api.site import SERVERS, Site
from tests.soak.ledger import Ledger
from tests.soak.watcher import Watcher

RETRY_SECONDS = 60
"""The time after which a retried request has failed; every disruption is shorter."""

GAME_SECONDS = 300
RETRIED = (429, 503)
"""The statuses after which a request is retried."""

WAIT = 2
MODULES: tuple[dict[str, Any], ...] = (
    {},
    {"milestones": True},
    {"boom": True},
    {"region_tiles": "mixed"},
    {"milestones": True, "boom": True},
)


class Player:
    """A player at a table with bots who makes random moves and checks every acknowledged change."""

    def __init__(self, site: Site, ledger: Ledger, seed: int) -> None:
        self._site = site
        self._ledger = ledger
        self._random = Random(seed)
        self._client = httpx.Client(timeout=RETRY_SECONDS / 4)

    def play_on(self, is_over: Callable[[], bool]) -> None:
        """Play games until told to stop, the last one to its end."""
        with self._client:
            while not is_over():
                try:
                    self._play_game()
                except Exception as error:
                    self._ledger.error(f"a player failed: {error!r}")

    def _play_game(self) -> None:
        created = self._send("POST", "/v1/games", self._table()).json()
        path, token = f"/v1/games/{created['game']['id']}", created["host_token"]
        end = monotonic() + GAME_SECONDS
        self._ledger.count("games begun")
        finished: list[str] = []
        watcher = Watcher(self._site, self._ledger, path, self._random.randrange(2**32))
        watching = Thread(target=watcher.read, args=(lambda last: monotonic() > end or last in finished,))
        watching.start()
        seats = {seat["seat"] for seat in created["game"]["seats"] if not seat.get("bot")}
        while (seen := self._read(path))["status"] == "playing" and monotonic() < end:
            if seen["to_play"] in seats:
                self._act(path, token, seen["version"])
            else:
                self._read(f"{path}/events?after={seen['version']}&wait={WAIT}")
        finished.append(str(seen["version"]))
        watching.join()
        self._check(path, seats, watcher)

    def _table(self) -> dict[str, Any]:
        people, bots = self._random.randint(1, 2), self._random.randint(1, 2)
        kinds = self._random.choices(("random", "greedy", "planner"), (6, 6, 1), k=bots)
        options = {"hot_seat": True, "undo": "free", "seed": self._random.randrange(2**32)}
        names: list[Any] = [{"name": f"Player {number}"} for number in range(people)]
        players = [*names, *({"bot": kind} for kind in kinds)]
        options |= {"modules": self._random.choice(MODULES), "expert": self._random.choice([None, {"mode": "random"}])}
        return {"seats": len(players), "players": players, "options": options}

    def _act(self, path: str, token: str, version: int) -> None:
        """Make a move, an undo or a redo, and remember the response."""
        headers = bearer(token) | {"if-match": f'"{version}"'}
        if self._random.random() < 0.08:
            act = self._random.choice(("undo", "redo"))
            response = self._send("POST", f"{path}/{act}", {}, headers)
            allowed: tuple[int, ...] = (200, 409)
        else:
            items = self._read(f"{path}/legal-moves")["items"]
            act, allowed = "move", (200,)
            response = self._send("POST", f"{path}/moves", self._random.choice(items)["action"], headers)
        if response.status_code not in allowed:
            self._ledger.error(f"{act} of {path} at {version}: {response.status_code} {response.text}")
        if response.status_code == 200:
            self._ledger.count(f"{act}s acknowledged")
            self._ledger.acknowledge(path, response.json()["events"])

    def _check(self, path: str, seats: set[int], watcher: Watcher) -> None:
        """Compare the acknowledged changes and the stream with the stored events."""
        expected = self._stored(path)
        sent = [json.loads(data) for _, data in watcher.seen]
        if sent != expected:
            first = next((a for a, b in zip(sent, expected, strict=False) if a != b), None)
            self._ledger.error(f"stream of {path}: {len(sent)} of {len(expected)} events, differs at {first}")
        self._ledger.acknowledge(path, expected[-1:])
        actions = [event for event in expected if event["type"] == "action_taken"]
        self._ledger.count("moves of bots", sum(event["seat"] not in seats for event in actions))
        self._ledger.count("games ended")

    def _stored(self, path: str) -> list[Any]:
        page = self._read(f"{path}/events?view=full&limit=1000")
        found: list[Any] = page["items"]
        while page["next"] is not None:
            page = self._read(f"{path}/events?view=full&limit=1000&cursor={page['next']}")
            found += page["items"]
        return found

    def _read(self, path: str) -> Any:
        return self._send("GET", path).json()

    def _send(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        """Send a request, and retry it with the same key until there is a response."""
        sent = {"idempotency-key": secrets.token_hex(16)} | (headers or {}) if method == "POST" else headers
        end = monotonic() + RETRY_SECONDS
        while monotonic() < end:
            try:
                url = self._site.address(self._random.randrange(SERVERS)) + path
                response = self._client.request(method, url, json=body, headers=sent)
            except httpx.TransportError:
                self._ledger.count("requests retried after a lost connection")
            else:
                if response.status_code not in RETRIED:
                    if response.status_code >= 500:
                        self._ledger.error(f"{method} {path}: {response.status_code} {response.text}")
                    return response
                self._ledger.count("requests retried after 429 or 503")
            sleep(0.05)
        raise TimeoutError(f"{method} {path} had no response in {RETRY_SECONDS} s")
