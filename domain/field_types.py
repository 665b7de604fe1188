"""Types of fields that facts and views share, with their public descriptions."""

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
    Meta(
        description="The origin of the franchise: an expansion marker (`marker`), or the centre of the city (`centre`)."
    ),
]
Clause = Annotated[
    Literal["majority", "most", "tie_break"],
    Meta(
        description="How the winner was determined: by absolute majority (`majority`), by most franchises (`most`), or "
        "by the earliest franchise among tied players (`tie_break`)."
    ),
]
BotKind = Annotated[
    Literal["random", "greedy", "planner"], Meta(description="A kind of bot. `list_bots` describes each.")
]
EndReason = Annotated[
    Literal["red_zone", "no_expansion", "resigned"],
    Meta(
        description="`red_zone`: a region tile reached the red zone (R8.1). `no_expansion`: no player expanded for a "
        "whole round (R8.1). `resigned`: only one player was left (R13.1)."
    ),
]
DecidedBy = Annotated[
    Literal["influence", "towns", "shared", "last_player"],
    Meta(
        description="`influence`: most influence. `towns`: tied on influence, most franchises in towns. `shared`: tied "
        "on both, the victory is shared (R8.2). `last_player`: all other players resigned (R13.1)."
    ),
]

MAX_ID_LENGTH = 64

Id = Annotated[str, Meta(max_length=MAX_ID_LENGTH)]
"""An id in a request."""

# --- where -----------------------------------------------------------------------------------------------------

PlaceId = Annotated[str, Meta(description="The id of a town or a city.")]
TownId = Annotated[str, Meta(description="The id of a town.")]
CityId = Annotated[str, Meta(description="The id of a city.")]
RegionId = Annotated[str, Meta(description="The id of a region.")]
Space = Annotated[int, Meta(description="The space of the city, from 1 (the start space, R1.3).")]
TrackSpaceNumber = Annotated[int, Meta(description="The space of the region track, from 1 (R7.4).")]

# --- the table and the set-up ----------------------------------------------------------------------------------

SeatedBot = Annotated[BotKind | None, Meta(description="The kind of bot that plays the seat. Omitted for a person.")]
Reserved = Annotated[bool, Meta(description="Whether the seat waits for its player, at the table of a rematch.")]
NewSeat = Annotated[int, Meta(description="The new seat of the player.")]
RestoredVersion = Annotated[int, Meta(description="The version that the game returns to.")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The digest of an event, in hexadecimal.")]
CopiedVersion = Annotated[int, Meta(description="The last version that both games share.")]
Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Deadline = Annotated[
    Time | None,
    Meta(
        description="The end of the limit for those who have to decide: `waiting_since`, or the time of the proposed "
        "undo, plus the turn limit (R14.1). Views do not say whether it has passed; streams do. Null without a limit, "
        "or if nobody has to decide."
    ),
]
WaitingSince = Annotated[
    Time | None,
    Meta(
        description="The time when the wait for `to_play` began: the start of the turn, or in the set-up, of the "
        "decision. Null if nobody has to decide."
    ),
]
RenewedBy = Annotated[
    Literal["host", "holder", "operator"],
    Meta(
        description="The person who renewed the token: the host (`host`), the player who has the seat (`holder`), or "
        "an operator of the server (`operator`)."
    ),
]
ActedBy = Annotated[
    Literal["seat", "host", "bot", "stand_in"],
    Meta(
        description="The holder of the token that acted: the player (`seat`), or the host for the player (`host`). "
        "Without a token: a bot at its own seat (`bot`), or a bot that plays for an absent player (`stand_in`)."
    ),
]
LeftBy = Annotated[
    Literal["seat", "host", "server"],
    Meta(description="Whose claim it was: another player (`seat`), the host (`host`), or the server (`server`)."),
]
TokenRole = Annotated[
    Literal["seat", "host", "spectator"],
    Meta(
        description="The role of a token: it plays a seat (`seat`), manages the table (`host`), or may only read "
        "(`spectator`)."
    ),
]
RulesVersion = Annotated[int, Meta(description="The version of the rules by which the game is played.")]
Seed = Annotated[
    int, Meta(description="The seed of all draws. The same seed under the same rules version draws the same.")
]
SeedIfDrawn = Annotated[int | None, Meta(description="The seed of the draw; null if nothing was drawn.")]
Drawn = Annotated[bool, Meta(description="Whether the seat was drawn with the seed; false if the host chose it.")]
CityTiles = Annotated[dict[str, int], Meta(description="The value of the tile on each city, by the id of the city.")]
BonusTilesEach = Annotated[int, Meta(description="The number of bonus tiles of each player.")]
TurnOrder = Annotated[int, Meta(description="The player's number in the turn order, from 1.")]
Fixed = Annotated[bool, Meta(description="Whether the introductory start fixes the town (R2.4).")]

# --- the turn --------------------------------------------------------------------------------------------------

TurnNumber = Annotated[
    int, Meta(description="The number of the turn, counted from 1 over all players; 0 in the set-up.")
]
FreeSpaces = Annotated[
    dict[str, int],
    Meta(
        description="The number of free spaces of each unscored city with a franchise of the player, by the id of the "
        "city."
    ),
]
ExtraSpaces = Annotated[int, Meta(description="Free spaces that count a second time (R11.3).")]
Dollars = Annotated[int, Meta(description="The dollars that the player received.")]
ExpansionPath = Annotated[tuple[str, ...], Meta(description="The ids of the places from the origin to the target.")]
LinkCosts = Annotated[tuple[int, ...], Meta(description="The printed cost of each link of the path.")]
Cost = Annotated[int, Meta(description="The price that the player paid, in dollars.")]
Again = Annotated[bool, Meta(description="Whether this was a second expansion with a bonus tile (R9.2).")]
FreeLink = Annotated[
    int | None,
    Meta(description="The index of the link that cost nothing, from 0; null if all links were paid for (R12.6)."),
]

# --- scoring ---------------------------------------------------------------------------------------------------

CityValue = Annotated[int, Meta(description="The value of the city tile, which left the city.")]
BySeat = Annotated[
    dict[int, int], Meta(description="The number of franchises of each seat in the city before the scoring.")
]
Winner = Annotated[int, Meta(description="The seat that wins the scoring (R6.3).")]
Tied = Annotated[
    tuple[int, ...], Meta(description="The seats that are tied for the most franchises; empty if there is no tie.")
]
Influence = Annotated[int, Meta(description="Influence points (IP).")]
Returned = Annotated[int, Meta(description="The number of franchises that the winner took back (R6.4).")]
FromCentre = Annotated[
    int, Meta(description="The number of unopened franchises that went back from the centre to the supply (R6.4).")
]
Piece = Annotated[bool, Meta(description="Whether a franchise marks it; false if the player had none left (R1.6).")]
TieOrder = Annotated[
    tuple[int, ...],
    Meta(
        description="The order of seats that breaks ties: the owner of the tie-break marker first, then clockwise "
        "(R7.2)."
    ),
]
Rank = Annotated[int, Meta(description="The rank, from 1.")]
RegionFranchises = Annotated[int, Meta(description="The number of franchises in the region.")]
TrackInfluence = Annotated[int, Meta(description="The influence that `seat` gained for the space of the track.")]

# --- the end ---------------------------------------------------------------------------------------------------

IdleTurns = Annotated[
    int, Meta(description="The number of consecutive turns without an expansion, including this one (R8.1).")
]
Markers = Annotated[
    tuple[str, ...], Meta(description="The ids of the places from which expansion markers were taken back.")
]
Centre = Annotated[
    tuple[str, ...],
    Meta(
        description="The ids of the cities from whose centre franchises were taken back; repeated for each franchise."
    ),
]
TownsLeft = Annotated[int, Meta(description="The number of franchises in towns.")]
DollarsLeft = Annotated[int, Meta(description="The remaining money in dollars.")]
TilesLeft = Annotated[int, Meta(description="The number of unused bonus tiles.")]
Total = Annotated[int, Meta(description="All influence points of the game.")]
Winners = Annotated[tuple[int, ...], Meta(description="The seats that have won; several if the victory is shared.")]
