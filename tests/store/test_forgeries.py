"""Records by somebody who knows how to make the chain of digests: each is refused, or might have been played."""

import json
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
import pytest

from domain.audit import audit
from domain.records import RecordRefused, verify_record
from domain.store import commands
from domain.stream import origin
from tests.store.clients import ALL_MODULES, connected
from tests.support.soak import soak_factor

FORGERIES = 80 * soak_factor()
ODD: tuple[Any, ...] = (
    None,
    0,
    -1,
    5,
    99,
    2**63,
    -(2**70),
    1.5,
    True,
    "",
    "x",
    "detroit",
    "\0",
    "../..",
    "a" * 5000,
    [],
    {},
)


@pytest.fixture(scope="module")
def document() -> Any:
    """A game of which something was taken back."""
    with connected("memory:") as client:
        started = client.started(ALL_MODULES, 3)
        client.play(started.id, 15)
        client.change(started.id, commands.undo(1))
        client.play(started.id, 15, seed=1)
        return json.loads(client.export_record(started.id))


def spoiled(value: Any, random: Random) -> Any:
    """The same with one thing in it changed."""
    if value and isinstance(value, dict):
        key = random.choice([*value])
        return {**value, key: spoiled(value[key], random)}
    if value and isinstance(value, list):
        place = random.randrange(len(value))
        return [*value[:place], spoiled(value[place], random), *value[place + 1 :]]
    return random.choice(ODD)


def chained(game: str, events: list[Any]) -> list[Any]:
    """The events with the digests that belong to them."""
    digest = origin(game)
    for event in events:
        event.pop("digest", None)
        digest = sha256(digest + msgspec.json.encode(event)).digest()
        event["digest"] = digest.hex()
    return events


@pytest.mark.parametrize("seed", range(FORGERIES))
def test_no_forgery_comes_in_that_could_not_have_been_played(document: Any, seed: int) -> None:
    random = Random(seed)
    events = [dict(event) for event in document["events"]]
    place = random.randrange(len(events))
    events[place] = {**spoiled(events[place], random), "version": place + 1}
    forged = {**document, "events": chained(document["game"], events[: random.choice((place + 1, len(events)))])}
    try:
        verified = verify_record(json.dumps(forged).encode())
    except RecordRefused:
        return
    assert audit(verified.game, [*enumerate(verified.events, 1)]).ok
