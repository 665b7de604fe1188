"""Request bodies."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.field_types import BotKind, Colour
from domain.modules import Action, GameOptions
from domain.player_names import PlayerName, clean_player_name
from domain.table import NewPlayer

Ref = Annotated[
    Annotated[str, Meta(min_length=1, max_length=64)] | None,
    Meta(
        description="Your application's own name of this person, which only your application sees (see `list_refs`). "
        "Needs `X-App-Key`."
    ),
]

LONGEST_PLAN = 200
MOST_MOVES = 40

Version = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class NewSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new player: a person with a name, or a bot, whose default name is its kind."""

    more_schema: ClassVar[dict[str, Any]] = {"not": {"properties": {"name": {"not": {}}, "bot": {"type": "null"}}}}
    """A player has a name or is a bot. Client generators ignore ``not``."""

    name: PlayerName | UnsetType = UNSET
    colour: Annotated[Colour | None, Meta(description="A free colour. Default: the first free one.")] = None
    bot: Annotated[BotKind | None, Meta(description="The kind of bot (see `list_bots`), null for a person.")] = None
    ref: Ref = None

    def __post_init__(self) -> None:
        if self.name is UNSET and self.bot is None:
            raise ValueError("Object missing required field `name`")

    def cleaned(self) -> NewPlayer:
        return NewPlayer(None if self.name is UNSET else clean_player_name(self.name), self.colour, self.bot)


class JoinRequest(NewSeat, frozen=True, forbid_unknown_fields=True):
    """A player who joins an open table."""

    invite: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="The invitation code, at a table with the option `invite`. The host has it."),
    ] = None


class NewGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new table. If it has as many players as seats, it starts at once."""

    seats: Annotated[int, Meta(ge=2, le=5, description="Number of seats.")]
    players: Annotated[
        tuple[PlayerName | NewSeat, ...],
        Meta(
            max_length=5,
            description="The first players, clockwise from seat 0: names, or objects with names, colours or bots.",
        ),
    ] = ()
    options: GameOptions = GameOptions()


class NoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An empty object, or no body."""


class AbsentSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player who is absent."""

    seat: Annotated[int, Meta(ge=0, le=4, description="The seat of the absent player.")]


class Successor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player who gets the seat of an absent one."""

    name: PlayerName
    ref: Ref = None


class Tokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens to look up."""

    tokens: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
        Meta(min_length=1, max_length=100, description="Tokens of any games."),
    ]


class TokensToFollow(Tokens, frozen=True, forbid_unknown_fields=True):
    """Tokens whose games a stream follows."""

    list: Annotated[bool, Meta(description="Also send the entries of all public games that change.")] = False


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version to go back to."""

    to: (
        Annotated[
            Version, Meta(description="A version right before an action. Default: the version before the last action.")
        ]
        | None
    ) = None


class UndoAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a proposed undo."""

    accept: Annotated[
        bool, Meta(description="True accepts the undo. False refuses it, or withdraws your own proposal.")
    ]


class Fork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version to fork at."""

    at: (
        Annotated[Version, Meta(description="The last version that both games share. Default: the newest one.")] | None
    ) = None


Plan = Action | Annotated[tuple[Action, ...], Meta(max_length=LONGEST_PLAN)]
"""An action, or a list of actions in order."""

Moves = Action | Annotated[tuple[Action, ...], Meta(min_length=1, max_length=MOST_MOVES)]
"""An action, or a list of actions that are played together."""

NO_BODY = NoBody()
LAST_ACTION = Undo()
AT_NEWEST = Fork()
