"""Moves: one append each, seen by everybody, at any version."""

from itertools import pairwise

import msgspec
import pytest
from domain.events import ActionTaken, GameFact, GameStarted
from domain.options import Options
from domain.refusals import Refused
from domain.rules import decide, legal_actions

from domain.actions import EndTurn, Resign
from domain.application import StaleVersion, UnknownVersion
from domain.evolve import evolve, new_game
from domain.stream import fact_of
from tests.domain.application.tables import ALL_MODULES, Visitor, visiting


def test_an_action_is_stored_with_all_that_follows(visitor: Visitor) -> None:
    started = visitor.started()
    assert started.game is not None
    seat = started.game.to_play
    action = legal_actions(started.game)[0].action
    assert seat is not None
    acted = visitor.change("act", started.id, seat, action)
    assert acted.before == started.version
    assert tuple(acted.facts) == decide(started.game, action, seat).facts
    assert acted.version == started.version + len(acted.facts)
    stored = visitor.wait(visitor.club.events(started.id, after=started.version))
    assert stored.items == tuple(acted.events)
    assert visitor.look(started.id).game == acted.game


def test_what_the_rules_refuse_is_not_stored(visitor: Visitor) -> None:
    started = visitor.started()
    assert started.game is not None
    assert started.game.to_play is not None
    for seat, action in ((started.game.to_play, EndTurn()), (1 - started.game.to_play, EndTurn()), (7, Resign())):
        with pytest.raises(Refused):
            visitor.change("act", started.id, seat, action)
    assert visitor.look(started.id).version == started.version


def test_a_table_that_has_not_begun_takes_no_action(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 2, ["Ann"], Options())
    with pytest.raises(Refused) as refused:
        visitor.change("act", opened.id, 0, Resign())
    assert refused.value.code == "not_started"


def test_who_has_not_seen_the_newest_version_is_told(visitor: Visitor) -> None:
    started = visitor.started()
    held = visitor.play(started.id, 1)
    for seen in (started.version, held.version + 1, 0, -1):
        with pytest.raises(StaleVersion) as stale:
            visitor.change("act", started.id, 0, Resign(), seen=seen)
        assert stale.value.current == held.version
    visitor.change("act", started.id, 0, Resign(), seen=held.version)


def test_every_event_tells_its_version_time_fact_and_digest(visitor: Visitor) -> None:
    started = visitor.started(ALL_MODULES, 3)
    held = visitor.play(started.id, 12)
    events = visitor.wait(visitor.club.events(started.id, full=True)).items
    assert len(events) == held.version
    plain = [msgspec.json.decode(event) for event in events]
    assert [event["version"] for event in plain] == list(range(1, held.version + 1))
    assert all(list(event)[:3] == ["version", "at", "type"] and list(event)[-1] == "digest" for event in plain)
    assert all(earlier["at"] <= later["at"] for earlier, later in pairwise(plain))
    assert len({event["digest"] for event in plain}) == held.version
    assert held.opened == plain[0]["at"]
    assert held.changed == plain[-1]["at"]
    story = visitor.wait(visitor.club.story(started.id))
    assert [event.fact for event in story] == [fact_of(n, event) for n, event in enumerate(events, 1)]


def test_the_game_can_be_looked_at_as_it_was_at_any_version(visitor: Visitor) -> None:
    started = visitor.started()
    held = visitor.play(started.id, 6)
    facts = [event.fact for event in visitor.wait(visitor.club.story(started.id))]
    game = None
    for version, fact in enumerate(facts, 1):
        if isinstance(fact, GameStarted):
            game = new_game(fact)
        elif isinstance(fact, GameFact):
            assert game is not None
            game = evolve(game, fact)
        then = visitor.look(started.id, version)
        assert then.version == version
        assert then.game == game
    for version in (0, -1, held.version + 1):
        with pytest.raises(UnknownVersion) as unknown:
            visitor.look(started.id, version)
        assert unknown.value.newest == held.version


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_a_stream_can_be_read_in_parts(memory: Visitor, limit: int, full: bool) -> None:
    started = memory.started()
    for number in range(4):
        memory.play(started.id, 3, number)
        memory.change("undo", started.id, None)
    whole = memory.wait(memory.club.events(started.id, full=full))
    parts: list[bytes] = []
    after: int | None = 0
    while after is not None:
        part = memory.wait(memory.club.events(started.id, after=after, limit=limit, full=full))
        assert len(part.items) <= limit
        assert part.version == whole.version
        parts += part.items
        after = part.next
    assert tuple(parts) == whole.items


def test_the_whole_stream_shows_what_was_taken_back_and_the_other_does_not(memory: Visitor) -> None:
    started = memory.started()
    before = memory.play(started.id, 3)
    memory.play(started.id, 1, seed=1)
    memory.change("undo", started.id, None, before.version)
    full = memory.wait(memory.club.events(started.id, full=True)).items
    in_force = memory.wait(memory.club.events(started.id)).items
    assert in_force == full[: before.version]
    assert msgspec.json.decode(full[-1])["type"] == "undone"


def test_a_game_can_be_played_to_its_end(visitor: Visitor) -> None:
    started = visitor.started(ALL_MODULES, 4)
    held = visitor.play(started.id, 2000)
    assert held.table.status == "finished"
    assert held.game is not None
    assert held.game.ending is not None
    assert held.table.winners == held.game.ending.winners
    with pytest.raises(Refused, match="over"):
        visitor.change("act", started.id, 0, Resign())
    actions = [e for e in visitor.wait(visitor.club.story(started.id)) if isinstance(e.fact, ActionTaken)]
    assert len(actions) > 20


def test_a_club_holds_few_games_and_still_knows_all(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        games = [visitor.started() for _ in range(5)]
        for game in games:
            visitor.play(game.id, 2)
        versions = [visitor.look(game.id).version for game in games]
    with visiting(shared_url, games_held=2) as visitor:
        for _ in range(2):
            assert [visitor.look(game.id).version for game in games] == versions
            assert [visitor.look(game.id, 9).version for game in games] == [9] * 5
