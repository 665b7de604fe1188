"""Words out: everything that can happen at a table, one fact a word, complete enough to tell the story alone.

A stream opens with facts of the table (who sits where), goes on with the set-up, and then has one ``ActionTaken``
for each decision, followed by all of its consequences. Seats are numbered clockwise from 0.
"""

import msgspec

from domain import terms
from domain.actions import Action
from domain.board import RegionTile
from domain.options import Options
from domain.words import Word


class Told(Word, frozen=True, omit_defaults=False):
    """A fact; all of its fields are always written."""


class Unplayed(Told, frozen=True, kw_only=True):
    """A fact that is no player's doing."""

    seat: None = None


# --- the table -------------------------------------------------------------------------------------------------


class TableOpened(Unplayed, frozen=True):
    """A table was opened for that many players, under these options."""

    seats: int
    options: Options


class SeatTaken(Told, frozen=True):
    """A player sat down."""

    seat: int
    name: str
    colour: terms.Colour


class TableClosed(Unplayed, frozen=True):
    """The host closed the table: nobody else may sit down."""


class TableDeleted(Unplayed, frozen=True):
    """The host took the table away before the game had started."""


class GameForked(Unplayed, frozen=True):
    """What stands before this was copied from another game, up to that version of it."""

    game: str
    up_to: int


class UndoProposed(Told, frozen=True):
    """A player asks the others to go back to the version named."""

    seat: int
    to: terms.Version


class UndoAnswered(Told, frozen=True):
    """A player answered the proposal that is open; one refusal closes it."""

    seat: int
    accept: bool


class Undone(Told, frozen=True):
    """From here on the game is again as it was at the version named; ``seat`` is null where the host did it."""

    seat: int | None
    to: terms.Version


class Redone(Told, frozen=True):
    """What the last undo took back is in force again: the game is as it was at the version named."""

    seat: int | None
    to: terms.Version


# --- the set-up ------------------------------------------------------------------------------------------------


class GameStarted(Unplayed, frozen=True):
    """The game began, with everything its course depends on: options, players, seed and rules version.

    ``tiles`` are the region tiles of the expansion that were there to draw from (R12.1).
    """

    rules: terms.RulesVersion
    players: int
    seed: terms.Seed
    options: Options
    tiles: tuple[RegionTile, ...] = ()


class FirstPlayerChosen(Told, frozen=True):
    """Who begins, and whether that was drawn with the seed or named by the host (R2.1)."""

    seat: int
    drawn: terms.Drawn


class RegionsClosed(Unplayed, frozen=True):
    """These regions are out of play (R2.2)."""

    regions: tuple[str, ...]


class RegionTilesDrawn(Unplayed, frozen=True):
    """Which ten region tiles are in the game, in the order drawn, and with which seed (R12.1)."""

    seed: terms.Seed
    tiles: tuple[RegionTile, ...]


class CityTilesLaid(Unplayed, frozen=True):
    """The city tiles lie on these cities; with a seed where they were drawn (R2.6)."""

    tiles: terms.CityTiles
    seed: terms.SeedIfDrawn = None


class RegionTilesLaid(Unplayed, frozen=True):
    """The region tiles lie on these regions; with a seed where they were dealt (R2.6, R12.1)."""

    tiles: dict[str, RegionTile]
    seed: terms.SeedIfDrawn = None


class TrackFilled(Unplayed, frozen=True):
    """These region tiles fill the first spaces of the region track (R2.2)."""

    tiles: tuple[RegionTile, ...]


class TilesPooled(Unplayed, frozen=True):
    """These city and region tiles are there for the players to lay (R2.6)."""

    city_tiles: tuple[int, ...]
    region_tiles: tuple[RegionTile, ...]


class CityTilePlaced(Told, frozen=True):
    """A player laid a city tile (R2.6)."""

    seat: int
    city: terms.CityId
    value: terms.CityTile


class RegionTilePlaced(Told, frozen=True):
    """A player laid a region tile (R2.6)."""

    seat: int
    region: terms.RegionId
    tile: RegionTile


class BonusTilesDealt(Unplayed, frozen=True):
    """Every player has that many bonus tiles (R2.5)."""

    each: terms.BonusTilesEach


class MilestonesDrawn(Unplayed, frozen=True):
    """The milestones of this game, drawn with the seed, and the bonus tiles each player has in reserve (R10.1)."""

    seed: terms.Seed
    milestones: tuple[terms.MilestoneId, ...]
    reserve: terms.Reserve


class PhaseBegan(Told, frozen=True):
    """It is this player's decision now."""

    phase: terms.DecidingPhase
    seat: int


class TownFounded(Told, frozen=True):
    """A first franchise was put on a town: chosen by the player (R2.3) or fixed (R2.4)."""

    seat: int
    town: terms.TownId
    fixed: terms.Fixed = False


class StartingMoneyReceived(Told, frozen=True):
    """A player got the starting money of their place in the turn order, counted from 1 (R2.3)."""

    seat: int
    order: terms.TurnOrder
    dollars: terms.Dollars


# --- the turn --------------------------------------------------------------------------------------------------


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


TableFact = (
    TableOpened | SeatTaken | TableClosed | TableDeleted | GameForked | UndoProposed | UndoAnswered | Undone | Redone
)

GameFact = (
    GameStarted
    | FirstPlayerChosen
    | RegionsClosed
    | RegionTilesDrawn
    | CityTilesLaid
    | RegionTilesLaid
    | TrackFilled
    | TilesPooled
    | CityTilePlaced
    | RegionTilePlaced
    | BonusTilesDealt
    | MilestonesDrawn
    | PhaseBegan
    | TownFounded
    | StartingMoneyReceived
    | ActionTaken
    | TurnStarted
    | BoomPlaced
    | BoomMoved
    | BoomKept
    | IncomeReceived
    | Expanded
    | Increased
    | Doubled
    | DollarsTaken
    | FranchisePlaced
    | CityScored
    | TieBreakPlaced
    | RegionScored
    | BonusTileRegained
    | DevelopmentTileGained
    | RouteTileGained
    | MilestoneReached
    | TurnEnded
    | Resigned
    | TurnTakenBack
    | FinalCounted
    | GameEnded
)

Fact = TableFact | GameFact
