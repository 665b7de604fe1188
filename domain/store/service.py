"""The games of a database, for many callers at once: the only entrance to the store."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Self, TypeVar
from uuid import UUID

from eventsourcing.application import LRUCache

from domain.audit import Audit
from domain.boards import load_region_tiles
from domain.modules import Fact, Options
from domain.refused import Refused
from domain.store import commands, idempotency, listing, new_games, streams, tokens
from domain.store.application import GamesApplication, open_application
from domain.store.commands import Command, RegionTileSet
from domain.store.commit import Commit, commit_of_decision, store
from domain.store.database import Statement
from domain.store.database_threads import DatabaseThreads
from domain.store.errors import Conflict, StaleVersion, StorageUnavailable, require_version
from domain.store.group_writer import GroupWriter
from domain.store.heavy_work import HeavyWork
from domain.store.idempotency import Answer, IdempotencyKey
from domain.store.limits import Limits
from domain.store.listing import ListPage, TokenGame
from domain.store.listing_timer import ListingTimer
from domain.store.loaded_games import LoadedGame, LoadedGames
from domain.store.streams import EventPage
from domain.store.tokens import TokenHolder
from domain.store.watchers import Watchers
from domain.stream import Recorded, UnreadableEvent
from domain.table import NewPlayer, Status, any_changes_listing

T = TypeVar("T")

LOCKS_CACHED = 10_000
"""The number of games that have a lock; changes of others may meet at the database, where the later one conflicts."""

DEFAULT_LIMITS = Limits()

Render = Callable[[Commit], Answer]
"""The answer to a change, made before it is stored: if this fails, nothing is stored."""


def open_service(
    url: str, *, region_tiles: RegionTileSet | None = None, limits: Limits = DEFAULT_LIMITS
) -> "GameService":
    """Open the database of a URL; raise ``StorageUnavailable`` or ``UnknownDatabase``.

    The URL is ``sqlite:///file``, ``postgresql://...`` or ``memory:``; ``region_tiles`` are the twenty of the Region
    tiles expansion, the house set if there are no others.
    """
    tiles = load_region_tiles() if region_tiles is None else region_tiles
    return GameService(open_application(url, limits.database_timeout), tiles, limits)


class GameService:
    """The games of a database; changes of one game are made one after the other."""

    def __init__(self, application: GamesApplication, region_tiles: RegionTileSet, limits: Limits) -> None:
        """Serve the games of an application."""
        self._application = application
        self._database = application.recorder
        self._games = LoadedGames(self._database, limits.cache_bytes)
        self._region_tiles = region_tiles
        self._database_timeout = limits.database_timeout
        self._threads = DatabaseThreads(limits.database_timeout)
        self._heavy = HeavyWork(limits.heavy_requests, limits.heavy_requests_per_client)
        self.watchers = Watchers(self.load, limits.watchers, limits.watchers_per_client, limits.wait_limit)
        self._locks: LRUCache[int, asyncio.Lock] = LRUCache(LOCKS_CACHED)
        self._writer: GroupWriter[tuple[Commit, Statement | None]] | None = None
        self._listing_timer: ListingTimer

    async def __aenter__(self) -> Self:
        write = partial(store, self._database)
        self._writer = GroupWriter(write, partial(write, wait=False) if self._database.in_process else None)
        self._listing_timer = ListingTimer(partial(self._threads.load, listing.catch_up, self._database))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.watchers.close()
        self._heavy.close()
        try:
            await self._open_writer().close()
            await self._listing_timer.close()
        finally:
            self._threads.close()
            self._application.close()

    # --- reading --------------------------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Raise ``StorageUnavailable`` unless the database answers."""
        await self._threads.read(self._database.select, ("SELECT 1", ()))

    async def find_token(self, token: str) -> TokenHolder | None:
        """Return the place that a token opens, None if it opens none."""
        return await self._read(tokens.find, self._database, token)

    async def load(self, game_id: UUID, at: int | None = None) -> LoadedGame:
        """Return a game as it is, or as it was at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        if at is not None:
            return await self._threads.load(self._games.load_at, game_id, at)
        if self._games.cached(game_id):
            return await self._read(self._games.load, game_id)
        return await self._threads.load(self._games.load, game_id)

    async def is_private(self, game_id: UUID) -> bool:
        """Return whether only those who have a token of a game may read it, also if its stream cannot be read."""
        try:
            return (await self.load(game_id)).table.options.private
        except UnreadableEvent:
            return await asyncio.to_thread(streams.opened_private, self._database, game_id)

    def keep_past(self, loaded: LoadedGame) -> None:
        """Keep a game as it is now for those who will ask for this version when it has gone on."""
        self._games.keep_past(loaded)

    async def events(self, game_id: UUID, *, after: int = 0, limit: int = 1000, full: bool = False) -> EventPage:
        """Return the stored JSON of the events after a version: those in force, or all of them."""
        loaded = await self.load(game_id)
        return await self._threads.read(streams.event_page, self._database, loaded, after, limit, full)

    async def recorded(self, game_id: UUID, versions: Sequence[range]) -> tuple[Recorded, ...]:
        """Return the facts of these parts of a stream, each with its version and time."""
        return await self._threads.read(streams.recorded, self._database, game_id, versions)

    async def list_games(
        self,
        *,
        statuses: Sequence[Status] = (),
        player: str | None = None,
        limit: int = 50,
        below: int | None = None,
        visible: UUID | None = None,
    ) -> ListPage:
        """Return a page of games, those opened last first."""
        find = partial(listing.list_games, statuses=statuses, player=player, limit=limit, below=below, visible=visible)
        return await self._threads.read(find, self._database, self._games)

    async def find_games(self, given: Sequence[str]) -> list[TokenGame | None]:
        """Return the game that each token opens, None for one that opens none."""
        return await self._threads.read(listing.find_games, self._database, self._games, given)

    async def audit(self, game_id: UUID, client: str = "") -> Audit:
        """Check that a stream is as it was written and follows from the rules."""
        return await self._heavy.run(client, streams.audit_game, self._database, game_id)

    async def export_record(self, loaded: LoadedGame, client: str = "") -> bytes:
        """Return a game as a portable document, up to the version at which it was loaded."""
        return await self._heavy.run(client, streams.export_record, self._database, loaded)

    async def game_ids(self) -> list[UUID]:
        """Return the ids of all games."""
        return await asyncio.to_thread(streams.game_ids, self._database)

    async def rebuild_listing(self) -> None:
        """Build the list of games again from all events."""
        await asyncio.to_thread(listing.rebuild, self._database)

    async def first_answer(self, key: IdempotencyKey) -> Answer | None:
        """Return the first answer to a key, None if it is new; raise ``KeyReused`` if its request was another one."""
        return await self._read(idempotency.first_answer, self._database, key)

    # --- changing -------------------------------------------------------------------------------------------------

    async def open_table(
        self,
        seats: int,
        players: Sequence[str | NewPlayer],
        options: Options,
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
            return await self._heavy.run(client, new_games.commit_of_fork, self._database, self._games, game_id, at)

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
            return await self._heavy.run(client, new_games.commit_of_import, self._database, document, private=private)

        return await self._commit(make_commit, render, key)

    async def change(
        self,
        game_id: UUID,
        command: Command,
        render: Render,
        *,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
    ) -> Answer:
        """Change a game after other changes under way; raise ``StaleVersion`` if it is at another version."""
        try:
            async with asyncio.timeout(self._database_timeout), self._lock(game_id):
                return await self._commit(partial(self._decide, game_id, command, expected_version), render, key)
        except TimeoutError as error:
            raise StorageUnavailable(f"not stored within {self._database_timeout:g} s") from error

    def _lock(self, game_id: UUID) -> asyncio.Lock:
        try:
            return self._locks.get(game_id.int)
        except KeyError:
            lock = asyncio.Lock()
            self._locks.put(game_id.int, lock)
            return lock

    async def _decide(self, game_id: UUID, command: Command, expected_version: int | None) -> Commit:
        """Decide on the cached game.

        If another process has changed the game meanwhile, no events that are decided here can be stored; nothing is
        refused, and nothing is decided that has no events, before the game is loaded again.
        """
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
                await writer.write((commit, kept))
            except Conflict:
                if commit.before:
                    await self.load(commit.id)
                continue
            self._games.put(commit.loaded)
            if self.watchers.waiting:
                self.watchers.wake(commit.id)
            if any_changes_listing(commit.facts):
                self._listing_timer.start()
            return answer
        return first

    async def _read(self, read: Callable[..., T], *arguments: object) -> T:
        """Do a small read: at once in a database of this process, else in a thread."""
        return read(*arguments) if self._database.in_process else await self._threads.read(read, *arguments)

    def _open_writer(self) -> GroupWriter[tuple[Commit, Statement | None]]:
        if self._writer is None:
            raise RuntimeError("the service is not open: use it in `async with`")
        return self._writer
