"""The bodies that clients send."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.field_types import BotKind, Colour
from domain.modules import Action, GameOptions
from domain.player_names import PlayerName, clean_player_name
from domain.table import NewPlayer

LONGEST_PLAN = 200

Version = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class NewSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player who sits down: a person with a name, or a bot, which is called by its kind if it comes without one."""

    more_schema: ClassVar[dict[str, Any]] = {"not": {"properties": {"name": {"not": {}}, "bot": {"type": "null"}}}}
    """A player has a name or is a bot; said by `not`, which generators of clients take for no other type."""

    name: PlayerName | UnsetType = UNSET
    colour: Annotated[
        Colour | None, Meta(description="One that nobody at the table has; without it the first free one.")
    ] = None
    bot: Annotated[
        BotKind | None, Meta(description="The kind of bot that plays, see `list_bots`; none for a person.")
    ] = None

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a person without a name."""
        if self.name is UNSET and self.bot is None:
            raise ValueError("Object missing required field `name`")

    def cleaned(self) -> NewPlayer:
        """Return the player with the name as it is kept."""
        return NewPlayer(None if self.name is UNSET else clean_player_name(self.name), self.colour, self.bot)


class Joining(NewSeat, frozen=True, forbid_unknown_fields=True):
    """A player who sits down at a table that is open."""

    invite: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="The code of the table, if it has the option `invite`: the host got it with the creation."),
    ] = None


class NewGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table to be opened. With as many players as seats it starts at once; else seats stay open for others."""

    seats: Annotated[int, Meta(ge=2, le=5, description="How many play.")]
    players: Annotated[
        tuple[PlayerName | NewSeat, ...],
        Meta(
            max_length=5,
            description="Who sits there already, clockwise from seat 0: names, names with colours, or bots.",
        ),
    ] = ()
    options: GameOptions = GameOptions()


class NoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object without fields, or no body at all."""


class Tokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tokens that somebody has."""

    tokens: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
        Meta(min_length=1, max_length=100, description="Of any games, in any order."),
    ]


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version to go back to."""

    to: Annotated[Version, Meta(description="A version right before an action; if left out, the last one.")] | None = (
        None
    )


class UndoAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of a player to the undo that another one has proposed."""

    accept: bool


class Fork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version at which the new game leaves the old one."""

    at: Annotated[Version, Meta(description="The last version both have; without it the newest.")] | None = None


Plan = Action | Annotated[tuple[Action, ...], Meta(max_length=LONGEST_PLAN)]
"""An action, or several one after the other: a whole turn, or the answers to it."""

NO_BODY = NoBody()
LAST_ACTION = Undo()
AT_NEWEST = Fork()
