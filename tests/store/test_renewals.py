"""Renewed tokens in the stream: undo keeps renewals, and so do forks and records."""

from uuid import UUID

import msgspec
import pytest

from domain.modules import ActionTaken, Fact, GameOptions
from domain.records import RecordRefused
from domain.refused import Refused
from domain.store import LoadedGame, TokenHolder, commands
from domain.store.tokens import HOST
from domain.stream import fact_of, rechain
from domain.table import NewPlayer, effective_versions
from domain.table_facts import Redone, TokenRenewed, Undone
from tests.store.clients import QUICK, Client, connected, without_import

SEAT_0, SEAT_1, OF_HOST = TokenRenewed(0, "host"), TokenRenewed(1, "host"), TokenRenewed(None, "host")


def effective(client: Client, game: UUID) -> list[Fact]:
    return facts(client.events(game))


def facts(events: tuple[bytes, ...]) -> list[Fact]:
    return [fact_of(msgspec.json.decode(event)["version"], event) for event in events]


def renewals(client: Client, game: UUID) -> list[Fact]:
    """The renewals among the events in force."""
    found = [fact for fact in effective(client, game) if isinstance(fact, TokenRenewed)]
    assert found == [event.fact for event in client.recorded(game) if isinstance(event.fact, TokenRenewed)]
    return list(found)


def undone_game(client: Client) -> tuple[UUID, LoadedGame, LoadedGame]:
    """A game with three renewals between undone actions; the games before and after those actions."""
    started = client.started(GameOptions(seed=7, undo="free", private=True))
    before = client.play(started.id, 3)
    client.change(started.id, commands.renew_token(0))
    client.play(started.id, 2, seed=1)
    client.change(started.id, commands.renew_token(None, token=started.tokens[HOST]))
    client.play(started.id, 1, seed=2)
    after = client.change(started.id, commands.renew_token(1)).loaded
    client.change(started.id, commands.undo(None, before.version))
    return started.id, before, after


def test_an_undo_keeps_renewals(client: Client) -> None:
    game, before, _ = undone_game(client)
    loaded = client.load(game)
    assert loaded.game == before.game
    assert renewals(client, game) == [SEAT_0, OF_HOST, SEAT_1]
    stored = facts(client.events(game, full=True))
    assert sum(isinstance(fact, ActionTaken) for fact in stored) == 6
    assert sum(isinstance(fact, ActionTaken) for fact in effective(client, game)) == 3
    assert client.audit(game).ok


def test_a_redo_works_across_renewals(client: Client) -> None:
    game, before, after = undone_game(client)
    client.change(game, commands.renew_token(0))
    redone = client.change(game, commands.redo(None))
    assert isinstance(redone.facts[0], Redone)
    assert redone.loaded.game == after.game != before.game
    assert renewals(client, game) == [SEAT_0, OF_HOST, SEAT_1, SEAT_0]
    client.change(game, commands.undo(None, before.version))
    client.change(game, commands.redo(None))
    assert renewals(client, game) == [SEAT_0, OF_HOST, SEAT_1, SEAT_0]
    assert client.play(game, 2).version > redone.version
    assert client.audit(game).ok


def test_an_undo_of_one_action_ignores_the_renewals_after_it(memory: Client) -> None:
    game = memory.started().id
    before = memory.play(game, 2)
    after = memory.play(game, 1, seed=1)
    for seat in (0, 1, 0):
        memory.change(game, commands.renew_token(seat))
    undone = memory.change(game, commands.undo(None))
    assert undone.facts == [Undone(None, before.version, "host")]
    assert undone.loaded.game == before.game
    assert memory.change(game, commands.redo(None)).loaded.game == after.game
    assert renewals(memory, game) == [SEAT_0, SEAT_1, SEAT_0]


def test_an_undo_to_a_renewal_is_refused(memory: Client) -> None:
    game = memory.started().id
    memory.play(game, 2)
    renewed = memory.change(game, commands.renew_token(0)).version
    memory.play(game, 1)
    with pytest.raises(Refused) as refused:
        memory.change(game, commands.undo(None, renewed))
    assert refused.value.code == "not_a_boundary"
    assert memory.change(game, commands.undo(None, renewed - 1)).loaded.game == memory.load(game, renewed).game


def test_a_renewal_keeps_redos_and_proposals(memory: Client) -> None:
    game = memory.started(GameOptions(seed=7, undo="agree")).id
    after = memory.play(game, 3)
    memory.change(game, commands.undo(0))
    proposed = memory.change(game, commands.renew_token(0))
    assert proposed.table.proposal is not None
    memory.change(game, commands.answer_undo(1, True))
    memory.change(game, commands.renew_token(1))
    memory.change(game, commands.redo(1))
    assert memory.change(game, commands.answer_undo(0, True)).loaded.game == after.game
    assert memory.audit(game).ok


def test_a_fork_and_a_record_keep_renewals(memory: Client) -> None:
    game, before, _ = undone_game(memory)
    fork = memory.fork(game)
    assert fork.loaded.game == before.game
    assert renewals(memory, fork.id) == [SEAT_0, OF_HOST, SEAT_1]
    assert not any(isinstance(fact, Undone) for fact in fork.facts)
    record = memory.export_record(game)
    with connected("memory:") as elsewhere:
        imported = elsewhere.import_record(record)
        assert effective(elsewhere, imported.id)[:-1] == effective(memory, game)
        assert without_import(elsewhere.export_record(imported.id)) == record
        assert elsewhere.audit(imported.id).ok
        again = elsewhere.import_record(memory.export_record(fork.id))
        assert renewals(elsewhere, again.id) == [SEAT_0, OF_HOST, SEAT_1]
        assert elsewhere.play(again.id, 3).version > again.version
        assert elsewhere.audit(again.id).ok
    assert memory.play(fork.id, 2).version > fork.version
    assert memory.audit(fork.id).ok


def test_a_fork_from_before_a_renewal_does_not_contain_it(memory: Client) -> None:
    game, before, after = undone_game(memory)
    for at, kept in ((before.version, []), (before.version + 1, [SEAT_0]), (after.version, [SEAT_0, OF_HOST, SEAT_1])):
        fork = memory.fork(game, at)
        assert renewals(memory, fork.id) == kept
        assert memory.audit(fork.id).ok


def test_every_version_has_the_renewals_up_to_it(memory: Client) -> None:
    game, _, _ = undone_game(memory)
    memory.change(game, commands.redo(None))
    stored = facts(memory.events(game, full=True))
    for version in range(1, len(stored) + 1):
        table = memory.load(game, version).table
        kept = [one for part in effective_versions(table, version) for one in part]
        renewed = [at for at, fact in enumerate(stored[:version], 1) if isinstance(fact, TokenRenewed)]
        assert kept == sorted(set(kept))
        assert set(renewed) <= set(kept)


def test_pages_of_events_in_force_hold_renewals_in_order(client: Client) -> None:
    game, _, _ = undone_game(client)
    whole = client.events(game)
    versions = [msgspec.json.decode(event)["version"] for event in whole]
    assert versions == sorted(set(versions))
    for after in range(versions[-1] + 1):
        page = client.events(game, after=after, limit=4)
        expected = [event for event, version in zip(whole, versions, strict=True) if version > after]
        assert list(page) == expected[:4]


def test_tokens_are_renewed_at_an_open_table_and_after_the_end(memory: Client) -> None:
    opened = memory.open_table(3, ["Ann"], QUICK)
    renewed = memory.change(opened.id, commands.renew_token(0))
    memory.change(opened.id, commands.take_seat("Bob"))
    memory.change(opened.id, commands.start)
    assert memory.find_token(renewed.tokens[0]) == TokenHolder(opened.id, 0)
    assert memory.play(opened.id, 2000).table.status == "finished"
    memory.change(opened.id, commands.renew_token(1))
    assert memory.load(opened.id).table.status == "finished"
    memory.change(opened.id, commands.undo(None))
    assert renewals(memory, opened.id) == [SEAT_0, SEAT_1]
    assert memory.audit(opened.id).ok
    (entry,) = memory.lobby().items
    assert entry.version == memory.load(opened.id).version


def test_empty_seats_and_bots_have_no_token_to_renew(memory: Client) -> None:
    opened = memory.open_table(4, ["Ann", NewPlayer(None, bot="random")], GameOptions())
    for seat, code in ((1, "bot_seat"), (2, "unknown_seat"), (7, "unknown_seat")):
        with pytest.raises(Refused) as refused:
            memory.change(opened.id, commands.renew_token(seat))
        assert refused.value.code == code
    assert memory.load(opened.id).version == opened.version


def test_a_record_with_an_impossible_renewal_is_refused(memory: Client) -> None:
    game = memory.started().id
    renewed = memory.change(game, commands.renew_token(1)).version
    document = msgspec.json.decode(memory.export_record(game))
    assert document["events"][-1]["seat"] == 1
    for seat, by in ((2, "host"), (None, "holder")):
        document["events"][-1] |= {"seat": seat, "by": by}
        events = rechain(document["game"], map(msgspec.json.encode, document["events"]))
        forged = msgspec.json.encode(document | {"events": [msgspec.Raw(event) for event in events]})
        with pytest.raises(RecordRefused) as refused:
            memory.import_record(forged)
        assert refused.value.where == f"event {renewed}"
