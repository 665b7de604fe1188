"""The facts of the base game, and the base class of all facts.

Seats are numbered clockwise from 0.
"""

import msgspec

from domain import field_types as types
from domain.board import RegionTile
from domain.message import Message


class FactBase(Message, frozen=True, omit_defaults=False):
    """The base class of facts. All fields of a fact are written, also defaults."""


class SeatlessFact(FactBase, frozen=True, kw_only=True):
    """The base class of facts without a seat."""

    seat: None = None


class FirstPlayerChosen(FactBase, frozen=True):
    """The first player was drawn with the seed, or was chosen by the host (R2.1)."""

    seat: int
    drawn: types.Drawn


class RegionsClosed(SeatlessFact, frozen=True):
    """These regions are out of play (R2.2)."""

    regions: tuple[str, ...]


class CityTilesLaid(SeatlessFact, frozen=True):
    """The city tiles were laid on these cities (R2.6)."""

    tiles: types.CityTiles
    seed: types.SeedIfDrawn = None


class RegionTilesLaid(SeatlessFact, frozen=True):
    """The region tiles were laid on these regions (R2.6, R12.1)."""

    tiles: dict[str, RegionTile]
    seed: types.SeedIfDrawn = None


class TrackFilled(SeatlessFact, frozen=True):
    """These region tiles fill the first spaces of the region track (R2.2)."""

    tiles: tuple[RegionTile, ...]


class BonusTilesDealt(SeatlessFact, frozen=True):
    """Every player received bonus tiles (R2.5)."""

    each: types.BonusTilesEach


class TownFounded(FactBase, frozen=True):
    """A player's first franchise was put on a town, chosen by the player (R2.3) or by the introductory start (R2.4)."""

    seat: int
    town: types.TownId
    fixed: types.Fixed = False


class StartingMoneyReceived(FactBase, frozen=True):
    """A player received starting money, which depends on the turn order (R2.3)."""

    seat: int
    order: types.TurnOrder
    dollars: types.Dollars


class TurnStarted(FactBase, frozen=True):
    """A player's turn began."""

    seat: int
    turn: types.TurnNumber


class IncomeReceived(FactBase, frozen=True):
    """Phase 1: a player received income for the free spaces of their cities (R3.1)."""

    seat: int
    cities: types.FreeSpaces
    extra: types.ExtraSpaces
    dollars: types.Dollars


class Expanded(FactBase, frozen=True):
    """Phase 2: a player put an expansion marker on the last place of the path (R4.1)."""

    seat: int
    path: types.ExpansionPath
    link_costs: types.LinkCosts
    cost: types.Cost
    again: types.Again = False
    free_link: types.FreeLink = None


class Increased(FactBase, frozen=True):
    """Phase 3: a player paid for a franchise and put it in the centre of a city (R5.1)."""

    seat: int
    city: types.CityId
    cost: types.Cost


class Doubled(FactBase, frozen=True):
    """A player used a bonus tile to put a second, free franchise in the centre of a city (R9.3)."""

    seat: int
    city: types.CityId


class DollarsTaken(FactBase, frozen=True):
    """A player used a bonus tile to take dollars (R9.4)."""

    seat: int
    dollars: types.Dollars


class FranchisePlaced(FactBase, frozen=True):
    """Phase 4: a franchise opened on a space of a city or a town (R6.1)."""

    seat: int
    place: types.PlaceId
    space: types.Space
    origin: types.Origin


class CityScored(FactBase, frozen=True):
    """Phase 4: a city was scored (R6.3, R6.4).

    ``seat`` triggered the scoring. ``winner`` gained ``influence`` and took back ``returned`` franchises; both are 0 if
    the winner has resigned.
    """

    seat: int
    city: types.CityId
    value: types.CityValue
    franchises: types.BySeat
    winner: types.Winner
    clause: types.Clause
    tied: types.Tied
    influence: types.Influence
    returned: types.Returned
    from_centre: types.FromCentre = 0


class TieBreakPlaced(FactBase, frozen=True):
    """A player received the tie-break marker of a region (R6.5)."""

    seat: int
    region: types.RegionId
    piece: types.Piece = True


class RegionRank(msgspec.Struct, frozen=True, gc=False):
    """The result of one player in a region scoring (R7.2)."""

    seat: int
    rank: types.Rank
    franchises: types.RegionFranchises
    influence: types.Influence
    dollars: types.Dollars = 0


class RegionScored(FactBase, frozen=True):
    """Phase 5: a region was scored (R7.2 to R7.4).

    ``ranks`` begins with the first rank. The tile of the region went to a ``space`` of the region track, and ``seat``,
    the active player, gained ``track_influence`` for it.
    """

    seat: int
    region: types.RegionId
    tile: RegionTile
    tie_break: types.TieOrder
    ranks: tuple[RegionRank, ...]
    space: types.TrackSpaceNumber
    track_influence: types.TrackInfluence


class TurnEnded(FactBase, frozen=True):
    """A turn ended."""

    seat: int
    expanded: bool
    idle_turns: types.IdleTurns


class Resigned(FactBase, frozen=True):
    """A player left the game (R13.1)."""

    seat: int


class TurnTakenBack(FactBase, frozen=True):
    """A turn was cut short: its expansion markers and unopened franchises were taken back (R13.1)."""

    seat: int
    markers: types.Markers
    centre: types.Centre


class FinalCounted(FactBase, frozen=True):
    """The final count of a player by category (R8.2)."""

    seat: int
    towns: types.TownsLeft
    towns_influence: types.Influence
    dollars: types.DollarsLeft
    dollars_influence: types.Influence
    bonus_tiles: types.TilesLeft
    bonus_tiles_influence: types.Influence
    total: types.Total


class GameEnded(SeatlessFact, frozen=True):
    """The game ended (R8.1, R8.2)."""

    reason: types.EndReason
    winners: types.Winners
    decided_by: types.DecidedBy


BaseGameFact = (
    FirstPlayerChosen
    | RegionsClosed
    | CityTilesLaid
    | RegionTilesLaid
    | TrackFilled
    | BonusTilesDealt
    | TownFounded
    | StartingMoneyReceived
    | TurnStarted
    | IncomeReceived
    | Expanded
    | Increased
    | Doubled
    | DollarsTaken
    | FranchisePlaced
    | CityScored
    | TieBreakPlaced
    | RegionScored
    | TurnEnded
    | Resigned
    | TurnTakenBack
    | FinalCounted
    | GameEnded
)
"""Every fact of the base game whose fields do not depend on modules."""
