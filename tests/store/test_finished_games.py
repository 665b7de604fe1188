"""The records of finished games: each ending once, in order, from any cursor on."""

import asyncio
import json
import tracemalloc
from functools import partial
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.actions import Resign
from domain.modules import GameOptions
from domain.records import verify_record
from domain.store import FinishedGames, UnknownEnding, archive, commands
from domain.store.database import Database, LiveDatabase, Statement
from domain.store.errors import StorageUnavailable
from tests.store.clients import QUICK, Client, CountingDatabase, Run, connected
from tests.store.test_public_events import PRIVATE

Ending = tuple[str, int]
"""A game and the version of its ending."""


def finish(client: Client, options: GameOptions = QUICK) -> UUID:
    """Play a game whose second player resigns, and return its id."""
    game = client.started(options).id
    client.play(game, 3)
    client.change(game, commands.act(1, Resign()))
    return game


def ending_of(client: Client, game: UUID) -> Ending:
    """The newest version of a game, which has just ended."""
    return str(game), client.load(game).version


def read_all(database: Database, cursor: str | None = None) -> tuple[list[bytes], str | None]:
    finished = FinishedGames(database, cursor)
    records: list[bytes] = []
    while not finished.at_end:
        if (record := finished.read_on()) is not None:
            records.append(record)
    return records, finished.cursor


def endings(records: list[bytes]) -> list[Ending]:
    found = [json.loads(record) for record in records]
    return [(record["game"], record["events"][-1]["version"]) for record in found]


def test_every_ending_comes_once_in_order(client: Client, database: LiveDatabase) -> None:
    first = finish(client)
    expected = [ending_of(client, first)]
    finish(client, PRIVATE)
    client.started()
    second = finish(client)
    expected.append(ending_of(client, second))
    client.change(first, commands.undo(None))
    assert endings(read_all(database)[0]) == expected
    client.change(first, commands.redo(None))
    expected.append(ending_of(client, first))
    client.change(second, commands.undo(None))
    client.change(second, commands.undo(None))
    client.change(second, commands.redo(None))
    client.change(second, commands.act(1, Resign()))
    expected.append(ending_of(client, second))
    records, cursor = read_all(database)
    assert endings(records) == expected
    assert cursor == "{}-{}".format(*expected[-1])
    for number, (game, version) in enumerate(expected):
        assert read_all(database, f"{game}-{version}")[0] == records[number + 1 :]
        assert json.loads(records[number])["events"] == [
            json.loads(event) for event in client.events(UUID(game), full=True)[:version]
        ]


def test_an_open_database_has_no_records(client: Client, database: LiveDatabase) -> None:
    assert read_all(database) == ([], None)


def test_copies_say_where_they_come_from_and_deleted_copies_are_left_out(
    client: Client, other: Client, database: LiveDatabase
) -> None:
    game = finish(client)
    fork, deleted = client.fork(game).id, client.fork(game).id
    client.change(deleted, commands.delete)
    copy = client.import_record(client.export_record(game)).id
    records, _ = read_all(database)
    last = [json.loads(record)["events"][-1]["type"] for record in records]
    assert [game for game, _ in endings(records)] == [str(game), str(fork), str(copy)]
    assert last == ["game_ended", "game_forked", "game_imported"]
    assert read_all(database, f"{deleted}-1")[0] == records[2:]


def test_what_happens_after_the_ending_is_not_in_the_record(client: Client, database: LiveDatabase) -> None:
    game = finish(client)
    before, _ = read_all(database)
    client.change(game, commands.renew_token(0))
    assert client.load(game).version > endings(before)[0][1]
    assert read_all(database)[0] == before


@pytest.mark.parametrize("last", [False, True])
def test_the_cursor_of_an_erased_game_is_refused(client: Client, database: LiveDatabase, last: bool) -> None:
    games = [finish(client) for _ in range(3)]
    cursors = ["{}-{}".format(*ending_of(client, game)) for game in games]
    gone = games[2] if last else games[1]
    client.remove(gone)
    records, cursor = read_all(database)
    assert [game for game, _ in endings(records)] == [str(game) for game in games if game != gone]
    assert cursor == (cursors[1] if last else cursors[2])
    with pytest.raises(UnknownEnding):
        read_all(database, cursors[games.index(gone)])
    assert endings(read_all(database, cursors[0])[0]) == endings(records)[1:]


def test_unknown_and_private_cursors_are_refused_alike(client: Client, database: LiveDatabase) -> None:
    private = finish(client, PRIVATE)
    for cursor in (f"{uuid4()}-5", f"{private}-{client.load(private).version}"):
        with pytest.raises(UnknownEnding):
            read_all(database, cursor)


def test_the_cursor_of_an_ending_that_a_restore_has_taken_back_is_refused(
    client: Client, database: LiveDatabase
) -> None:
    """The same game may end again at a later position."""
    game = finish(client)
    _, version = ending_of(client, game)
    assert read_all(database, f"{game}-{version}")[0] == []
    with pytest.raises(UnknownEnding):
        read_all(database, f"{game}-{version + 1}")


def test_a_damaged_game_is_left_out_and_named_in_the_log(
    client: Client, database: LiveDatabase, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    games = [finish(client) for _ in range(3)]
    texts = run("SELECT originator_version, state FROM stored_events WHERE originator_id = ?", games[1].hex)
    version, text = sorted((number, bytes(found)) for number, found in texts)[1]
    run(
        "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?",
        text.replace(b'"type"', b'"typo"', 1),
        games[1].hex,
        version,
    )
    for _ in range(2):
        assert [game for game, _ in endings(read_all(database)[0])] == [str(games[0]), str(games[2])]
    assert [record.getMessage().endswith(str(games[1])) for record in caplog.records] == [True]


class ErasingDatabase(CountingDatabase):
    """A database from which a client erases a game after a number of reads."""

    def __init__(self, database: Database, client: Client, game: UUID, reads: int) -> None:
        super().__init__(database)
        self._erase = partial(client.remove, game)
        self._left = reads

    def select(self, statement: Statement) -> Any:
        if self._left == 0:
            self._erase()
        self._left -= 1
        return super().select(statement)


@pytest.mark.parametrize("reads", range(1, 7))
def test_a_game_that_is_erased_between_two_reads_is_left_out(
    client: Client, database: LiveDatabase, caplog: pytest.LogCaptureFixture, reads: int
) -> None:
    game = finish(client)
    client.change(game, commands.undo(None))
    client.change(game, commands.redo(None))
    later = finish(client)
    records, _ = read_all(ErasingDatabase(database, client, game, reads))
    assert [ended for ended, _ in endings(records)][-1] == str(later)
    assert len(records) <= 3
    assert not caplog.records


class FailingDatabase(CountingDatabase):
    """A database of which every third read fails."""

    def select(self, statement: Statement) -> Any:
        self.reads += 1
        if self.reads % 3 == 0:
            raise StorageUnavailable("away")
        return self._database.select(statement)


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_a_reader_goes_on_after_failed_reads(
    client: Client, database: LiveDatabase, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(archive, "ROWS_AT_ONCE", rows)
    for _ in range(4):
        finish(client)
        client.open_table(2, ["Ann"])
    expected, _ = read_all(database)
    reader, found, failures = FinishedGames(FailingDatabase(database), None), list[bytes](), 0
    while not reader.at_end:
        try:
            record = reader.read_on()
        except StorageUnavailable:
            failures += 1
        else:
            found += [record] if record else []
    assert failures
    assert found == expected
    assert len(expected) == 4


def test_a_reader_holds_one_game_at_a_time(client: Client, database: LiveDatabase) -> None:
    game = client.started(QUICK).id
    client.play(game, 2000)
    record = client.export_record(game)

    def peak(games: int) -> int:
        """The most memory that is used while this number of equal games is read."""
        reader, read = FinishedGames(database, None), 0
        tracemalloc.start()
        while read < games:
            read += reader.read_on() is not None
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    for _ in range(7):
        client.import_record(record)
    peak(8)
    assert peak(8) < 1.5 * peak(1)


def test_a_reader_that_comes_back_has_every_ending_of_two_processes_once(
    database_url: str, client: Client, database: LiveDatabase
) -> None:
    """Two processes end games, undo the ends and end them again, while a reader comes back again and again."""
    found: list[bytes] = []
    ended: list[Ending] = []
    with connected(database_url) as other:

        async def scene() -> None:
            playing = [
                asyncio.create_task(asyncio.to_thread(play, each, seed)) for seed, each in enumerate((client, other))
            ]
            cursor: str | None = None
            over = False
            while not over:
                over = all(task.done() for task in playing)
                records, cursor = await asyncio.to_thread(read_all, database, cursor)
                found.extend(records)
            for task in playing:
                ended.extend(await task)

        asyncio.run(scene())
    assert sorted(endings(found)) == sorted(ended)
    assert found == read_all(database)[0]
    for record in found:
        verify_record(record)


def play(client: Client, seed: int) -> list[Ending]:
    random, ended = Random(seed), list[Ending]()
    for _ in range(6):
        game = finish(client)
        ended.append(ending_of(client, game))
        for _ in range(random.randint(0, 3)):
            client.change(game, commands.undo(None))
            if random.random() < 0.5:
                client.change(game, commands.redo(None))
            else:
                client.change(game, commands.act(1, Resign()))
            ended.append(ending_of(client, game))
    return ended
