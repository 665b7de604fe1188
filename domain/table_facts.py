"""The facts of a table: seats, closing, undo and redo."""

from typing import Annotated

import msgspec
from msgspec import Meta

from domain import field_types as types
from domain.facts import FactBase, SeatlessFact


class RematchOf(msgspec.Struct, frozen=True, gc=False):
    """The game that this table plays again, and the version of its ending."""

    game: Annotated[str, Meta(description="The id of the finished game.")]
    version: Annotated[int, Meta(description="The version at which it ended.")]


class SeatTaken(FactBase, frozen=True, omit_defaults=True):
    """A player joined the table. A bot has the field `bot`."""

    seat: int
    name: str
    colour: types.Colour
    bot: types.SeatedBot = None
    reserved: types.Reserved = False


class SeatClaimed(FactBase, frozen=True):
    """A player took the reserved seat of a rematch. `seat` is null for the host."""

    seat: int | None


class SeatFreed(FactBase, frozen=True):
    """A player left before the start, or was kicked. The seat, the name and the colour are free again."""

    seat: int


class SeatMoved(FactBase, frozen=True):
    """A player moved to a lower seat because play began with free seats."""

    seat: int
    to: types.NewSeat


class TableClosed(SeatlessFact, frozen=True):
    """The host closed the table: nobody else can join."""


class TableDeleted(SeatlessFact, frozen=True):
    """The host deleted the table before the start."""


class TokenRenewed(FactBase, frozen=True):
    """The token of a seat was replaced, or the host's token if `seat` is null. Undo does not take this back."""

    seat: int | None
    by: types.RenewedBy


class SeatLeftToBot(FactBase, frozen=True):
    """A bot plays for an absent player until the player comes back (R14.2). Undo does not take this back."""

    seat: int
    bot: types.BotKind
    by: types.LeftBy


class SeatTakenBack(FactBase, frozen=True):
    """A player came back, and the bot stopped playing for the player (R14.3)."""

    seat: int


class SeatHandedOver(FactBase, frozen=True):
    """The host gave the seat of an absent player to somebody else (R14.5). The old token no longer works."""

    seat: int
    name: str


class GameForked(SeatlessFact, frozen=True):
    """The game was forked: the events before this one were copied from another game."""

    game: str
    up_to: types.CopiedVersion


class GameImported(SeatlessFact, frozen=True):
    """The events before this one are from the record of a game; `prior` is the digest of the record's last event."""

    game: str
    up_to: types.CopiedVersion
    prior: types.Digest


class Rematched(SeatlessFact, frozen=True):
    """A rematch of this game was opened."""

    game: str


class UndoProposed(FactBase, frozen=True, omit_defaults=True):
    """A player asks the others to go to the version `to`, by an undo or a redo."""

    seat: int
    to: types.RestoredVersion
    by: types.ActedBy = "seat"


class UndoAnswered(FactBase, frozen=True, omit_defaults=True):
    """A player answered the open proposal. One refusal closes it."""

    seat: int
    accept: bool
    by: types.ActedBy = "seat"


class Undone(FactBase, frozen=True, omit_defaults=True):
    """The game went back to an earlier version. `seat` is null for the host."""

    seat: int | None
    to: types.RestoredVersion
    by: types.ActedBy = "seat"


class Redone(FactBase, frozen=True, omit_defaults=True):
    """The last undo was taken back: the game is again at the version `to`. `seat` is null for the host."""

    seat: int | None
    to: types.RestoredVersion
    by: types.ActedBy = "seat"


class GameRemoved(SeatlessFact, frozen=True):
    """An operator erased the game. Nothing else of it is stored. Only the events of all games show it."""

    prior: Annotated[types.Digest, Meta(description="The digest of the erased previous event.")]
    private: Annotated[bool, Meta(description="Whether the game was private.")]


BaseTableFact = (
    SeatTaken
    | SeatClaimed
    | SeatFreed
    | SeatMoved
    | TableClosed
    | TableDeleted
    | TokenRenewed
    | SeatLeftToBot
    | SeatTakenBack
    | SeatHandedOver
    | GameForked
    | GameImported
    | Rematched
    | UndoProposed
    | UndoAnswered
    | Undone
    | Redone
)
"""Every fact of a table without options."""
