"""How a table is to be played: what the host chooses when the game is created."""

from typing import Literal

import msgspec


class Draft(msgspec.Struct, frozen=True, tag_field="mode", tag="draft", forbid_unknown_fields=True):
    """Expert variant: the players lay the tiles in turn, one at a time (R2.6)."""


class RandomLayout(msgspec.Struct, frozen=True, tag_field="mode", tag="random", forbid_unknown_fields=True):
    """Expert variant: the tiles are drawn (R2.6)."""


class ExplicitLayout(msgspec.Struct, frozen=True, tag_field="mode", tag="explicit", forbid_unknown_fields=True):
    """Expert variant: the layout the players have agreed on, a value for each city in play, a tile for each region."""

    city_tiles: dict[str, int]
    region_tiles: dict[str, str]


Expert = Draft | RandomLayout | ExplicitLayout


class ChosenTiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Region tiles: the ten the players have chosen together, dealt at random (R12.1)."""

    chosen: tuple[str, ...]


class Modules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expansions that are played with, in any combination (R13.2)."""

    milestones: bool = False
    boom: bool = False
    region_tiles: Literal["mixed", "new"] | ChosenTiles | None = None


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is agreed before the first turn."""

    board: str = "usa-1960s"
    start: Literal["standard", "introductory"] = "standard"
    first_player: Literal["random"] | int = "random"
    seed: int | None = None
    expert: Expert | None = None
    modules: Modules = Modules()
    undo: Literal["turn", "agree", "free", "off"] = "turn"
    private: bool = False
