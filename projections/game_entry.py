"""A game as an entry of the lobby, and the seat of a token."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.field_types import Deadline, Status, Time, TokenRole, TurnNumber, WaitingSince
from domain.lobby_entry import LobbyEntry
from domain.modules import GameOptions
from domain.phase_names import FINISHED, SET_UP
from domain.table import ForkedFrom, ImportedFrom
from projections.phases import LOBBY, Phase


class GameEntry(msgspec.Struct, frozen=True):
    """A game as an entry of the lobby. `read_game` returns more."""

    id: UUID
    status: Status
    version: Annotated[int, Meta(description="The newest version.")]
    seats: int
    players: tuple[str, ...]
    options: GameOptions
    opened: Time
    changed: Annotated[
        Time, Meta(description="When the table last changed: its players, its start or end, or an undo.")
    ]
    changed_at: Annotated[Time, Meta(description="When the newest event was stored, for example the last move.")]
    turn: TurnNumber
    phase: Phase
    to_play: Annotated[int | None, Meta(description="The seat that has to decide; null if nobody has to.")]
    waiting_since: WaitingSince
    deadline: Deadline
    winners: tuple[int, ...] | None
    forked_from: ForkedFrom | None
    imported_from: ImportedFrom | None


class GameList(msgspec.Struct, frozen=True):
    """A page of games, newest first."""

    items: tuple[GameEntry, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the next page; null on the last page.")]


class FoundSeat(msgspec.Struct, frozen=True):
    """The game and the seat that a token belongs to."""

    game: GameEntry
    role: TokenRole
    seat: Annotated[int | None, Meta(description="The seat; null for the host and for spectators.")]
    my_turn: Annotated[
        bool,
        Meta(
            description="Whether the holder has to decide now. For a host who can play every seat: whether anyone "
            "has to."
        ),
    ]


class SeatLookup(msgspec.Struct, frozen=True):
    """The games and the seats of tokens."""

    items: Annotated[
        tuple[FoundSeat | None, ...], Meta(description="In the order of the tokens; null for an unknown token.")
    ]


_PHASES: dict[Status, str] = {"open": LOBBY, "playing": SET_UP, "finished": FINISHED}
"""The phases of games without progress: before the start, or with a damaged stream."""


def game_entry(entry: LobbyEntry) -> GameEntry:
    """Return the public form of an entry."""
    table, progress = entry.table, entry.progress
    status, winners = table.status, table.winners or None
    if progress.phase is not None:  # the progress is as new as the version, the table may be older
        status, winners = "finished" if progress.phase == FINISHED else "playing", progress.winners
    return GameEntry(
        id=UUID(entry.id),
        status=status,
        version=progress.version,
        seats=table.seats,
        players=tuple(player.name for player in table.players),
        options=table.options,
        opened=entry.opened,
        changed=entry.changed,
        changed_at=progress.changed_at,
        turn=progress.turn,
        phase=progress.phase or _PHASES[status],
        to_play=progress.to_play,
        waiting_since=progress.waiting_since,
        deadline=progress.deadline,
        winners=winners,
        forked_from=ForkedFrom(*table.forked_from) if table.forked_from else None,
        imported_from=ImportedFrom(*table.imported_from) if table.imported_from else None,
    )


def find_seat(entry: LobbyEntry, role: TokenRole, seat: int | None) -> FoundSeat:
    to_play, plays_all = entry.progress.to_play, entry.table.plays_all_seats
    awaited = to_play is not None and to_play not in entry.table.stand_ins
    my_turn = awaited and (to_play == seat if role == "seat" else role == "host" and plays_all)
    return FoundSeat(game_entry(entry), role, seat, my_turn)
