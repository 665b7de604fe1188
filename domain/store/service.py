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
from domain.records import verify_record
from domain.refused import Refused
from domain.store import commands, idempotency, listing, new_games, streams, tokens
from domain.store.application import GamesApplication, open_application
from domain.store.commands import Command, RegionTileSet
from domain.store.commit import Commit, commit_of_decision, store
from domain.store.database import Statement
from domain.store.errors import Conflict, StaleVersion, require_version
from domain.store.group_writer import GroupWriter
from domain.store.idempotency import Answer, IdempotencyKey
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

Render = Callable[[Commit], Answer]
"""The answer to a change, made before it is stored: if this fails, nothing is stored."""


def open_service(
    url: str,
    *,
    games_cached: int = 1000,
    region_tiles: RegionTileSet | None = None,
    watchers: int = 1000,
    longest_wait: float = 30,
) -> "GameService":
    """Open the database of a URL; raise ``StorageUnavailable`` or ``UnknownDatabase``.

    The URL is ``sqlite:///file``, ``postgresql://...`` or ``memory:``; ``region_tiles`` are the twenty of the Region
    tiles expansion, the house set if there are no others. At most so many ``watchers`` wait.
    """
    tiles = load_region_tiles() if region_tiles is None else region_tiles
    return GameService(open_application(url), games_cached, tiles, watchers, longest_wait)


class GameService:
    """The games of a database; changes of one game are made one after the other."""

    def __init__(
        self,
        application: GamesApplication,
        games_cached: int,
        region_tiles: RegionTileSet,
        watchers: int,
        longest_wait: float,
    ) -> None:
        """Serve the games of an application, caching at most so many."""
        self._application = application
        self._database = application.recorder
        self._games = LoadedGames(self._database, games_cached)
        self._region_tiles = region_tiles
        self.watchers = Watchers(self.load, watchers, longest_wait)
        self._locks: LRUCache[int, asyncio.Lock] = LRUCache(LOCKS_CACHED)
        self._writer: GroupWriter[tuple[Commit, Statement | None]] | None = None
        self._listing_timer: ListingTimer

    async def __aenter__(self) -> Self:
        write = partial(store, self._database)
        self._writer = GroupWriter(write, partial(write, wait=False) if self._database.in_process else None)
        self._listing_timer = ListingTimer(self._database)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.watchers.close()
        try:
            await self._open_writer().close()
            await self._listing_timer.close()
        finally:
            self._application.close()

    # --- reading --------------------------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Raise ``StorageUnavailable`` unless the database answers."""
        await asyncio.to_thread(self._database.select, ("SELECT 1", ()))

    async def find_token(self, token: str) -> TokenHolder | None:
        """Return the place that a token opens, None if it opens none."""
        return await self._read(tokens.find, self._database, token)

    async def load(self, game_id: UUID, at: int | None = None) -> LoadedGame:
        """Return a game as it is, or as it was at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        if at is not None:
            return await asyncio.to_thread(self._games.load_at, game_id, at)
        if self._games.cached(game_id):
            return await self._read(self._games.load, game_id)
        return await asyncio.to_thread(self._games.load, game_id)

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
        return await asyncio.to_thread(streams.event_page, self._database, loaded, after, limit, full=full)

    async def recorded(self, game_id: UUID, versions: Sequence[range]) -> tuple[Recorded, ...]:
        """Return the facts of these parts of a stream, each with its version and time."""
        return await asyncio.to_thread(streams.recorded, self._database, game_id, versions)

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
        return await asyncio.to_thread(
            listing.list_games,
            self._database,
            self._games,
            statuses=statuses,
            player=player,
            limit=limit,
            below=below,
            visible=visible,
        )

    async def find_games(self, given: Sequence[str]) -> list[TokenGame | None]:
        """Return the game that each token opens, None for one that opens none."""
        return await asyncio.to_thread(listing.find_games, self._database, self._games, given)

    async def audit(self, game_id: UUID) -> Audit:
        """Check that a stream is as it was written and follows from the rules."""
        return await asyncio.to_thread(streams.audit_game, self._database, game_id)

    async def export_record(self, loaded: LoadedGame) -> bytes:
        """Return a game as a portable document, up to the version at which it was loaded."""
        return await asyncio.to_thread(streams.export_record, self._database, loaded)

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

    async def fork(self, game_id: UUID, at: int | None, render: Render, *, key: IdempotencyKey | None = None) -> Answer:
        """Go on in a new game from where another one is, or was at a version."""

        async def make_commit() -> Commit:
            return await asyncio.to_thread(new_games.commit_of_fork, self._database, self._games, game_id, at)

        return await self._commit(make_commit, render, key)

    async def import_record(self, document: bytes, render: Render, *, key: IdempotencyKey | None = None) -> Answer:
        """Store the game of a record; raise ``RecordRefused`` unless all of it is right."""

        async def make_commit() -> Commit:
            verified = await asyncio.to_thread(verify_record, document)
            return await asyncio.to_thread(new_games.commit_of_import, self._database, verified)

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
        async with self._lock(game_id):
            return await self._commit(partial(self._decide, game_id, command, expected_version), render, key)

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
        """Decide, render and store, again and again until no other writer was faster."""
        writer = self._open_writer()
        while (first := await self.first_answer(key) if key else None) is None:
            commit = await make_commit()
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
        return read(*arguments) if self._database.in_process else await asyncio.to_thread(read, *arguments)

    def _open_writer(self) -> GroupWriter[tuple[Commit, Statement | None]]:
        if self._writer is None:
            raise RuntimeError("the service is not open: use it in `async with`")
        return self._writer
