"""How a table is to be played: what the host chooses when the game is created."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(max_length=64)]
SeatNumber = Annotated[int, Meta(ge=0, le=99)]
Seed = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""As large as every client reads it."""


class Draft(msgspec.Struct, frozen=True, tag_field="mode", tag="draft", forbid_unknown_fields=True):
    """Expert variant: the players lay the tiles in turn, one at a time (R2.6)."""


class RandomLayout(msgspec.Struct, frozen=True, tag_field="mode", tag="random", forbid_unknown_fields=True):
    """Expert variant: the tiles are drawn (R2.6)."""


class ExplicitLayout(msgspec.Struct, frozen=True, tag_field="mode", tag="explicit", forbid_unknown_fields=True):
    """Expert variant: the layout the players have agreed on (R2.6)."""

    city_tiles: Annotated[
        dict[Name, int],
        Meta(
            description="The value of the tile on each city in play, by the id of the city, from the group of its back."
        ),
    ]
    region_tiles: Annotated[
        dict[Name, Name],
        Meta(description="The id of the tile on each region in play, by the id of the region."),
    ]


Expert = Draft | RandomLayout | ExplicitLayout


class ChosenTiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Region tiles: the ten the players have chosen together, dealt at random (R12.1)."""

    chosen: Annotated[
        tuple[Name, ...],
        Meta(description="Ten different tiles by id; those of the base game go by the id of their region."),
    ]


class Modules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expansions that are played with, in any combination (R13.2)."""

    milestones: Annotated[bool, Meta(description="Milestones: bonus tiles have to be earned (R10).")] = False
    boom: Annotated[bool, Meta(description="Boom: a marker doubles the free spaces of a city (R11).")] = False
    region_tiles: Annotated[
        Literal["mixed", "new"] | ChosenTiles | None,
        Meta(
            description="Region tiles: ten are drawn from all thirty (`mixed`), from the twenty of the expansion "
            "(`new`), or are named (`chosen`); null plays with the ten printed ones (R12)."
        ),
    ] = None


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is agreed before the first turn. Whatever is left out is played as in the base game."""

    board: Annotated[Name, Meta(description="The map to play on; `list_boards` names those there are.")] = "usa-1960s"
    start: Annotated[
        Literal["standard", "introductory"],
        Meta(description="Every player chooses a town (R2.3), or two fixed towns each for a first game (R2.4)."),
    ] = "standard"
    first_player: Annotated[
        Literal["random"] | SeatNumber, Meta(description="The seat that begins, or `random` to have it drawn (R2.1).")
    ] = "random"
    seed: Annotated[
        Seed | None,
        Meta(
            description="Makes every draw repeatable: the same options with the same seed draw the same. Null: secret."
        ),
    ] = None
    expert: Annotated[
        Expert | None, Meta(description="The expert variant: tiles go where the players want them (R2.6).")
    ] = None
    modules: Annotated[Modules, Meta(description="The expansions that are played with.")] = Modules()
    undo: Annotated[
        Literal["turn", "agree", "free", "off"],
        Meta(
            description="Who may take back what: the active player, to the start of the own turn (`turn`); anybody "
            "once every other player agrees (`agree`); anybody anything, also with the host's token, which then plays "
            "every seat (`free`); nobody (`off`)."
        ),
    ] = "turn"
    private: Annotated[bool, Meta(description="Whether only those with a token of the table can look at it.")] = False
