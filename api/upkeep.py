"""What the command line does with the games of a database, without a server."""

import secrets
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from rich.console import Console
from rich.progress import track

from api.random_games import random_game
from api.settings import read_settings
from domain.application import Change, Games, UnknownGame, open_games
from domain.application.append import Append
from domain.application.founding import begun, brought_in, new_id
from domain.application.lobby import catch_up, rebuild
from domain.audit import Audit
from domain.records import RecordRefused, verify_record
from domain.refusals import Refused

T = TypeVar("T")

STORED_AT_ONCE = 50


class Failed(Exception):
    """What was asked for cannot be done; the message says why."""


def export(asked: Namespace) -> int:
    """Write the record of a game to a file, or to the standard output."""
    with open_games(read_settings().database_url) as games:
        try:
            record = games.record(asked.game)
        except UnknownGame as unknown:
            raise Failed(str(unknown)) from unknown
        except Refused as refused:
            raise Failed(refused.detail) from refused
    if asked.file is None:
        sys.stdout.buffer.write(record + b"\n")
    else:
        Path(asked.file).write_bytes(record)
    return 0


def bring_in(asked: Namespace) -> int:
    """Bring in records, and tell the ids and tokens under which the games go on here."""
    with open_games(read_settings().database_url) as games:
        for file in asked.files:
            try:
                verified = verify_record(_read(file))
            except RecordRefused as refused:
                raise Failed(f"{file}: {refused}") from refused
            sys.stdout.write(games.perform(lambda: brought_in(games, verified), _tokens).decode() + "\n")  # noqa: B023
    return 0


def audit(asked: Namespace) -> int:
    """Audit games and tell what was found; the exit status is 0 only if all is well."""
    with open_games(read_settings().database_url) as games:
        ids = games.ids() if asked.all else asked.games
        found = [(game, _audit(games, game)) for game in _followed(ids, "Auditing")]
    bad = {str(game): audit for game, audit in found if not audit.ok}
    events = sum(audit.events for _, audit in found)
    if asked.json:
        _tell({"ok": not bad, "games": len(found), "events": events, "bad": bad})
    else:
        sys.stdout.writelines(f"{line}\n" for line in _report(len(found), events, bad))
    return 1 if bad else 0


def simulate(asked: Namespace) -> int:
    """Play random games to their end and store them."""
    seed = secrets.randbelow(2**32) if asked.seed is None else asked.seed
    with open_games(read_settings().database_url) as games:
        appends: list[Append] = []
        for number in _followed(range(asked.number), "Playing"):
            appends.append(_simulated(seed + number, asked.players))
            if len(appends) == STORED_AT_ONCE:
                games.store(appends)
                appends = []
        games.store(appends)
        catch_up(games.database)
    _tell({"games": asked.number, "seed": seed})
    return 0


def rebuild_list(_: Namespace) -> int:
    """Make the list of games anew from the streams."""
    with open_games(read_settings().database_url) as games:
        rebuild(games.database)
        _tell({"games": len(games.ids())})
    return 0


def _simulated(seed: int, players: int | None) -> Append:
    return Append(begun(new_id(), random_game(seed, players)), b"", None)


def _audit(games: Games, game: UUID) -> Audit:
    try:
        return games.audit(game)
    except UnknownGame as unknown:
        raise Failed(str(unknown)) from unknown


def _report(games: int, events: int, bad: dict[str, Audit]) -> Iterable[str]:
    for game, audit in bad.items():
        first = audit.first_difference
        where = (
            f"event {first.version}, {first.what}: stored {first.stored}, expected {first.expected}" if first else ""
        )
        yield f"{game} differs at {where}"
    yield f"{games} games, {events} events: {f'{len(bad)} games are not as they should be' if bad else 'all is well'}"


def _followed(work: Sequence[T], what: str) -> Iterable[T]:
    """The work, with a bar of how much of it is done if somebody looks on."""
    console = Console(stderr=True)
    return track(work, what, console=console, disable=not console.is_terminal)


def _tokens(change: Change) -> bytes:
    seats = {str(seat): token for seat, token in change.tokens.items() if seat is not None}
    return msgspec.json.encode({"game": change.id, "host_token": change.tokens[None], "seats": seats})


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Failed(f"{file}: {error.strerror}") from error


def _tell(facts: dict[str, Any]) -> None:
    sys.stdout.write(msgspec.json.encode(facts).decode() + "\n")
