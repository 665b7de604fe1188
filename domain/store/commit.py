"""Commits: the changes of games as they are stored, and the writer that stores them in groups."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby, starmap
from queue import SimpleQueue
from threading import Thread
from time import perf_counter, time_ns
from typing import NamedTuple
from uuid import UUID

import msgspec

from domain.decide import Decision
from domain.modules import Fact, GameStarted
from domain.store import apps, bot_games, due, keys, tokens
from domain.store.apps import Owner
from domain.store.commands import TableDecision
from domain.store.database import Database, Row, Statement, StreamExtension
from domain.store.errors import Busy, StorageUnavailable, WrongClock
from domain.store.games import LoadedGame, LoadedGames, encode_progress
from domain.store.keys import IdempotencyKey, KeyRow
from domain.store.schema import GAME_TOPIC, TABLE_TOPIC
from domain.store.streams import insert_heads, select_parts
from domain.stream import at_of, digest_of, facts_of, join_row, write
from domain.table import Table, changes_lobby
from domain.table_facts import SeatHandedOver, SeatTaken, TokenRenewed
from domain.timeline import follow, follow_action

TOKEN_BYTES = 200
"""The approximate size of a token on disk, including indexes."""

BOT_GAME_BYTES = 200_000
"""The approximate size on disk of a game with bots, which grows without requests."""

YEAR_10000 = 253_402_300_800 * 10**9
"""The first nanosecond after the times that a stream can contain."""


class Commit(msgspec.Struct, frozen=True, gc=False):
    """One change of a game: the version before it, the game after it, and the rows and statements that store it.

    ``tokens`` are the issued tokens by seat or other number (``HOST``, ...). A commit is ``repeated`` if it was stored
    earlier under the same key; then it has no rows and no statements.
    """

    before: int
    loaded: LoadedGame
    facts: Sequence[Fact]
    events: Sequence[bytes]
    tokens: Mapping[int, str]
    rows: Sequence[Row] = ()
    statements: Sequence[Statement] = ()
    extension: StreamExtension | None = None
    keyed: bool = False
    repeated: bool = False

    @property
    def id(self) -> UUID:
        return self.loaded.id

    @property
    def version(self) -> int:
        return self.loaded.version

    @property
    def table(self) -> Table:
        return self.loaded.table


def commit_of_decision(
    loaded: LoadedGame, decision: Decision | TableDecision, key: IdempotencyKey | None = None
) -> Commit:
    """Return the commit of a decision; raise ``WeakKey`` if tokens need a secret and the key has none."""
    facts, before, digest = decision.facts, loaded.timeline.version, loaded.digest
    at = max(now(), loaded.changed_at)  # the times of a stream never decrease, even if the clock was set back
    events, digest = write(before, digest, at, facts)
    if isinstance(decision, Decision):
        timeline = follow_action(loaded.timeline, decision.facts, decision.game, at)
    else:
        timeline = follow(loaded.timeline, facts, [at] * len(facts))
    after = LoadedGame(loaded.id, timeline, digest, loaded.opened_at, at, loaded.reading) if facts else loaded
    if isinstance(decision, Decision):
        return _commit(after, loaded, facts, events, {}, [], key)
    issued, salt = _issue(loaded.id, decision.tokens, key) if decision.tokens else ({}, b"")
    changed = [tokens.revoke(loaded.id, seat) for seat in decision.revoked]
    changed += [tokens.move(loaded.id, moved.seat, moved.to) for moved in decision.moved]
    changed += [tokens.insert(loaded.id, number, token) for number, token in decision.kept.items()]
    changed += apps.after_facts(loaded.id, facts)
    changed += [apps.refer(loaded.id, seat, ref) for seat, ref in decision.refs.items()]
    return _commit(after, loaded, facts, events, issued, changed, key, salt)


def commit_of_stream(
    game: UUID,
    facts: Sequence[Fact],
    events: Sequence[bytes],
    key: IdempotencyKey | None = None,
    owner: Owner | None = None,
) -> Commit:
    """Return the commit of a new stream, with tokens for its first holders; raise ``WeakKey``."""
    opened_at, changed_at = at_of(1, events[0]), at_of(len(events), events[-1])
    timeline = follow(None, facts, starmap(at_of, enumerate(events, 1)))
    loaded = LoadedGame(game, timeline, digest_of(events[-1]), opened_at, changed_at)
    issued, salt = _issue(game, first_holders(timeline.table), key)
    owned = list(apps.own(game, owner)) if owner else []
    return _commit(loaded, None, facts, events, issued, owned, key, salt)


def _commit(
    loaded: LoadedGame,
    before: LoadedGame | None,
    facts: Sequence[Fact],
    events: Sequence[bytes],
    issued: Mapping[int, str],
    statements: list[Statement],
    key: IdempotencyKey | None,
    salt: bytes = b"",
) -> Commit:
    """Return the commit of events after a game.

    Events that change the lobby are stored in separate rows.
    """
    game, version, table = loaded.id.hex, before.timeline.version if before else 0, loaded.timeline.table
    first, rows = version + 1, list[Row]()
    if facts and not changes_lobby(*facts):
        rows.append((game, first, GAME_TOPIC, join_row(events)))
    else:
        for in_lobby, run in groupby(zip(facts, events, strict=True), lambda pair: changes_lobby(pair[0])):
            texts = [event for _, event in run]
            rows.append((game, first, TABLE_TOPIC if in_lobby else GAME_TOPIC, join_row(texts)))
            first += len(texts)
    statements += [tokens.insert(loaded.id, holder, token) for holder, token in issued.items()]
    if facts and (table.has_bots or (before is not None and before.timeline.table.stand_ins)):
        statements.append(bot_games.update(loaded))
    if facts and table.options.turn_limit:
        statements.append(due.update(loaded))
    if key:
        statements.append(keys.insert(key, loaded.id, version + 1, loaded.timeline.version, salt))
    progress = encode_progress(loaded.progress)
    extension = StreamExtension(
        game, version, before.digest if before else b"", loaded.timeline.version, loaded.digest, progress
    )
    return Commit(version, loaded, facts, events, issued, rows, statements, extension, key is not None)


def repeat(database: Database, games: LoadedGames, key: IdempotencyKey, row: KeyRow) -> Commit:
    """Return the commit that is stored under a key, with the same tokens."""
    loaded = games.load_at(UUID(bytes=row.game), row.last)
    events = select_parts(database, loaded.id, [range(row.first, row.last + 1)] if row.first <= row.last else [])
    facts = facts_of(events)
    holders = first_holders(loaded.table) if row.first == 1 else _later_holders(facts)
    issued = keys.derive_tokens(key, row.salt, loaded.id, holders) if row.salt else {}
    return Commit(row.first - 1, loaded, facts, [event for _, event in events], issued, repeated=True)


def first_holders(table: Table) -> tuple[int, ...]:
    """Return the holders who get tokens with a new game: the host, the people, and new players of an open table.

    The players of a rematch get their tokens when they ask for their seats.
    """
    if table.rematch_of is not None and not table.started:
        return ()
    invite = (tokens.INVITE,) if table.options.invite and not table.started else ()
    return (tokens.HOST, *(player.seat for player in table.players if not player.bot), *invite)


def _later_holders(facts: Sequence[Fact]) -> list[int]:
    """Return the holders of the tokens that a later commit issues. A commit without facts admits a spectator."""
    seats = [fact.seat for fact in facts if isinstance(fact, SeatTaken | TokenRenewed | SeatHandedOver)]
    return [tokens.HOST if seat is None else seat for seat in seats] if facts else [tokens.SPECTATOR]


def _issue(game: UUID, holders: Sequence[int], key: IdempotencyKey | None) -> tuple[dict[int, str], bytes]:
    """Return new tokens, random or derived from the secret of a key, and the salt for the derivation."""
    if key is None:
        return {holder: tokens.new_token() for holder in holders}, b""
    salt = keys.new_salt()
    return keys.derive_tokens(key, salt, game, holders), salt


def stored_bytes(commit: Commit) -> int:
    """Return the approximate size of a commit on disk, including later moves of bots."""
    begins = commit.loaded.timeline.table.has_bots and any(isinstance(fact, GameStarted) for fact in commit.facts)
    rows = TOKEN_BYTES * len(commit.tokens) + keys.ROW_BYTES * commit.keyed
    return sum(map(len, commit.events)) + rows + BOT_GAME_BYTES * begins


def store(database: Database, commits: Sequence[Commit], *, wait: bool = True) -> float:
    """Store all commits or none (raise ``Conflict``); return how many seconds other writers were waited for."""
    rows = [row for commit in commits for row in commit.rows]
    extensions = [commit.extension for commit in commits if commit.extension]
    new = [extension for extension in extensions if not extension.before]
    statements = insert_heads(new) if new else []
    for commit in commits:
        statements += commit.statements
    return database.append(rows, statements, [extension for extension in extensions if extension.before], wait=wait)


def now() -> str:
    """Return the time in UTC in the form of the streams."""
    second, microsecond = divmod(time_ns() // 1000, 1_000_000)
    return f"{_format_second(second)}.{microsecond:06d}Z"


def check_clock() -> None:
    """Raise ``WrongClock`` if the clock shows a time that a stream cannot contain."""
    if not 0 <= time_ns() < YEAR_10000:
        raise WrongClock("the clock of this machine is before 1970 or after 9999")


@lru_cache(maxsize=1)
def _format_second(second: int) -> str:
    """Format a second. Cached, because many moves share it."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


# --- the writer -------------------------------------------------------------------------------------------------

MAX_GROUP = 128
PART = 64
"""The number of commits that are added to a group at once."""

FAST_SECONDS = 0.002
"""A faster transaction may run in the event loop."""


class CommitTimes(NamedTuple):
    """The seconds of a transaction: in total, waiting for other writers, and in the queue before it.

    ``queued`` is the time of the group's first commit.
    """

    stored: float
    locked: float
    queued: float


class Observer(msgspec.Struct, frozen=True):
    """Callbacks of a service, for example for metrics. They run in the thread that does the work, and must not raise.

    ``stored`` gets the commits and the times of each transaction, ``failed`` each error of the storage.
    """

    stored: Callable[[Sequence[Commit], CommitTimes], None] | None = None
    failed: tuple[Callable[[StorageUnavailable], None], ...] = ()

    def report(self, error: StorageUnavailable) -> None:
        for listener in self.failed:
            listener(error)


class _Waiting(NamedTuple):
    commit: Commit
    stored: asyncio.Future[None]
    since: float


Write = Callable[[Sequence[Commit]], float]
"""Stores all commits or raises; returns how many seconds other writers were waited for."""


class GroupWriter:
    """A thread that stores all commits in a group, those that arrive during a transaction in the next one.

    If a caller gives up before the transaction begins, its commit is not stored. If a group conflicts, each commit is
    stored separately, so that only the conflicting one fails. A single commit on a fast disk is stored in the event
    loop, because the hand-over to the thread takes longer than the disk.
    """

    def __init__(
        self,
        store: Write,
        store_now: Write | None = None,
        written: Callable[[Sequence[Commit], CommitTimes], None] | None = None,
    ) -> None:
        """Use these functions to store commits. ``store_now`` raises ``Busy`` instead of waiting."""
        self._store = store
        self._store_now = store_now
        self._written = written
        self._loop = asyncio.get_running_loop()
        self._gathered: list[_Waiting] = []
        self._in_thread = 0
        self._seconds = 0.0
        self._queue: SimpleQueue[list[_Waiting]] = SimpleQueue()
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    async def write(self, commit: Commit) -> None:
        """Store a commit and return once it is durable; raise ``Conflict`` if another writer was faster."""
        stored: asyncio.Future[None] = self._loop.create_future()
        self._gathered.append(_Waiting(commit, stored, perf_counter()))
        if len(self._gathered) == 1:
            self._loop.call_soon(self._flush)
        await stored

    async def close(self) -> None:
        """Store the remaining commits, then stop the thread."""
        self._flush()
        self._queue.put([])
        await asyncio.to_thread(self._thread.join)

    def _flush(self) -> None:
        """Store the commits of this turn of the event loop: here if no other writer is active, else in the thread."""
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        if self._store_now and len(gathered) == 1 and not self._in_thread and self._seconds < FAST_SECONDS:
            error = self._try(self._store_now, gathered)
            if not isinstance(error, Busy):
                _deliver(gathered, [error])
                return
        self._in_thread += len(gathered)
        for start in range(0, len(gathered), PART):
            self._queue.put(gathered[start : start + PART])

    # --- in the thread --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while group := self._next_group():
            wanted = [waiting for waiting in group if not waiting.stored.done()]  # the callers of others have given up
            errors = self._write_group(wanted) if wanted else []
            self._loop.call_soon_threadsafe(self._done, len(group), wanted, errors)

    def _next_group(self) -> list[_Waiting]:
        """Return the queued commits, at most a full group; empty when the writer closes."""
        group = self._queue.get()
        while group and len(group) <= MAX_GROUP - PART and not self._queue.empty():
            more = self._queue.get()
            if not more:
                self._queue.put(more)
                break
            group += more
        return group

    def _write_group(self, group: Sequence[_Waiting]) -> list[Exception | None]:
        error = self._try(self._store, group)
        if error is None or isinstance(error, StorageUnavailable) or len(group) == 1:
            return [error] * len(group)
        return [self._try(self._store, [waiting]) for waiting in group]

    def _try(self, store: Write, group: Sequence[_Waiting]) -> Exception | None:
        commits = [waiting.commit for waiting in group]
        began = perf_counter()
        try:
            locked = store(commits)
        except Exception as error:
            return error
        finally:
            self._seconds = perf_counter() - began
        if self._written is not None:
            self._written(commits, CommitTimes(self._seconds, locked, began - group[0].since))
        return None

    # --- back in the event loop -----------------------------------------------------------------------------------

    def _done(self, taken: int, group: Sequence[_Waiting], errors: Sequence[Exception | None]) -> None:
        self._in_thread -= taken
        _deliver(group, errors)


def _deliver(group: Sequence[_Waiting], errors: Sequence[Exception | None]) -> None:
    """Resolve the futures of the callers who still wait."""
    for waiting, error in zip(group, errors, strict=True):
        if waiting.stored.done():
            continue
        if error is None:
            waiting.stored.set_result(None)
        else:
            waiting.stored.set_exception(error)
