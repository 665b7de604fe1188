"""Words in: everything a player can decide, one word a decision."""

from typing import Annotated

from msgspec import Meta

from domain.words import Word

LONGEST_NAME = 64

Town = Annotated[str, Meta(description="The id of a town, such as `pueblo`.", max_length=LONGEST_NAME)]
City = Annotated[str, Meta(description="The id of a city, such as `detroit`.", max_length=LONGEST_NAME)]
RegionId = Annotated[str, Meta(description="The id of a region, such as `texas`.", max_length=LONGEST_NAME)]
TileId = Annotated[str, Meta(description="The id of a region tile that is left to lay.", max_length=LONGEST_NAME)]
Value = Annotated[int, Meta(description="The value of a city tile that is left to lay.", ge=0, le=99)]
PlaceId = Annotated[str, Meta(max_length=LONGEST_NAME)]
Path = Annotated[
    tuple[PlaceId, ...],
    Meta(
        description="Places by id: an own one, then those linked one after the other up to the target.", max_length=99
    ),
]
FreeLink = Annotated[
    int, Meta(description="Which link of the path the Route tile makes free, counted from 0.", ge=-99, le=99)
]


class ChooseTown(Word, frozen=True):
    """Put the first franchise on a free town (R2.3)."""

    town: Town


class PlaceCityTile(Word, frozen=True):
    """Expert draft: lay a city tile of this value on a city of its group (R2.6)."""

    city: City
    value: Value


class PlaceRegionTile(Word, frozen=True):
    """Expert draft: lay a region tile on a region (R2.6)."""

    region: RegionId
    tile: TileId


class PlaceBoom(Word, frozen=True):
    """Put the Boom marker at a city, once the starting towns are chosen (R11.1)."""

    city: City


class MoveBoom(Word, frozen=True):
    """At the start of the turn, move the Boom marker to a connected city (R11.2)."""

    city: City


class KeepBoom(Word, frozen=True):
    """At the start of the turn, leave the Boom marker where it is (R11.2)."""


class Expand(Word, frozen=True):
    """Expand from the first place of the path to its last (R4.1).

    A path of more than two places uses the Development tile (R12.5); ``free_link`` names the link of the path
    that the Route tile makes free, counted from 0 (R12.6).
    """

    path: Path
    free_link: FreeLink | None = None


class ExpandAgain(Word, frozen=True):
    """Use a bonus tile to expand a second time (R9.2)."""

    path: Path
    free_link: FreeLink | None = None


class Increase(Word, frozen=True):
    """Pay $1 for one more franchise in a city (R5.1)."""

    city: City


class Double(Word, frozen=True):
    """Use a bonus tile for a second, free franchise in a city increased this turn (R9.3)."""

    city: City


class TakeDollars(Word, frozen=True):
    """Use a bonus tile to take $10 (R9.4)."""


class EndTurn(Word, frozen=True):
    """End the decisions of the turn: franchises open, cities and regions score (R6, R7)."""


class Resign(Word, frozen=True):
    """Leave the game; allowed at any time, also in another player's turn (R13.1)."""


Action = (
    ChooseTown
    | PlaceCityTile
    | PlaceRegionTile
    | PlaceBoom
    | MoveBoom
    | KeepBoom
    | Expand
    | ExpandAgain
    | Increase
    | Double
    | TakeDollars
    | EndTurn
    | Resign
)
