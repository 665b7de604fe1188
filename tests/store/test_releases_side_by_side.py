"""Upgrades: databases of other releases, and processes of this release and the one before on one database."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

from domain.store import NewerDatabase, open_service
from domain.store.schema import SCHEMA
from tests.store import processes
from tests.store.behind import behind
from tests.store.clients import connected

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent


class Release:
    """A process of one release."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def do(self, *words: object) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


@contextmanager
def running(folder: Path, url: str) -> Iterator[Release]:
    """A process that runs the code of a folder; it has to end well."""
    command = [sys.executable, "-W", "error", str(STORED / "one_release.py"), str(folder), url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        yield Release(process)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the code of the release before."""
    folder = tmp_path_factory.mktemp("release_before")
    with ZipFile(STORED / "previous_release" / "domain.zip") as archive:
        archive.extractall(folder)
    assert "database_schema" not in (folder / "domain/store/schema.py").read_text(encoding="utf-8")
    return folder


def test_two_releases_play_one_game_in_turns(shared_url: str, before: Path) -> None:
    """Both have the game in memory; then the older one starts again, on the database that the newer one upgraded."""
    with ExitStack() as stack:
        with running(before, shared_url) as old:
            game = old.do("open")
            version = old.do("play", game, 3)
            new = stack.enter_context(running(ROOT, shared_url))
            for _ in range(4):
                assert new.do("audit", game) == f"ok {version}"
                version = new.do("play", game, 2)
                assert old.do("audit", game) == f"ok {version}"
                version = old.do("play", game, 2)
        again = stack.enter_context(running(before, shared_url))
        version = again.do("play", game, 2)
        assert new.do("audit", game) == again.do("audit", game) == f"ok {version}"
        another = again.do("open")
        version = new.do("play", another, 2)
        assert again.do("audit", another) == f"ok {version}"
    with connected(shared_url) as client:
        assert len(client.listing().items) == 2
    assert numbers(shared_url) == [SCHEMA]


def numbers(url: str) -> list[int]:
    with behind(url) as run:
        return [number for (number,) in run("SELECT number FROM database_schema")]


@pytest.fixture
def old_url(request: pytest.FixtureRequest, shared_url: str) -> str:
    """A database as the first release made it: its own file, or for PostgreSQL one without what came since."""
    if shared_url.startswith("sqlite"):
        data = STORED / "first_release" / "games.sqlite3.bin"
        Path(shared_url.removeprefix("sqlite:///")).write_bytes(data.read_bytes())
        return shared_url
    with connected(shared_url) as client:
        client.play(client.started().id, 3)
    with behind(shared_url) as run:
        for table, column in (("heads", "progress"), ("lobby", "digest"), ("answers", "stored_at")):
            run(f"ALTER TABLE {table} DROP COLUMN {column}")
        run("DROP TABLE database_schema, bot_games")
    return shared_url


def test_eight_processes_that_start_at_once_upgrade_an_old_database_once(old_url: str) -> None:
    started = [processes.start(old_url, number, 1, 2) for number in range(8)]
    acknowledged = [message for _, receiver in started for message in processes.receive_all(receiver)]
    for process, _ in started:
        process.join()
    assert [process.exitcode for process, _ in started] == [0] * 8
    assert processes.AWAY not in acknowledged
    assert numbers(old_url) == [SCHEMA]
    with connected(old_url) as client:
        ids = client.wait(client.service.game_ids())
        assert {game for game, _ in acknowledged} < set(map(str, ids))


def test_a_database_of_the_next_release_stays_as_it_is(shared_url: str) -> None:
    with connected(shared_url) as client:
        game = client.started().id
    with behind(shared_url) as run:
        run("UPDATE database_schema SET number = ?", SCHEMA + 1)
        run("DROP INDEX lobby_by_status")
    with connected(shared_url) as client:
        client.play(game, 2)
        assert client.audit(game).ok
    with behind(shared_url) as run:
        assert numbers(shared_url) == [SCHEMA + 1]
        run("CREATE INDEX lobby_by_status ON lobby (status, number)")  # which would fail if it was there


def test_a_database_that_is_too_new_is_refused_and_stays_as_it_is(shared_url: str) -> None:
    with connected(shared_url):
        pass
    with behind(shared_url) as run:
        run("UPDATE database_schema SET number = ?", SCHEMA + 2)
        run("DROP TABLE bot_games")
    with pytest.raises(NewerDatabase, match=f"it has schema {SCHEMA + 2}, and this release works with those up to"):
        open_service(shared_url)
    with behind(shared_url) as run:
        run("CREATE TABLE bot_games (game TEXT)")
