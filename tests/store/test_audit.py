"""The audit finds every change of stored events, and where it is."""

from collections.abc import Callable
from functools import partial
from itertools import islice, pairwise
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.audit import Audit, audit
from domain.facts import IncomeReceived, TownFounded
from domain.modules import ActionTaken, Fact, GameOptions, TableOpened
from domain.store import commands
from domain.store.tokens import HOST
from domain.stream import UnreadableEvent, fact_of, origin, write
from domain.table import NewPlayer
from domain.table_facts import Redone, SeatTaken, TokenRenewed, Undone
from tests.store.clients import ALL_MODULES, QUICK, Client, Run, connected, stored_rows
from tests.support.soak import soak_factor

STEP = max(1, 97 // soak_factor())
"""The distance between changed bytes."""


def game_with_everything(client: Client) -> UUID:
    started = client.started(ALL_MODULES, 2)
    client.play(started.id, 12)
    client.change(started.id, commands.renew_token(1))
    client.change(started.id, commands.undo(1))
    client.play(started.id, 3, seed=1)
    client.change(started.id, commands.undo(None))
    client.change(started.id, commands.renew_token(None, token=started.tokens[HOST]))
    client.change(started.id, commands.redo(0))
    return started.id


Rows = dict[int, bytes]


def store(run: Run, game: UUID, changed: Rows) -> None:
    """Replace all stored rows of a game."""
    run("DELETE FROM stored_events WHERE originator_id = ?", game.hex)
    for version, text in changed.items():
        run(
            "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, 'game', ?)",
            *(game.hex, version, text),
        )


def with_events(rows: Rows, change: Callable[[list[bytes]], None]) -> Rows:
    """Change the events and keep the length of each row."""
    events = [event for text in rows.values() for event in text.split(b"\n")]
    change(events)
    changed, left = {}, iter(events)
    for version, text in rows.items():
        changed[version] = b"\n".join(islice(left, text.count(b"\n") + 1))
    return changed


def first_difference(found: Audit) -> int:
    assert not found.ok
    assert found.first_difference is not None
    return found.first_difference.version


def test_a_sound_game_passes(client: Client) -> None:
    game = game_with_everything(client)
    found = client.audit(game)
    assert found == Audit(ok=True, events=client.load(game).version, chain_ok=True, replay_ok=True)


@pytest.mark.parametrize("policy", ["turn", "agree", "free", "off"])
def test_games_under_every_undo_policy_pass(memory: Client, policy: Any) -> None:
    opened = memory.open_table(3, ["Ann"], GameOptions(undo=policy))
    memory.change(opened.id, commands.take_seat("Bob"))
    memory.change(opened.id, commands.close)
    memory.change(opened.id, commands.start)
    loaded = memory.play(opened.id, 6)
    assert loaded.game is not None
    if policy == "agree":
        memory.change(opened.id, commands.undo(0))
        memory.change(opened.id, commands.answer_undo(1, True))
        memory.change(opened.id, commands.redo(1))
        memory.change(opened.id, commands.answer_undo(0, False))
    memory.play(opened.id, 2000)
    assert memory.audit(opened.id).ok


def test_a_changed_byte_of_any_event_shows(client: Client, run: Run) -> None:
    game = game_with_everything(client)
    stored = stored_rows(run, game)
    for first, text in stored.items():
        for index in {*range(first % 11, len(text), STEP), *_ends_of_events(text), len(text) - 1}:
            for byte in (text[index] ^ 1, 0xFF):
                run(_CHANGE, bytes([*text[:index], byte, *text[index + 1 :]]), game.hex, first)
                assert first_difference(client.audit(game)) == first + text.count(b"\n", 0, index)
        run(_CHANGE, text, game.hex, first)
    assert client.audit(game).ok


_CHANGE = "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?"


def _ends_of_events(text: bytes) -> set[int]:
    return {index for index, byte in enumerate(text) if byte == ord("\n")}


def test_a_dropped_event_shows(client: Client, run: Run) -> None:
    game = game_with_everything(client)
    stored = stored_rows(run, game)
    for first in stored:
        store(run, game, {version: text for version, text in stored.items() if version != first})
        assert first_difference(client.audit(game)) == first
    for version in range(1, number_of_events(stored) + 1):
        store(run, game, without(stored, version))
        assert first_difference(client.audit(game)) == version
    store(run, game, stored)
    assert client.audit(game).ok
    for version in range(number_of_events(stored), 0, -1):
        stored = without(stored, version)
        store(run, game, stored)
        found = client.audit(game)
        assert first_difference(found) == version
        assert not found.chain_ok


def number_of_events(stored: Rows) -> int:
    return sum(text.count(b"\n") + 1 for text in stored.values())


def without(stored: Rows, version: int) -> Rows:
    """The rows without one event."""
    changed = {}
    for first, text in stored.items():
        left = [event for number, event in enumerate(text.split(b"\n"), first) if number != version]
        if left:
            changed[first] = b"\n".join(left)
    return changed


def test_a_cut_end_shows_although_the_game_went_on(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = game_with_everything(client)
        length = client.load(game).version
    store(run, game, without(stored_rows(run, game), length))
    with connected(database_url) as client:
        assert client.load(game).version == length - 1
        client.play(game, 3)
        found = client.audit(game)
        assert not found.chain_ok


def test_a_stream_with_a_gap_is_not_played_on(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = client.started().id
    store(run, game, without(stored_rows(run, game), 6))
    with connected(database_url) as client, pytest.raises(UnreadableEvent, match="missing"):
        client.load(game)


def test_swapped_events_show(client: Client, run: Run) -> None:
    game = game_with_everything(client)
    stored = stored_rows(run, game)
    for version in range(1, number_of_events(stored)):
        store(run, game, with_events(stored, partial(swap, version)))
        assert first_difference(client.audit(game)) == version
    for (one, text), (other, next_text) in pairwise(stored.items()):
        store(run, game, {**stored, one: next_text, other: text})
        assert first_difference(client.audit(game)) == one
    store(run, game, stored)
    assert client.audit(game).ok


def swap(version: int, events: list[bytes]) -> None:
    """Swap an event with the next one."""
    events[version - 1], events[version] = events[version], events[version - 1]


def test_the_events_of_another_game_show(client: Client, run: Run) -> None:
    one, other = client.started(QUICK), client.started(QUICK)
    store(run, other.id, stored_rows(run, one.id))
    assert client.audit(one.id).ok
    assert first_difference(client.audit(other.id)) == 1


# --- a forger who rebuilds the chain ---------------------------------------------------------------------------------


def forged(game: UUID, facts: list[Fact]) -> list[tuple[int, bytes]]:
    events, _ = write(0, origin(str(game)), "2026-01-31T18:00:00.000000Z", facts)
    return list(enumerate(events, 1))


@pytest.fixture(scope="module")
def facts() -> list[Fact]:
    with connected("memory:") as client:
        game = game_with_everything(client)
        events = client.events(game, full=True)
    return [fact_of(version, event) for version, event in enumerate(events, 1)]


GAME = UUID(int=1)


def audited(facts: list[Fact]) -> Audit:
    return audit(str(GAME), forged(GAME, facts))


def first_index(facts: list[Fact], kind: type) -> int:
    return next(index for index, fact in enumerate(facts) if isinstance(fact, kind))


def test_facts_that_do_not_follow_show_although_the_chain_is_intact(facts: list[Fact]) -> None:
    assert audited(facts).ok
    where = first_index(facts, IncomeReceived)
    income = facts[where]
    assert isinstance(income, IncomeReceived)
    richer = msgspec.structs.replace(income, dollars=income.dollars + 1)
    found = audited([*facts[:where], richer, *facts[where + 1 :]])
    assert (found.ok, found.chain_ok, found.replay_ok) == (False, True, False)
    assert found.first_difference is not None
    assert (found.first_difference.version, found.first_difference.stored) == (where + 1, richer)
    assert found.first_difference.expected == income


@pytest.mark.parametrize("kind", [SeatTaken, TownFounded, ActionTaken, IncomeReceived])
def test_missing_and_repeated_facts_show(facts: list[Fact], kind: type) -> None:
    where = first_index(facts, kind)
    for changed in (facts[:where] + facts[where + 1 :], [*facts[:where], facts[where], *facts[where:]]):
        found = audited(changed)
        assert found.chain_ok
        assert not found.replay_ok
        assert where + 1 <= first_difference(found) <= where + 2


def test_a_decision_without_its_consequences_shows(facts: list[Fact]) -> None:
    actions = [index for index, fact in enumerate(facts) if isinstance(fact, ActionTaken)]
    for where in actions:
        found = audited(facts[: where + 1])
        assert first_difference(found) == where + 2


def test_every_change_of_a_number_shows(facts: list[Fact]) -> None:
    """Except where the result is another allowed decision: more seats, an undo by somebody else."""
    for where, fact in enumerate(facts):
        if isinstance(fact, TableOpened | Undone | Redone):
            continue
        for name in fact.__struct_fields__:
            value = getattr(fact, name)
            if isinstance(value, int) and not isinstance(value, bool):
                changed = msgspec.structs.replace(fact, **{name: value + 1})
                assert not audited([*facts[:where], changed, *facts[where + 1 :]]).replay_ok, (where, fact, name)


@pytest.mark.parametrize(
    ("renewed", "code"),
    [
        (TokenRenewed(1, "host"), "bot_seat"),
        (TokenRenewed(1, "holder"), "bot_seat"),
        (TokenRenewed(2, "host"), "unknown_seat"),
        (TokenRenewed(-1, "holder"), "unknown_seat"),
        (TokenRenewed(None, "holder"), "host_only"),
    ],
)
def test_an_impossible_renewal_shows(memory: Client, renewed: TokenRenewed, code: str) -> None:
    """Renewals for a bot, for an empty seat, and of the host's token by a player: at a table and in a game."""
    bot = NewPlayer(None, bot="random")
    for game in (memory.open_table(3, ["Ann", bot], QUICK), memory.open_table(2, ["Ann", bot], QUICK)):
        events = memory.events(game.id, full=True)
        facts = [fact_of(version, event) for version, event in enumerate(events, 1)]
        assert audited([*facts, TokenRenewed(0, "host"), TokenRenewed(0, "holder"), TokenRenewed(None, "host")]).ok
        found = audited([*facts, renewed])
        assert (found.chain_ok, first_difference(found)) == (True, len(facts) + 1)
        assert found.first_difference is not None
        assert found.first_difference.stored == renewed
        assert str(found.first_difference.expected).startswith(code)


def test_a_renewal_before_the_player_sat_down_shows(facts: list[Fact]) -> None:
    where = first_index(facts, SeatTaken)
    found = audited([*facts[:where], TokenRenewed(0, "host"), *facts[where:]])
    assert first_difference(found) == where + 1
