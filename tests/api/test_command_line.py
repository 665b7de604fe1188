"""Every command of the command line."""

import io
import json
import os
import re
import runpy
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from errno import EACCES
from http.client import HTTPConnection
from pathlib import Path
from uuid import UUID

import pytest

from api.cli import main
from api.random_games import random_game
from domain.field_types import BotKind
from domain.modules import ActionTaken, Fact
from domain.records import verify_record
from domain.store import postgres
from domain.stream import fact_of
from tests.store.clients import Client, connected


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> Iterator[str]:
    """An empty database that the settings name; changes of the environment are undone afterwards."""
    before = dict(os.environ)
    os.environ["FRANCHISE_DATABASE_URL"] = url = f"sqlite:///{tmp_path / 'games.db'}"
    yield url
    os.environ.clear()
    os.environ.update(before)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main(arguments) == status
    return capsys.readouterr().out


def test_random_games_are_stored_and_pass_the_audit(capsys: pytest.CaptureFixture[str], database: str) -> None:
    assert json.loads(said(capsys, "simulate", "3", "--seed", "1", "--players", "2")) == {"games": 3, "seed": 1}
    assert json.loads(said(capsys, "simulate", "2"))["games"] == 2
    found = json.loads(said(capsys, "audit", "--all", "--json"))
    assert (found["ok"], found["games"], found["bad"]) == (True, 5, {})
    assert re.fullmatch(r"5 games, \d+ events: all is well\n", said(capsys, "audit", "--all"))
    with connected(database) as client:
        games = client.wait(client.service.archive.game_ids())
        assert all(client.load(game).table.status == "finished" for game in games)


def test_more_games_than_one_transaction_stores(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.maintenance.STORED_AT_ONCE", 2)
    said(capsys, "simulate", "5", "--seed", "1", "--players", "2")
    assert json.loads(said(capsys, "rebuild-list")) == {"games": 5}


def test_the_same_seed_plays_the_same_game() -> None:
    assert random_game(5) == random_game(5) != random_game(6)


def facts(client: Client, game: UUID) -> list[Fact]:
    return [fact_of(*event) for event in enumerate(client.wait(client.service.events(game, full=True)).items, 1)]


def test_games_between_bots_pass_the_audit_and_are_the_same_on_any_number_of_cores(
    capsys: pytest.CaptureFixture[str], database: str
) -> None:
    kinds: tuple[BotKind, ...] = ("greedy", "planner", "random")
    arguments = ["simulate", "4", "--players", "3", "--seed", "5", "--positions", "3", "--bots", *kinds]
    assert json.loads(said(capsys, *arguments)) == {"games": 4, "seed": 5}
    assert said(capsys, "audit", "--all").startswith("4 games")
    with connected(database) as client:
        stored = sorted(client.wait(client.service.archive.game_ids()))
        assert [facts(client, game) for game in stored] == [random_game(seed, 3, kinds, 3) for seed in range(5, 9)]
        tables = [client.load(game).table for game in stored]
    assert all(table.status == "finished" for table in tables)
    dealt = [[seat.bot for seat in table.players] for table in tables]
    assert dealt[:2] == [["random", "greedy", "planner"], ["greedy", "planner", "random"]]
    assert {frozenset(each) for each in zip(*dealt, strict=True)} == {frozenset(kinds)}, "each kind takes each seat"


def test_the_budget_of_a_game_between_bots_is_a_number_of_positions() -> None:
    few, more = (random_game(5, 2, ("planner",), budget) for budget in (1, 40))
    assert few != more
    assert {fact.by for fact in few if isinstance(fact, ActionTaken)} == {"bot"}


def test_a_record_is_exported_and_imported(
    capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, database: str
) -> None:
    main(["simulate", "1", "--players", "3"])
    capsysbinary.readouterr()
    with connected(database) as client:
        (game,) = client.wait(client.service.archive.game_ids())
    file = tmp_path / "game.json"
    assert main(["export", str(game), str(file)]) == 0
    assert main(["export", str(game)]) == 0
    assert capsysbinary.readouterr().out == file.read_bytes() + b"\n"
    assert verify_record(file.read_bytes()).game == str(game)

    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    assert main(["import", str(file), str(file), "--database", elsewhere]) == 0
    first, second = map(json.loads, capsysbinary.readouterr().out.splitlines())
    assert first["game"] == str(game) != second["game"]
    assert set(first["seats"]) == {"0", "1", "2"}
    with connected(elsewhere) as client:
        holder = client.wait(client.service.find_token(first["host_token"]))
        assert holder is not None
        assert (holder.game, holder.seat) == (game, None)


NOBODY = "00000000-0000-0000-0000-000000000000"
CREATING = [["serve", "--port", "0"], ["import", "-"], ["simulate", "1"]]
READING = [
    ["watch", NOBODY],
    ["export", NOBODY],
    ["remove", NOBODY, "--yes"],
    ["rebuild-list"],
    ["audit", "--all"],
    ["audit", NOBODY],
    ["anchor"],
    ["backup", "new.backup"],
]
"""The commands that need a database; the commands above create one."""

NO_FILE = "this file does not exist"


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The single line on standard error of a command that fails and prints nothing else."""
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err.rstrip()


@pytest.mark.parametrize("command", [*CREATING, *READING], ids=" ".join)
def test_every_command_reports_a_bad_database_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str]
) -> None:
    assert "is of an unknown kind" in refusal(capsys, *command, "--database", "mysql://")
    file = tmp_path / "text.db"
    file.write_text("This is no database, only a text that is long enough for the beginning of one. " * 2)
    assert refusal(capsys, *command, "--database", f"sqlite:///{file}").endswith(": file is not a database")
    missing = refusal(capsys, *command, "--database", f"sqlite:///{tmp_path}/no/games.db")
    assert missing.endswith("no/games.db: " + ("unable to open database file" if command in CREATING else NO_FILE))
    assert not (tmp_path / "new.backup").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["watch", NOBODY], f"there is no game {NOBODY}"),
        (["export", NOBODY], f"there is no game {NOBODY}"),
        (["audit", NOBODY], f"there is no game {NOBODY}"),
        (["remove", NOBODY, "--yes"], f"there is no game {NOBODY}"),
        (["import", "no.json"], "no.json: No such file or directory"),
        (["import", "/"], "/: Is a directory"),
        (["import", "/dev/null"], "/dev/null: document: Input data was truncated"),
        (["import", "README.md"], "README.md: document: JSON is malformed: invalid character (byte 0)"),
        (["audit", "--all", "--anchor", "no.lines"], "no.lines: No such file or directory"),
        (["anchor", "no/file"], "no/file: No such file or directory"),
        (["backup", "pyproject.toml"], "pyproject.toml: this already exists. Use --overwrite to replace a file."),
        (["backup", "no/file"], "no/file: unable to open database file"),
        (["restore", "no.backup"], "no.backup: this file does not exist"),
        (["restore", "pyproject.toml"], "pyproject.toml: file is not a database"),
        (["audit", "--all", "--database", "postgresql://127.0.0.1:1/x"], "PostgreSQL: couldn't get a connection after"),
        (["serve", "--database", "postgresql://127.0.0.1:1/x"], "PostgreSQL: couldn't get a connection after"),
        (["serve", "--workers", "2", "--database", "memory:"], "FRANCHISE_DATABASE_URL=memory: works with one process"),
        (["serve", "--port", "70000"], "FRANCHISE_PORT='70000': Expected `int` <= 65535"),
        (["serve", "--workers", "0"], "FRANCHISE_WORKERS='0': Expected `int` >= 1"),
        (["serve", "--host", "192.0.2.1"], "Cannot listen on 192.0.2.1:8000: Cannot assign requested address"),
        (["serve", "--host", "192.0.2.1", "--port", "0"], "Cannot listen on 192.0.2.1:0: Cannot assign"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_failure_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], empty: None, arguments: list[str], complaint: str
) -> None:
    assert refusal(capsys, *arguments).startswith(complaint)


@pytest.fixture
def empty(database: str) -> None:
    with connected(database):
        pass


@pytest.mark.parametrize("command", [["anchor"], ["audit", "--all"], ["simulate", "1"], ["rebuild-list"]], ids=" ".join)
def test_every_command_names_an_invalid_setting(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("FRANCHISE_RATE_LIMIT", "many")
    assert refusal(capsys, *command) == "FRANCHISE_RATE_LIMIT='many': Expected `int`, got `str`"


def test_a_port_in_use_is_not_shared(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert refusal(capsys, "serve", "--port", port) == (
            f"Cannot listen on 127.0.0.1:{port}: Address already in use. "
            "Set PORT to a free port, or to 0 for any free one."
        )


def test_a_read_only_file_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, games: list[str]
) -> None:
    def refuse(file: Path, _: bytes) -> None:
        raise PermissionError(EACCES, "Permission denied", str(file))

    monkeypatch.setattr(Path, "write_bytes", refuse)  # the user of the tests may be root
    assert refusal(capsys, "export", games[0], "/root.json") == "/root.json: Permission denied"


def test_a_full_disk_at_standard_output_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, games: list[str]
) -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(full, write_through=True))
        assert refusal(capsys, "audit", "--all") == "[Errno 28] No space left on device"


def test_a_closed_pipe_ends_a_command_silently(empty: None) -> None:
    command = [sys.executable, "-m", "api", "anchor"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 128 + signal.SIGPIPE


def test_ctrl_c_ends_a_command_silently(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, games: list[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", ["api", "watch", games[0]])
    monkeypatch.setattr("api.watch._lines", interrupt)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("api", run_name="__main__")
    assert ended.value.code == 128 + signal.SIGINT
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["export", "game"], "invalid UUID value: 'game'"),
        (["simulate", "0"], "argument N: 0 is less than 1"),
        (["simulate", "many"], "argument N: invalid count value: 'many'"),
        (["simulate", "1", "--bots", "genius"], "argument --bots: invalid choice: 'genius'"),
        (["simulate", "1", "--seed", str(2**53)], f"argument --seed: {2**53} is not between -2^52 and 2^52"),
        (["ladder", "random", "greedy", "--games", "0"], "argument --games: 0 is less than 1"),
        (["serve", "--port", "http"], "argument --port: invalid int value: 'http'"),
        (["dance"], "argument COMMAND [OPTION ...]: invalid choice: 'dance'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_invalid_argument_is_refused_with_the_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert printed.startswith("usage: python -m api ")
    assert complaint in printed.splitlines()[-1]


@pytest.mark.parametrize("seconds", [-1, 253_402_300_800])
@pytest.mark.parametrize("command", [["serve"], ["simulate", "1"]])
def test_no_command_starts_with_an_impossible_clock(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, seconds: int, command: list[str]
) -> None:
    monkeypatch.setattr("domain.store.commit.time_ns", lambda: seconds * 10**9)
    assert main(command) == 1
    printed = capsys.readouterr()
    assert printed.err == "the clock of this machine is before 1970 or after 9999\n"
    assert printed.out == ""


@pytest.mark.parametrize("name", ["*", "0.0.0.0/0", "::/0"])
def test_a_server_that_trusts_every_proxy_does_not_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("FRANCHISE_TRUSTED_PROXIES", name)
    assert main(["serve"]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"FRANCHISE_TRUSTED_PROXIES={name!r}: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "complaint"), [(None, "No such file"), ("[]", "region tiles"), ('{"tiles": []}', "20 tiles")]
)
def test_a_server_with_unusable_region_tiles_does_not_start(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str | None, complaint: str
) -> None:
    file = tmp_path / "tiles.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    os.environ["FRANCHISE_REGION_TILES"] = str(file)
    assert main(["serve", "--workers", "2"]) == 1
    printed = capsys.readouterr().err
    assert f"FRANCHISE_REGION_TILES={file}: " in printed
    assert complaint in printed
    assert printed.count("\n") == 1


def test_an_audit_with_a_difference_says_where_and_fails(capsys: pytest.CaptureFixture[str], database: str) -> None:
    said(capsys, "simulate", "2", "--seed", "1")
    with connected(database) as client:
        game = client.wait(client.service.archive.game_ids())[0]
        events = client.wait(client.service.events(game, full=True)).items
    first = next(version for version, event in enumerate(events, 1) if b"town_f" in event)
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as file:
        damage = "UPDATE stored_events SET state = replace(state, 'town_f', 'tawn_f') WHERE originator_id = ?"
        file.execute(damage, (game.hex,))
        file.commit()
    assert f"{game} is damaged at event {first}, " in said(capsys, "audit", "--all", status=1)
    assert list(json.loads(said(capsys, "audit", str(game), "--json", status=1))["bad"]) == [str(game)]


def delete_rows(database: str, game: str) -> None:
    """Delete a game like an attacker with access to the database."""
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
        connection.execute("DELETE FROM heads WHERE game = ?", (UUID(game).hex,))
        connection.execute("DELETE FROM stored_events WHERE originator_id = ?", (UUID(game).hex,))
        connection.commit()


def test_heads_are_anchored_in_a_file_that_grows_with_new_moves(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, database: str
) -> None:
    said(capsys, "simulate", "2", "--seed", "1", "--players", "2")
    printed = json.loads(said(capsys, "anchor"))
    assert (printed["games"], len(printed["heads"])) == (2, 2)
    file = tmp_path / "anchors"
    assert said(capsys, "anchor", str(file)) == ""
    said(capsys, "simulate", "1", "--seed", "3", "--players", "2")
    said(capsys, "anchor", str(file))
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert [(line["games"], len(line["heads"])) for line in lines] == [(2, 2), (3, 1)]
    assert lines[0]["root"] == printed["root"]
    assert said(capsys, "audit", "--all", "--anchor", str(file)).endswith("all is well\n")

    deleted = lines[0]["heads"][0]["game"]
    delete_rows(database, deleted)
    assert said(capsys, "audit", "--all").startswith("2 games")
    assert f"{deleted} is damaged at event 1, anchor" in said(capsys, "audit", "--all", "--anchor", str(file), status=1)
    before = file.read_bytes()
    assert main(["anchor", str(file)]) == 1
    assert f"game {deleted} was anchored and its head is gone" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_removed_game_passes_the_anchors_and_a_deleted_one_does_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, database: str, games: list[str]
) -> None:
    file = str(tmp_path / "anchors")
    said(capsys, "anchor", file)
    at = said(capsys, "remove", games[0], "--yes").rstrip().removeprefix(f"{games[0]} was erased at ")
    for _ in range(2):
        named, well = said(capsys, "audit", "--all", "--anchor", file).splitlines()
        assert named == f"1 game erased: {games[0]} at {at}"
        assert well.startswith("2 games, ")
        said(capsys, "anchor", file)
    heads = [[head["game"] for head in json.loads(line)["heads"]] for line in Path(file).read_bytes().splitlines()]
    assert heads == [games, [games[0]], []]

    delete_rows(database, games[1])
    found = json.loads(said(capsys, "audit", "--all", "--anchor", file, "--json", status=1))
    assert (list(found["bad"]), found["removed"]) == ([games[1]], {games[0]: at})
    assert found["bad"][games[1]]["first_difference"]["what"] == "anchor"


def test_an_anchor_is_on_the_disk_when_the_command_ends(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, flushed, fsync = tmp_path / "anchors", list[bytes](), os.fsync

    def watched(descriptor: int) -> None:
        fsync(descriptor)
        if os.path.samestat(os.fstat(descriptor), file.stat()):
            flushed.append(file.read_bytes())

    monkeypatch.setattr(os, "fsync", watched)
    for seed in ("1", "2"):
        said(capsys, "simulate", "1", "--seed", seed, "--players", "2")
        said(capsys, "anchor", str(file))
        assert flushed[-1] == file.read_bytes()
    assert len(flushed) == 2


@pytest.mark.parametrize("command", [["anchor"], ["audit", "--all", "--anchor"]])
@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        (lambda text: text[:-9], "line 1 is incomplete because writing was interrupted"),
        (lambda text: text.replace(b'"games":1', b'"games":2'), "line 1 was changed"),
        (lambda text: b"{}\n" + text, "line 1 is not an anchor"),
        (lambda text: text.replace(b'"at":"', b'"at":"\xff'), "line 1 is not an anchor"),
    ],
)
def test_a_damaged_file_of_anchors_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: list[str],
    spoilt: Callable[[bytes], bytes],
    complaint: str,
) -> None:
    file = tmp_path / "anchors"
    said(capsys, "simulate", "1", "--seed", "1", "--players", "2")
    said(capsys, "anchor", str(file))
    file.write_bytes(spoilt(file.read_bytes()))
    before = file.read_bytes()
    assert main([*command, str(file)]) == 1
    printed = capsys.readouterr()
    assert f"{file}: {complaint}" in printed.err
    assert printed.err.count("\n") == 1
    assert file.read_bytes() == before


@pytest.mark.parametrize("command", [["anchor"], ["audit", "--all", "--anchor"]])
@pytest.mark.parametrize("kind", ["device", "pipe", "directory"])
def test_anchors_are_stored_only_in_a_regular_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str], kind: str
) -> None:
    file = {"device": "/dev/null", "directory": str(tmp_path)}.get(kind, str(tmp_path / "pipe"))
    if kind == "pipe":
        os.mkfifo(file)
    assert main([*command, file]) == 1
    assert capsys.readouterr() == ("", f"{file}: not a regular file\n")


def test_an_empty_file_of_anchors_is_refused_by_audits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, empty: None
) -> None:
    """Emptying the file does not hide anything; only the first anchor is written to an empty file."""
    file = tmp_path / "anchors"
    file.touch()
    assert main(["audit", "--all", "--anchor", str(file)]) == 1
    assert capsys.readouterr() == ("", f"{file}: this file is empty. Use a file written by 'anchor'.\n")
    said(capsys, "anchor", str(file))
    assert said(capsys, "audit", "--all", "--anchor", str(file)).endswith("all is well\n")


@pytest.fixture
def games(capsys: pytest.CaptureFixture[str], database: str) -> list[str]:
    """The ids of three games with moves."""
    said(capsys, "simulate", "3", "--seed", "1", "--players", "2")
    with connected(database) as client:
        return [str(game) for game in client.wait(client.service.archive.game_ids())]


def test_removed_games_are_counted_by_the_audit(capsys: pytest.CaptureFixture[str], games: list[str]) -> None:
    first, second, third = games
    before = json.loads(said(capsys, "audit", "--all", "--json"))
    assert before["removed"] == {}
    printed = said(capsys, "remove", first, "--yes")
    at = printed.removeprefix(f"{first} was erased at ").rstrip()
    assert at.endswith("Z")
    assert said(capsys, "audit", "--all").splitlines()[0] == f"1 game erased: {first} at {at}"
    assert said(capsys, "audit", first).splitlines()[1] == "0 games, 0 events: all is well"

    again, other = said(capsys, "remove", first, second, "--yes").splitlines()
    assert again == printed.rstrip()
    both = f"{first} at {at}, {second} at {other.removeprefix(f'{second} was erased at ')}"
    line, all_is_well = said(capsys, "audit", "--all").splitlines()
    assert line == f"2 games erased: {both}"
    assert re.fullmatch(r"1 game, \d+ events: all is well", all_is_well)
    found = json.loads(said(capsys, "audit", "--all", "--json"))
    assert (found["ok"], found["games"], list(found["removed"])) == (True, 1, [first, second])
    assert found["events"] < before["events"]
    assert json.loads(said(capsys, "audit", third, "--json"))["removed"] == {}


def test_a_removed_game_with_rows_left_fails_the_audit(
    capsys: pytest.CaptureFixture[str], database: str, games: list[str]
) -> None:
    said(capsys, "remove", games[0], "--yes")
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as file:
        file.execute("UPDATE heads SET version = version + 1 WHERE game = ?", (games[0].replace("-", ""),))
        file.commit()
    printed = said(capsys, "audit", "--all", status=1)
    assert printed.startswith(f"{games[0]} is damaged at event ")
    assert "3 games" in printed


def test_a_removed_game_cannot_be_exported(capsys: pytest.CaptureFixture[str], games: list[str]) -> None:
    said(capsys, "remove", games[0], "--yes")
    assert main(["export", games[0]]) == 1
    assert f"game {games[0]} was removed at " in capsys.readouterr().err


class Terminal(io.StringIO):
    """A terminal with typed input."""

    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("games")
def test_an_export_of_finished_games_shows_its_progress_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(["export", "--finished", str(tmp_path / "games.ndjson")]) == 0
    assert re.search("Exporting .*100%", terminal.getvalue())


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_a_removal_asks_for_confirmation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, games: list[str], typed: str, status: int
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert main(["remove", games[0], games[1]]) == status
    printed = capsys.readouterr()
    assert printed.err.startswith("Erase 2 games for good? [y/N] ")
    assert printed.out.count("was erased") == (0 if status else 2)
    assert json.loads(said(capsys, "audit", "--all", "--json"))["games"] == (3 if status else 1)


def test_games_are_listed_with_their_ids(capsys: pytest.CaptureFixture[str], games: list[str]) -> None:
    lines = said(capsys, "list").splitlines()
    assert sorted(line.split()[0] for line in lines) == sorted(games)
    assert said(capsys, "list", "--status", "finished").splitlines() == lines
    assert said(capsys, "list", "--status", "open") == ""


@pytest.mark.parametrize(("seat", "whose"), [([], "the host"), (["1"], "seat 1")])
def test_an_operator_replaces_a_lost_token(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, games: list[str], seat: list[str], whose: str
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert main(["renew-token", games[0], *seat]) == 1
    asked = capsys.readouterr().err
    assert asked.startswith(f"Revoke the token of {whose} of this game, and issue a new one? [y/N] ")
    assert "Nothing was renewed." in asked
    (token,) = said(capsys, "renew-token", games[0], *seat, "--yes").split()
    assert len(token) > 40
    renewed = json.loads(said(capsys, "export", games[0]))["events"][-1]
    assert (renewed["type"], renewed["seat"], renewed["by"]) == (
        "token_renewed",
        int(*seat) if seat else None,
        "operator",
    )
    assert said(capsys, "audit", games[0])


def test_a_free_seat_gets_no_token(capsys: pytest.CaptureFixture[str], games: list[str]) -> None:
    assert main(["renew-token", games[0], "9", "--yes"]) == 1
    assert capsys.readouterr().err == "Nobody sits at seat 9.\n"


def test_a_removal_without_a_terminal_needs_yes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, games: list[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["remove", games[0]]) == 1
    printed = capsys.readouterr()
    assert "--yes" in printed.err
    assert printed.err.count("\n") == 1
    assert json.loads(said(capsys, "audit", "--all", "--json"))["games"] == 3


@pytest.mark.parametrize(("columns", "width"), [(80, 78), (200, 100)])
def test_help_explains_every_command_and_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([]) == 2
    whole = capsys.readouterr().err
    commands = dict(re.findall(r"^    ([a-z-]+) +([A-Z].*)", whole, re.MULTILINE))
    assert {command[0] for command in [*CREATING, *READING]} < commands.keys()
    for arguments in ([], *([name] for name in commands)):
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--help"])
        assert ended.value.code == 0
        printed = capsys.readouterr().out
        assert printed == whole or commands[arguments[0]] in printed
        assert max(map(len, printed.splitlines())) <= width


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_server_prints_its_addresses_and_stops_on_a_signal(workers: str) -> None:
    command = [sys.executable, "-m", "api", "serve", "--port", "0", "--workers", workers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            lines = server.stdout.readline() + server.stdout.readline()
            found = re.fullmatch(
                r"The API is at http://(127\.0\.0\.1:\d+)/v1, its reference at http://\1/schema\n"
                r"Play at http://\1/play\n",
                lines,
            )
            assert found is not None, lines
            with closing(HTTPConnection(found[1])) as connection:
                connection.request("GET", "/health/live")
                assert connection.getresponse().status == 200
            server.send_signal(signal.SIGTERM)
            assert server.wait() in (0, -signal.SIGTERM)
        finally:
            server.kill()


@pytest.mark.parametrize(
    "url",
    [
        "postgre://u:secret@127.0.0.1/db",
        "POSTGRESQL://u:secret@127.0.0.1/db",
        " postgresql://u:secret@127.0.0.1/db",
        "postgresql:/u:secret@127.0.0.1/db",
        "u:secret@127.0.0.1",
        "host=127.0.0.1 password=secret",
        "sqlite://u:secret@127.0.0.1/db",
        "postgresql://u:%secret@127.0.0.1/db",
        "postgresql://u:secret 127.0.0.1/db",
        "postgresql://127.0.0.1/db?user=u&passwort=secret",
        "postgresql://[u:secret@127.0.0.1/db",
        "postgresql://u:secret@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1:secret@u/db",
        "postgresql://127.0.0.1:a/secret@127.0.0.1/db",
    ],
)
def test_a_mistyped_url_does_not_reveal_its_password(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setattr(postgres, "SERVER_TIMEOUT_SECONDS", 1)
    assert main(["serve", "--port", "0", "--database", url]) == 1
    printed = capfd.readouterr()
    assert "secret" not in printed.out + printed.err
    assert printed.err.count("\n") == 1
