"""The facts of a table beside the game: seats, closing, undo and redo."""

from domain import field_types as types
from domain.facts import FactBase, SeatlessFact


class SeatTaken(FactBase, frozen=True, omit_defaults=True):
    """A player sat down, a person or a bot."""

    seat: int
    name: str
    colour: types.Colour
    bot: types.SeatedBot = None


class SeatFreed(FactBase, frozen=True):
    """The host took a player away before the game had started: the seat, the name and the colour are free again."""

    seat: int


class SeatMoved(FactBase, frozen=True):
    """A player moved down to a lower seat, because the game starts and a seat below was empty."""

    seat: int
    to: types.NewSeat


class TableClosed(SeatlessFact, frozen=True):
    """The host closed the table: nobody else may sit down."""


class TableDeleted(SeatlessFact, frozen=True):
    """The host took the table away before the game had started."""


class TokenRenewed(FactBase, frozen=True):
    """The token of a seat, or of the host where ``seat`` is null, was replaced; no undo takes this back."""

    seat: int | None
    by: types.RenewedBy


class GameForked(SeatlessFact, frozen=True):
    """The events before this were copied from another game, up to that version of it."""

    game: str
    up_to: types.CopiedVersion


class GameImported(SeatlessFact, frozen=True):
    """The events before this come from the record of a game, which ended at that version with the digest ``prior``."""

    game: str
    up_to: types.CopiedVersion
    prior: types.Digest


class UndoProposed(FactBase, frozen=True, omit_defaults=True):
    """A player asks the others to go back to the version named."""

    seat: int
    to: types.RestoredVersion
    by: types.ActedBy = "seat"


class UndoAnswered(FactBase, frozen=True, omit_defaults=True):
    """A player answered the proposal that is open; one refusal closes it."""

    seat: int
    accept: bool
    by: types.ActedBy = "seat"


class Undone(FactBase, frozen=True, omit_defaults=True):
    """From here on the game is again as it was at the version named; ``seat`` is null where the host did it."""

    seat: int | None
    to: types.RestoredVersion
    by: types.ActedBy = "seat"


class Redone(FactBase, frozen=True, omit_defaults=True):
    """The last undo was taken back: the game is again as it was at the version named."""

    seat: int | None
    to: types.RestoredVersion
    by: types.ActedBy = "seat"


class GameRemoved(SeatlessFact, frozen=True):
    """An operator removed the game: this is all that is stored of it, and comes in no record and no history.

    ``prior`` is the digest of the event before, which is gone; ``private`` says if only its tokens had opened the game.
    """

    prior: types.Digest
    private: bool


BaseTableFact = (
    SeatTaken
    | SeatFreed
    | SeatMoved
    | TableClosed
    | TableDeleted
    | TokenRenewed
    | GameForked
    | GameImported
    | UndoProposed
    | UndoAnswered
    | Undone
    | Redone
)
"""Every fact of a table that holds no options."""
