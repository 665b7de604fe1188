"""Absent players (R14): leave a seat to a bot after the turn limit, take it back, or hand it over to somebody else."""

from domain.bot_turns import seats_to_decide
from domain.clock import deadline
from domain.field_types import BotKind, LeftBy
from domain.player_names import comparable_name
from domain.refused import Refused
from domain.seating import require_person
from domain.table import Table
from domain.table_facts import SeatHandedOver, SeatLeftToBot, SeatTakenBack
from domain.timeline import Timeline

STAND_IN: BotKind = "greedy"


def deadline_of(timeline: Timeline) -> str | None:
    """Return the time until which those who have to decide may take; None without a limit or if nobody has to."""
    return deadline(timeline.clock, timeline.table.options.turn_limit) if timeline.game else None


def late_seats(timeline: Timeline) -> tuple[int, ...]:
    """Return the people who have to decide, and for whom no bot stands in: they are late after the deadline."""
    return tuple(seat for seat in seats_to_decide(timeline) if seat in people_of(timeline.table))


def people_of(table: Table) -> set[int]:
    """Return the seats of people for whom no bot stands in."""
    return {player.seat for player in table.players if not player.bot} - table.stand_ins.keys()


def leave_to_bot(timeline: Timeline, seat: int, by: LeftBy, at: str) -> list[SeatLeftToBot]:
    """Let a bot play for a player who is late at a time (R14.2); nothing if one does so already."""
    table, until = timeline.table, deadline_of(timeline)
    require_person(table, seat)
    if seat in table.stand_ins:
        return []
    if until is None or seat not in late_seats(timeline) or at < until:
        raise Refused("not_absent", "R14.2", {"at": until}, {"now": at}, values={"player": seat})
    return [SeatLeftToBot(seat, STAND_IN, by)]


def take_back(table: Table, seat: int) -> list[SeatTakenBack]:
    """Let a player who is back play again (R14.3); nothing if no bot stands in."""
    require_person(table, seat)
    return [SeatTakenBack(seat)] if seat in table.stand_ins else []


def hand_over(table: Table, seat: int, name: str) -> SeatHandedOver:
    """Give the seat of an absent player to somebody else (R14.5)."""
    require_person(table, seat)
    if seat not in table.stand_ins:
        raise Refused("not_absent", "R14.5", sentence="no_stand_in", values={"player": seat})
    others = (player.name for player in table.players if player.seat != seat)
    if comparable_name(name) in map(comparable_name, others):
        raise Refused("name_taken", "table", values={"name": name})
    return SeatHandedOver(seat, name)
