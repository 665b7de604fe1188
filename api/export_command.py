"""The command ``export``: the record of one game, or the records of all finished games."""

import fcntl
import mmap
import os
import re
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO
from uuid import UUID

import msgspec
from msgspec import Meta

from api.command_support import CommandFailed, progress_bar, with_service
from domain.records import FORMAT
from domain.store import FinishedGames, GameService, UnknownEnding

BEGINNING = f'{{"format":"{FORMAT}"'.encode()
"""The beginning of every record."""


_is_cursor = re.compile(rb'\{"next":(null|"[0-9a-f-]{36}-[0-9]+")\}\n').fullmatch


class _Event(msgspec.Struct):
    version: int


class _Record(msgspec.Struct):
    game: UUID
    events: Annotated[tuple[_Event, ...], Meta(min_length=1)]


def export(arguments: Namespace) -> int:
    """Export a game as a record, a portable JSON file, or all finished games.

    To copy a game into another database:
      python -m api export GAME game.json
      python -m api import game.json --database sqlite:///other.db

    With --finished, FILE gets the records of all public games that have ended,
    one a line, in the order in which they ended. If FILE has lines already,
    the export goes on after them.
    """
    if arguments.finished is None:
        return _export_game(arguments)
    file = Path(arguments.finished)
    with file.open("r+b" if file.exists() else "w+b") as lines:
        try:
            fcntl.flock(lines, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandFailed(f"{file}: another export is writing this file.") from error
        with_service(partial(_write_finished, lines))
    return 0


def _export_game(arguments: Namespace) -> int:
    async def read(service: GameService) -> bytes:
        return await service.archive.record(await service.load(arguments.game))

    record = with_service(read)
    if arguments.file is None:
        sys.stdout.buffer.write(record + b"\n")
    else:
        Path(arguments.file).write_bytes(record)
    return 0


async def _write_finished(lines: BinaryIO, service: GameService) -> None:
    finished = await _continued(lines, service)
    with progress_bar("Exporting", await service.archive.newest_position()) as move_to:
        while not finished.at_end:
            if record := await service.archive.next_record(finished):
                lines.write(record + b"\n")
            move_to(finished.position)
    lines.write(msgspec.json.encode({"next": finished.cursor}) + b"\n")
    lines.flush()
    os.fsync(lines.fileno())


async def _continued(lines: BinaryIO, service: GameService) -> FinishedGames:
    """Cut off the line with the cursor and an incomplete line, and continue after the last game that still exists."""
    end = kept = lines.seek(0, os.SEEK_END)
    found: FinishedGames | None = None
    if end:
        with mmap.mmap(lines.fileno(), 0, access=mmap.ACCESS_READ) as text:
            end = kept = text.rfind(b"\n") + 1
            if not end and not _is_cut_off(text[:]):
                raise _other_lines(lines.name)
            while end and found is None:
                start = text.rfind(b"\n", 0, end - 1) + 1
                line = text[start:end]
                if not _is_cursor(line):
                    found = await _after(service, _decoded(line, lines.name))
                elif end == kept:
                    kept = start
                end = start
    lines.truncate(kept)
    lines.seek(kept)
    return found or await service.archive.finished_games()


async def _after(service: GameService, record: _Record) -> FinishedGames | None:
    """Return the games that ended after a record, None if its game was erased."""
    try:
        return await service.archive.finished_games(f"{record.game}-{record.events[-1].version}")
    except UnknownEnding:
        return None


def _decoded(line: bytes, file: str) -> _Record:
    try:
        return msgspec.json.decode(line, type=_Record)
    except msgspec.DecodeError as error:
        raise _other_lines(file) from error


def _is_cut_off(text: bytes) -> bool:
    """Return whether a text is the beginning of a record, and not a whole one, which another export wrote."""
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text.startswith(BEGINNING) or BEGINNING.startswith(text)
    return False


def _other_lines(file: str) -> CommandFailed:
    return CommandFailed(f"{file}: this file has other lines than records. Choose another one.")
