"""The club where all tables stand, as the web sees it: many games at once, each changed by one caller at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NotRequired, Self, TypedDict, TypeVar, Unpack
from uuid import UUID

from domain.application import commands, founding, lobby
from domain.application.append import Answer, Append, Change
from domain.application.commands import Command, Tiles
from domain.application.errors import Conflict, StaleVersion, StorageAway
from domain.application.games import Events, Games, decide
from domain.application.held import Held
from domain.application.keys import Key
from domain.application.lobby import Listing
from domain.application.recent import Recent
from domain.application.storage import Franchise
from domain.application.tokens import Caller
from domain.application.writer import GroupWriter
from domain.audit import Audit
from domain.modules import Action, Options
from domain.records import verify_record
from domain.refused import Refused
from domain.stream import Recorded
from domain.table import Status, has_news

A = TypeVar("A")
T = TypeVar("T")


NEWS_SECONDS = 1.0
"""How long news are gathered for the list of games, which reads on by itself whenever it is asked for."""


TURNSTILES = 10_000
"""Of so many games it is remembered who waits; those of others may meet at the storage, where the later one fails."""


class Asked(TypedDict):
    """What comes with every change: how to answer, the version the caller has seen, the key of the request."""

    answer: Answer
    seen: NotRequired[int | None]
    key: NotRequired[Key | None]


class Club:
    """All games of a database, for callers that wait without blocking each other."""

    def __init__(self, application: Franchise, held: int, tiles: Tiles) -> None:
        """Serve the games of an application, holding at most so many in memory; the expansion has these tiles."""
        self._application = application
        self._games = Games(application.recorder, held)
        self._turnstiles: Recent[int, asyncio.Lock] = Recent(TURNSTILES)
        self._tiles = tiles
        self._writer: GroupWriter | None = None
        self._bell: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        at_once = partial(self._games.store, wait=False) if self._games.database.instant else None
        self._writer = GroupWriter(self._games.store, at_once)
        self._call_lobby()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running_writer().close()
        if self._bell is not None:
            self._bell.cancel()
        if self._reading is not None:
            await self._reading
        self._application.close()

    # --- looking --------------------------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Raise ``StorageAway`` unless the database answers."""
        await asyncio.to_thread(self._games.database.select, ("SELECT 1", ()))

    async def caller(self, token: str) -> Caller | None:
        """Whose token this is, None if nobody has it."""
        return await self._soon(self._games.caller, token)

    async def look(self, game: UUID, at: int | None = None) -> Held:
        """The game as it is, or as it was at a version; raises ``UnknownGame`` or ``UnknownVersion``."""
        if at is not None:
            return await asyncio.to_thread(self._games.look_at, game, at)
        if self._games.held(game):
            return await self._soon(self._games.look, game)
        return await asyncio.to_thread(self._games.look, game)

    async def events(self, game: UUID, *, after: int = 0, limit: int = 1000, full: bool = False) -> Events:
        """The stored JSON of the events after a version: those in force, or all with what was taken back."""
        return await asyncio.to_thread(self._games.events, game, after, limit, full=full)

    async def story(self, game: UUID, *, at: int | None = None) -> tuple[Recorded, ...]:
        """The events in force, or those that were at a version, as values."""
        return await asyncio.to_thread(self._games.story, game, at)

    async def games(
        self,
        *,
        status: Status | None = None,
        player: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        visible: UUID | None = None,
    ) -> Listing:
        """A page of games, those opened last first; raises ``BrokenCursor``."""
        return await asyncio.to_thread(
            lobby.games,
            self._games.database,
            status=status,
            player=player,
            limit=limit,
            cursor=cursor,
            visible=visible,
        )

    async def audit(self, game: UUID) -> Audit:
        """Whether the stream is as it was written, and follows from the rules."""
        return await asyncio.to_thread(self._games.audit, game)

    async def record(self, game: UUID) -> bytes:
        """The game as a portable document."""
        return await asyncio.to_thread(self._games.record, game)

    # --- new games ------------------------------------------------------------------------------------------------

    async def open_table(
        self, seats: int, players: Sequence[str], options: Options, *, answer: Answer, key: Key | None = None
    ) -> bytes:
        """Lay a table for that many players; if all are there, play begins."""

        async def make() -> Change:
            return founding.opened(seats, players, options, self._tiles)

        return await self._perform(make, answer, key)

    async def fork(self, game: UUID, at: int | None = None, *, answer: Answer, key: Key | None = None) -> bytes:
        """Go on in a new game from where another one is, or was at a version."""
        return await self._perform(lambda: asyncio.to_thread(founding.forked, self._games, game, at), answer, key)

    async def bring_in(self, record: bytes, *, answer: Answer, key: Key | None = None) -> bytes:
        """Bring in a record; raises ``RecordRefused`` unless all of it is right."""

        async def make() -> Change:
            verified = await asyncio.to_thread(verify_record, record)
            return await asyncio.to_thread(founding.brought_in, self._games, verified)

        return await self._perform(make, answer, key)

    # --- at a table -----------------------------------------------------------------------------------------------

    async def take_seat(self, game: UUID, name: str, **asked: Unpack[Asked]) -> bytes:
        """Sit down at the next free seat; at a full table play begins."""
        return await self._change(game, commands.take_seat(name, self._tiles), **asked)

    async def start(self, game: UUID, **asked: Unpack[Asked]) -> bytes:
        """Begin with those who are there."""
        return await self._change(game, commands.start(self._tiles), **asked)

    async def close(self, game: UUID, **asked: Unpack[Asked]) -> bytes:
        """Let nobody else sit down."""
        return await self._change(game, commands.close, **asked)

    async def delete(self, game: UUID, **asked: Unpack[Asked]) -> bytes:
        """Take the table away before play begins."""
        return await self._change(game, commands.delete, **asked)

    async def new_token(self, game: UUID, seat: int, **asked: Unpack[Asked]) -> bytes:
        """Give a seat a new token instead of the one it had."""
        return await self._change(game, commands.renew_token(seat), **asked)

    async def act(self, game: UUID, seat: int, action: Action, **asked: Unpack[Asked]) -> bytes:
        """A player decides."""
        return await self._change(game, commands.act(seat, action), **asked)

    async def undo(self, game: UUID, seat: int | None, to: int | None = None, **asked: Unpack[Asked]) -> bytes:
        """Take back the last action or all after a version, or propose it where the others have to agree."""
        return await self._change(game, commands.take_back(seat, to), **asked)

    async def redo(self, game: UUID, seat: int | None, **asked: Unpack[Asked]) -> bytes:
        """Put back what was last taken back, or propose it where the others have to agree."""
        return await self._change(game, commands.put_back(seat), **asked)

    async def answer_undo(self, game: UUID, seat: int, accept: bool, **asked: Unpack[Asked]) -> bytes:
        """Agree to what is proposed, or refuse it."""
        return await self._change(game, commands.answer_undo(seat, accept), **asked)

    # --- answers kept for retries ---------------------------------------------------------------------------------

    async def replay(self, key: Key) -> bytes | None:
        """The first answer to a key, None if it is new; raises ``KeyReused`` if the request was another one."""
        return await self._soon(self._games.replay, key)

    async def remember(self, key: Key, answer: bytes) -> bytes:
        """Keep the answer to a request that stores nothing else; gives the first answer to the key."""
        return await asyncio.to_thread(self._games.remember, key, answer)

    # --- how it is done -------------------------------------------------------------------------------------------

    async def _change(
        self, game: UUID, command: Command, *, answer: Answer, seen: int | None = None, key: Key | None = None
    ) -> bytes:
        """Change a game after whoever is changing it already."""
        turnstile = self._turnstiles.get(game.int)
        if turnstile is None:
            turnstile = asyncio.Lock()
            self._turnstiles.put(game.int, turnstile)
        async with turnstile:
            return await self._perform(lambda: self._decide(game, command, seen), answer, key)

    async def _decide(self, game: UUID, command: Command, seen: int | None) -> Change:
        """Decide on what is in memory.

        Should somebody else have changed the game, nothing that follows from that can be stored, and nothing is
        refused before looking again.
        """
        held = self._games.held(game) or await self.look(game)
        try:
            return decide(held, command, seen)
        except (Refused, StaleVersion):
            newest = await self.look(game)
            if newest is held:
                raise
        return decide(newest, command, seen)

    async def _perform(self, make: Callable[[], Awaitable[Change]], answer: Answer, key: Key | None) -> bytes:
        """Decide and store until nobody else was faster."""
        while (first := await self.replay(key) if key else None) is None:
            change = await make()
            append = Append(change, answer(change), key)
            try:
                await self._running_writer().write(append)
            except Conflict:
                await self._look_again(change)
            else:
                self._tell_lobby(change)
                return self._games.settle(append)
        return first

    async def _look_again(self, change: Change) -> None:
        """See what those did who were faster."""
        if change.before:
            await self.look(change.id)

    def _tell_lobby(self, change: Change) -> None:
        """Have the list brought up to date soon, so that nobody who asks for it has to wait for much."""
        if self._bell is None and has_news(change.facts):
            self._bell = asyncio.get_running_loop().call_later(NEWS_SECONDS, self._call_lobby)

    def _call_lobby(self) -> None:
        self._bell = None
        self._reading = asyncio.create_task(self._read_news())

    async def _read_news(self) -> None:
        with suppress(StorageAway):
            await asyncio.to_thread(lobby.catch_up, self._games.database)

    async def _soon(self, read: Callable[[A], T], asked: A) -> T:
        """Read at once if that takes microseconds, else where nobody else waits for it."""
        return read(asked) if self._games.database.instant else await asyncio.to_thread(read, asked)

    def _running_writer(self) -> GroupWriter:
        if self._writer is None:
            raise RuntimeError("the club is not open: use it in `async with`")
        return self._writer
