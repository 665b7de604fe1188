"""The databases: what the library sees of them, waiting for others, and not being there."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Timer
from uuid import uuid4

import pytest
from eventsourcing.persistence import IntegrityError

from domain.application import StorageAway, UnknownDatabase, open_club, open_games
from domain.application.errors import Busy, Conflict
from domain.application.storage import Franchise, GameEvent
from domain.stream import read
from tests.domain.application import players
from tests.domain.application.tables import visiting


def test_the_library_reads_and_writes_the_same_events(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        started = visitor.started()
        visitor.play(started.id, 3)
        events = visitor.wait(visitor.club.events(started.id, full=True)).items
    with closing(Franchise(shared_url)) as application:
        stored = list(application.events.get(started.id))
        assert [event.originator_version for event in stored] == list(range(1, len(events) + 1))
        assert [event.recorded for event in stored if isinstance(event, GameEvent)] == [
            read(version, event) for version, event in enumerate(events, 1)
        ]
        log = application.recorder.select_notifications(1, 1000)
        assert [notification.state for notification in log] == list(events)
        assert [notification.id for notification in log] == sorted(notification.id for notification in log)
        with pytest.raises(IntegrityError):
            application.save(GameEvent(started.id, 1, "game", events[0]))
        application.save(GameEvent(uuid4(), 1, "game", events[0]))
        assert len(application.recorder.select_notifications(1, 1000)) == len(events) + 1


@pytest.mark.parametrize("url", ["", "games.db", "mysql://localhost/games", "sqlite://games.db", ":memory:"])
def test_a_url_of_no_known_database_is_refused(url: str) -> None:
    with pytest.raises(UnknownDatabase, match="use sqlite:///file, postgresql://"):
        open_club(url)


@pytest.mark.parametrize("url", ["sqlite:////no/such/folder/games.db", "postgresql://nobody@127.0.0.1:9/games"])
def test_a_database_that_is_not_there_is_told_of(url: str) -> None:
    with pytest.raises(StorageAway):
        open_club(url)


def test_a_file_that_is_no_database_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "games.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StorageAway, match="not a database"):
        open_club(f"sqlite:///{tmp_path / 'games.db'}")


def test_a_path_may_have_any_letters(tmp_path: Path) -> None:
    with visiting(f"sqlite:///{tmp_path}/Spiele%20für%20Zoë.db") as visitor:
        visitor.started()
    assert (tmp_path / "Spiele für Zoë.db").exists()


def test_who_does_not_want_to_wait_for_another_process_is_told(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    answer = ("INSERT INTO answers VALUES (?, ?, ?)", (b"1", b"2", b"3"))
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    with open_games(f"sqlite:///{file}") as games, closing(other):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            games.database.append([], [answer], wait=False)
        done = Timer(0.05, other.rollback)
        done.start()
        games.database.append([], [answer])
        done.join()
        with pytest.raises(Conflict):
            games.database.append([], [answer], wait=False)


def test_who_waits_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.db"
    with open_games(f"sqlite:///{file}") as games, closing(sqlite3.connect(file, isolation_level=None)) as other:
        monkeypatch.setattr("domain.application.storage.LOCK_SECONDS", 0.01)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageAway, match="keep writing"):
            games.database.append([], [("SELECT 1", ())])


def test_processes_that_start_together_make_one_database(shared_url: str) -> None:
    started = [players.start(shared_url, number, 1, 2) for number in range(4)]
    for process, connection in started:
        players.heard(connection)
        process.join()
        assert process.exitcode == 0
    with open_games(shared_url) as games:
        assert len(games.ids()) == 4


def test_a_club_that_is_ready_says_so(database_url: str) -> None:
    async def ready() -> None:
        async with open_club(database_url) as club:
            await club.ready()

    asyncio.run(ready())
