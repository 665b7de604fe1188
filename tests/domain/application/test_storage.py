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
from domain.stream import fact_of, read
from domain.table import is_news
from tests.domain.application import players
from tests.domain.application.tables import visiting

INSERT = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, ?, ?)"


def test_the_library_reads_and_writes_the_same_events(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        started = visitor.started()
        visitor.play(started.id, 3)
        events = visitor.wait(visitor.club.events(started.id, full=True)).items
    with closing(Franchise(shared_url)) as application:
        stored = list(application.events.get(started.id))
        assert len(stored) == 2 + 3, "who sits there, the set-up and three moves, each in one row"
        recorded = [one for event in stored if isinstance(event, GameEvent) for one in event.recorded]
        assert recorded == [read(version, event) for version, event in enumerate(events, 1)]
        log = application.recorder.select_notifications(1, 1000)
        assert b"\n".join(notification.state for notification in log) == b"\n".join(events)
        assert [notification.id for notification in log] == sorted(notification.id for notification in log)
        with pytest.raises(IntegrityError):
            application.save(GameEvent(started.id, 1, "game", events[0]))
        application.save(GameEvent(uuid4(), 1, "game", events[0]))
        assert len(application.recorder.select_notifications(1, 1000)) == len(stored) + 1


def test_events_that_were_stored_one_by_one_are_read_as_well(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        started = visitor.started()
        visitor.play(started.id, 3)
        events = visitor.wait(visitor.club.events(started.id, full=True)).items
        before = visitor.look(started.id)
    with open_games(shared_url) as games, games.database.session() as session:
        session.run(("DELETE FROM stored_events WHERE originator_id = ?", (started.id.hex,)))
        for version, event in enumerate(events, 1):
            row = (started.id.hex, version, "table" if is_news(fact_of(version, event)) else "game", event)
            session.run((INSERT, row))
    with visiting(shared_url) as visitor:
        assert visitor.look(started.id).timeline == before.timeline
        assert visitor.wait(visitor.club.events(started.id, after=7, limit=5)).items == events[7:12]
        visitor.play(started.id, 3)
        assert visitor.wait(visitor.club.audit(started.id)).ok
        assert visitor.wait(visitor.club.games()).items[0].players == ("Ann", "Bob")


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
