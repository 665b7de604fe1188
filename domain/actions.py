"""The actions of the base game, and the base class of all actions."""

from typing import Annotated

from msgspec import Meta

from domain.field_types import MAX_ID_LENGTH, Id
from domain.message import Message

TownChoice = Annotated[str, Meta(description="The id of a town, such as `pueblo`.", max_length=MAX_ID_LENGTH)]
CityChoice = Annotated[str, Meta(description="The id of a city, such as `detroit`.", max_length=MAX_ID_LENGTH)]
PathChoice = Annotated[
    tuple[Id, ...],
    Meta(
        description="The ids of the places on the path: a place with a franchise of the player first, the target last.",
        max_length=99,
    ),
]
FreeLinkChoice = Annotated[
    int, Meta(description="The index of the path's link that costs nothing, from 0 (R12.6).", ge=-99, le=99)
]


class ActionBase(Message, frozen=True):
    """An action of a player."""


class ChooseTown(ActionBase, frozen=True):
    """Put the first franchise on a free town (R2.3)."""

    town: TownChoice


class Expand(ActionBase, frozen=True):
    """Expand from the first place of the path to its last (R4.1).

    A path of more than two places uses up a special tile (R12.5), and so does a ``free_link`` (R12.6).
    """

    path: PathChoice
    free_link: FreeLinkChoice | None = None


class ExpandAgain(ActionBase, frozen=True):
    """Use a bonus tile to expand a second time (R9.2)."""

    path: PathChoice
    free_link: FreeLinkChoice | None = None


class Increase(ActionBase, frozen=True):
    """Pay $1 for one more franchise in a city (R5.1)."""

    city: CityChoice


class Double(ActionBase, frozen=True):
    """Use a bonus tile for a second, free franchise in a city increased this turn (R9.3)."""

    city: CityChoice


class TakeDollars(ActionBase, frozen=True):
    """Use a bonus tile to take $10 (R9.4)."""


class EndTurn(ActionBase, frozen=True):
    """End the turn: the new franchises open, then complete cities and regions score (R6, R7)."""


class Resign(ActionBase, frozen=True):
    """Leave the game. Allowed at any time, also during another player's turn (R13.1)."""


BaseGameAction = ChooseTown | Expand | ExpandAgain | Increase | Double | TakeDollars | EndTurn | Resign
