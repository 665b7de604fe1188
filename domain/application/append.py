"""What a change to a game brings, and what of it is stored together or not at all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import groupby
from time import time_ns
from uuid import UUID

import msgspec

from domain.application import keys, tokens
from domain.application.commands import Decision
from domain.application.database import Line, Statement
from domain.application.held import Held
from domain.application.keys import Key
from domain.game import Game
from domain.modules import Fact
from domain.stream import at_of, digest_of, stored_together, write
from domain.table import Table, is_news
from domain.timeline import follow


class Change(msgspec.Struct, frozen=True, gc=False):
    """A game after something was done to it; ``tokens`` are the new ones by seat, under None the host's."""

    before: int
    held: Held
    facts: Sequence[Fact]
    events: Sequence[bytes]
    tokens: dict[int | None, str]

    @property
    def id(self) -> UUID:
        """The game."""
        return self.held.id

    @property
    def version(self) -> int:
        """The newest version now."""
        return self.held.version

    @property
    def table(self) -> Table:
        """The table now."""
        return self.held.table

    @property
    def game(self) -> Game | None:
        """The game now, None before it has begun."""
        return self.held.game


Answer = Callable[[Change], bytes]


class Append(msgspec.Struct, frozen=True, gc=False):
    """One change with the answer to it, and the key under which the answer is kept."""

    change: Change
    answer: bytes
    key: Key | None

    def lines(self) -> Iterator[Line]:
        """The events to store; those that the lobby reads stand apart from the others."""
        change = self.change
        version = change.before + 1
        told = zip(change.facts, change.events, strict=True)
        for news, run in groupby(told, lambda one: is_news(one[0])):
            events = [event for _, event in run]
            yield change.id.hex, version, "table" if news else "game", stored_together(events)
            version += len(events)

    def statements(self) -> list[Statement]:
        """What is stored beside the events."""
        change = self.change
        statements: list[Statement] = []
        for seat, token in change.tokens.items():
            if change.before and seat is not None:
                statements.append(tokens.revoke(change.id, seat))
            statements.append(tokens.keep(change.id, seat, token))
        if self.key is not None:
            statements.append(keys.keep(self.key, self.answer))
        return statements


def heads(appends: Iterable[Append]) -> Iterator[Statement]:
    """Note where the streams end now, apart from the streams themselves: an end that was cut off will show.

    It shows for ever, since what was noted changes only together with a stream that ended there.
    """
    changes = [append.change for append in appends if append.change.events]
    ends = [(change.id.hex, change.before, change.version, change.held.digest) for change in changes]
    if ends:
        yield _heads(len(ends)), tuple(value for end in ends for value in end)


@cache
def _heads(ends: int) -> str:
    rows = ", ".join(["(?, ?, ?, ?)"] * ends)
    return (
        f"INSERT INTO heads (game, prior, version, digest) VALUES {rows}"  # noqa: S608 - nothing from outside
        " ON CONFLICT (game) DO UPDATE SET prior = excluded.prior, version = excluded.version,"
        " digest = excluded.digest WHERE heads.version = excluded.prior"
    )


def go_on(held: Held, decision: Decision) -> Change:
    """The change that a decision makes to a game."""
    given: dict[int | None, str] = {seat: tokens.new_token() for seat in decision.tokens}
    if not decision.facts:
        return Change(held.version, held, (), (), given)
    at = now()
    events, digest = write(held.version, held.digest, at, decision.facts)
    after = Held(held.id, decision.after(held.timeline), digest, held.opened, at)
    return Change(held.version, after, decision.facts, events, given)


def found(game: UUID, facts: Sequence[Fact], events: Sequence[bytes], seats: Sequence[int]) -> Change:
    """The change that brings a whole stream, with a token for each of the seats and for the host."""
    given = {seat: tokens.new_token() for seat in (None, *seats)}
    held = Held(game, follow(None, facts), digest_of(events[-1]), at_of(1, events[0]), at_of(len(events), events[-1]))
    return Change(0, held, facts, events, given)


def now() -> str:
    """The time in UTC, as streams write it."""
    second, microsecond = divmod(time_ns() // 1000, 1_000_000)
    return f"{_until(second)}.{microsecond:06d}Z"


@lru_cache(maxsize=1)
def _until(second: int) -> str:
    """A time down to the second, which many moves have in common."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
