"""A game as a line of a list, and the place that a token opens there."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.field_types import Status, Time, TokenRole, TurnNumber
from domain.listed import ListedGame
from domain.modules import GameOptions
from domain.phase_names import FINISHED, SET_UP
from domain.table import ForkedFrom
from projections.phases import LOBBY, Phase


class GameLine(msgspec.Struct, frozen=True):
    """A game as lists show it; `read_game` tells more."""

    id: UUID
    status: Status
    version: Annotated[int, Meta(description="Its newest version.")]
    seats: int
    players: tuple[str, ...]
    options: GameOptions
    opened: Time
    changed: Annotated[Time, Meta(description="When somebody last sat down, or play began, ended or was taken back.")]
    changed_at: Annotated[Time, Meta(description="When its newest event was stored, such as the last move.")]
    turn: TurnNumber
    phase: Phase
    to_play: Annotated[int | None, Meta(description="The seat that has to decide, if any.")]
    winners: tuple[int, ...] | None
    forked_from: ForkedFrom | None


class GameList(msgspec.Struct, frozen=True):
    """A page of games, the newest first."""

    items: tuple[GameLine, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the following page, null if this is the last.")]


class Seating(msgspec.Struct, frozen=True):
    """The place that a token opens."""

    game: GameLine
    role: TokenRole
    seat: Annotated[int | None, Meta(description="The seat that it plays; null for the host and for spectators.")]
    my_turn: Annotated[
        bool,
        Meta(description="Whether its holder has to decide now; the host of a hot seat does whenever somebody has to."),
    ]


class Seatings(msgspec.Struct, frozen=True):
    """The places of the tokens that were asked for."""

    items: Annotated[
        tuple[Seating | None, ...], Meta(description="In the order of the tokens; null for one that opens no game.")
    ]


_PHASES: dict[Status, str] = {"open": LOBBY, "playing": SET_UP, "finished": FINISHED}
"""The phases of games whose progress is unknown: before the start, and where a stream is damaged."""


def game_line(listed: ListedGame) -> GameLine:
    """Return the line of a game."""
    table, progress = listed.table, listed.progress
    status, winners = table.status, table.winners or None
    if progress.phase is not None:  # it is as new as the version, the table may lag behind
        status, winners = "finished" if progress.phase == FINISHED else "playing", progress.winners
    return GameLine(
        id=UUID(listed.id),
        status=status,
        version=progress.version,
        seats=table.seats,
        players=tuple(player.name for player in table.players),
        options=table.options,
        opened=listed.opened,
        changed=listed.changed,
        changed_at=progress.changed_at,
        turn=progress.turn,
        phase=progress.phase or _PHASES[status],
        to_play=progress.to_play,
        winners=winners,
        forked_from=ForkedFrom(*table.forked_from) if table.forked_from else None,
    )


def seating(listed: ListedGame, role: TokenRole, seat: int | None) -> Seating:
    """Return the place that a token opens at a game."""
    to_play, plays_all = listed.progress.to_play, listed.table.plays_all_seats
    my_turn = to_play is not None and (to_play == seat if role == "seat" else role == "host" and plays_all)
    return Seating(game_line(listed), role, seat, my_turn)
