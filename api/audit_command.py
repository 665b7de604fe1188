"""The commands that detect tampering: audits, and anchors for later audits."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Self
from uuid import UUID

from api.command_support import CommandFailed, print_json, with_progress, with_service
from domain.anchors import Anchored, AnchorRefused, make_anchor, read_anchors
from domain.audit import Audit, Head
from domain.store import GameService, ReadDatabase, UnknownGame, all_ids, audit_game, now
from projections.words.en import count


class Audited(NamedTuple):
    """The result of several audits: the numbers of games and events, damaged games, and times of removals."""

    games: int
    events: int
    bad: dict[str, Audit]
    removed: dict[str, str]

    @classmethod
    def of(cls, found: Sequence[tuple[UUID, Audit | str]]) -> Self:
        removed = {str(game_id): at for game_id, at in found if isinstance(at, str)}
        audits = {str(game_id): audit for game_id, audit in found if not isinstance(audit, str)}
        bad = {game_id: audit for game_id, audit in audits.items() if not audit.ok}
        return cls(len(audits), sum(audit.events for audit in audits.values()), bad, removed)

    def report(self) -> None:
        sys.stdout.writelines(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterable[str]:
        for game_id, audit in self.bad.items():
            if first := audit.first_difference:
                yield f"{game_id} is damaged at event {first.version}, {first.what}: {first.compared}"
        if self.removed:
            each = ", ".join(f"{game_id} at {at}" for game_id, at in self.removed.items())
            yield f"{count(len(self.removed), 'game')} erased: {each}"
        result = f"{count(len(self.bad), 'game')} damaged" if self.bad else "all is well"
        yield f"{count(self.games, 'game')}, {count(self.events, 'event')}: {result}"


def audit(arguments: Namespace) -> int:
    """Check games for tampering and violations of the rules.

    The exit status is 0 if no game is damaged, else 1.

    Examples:
      python -m api audit --all
      python -m api audit --all --anchor /mnt/elsewhere/anchors
    """
    anchored: Anchored = {}
    if arguments.anchor is not None:
        anchored = _read_anchors(arguments.anchor)
        if not Path(arguments.anchor).stat().st_size:
            raise CommandFailed(f"{arguments.anchor}: this file is empty. Use a file written by 'anchor'.")

    async def audit_all(service: GameService) -> list[tuple[UUID, Audit | str]]:
        ids = sorted({*await service.archive.game_ids(), *map(UUID, anchored)}) if arguments.all else arguments.games
        return [
            (game_id, await _audit_one(service, game_id, anchored.get(str(game_id), ())))
            for game_id in with_progress(ids, "Auditing")
        ]

    audited = Audited.of(with_service(audit_all))
    if arguments.json:
        print_json({"ok": not audited.bad, **audited._asdict()})
    else:
        audited.report()
    return 1 if audited.bad else 0


def audit_database(database: ReadDatabase) -> Audited:
    """Audit every game of a database without changing it."""

    def audit_one(game_id: UUID) -> Audit | str:
        try:
            return audit_game(database, game_id)
        except UnknownGame as unknown:
            return str(unknown.removed_at)

    ids = all_ids(database)
    return Audited.of([(game_id, audit_one(game_id)) for game_id in with_progress(ids, "Auditing")])


def anchor(arguments: Namespace) -> int:
    """Record the state of all games for later audits.

    Appends a line with the changes to a file. Keep the file on another machine.
    'python -m api audit --all --anchor FILE' then also detects games that were
    deleted, truncated or rewritten in the database.

    Example:
      python -m api anchor /mnt/elsewhere/anchors
    """
    anchored: Anchored = {}
    if arguments.file is not None and Path(arguments.file).exists():
        anchored = _read_anchors(arguments.file)

    async def read(service: GameService) -> bytes:
        games = len(await service.archive.game_ids())

        def make(heads: Iterable[tuple[str, Head]]) -> bytes:
            return make_anchor(with_progress(heads, "Anchoring", games), anchored, now())

        return await service.archive.read_heads(make)

    line = with_service(read)
    if arguments.file is None:
        sys.stdout.write(line.decode())
    else:
        _append(arguments.file, line)
    return 0


async def _audit_one(service: GameService, game_id: UUID, anchors: Sequence[Head]) -> Audit | str:
    """Return the audit of a game, or the time of its removal; raise ``UnknownGame``."""
    try:
        return await service.archive.audit(game_id, anchors=anchors)
    except UnknownGame as unknown:
        if unknown.removed_at is None:
            raise
        return unknown.removed_at


def _read_anchors(file: str) -> Anchored:
    if Path(file).exists() and not Path(file).is_file():
        raise CommandFailed(f"{file}: not a regular file")
    try:
        with Path(file).open("rb") as lines:
            return read_anchors(lines)
    except AnchorRefused as refused:
        raise CommandFailed(f"{file}: {refused}") from refused


def _append(file: str, line: bytes) -> None:
    """Append a line to a file and wait until it is on the disk."""
    with Path(file).open("ab") as lines:
        lines.write(line)
        lines.flush()
        os.fsync(lines.fileno())
