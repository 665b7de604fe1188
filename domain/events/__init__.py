"""Words out: everything that can happen at a table, one fact a word, complete enough to tell the story alone.

A stream opens with facts of the table (who sits where), goes on with the set-up, and then has one ``ActionTaken``
for each decision, followed by all of its consequences. Seats are numbered clockwise from 0.
"""

from domain.events.set_up import (
    BonusTilesDealt,
    CityTilePlaced,
    CityTilesLaid,
    FirstPlayerChosen,
    GameStarted,
    MilestonesDrawn,
    PhaseBegan,
    RegionsClosed,
    RegionTilePlaced,
    RegionTilesDrawn,
    RegionTilesLaid,
    StartingMoneyReceived,
    TilesPooled,
    TownFounded,
    TrackFilled,
)
from domain.events.table import (
    GameForked,
    Redone,
    SeatTaken,
    TableClosed,
    TableDeleted,
    TableOpened,
    UndoAnswered,
    Undone,
    UndoProposed,
)
from domain.events.turns import (
    ActionTaken,
    BonusTileRegained,
    BoomKept,
    BoomMoved,
    BoomPlaced,
    CityScored,
    DevelopmentTileGained,
    DollarsTaken,
    Doubled,
    Expanded,
    FinalCounted,
    FranchisePlaced,
    GameEnded,
    IncomeReceived,
    Increased,
    MilestoneReached,
    RegionRank,
    RegionScored,
    Resigned,
    RouteTileGained,
    TieBreakPlaced,
    TurnEnded,
    TurnStarted,
    TurnTakenBack,
)

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

__all__ = [
    "ActionTaken",
    "BonusTileRegained",
    "BonusTilesDealt",
    "BoomKept",
    "BoomMoved",
    "BoomPlaced",
    "CityScored",
    "CityTilePlaced",
    "CityTilesLaid",
    "DevelopmentTileGained",
    "DollarsTaken",
    "Doubled",
    "Expanded",
    "Fact",
    "FinalCounted",
    "FirstPlayerChosen",
    "FranchisePlaced",
    "GameEnded",
    "GameFact",
    "GameForked",
    "GameStarted",
    "IncomeReceived",
    "Increased",
    "MilestoneReached",
    "MilestonesDrawn",
    "PhaseBegan",
    "Redone",
    "RegionRank",
    "RegionScored",
    "RegionTilePlaced",
    "RegionTilesDrawn",
    "RegionTilesLaid",
    "RegionsClosed",
    "Resigned",
    "RouteTileGained",
    "SeatTaken",
    "StartingMoneyReceived",
    "TableClosed",
    "TableDeleted",
    "TableFact",
    "TableOpened",
    "TieBreakPlaced",
    "TilesPooled",
    "TownFounded",
    "TrackFilled",
    "TurnEnded",
    "TurnStarted",
    "TurnTakenBack",
    "UndoAnswered",
    "UndoProposed",
    "Undone",
]
