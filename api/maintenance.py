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

from api.progress import with_progress
from api.random_games import random_game
from api.settings import read_settings
from domain.audit import Audit
from domain.records import RecordRefused
from domain.store import Answer, Commit, GameService, UnknownGame, open_service
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

    async def audit_all(service: GameService) -> list[tuple[UUID, Audit | str]]:
        ids = await service.game_ids() if arguments.all else arguments.games
        return [(game_id, await _audit_one(service, game_id)) for game_id in with_progress(ids, "Auditing", len(ids))]

    found = _with_service(audit_all)
    removed = {str(game_id): at for game_id, at in found if isinstance(at, str)}
    audits = {str(game_id): audit for game_id, audit in found if not isinstance(audit, str)}
    bad = {game_id: audit for game_id, audit in audits.items() if not audit.ok}
    events = sum(audit.events for audit in audits.values())
    if arguments.json:
        _print({"ok": not bad, "games": len(audits), "events": events, "bad": bad, "removed": removed})
    else:
        sys.stdout.writelines(f"{line}\n" for line in _report(len(audits), events, bad, removed))
    return 1 if bad else 0


def remove(arguments: Namespace) -> int:
    """Erase games once somebody has agreed to it, and print when each was removed."""
    if not arguments.yes:
        _require_consent(len(arguments.games))

    async def remove_all(service: GameService) -> None:
        for game_id in arguments.games:
            sys.stdout.write(f"{game_id} was removed at {await service.remove(game_id)}\n")

    _with_service(remove_all)
    return 0


def simulate(arguments: Namespace) -> int:
    """Play random games to their end and store them."""
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed

    async def play(service: GameService) -> None:
        seeds = range(seed, seed + arguments.number)
        firsts = range(0, arguments.number, STORED_AT_ONCE)
        for first in with_progress(firsts, "Playing", len(firsts)):
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


async def _audit_one(service: GameService, game_id: UUID) -> Audit | str:
    """Return the audit of a game, or the time of its removal if that is in order; raise ``UnknownGame``."""
    try:
        return await service.audit(game_id)
    except UnknownGame as unknown:
        if unknown.removed_at is None:
            raise
        return unknown.removed_at


def _require_consent(games: int) -> None:
    """Ask at the terminal whether to remove so many games; raise ``CommandFailed`` unless the answer is yes."""
    if not sys.stdin.isatty():
        raise CommandFailed("Nothing is removed: there is no terminal to ask at, and --yes was not given.")
    sys.stderr.write(f"Remove {'this game' if games == 1 else f'these {games} games'} for good? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandFailed("Nothing is removed.")


def _report(games: int, events: int, bad: dict[str, Audit], removed: dict[str, str]) -> Iterable[str]:
    for game_id, audit in bad.items():
        if first := audit.first_difference:
            found = f"stored {first.stored}, expected {first.expected}"
            yield f"{game_id} differs at event {first.version}, {first.what}: {found}"
    if removed:
        each = ", ".join(f"{game_id} at {at}" for game_id, at in removed.items())
        yield f"{'1 game was' if len(removed) == 1 else f'{len(removed)} games were'} removed: {each}"
    yield f"{games} games, {events} events: {f'{len(bad)} games are not as they should be' if bad else 'all is well'}"


def _tokens(commit: Commit) -> Answer:
    seats = {str(seat): token for seat, token in commit.tokens.items() if seat != HOST}
    body = {"game": commit.loaded.id, "host_token": commit.tokens[HOST], "seats": seats}
    return Answer(201, commit.version, "", msgspec.json.encode(body))


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandFailed(f"{file}: {error.strerror}") from error


def _print(facts: dict[str, Any]) -> None:
    sys.stdout.write(msgspec.json.encode(facts).decode() + "\n")
