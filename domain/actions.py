"""Words in: everything a player can decide, one word a decision."""

from domain.words import Word


class ChooseTown(Word, frozen=True):
    """Put the first franchise on a free town (R2.3)."""

    town: str


class PlaceCityTile(Word, frozen=True):
    """Expert draft: lay a city tile of this value on a city of its group (R2.6)."""

    city: str
    value: int


class PlaceRegionTile(Word, frozen=True):
    """Expert draft: lay a region tile on a region (R2.6)."""

    region: str
    tile: str


class PlaceBoom(Word, frozen=True):
    """Put the Boom marker at a city, once the starting towns are chosen (R11.1)."""

    city: str


class MoveBoom(Word, frozen=True):
    """At the start of the turn, move the Boom marker to a connected city (R11.2)."""

    city: str


class KeepBoom(Word, frozen=True):
    """At the start of the turn, leave the Boom marker where it is (R11.2)."""


class Expand(Word, frozen=True):
    """Expand from the first place of the path to its last (R4.1).

    A path of more than two places uses the Development tile (R12.5); ``free_link`` names the link of the path
    that the Route tile makes free, counted from 0 (R12.6).
    """

    path: tuple[str, ...]
    free_link: int | None = None


class ExpandAgain(Word, frozen=True):
    """Use a bonus tile to expand a second time (R9.2)."""

    path: tuple[str, ...]
    free_link: int | None = None


class Increase(Word, frozen=True):
    """Pay $1 for one more franchise in a city (R5.1)."""

    city: str


class Double(Word, frozen=True):
    """Use a bonus tile for a second, free franchise in a city increased this turn (R9.3)."""

    city: str


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
