"""What can happen in the turns, and at the end (R3 to R13)."""

import msgspec

from domain import terms
from domain.actions import Action
from domain.board import RegionTile
from domain.events.told import Told, Unplayed


class ActionTaken(Told, frozen=True):
    """A player decided; all facts up to the next action follow from it."""

    seat: int
    action: Action


class TurnStarted(Told, frozen=True):
    """A player's turn began; turns are counted from 1."""

    seat: int
    turn: terms.TurnNumber


class BoomPlaced(Told, frozen=True):
    """The Boom marker was put at its first city (R11.1)."""

    seat: int
    city: terms.CityId


class BoomMoved(Told, frozen=True):
    """The Boom marker was moved (R11.2)."""

    seat: int
    origin: terms.CityId
    city: terms.CityId


class BoomKept(Told, frozen=True):
    """The Boom marker was left where it is (R11.2)."""

    seat: int
    city: terms.CityId


class IncomeReceived(Told, frozen=True):
    """Phase 1: the free spaces of the player's cities, those that count once more, and the dollars for all (R3.1)."""

    seat: int
    cities: terms.FreeSpaces
    extra: terms.ExtraSpaces
    dollars: terms.Dollars


class Expanded(Told, frozen=True):
    """An expansion marker was put at the end of the path (R4.1).

    ``link_costs`` are the printed costs of its links, ``cost`` what was paid; ``again`` tells that a bonus tile was
    used for it (R9.2), ``free_link`` which link cost nothing (R12.6).
    """

    seat: int
    path: terms.Path
    link_costs: terms.LinkCosts
    cost: terms.Cost
    again: terms.Again = False
    free_link: terms.FreeLink = None


class Increased(Told, frozen=True):
    """A franchise was paid for and put in the centre of a city (R5.1)."""

    seat: int
    city: terms.CityId
    cost: terms.Cost


class Doubled(Told, frozen=True):
    """A bonus tile was used for a second, free franchise in the centre of a city (R9.3)."""

    seat: int
    city: terms.CityId


class DollarsTaken(Told, frozen=True):
    """A bonus tile was used for dollars (R9.4)."""

    seat: int
    dollars: terms.Dollars


class FranchisePlaced(Told, frozen=True):
    """Phase 4: a franchise opened on a space, counted from 1; it came from a marker or from the centre (R6.1)."""

    seat: int
    place: terms.PlaceId
    space: terms.Space
    origin: terms.OriginOf


class CityScored(Told, frozen=True):
    """A city was scored (R6.3, R6.4).

    ``seat`` triggered it, ``winner`` is whose franchises decide it: by absolute majority, by having the most, or by
    standing earliest among the ``tied``. ``influence`` is what the winner gained and ``returned`` how many
    franchises they took back, both 0 if they have resigned; ``from_centre`` franchises went back unopened.
    """

    seat: int
    city: terms.CityId
    value: terms.CityValue
    franchises: terms.BySeat
    winner: terms.Winner
    clause: terms.ClauseOf
    tied: terms.Tied
    influence: terms.Influence
    returned: terms.Returned
    from_centre: terms.FromCentre = 0


class TieBreakPlaced(Told, frozen=True):
    """The region's tie-break marker belongs to this player now; without a piece if none was to spare (R6.5, R1.6)."""

    seat: int
    region: terms.RegionId
    piece: terms.Piece = True


class RegionRank(msgspec.Struct, frozen=True, gc=False):
    """One player's part in a region scoring, in the order of rank (R7.2)."""

    seat: int
    rank: terms.Rank
    franchises: terms.RegionFranchises
    influence: terms.Influence
    dollars: terms.Dollars = 0


class RegionScored(Told, frozen=True):
    """Phase 5: a region was scored (R7.2 to R7.4).

    ``ranks`` are in order, ties broken by ``tie_break`` (the marker's owner first, then clockwise). Its tile went to
    the ``space`` of the region track, counted from 1, for which ``seat``, whose turn it is, gained
    ``track_influence``.
    """

    seat: int
    region: terms.RegionId
    tile: RegionTile
    tie_break: terms.TieOrder
    ranks: tuple[RegionRank, ...]
    space: terms.TrackPlace
    track_influence: terms.TrackInfluence


class BonusTileRegained(Told, frozen=True):
    """A player took a used bonus tile back (R12.3)."""

    seat: int


class DevelopmentTileGained(Told, frozen=True):
    """A player gained the Development tile (R12.5)."""

    seat: int


class RouteTileGained(Told, frozen=True):
    """A player gained the Route tile (R12.6)."""

    seat: int


class MilestoneReached(Told, frozen=True):
    """A player met a milestone and got a bonus tile from the reserve; without a piece if none was to spare (R10.2)."""

    seat: int
    milestone: terms.MilestoneId
    piece: terms.Piece = True


class TurnEnded(Told, frozen=True):
    """A turn is over; ``idle_turns`` turns in a row now went without an expansion (R8.1)."""

    seat: int
    expanded: bool
    idle_turns: terms.IdleTurns


class Resigned(Told, frozen=True):
    """A player left the game (R13.1)."""

    seat: int


class TurnTakenBack(Told, frozen=True):
    """What an unfinished turn had on the board was taken back (R13.1)."""

    seat: int
    markers: terms.Markers
    centre: terms.Centre


class FinalCounted(Told, frozen=True):
    """What a player gained at the end, line by line (R8.2)."""

    seat: int
    towns: terms.TownsLeft
    towns_influence: terms.Influence
    dollars: terms.DollarsLeft
    dollars_influence: terms.Influence
    bonus_tiles: terms.TilesLeft
    bonus_tiles_influence: terms.Influence
    total: terms.Total


class GameEnded(Unplayed, frozen=True):
    """The game is over and these players have won (R8.1, R8.2)."""

    reason: terms.ReasonOf
    winners: terms.Winners
    decided_by: terms.DecisionOf
