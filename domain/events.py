"""Words out: everything that can happen at a table, one fact a word, complete enough to tell the story alone.

A stream opens with facts of the table (who sits where), goes on with the set-up, and then has one ``ActionTaken``
for each decision, followed by all of its consequences. Seats are numbered clockwise from 0.
"""

from typing import Literal

import msgspec

from domain.actions import Action
from domain.board import RegionTile
from domain.options import Options
from domain.words import Word


class Told(Word, frozen=True, omit_defaults=False):
    """A fact; all of its fields are always written."""


class Unplayed(Told, frozen=True, kw_only=True):
    """A fact that is no player's doing."""

    seat: None = None


Origin = Literal["marker", "centre"]
Clause = Literal["majority", "most", "tie_break"]
Reason = Literal["red_zone", "no_expansion", "resigned"]
Decision = Literal["influence", "towns", "shared", "last_player"]


# --- the table -------------------------------------------------------------------------------------------------


class TableOpened(Unplayed, frozen=True):
    """A table was opened for that many players, under these options."""

    seats: int
    options: Options


class SeatTaken(Told, frozen=True):
    """A player sat down."""

    seat: int
    name: str
    colour: str


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
    to: int


class UndoAnswered(Told, frozen=True):
    """A player answered the proposal that is open; one refusal closes it."""

    seat: int
    accept: bool


class Undone(Told, frozen=True):
    """From here on the game is again as it was at the version named; ``seat`` is null where the host did it."""

    seat: int | None
    to: int


class Redone(Told, frozen=True):
    """What the last undo took back is in force again: the game is as it was at the version named."""

    seat: int | None
    to: int


# --- the set-up ------------------------------------------------------------------------------------------------


class GameStarted(Unplayed, frozen=True):
    """The game began, with everything its course depends on: options, players, seed and rules version.

    ``tiles`` are the region tiles of the expansion that were there to draw from (R12.1).
    """

    rules: int
    players: int
    seed: int
    options: Options
    tiles: tuple[RegionTile, ...] = ()


class FirstPlayerChosen(Told, frozen=True):
    """Who begins, and whether that was drawn with the seed or named by the host (R2.1)."""

    seat: int
    drawn: bool


class RegionsClosed(Unplayed, frozen=True):
    """These regions are out of play (R2.2)."""

    regions: tuple[str, ...]


class RegionTilesDrawn(Unplayed, frozen=True):
    """Which ten region tiles are in the game, in the order drawn, and with which seed (R12.1)."""

    seed: int
    tiles: tuple[RegionTile, ...]


class CityTilesLaid(Unplayed, frozen=True):
    """The city tiles lie on these cities; with a seed where they were drawn (R2.6)."""

    tiles: dict[str, int]
    seed: int | None = None


class RegionTilesLaid(Unplayed, frozen=True):
    """The region tiles lie on these regions; with a seed where they were dealt (R2.6, R12.1)."""

    tiles: dict[str, RegionTile]
    seed: int | None = None


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
    city: str
    value: int


class RegionTilePlaced(Told, frozen=True):
    """A player laid a region tile (R2.6)."""

    seat: int
    region: str
    tile: RegionTile


class BonusTilesDealt(Unplayed, frozen=True):
    """Every player has that many bonus tiles (R2.5)."""

    each: int


class MilestonesDrawn(Unplayed, frozen=True):
    """The milestones of this game, drawn with the seed, and the bonus tiles each player has in reserve (R10.1)."""

    seed: int
    milestones: tuple[str, ...]
    reserve: int


class PhaseBegan(Told, frozen=True):
    """It is this player's decision now."""

    phase: str
    seat: int


class TownFounded(Told, frozen=True):
    """A first franchise was put on a town: chosen by the player (R2.3) or fixed (R2.4)."""

    seat: int
    town: str
    fixed: bool = False


class StartingMoneyReceived(Told, frozen=True):
    """A player got the starting money of their place in the turn order, counted from 1 (R2.3)."""

    seat: int
    order: int
    dollars: int


# --- the turn --------------------------------------------------------------------------------------------------


class ActionTaken(Told, frozen=True):
    """A player decided; all facts up to the next action follow from it."""

    seat: int
    action: Action


class TurnStarted(Told, frozen=True):
    """A player's turn began; turns are counted from 1."""

    seat: int
    turn: int


class BoomPlaced(Told, frozen=True):
    """The Boom marker was put at its first city (R11.1)."""

    seat: int
    city: str


class BoomMoved(Told, frozen=True):
    """The Boom marker was moved (R11.2)."""

    seat: int
    origin: str
    city: str


class BoomKept(Told, frozen=True):
    """The Boom marker was left where it is (R11.2)."""

    seat: int
    city: str


class IncomeReceived(Told, frozen=True):
    """Phase 1: the free spaces of the player's cities, those that count once more, and the dollars for all (R3.1)."""

    seat: int
    cities: dict[str, int]
    extra: int
    dollars: int


class Expanded(Told, frozen=True):
    """An expansion marker was put at the end of the path (R4.1).

    ``link_costs`` are the printed costs of its links, ``cost`` what was paid; ``again`` tells that a bonus tile was
    used for it (R9.2), ``free_link`` which link cost nothing (R12.6).
    """

    seat: int
    path: tuple[str, ...]
    link_costs: tuple[int, ...]
    cost: int
    again: bool = False
    free_link: int | None = None


class Increased(Told, frozen=True):
    """A franchise was paid for and put in the centre of a city (R5.1)."""

    seat: int
    city: str
    cost: int


class Doubled(Told, frozen=True):
    """A bonus tile was used for a second, free franchise in the centre of a city (R9.3)."""

    seat: int
    city: str


class DollarsTaken(Told, frozen=True):
    """A bonus tile was used for dollars (R9.4)."""

    seat: int
    dollars: int


class FranchisePlaced(Told, frozen=True):
    """Phase 4: a franchise opened on a space, counted from 1; it came from a marker or from the centre (R6.1)."""

    seat: int
    place: str
    space: int
    origin: Origin


class CityScored(Told, frozen=True):
    """A city was scored (R6.3, R6.4).

    ``seat`` triggered it, ``winner`` is whose franchises decide it: by absolute majority, by having the most, or by
    standing earliest among the ``tied``. ``influence`` is what the winner gained and ``returned`` how many
    franchises they took back, both 0 if they have resigned; ``from_centre`` franchises went back unopened.
    """

    seat: int
    city: str
    value: int
    franchises: dict[int, int]
    winner: int
    clause: Clause
    tied: tuple[int, ...]
    influence: int
    returned: int
    from_centre: int = 0


class TieBreakPlaced(Told, frozen=True):
    """The region's tie-break marker belongs to this player now; without a piece if none was to spare (R6.5, R1.6)."""

    seat: int
    region: str
    piece: bool = True


class RegionRank(msgspec.Struct, frozen=True, gc=False):
    """One player's part in a region scoring, in the order of rank (R7.2)."""

    seat: int
    rank: int
    franchises: int
    influence: int
    dollars: int = 0


class RegionScored(Told, frozen=True):
    """Phase 5: a region was scored (R7.2 to R7.4).

    ``ranks`` are in order, ties broken by ``tie_break`` (the marker's owner first, then clockwise). Its tile went to
    the ``space`` of the region track, counted from 1, for which ``seat``, whose turn it is, gained
    ``track_influence``.
    """

    seat: int
    region: str
    tile: RegionTile
    tie_break: tuple[int, ...]
    ranks: tuple[RegionRank, ...]
    space: int
    track_influence: int


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
    milestone: str
    piece: bool = True


class TurnEnded(Told, frozen=True):
    """A turn is over; ``idle_turns`` turns in a row now went without an expansion (R8.1)."""

    seat: int
    expanded: bool
    idle_turns: int


class Resigned(Told, frozen=True):
    """A player left the game (R13.1)."""

    seat: int


class TurnTakenBack(Told, frozen=True):
    """What an unfinished turn had on the board was taken back (R13.1)."""

    seat: int
    markers: tuple[str, ...]
    centre: tuple[str, ...]


class FinalCounted(Told, frozen=True):
    """What a player gained at the end, line by line (R8.2)."""

    seat: int
    towns: int
    towns_influence: int
    dollars: int
    dollars_influence: int
    bonus_tiles: int
    bonus_tiles_influence: int
    total: int


class GameEnded(Unplayed, frozen=True):
    """The game is over and these players have won (R8.1, R8.2)."""

    reason: Reason
    winners: tuple[int, ...]
    decided_by: Decision


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
