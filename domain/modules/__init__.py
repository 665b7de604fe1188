"""The registry of the modules: the one place that names them, and the unions and messages that contain theirs."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.actions import BaseGameAction
from domain.base.phases import PhaseOrder
from domain.base.refusals import REASONS as BASE_REASONS
from domain.board import RegionTile
from domain.facts import BaseGameFact, FactBase, SeatlessFact
from domain.field_types import ActedBy, Id, RulesVersion, Seed
from domain.game import Module
from domain.modules.boom import (
    Boom,
    BoomHad,
    BoomKept,
    BoomMoved,
    BoomNeeded,
    BoomPlaced,
    KeepBoom,
    MoveBoom,
    PlaceBoom,
)
from domain.modules.expert import (
    CityTilePlaced,
    Expert,
    ExpertVariant,
    PlaceCityTile,
    PlaceRegionTile,
    RegionTilePlaced,
    TilesPooled,
)
from domain.modules.milestones import MilestoneReached, Milestones, MilestonesDrawn
from domain.modules.region_tiles import (
    BonusTileRegained,
    DevelopmentTileGained,
    RegionTiles,
    RegionTilesDrawn,
    RouteTileGained,
    TileHad,
    TileNeeded,
    TileSource,
)
from domain.table_facts import BaseTableFact

MODULES: tuple[type[Module], ...] = (ExpertVariant, RegionTiles, Milestones, Boom)
"""All modules, in the order in which a game asks them."""

# --- options ---------------------------------------------------------------------------------------------------

Start = Annotated[
    Literal["standard", "introductory"],
    Meta(
        description="Every player chooses a town (`standard`; R2.3), or for a first game has two fixed ones "
        "(`introductory`; R2.4)."
    ),
]
UndoPolicy = Annotated[
    Literal["turn", "agree", "free", "off"],
    Meta(
        description="Who may take back what: the active player, to the start of the own turn (`turn`); anybody "
        "once every other player agrees (`agree`); anybody anything, also with the host's token, which then plays "
        "every seat (`free`); nobody (`off`)."
    ),
]

SeatNumber = Annotated[int, Meta(ge=0, le=99)]
ChosenSeed = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""A seed that every JSON client reads exactly."""


class Modules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expansions that are played with, in any combination (R13.2)."""

    milestones: Annotated[bool, Meta(description="Milestones: bonus tiles have to be earned (R10).")] = False
    boom: Annotated[bool, Meta(description="Boom: a marker doubles the free spaces of a city (R11).")] = False
    region_tiles: Annotated[
        TileSource | None,
        Meta(
            description="Region tiles: ten are drawn from all thirty (`mixed`), from the twenty of the expansion "
            "(`new`), or are named (`chosen`); null plays with the ten printed ones (R12)."
        ),
    ] = None


class GameOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is agreed before the first turn. Whatever is left out is played as in the base game."""

    board: Annotated[Id, Meta(description="The map to play on; `list_boards` names those there are.")] = "usa-1960s"
    start: Start = "standard"
    first_player: Annotated[
        Literal["random"] | SeatNumber, Meta(description="The seat that begins, or `random` to have it drawn (R2.1).")
    ] = "random"
    seed: Annotated[
        ChosenSeed | None,
        Meta(
            description="Makes every draw repeatable: the same options with the same seed draw the same. Null: secret."
        ),
    ] = None
    expert: Annotated[
        Expert | None, Meta(description="The expert variant: tiles go where the players want them (R2.6).")
    ] = None
    modules: Annotated[Modules, Meta(description="The expansions that are played with.")] = Modules()
    undo: UndoPolicy = "turn"
    private: Annotated[bool, Meta(description="Whether only those with a token of the table can look at it.")] = False
    hot_seat: Annotated[
        bool,
        Meta(
            description="Whether the host's token plays every seat, whatever `undo` says. Under `agree` the host then "
            "speaks for all players: what the host takes back needs no consent.",
            extra={"since": "1.1"},
        ),
    ] = False
    invite: Annotated[
        bool,
        Meta(
            description="Whether only those sit down who have the code that comes with the creation (`invite`). Until "
            "play begins it also opens the summary of a private table (`X-Invite`).",
            extra={"since": "1.1"},
        ),
    ] = False


def modules_for(options: GameOptions) -> tuple[Module, ...]:
    """Return the modules that these options ask for."""
    modules: list[Module] = []
    if options.expert is not None:
        modules.append(ExpertVariant(options.expert))
    if options.modules.region_tiles is not None:
        modules.append(RegionTiles(options.modules.region_tiles))
    if options.modules.milestones:
        modules.append(Milestones())
    if options.modules.boom:
        modules.append(Boom())
    return tuple(modules)


# --- actions ---------------------------------------------------------------------------------------------------

Action = BaseGameAction | PlaceCityTile | PlaceRegionTile | PlaceBoom | MoveBoom | KeepBoom
"""Every action of a game."""


class ActionTaken(FactBase, frozen=True, omit_defaults=True):
    """A player decided; all facts up to the next action follow from it."""

    seat: int
    action: Action
    by: ActedBy = "seat"


REASONS = (*BASE_REASONS, *(reason for module in MODULES for reason in module.reasons))
"""The reasons of all illegal actions."""

Reason = Annotated[str, Meta(description="What makes an action illegal.", extra_json_schema={"enum": list(REASONS)})]


class Needed(TileNeeded, BoomNeeded, total=False):
    """The things that an action would have needed: those fields that the refusal is about."""


class Had(TileHad, BoomHad, total=False):
    """The things that there were instead of those that were needed."""


# --- phases ----------------------------------------------------------------------------------------------------

_ORDER = PhaseOrder(MODULES)
SET_UP_PHASES = tuple(phase.name for phase in _ORDER.set_up if phase.chooser is not None)
TURN_PHASES = tuple(phase.name for phase in _ORDER.turn if phase.chooser is not None)
DECIDING_PHASES = SET_UP_PHASES + TURN_PHASES
"""The phases in which a player decides; nobody ever sees the automatic ones."""


def _listed(phases: tuple[str, ...]) -> str:
    *most, last = (f"`{phase}`" for phase in phases)
    return f"{', '.join(most)} and {last}"


DecidingPhase = Annotated[
    str,
    Meta(
        description=f"{_listed(SET_UP_PHASES)} belong to the set-up, {_listed(TURN_PHASES)} to a turn.",
        extra_json_schema={"enum": list(DECIDING_PHASES)},
    ),
]


class PhaseBegan(FactBase, frozen=True):
    """It is this player's decision now."""

    phase: DecidingPhase
    seat: int


# --- facts -----------------------------------------------------------------------------------------------------


class TableOpened(SeatlessFact, frozen=True):
    """A table was opened for that many players, under these options."""

    seats: int
    options: GameOptions


class GameStarted(SeatlessFact, frozen=True):
    """The game began, with everything its course depends on: options, players, seed and rules version.

    ``tiles`` are the region tiles of the expansion that were there to draw from (R12.1).
    """

    rules: RulesVersion
    players: int
    seed: Seed
    options: GameOptions
    tiles: tuple[RegionTile, ...] = ()


TableFact = TableOpened | BaseTableFact
"""Every fact of a table beside its game."""

ModuleFact = (
    RegionTilesDrawn
    | TilesPooled
    | CityTilePlaced
    | RegionTilePlaced
    | MilestonesDrawn
    | BoomPlaced
    | BoomMoved
    | BoomKept
    | BonusTileRegained
    | DevelopmentTileGained
    | RouteTileGained
    | MilestoneReached
)
"""Every fact of a module."""

GameFact = GameStarted | ActionTaken | PhaseBegan | BaseGameFact | ModuleFact
"""Every fact of a game."""

Fact = TableFact | GameFact
"""Every fact of a stream."""
