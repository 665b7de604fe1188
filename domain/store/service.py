"""The games of a database, for many callers at once: the only entrance to the store."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Self
from uuid import UUID

from eventsourcing.application import LRUCache

from domain.boards import load_region_tiles
from domain.modules import Fact, GameOptions
from domain.refused import Refused
from domain.store import commands, idempotency, lobby, new_games, upkeep
from domain.store.application import GamesApplication, open_application
from domain.store.bot_games import BotGames
from domain.store.commands import Command, RegionTileSet
from domain.store.commit import Commit, commit_of_decision, store
from domain.store.database import LiveDatabase, Statement
from domain.store.errors import Conflict, Limits, StaleVersion, StorageUnavailable, TooManyWatchers, require_version
from domain.store.feed import Feed
from domain.store.game_reads import GameReads
from domain.store.group_writer import GroupWriter
from domain.store.idempotency import Answer, IdempotencyKey
from domain.store.live import ChangedEntries, Watchers
from domain.store.lobby import LobbyTimer
from domain.store.observer import ObservedDatabase, Observer
from domain.store.streams import is_stored
from domain.store.upkeep import Housekeeping
from domain.store.work import ClientLimit
from domain.table import NewPlayer, changes_listing

LOCKS_CACHED = 10_000
"""The number of games that have a lock; changes of others may meet at the database, where the later one conflicts."""

LATE_SECONDS = 1
"""The time beyond its own limit that a database has to report that it was too slow."""

DEFAULT_LIMITS = Limits()
NOBODY = Observer()

Render = Callable[[Commit], Answer]
"""The answer to a change, made before it is stored: if this fails, nothing is stored."""

Permit = Callable[[], Awaitable[None]]
"""A check whether the caller may change the game, before each decision but not for the first answer to a key."""


def open_service(
    url: str,
    *,
    region_tiles: RegionTileSet | None = None,
    limits: Limits = DEFAULT_LIMITS,
    observer: Observer = NOBODY,
) -> "GameService":
    """Open the database of a URL; raise ``StorageUnavailable`` or ``UnknownDatabase``.

    The URL is ``sqlite:///file``, ``postgresql://...`` or ``memory:``; ``region_tiles`` are the twenty of the Region
    tiles expansion, the house set if there are no others.
    """
    tiles = load_region_tiles() if region_tiles is None else region_tiles
    return GameService(open_application(url, limits.database_timeout), tiles, limits, observer)


class GameService(GameReads):
    """The games of a database; changes of one game are made one after the other."""

    def __init__(
        self,
        application: GamesApplication,
        region_tiles: RegionTileSet,
        limits: Limits,
        observer: Observer = NOBODY,
    ) -> None:
        """Serve the games of an application, and tell an observer of it."""
        database: LiveDatabase = application.recorder
        if observer.failed:
            database = ObservedDatabase(database, observer.tell_failure)
        super().__init__(database, limits, observer.tell_failure)
        self._observer = observer
        self._application = application
        self._region_tiles = region_tiles
        self._storing_timeout = limits.database_timeout + LATE_SECONDS
        self._feed = Feed(database, self._read)
        limit = ClientLimit(limits.watchers, limits.watchers_per_client, TooManyWatchers)
        self.watchers = Watchers(self._feed, self.load, limit, limits.wait_limit)
        self.changed_lines = ChangedEntries(self._feed, self._database, self._games, self._threads, self._heavy, limit)
        self.bot_games = BotGames(self._database, self._threads.load)
        self._locks: LRUCache[int, asyncio.Lock] = LRUCache(LOCKS_CACHED)
        self._writer: GroupWriter[tuple[Commit, Statement | None]] | None = None
        self._listing_timer: LobbyTimer
        self._housekeeping = Housekeeping(self._database, self._threads.load, self.change, limits)

    async def __aenter__(self) -> Self:
        write = partial(store, self._database)
        self._writer = GroupWriter(
            write,
            partial(write, wait=False) if self._database.in_process else None,
            self._observer.stored,
        )
        self._listing_timer = LobbyTimer(partial(self._threads.load, lobby.catch_up, self._database))
        self._housekeeping.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.watchers.close()
        self.changed_lines.close()
        await self._feed.close()
        self._heavy.close()
        await self._readiness.close()
        try:
            await self._housekeeping.close()
            await self._open_writer().close()
            await self._listing_timer.close()
        finally:
            self._threads.close()
            self._application.close()

    async def open_table(
        self,
        seats: int,
        players: Sequence[str | NewPlayer],
        options: GameOptions,
        render: Render,
        *,
        key: IdempotencyKey | None = None,
    ) -> Answer:
        """Open a table for that many players; if all are there, play begins."""
        return await self.store_game(commands.open_table(seats, players, options, self._region_tiles), render, key=key)

    async def store_game(self, facts: Sequence[Fact], render: Render, *, key: IdempotencyKey | None = None) -> Answer:
        """Store a new game with these facts, which must follow from the rules."""

        async def make_commit() -> Commit:
            return new_games.commit_of_new_game(facts)

        return await self._commit(make_commit, render, key)

    async def fork(
        self,
        game_id: UUID,
        at: int | None,
        render: Render,
        *,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
        client: str = "",
    ) -> Answer:
        """Go on in a new game from where another one is, or was at a version; raise ``StaleVersion`` as ``change``."""

        async def make_commit() -> Commit:
            require_version(expected_version, (await self.load(game_id)).version)
            async with self.heavy_turn(client):
                return await self._threads.load(new_games.commit_of_fork, self._database, self._games, game_id, at)

        return await self._commit(make_commit, render, key)

    async def import_record(
        self,
        document: bytes,
        render: Render,
        *,
        private: bool = False,
        key: IdempotencyKey | None = None,
        client: str = "",
    ) -> Answer:
        """Store the game of a record, on wish as a private one; raise ``RecordRefused`` unless all of it is right."""

        async def make_commit() -> Commit:
            commit = await self._heavy.run(client, new_games.commit_of_import, document, private=private)
            taken = await self._threads.read(is_stored, self._database, commit.id)
            return await asyncio.to_thread(new_games.with_new_id, commit) if taken else commit

        return await self._commit(make_commit, render, key)

    async def change(
        self,
        game_id: UUID,
        command: Command,
        render: Render,
        *,
        permit: Permit | None = None,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
    ) -> Answer:
        """Change a game after other changes under way; raise ``StaleVersion`` if it is at another version."""
        decide = partial(self._decide, game_id, command, permit, expected_version)
        async with self._in_time(), self._lock(game_id):
            return await self._commit(decide, render, key)

    async def remove(self, game_id: UUID) -> str:
        """Erase a game, whatever its state, and return when it was removed; raise ``UnknownGame``."""
        removed = await asyncio.to_thread(upkeep.remove, self._database, game_id)
        self._feed.wake()
        return removed

    @asynccontextmanager
    async def _in_time(self) -> AsyncGenerator[None]:
        """Raise ``StorageUnavailable`` if something takes too long and the database has not said so itself."""
        try:
            async with asyncio.timeout(self._storing_timeout):
                yield
        except TimeoutError as error:
            late = StorageUnavailable(f"not stored within {self._storing_timeout:g} s")
            self._observer.tell_failure(late)
            raise late from error

    def _lock(self, game_id: UUID) -> asyncio.Lock:
        try:
            return self._locks.get(game_id.int)
        except KeyError:
            lock = asyncio.Lock()
            self._locks.put(game_id.int, lock)
            return lock

    async def _decide(
        self, game_id: UUID, command: Command, permit: Permit | None, expected_version: int | None
    ) -> Commit:
        """Decide on the cached game.

        If another process has changed the game meanwhile, no events that are decided here can be stored; nothing is
        refused, and nothing is decided that has no events, before the game is loaded again.
        """
        if permit is not None:
            await permit()
        loaded, refused = self._games.cached(game_id) or await self.load(game_id), None
        while True:
            try:
                require_version(expected_version, loaded.version)
                commit = commit_of_decision(loaded, command(loaded, self._region_tiles))
                if commit.facts:
                    return commit
            except (Refused, StaleVersion) as error:
                commit, refused = None, error
            decided_on, loaded = loaded, await self.load(game_id)
            if loaded is decided_on and commit is not None:
                return commit
            if loaded is decided_on and refused is not None:
                raise refused

    async def _commit(
        self, make_commit: Callable[[], Awaitable[Commit]], render: Render, key: IdempotencyKey | None
    ) -> Answer:
        """Decide, render and store, again and again until no other writer was faster.

        Before a request is refused its key is looked up again: a copy of it may have been done meanwhile elsewhere.
        """
        writer = self._open_writer()
        while (first := await self.first_answer(key) if key else None) is None:
            try:
                commit = await make_commit()
            except (Refused, StaleVersion):
                if key and (first := await self.first_answer(key)):
                    break
                raise
            answer = render(commit)
            kept = idempotency.insert(key, answer) if key else None
            try:
                async with self._in_time():
                    await writer.write((commit, kept))
            except Conflict:
                if commit.before:
                    await self.read_on(commit.id)
                continue
            self._games.put(commit.loaded)
            self._feed.wake()
            if commit.table.has_bots:
                self.bot_games.stored(commit.loaded)
            if changes_listing(*commit.facts):
                self._listing_timer.start()
            return answer
        return first

    def _open_writer(self) -> GroupWriter[tuple[Commit, Statement | None]]:
        if self._writer is None:
            raise RuntimeError("the service is not open: use it in `async with`")
        return self._writer
