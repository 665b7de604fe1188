"""A change of a game as it is stored: its events, its new tokens, and the end of its stream."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain, groupby
from time import time_ns
from typing import Any
from uuid import UUID

import msgspec

from domain.decide import Decision
from domain.modules import Fact, GameStarted
from domain.store import bot_games, tokens
from domain.store.commands import TableDecision
from domain.store.database import Database, Row, Statement
from domain.store.errors import WrongClock
from domain.store.idempotency import Answer
from domain.store.loaded_games import LoadedGame
from domain.store.progress import encode_progress, progress_of
from domain.store.schema import GAME_TOPIC, TABLE_TOPIC
from domain.store.stored_events import LAST_DIGEST
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


def store(database: Database, appends: Sequence[tuple[Commit, Statement | None]], *, wait: bool = True) -> None:
    """Store commits, each with the answer kept under its key, or raise ``Conflict`` and store none of them."""
    rows = [row for commit, _ in appends for row in commit.rows()]
    statements = list(_head_statements([commit for commit, _ in appends]))
    for commit, kept in appends:
        if commit.tokens or commit.revoked or commit.moved:
            statements += commit.token_statements()
        if commit.facts and commit.table.has_bots:
            statements.append(bot_games.note(commit.loaded))
        if kept is not None:
            statements.append(kept)
    database.append(rows, statements, wait=wait)


def _head_statements(commits: Sequence[Commit]) -> Iterator[Statement]:
    """Return the statements that note where streams end, apart from the streams: an end that was cut off will show.

    It shows for ever, also that a note was deleted, since what was noted changes only together with a stream that ended
    there, and is made for new streams only. Nothing is stored of a game whose stream is not the one that was decided
    on: it was removed, or the database was restored from a backup.
    """
    if new := [commit for commit in commits if not commit.before]:
        yield _insert_heads(len(new)), tuple(chain.from_iterable(map(_new_head, new)))
    if grown := [commit for commit in commits if commit.before]:
        known = ((each.id.hex, each.before, each.based_on, each.based_on.hex().encode()) for each in grown)
        yield _require_streams(len(grown)), tuple(chain.from_iterable(known))
        yield _update_heads(len(grown)), tuple(chain.from_iterable(map(_grown_head, grown)))


def _new_head(commit: Commit) -> tuple[Any, ...]:
    return commit.id.hex, *_noted(commit)


def _grown_head(commit: Commit) -> tuple[Any, ...]:
    return *_noted(commit), commit.id.hex, commit.before


def _noted(commit: Commit) -> tuple[Any, ...]:
    """Return what is noted of the end of a stream: ``prior``, ``version``, ``digest`` and ``progress``."""
    digest = commit.loaded.digest
    return commit.before, commit.version, digest, encode_progress(commit.id.hex, digest, progress_of(commit.loaded))


@cache
def _insert_heads(ends: int) -> str:
    rows = ", ".join(["(?, ?, ?, ?, ?)"] * ends)
    return f"INSERT INTO heads (game, prior, version, digest, progress) VALUES {rows}"  # noqa: S608 - nothing from outside


@cache
def _update_heads(ends: int) -> str:
    """Return one statement for many ends.

    For a single end there is no table to join: that takes SQLite less than half the time.
    """
    rows, values = ", ".join(["(?, ?, ?, ?, ?, ?)"] * ends), ["?"] * 6
    joined = ""
    if ends > 1:
        joined, values = f" FROM (VALUES {rows}) AS new", [f"column{place}" for place in range(1, 7)]
    prior, version, digest, progress, game, before = values
    return (
        f"UPDATE heads SET prior = {prior}, version = {version}, digest = {digest}, progress = {progress}{joined}"  # noqa: S608 - as above
        f" WHERE heads.game = {game} AND heads.version = {before}"
    )


@cache
def _require_streams(ends: int) -> str:
    """Return the statement that fails, since no ``prior`` may be null, unless each stream has this digest at a version.

    It looks at the stream itself only where somebody has changed the note of its end. That is found by the game alone:
    PostgreSQL would read all notes to find many by all their columns.
    """
    rows = ", ".join(["(?, ?, ?, ?)"] * ends)
    return (
        "INSERT INTO heads (game, prior, version, digest) SELECT column1, NULL, column2, column3"  # noqa: S608 - as above
        f" FROM (VALUES {rows}) AS known WHERE CASE WHEN"
        " (SELECT heads.version = column2 AND heads.digest = column3 FROM heads WHERE heads.game = column1)"
        f" THEN FALSE ELSE COALESCE((SELECT {LAST_DIGEST} FROM stored_events"
        " WHERE originator_id = CAST(column1 AS {id}) AND originator_version <= column2"
        " ORDER BY originator_version DESC LIMIT 1) <> column4, TRUE) END"
    )


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
