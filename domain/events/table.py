"""What can happen at a table beside the game: who sits there, and what is taken back."""

from domain import terms
from domain.events.told import Told, Unplayed
from domain.options import Options


class TableOpened(Unplayed, frozen=True):
    """A table was opened for that many players, under these options."""

    seats: int
    options: Options


class SeatTaken(Told, frozen=True):
    """A player sat down."""

    seat: int
    name: str
    colour: terms.Colour


class TableClosed(Unplayed, frozen=True):
    """The host closed the table: nobody else may sit down."""


class TableDeleted(Unplayed, frozen=True):
    """The host took the table away before the game had started."""


class GameForked(Unplayed, frozen=True):
    """What stands before this was copied from another game, up to that version of it."""

    game: str
    up_to: terms.CopiedVersion


class UndoProposed(Told, frozen=True):
    """A player asks the others to go back to the version named."""

    seat: int
    to: terms.Version


class UndoAnswered(Told, frozen=True):
    """A player answered the proposal that is open; one refusal closes it."""

    seat: int
    accept: bool


class Undone(Told, frozen=True):
    """From here on the game is again as it was at the version named; ``seat`` is null where the host did it."""

    seat: int | None
    to: terms.Version


class Redone(Told, frozen=True):
    """What the last undo took back is in force again: the game is as it was at the version named."""

    seat: int | None
    to: terms.Version
