"""What clients send."""

from typing import Annotated

import msgspec
from msgspec import Meta

from api.conventions.names import Name
from domain.actions import Action
from domain.options import Options

LONGEST_PLAN = 200

Version = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class NewGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table to be opened. With as many players as seats it starts at once; else seats stay open for others."""

    seats: Annotated[int, Meta(ge=2, le=5, description="How many play.")]
    players: Annotated[
        tuple[Name, ...], Meta(max_length=5, description="Who sits there already, clockwise from seat 0.")
    ] = ()
    options: Options = Options()


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For what needs no body: none, or an object without fields."""


class NewSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who sits down."""

    name: Name


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far to go back."""

    to: Annotated[Version, Meta(description="A version right before an action; without it the last action.")] | None = (
        None
    )


class UndoAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a player agrees to the undo that another one has proposed."""

    accept: bool


class Fork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the new game leaves the old one."""

    at: Annotated[Version, Meta(description="The last version both have; without it the newest.")] | None = None


class RecordLine(msgspec.Struct, frozen=True):
    """What is looked at in each event of a record before the record is verified."""

    type: str
    name: str = ""


class RecordLines(msgspec.Struct, frozen=True):
    """A record, as far as it is looked at before it is verified."""

    format: str
    format_version: int
    game: str
    events: tuple[RecordLine, ...]


Plan = Action | Annotated[tuple[Action, ...], Meta(max_length=LONGEST_PLAN)]
"""An action, or several one after the other: a whole turn, or the answers to it."""

new_game = msgspec.json.Decoder(NewGame)
nothing = msgspec.json.Decoder(Nothing)
new_seat = msgspec.json.Decoder(NewSeat)
action = msgspec.json.Decoder(Action)
plan: msgspec.json.Decoder[Plan] = msgspec.json.Decoder(Plan)
undo = msgspec.json.Decoder(Undo)
undo_answer = msgspec.json.Decoder(UndoAnswer)
fork = msgspec.json.Decoder(Fork)
record_lines = msgspec.json.Decoder(RecordLines)
