"""New games: opened at a table, forked from another game, or brought in from a record."""

import secrets
from collections.abc import Sequence
from time import time_ns
from typing import get_args
from uuid import UUID

from domain.application import commands
from domain.application.append import Change, found, now
from domain.application.commands import Tiles
from domain.application.games import Games
from domain.modules import ActionTaken, Fact, Options, TableFact
from domain.records import Verified
from domain.refused import Refused
from domain.stream import Recorded, chained_again, copied, origin, read, write
from domain.table_facts import GameForked, SeatTaken, UndoAnswered, UndoProposed

_AT_REST_BEFORE = (ActionTaken, *get_args(TableFact))


def new_id() -> UUID:
    """An id that no other game has: random, after the milliseconds of its birth (version 7 of RFC 9562).

    So games of the same time lie together in the index of events, and a commit for many of them changes few pages.
    """
    milliseconds = time_ns() // 1_000_000
    return UUID(int=milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62))


def opened(seats: int, names: Sequence[str], options: Options, tiles: Tiles) -> Change:
    """A table is opened."""
    return begun(new_id(), commands.open_table(seats, names, options, tiles).facts)


def begun(game: UUID, facts: Sequence[Fact]) -> Change:
    """A game begins with these facts, all of them now."""
    events, _ = write(0, origin(str(game)), now(), facts)
    return found(game, facts, events, _seats(facts))


def forked(games: Games, game: UUID, at: int | None) -> Change:
    """A game goes on from another one, with nothing of what was taken back in that one."""
    at = games.look(game).version if at is None else at
    table = games.look_at(game, at).table
    if not table.started or not _at_rest(games, game, at):
        raise Refused("not_a_boundary", "fork", "A fork begins between two actions.", {}, {"at": at})
    story = [event for event in games.story(game, at) if not isinstance(event.fact, UndoProposed | UndoAnswered)]
    story.append(Recorded(len(story) + 1, now(), GameForked(game=str(game), up_to=at)))
    fork = new_id()
    facts = [event.fact for event in story]
    return found(fork, facts, copied(str(fork), story), _seats(facts))


def brought_in(games: Games, record: Verified) -> Change:
    """A recorded game goes on here, under its own id unless a game has that already."""
    game, events = UUID(record.game), record.events
    if games.rows(game, 0, 1):
        game = new_id()
        events = tuple(chained_again(str(game), events))
    return found(game, record.facts, events, _seats(record.facts))


def _at_rest(games: Games, game: UUID, at: int) -> bool:
    """Whether nothing follows by itself from what stands at a version."""
    return all(isinstance(read(*row).fact, _AT_REST_BEFORE) for row in games.rows(game, at, at + 1))


def _seats(facts: Sequence[Fact]) -> list[int]:
    return [fact.seat for fact in facts if isinstance(fact, SeatTaken)]
