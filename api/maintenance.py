"""The commands that look after the games of a database, without a server."""

import asyncio
import secrets
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from rich.console import Console
from rich.progress import track

from api.random_games import random_game
from api.settings import read_settings
from domain.anchors import Anchored, AnchorRefused, make_anchor, read_anchors
from domain.audit import Audit, Head
from domain.records import RecordRefused
from domain.store import Answer, Commit, GameService, open_service
from domain.store.commit import now
from domain.store.tokens import HOST

T = TypeVar("T")

STORED_AT_ONCE = 50


class CommandFailed(Exception):
    """A command that cannot be done; the message says why."""


def export(arguments: Namespace) -> int:
    """Write the record of a game to a file, or to the standard output."""

    async def read(service: GameService) -> bytes:
        return await service.export_record(await service.load(arguments.game))

    record = _with_service(read)
    if arguments.file is None:
        sys.stdout.buffer.write(record + b"\n")
        return 0
    try:
        Path(arguments.file).write_bytes(record)
    except OSError as error:
        raise CommandFailed(f"{arguments.file}: {error.strerror}") from error
    return 0


def import_records(arguments: Namespace) -> int:
    """Store the games of records, and print the ids and tokens under which they go on here."""

    async def store(service: GameService) -> None:
        for file in arguments.files:
            try:
                answer = await service.import_record(_read(file), _tokens)
            except RecordRefused as refused:
                raise CommandFailed(f"{file}: {refused}") from refused
            sys.stdout.write(answer.body.decode() + "\n")

    _with_service(store)
    return 0


def audit(arguments: Namespace) -> int:
    """Audit games and print what was found; the exit status is 0 only if all is well."""
    anchored: Anchored = {} if arguments.anchor is None else _read_anchors(arguments.anchor)

    async def audit_all(service: GameService) -> list[tuple[UUID, Audit]]:
        ids = sorted({*await service.game_ids(), *map(UUID, anchored)}) if arguments.all else arguments.games
        return [
            (game_id, await service.audit(game_id, anchors=anchored.get(str(game_id), ())))
            for game_id in _with_progress(ids, "Auditing")
        ]

    found = _with_service(audit_all)
    bad = {str(game_id): audit for game_id, audit in found if not audit.ok}
    events = sum(audit.events for _, audit in found)
    if arguments.json:
        _print({"ok": not bad, "games": len(found), "events": events, "bad": bad})
    else:
        sys.stdout.writelines(f"{line}\n" for line in _report(len(found), events, bad))
    return 1 if bad else 0


def anchor(arguments: Namespace) -> int:
    """Append a line for the ends of all games to a file, or print it."""
    anchored: Anchored = {}
    if arguments.file is not None and Path(arguments.file).exists():
        anchored = _read_anchors(arguments.file)

    async def read(service: GameService) -> bytes:
        games = len(await service.game_ids())

        def make(heads: Iterable[tuple[str, Head]]) -> bytes:
            return make_anchor(_with_progress(heads, "Anchoring", games), anchored, now())

        return await service.read_heads(make)

    line = _with_service(read)
    if arguments.file is None:
        sys.stdout.write(line.decode())
        return 0
    try:
        with Path(arguments.file).open("ab") as file:
            file.write(line)
    except OSError as error:
        raise CommandFailed(f"{arguments.file}: {error.strerror}") from error
    return 0


def simulate(arguments: Namespace) -> int:
    """Play random games to their end and store them."""
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed

    async def play(service: GameService) -> None:
        seeds = range(seed, seed + arguments.number)
        for first in _with_progress(range(0, arguments.number, STORED_AT_ONCE), "Playing"):
            games = [random_game(one, arguments.players) for one in seeds[first : first + STORED_AT_ONCE]]
            await asyncio.gather(*(service.store_game(game, _tokens) for game in games))

    _with_service(play)
    _print({"games": arguments.number, "seed": seed})
    return 0


def rebuild_list(_: Namespace) -> int:
    """Make the list of games anew from the streams."""

    async def rebuild(service: GameService) -> int:
        await service.rebuild_listing()
        return len(await service.game_ids())

    _print({"games": _with_service(rebuild)})
    return 0


def _with_service(task: Callable[[GameService], Awaitable[T]]) -> T:
    """Run a task on the games of the database that the settings name."""

    async def run() -> T:
        async with open_service(read_settings().database_url) as service:
            return await task(service)

    return asyncio.run(run())


def _report(games: int, events: int, bad: dict[str, Audit]) -> Iterable[str]:
    for game_id, audit in bad.items():
        if first := audit.first_difference:
            found = f"stored {first.stored}, expected {first.expected}"
            yield f"{game_id} differs at event {first.version}, {first.what}: {found}"
    yield f"{games} games, {events} events: {f'{len(bad)} games are not as they should be' if bad else 'all is well'}"


def _with_progress(work: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Return the work, with a progress bar if somebody looks on."""
    console = Console(stderr=True)
    return track(work, what, total, console=console, disable=not console.is_terminal)


def _tokens(commit: Commit) -> Answer:
    seats = {str(seat): token for seat, token in commit.tokens.items() if seat != HOST}
    body = {"game": commit.loaded.id, "host_token": commit.tokens[HOST], "seats": seats}
    return Answer(201, commit.version, "", msgspec.json.encode(body))


def _read_anchors(file: str) -> Anchored:
    try:
        with Path(file).open("rb") as lines:
            return read_anchors(lines)
    except OSError as error:
        raise CommandFailed(f"{file}: {error.strerror}") from error
    except AnchorRefused as refused:
        raise CommandFailed(f"{file}: {refused}") from refused


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandFailed(f"{file}: {error.strerror}") from error


def _print(facts: dict[str, Any]) -> None:
    sys.stdout.write(msgspec.json.encode(facts).decode() + "\n")
