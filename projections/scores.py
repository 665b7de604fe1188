"""The scores: the money, tiles and influence of each player."""

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
    Meta(description="`bonus` is a bonus tile, the others are the single tiles (R12.5, R12.6)."),
]


class NextIncome(msgspec.Struct, frozen=True):
    """The income of a player if their next turn began now (R3.1)."""

    free_spaces: Annotated[int, Meta(description="Those of the Boom city count twice (R11.3).")]
    dollars: Annotated[int, Meta(description="What the income chart pays for them.")]


class FinalCount(msgspec.Struct, frozen=True):
    """The final count of a player, line by line (R8.2)."""

    towns: Annotated[int, Meta(description="Franchises in towns.")]
    towns_influence: Influence
    dollars: Annotated[int, Meta(description="The money that was left.")]
    dollars_influence: Influence
    bonus_tiles: Annotated[int, Meta(description="The bonus tiles that were left.")]
    bonus_tiles_influence: Influence
    total: Annotated[int, Meta(description="All influence of the game.")]


class PlayerScore(msgspec.Struct, frozen=True):
    """The money, tiles and influence of a player."""

    seat: int
    name: Annotated[str | None, Meta(description="Null while the seat is open.")]
    colour: Colour
    money: Annotated[int, Meta(description="In dollars, known to everybody (R1.5).")]
    influence: Annotated[int, Meta(description="Influence points (IP), the sum of `influence_from`.")]
    influence_from: Annotated[
        Earned,
        Meta(
            description="Where the influence came from: scored cities, ranks in regions, spaces of the region track, "
            "and in the final count towns, dollars and bonus tiles."
        ),
    ]
    supply: Annotated[int, Meta(description="Franchises that are left, expansion markers' ones included (R1.6).")]
    bonus_tiles: Annotated[int, Meta(description="Bonus tiles that are not used yet.")]
    bonus_tiles_used: Annotated[
        int, Meta(description="Bonus tiles that were used; the first of a region may get one of them back (R12.3).")
    ]
    bonus_reserve: Annotated[int, Meta(description="Bonus tiles that have to be earned by milestones first (R10).")]
    towns: Annotated[int, Meta(description="Towns with a franchise of the player.")]
    route_tile: Annotated[bool, Meta(description="Whether the player holds the Route tile (R12.6).")]
    development_tile: Annotated[bool, Meta(description="Whether the player holds the Development tile (R12.5).")]
    usable: Annotated[
        tuple[SpecialTile, ...], Meta(description="The tiles of the player that may be used in the current turn.")
    ]
    milestones: Annotated[tuple[MilestoneId, ...], Meta(description="The milestones the player has reached (R10).")]
    dear_links: Annotated[
        tuple[tuple[str, str], ...],
        Meta(description="The $8 links that the player has used, remembered for the milestone `two_8_links` (R10.3)."),
    ]
    resigned: Annotated[bool, Meta(description="Whether the player has left the game (R13.1).")]
    next_income: Annotated[
        NextIncome, Meta(description="As things stand now; nothing for who has resigned and once the game is over.")
    ]
    final: Annotated[FinalCount | None, Meta(description="Null until the game is over, and for who has resigned.")]


class Scores(msgspec.Struct, frozen=True):
    """All players by seat, and the winners."""

    version: ViewVersion
    players: Annotated[tuple[PlayerScore, ...], Meta(description="By seat.")]
    winners: Annotated[tuple[int, ...] | None, Meta(description="Null until the game is over.")]
    ending: Annotated[Ending | None, Meta(description="Why the game is over and what decided it.")]


def scores(timeline: Timeline) -> Scores:
    """Return the scores of a game; before the start every seat has nothing but its franchises."""
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
    """Return the income of phase 1 on the board as it is."""
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
