"""The service: the only entrance to the store. It serves the games of a database to many callers at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Self, TypeVar
from uuid import UUID

from domain.boards import load_region_tiles
from domain.lobby_entry import LobbyEntry
from domain.modules import Fact, GameOptions
from domain.refused import Refused
from domain.store import archive, commands, due, keys, lobby, new_games, streams, tokens, upkeep
from domain.store.application import GamesApplication, open_application
from domain.store.apps import Apps, Owner
from domain.store.archive import Archive, EventPage
from domain.store.bot_games import BotGames
from domain.store.commands import Command, RegionTileSet
from domain.store.commit import Commit, GroupWriter, Observer, commit_of_decision, repeat, store
from domain.store.database import LiveDatabase
from domain.store.errors import (
    Conflict,
    GameExists,
    Limits,
    Revoked,
    StaleVersion,
    StorageUnavailable,
    TooManyWatchers,
    require_version,
)
from domain.store.feed import Feed
from domain.store.games import CacheUse, LoadedGame, LoadedGames
from domain.store.keys import IdempotencyKey
from domain.store.live import Batch, ChangedEntries, Watchers, batches_of
from domain.store.lobby import GameSearch, LobbyPage, LobbyTimer, TokenGame
from domain.store.public_events import PublicEvents
from domain.store.schema import TABLE_TOPIC
from domain.store.tokens import Permission, TokenHolder
from domain.store.upkeep import Housekeeping, Readiness
from domain.store.webhooks import Webhooks
from domain.store.work import ClientLimit, DatabaseThreads, Found, GameLocks, HeavyWork, Keyed, LookUps, find_rows
from domain.stream import Recorded
from domain.table import NewPlayer

T = TypeVar("T")

LATE_SECONDS = 1
"""The time that the database has beyond its own timeout, so that it can report an error itself."""

EVENTS_READ = 500
"""The number of events that are read at once for a slow watcher."""

DEFAULT_LIMITS = Limits()
NO_OBSERVER = Observer()
EVERY_GAME = GameSearch()


def open_service(
    url: str,
    *,
    region_tiles: RegionTileSet | None = None,
    limits: Limits = DEFAULT_LIMITS,
    observer: Observer = NO_OBSERVER,
) -> "GameService":
    """Open the database of a URL; raise ``StorageUnavailable`` or ``UnknownDatabase``.

    The URL is ``sqlite:///file``, ``postgresql://...`` or ``memory:``. ``region_tiles`` are the twenty tiles of the
    Region tiles expansion; the default is the house set.
    """
    tiles = load_region_tiles() if region_tiles is None else region_tiles
    return GameService(open_application(url, limits.database_timeout), tiles, limits, observer)


class GameService:
    """The games of a database. Changes of one game are made one after the other."""

    def __init__(
        self,
        application: GamesApplication,
        region_tiles: RegionTileSet,
        limits: Limits,
        observer: Observer = NO_OBSERVER,
    ) -> None:
        database: LiveDatabase = application.recorder
        database.on_failure(observer.report)
        self._database = database
        self._observer = observer
        self._application = application
        self._region_tiles = region_tiles
        self._storing_timeout = limits.database_timeout + LATE_SECONDS
        self._games = LoadedGames(database, limits.cache_bytes)
        self.cached = self._games.cached
        """Returns the cached game, which may be stale; None if it is not cached."""
        self._threads = DatabaseThreads(limits.database_timeout, observer.report)
        self._look_ups = LookUps(database, self._threads.read)
        self._readiness = Readiness(database, self._threads.load)
        self.heavy = HeavyWork(limits.heavy_requests, limits.heavy_requests_per_client, limits.app_factor)
        self._feed = Feed(database, self._read)
        limit = ClientLimit(limits.watchers, limits.watchers_per_client, TooManyWatchers, limits.app_factor)
        self.watchers = Watchers(self._feed, self.load, limit, limits.wait_limit)
        self.changed_entries = ChangedEntries(self._feed, self._database, self._games, self._threads, self.heavy, limit)
        read = self._threads.load
        self.public_events = PublicEvents(self._feed, self._database, read, limit, limits.wait_limit)
        self.apps = Apps(self._database, read, self._look_up)
        self.webhooks = Webhooks(self._database, read, self._games, self._feed)
        self.archive = Archive(self._database, self.heavy)
        self.bot_games = BotGames(self._database, self._threads.load)
        self._locks = GameLocks()
        self._writer: GroupWriter
        self._lobby_timer: LobbyTimer
        self._housekeeping = Housekeeping(self._database, self._threads.load, self.change, limits)

    async def __aenter__(self) -> Self:
        write = partial(store, self._database)
        write_now = partial(write, wait=False) if self._database.in_process else None
        self._writer = GroupWriter(write, write_now, self._observer.stored)
        self._lobby_timer = LobbyTimer(partial(self._threads.load, lobby.catch_up, self._database))
        self._housekeeping.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close_streams()
        await self._feed.close()
        self.heavy.close()
        await self._readiness.close()
        try:
            await self._housekeeping.close()
            await self._writer.close()
            await self._lobby_timer.close()
        finally:
            self._threads.close()
            self._application.close()

    def close_streams(self) -> None:
        """End all streams and long polls, because the server is about to stop."""
        for followed in (self.watchers, self.changed_entries, self.public_events):
            followed.close()

    # --- changes --------------------------------------------------------------------------------------------------

    async def change(
        self,
        game_id: UUID,
        command: Command,
        *,
        permission: Permission | None = None,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
    ) -> Commit:
        """Change a game and return the commit. A known key returns its earlier commit.

        Raise ``StaleVersion`` if the game is not at the expected version, and ``Revoked`` if the permission is not
        valid at the version that the decision is about.
        """
        decide = partial(self._decide, game_id, command, permission, expected_version, key)
        try:
            async with asyncio.timeout(self._storing_timeout), self._locks.of(game_id):
                return await self._commit(decide, self._writer.write, key, permission)
        except TimeoutError as error:
            raise self._too_late() from error

    async def open_table(
        self,
        seats: int,
        players: Sequence[str | NewPlayer],
        options: GameOptions,
        *,
        key: IdempotencyKey | None = None,
        owner: Owner | None = None,
    ) -> Commit:
        """Open a table with a number of seats. If all players are there, play begins."""

        async def make_commit() -> Commit:
            keys.require_secret(key)
            facts = commands.open_table(seats, players, options, self._region_tiles)
            return new_games.commit_of_new_game(facts, key, owner=owner)

        return await self._commit(make_commit, self._write_with_timeout, key)

    async def store_game(self, facts: Sequence[Fact], game: UUID | None = None, owner: Owner | None = None) -> Commit:
        """Store a new game. Its facts must follow from the rules. Raise ``GameExists`` if the id is not new."""

        async def make_commit() -> Commit:
            if game is not None and await self._threads.read(streams.is_stored, self._database, game):
                raise GameExists
            return new_games.commit_of_new_game(facts, game=game, owner=owner)

        return await self._commit(make_commit, self._write_with_timeout, None)

    async def fork(
        self,
        game_id: UUID,
        at: int | None,
        *,
        permission: Permission | None = None,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
        owner: Owner | None = None,
        client: str = "",
    ) -> Commit:
        """Begin a new game that continues another one from a version; raise the errors of ``change``."""

        async def make_commit() -> Commit:
            keys.require_secret(key)
            async with self.heavy.turn(client):
                loaded = await self.load(game_id)
                await self._require(permission, loaded)
                require_version(expected_version, loaded.version)
                forked = partial(new_games.commit_of_fork, key=key, owner=owner)
                return await self._threads.load(forked, self._database, self._games, loaded, at)

        return await self._commit(make_commit, self._write_with_timeout, key, permission)

    async def import_record(
        self,
        document: bytes,
        *,
        private: bool = False,
        key: IdempotencyKey | None = None,
        owner: Owner | None = None,
        client: str = "",
    ) -> Commit:
        """Store the game of a record, optionally as private; raise ``RecordRefused`` unless all of it is valid."""

        async def make_commit() -> Commit:
            keys.require_secret(key)
            imported = partial(new_games.commit_of_import, private=private, key=key, owner=owner)
            commit = await self.heavy.run(client, imported, document)
            taken = await self._threads.read(streams.is_stored, self._database, commit.id)
            return await asyncio.to_thread(new_games.with_new_id, commit, key, owner) if taken else commit

        return await self._commit(make_commit, self._write_with_timeout, key)

    async def repeated(self, key: IdempotencyKey, permission: Permission | None = None) -> Commit | None:
        """Return the commit of a known key, None for a new key; raise ``KeyReused`` or ``WeakKey``."""
        found = await self._look_up(keys.BY_ID, key.id)
        if not found:
            return None
        if permission is not None:  # for the game in the request. The commit of a fork belongs to another game
            await self._require(permission, await self.load(permission.holder.game))
        row = keys.read(found, key)
        return await self._threads.load(repeat, self._database, self._games, key, row)

    async def late_games(self, at: str) -> list[UUID]:
        """Return some games whose limit is over at a time and in which the server lets bots play."""
        return await self._threads.read(due.find, self._database, at)

    async def remove(self, game_id: UUID) -> str:
        """Erase a game in any state, and return the time of its removal; raise ``UnknownGame``."""
        removed = await asyncio.to_thread(upkeep.remove, self._database, game_id)
        self._feed.news.set()
        return removed

    async def _decide(
        self,
        game_id: UUID,
        command: Command,
        permission: Permission | None,
        expected_version: int | None,
        key: IdempotencyKey | None,
    ) -> Commit:
        """Decide on the cached game.

        The cached game may be stale. If there are facts, a conflict will show that. Before a refusal, and before a
        decision without facts, the game is loaded again.
        """
        loaded, refused = self._games.cached(game_id) or await self.load(game_id), None
        while True:
            try:
                if permission is not None and permission.digest != loaded.digest:
                    await self._require(permission, loaded)
                if expected_version is not None and expected_version != loaded.timeline.version:
                    raise StaleVersion(expected_version, loaded.timeline.version)
                commit = commit_of_decision(loaded, command(loaded, self._region_tiles), key)
                if commit.facts:
                    return commit
            except (Refused, StaleVersion) as error:
                commit, refused = None, error
            decided_on, loaded = loaded, await self.load(game_id)
            if loaded is decided_on and commit is not None:
                return commit
            if loaded is decided_on and refused is not None:
                raise refused

    async def _require(self, permission: Permission | None, loaded: LoadedGame) -> None:
        """Raise ``Revoked`` if the permission was checked at another version and is not valid any more."""
        if permission is None or permission.digest == loaded.digest:
            return
        if await self.find_token(permission.token, loaded) != permission.holder:
            raise Revoked

    async def _commit(
        self,
        decide: Callable[[], Awaitable[Commit]],
        write: Callable[[Commit], Awaitable[None]],
        key: IdempotencyKey | None,
        permission: Permission | None = None,
    ) -> Commit:
        """Return the commit of a known key, or decide and store until no other writer is faster.

        Before a request is refused, the key is looked up again: another process may have done the same request
        meanwhile.
        """
        while key is None or (repeated := await self.repeated(key, permission)) is None:
            try:
                commit = await decide()
            except (Refused, StaleVersion):
                if key and (repeated := await self.repeated(key, permission)):
                    break
                raise
            try:
                await write(commit)
            except Conflict:
                if commit.before:  # load it even if the head of the stream is unchanged
                    await self._threads.load(self._games.load, commit.id)
                continue
            self._games.put(commit.loaded)
            self._feed.news.set()
            if commit.loaded.timeline.table.has_bots:
                self.bot_games.stored(commit.loaded)
            if any(topic == TABLE_TOPIC for _, _, topic, _ in commit.rows):
                self._lobby_timer.start()
            return commit
        return repeated

    async def _write_with_timeout(self, commit: Commit) -> None:
        """Store a commit with the usual timeout, which does not include the time to prepare it."""
        try:
            async with asyncio.timeout(self._storing_timeout):
                await self._writer.write(commit)
        except TimeoutError as error:
            raise self._too_late() from error

    def _too_late(self) -> StorageUnavailable:
        """Report and return the error for a timeout that the database has not reported itself."""
        late = StorageUnavailable(f"not stored within {self._storing_timeout:g} s")
        self._observer.report(late)
        return late

    # --- games and tokens -----------------------------------------------------------------------------------------

    async def load(self, game_id: UUID, at: int | None = None) -> LoadedGame:
        """Return a game, now or at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        if at is not None:
            return await self._threads.load(self._games.load_at, game_id, at)
        cached = self._games.cached(game_id)
        if cached is None:
            return await self._threads.load(self._games.load, game_id)
        if self._database.in_process:
            return self._games.load(game_id, cached)
        head = await self._look_up(streams.HEAD_BY_GAME, game_id.hex)
        if head.get(game_id.hex) == [cached.version, cached.digest, False]:
            return cached
        return await self._threads.read(self._games.load, game_id)

    async def find_token(self, token: str, game: LoadedGame | None = None) -> TokenHolder | None:
        """Return the holder of a token, None if the token is unknown. ``game`` may be a game that was just loaded."""
        if self._database.in_process:
            holder = tokens.find(self._database, token)
        else:
            holder = tokens.holder_in(await self._look_ups.find(tokens.BY_DIGEST, tokens.digest_of(token)))
        if holder is None:
            return None
        known = game if game and game.id == holder.game else self._games.cached(holder.game)
        if known and known.table.has_seat(holder.seat):
            return holder
        return await self._threads.load(self._games.resolve_token, token, holder)

    async def is_known_as(self, number: int, game_id: UUID, token: str) -> bool:
        """Return whether the token is stored for a game as ``INVITE`` or ``FORMER_HOST``, which have no holder."""
        return await self._read(tokens.has_number, self._database, number, game_id, token)

    async def opened_private(self, game_id: UUID) -> bool:
        """Return whether a damaged game was opened as private. Then only holders of its tokens may read it."""
        return await asyncio.to_thread(streams.opened_private, self._database, game_id)

    def cache_version(self, loaded: LoadedGame) -> None:
        """Cache a game at its version, for later reads of that version."""
        self._games.cache_version(loaded)

    # --- streams --------------------------------------------------------------------------------------------------

    async def events(self, game_id: UUID, *, after: int = 0, limit: int = 1000, full: bool = False) -> EventPage:
        """Return the stored events after a version as JSON: those in force, or all."""
        loaded = await self.load(game_id)
        return await self._threads.read(archive.event_page, self._database, loaded, after, limit, full)

    async def batches(self, game_id: UUID, after: int) -> list[Batch]:
        """Return some of the batches after a version, including those that were taken back."""
        page = await self.events(game_id, after=after, limit=EVENTS_READ, full=True)
        batches = list(batches_of(enumerate(page.items, after + 1)))
        return batches[:-1] if page.next is not None and len(batches) > 1 else batches  # the last one may be incomplete

    async def recorded(self, game_id: UUID, versions: Sequence[range]) -> tuple[Recorded, ...]:
        """Return the facts of these versions, with versions and times."""
        return await self._threads.read(archive.recorded, self._database, game_id, versions)

    # --- the lobby ------------------------------------------------------------------------------------------------

    async def list_games(self, search: GameSearch = EVERY_GAME) -> LobbyPage:
        """Return a page of games, newest first."""
        return await self._threads.load(lobby.list_games, self._database, self._games, search)

    async def find_games(self, given: Sequence[str]) -> list[TokenGame | None]:
        """Return the game of each token, None for an unknown token."""
        return await self._threads.load(lobby.find_games, self._database, self._games, given)

    async def rebuild_lobby(self, show: Callable[[Iterator[str]], Iterable[str]] = iter) -> None:
        """Build the lobby again, or resume. ``show`` passes on the ids of the games, to show how far it is."""
        await asyncio.to_thread(list, show(lobby.rebuild(self._database, self._games)))

    # --- the database ---------------------------------------------------------------------------------------------

    @property
    def cache_use(self) -> CacheUse:
        return self._games.use

    async def ready(self) -> None:
        """Raise ``StorageUnavailable`` unless the database can read now, and could write a moment ago."""
        await self._readiness.check()

    async def all_games(self) -> list[LobbyEntry]:
        """Return the lobby entries of all games, including private ones. Deleted tables have none."""
        ids = await self.archive.game_ids()
        return list((await self._threads.load(lobby.entries_of, self._database, self._games, ids)).values())

    async def _look_up(self, rows: Keyed, *keys: object) -> Found:
        """Find the rows of keys: at once in SQLite, in groups in PostgreSQL."""
        if self._database.in_process:
            return find_rows(self._database, rows, *keys)
        return await self._look_ups.find(rows, *keys)

    async def _read(self, read: Callable[..., T], *arguments: object) -> T:
        """Run a small read: at once in SQLite, in a thread for PostgreSQL."""
        return read(*arguments) if self._database.in_process else await self._threads.read(read, *arguments)
