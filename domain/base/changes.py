"""Changes to a game that several facts share."""

from typing import Any, TypeVar

from msgspec.structs import replace

from domain.game import Game
from domain.state import Player, Region, Turn

T = TypeVar("T")


def with_franchise(game: Game, seat: int, place: int, from_supply: int, turn: Turn | None = None) -> Game:
    """Return the game with one more franchise of a player on a place."""
    bit = 1 << place
    spaces = game.spaces
    here = (*spaces[place], seat)
    player = game.players[seat]
    player = Player(
        player.supply - from_supply,
        player.money,
        player.bonus_tiles,
        player.earned,
        player.turns,
        player.resigned,
        player.present | bit,
        player.reach | game.board.neighbours[place],
        player.bonus_tiles_used,
    )
    full = len(here) >= game.values[place]
    return replace(
        game,
        players=game.with_player(seat, player),
        spaces=(*spaces[:place], here, *spaces[place + 1 :]),
        open=game.open & ~bit if full else game.open,
        turn=turn or game.turn,
    )


def without_bonus_tile(player: Player) -> Player:
    """Return the player after the use of a bonus tile (R9.1)."""
    return replace(player, bonus_tiles=player.bonus_tiles - 1, bonus_tiles_used=player.bonus_tiles_used + 1)


def with_money(game: Game, seat: int, dollars: int) -> Game:
    player = game.players[seat]
    return replace(game, players=game.with_player(seat, replace(player, money=player.money + dollars)))


def changed(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """Return the values with one of them replaced."""
    return (*values[:index], value, *values[index + 1 :])


def changed_region(game: Game, region: str, **changes: Any) -> tuple[Region, ...]:
    """Return all regions, with some fields of one region replaced."""
    number = game.board.region_number[region]
    return changed(game.regions, number, replace(game.regions[number], **changes))
