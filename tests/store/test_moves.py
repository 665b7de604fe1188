"""Moves: one append each, seen by everybody, at any version."""

from itertools import pairwise

import msgspec
import pytest

from domain.actions import EndTurn, Resign
from domain.decide import decide, legal_actions
from domain.evolve import evolve, new_game
from domain.modules import ActionTaken, GameFact, GameOptions, GameStarted
from domain.refused import Refused
from domain.store import StaleVersion, UnknownVersion, commands
from domain.stream import fact_of
from tests.store.clients import ALL_MODULES, Client, connected


def test_an_action_is_stored_with_all_that_follows(client: Client) -> None:
    started = client.started()
    assert started.loaded.game is not None
    seat = started.loaded.game.to_play
    action = legal_actions(started.loaded.game)[0].action
    assert seat is not None
    acted = client.change(started.id, commands.act(seat, action))
    assert acted.before == started.version
    assert tuple(acted.facts) == decide(started.loaded.game, action, seat).facts
    assert acted.version == started.version + len(acted.facts)
    stored = client.wait(client.service.events(started.id, after=started.version))
    assert stored.items == tuple(acted.events)
    assert client.load(started.id).game == acted.loaded.game


def test_what_the_rules_refuse_is_not_stored(client: Client) -> None:
    started = client.started()
    assert started.loaded.game is not None
    assert started.loaded.game.to_play is not None
    for seat, action in (
        (started.loaded.game.to_play, EndTurn()),
        (1 - started.loaded.game.to_play, EndTurn()),
        (7, Resign()),
    ):
        with pytest.raises(Refused):
            client.change(started.id, commands.act(seat, action))
    assert client.load(started.id).version == started.version


def test_a_table_that_has_not_begun_takes_no_action(client: Client) -> None:
    opened = client.open_table(2, ["Ann"], GameOptions())
    with pytest.raises(Refused) as refused:
        client.change(opened.id, commands.act(0, Resign()))
    assert refused.value.code == "not_started"


def test_an_expected_version_that_is_not_the_newest_is_stale(client: Client) -> None:
    started = client.started()
    loaded = client.play(started.id, 1)
    for seen in (started.version, loaded.version + 1, 0, -1):
        with pytest.raises(StaleVersion) as stale:
            client.change(started.id, commands.act(0, Resign()), expected_version=seen)
        assert stale.value.current == loaded.version
    client.change(started.id, commands.act(0, Resign()), expected_version=loaded.version)


def test_every_event_tells_its_version_time_fact_and_digest(client: Client) -> None:
    started = client.started(ALL_MODULES, 3)
    loaded = client.play(started.id, 12)
    events = client.wait(client.service.events(started.id, full=True)).items
    assert len(events) == loaded.version
    plain = [msgspec.json.decode(event) for event in events]
    assert [event["version"] for event in plain] == list(range(1, loaded.version + 1))
    assert all(list(event)[:3] == ["version", "at", "type"] and list(event)[-1] == "digest" for event in plain)
    assert all(earlier["at"] <= later["at"] for earlier, later in pairwise(plain))
    assert len({event["digest"] for event in plain}) == loaded.version
    assert loaded.opened_at == plain[0]["at"]
    assert loaded.changed_at == plain[-1]["at"]
    effective = client.recorded(started.id)
    assert [event.fact for event in effective] == [fact_of(n, event) for n, event in enumerate(events, 1)]


def test_the_game_can_be_looked_at_as_it_was_at_any_version(client: Client) -> None:
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
def test_a_stream_can_be_read_in_parts(memory: Client, limit: int, full: bool) -> None:
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


def test_the_whole_stream_shows_what_was_taken_back_and_the_other_does_not(memory: Client) -> None:
    started = memory.started()
    before = memory.play(started.id, 3)
    memory.play(started.id, 1, seed=1)
    memory.change(started.id, commands.undo(None, before.version))
    full = memory.wait(memory.service.events(started.id, full=True)).items
    in_force = memory.wait(memory.service.events(started.id)).items
    assert in_force == full[: before.version]
    assert msgspec.json.decode(full[-1])["type"] == "undone"


def test_a_game_can_be_played_to_its_end(client: Client) -> None:
    started = client.started(ALL_MODULES, 4)
    loaded = client.play(started.id, 2000)
    assert loaded.table.status == "finished"
    assert loaded.game is not None
    assert loaded.game.ending is not None
    assert loaded.table.winners == loaded.game.ending.winners
    with pytest.raises(Refused, match="over"):
        client.change(started.id, commands.act(0, Resign()))
    actions = [e for e in client.recorded(started.id) if isinstance(e.fact, ActionTaken)]
    assert len(actions) > 20


def test_a_small_cache_still_serves_all_games(shared_url: str) -> None:
    with connected(shared_url) as client:
        games = [client.started() for _ in range(5)]
        for game in games:
            client.play(game.id, 2)
        versions = [client.load(game.id).version for game in games]
    with connected(shared_url, cache_bytes=1) as client:
        for _ in range(2):
            assert [client.load(game.id).version for game in games] == versions
            assert [client.load(game.id, 9).version for game in games] == [9] * 5
