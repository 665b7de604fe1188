"""Streams: events with their versions and times, at any version, with or without undone events."""

from itertools import pairwise

import msgspec
import pytest

from domain.evolve import evolve, new_game
from domain.modules import GameFact, GameStarted
from domain.store import UnknownVersion, commands
from domain.store.archive import effective_events, event_page
from domain.store.database import LiveDatabase
from domain.store.games import LoadedGames
from domain.stream import fact_of
from tests.store.clients import ALL_MODULES, Client, CountingDatabase

UNDOS = 60


def test_every_event_has_its_version_time_fact_and_digest(memory: Client) -> None:
    started = memory.started(ALL_MODULES, 3)
    loaded = memory.play(started.id, 12)
    events = memory.events(started.id, full=True)
    assert len(events) == loaded.version
    plain = [msgspec.json.decode(event) for event in events]
    assert [event["version"] for event in plain] == list(range(1, loaded.version + 1))
    assert all(list(event)[:3] == ["version", "at", "type"] and list(event)[-1] == "digest" for event in plain)
    assert all(earlier["at"] <= later["at"] for earlier, later in pairwise(plain))
    assert len({event["digest"] for event in plain}) == loaded.version
    assert loaded.opened_at == plain[0]["at"]
    assert loaded.changed_at == plain[-1]["at"]
    effective = memory.recorded(started.id)
    assert [event.fact for event in effective] == [fact_of(n, event) for n, event in enumerate(events, 1)]


def test_a_game_can_be_read_at_any_version(client: Client) -> None:
    started = client.started()
    loaded = client.play(started.id, 6)
    facts = [event.fact for event in client.recorded(started.id)]
    game = None
    for version, fact in enumerate(facts, 1):
        if isinstance(fact, GameStarted):
            game = new_game(fact)
        elif isinstance(fact, GameFact):
            assert game is not None
            game = evolve(game, fact)
        then = client.load(started.id, version)
        assert then.version == version
        assert then.game == game
    for version in (0, -1, loaded.version + 1):
        with pytest.raises(UnknownVersion) as unknown:
            client.load(started.id, version)
        assert unknown.value.newest == loaded.version


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_a_stream_can_be_read_in_pages(memory: Client, limit: int, full: bool) -> None:
    started = memory.started()
    for number in range(4):
        memory.play(started.id, 3, number)
        memory.change(started.id, commands.undo(None))
    whole = memory.wait(memory.service.events(started.id, full=full))
    parts: list[bytes] = []
    after: int | None = 0
    while after is not None:
        part = memory.wait(memory.service.events(started.id, after=after, limit=limit, full=full))
        assert len(part.items) <= limit
        assert part.version == whole.version
        parts += part.items
        after = part.next
    assert tuple(parts) == whole.items


def test_only_the_full_stream_holds_undone_events(memory: Client) -> None:
    started = memory.started()
    before = memory.play(started.id, 3)
    memory.play(started.id, 1, seed=1)
    memory.change(started.id, commands.undo(None, before.version))
    full = memory.events(started.id, full=True)
    in_force = memory.events(started.id)
    assert in_force == full[: before.version]
    assert msgspec.json.decode(full[-1])["type"] == "undone"


def test_undone_events_are_not_read(database: LiveDatabase, client: Client) -> None:
    game = client.started().id
    for seed in range(UNDOS):
        client.play(game, 1 + (seed % 20 == 0), seed)
        client.change(game, commands.undo(None))
    full, effective = client.events(game, full=True), client.events(game)
    loaded = LoadedGames(database, 1).load(game)
    counting = CountingDatabase(database)
    recorded = effective_events(counting, loaded)
    assert len(recorded) == len(effective) < len(full)
    assert counting.rows < UNDOS / 6
    for after in range(len(effective)):
        counting.rows = 0
        page = event_page(counting, loaded, after, 5, full=False)
        later = [event for event, one in zip(effective, recorded, strict=True) if one.version > after]
        assert page.items == tuple(later[:5])
        assert counting.rows <= 5
