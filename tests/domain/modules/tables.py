"""Positions with the material of the expansions: milestones, the Boom marker, and special tiles."""

from typing import Any

from msgspec.structs import replace

from domain.actions import EndTurn
from domain.board import RegionTile
from domain.decide import Decision, decide
from domain.game import Game
from domain.modules import Action, Modules
from domain.modules.boom import Boom, KeepBoom
from domain.modules.milestones import MilestoneId, Milestones
from domain.modules.region_tiles import RegionTiles
from tests.domain.positions import play, position

ALL_SEVEN: tuple[MilestoneId, ...] = (
    "four_towns",
    "four_regions",
    "five_in_scored",
    "unscored_2_3_4",
    "big_city",
    "region",
    "two_8_links",
)


def with_milestones(*drawn: MilestoneId, players: int = 2, reserve: int = 4, **details: Any) -> Game:
    """Return a position in a game with these milestones (by default all seven), none reached."""
    details.setdefault("modules", Modules(milestones=True))
    game = position(players, **details)
    drawn = drawn or ALL_SEVEN
    state = Milestones(drawn, ((),) * len(drawn), (reserve,) * players)
    return game.with_module(state)


def used(game: Game, *links: tuple[int, str, str]) -> Game:
    """Return the game after players have used these $8 links."""
    state = Milestones.of(game)
    dear = frozenset((seat, frozenset(ends)) for seat, *ends in links)
    return game.with_module(replace(state, dear_links=dear))


def with_boom(city: str, **details: Any) -> Game:
    """Return a position with the Boom marker at a city; the active player has decided about it."""
    details.setdefault("modules", Modules(boom=True))
    game = position(**details).with_module(Boom(city))
    return replace(game, phase="expand", to_play=game.turn.seat)


def with_tiles(
    *, development: int | None = None, route: int | None = None, fresh: bool = False, **details: Any
) -> Game:
    """Return a position in a game with region tiles; these players own the two special ones.

    ``fresh`` means that they have been gained in this turn.
    """
    details.setdefault("modules", Modules(region_tiles="new"))
    game = position(**details)
    active = game.turn.seat
    state = RegionTiles(
        "new",
        development=development,
        development_ready=not fresh and development == active,
        route=route,
        route_ready=not fresh and route == active,
    )
    return game.with_module(state)


def tile_on(game: Game, region: str, kind: Any, *values: int) -> Game:
    """Return the game with a tile of this kind on a region."""
    number = game.board.region_number[region]
    first, second, others = values
    lying = replace(game.regions[number], tile=RegionTile(f"{kind} on {region}", (first, second, others), kind))
    return replace(game, regions=(*game.regions[:number], lying, *game.regions[number + 1 :]))


def next_turn_of(game: Game, seat: int, *actions: Action) -> Game:
    """Return the position in which a player can expand again, after these actions and idle turns."""
    if actions:
        game = play(replace(game, passed=()), *actions, EndTurn()).game
    elif game.turn.seat == seat:
        game = play(replace(game, passed=()), EndTurn()).game
    while game.turn.seat != seat or game.phase != "expand":
        idle = KeepBoom() if game.phase == "boom" else EndTurn()
        game = decide(replace(game, passed=()), idle).game
    return game


def reserve(game: Game, seat: int) -> int:
    """Return the bonus tiles a player has in reserve."""
    return Milestones.of(game).reserve[seat]


def reached(decision: Decision | Game) -> dict[str, tuple[int, ...]]:
    """Return the milestones that have been reached, and by whom."""
    game = decision.game if isinstance(decision, Decision) else decision
    state = Milestones.of(game)
    return {milestone: seats for milestone, seats in zip(state.drawn, state.reached, strict=True) if seats}
