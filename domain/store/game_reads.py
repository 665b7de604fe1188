"""The reads of the service: games, their streams, tokens, keys and the list."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeVar
from uuid import UUID

from domain.audit import Audit, Head
from domain.field_types import Status
from domain.store import idempotency, lobby, streams, token_holders, tokens
from domain.store.database import Database
from domain.store.errors import Limits, StorageUnavailable
from domain.store.idempotency import Answer, IdempotencyKey
from domain.store.live import Batch, batches_of
from domain.store.loaded_games import CacheUse, LoadedGame, LoadedGames
from domain.store.lobby import LobbyPage, TokenGame
from domain.store.streams import EventPage
from domain.store.tokens import TokenHolder
from domain.store.upkeep import Readiness
from domain.store.work import DatabaseThreads, Found, HeavyWork, Keyed, LookUps, find_rows
from domain.stream import Recorded, UnreadableEvent

T = TypeVar("T")

PIECES_READ = 500
"""The most events that are read at once for somebody who watches and is behind."""


class GameReads:
    """Reads of a database, each in the threads where it keeps no other waiting."""

    def __init__(self, database: Database, limits: Limits, failed: Callable[[StorageUnavailable], None]) -> None:
        """Read from a database, keep what was read in memory, and tell of answers that came too late."""
        self._database = database
        self._games = LoadedGames(database, limits.cache_bytes)
        self._threads = DatabaseThreads(limits.database_timeout, failed)
        self._look_ups = LookUps(database, self._threads.read)
        self._readiness = Readiness(database, self._threads.load)
        self._heavy = HeavyWork(limits.heavy_requests, limits.heavy_requests_per_client)

    @property
    def cache_use(self) -> CacheUse:
        """The use of the cache of games."""
        return self._games.use

    async def ready(self) -> None:
        """Raise ``StorageUnavailable`` unless the database reads, and writes as far as was found a moment ago."""
        await self._readiness.check()

    async def find_token(self, token: str) -> TokenHolder | None:
        """Return the place that a token opens, None if it opens none."""
        holder = tokens.holder_in(await self._look_up(tokens.BY_DIGEST, tokens.digest_of(token)))
        if holder is None or ((cached := self._games.cached(holder.game)) and cached.table.has_place(holder.seat)):
            return holder
        return await self._threads.load(token_holders.find_place, self._database, self._games, token, holder)

    async def is_known_as(self, number: int, game_id: UUID, token: str) -> bool:
        """Return whether a token of a game is one that opens no place: its ``INVITE`` or that of a ``FORMER_HOST``."""
        return await self._read(tokens.has_number, self._database, number, game_id, token)

    async def load(self, game_id: UUID, at: int | None = None) -> LoadedGame:
        """Return a game as it is, or as it was at a version; raise ``UnknownGame`` or ``UnknownVersion``."""
        if at is not None:
            return await self._threads.load(self._games.load_at, game_id, at)
        if cached := self._games.cached(game_id):
            if self._database.in_process:
                return self._games.load(game_id)
            if await self._is_newest(cached):
                self._games.measure(cached)
                return cached
            return await self._threads.read(self._games.load, game_id)
        return await self._threads.load(self._games.load, game_id)

    async def read_on(self, game_id: UUID) -> None:
        """Read what was stored of a game since it was cached, also if the note of its end tells of nothing."""
        await self._threads.load(self._games.load, game_id)

    async def _is_newest(self, loaded: LoadedGame) -> bool:
        """Return whether the stream of a game ends where it was loaded; if not so, it has to be looked at closely."""
        ends = await self._look_up(streams.HEAD_BY_GAME, loaded.id.hex)
        return ends.get(loaded.id.hex) == [loaded.version, loaded.digest, False]

    async def is_private(self, game_id: UUID) -> bool:
        """Return whether only those who have a token of a game may read it, also if its stream cannot be read."""
        try:
            return (await self.load(game_id)).table.options.private
        except UnreadableEvent:
            return await asyncio.to_thread(streams.opened_private, self._database, game_id)

    async def has_started(self, game_id: UUID) -> bool:
        """Return whether play has begun, which is never taken back; raise ``UnknownGame``."""
        cached = self._games.cached(game_id)
        return (cached if cached and cached.table.started else await self.load(game_id)).table.started

    def keep_past(self, loaded: LoadedGame) -> None:
        """Keep a game as it is now for those who will ask for this version when it has gone on."""
        self._games.keep_past(loaded)

    async def events(self, game_id: UUID, *, after: int = 0, limit: int = 1000, full: bool = False) -> EventPage:
        """Return the stored JSON of the events after a version: those in force, or all of them."""
        loaded = await self.load(game_id)
        return await self._threads.read(streams.event_page, self._database, loaded, after, limit, full)

    async def pieces(self, game_id: UUID, after: int) -> list[Batch]:
        """Return some of the decisions after a version, what was taken back among them."""
        page = await self.events(game_id, after=after, limit=PIECES_READ, full=True)
        pieces = list(batches_of(enumerate(page.items, after + 1)))
        return pieces[:-1] if page.next is not None and len(pieces) > 1 else pieces  # the last one may not be whole

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
    ) -> LobbyPage:
        """Return a page of games, those opened last first."""
        find = partial(lobby.list_games, statuses=statuses, player=player, limit=limit, below=below, visible=visible)
        return await self._threads.read(find, self._database, self._games)

    async def find_games(self, given: Sequence[str]) -> list[TokenGame | None]:
        """Return the game that each token opens, None for one that opens none."""
        return await self._threads.read(lobby.find_games, self._database, self._games, given)

    async def audit(self, game_id: UUID, client: str = "", anchors: Sequence[Head] = ()) -> Audit:
        """Check that a stream is as it was written, and anchored, and follows from the rules; raise ``UnknownGame``."""
        return await self._heavy.run(client, streams.audit_game, self._database, game_id, anchors)

    async def export_record(self, loaded: LoadedGame, client: str = "") -> bytes:
        """Return a game as a portable document, up to the version at which it was loaded."""
        return await self._heavy.run(client, streams.export_record, self._database, loaded)

    async def run_heavy(self, client: str, function: Callable[..., T], *arguments: object) -> T:
        """Call a function that takes long when it is the turn of this client; raise ``TooMuchWork``."""
        return await self._heavy.run(client, function, *arguments)

    def heavy_turn(self, client: str) -> AbstractAsyncContextManager[None]:
        """Return the context of heavy work that is done elsewhere, of which each client has one at a time."""
        return self._heavy.turn(client)

    async def game_ids(self) -> list[UUID]:
        """Return the ids of all games, also of those that have lost their events or the note where they end."""
        return await asyncio.to_thread(streams.all_ids, self._database)

    async def read_heads(self, read: Callable[[Iterator[tuple[str, Head]]], T]) -> T:
        """Let a function read the ends of all streams, each after the id of its game, in a thread of its own."""
        return await asyncio.to_thread(lambda: read(streams.all_heads(self._database)))

    async def rebuild_listing(self) -> None:
        """Build the list of games again from all events."""
        await asyncio.to_thread(lobby.rebuild, self._database)

    async def first_answer(self, key: IdempotencyKey) -> Answer | None:
        """Return the first answer to a key, None if it is new; raise ``KeyReused`` or ``WeakKey``."""
        found = await self._look_up(idempotency.BY_ID, *idempotency.ids_of(key))
        return idempotency.first_answer(found, key)

    async def _look_up(self, rows: Keyed, *keys: object) -> Found:
        """Find the rows of these keys: at once in a database of this process, else with those of others."""
        if self._database.in_process:
            return find_rows(self._database, rows, *keys)
        return await self._look_ups.find(rows, *keys)

    async def _read(self, read: Callable[..., T], *arguments: object) -> T:
        """Do a small read: at once in a database of this process, else in a thread."""
        return read(*arguments) if self._database.in_process else await self._threads.read(read, *arguments)
