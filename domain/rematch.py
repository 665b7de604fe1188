"""Rematches: a new table with the players of a finished game, who each ask for the seat that is reserved for them."""

from msgspec.structs import replace

from domain.game import Game
from domain.modules import Fact, GameOptions, TableOpened
from domain.refused import Refused
from domain.table import Table
from domain.table_facts import RematchOf, SeatClaimed, SeatTaken


def rematch_of(game: str, table: Table) -> RematchOf:
    """Return the ending that a rematch follows; raise ``Refused`` unless the game is over."""
    if not table.winners:
        raise Refused("not_finished", "table", {"status": "finished"}, {"status": table.status})
    return RematchOf(game, table.endings[-1].version)


def open_rematch(origin: RematchOf, table: Table, game: Game) -> list[Fact]:
    """Open the table: the same players, seats, colours and options, a new seed, and the next player begins."""
    first = (game.first_player + 1) % len(table.players)
    options = replace(table.options, seed=None, first_player=first)
    seats = (
        SeatTaken(player.seat, player.name, player.colour, player.bot, reserved=player.bot is None)
        for player in table.players
    )
    return [TableOpened(seats=len(table.players), options=options, rematch_of=origin), *seats]


def claims(table: Table, seat: int | None) -> list[SeatClaimed]:
    """Return what a player, or the host, claims; nothing if they have claimed it already.

    The host of a hot seat claims all seats.
    """
    if seat is not None:
        return [SeatClaimed(seat)] if seat in table.reserved else []
    if table.host_claimed or table.rematch_of is None:
        return []
    everybody = table.reserved if table.options.hot_seat else ()
    return [SeatClaimed(None), *map(SeatClaimed, everybody)]


def options_at_start(table: Table) -> GameOptions:
    """Return the options for the players who are there: at a rematch, the next of them begins."""
    first = table.options.first_player
    if table.rematch_of is None or first == "random":
        return table.options
    begins = next((index for index, player in enumerate(table.players) if player.seat >= first), 0)
    return replace(table.options, first_player=begins)


def is_complete(table: Table) -> bool:
    """Return whether all seats are taken by players who are there."""
    return len(table.players) == table.seats and not table.reserved
