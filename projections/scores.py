"""The scores: the money, the tiles and the influence of each player."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.base.income import income
from domain.facts import FinalCounted
from domain.field_types import Colour, Influence
from domain.game import Game
from domain.modules.milestones import MilestoneId, Milestones
from domain.modules.region_tiles import RegionTiles
from domain.seating import open_seats
from domain.state import Earned
from domain.table import Table
from domain.timeline import Timeline
from projections.before_start import game_before_start
from projections.endings import Ending, ending_of
from projections.versions import ViewVersion

SpecialTile = Annotated[
    Literal["bonus", "development", "route"],
    Meta(description="`bonus`: a bonus tile. `development`, `route`: the single tiles (R12.5, R12.6)."),
]


class NextIncome(msgspec.Struct, frozen=True):
    """The income of a player if their next turn began now (R3.1)."""

    free_spaces: Annotated[
        int, Meta(description="The number of free spaces. Those of the Boom city count twice (R11.3).")
    ]
    dollars: Annotated[int, Meta(description="The income in dollars.")]


class FinalCount(msgspec.Struct, frozen=True):
    """The final count of a player by category (R8.2)."""

    towns: Annotated[int, Meta(description="The number of franchises in towns.")]
    towns_influence: Influence
    dollars: Annotated[int, Meta(description="The remaining money in dollars.")]
    dollars_influence: Influence
    bonus_tiles: Annotated[int, Meta(description="The number of unused bonus tiles.")]
    bonus_tiles_influence: Influence
    total: Annotated[int, Meta(description="All influence points of the game.")]


class PlayerScore(msgspec.Struct, frozen=True):
    """The money, the tiles and the influence of a player."""

    seat: int
    name: Annotated[str | None, Meta(description="The name of the player; null for a free seat.")]
    colour: Colour
    money: Annotated[int, Meta(description="The money in dollars, which is public (R1.5).")]
    influence: Annotated[int, Meta(description="The influence points (IP), the sum of `influence_from`.")]
    influence_from: Annotated[
        Earned,
        Meta(description="The influence by source. Towns, dollars and bonus tiles are added by the final count."),
    ]
    supply: Annotated[
        int,
        Meta(description="The franchises in the supply, including those that expansion markers will become (R1.6)."),
    ]
    bonus_tiles: Annotated[int, Meta(description="The number of unused bonus tiles.")]
    bonus_tiles_used: Annotated[
        int,
        Meta(description="The number of used bonus tiles. A region scoring may give one back (R12.3)."),
    ]
    bonus_reserve: Annotated[
        int, Meta(description="The number of bonus tiles that the player can still earn by milestones (R10).")
    ]
    towns: Annotated[int, Meta(description="The number of towns with a franchise of the player.")]
    route_tile: Annotated[bool, Meta(description="Whether the player has the Route tile (R12.6).")]
    development_tile: Annotated[bool, Meta(description="Whether the player has the Development tile (R12.5).")]
    usable: Annotated[
        tuple[SpecialTile, ...], Meta(description="The tiles that the player can use in the current turn.")
    ]
    milestones: Annotated[
        tuple[MilestoneId, ...], Meta(description="The milestones that the player has reached (R10).")
    ]
    dear_links: Annotated[
        tuple[tuple[str, str], ...],
        Meta(description="The $8 links that the player has used. They count for the milestone `two_8_links` (R10.3)."),
    ]
    resigned: Annotated[bool, Meta(description="Whether the player has left the game (R13.1).")]
    next_income: Annotated[
        NextIncome,
        Meta(
            description="The income on the current board; 0 for players who have resigned, and after the end of the "
            "game."
        ),
    ]
    final: Annotated[
        FinalCount | None, Meta(description="Null until the game is over, and for players who have resigned.")
    ]


class Scores(msgspec.Struct, frozen=True):
    """The scores of all players, and the winners."""

    version: ViewVersion
    players: Annotated[tuple[PlayerScore, ...], Meta(description="All players, by seat.")]
    winners: Annotated[
        tuple[int, ...] | None, Meta(description="The seats that have won; null until the game is over.")
    ]
    ending: Annotated[
        Ending | None,
        Meta(description="The reason of the end and the deciding criterion; null until the game is over."),
    ]


def scores(timeline: Timeline) -> Scores:
    """Return the scores of a game; before the start, every seat with its franchises only."""
    table = timeline.table
    game = timeline.game or game_before_start(table)
    return Scores(
        version=timeline.version,
        players=tuple(_player(table, game, seat) for seat in game.seats),
        winners=game.ending.winners if game.ending else None,
        ending=ending_of(table, game.ending) if game.ending else None,
    )


def _player(table: Table, game: Game, seat: int) -> PlayerScore:
    player = game.players[seat]
    seated = next((player for player in table.players if player.seat == seat), None)
    milestones, tiles = Milestones.find(game), RegionTiles.find(game)
    return PlayerScore(
        seat=seat,
        name=seated.name if seated else None,
        colour=seated.colour if seated else open_seats(table)[seat],
        money=player.money,
        influence=player.influence,
        influence_from=player.earned,
        supply=player.supply,
        bonus_tiles=player.bonus_tiles,
        bonus_tiles_used=player.bonus_tiles_used,
        bonus_reserve=milestones.reserve[seat] if milestones and milestones.reserve else 0,
        towns=(player.present & game.board.towns).bit_count(),
        route_tile=tiles is not None and tiles.route == seat,
        development_tile=tiles is not None and tiles.development == seat,
        usable=tuple(_usable(game, tiles)) if seat == game.to_play else (),
        milestones=tuple(_reached(milestones, seat)) if milestones else (),
        dear_links=tuple(sorted(_used_dear_links(milestones, seat))) if milestones else (),
        resigned=player.resigned,
        next_income=_next_income(game, seat),
        final=next((_count(final) for final in game.finals if final.seat == seat), None),
    )


def _usable(game: Game, tiles: RegionTiles | None) -> Iterator[SpecialTile]:
    if game.turn.bonus:
        yield "bonus"
    if tiles and tiles.development_ready:
        yield "development"
    if tiles and tiles.route_ready:
        yield "route"


def _reached(milestones: Milestones, seat: int) -> Iterator[MilestoneId]:
    for milestone, seats in zip(milestones.drawn, milestones.reached, strict=True):
        if seat in seats:
            yield milestone


def _next_income(game: Game, seat: int) -> NextIncome:
    """Return the income on the current board."""
    if game.ending is not None or game.players[seat].resigned:
        return NextIncome(0, 0)
    fact = income(game, seat)
    return NextIncome(sum(fact.cities.values()) + fact.extra, fact.dollars)


def _used_dear_links(milestones: Milestones, seat: int) -> Iterator[tuple[str, str]]:
    for user, link in milestones.dear_links:
        if user == seat:
            first, second = sorted(link)
            yield first, second


def _count(final: FinalCounted) -> FinalCount:
    return FinalCount(
        final.towns,
        final.towns_influence,
        final.dollars,
        final.dollars_influence,
        final.bonus_tiles,
        final.bonus_tiles_influence,
        final.total,
    )
