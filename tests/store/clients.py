"""A synchronous client of the service, sample games, and direct access to the database."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import psycopg

from domain.audit import Audit
from domain.decide import legal_actions
from domain.modules import GameOptions, Modules
from domain.store import (
    Commit,
    GameSearch,
    GameService,
    IdempotencyKey,
    Limits,
    LoadedGame,
    Permission,
    TokenHolder,
    commands,
    open_service,
)
from domain.store.application import open_application
from domain.store.commands import Command, TableDecision
from domain.store.commit import commit_of_decision, store
from domain.store.database import Database, LiveDatabase, Statement, Transaction
from domain.store.games import LoadedGames
from domain.store.upkeep import Change, Housekeeping, Load
from domain.stream import Recorded
from domain.table import NewPlayer, effective_versions
from domain.table_facts import Redone, Undone
from projections.game_entry import GameEntry, game_entry

T = TypeVar("T")

DEFAULT = GameOptions()
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve")
QUICK = GameOptions(seed=7, undo="free")
ALL_MODULES = GameOptions(seed=11, undo="free", modules=Modules(milestones=True, boom=True, region_tiles="mixed"))


def without_import(record: bytes) -> bytes:
    """Return the record of an imported game without its last event, which says that it was imported."""
    kept, _, last = record.rpartition(b',{"version":')
    assert b'"type":"game_imported"' in last
    return kept + b"]}"


class EntryPage(NamedTuple):
    """A page of the lobby, with the entries as clients of the API see them."""

    items: tuple[GameEntry, ...]
    next: int | None


class Client:
    """A client of a service that waits for each result."""

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
        """The permission of a holder whose token is checked now."""
        loaded = self.load(game)
        holder = self.wait(self.service.find_token(token, loaded))
        assert holder is not None
        return Permission(token, holder, loaded.digest)

    def open_table(
        self,
        seats: int = 2,
        players: Sequence[str | NewPlayer] = ("Ann",),
        options: GameOptions = DEFAULT,
        key: IdempotencyKey | None = None,
    ) -> Commit:
        return self.wait(self.service.open_table(seats, players, options, key=key))

    def fork(self, game: UUID, at: int | None = None, **asked: Any) -> Commit:
        return self.wait(self.service.fork(game, at, **asked))

    def import_record(self, document: bytes, **asked: Any) -> Commit:
        return self.wait(self.service.import_record(document, **asked))

    def remove(self, game: UUID) -> str:
        return self.wait(self.service.remove(game))

    def repeated(self, key: IdempotencyKey, permission: Permission | None = None) -> Commit | None:
        return self.wait(self.service.repeated(key, permission))

    def game_ids(self) -> list[UUID]:
        return self.wait(self.service.archive.game_ids())

    def find_token(self, token: str) -> TokenHolder | None:
        return self.wait(self.service.find_token(token))

    def events(self, game: UUID, **asked: Any) -> tuple[bytes, ...]:
        return self.wait(self.service.events(game, **asked)).items

    def load(self, game: UUID, at: int | None = None) -> LoadedGame:
        return self.wait(self.service.load(game, at))

    def recorded(self, game: UUID) -> tuple[Recorded, ...]:
        """The events in force."""
        loaded = self.load(game)
        return self.wait(self.service.recorded(game, effective_versions(loaded.table, loaded.version)))

    def export_record(self, game: UUID) -> bytes:
        return self.wait(self.service.archive.record(self.load(game)))

    def audit(self, game: UUID) -> Audit:
        return self.wait(self.service.archive.audit(game))

    def lobby(self, **asked: Any) -> EntryPage:
        page = self.wait(self.service.list_games(GameSearch(**asked)))
        return EntryPage(tuple(map(game_entry, page.items)), page.next)

    def started(self, options: GameOptions = QUICK, players: int = 2) -> Commit:
        """A game that has just started."""
        return self.open_table(players, NAMES[:players], options)

    def play(self, game: UUID, actions: int, seed: int = 0) -> LoadedGame:
        """Take this many random actions, fewer if the game ends earlier."""
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
    """The result of a repeated request: the game, its version, the events and the tokens."""
    return commit.id, commit.version, tuple(commit.events), commit.tokens


def key(
    text: str = "0f8fad5b-d9cb-469f-a165-70867728950e", caller: str = "", body: str = "body", token: str | None = None
) -> IdempotencyKey:
    return IdempotencyKey(caller, text, sha256(body.encode()).digest(), token)


# --- services and databases ------------------------------------------------------------------------------------------


class CountingDatabase:
    """A database that counts reads (statements and transactions), rows and writes."""

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

    def append(self, *asked: Any, **options: Any) -> float:
        self.writes += 1
        return self._database.append(*asked, **options)

    def purge(self) -> None:
        self._database.purge()

    def transaction(self) -> AbstractContextManager[Transaction]:
        self.reads += 1
        return self._database.transaction()


@contextmanager
def connected(url: str, **limits: Any) -> Iterator[Client]:
    """A client of a new service on a database."""
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


Run = Callable[..., list[tuple[Any, ...]]]


@contextmanager
def database_statements(url: str) -> Iterator[Run]:
    """Run statements on the database, past the services; each is committed at once."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        mark = "?"
    else:
        connection, mark = psycopg.connect(url, autocommit=True), "%s"

    def run(statement: str, *values: object) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement.replace("?", mark), values)
        rows: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        return rows

    with closing(connection):
        yield run


def stored_rows(run: Run, game: UUID) -> dict[int, bytes]:
    """The rows of a game by the version of their first event."""
    query = "SELECT originator_version, state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"
    return {version: bytes(state) for version, state in run(query, game.hex)}


def newest_position(database: Database) -> int:
    ((position,),) = database.select(("SELECT MAX({number}) FROM stored_events", ()))
    return int(position)


def store_undos_and_redos(url: str, game: UUID, decisions: int, events: int) -> int:
    """Store decisions with this many events each, alternately undo and redo; return the version."""
    with opened_database(url) as database:
        loaded = LoadedGames(database, 10**8).load(game)
        now = loaded.timeline.now
        assert now is not None
        assert now.earlier is not None
        facts = (Undone(None, now.earlier.version), Redone(None, now.version)) * (events // 2)
        for _ in range(decisions):
            commit = commit_of_decision(loaded, TableDecision(facts))
            store(database, [commit])
            loaded = commit.loaded
    return loaded.version


# --- the clock and housekeeping --------------------------------------------------------------------------------------

Clock = Callable[[str], None]
"""Sets the time at which changes and keys are stored."""

JANUARY_1, JANUARY_20, FEBRUARY_5 = (f"2030-{day}T00:00:00Z" for day in ("01-01", "01-20", "02-05"))
"""On February 5 the first date is more than 30 days ago, the second is not."""


def timestamp(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


async def call_inline(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def housekeeping(
    database: Database,
    change: Change,
    now: str = FEBRUARY_5,
    load: Load = call_inline,
    keys: int = 30,
    tables: int = 30,
) -> Housekeeping:
    limits = Limits(keys_kept=keys, open_tables_kept=tables)
    return Housekeeping(database, load, change, limits, clock=lambda: timestamp(now))


def run_housekeeping(url: str, client: Client, **how: Any) -> None:
    """Run one round of housekeeping."""
    with opened_database(url) as database:
        client.wait(housekeeping(database, client.service.change, **how).do_round())
