"""Field types that facts and views share, with their descriptions."""

from typing import Annotated, Literal

from msgspec import Meta

Colour = Annotated[
    Literal["blue", "red", "orange", "black", "beige"], Meta(description="The colour of a player's pieces.")
]

Status = Annotated[
    Literal["open", "playing", "finished"],
    Meta(description="`open` until play begins, then `playing`, then `finished`."),
]
Origin = Annotated[
    Literal["marker", "centre"],
    Meta(description="Whether an expansion marker became a franchise, or one of the centre."),
]
Clause = Annotated[
    Literal["majority", "most", "tie_break"],
    Meta(description="Absolute majority (`majority`), most franchises (`most`), earliest of the tied (`tie_break`)."),
]
BotKind = Annotated[
    Literal["random", "greedy", "planner"], Meta(description="A kind of bot; `list_bots` tells of each.")
]
EndReason = Annotated[
    Literal["red_zone", "no_expansion", "resigned"],
    Meta(
        description="A region tile lay in the red zone (`red_zone`), nobody expanded any more (`no_expansion`; R8.1), "
        "or only one player was left (`resigned`; R13.1)."
    ),
]
DecidedBy = Annotated[
    Literal["influence", "towns", "shared", "last_player"],
    Meta(
        description="Most influence (`influence`), of the tied the most franchises in towns (`towns`), still tied "
        "(`shared`; R8.2), or the only one left (`last_player`; R13.1)."
    ),
]

MAX_ID_LENGTH = 64

Id = Annotated[str, Meta(max_length=MAX_ID_LENGTH)]
"""An id that comes from outside."""

# --- where -----------------------------------------------------------------------------------------------------

PlaceId = Annotated[str, Meta(description="The id of a town or a city.")]
TownId = Annotated[str, Meta(description="The id of a town.")]
CityId = Annotated[str, Meta(description="The id of a city.")]
RegionId = Annotated[str, Meta(description="The id of a region.")]
Space = Annotated[int, Meta(description="Which space of the city, counted from 1, the start space (R1.3).")]
TrackSpaceNumber = Annotated[int, Meta(description="The space of the region track, counted from 1 (R7.4).")]

# --- the table and the set-up ----------------------------------------------------------------------------------

SeatedBot = Annotated[
    BotKind | None, Meta(description="The kind of bot that plays the seat; not there if a person does.")
]
NewSeat = Annotated[int, Meta(description="The seat that the player has from now on.")]
RestoredVersion = Annotated[int, Meta(description="The version that the game goes to.")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The digest of an event, in hexadecimal.")]
CopiedVersion = Annotated[int, Meta(description="The last version that both games have.")]
Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
WaitingSince = Annotated[
    Time | None,
    Meta(
        description="The time since which `to_play` has had to decide: that of the event that led to this turn or, in "
        "the set-up, to this decision. Null if nobody has to."
    ),
]
RenewedBy = Annotated[
    Literal["host", "holder", "operator"],
    Meta(description="Who renewed it: the host, the player whose token it is, or an operator of the server."),
]
ActedBy = Annotated[
    Literal["seat", "host", "bot", "stand_in"],
    Meta(
        description="Whose token acted: that of the `seat`, or the host's for the seat (`host`). `bot` and `stand_in` "
        "are bots of the server, the latter for an absent player."
    ),
]
TokenRole = Annotated[Literal["seat", "host", "spectator"], Meta(description="What a token is good for.")]
RulesVersion = Annotated[int, Meta(description="The version of the rules that decide this game.")]
Seed = Annotated[int, Meta(description="Draws the same again, if the rules version is the same.")]
SeedIfDrawn = Annotated[int | None, Meta(description="The seed, where they were drawn.")]
Drawn = Annotated[bool, Meta(description="Drawn with the seed; false if the host named the seat.")]
CityTiles = Annotated[dict[str, int], Meta(description="The value of the tile on each city, by the id of the city.")]
BonusTilesEach = Annotated[int, Meta(description="How many bonus tiles each player has.")]
TurnOrder = Annotated[int, Meta(description="The player's place in the turn order, counted from 1.")]
Fixed = Annotated[bool, Meta(description="Whether the introductory start fixed the town (R2.4).")]

# --- the turn --------------------------------------------------------------------------------------------------

TurnNumber = Annotated[int, Meta(description="Turns are counted from 1 over all players; 0 in the set-up.")]
FreeSpaces = Annotated[
    dict[str, int], Meta(description="The free spaces of each unscored city with an own franchise, by its id.")
]
ExtraSpaces = Annotated[int, Meta(description="Free spaces that count once more (R11.3).")]
Dollars = Annotated[int, Meta(description="What the player got, in dollars.")]
ExpansionPath = Annotated[tuple[str, ...], Meta(description="The ids of the places from the origin to the target.")]
LinkCosts = Annotated[tuple[int, ...], Meta(description="The printed cost of each link of the path.")]
Cost = Annotated[int, Meta(description="What was paid, in dollars.")]
Again = Annotated[bool, Meta(description="Whether a bonus tile was used for a second expansion (R9.2).")]
FreeLink = Annotated[int | None, Meta(description="The link that cost nothing, counted from 0 (R12.6).")]

# --- scoring ---------------------------------------------------------------------------------------------------

CityValue = Annotated[int, Meta(description="The value of the tile that left the city.")]
BySeat = Annotated[dict[int, int], Meta(description="How many franchises each seat had there before the scoring.")]
Winner = Annotated[int, Meta(description="The seat whose franchises decide the scoring (R6.3).")]
Tied = Annotated[tuple[int, ...], Meta(description="The seats with most franchises, if there are several.")]
Influence = Annotated[int, Meta(description="The influence points (IP) gained.")]
Returned = Annotated[int, Meta(description="The franchises that the winner took back (R6.4).")]
FromCentre = Annotated[int, Meta(description="The franchises that went back from the centre unopened (R6.4).")]
Piece = Annotated[bool, Meta(description="Whether a franchise marks it; false if none was to spare (R1.6).")]
TieOrder = Annotated[tuple[int, ...], Meta(description="The seats in the order that breaks ties (R7.2).")]
Rank = Annotated[int, Meta(description="Counted from 1.")]
RegionFranchises = Annotated[int, Meta(description="The franchises in the places of the region.")]
TrackInfluence = Annotated[int, Meta(description="The influence that `seat` gained for the space of the track.")]

# --- the end ---------------------------------------------------------------------------------------------------

IdleTurns = Annotated[int, Meta(description="How many turns in a row now went without an expansion (R8.1).")]
Markers = Annotated[tuple[str, ...], Meta(description="The places from which expansion markers went back.")]
Centre = Annotated[
    tuple[str, ...], Meta(description="The cities from whose centre franchises went back, once for each.")
]
TownsLeft = Annotated[int, Meta(description="Franchises in towns.")]
DollarsLeft = Annotated[int, Meta(description="The money that was left.")]
TilesLeft = Annotated[int, Meta(description="The bonus tiles that were left.")]
Total = Annotated[int, Meta(description="All influence of the game.")]
Winners = Annotated[tuple[int, ...], Meta(description="The seats that have won, several if they share the victory.")]
