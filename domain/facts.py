"""The facts of the base game, and the base class of all facts.

Seats are numbered clockwise from 0.
"""

import msgspec

from domain import field_types as types
from domain.board import RegionTile
from domain.message import Message


class FactBase(Message, frozen=True, omit_defaults=False):
    """A fact; all of its fields are always written."""


class SeatlessFact(FactBase, frozen=True, kw_only=True):
    """A fact that belongs to no seat."""

    seat: None = None


class FirstPlayerChosen(FactBase, frozen=True):
    """The seat that begins, drawn with the seed or named by the host (R2.1)."""

    seat: int
    drawn: types.Drawn


class RegionsClosed(SeatlessFact, frozen=True):
    """These regions are out of play (R2.2)."""

    regions: tuple[str, ...]


class CityTilesLaid(SeatlessFact, frozen=True):
    """The city tiles lie on these cities; with a seed where they were drawn (R2.6)."""

    tiles: types.CityTiles
    seed: types.SeedIfDrawn = None


class RegionTilesLaid(SeatlessFact, frozen=True):
    """The region tiles lie on these regions; with a seed where they were dealt (R2.6, R12.1)."""

    tiles: dict[str, RegionTile]
    seed: types.SeedIfDrawn = None


class TrackFilled(SeatlessFact, frozen=True):
    """These region tiles fill the first spaces of the region track (R2.2)."""

    tiles: tuple[RegionTile, ...]


class BonusTilesDealt(SeatlessFact, frozen=True):
    """Every player has that many bonus tiles (R2.5)."""

    each: types.BonusTilesEach


class TownFounded(FactBase, frozen=True):
    """A first franchise was put on a town: chosen by the player (R2.3) or fixed (R2.4)."""

    seat: int
    town: types.TownId
    fixed: types.Fixed = False


class StartingMoneyReceived(FactBase, frozen=True):
    """A player got the starting money of their place in the turn order, counted from 1 (R2.3)."""

    seat: int
    order: types.TurnOrder
    dollars: types.Dollars


class TurnStarted(FactBase, frozen=True):
    """A player's turn began; turns are counted from 1."""

    seat: int
    turn: types.TurnNumber


class IncomeReceived(FactBase, frozen=True):
    """Phase 1: the free spaces of the player's cities, those that count once more, and the dollars for all (R3.1)."""

    seat: int
    cities: types.FreeSpaces
    extra: types.ExtraSpaces
    dollars: types.Dollars


class Expanded(FactBase, frozen=True):
    """An expansion marker was put at the end of the path (R4.1).

    ``link_costs`` are the printed costs of its links, ``cost`` what was paid; ``again`` tells that a bonus tile was
    used for it (R9.2), ``free_link`` which link cost nothing (R12.6).
    """

    seat: int
    path: types.ExpansionPath
    link_costs: types.LinkCosts
    cost: types.Cost
    again: types.Again = False
    free_link: types.FreeLink = None


class Increased(FactBase, frozen=True):
    """A franchise was paid for and put in the centre of a city (R5.1)."""

    seat: int
    city: types.CityId
    cost: types.Cost


class Doubled(FactBase, frozen=True):
    """A bonus tile was used for a second, free franchise in the centre of a city (R9.3)."""

    seat: int
    city: types.CityId


class DollarsTaken(FactBase, frozen=True):
    """A bonus tile was used for dollars (R9.4)."""

    seat: int
    dollars: types.Dollars


class FranchisePlaced(FactBase, frozen=True):
    """Phase 4: a franchise opened on a space, counted from 1; it came from a marker or from the centre (R6.1)."""

    seat: int
    place: types.PlaceId
    space: types.Space
    origin: types.Origin


class CityScored(FactBase, frozen=True):
    """A city was scored (R6.3, R6.4).

    ``seat`` triggered it, ``winner`` is whose franchises decide it: by absolute majority, by having the most, or by
    standing earliest among the ``tied``. ``influence`` is what the winner gained and ``returned`` how many
    franchises they took back, both 0 if they have resigned; ``from_centre`` franchises went back unopened.
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
    """The region's tie-break marker belongs to this player now; without a piece if none was to spare (R6.5, R1.6)."""

    seat: int
    region: types.RegionId
    piece: types.Piece = True


class RegionRank(msgspec.Struct, frozen=True, gc=False):
    """One player's part in a region scoring, in the order of rank (R7.2)."""

    seat: int
    rank: types.Rank
    franchises: types.RegionFranchises
    influence: types.Influence
    dollars: types.Dollars = 0


class RegionScored(FactBase, frozen=True):
    """Phase 5: a region was scored (R7.2 to R7.4).

    ``ranks`` are in order, ties broken by ``tie_break`` (the marker's owner first, then clockwise). Its tile went to
    the ``space`` of the region track, counted from 1, for which ``seat``, whose turn it is, gained
    ``track_influence``.
    """

    seat: int
    region: types.RegionId
    tile: RegionTile
    tie_break: types.TieOrder
    ranks: tuple[RegionRank, ...]
    space: types.TrackSpaceNumber
    track_influence: types.TrackInfluence


class TurnEnded(FactBase, frozen=True):
    """A turn is over; ``idle_turns`` turns in a row now went without an expansion (R8.1)."""

    seat: int
    expanded: bool
    idle_turns: types.IdleTurns


class Resigned(FactBase, frozen=True):
    """A player left the game (R13.1)."""

    seat: int


class TurnTakenBack(FactBase, frozen=True):
    """The markers and centre franchises of an unfinished turn were taken back (R13.1)."""

    seat: int
    markers: types.Markers
    centre: types.Centre


class FinalCounted(FactBase, frozen=True):
    """The final count of a player, line by line (R8.2)."""

    seat: int
    towns: types.TownsLeft
    towns_influence: types.Influence
    dollars: types.DollarsLeft
    dollars_influence: types.Influence
    bonus_tiles: types.TilesLeft
    bonus_tiles_influence: types.Influence
    total: types.Total


class GameEnded(SeatlessFact, frozen=True):
    """The game is over and these players have won (R8.1, R8.2)."""

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
"""Every fact of the base game that holds nothing of a module."""
