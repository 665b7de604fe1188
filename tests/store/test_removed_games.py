"""Removed games: what the audit finds of them, records of them, and the disk."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from domain.audit import Audit
from domain.records import RecordRefused
from domain.store import StorageUnavailable, UnknownGame
from domain.stream import write
from domain.table_facts import GameRemoved
from tests.store.behind import behind
from tests.store.clients import QUICK, Client, connected


def removed(client: Client, game: UUID) -> str:
    return client.wait(client.service.remove(game))


def test_the_audit_finds_whatever_is_not_as_a_removal_leaves_it(shared_url: str) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        with behind(shared_url) as run:
            rows = run("SELECT originator_version, state FROM stored_events WHERE originator_id = ?", game.hex)
        length = client.load(game).version
        removed(client, game)

        def found(statement: str, *values: object) -> Audit:
            """The audit after a change, which is taken back."""
            with behind(shared_url) as run:
                before = run("SELECT version, digest FROM heads"), run("SELECT state FROM stored_events")
                run(statement, *values)
                audited = client.audit(game)
                run("DELETE FROM stored_events WHERE originator_version <> ?", length + 1)
                run("UPDATE stored_events SET state = ?", before[1][0][0])
                run("DELETE FROM heads")
                run("INSERT INTO heads (game, prior, version, digest) VALUES (?, -1, ?, ?)", game.hex, *before[0][0])
            assert not audited.ok
            assert not audited.chain_ok
            with pytest.raises(UnknownGame, match="removed"):
                client.audit(game)
            return audited

        insert = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, 'game', ?)"
        for version, state in rows:
            assert difference(found(insert, game.hex, version, bytes(state))) == (version, "version")
        assert difference(found(insert, game.hex, length + 2, b"more")) == (length + 2, "version")
        assert difference(found("UPDATE heads SET version = version + 1")) == (length + 2, "end")
        assert difference(found("UPDATE heads SET version = version - 1")) == (length + 1, "end")
        assert difference(found("DELETE FROM heads")) == (length + 1, "head")
        assert difference(found("UPDATE heads SET digest = ?", bytes(32))) == (length + 1, "digest")


def difference(audited: Audit) -> tuple[int, str]:
    assert audited.first_difference is not None
    return audited.first_difference.version, audited.first_difference.what


def test_a_changed_byte_of_the_event_of_a_removal_shows(shared_url: str) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        removed(client, game)
        with behind(shared_url) as run:
            ((state,),) = run("SELECT state FROM stored_events")
            event = bytes(state)
            for place in range(len(event)):
                run(
                    "UPDATE stored_events SET state = ?", event[:place] + bytes([event[place] ^ 1]) + event[place + 1 :]
                )
                assert not client.audit(game).ok, event[place:]
            run("UPDATE stored_events SET state = ?", event)
        with pytest.raises(UnknownGame, match="removed"):
            client.audit(game)


def test_the_record_of_a_removed_game_gets_another_id(client: Client) -> None:
    game = client.started().id
    document = client.export_record(game)
    removed(client, game)
    imported = client.import_record(document)
    assert imported.id != game
    assert client.audit(imported.id).ok


def test_no_record_holds_a_removal(memory: Client) -> None:
    game = memory.started()
    record = msgspec.json.decode(memory.export_record(game.id))
    loaded = memory.load(game.id)
    (event,), _ = write(
        loaded.version, loaded.digest, loaded.changed_at, [GameRemoved(prior=loaded.digest.hex(), private=False)]
    )
    record["events"].append(msgspec.json.decode(event))
    with pytest.raises(RecordRefused, match="game_removed"):
        memory.import_record(msgspec.json.encode(record))


def test_a_removal_comes_no_earlier_than_the_last_event(client: Client, clock: Callable[[str], None]) -> None:
    last = client.started().loaded
    clock("2020-01-01T00:00:00Z")
    assert removed(client, last.id) == last.changed_at


# --- the disk --------------------------------------------------------------------------------------------------------

NAME = "Wilhelmina Featherstonehaugh"


def on_disk(tmp_path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(tmp_path.glob("games.db*")))


def test_no_name_is_left_in_the_file(tmp_path: Path) -> None:
    with connected(f"sqlite:///{tmp_path / 'games.db'}") as client:
        game = client.open_table(2, [NAME, "Ann"], QUICK).id
        client.play(game, 50)
        client.listing()
        assert NAME.encode() in on_disk(tmp_path)
        kept = client.started().id
        removed(client, game)
        assert NAME.encode() not in on_disk(tmp_path)
        assert game.hex.encode() in on_disk(tmp_path)
        assert client.audit(kept).ok


def test_a_removal_says_if_somebody_still_reads_what_was_removed(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with connected(f"sqlite:///{file}", database_timeout=0.2) as client:
        game = client.open_table(2, [NAME, "Ann"], QUICK).id
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM stored_events").fetchone()
            with pytest.raises(StorageUnavailable, match="write-ahead log"):
                removed(client, game)
            assert NAME.encode() in on_disk(tmp_path)
        at = removed(client, game)
        assert NAME.encode() not in on_disk(tmp_path)
        with pytest.raises(UnknownGame, match=at):
            client.load(game)
