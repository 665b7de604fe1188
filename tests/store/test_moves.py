"""Moves are stored by one append each, or refused by the rules or the version."""

import pytest

from domain.actions import EndTurn, Resign
from domain.decide import decide, legal_actions
from domain.modules import ActionTaken
from domain.refused import Refused
from domain.store import StaleVersion, commands
from tests.store.clients import ALL_MODULES, Client


def test_an_action_is_stored_with_its_consequences(client: Client) -> None:
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


def test_a_refused_action_is_not_stored(memory: Client) -> None:
    started = memory.started()
    assert started.loaded.game is not None
    assert started.loaded.game.to_play is not None
    for seat, action in (
        (started.loaded.game.to_play, EndTurn()),
        (1 - started.loaded.game.to_play, EndTurn()),
        (7, Resign()),
    ):
        with pytest.raises(Refused):
            memory.change(started.id, commands.act(seat, action))
    assert memory.load(started.id).version == started.version


def test_a_table_that_has_not_started_takes_no_action(memory: Client) -> None:
    opened = memory.open_table()
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.act(0, Resign()))
    assert refused.value.code == "not_started"


def test_an_older_expected_version_is_stale(client: Client) -> None:
    started = client.started()
    loaded = client.play(started.id, 1)
    for seen in (started.version, loaded.version + 1, 0, -1):
        with pytest.raises(StaleVersion) as stale:
            client.change(started.id, commands.act(0, Resign()), expected_version=seen)
        assert stale.value.current == loaded.version
    client.change(started.id, commands.act(0, Resign()), expected_version=loaded.version)


def test_a_game_can_be_played_to_its_end(memory: Client) -> None:
    started = memory.started(ALL_MODULES, 4)
    loaded = memory.play(started.id, 2000)
    assert loaded.table.status == "finished"
    assert loaded.game is not None
    assert loaded.game.ending is not None
    assert loaded.table.winners == loaded.game.ending.winners
    with pytest.raises(Refused, match="over"):
        memory.change(started.id, commands.act(0, Resign()))
    actions = [e for e in memory.recorded(started.id) if isinstance(e.fact, ActionTaken)]
    assert len(actions) > 20
