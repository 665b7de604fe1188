"""The registry of modules: the only file that names them, with the unions and messages of all of them."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

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
from domain.table_facts import BaseTableFact, RematchOf

MODULES: tuple[type[Module], ...] = (ExpertVariant, RegionTiles, Milestones, Boom)
"""All modules, in the order in which a game calls their hooks."""

# --- options ---------------------------------------------------------------------------------------------------

Start = Annotated[
    Literal["standard", "introductory"],
    Meta(
        description="How the players get their first towns: every player chooses one (`standard`; R2.3), or gets two "
        "fixed ones, for a first game (`introductory`; R2.4)."
    ),
]
UndoPolicy = Annotated[
    Literal["turn", "agree", "free", "off"],
    Meta(
        description="The rule for taking back actions. `turn`: the active player, back to the start of the turn. "
        "`agree`: any player, once all others accept. `free`: anyone at the table, at any time; the host's token then "
        "plays every seat. `off`: nobody."
    ),
]

Absent = Annotated[
    Literal["ask", "bot"],
    Meta(
        description="After the turn limit a bot plays for the absent player if the host or another player asks for it "
        "(`ask`), or without being asked (`bot`) (R14.2). No effect without a limit.",
        extra={"since": "1.1"},
    ),
]

SeatNumber = Annotated[int, Meta(ge=0, le=99)]
ChosenSeed = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""A seed that every JSON client reads exactly."""


class Modules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expansions in use, in any combination (R13.2)."""

    milestones: Annotated[bool, Meta(description="Milestones: players have to earn their bonus tiles (R10).")] = False
    boom: Annotated[bool, Meta(description="Boom: a marker makes the free spaces of a city count twice (R11).")] = False
    region_tiles: Annotated[
        TileSource | None,
        Meta(
            description="Region tiles: the ten tiles are drawn from all thirty (`mixed`), drawn from the twenty of the "
            "expansion (`new`), or named (`chosen`). Null: the ten printed tiles (R12)."
        ),
    ] = None


class GameOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a game, which are fixed when the table is opened. The defaults are the base game."""

    board: Annotated[Id, Meta(description="The id of the board. `list_boards` has all of them.")] = "usa-1960s"
    start: Start = "standard"
    first_player: Annotated[
        Literal["random"] | SeatNumber, Meta(description="The seat that begins; `random` draws it (R2.1).")
    ] = "random"
    seed: Annotated[
        ChosenSeed | None,
        Meta(
            description="The seed of all draws: the same options with the same seed draw the same. Null: a secret seed."
        ),
    ] = None
    expert: Annotated[
        Expert | None, Meta(description="The expert variant: how the tiles are laid out (R2.6). Null: not played.")
    ] = None
    modules: Annotated[Modules, Meta(description="The expansions in use.")] = Modules()
    undo: UndoPolicy = "turn"
    private: Annotated[bool, Meta(description="Whether only clients with a token of this table can read it.")] = False
    hot_seat: Annotated[
        bool,
        Meta(
            description="Whether the host's token plays every seat, under any `undo` policy. Under `agree`, an undo by "
            "the host needs no consent of the players.",
            extra={"since": "1.1"},
        ),
    ] = False
    invite: Annotated[
        bool,
        Meta(
            description="Whether joining requires the invitation code `invite` from the response to the creation. "
            "Until play begins, the code (header `X-Invite`) also opens the summary of a private table.",
            extra={"since": "1.1"},
        ),
    ] = False
    hints: Annotated[
        bool,
        Meta(
            description="Whether clients with a token of this table get hints. Nobody else gets hints while a game is "
            "played.",
            extra={"since": "1.1"},
        ),
    ] = True
    turn_limit: Annotated[
        Annotated[int, Meta(ge=60, le=2_592_000)] | None,
        Meta(
            description="The seconds that a player has for a turn, and for each decision in the set-up and each answer "
            "to a proposed undo; then others may let a bot play for the player (R14). Null: no limit.",
            extra={"since": "1.1"},
        ),
    ] = None
    absent: Absent = "ask"


def modules_for(options: GameOptions) -> tuple[Module, ...]:
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


class ActionTaken(FactBase, frozen=True, omit_defaults=True):
    """A player acted. The facts up to the next action follow from it."""

    seat: int
    action: Action
    by: ActedBy = "seat"


REASONS = (*BASE_REASONS, *(reason for module in MODULES for reason in module.reasons))
"""The reasons why actions are illegal."""

Reason = Annotated[str, Meta(description="Why the action is illegal.", extra_json_schema={"enum": list(REASONS)})]


class Needed(TileNeeded, BoomNeeded, total=False):
    """The requirements that the action does not meet. Only the fields of this refusal are present."""


class Had(TileHad, BoomHad, total=False):
    """The actual situation, in the same fields."""


# --- phases ----------------------------------------------------------------------------------------------------

_ORDER = PhaseOrder(MODULES)
SET_UP_PHASES = tuple(phase.name for phase in _ORDER.set_up if phase.chooser is not None)
TURN_PHASES = tuple(phase.name for phase in _ORDER.turn if phase.chooser is not None)
DECIDING_PHASES = SET_UP_PHASES + TURN_PHASES
"""The phases in which a player decides. The automatic phases are never visible."""


def _listed(phases: tuple[str, ...]) -> str:
    *most, last = (f"`{phase}`" for phase in phases)
    return f"{', '.join(most)} and {last}"


DecidingPhase = Annotated[
    str,
    Meta(
        description=f"{_listed(SET_UP_PHASES)} belong to the set-up, {_listed(TURN_PHASES)} belong to a turn.",
        extra_json_schema={"enum": list(DECIDING_PHASES)},
    ),
]


class PhaseBegan(FactBase, frozen=True):
    """A phase began in which this player has to decide."""

    phase: DecidingPhase
    seat: int


# --- facts -----------------------------------------------------------------------------------------------------


class TableOpened(SeatlessFact, frozen=True):
    """A table was opened with a number of seats and these options."""

    seats: int
    options: GameOptions
    rematch_of: RematchOf | UnsetType = UNSET


class GameStarted(SeatlessFact, frozen=True):
    """Play began. The options, the seed and the rules version determine all draws.

    ``tiles`` are the region tiles of the expansion that could be drawn (R12.1).
    """

    rules: RulesVersion
    players: int
    seed: Seed
    options: GameOptions
    tiles: tuple[RegionTile, ...] = ()


TableFact = TableOpened | BaseTableFact
"""Every fact of a table."""

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

GameFact = GameStarted | ActionTaken | PhaseBegan | BaseGameFact | ModuleFact

Fact = TableFact | GameFact
"""Every fact of a stream."""
