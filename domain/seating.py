"""The seats of a table until play begins: open the table, join, leave, and check that play may begin."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count

from domain.field_types import BotKind, Colour, RenewedBy
from domain.modules import Fact, GameOptions, TableOpened
from domain.player_names import comparable_name
from domain.refused import Refused
from domain.table import COLOURS, MAX_PLAYERS, MIN_PLAYERS, NewPlayer, Table, change_table
from domain.table_facts import SeatFreed, SeatMoved, SeatTaken, TokenRenewed


def open_table(seats: int, players: Sequence[str | NewPlayer], options: GameOptions) -> list[Fact]:
    """Open a table with these players. Players without a colour get one that no other player wants."""
    if not MIN_PLAYERS <= seats <= MAX_PLAYERS:
        raise Refused(
            "unknown_seat",
            "R2.1",
            {"seats": [MIN_PLAYERS, MAX_PLAYERS]},
            {"seats": seats},
            sentence="wrong_number",
            values={"fewest": MIN_PLAYERS, "most": MAX_PLAYERS},
        )
    facts: list[Fact] = [TableOpened(seats=seats, options=options)]
    table = Table(seats=seats, options=options)
    new = [NewPlayer(player) if isinstance(player, str) else player for player in players]
    wanted = {player.colour for player in new}
    names = [player.name for player in new if player.name is not None]
    for version, player in enumerate(new, 2):
        unwanted: list[Colour] = [colour for colour in free_colours(table) if colour not in wanted]
        colour = player.colour or (unwanted[0] if unwanted else None)
        taken = take_seat(table, name_at(table, player, names), colour, player.bot)
        table = change_table(table, version, taken)
        facts.append(taken)
    return facts


def take_seat(
    table: Table,
    name: str,
    colour: Colour | None = None,
    bot: BotKind | None = None,
    comparable: Callable[[str], str] = comparable_name,
    *,
    reserved: bool = False,
) -> SeatTaken:
    """Give the lowest free seat to a player, with the chosen colour or the first free one.

    Two names are the same if their ``comparable`` forms are.
    """
    require_open(table)
    if table.closed:
        raise Refused("table_closed", "table")
    taken = {player.seat for player in table.players}
    seat = next((seat for seat in range(table.seats) if seat not in taken), None)
    if seat is None:
        raise Refused("table_full", "table", {"free_seats": 1}, {"free_seats": 0})
    if comparable(name) in map(comparable, (player.name for player in table.players)):
        raise Refused("name_taken", "table", values={"name": name})
    free = free_colours(table)
    if colour is not None and colour not in free:
        raise Refused("colour_taken", "table", {"colour": list(free)}, {"colour": colour}, values={"colour": colour})
    return SeatTaken(seat, name, colour or free[0], bot, reserved)


def name_at(table: Table, player: NewPlayer, wanted: Iterable[str] = ()) -> str:
    """Return the name of a player. A bot without one gets a free name such as ``Greedy bot 2``."""
    if player.name is not None:
        return player.name
    taken = {comparable_name(name) for name in (*wanted, *(seat.name for seat in table.players))}
    name = f"{player.bot} bot".capitalize()
    numbered = (f"{name} {number}" for number in count(2))
    return next(each for each in chain([name], numbered) if comparable_name(each) not in taken)


def free_colours(table: Table) -> tuple[Colour, ...]:
    """Return the free colours in the order in which they are assigned."""
    taken = {player.colour for player in table.players}
    return tuple(colour for colour in COLOURS if colour not in taken)


def require_open(table: Table) -> None:
    """Raise ``Refused`` once play has begun."""
    if table.started:
        raise Refused("already_started", "table")


def require_deletable(table: Table) -> None:
    """Raise ``Refused`` once play has begun, unless the game is a fork or an import: the original stays."""
    if not table.is_copy:
        require_open(table)


def free_seat(table: Table, seat: int) -> SeatFreed:
    """Free a seat at a table that has not started."""
    require_open(table)
    require_taken(table, seat)
    return SeatFreed(seat)


def renew_token(table: Table, seat: int | None, by: RenewedBy) -> TokenRenewed:
    """Renew the token of a player, or of the host if ``seat`` is None."""
    if seat is not None:
        require_person(table, seat)
    elif by == "holder":
        raise Refused("host_only", "table")
    return TokenRenewed(seat, by)


def close_gaps(table: Table) -> list[SeatMoved]:
    """Move the players to the lowest seats and keep their order."""
    return [SeatMoved(player.seat, to) for to, player in enumerate(table.players) if player.seat != to]


def open_seats(table: Table) -> dict[int, Colour]:
    """Return the free seats, each with the colour that a player without a choice gets there."""
    taken = {player.seat for player in table.players}
    free = [seat for seat in range(table.seats) if seat not in taken]
    return dict(zip(free, free_colours(table), strict=False))


def require_taken(table: Table, seat: int, *, reserved: bool = True) -> None:
    """Raise ``Refused`` if the seat is free or, where that counts as free, reserved."""
    if all(player.seat != seat or (player.reserved and not reserved) for player in table.players):
        raise Refused("unknown_seat", "table", sentence="empty_seat", values={"seat": seat})


def require_person(table: Table, seat: int) -> None:
    """Raise ``Refused`` unless a person sits at the seat. Nobody sits at a reserved one."""
    require_taken(table, seat, reserved=False)
    if any(player.seat == seat and player.bot for player in table.players):
        raise Refused("bot_seat", "table", values={"player": seat})


def require_enough_players(table: Table) -> None:
    """Raise ``Refused`` if there are too few players to begin."""
    if len(table.players) < MIN_PLAYERS:
        raise Refused(
            "too_few_players",
            "table",
            {"players": MIN_PLAYERS},
            {"players": len(table.players)},
            values={"fewest": MIN_PLAYERS},
        )
