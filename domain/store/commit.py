"""A change of a game as it is stored: its events, its new tokens, and the end of its stream."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from time import time_ns
from uuid import UUID

import msgspec

from domain.decide import Decision
from domain.modules import Fact, GameStarted
from domain.store import bot_games, tokens
from domain.store.commands import TableDecision
from domain.store.database import Database, Growth, Row, Statement
from domain.store.errors import WrongClock
from domain.store.idempotency import Answer
from domain.store.loaded_games import LoadedGame
from domain.store.lobby import encode_progress, progress_of
from domain.store.schema import GAME_TOPIC, TABLE_TOPIC
from domain.store.streams import insert_heads
from domain.stream import at_of, digest_of, join_row, write
from domain.table import Table, changes_listing
from domain.table_facts import SeatMoved
from domain.timeline import follow, follow_action

ROW_BYTES = 200
"""The bytes of the row of a token or an answer beside its text, about, with its places in indexes."""

BOT_GAME_BYTES = 200_000
"""The bytes on disk, about, of a game to which bots add without a request."""

YEAR_10000 = 253_402_300_800 * 10**9
"""The first nanosecond after the times that streams can have."""

_NO_TOKENS = TableDecision(())
"""The part of an action of the game in tokens: none."""


class Commit(msgspec.Struct, frozen=True, gc=False):
    """One change of a game: the version before it with its digest, the game after it, and what was stored.

    ``tokens`` are to be stored by seat or by the number of the host and others; ``revoked`` names those whose tokens
    are revoked, and those of ``moved`` seats go with their players.
    """

    before: int
    based_on: bytes
    loaded: LoadedGame
    facts: Sequence[Fact]
    events: Sequence[bytes]
    tokens: dict[int, str]
    revoked: tuple[int, ...] = ()
    moved: Sequence[SeatMoved] = ()

    @property
    def id(self) -> UUID:
        """The id of the game."""
        return self.loaded.id

    @property
    def version(self) -> int:
        """The version of the game after the change."""
        return self.loaded.version

    @property
    def table(self) -> Table:
        """The table after the change."""
        return self.loaded.table

    def rows(self) -> Iterator[Row]:
        """Return the rows to store; events that the list of games reads are in rows of their own."""
        game, version = self.id.hex, self.before + 1
        for listed, run in groupby(zip(self.facts, self.events, strict=True), lambda pair: changes_listing(pair[0])):
            events = [event for _, event in run]
            yield game, version, TABLE_TOPIC if listed else GAME_TOPIC, join_row(events)
            version += len(events)

    def token_statements(self) -> Iterator[Statement]:
        """Return the statements that revoke tokens, move them and store the new ones."""
        for seat in self.revoked:
            yield tokens.revoke(self.id, seat)
        for moved in self.moved:
            yield tokens.move(self.id, moved.seat, moved.to)
        for seat, token in self.tokens.items():
            yield tokens.insert(self.id, seat, token)


def commit_of_decision(loaded: LoadedGame, decision: Decision | TableDecision) -> Commit:
    """Return the commit of a decision about a game."""
    facts, by_table = decision.facts, decision if isinstance(decision, TableDecision) else _NO_TOKENS
    new_tokens = {**by_table.kept, **{seat: tokens.new_token() for seat in by_table.tokens}}
    if not facts:
        return Commit(loaded.version, loaded.digest, loaded, (), (), new_tokens, by_table.revoked)
    at = max(now(), loaded.changed_at)  # a stream is in order of time, also if the clock is not
    events, digest = write(loaded.version, loaded.digest, at, facts)
    if isinstance(decision, TableDecision):
        timeline = follow(loaded.timeline, facts)
    else:
        timeline = follow_action(loaded.timeline, decision.facts, decision.game)
    after = LoadedGame(loaded.id, timeline, digest, loaded.opened_at, at, reading=loaded.reading)
    return Commit(loaded.version, loaded.digest, after, facts, events, new_tokens, by_table.revoked, by_table.moved)


def commit_of_stream(game: UUID, facts: Sequence[Fact], events: Sequence[bytes]) -> Commit:
    """Return the commit of a whole stream, with tokens for the host and the seats, and the code of who may sit down."""
    opened_at, changed_at = at_of(1, events[0]), at_of(len(events), events[-1])
    loaded = LoadedGame(game, follow(None, facts), digest_of(events[-1]), opened_at, changed_at)
    table = loaded.table
    invite = (tokens.INVITE,) if table.options.invite and not table.started else ()
    holders = (tokens.HOST, *(player.seat for player in table.players if not player.bot), *invite)
    new_tokens = {holder: tokens.new_token() for holder in holders}
    return Commit(0, b"", loaded, facts, events, new_tokens)


def stored_bytes(commit: Commit, kept: Answer | None) -> int:
    """Return what a commit takes on disk, about: its events, its tokens, the answer under a key, what bots will add."""
    answers = 0 if kept is None else ROW_BYTES + len(kept.body)
    begins = commit.table.has_bots and any(isinstance(fact, GameStarted) for fact in commit.facts)
    return sum(map(len, commit.events)) + ROW_BYTES * len(commit.tokens) + answers + BOT_GAME_BYTES * begins


def store(database: Database, appends: Sequence[tuple[Commit, Statement | None]], *, wait: bool = True) -> float:
    """Store commits, each with the answer kept under its key, or raise ``Conflict`` and store none of them.

    Return for how many seconds other writers were waited for.
    """
    rows = [row for commit, _ in appends for row in commit.rows()]
    statements = list(insert_heads([_growth(commit) for commit, _ in appends if not commit.before]))
    for commit, kept in appends:
        if commit.tokens or commit.revoked or commit.moved:
            statements += commit.token_statements()
        if commit.facts and commit.table.has_bots:
            statements.append(bot_games.note(commit.loaded))
        if kept is not None:
            statements.append(kept)
    return database.append(rows, statements, [_growth(commit) for commit, _ in appends if commit.before], wait=wait)


def _growth(commit: Commit) -> Growth:
    game, digest = commit.id.hex, commit.loaded.digest
    progress = encode_progress(progress_of(commit.loaded))
    return Growth(game, commit.before, commit.based_on, commit.version, digest, progress)


def now() -> str:
    """Return the time in UTC, as streams write it."""
    second, microsecond = divmod(time_ns() // 1000, 1_000_000)
    return f"{_to_the_second(second)}.{microsecond:06d}Z"


def check_clock() -> None:
    """Raise ``WrongClock`` if the clock of the machine is where streams have no times."""
    if not 0 <= time_ns() < YEAR_10000:
        raise WrongClock("the clock of this machine is before 1970 or after 9999")


@lru_cache(maxsize=1)
def _to_the_second(second: int) -> str:
    """Format a time down to the second, which many moves have in common."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
