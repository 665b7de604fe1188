"""Somebody who plays one game after the other, and repeats every request until it is answered."""

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

ANSWER_SECONDS = 60
"""The time after which a request that is repeated has failed; no trouble lasts so long."""

GAME_SECONDS = 300
LATER = (429, 503)
"""The statuses with which the server asks to try again."""

WAIT = 2
MODULES: tuple[dict[str, Any], ...] = (
    {},
    {"milestones": True},
    {"boom": True},
    {"region_tiles": "mixed"},
    {"milestones": True, "boom": True},
)


class Person:
    """A player at a table with bots, who plays by chance and checks everything that was acknowledged."""

    def __init__(self, site: Site, ledger: Ledger, seed: int) -> None:
        self._site = site
        self._ledger = ledger
        self._random = Random(seed)
        self._client = httpx.Client(timeout=ANSWER_SECONDS / 4)

    def play_on(self, is_over: Callable[[], bool]) -> None:
        """Play games until told to stop, the last one to its end."""
        with self._client:
            while not is_over():
                try:
                    self._play_game()
                except Exception as error:
                    self._ledger.fault(f"a player failed: {error!r}")

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
        """Make a move, or take back what was done, and remember the answer."""
        headers = bearer(token) | {"if-match": f'"{version}"'}
        if self._random.random() < 0.08:
            act = self._random.choice(("undo", "redo"))
            answer = self._send("POST", f"{path}/{act}", {}, headers)
            allowed: tuple[int, ...] = (200, 409)
        else:
            items = self._read(f"{path}/legal-moves")["items"]
            act, allowed = "move", (200,)
            answer = self._send("POST", f"{path}/moves", self._random.choice(items)["action"], headers)
        if answer.status_code not in allowed:
            self._ledger.fault(f"{act} of {path} at {version}: {answer.status_code} {answer.text}")
        if answer.status_code == 200:
            self._ledger.count(f"{act}s acknowledged")
            self._ledger.acknowledge(path, answer.json()["events"])

    def _check(self, path: str, seats: set[int], watcher: Watcher) -> None:
        """Compare what was acknowledged and what the stream told with what is stored."""
        expected = self._stored(path)
        told = [json.loads(data) for _, data in watcher.seen]
        if told != expected:
            first = next((a for a, b in zip(told, expected, strict=False) if a != b), None)
            self._ledger.fault(f"stream of {path}: {len(told)} of {len(expected)} events, the first other one {first}")
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
        """Send a request, again and again with the same key until somebody answers it."""
        sent = {"idempotency-key": secrets.token_hex(16)} | (headers or {}) if method == "POST" else headers
        end = monotonic() + ANSWER_SECONDS
        while monotonic() < end:
            try:
                url = self._site.address(self._random.randrange(SERVERS)) + path
                answer = self._client.request(method, url, json=body, headers=sent)
            except httpx.TransportError:
                self._ledger.count("requests repeated after a lost connection")
            else:
                if answer.status_code not in LATER:
                    if answer.status_code >= 500:
                        self._ledger.fault(f"{method} {path}: {answer.status_code} {answer.text}")
                    return answer
                self._ledger.count("requests repeated after 429 or 503")
            sleep(0.05)
        raise TimeoutError(f"{method} {path} had no answer in {ANSWER_SECONDS} s")
