"""A client of a service that waits for each result, and what else the tests of the store have in common."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from random import Random
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from domain.audit import Audit
from domain.decide import legal_actions
from domain.modules import GameOptions, Modules
from domain.store import (
    Commit,
    GameService,
    IdempotencyKey,
    Limits,
    LoadedGame,
    Permission,
    commands,
    open_service,
)
from domain.store.application import open_application
from domain.store.commands import Command
from domain.store.database import Database, Growth, LiveDatabase, Row, Statement, Transaction
from domain.stream import Recorded
from domain.table import NewPlayer, effective_versions
from projections.game_line import GameLine, game_line

T = TypeVar("T")

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve")
QUICK = GameOptions(seed=7, undo="free")
ALL_MODULES = GameOptions(seed=11, undo="free", modules=Modules(milestones=True, boom=True, region_tiles="mixed"))


class Lines(NamedTuple):
    """A page of the list."""

    items: tuple[GameLine, ...]
    next: int | None


class Client:
    """Somebody who asks a service for one thing after the other."""

    def __init__(self, service: GameService, runner: asyncio.Runner) -> None:
        self.service = service
        self._runner = runner

    def wait(self, asked: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(asked)

    def change(
        self,
        game: UUID,
        command: Command,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
        permission: Permission | None = None,
    ) -> Commit:
        changing = self.service.change(game, command, permission=permission, expected_version=expected_version, key=key)
        return self.wait(changing)

    def permission(self, game: UUID, token: str) -> Permission:
        """The permission of somebody who is let in now."""
        loaded = self.load(game)
        holder = self.wait(self.service.find_token(token, loaded))
        assert holder is not None
        return Permission(token, holder, loaded.digest)

    def open_table(self, seats: int, players: Sequence[str | NewPlayer], options: GameOptions) -> Commit:
        return self.wait(self.service.open_table(seats, players, options))

    def fork(self, game: UUID, at: int | None = None) -> Commit:
        return self.wait(self.service.fork(game, at))

    def import_record(self, document: bytes) -> Commit:
        return self.wait(self.service.import_record(document))

    def load(self, game: UUID, at: int | None = None) -> LoadedGame:
        return self.wait(self.service.load(game, at))

    def recorded(self, game: UUID) -> tuple[Recorded, ...]:
        """The events in force."""
        loaded = self.load(game)
        return self.wait(self.service.recorded(game, effective_versions(loaded.table, loaded.version)))

    def export_record(self, game: UUID) -> bytes:
        return self.wait(self.service.export_record(self.load(game)))

    def audit(self, game: UUID) -> Audit:
        return self.wait(self.service.audit(game))

    def listing(self, **asked: Any) -> Lines:
        """A page of the list, with the lines as clients of the API see them."""
        page = self.wait(self.service.list_games(**asked))
        return Lines(tuple(map(game_line, page.items)), page.next)

    def started(self, options: GameOptions = QUICK, players: int = 2) -> Commit:
        """A game that has just begun."""
        return self.open_table(players, NAMES[:players], options)

    def play(self, game: UUID, actions: int, seed: int = 0) -> LoadedGame:
        """Take so many random actions, fewer if the game ends before."""
        random = Random(seed)
        loaded = self.load(game)
        for _ in range(actions):
            playing = loaded.game
            if playing is None or playing.to_play is None:
                break
            action = random.choice(legal_actions(playing)).action
            loaded = self.change(game, commands.act(playing.to_play, action)).loaded
        return loaded


def stored(commit: Commit) -> tuple[UUID, int, tuple[bytes, ...], Mapping[int, str]]:
    """What a repeated request gets again: the game, its version, the events and the tokens."""
    return commit.id, commit.version, tuple(commit.events), commit.tokens


class CountingDatabase:
    """A database that counts what is read: the statements, transactions included, and the rows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.in_process = database.in_process
        self.reads = 0
        self.writes = 0
        self.rows = 0

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        rows = self._database.select(statement)
        self.reads += 1
        self.rows += len(rows)
        return rows

    def append(
        self,
        rows: Sequence[Row],
        statements: Sequence[Statement] = (),
        growths: Sequence[Growth] = (),
        *,
        wait: bool = True,
    ) -> float:
        self.writes += 1
        return self._database.append(rows, statements, growths, wait=wait)

    def purge(self) -> None:
        self._database.purge()

    def transaction(self) -> AbstractContextManager[Transaction]:
        self.reads += 1
        return self._database.transaction()


@contextmanager
def connected(url: str, **limits: Any) -> Iterator[Client]:
    """A client of a service of a database."""
    with asyncio.Runner() as runner:
        service = runner.run(_entered(url, limits))
        try:
            yield Client(service, runner)
        finally:
            runner.run(service.__aexit__(None, None, None))


async def _entered(url: str, limits: dict[str, Any]) -> GameService:
    return await open_service(url, limits=Limits(**limits)).__aenter__()


@contextmanager
def opened_database(url: str, timeout: float = 10) -> Iterator[LiveDatabase]:
    """The database itself, without a service."""
    with closing(open_application(url, timeout)) as application:
        yield application.recorder
