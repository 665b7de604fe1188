"""Backups at the command line: made during writes, audited, and restored while a server runs."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from stat import S_IMODE
from typing import NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

from api.cli import main
from domain.store.schema import SCHEMA
from tests.api.people import People, problem
from tests.api.server import Server, client_of, running
from tests.api.sse import Stream
from tests.store import processes
from tests.store.clients import Client, connected, database_statements
from tests.support.postgres import run_programs

FIRST_RELEASE = Path(__file__).parents[1] / "store" / "first_release" / "games.sqlite3.bin"
UNTIL_KILLED = 10**9


class Output(NamedTuple):
    """The output of a command."""

    out: str
    err: str


@pytest.fixture(autouse=True)
def live(tmp_path: Path) -> Iterator[Path]:
    """The file of an empty database, which the settings name."""
    before = dict(os.environ)
    file = tmp_path / "live" / "games.db"
    file.parent.mkdir()
    os.environ["FRANCHISE_DATABASE_URL"] = f"sqlite:///{file}"
    with connected(url(file)):
        pass
    yield file
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file in an empty folder that does not exist yet."""
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder / "games.backup"


def url(file: Path) -> str:
    return f"sqlite:///{file}"


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path, status: int = 0) -> Output:
    assert main([str(argument) for argument in arguments]) == status
    captured = capsys.readouterr()
    output = Output(captured.out, captured.err)
    assert output.err.count("\n") == bool(output.err) <= status
    return output


def refused(capsys: pytest.CaptureFixture[str], complaint: str, *arguments: str | Path) -> None:
    """Check that the command only prints one line with the reason."""
    output = run(capsys, *arguments, status=1)
    assert complaint in output.err
    assert output.out == ""


def execute(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def damage_a_game(file: Path) -> None:
    execute(file, "UPDATE stored_events SET state = replace(state, '\"town\":', '\"tawn\":')")


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


# --- backup ----------------------------------------------------------------------------------------------------------


def test_a_backup_holds_every_move_acknowledged_before_it(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path
) -> None:
    started = [processes.start(url(live), number, 4, UNTIL_KILLED) for number in range(4)]
    acknowledged = [receiver.recv() for _, receiver in started for _ in range(20)]
    for _, receiver in started:
        while receiver.poll():
            acknowledged.append(receiver.recv())
    output = run(capsys, "backup", target)
    for process, receiver in started:
        receiver.recv()  # the process is still playing
        process.kill()
        process.join()
    assert output.out.endswith(f"events: all is well\n{live} was copied to {target}\n")
    assert names_in(target.parent) == [target.name]
    assert S_IMODE(target.stat().st_mode) == 0o600
    with connected(url(target)) as client:
        assert len(client.wait(client.service.archive.game_ids())) >= 16
        assert all(client.load(UUID(game)).version >= version for game, version in acknowledged)


def test_a_backup_replaces_a_file_only_with_overwrite(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path
) -> None:
    run(capsys, "backup", target)
    run(capsys, "simulate", "1", "--seed", "1", "--players", "2")
    refused(capsys, "this already exists. Use --overwrite to replace a file.", "backup", target)
    assert run(capsys, "backup", target, "--overwrite").out.startswith("1 game, ")
    assert names_in(target.parent) == [target.name]


def test_a_database_is_no_backup_of_itself(capsys: pytest.CaptureFixture[str], live: Path, target: Path) -> None:
    target.hardlink_to(live)
    (link := target.with_name("link.backup")).symlink_to(live)
    for command in ("backup", "restore"):
        for file in (live, target, link, live.parent / "." / live.name, live.with_name(live.name + "-wal")):
            file.touch()
            options = ["--overwrite"] if command == "backup" else []
            assert "this is the database itself" in run(capsys, command, file, *options, status=1).err


def test_a_failed_backup_leaves_no_file(capsys: pytest.CaptureFixture[str], live: Path, target: Path) -> None:
    refused(capsys, f"{target}/in/it: ", "backup", target / "in" / "it")
    refused(capsys, "this already exists", "backup", target.parent, "--overwrite")
    run(capsys, "simulate", "3", "--seed", "1", "--players", "2")
    execute(live, "PRAGMA wal_checkpoint(TRUNCATE)")
    with live.open("r+b") as file:
        file.seek(live.stat().st_size // 2)
        file.write(os.urandom(9_000))
    refused(capsys, f"{target}: the copy is damaged: ", "backup", target)
    live.unlink()
    refused(capsys, f"{live}: this file does not exist", "backup", target)
    refused(capsys, "a database in memory", "backup", target, "--database", "memory:")
    assert names_in(target.parent) == []


def test_a_backup_with_a_damaged_game_replaces_no_good_one(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path
) -> None:
    run(capsys, "simulate", "2", "--seed", "1", "--players", "2")
    run(capsys, "backup", target)
    good = target.read_bytes()
    damage_a_game(live)
    output = run(capsys, "backup", target, "--overwrite", status=1)
    assert "2 games damaged" in output.out
    damaged = target.with_name(f"{target.name}.damaged")
    assert target.read_bytes() == good
    assert names_in(target.parent) == [target.name, damaged.name]

    before = live.read_bytes()
    assert run(capsys, "restore", damaged, status=1).err.startswith("Nothing was restored. ")
    assert live.read_bytes() == before
    run(capsys, "restore", target)
    assert (
        run(capsys, "restore", damaged, "--although-damaged").out.splitlines()[-2]
        == f"{damaged} was restored into {live}"
    )
    assert "2 games damaged" in run(capsys, "audit", "--all", status=1).out


def test_a_backup_keeps_an_older_schema(capsys: pytest.CaptureFixture[str], live: Path, target: Path) -> None:
    live.write_bytes(FIRST_RELEASE.read_bytes())
    run(capsys, "backup", target)
    for file in (live, target):
        with closing(sqlite3.connect(file)) as connection:
            assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'database_schema'").fetchall()


# --- restore ---------------------------------------------------------------------------------------------------------


def epoch_of(client: Client) -> str:
    return client.wait(client.service.public_events.page(0, 1)).epoch


def test_a_restore_keeps_the_old_database_aside(capsys: pytest.CaptureFixture[str], live: Path, target: Path) -> None:
    with connected(url(live)) as client:
        game = client.started().id
        before = client.play(game, 2).version
        run(capsys, "backup", target)
        after = client.play(game, 2).version
        epoch = epoch_of(client)
        output = run(capsys, "restore", target)
        assert client.load(game).version == before
        assert epoch_of(client) != epoch
    *_, done, kept = output.out.splitlines()
    assert done == f"{target} was restored into {live}"
    aside = Path(kept.removeprefix("The previous database is in "))
    assert aside.parent == live.parent
    assert names_in(live.parent) == [live.name, aside.name]
    assert S_IMODE(aside.stat().st_mode) == 0o600
    run(capsys, "restore", aside)
    with connected(url(live)) as client:
        assert client.load(game).version == after
        assert client.audit(game).ok


def test_a_backup_is_restored_without_a_former_database(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path
) -> None:
    run(capsys, "simulate", "1", "--seed", "1", "--players", "2")
    run(capsys, "backup", target)
    live.unlink()
    assert run(capsys, "restore", target).out.endswith(f"{target} was restored into {live}\n")
    assert names_in(live.parent) == [live.name]
    assert S_IMODE(live.stat().st_mode) == 0o600
    assert run(capsys, "audit", "--all").out.startswith("1 game, ")


def test_a_file_that_is_no_backup_is_not_restored(capsys: pytest.CaptureFixture[str], live: Path, target: Path) -> None:
    run(capsys, "simulate", "1", "--seed", "1", "--players", "2")
    before = run(capsys, "audit", "--all").out
    refused(capsys, "this file does not exist", "restore", target)
    target.write_bytes(b"no database" * 1000)
    refused(capsys, f"{target}: file is not a database", "restore", target)
    target.unlink()
    execute(target, "CREATE TABLE others (one INTEGER)")
    refused(capsys, "This database has no games", "restore", target)
    target.unlink()
    run(capsys, "backup", target)
    execute(target, f"UPDATE database_schema SET number = {SCHEMA + 2}")
    refused(capsys, f"The database is too new: it has schema {SCHEMA + 2}, ", "restore", target)
    assert run(capsys, "audit", "--all").out == before
    assert names_in(live.parent) == [live.name]


def test_every_command_refuses_a_newer_database_in_one_line(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path, tmp_path: Path
) -> None:
    game = "00000000-0000-0000-0000-000000000000"
    run(capsys, "backup", target)
    execute(live, f"UPDATE database_schema SET number = {SCHEMA + 2}")
    commands = [["serve", "--port", "0"], ["audit", "--all"], ["anchor"], ["simulate", "1"], ["rebuild-list"]]
    commands += [["watch", game], ["export", game], ["import", "-"], ["remove", game, "--yes"]]
    for command in commands:
        assert run(capsys, *command, status=1).err.startswith("The database is too new: ")
    for command in (["backup", str(tmp_path / "new.backup")], ["restore", str(target)]):
        assert "The database is too new: " in run(capsys, *command, status=1).err
    assert not (tmp_path / "new.backup").exists()


def test_a_backup_of_the_first_release_is_restored_under_a_running_service(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path
) -> None:
    target.write_bytes(FIRST_RELEASE.read_bytes())
    with connected(url(live)) as client:
        lost = client.started().id
        run(capsys, "restore", target)
        assert lost not in client.wait(client.service.archive.game_ids())
        (game, *_) = (entry.id for entry in client.lobby(statuses=["playing"]).items)
        client.play(game, 2)
        assert client.audit(game).ok
    assert target.read_bytes() == FIRST_RELEASE.read_bytes()


@pytest.fixture
def server(live: Path) -> Iterator[Server]:
    """A server with two processes."""
    with running(url(live), workers="2", bot_workers="0") as server:
        yield server


def test_clients_of_a_server_see_the_restored_games(
    capsys: pytest.CaptureFixture[str], live: Path, target: Path, server: Server
) -> None:
    each_alone = httpx.Limits(max_keepalive_connections=0)  # so that both processes respond
    with client_of(server.url, limits=each_alone) as client:
        table = People(client, start="introductory", undo="free")
        table.play(4)
        kept = table.version
        run(capsys, "backup", target)
        table.play(4)
        lost, move = table.version, table.moves()[0]
        for _ in range(8):
            assert table.version == lost
        follow, went_on = f"{server.url}{table.path}/stream", {"Last-Event-ID": str(lost)}
        with Stream(follow, headers=went_on) as stream:
            assert stream.position() == str(lost)
            run(capsys, "restore", target)
            assert {event.name for event in stream.rest()} <= {"heartbeat"}
        stale = problem(table.do(move, if_match=f'"{lost}"'), 412, "stale_version")
        assert stale["version"] == kept
        problem(table.get(f"?at={lost}"), 404, "version_not_found")
        for _ in range(8):
            assert table.version == kept
        with Stream(follow, headers=went_on) as stream:
            assert stream.position() == str(kept)
            table.play(2)
            assert stream.next().id == str(kept + 1)
        assert table.seen("/audit")["ok"]
    assert run(capsys, "audit", "--all").out.endswith("all is well\n")


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def test_the_documented_commands_back_up_postgresql(
    capsys: pytest.CaptureFixture[str], target: Path, postgres_database_url: str
) -> None:
    os.environ["FRANCHISE_DATABASE_URL"] = postgres_database_url
    password = urlsplit(postgres_database_url).password
    assert password is not None
    with connected(postgres_database_url) as client:
        game = client.started().id
        before = client.play(game, 2).version
        dump = run(capsys, "backup", target).out
        assert dump.splitlines()[0] == f"1 game, {before} events: all is well"
        run_programs([dump.splitlines()[-1]], postgres_database_url)
        client.play(game, 2)
        *restore, audit = run(capsys, "restore", target).out.splitlines()[1:]
        epochs = {epoch_of(client)}
        for _ in range(2):  # each restore begins a new epoch
            run_programs(restore, postgres_database_url)
            epochs.add(epoch_of(client))
        assert len(epochs) == 3
        assert client.load(game).version == before
        client.play(game, 2)
    assert audit == "python -m api audit --all"
    assert run(capsys, *audit.split()[3:]).out.endswith("all is well\n")
    assert password not in "\n".join([dump, *restore])


def test_damaged_games_in_postgresql_are_reported_and_other_files_refused(
    capsys: pytest.CaptureFixture[str], target: Path, postgres_database_url: str
) -> None:
    os.environ["FRANCHISE_DATABASE_URL"] = postgres_database_url
    refused(capsys, "This database has no games", "backup", target)
    with connected(postgres_database_url) as client:
        client.started()
    with database_statements(postgres_database_url) as damage:
        damage("UPDATE stored_events SET state = substr(state, 2)")
    assert "1 game damaged" in run(capsys, "backup", target, status=1).out
    target.write_bytes(b"SQLite format 3")
    refused(capsys, "not a dump of pg_dump --format=custom", "restore", target)
