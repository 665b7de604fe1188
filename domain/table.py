"""The table of a game: its seats, its status, and the versions that are in force after undos.

``Table`` is folded from the facts of the table and the few facts of the game that the lobby shows. ``seating.py``
decides about seats, ``undo.py`` about undo.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.facts import GameEnded
from domain.field_types import ActedBy, BotKind, Colour, Status
from domain.modules import ActionTaken, Fact, GameOptions, GameStarted, TableOpened
from domain.table_facts import (
    GameForked,
    GameImported,
    Redone,
    Rematched,
    RematchOf,
    SeatClaimed,
    SeatFreed,
    SeatHandedOver,
    SeatLeftToBot,
    SeatMoved,
    SeatTaken,
    SeatTakenBack,
    TableClosed,
    TableDeleted,
    TokenRenewed,
    UndoAnswered,
    Undone,
    UndoProposed,
)

COLOURS: tuple[Colour, ...] = ("blue", "red", "orange", "black", "beige")

MIN_PLAYERS = 2
MAX_PLAYERS = len(COLOURS)


class Seat(msgspec.Struct, frozen=True, gc=False):
    """A player at the table; ``bot`` is None for a person."""

    seat: int
    name: str
    colour: Colour
    bot: BotKind | None = None
    reserved: bool = False


class NewPlayer(msgspec.Struct, frozen=True, gc=False):
    """A player who joins. The colour is optional. A bot may have no name."""

    name: str | None
    colour: Colour | None = None
    bot: BotKind | None = None


class Proposal(msgspec.Struct, frozen=True, gc=False):
    """A proposal to go to version ``to``, with the seats that have accepted."""

    seat: int
    to: int
    accepted: tuple[int, ...] = ()


class Restored(msgspec.Struct, frozen=True, gc=False):
    """An undo or a redo: from ``version`` on the game is as it was at version ``to``."""

    version: int
    to: int


class Ended(msgspec.Struct, frozen=True, gc=False):
    """An end of the game, which an undo may have taken back."""

    version: int
    winners: tuple[int, ...]


class Kept(msgspec.Struct, frozen=True, gc=False):
    """A fact that undo does not take back: its version, and the name of the player who had the seat."""

    version: int
    name: str | None


class FormerPlayer(msgspec.Struct, frozen=True, gc=False):
    """A player whose seat was handed over at a version."""

    version: int
    seat: int
    name: str


class ForkedFrom(msgspec.Struct, frozen=True):
    """The game from which this one was forked."""

    game: Annotated[str, Meta(description="The id of the game.")]
    version: Annotated[int, Meta(description="The last version that both games share.")]


class ImportedFrom(msgspec.Struct, frozen=True):
    """The record that this game was imported from. Copies of one game have the same values."""

    game: Annotated[str, Meta(description="The id of the recorded game.")]
    version: Annotated[int, Meta(description="The last version in the record.")]
    digest: Annotated[str, Meta(description="The digest of the last event in the record.")]


class Table(msgspec.Struct, frozen=True, gc=False):
    """A table at one moment. ``version`` is the version of the last fact in force that changed the table.

    ``kept`` are the facts that undo does not take back. ``players`` are in order of seats. Until play begins, there may
    be free seats between them; then the players move to the lowest seats. ``stand_ins`` are the bots that play for
    absent players, by seat. ``former`` are the players whose seats were handed over.
    """

    seats: int
    options: GameOptions
    players: tuple[Seat, ...] = ()
    version: int = 1
    started: bool = False
    closed: bool = False
    deleted: bool = False
    forked_from: tuple[str, int] | None = None
    proposal: Proposal | None = None
    restored: tuple[Restored, ...] = ()
    endings: tuple[Ended, ...] = ()
    kept: tuple[Kept, ...] = ()
    imported_from: tuple[str, int, str] | None = None
    rematch_of: RematchOf | None = None
    host_claimed: bool = False
    rematch: str | None = None
    stand_ins: Mapping[int, BotKind] = {}
    former: tuple[FormerPlayer, ...] = ()

    @property
    def plays_all_seats(self) -> bool:
        """True if the host's token can play every seat."""
        return self.options.hot_seat or self.options.undo == "free"

    @property
    def is_copy(self) -> bool:
        """True if the game was forked or imported."""
        return self.forked_from is not None or self.imported_from is not None

    def has_seat(self, seat: int | None) -> bool:
        """Return whether a seat is taken. True for the host and for spectators, who have no seat."""
        return seat is None or any(player.seat == seat for player in self.players)

    @property
    def reserved(self) -> tuple[int, ...]:
        """The seats of a rematch whose players have not asked for them."""
        return tuple(player.seat for player in self.players if player.reserved)

    @property
    def has_bots(self) -> bool:
        """True if a bot has a seat or stands in for a player."""
        return bool(self.stand_ins) or any(player.bot for player in self.players)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won; empty until the game is over.

        The last ending is in force unless a later undo or redo went to another version. Earlier endings do not matter:
        a game that has ended again cannot go back to them, and nobody acts after an ending.
        """
        if not self.endings:
            return ()
        ending, restored = self.endings[-1], self.restored[-1:]
        taken_back = any(one.version > ending.version and one.to != ending.version for one in restored)
        return () if taken_back else ending.winners

    @property
    def status(self) -> Status:
        """The status as the lobby shows it."""
        if not self.started:
            return "open"
        return "finished" if self.winners else "playing"


def effective_versions(table: Table, version: int) -> tuple[range, ...]:
    """Return the versions of the events that are in force at a version, without those that were taken back."""
    parts: list[range] = []
    at = version
    for restore in reversed(table.restored):
        if restore.version <= at:
            if restore.version < at:
                parts.append(range(restore.version + 1, at + 1))
            at = restore.to
    parts.append(range(1, at + 1))
    parts.reverse()
    starts = [part.start for part in parts]
    kept = [one.version for one in table.kept if one.version <= version]
    cut_out = [range(one, one + 1) for one in kept if one not in parts[bisect_right(starts, one) - 1]]
    return tuple(sorted([*parts, *cut_out], key=lambda part: part.start))


def acted_by(table: Table, seat: int | None, by: ActedBy) -> ActedBy:
    """Return whose token acted for a seat; events of release 1.0 do not tell it of bots and hosts."""
    if by != "seat":
        return by
    if seat is None:
        return "host"
    return "bot" if any(player.seat == seat and player.bot for player in table.players) else "seat"


def changes_lobby(*facts: Fact) -> bool:
    """Return whether one of these facts changes the lobby. Moves do not."""
    return not _LOBBY_FACTS.isdisjoint(map(type, facts))


def new_table(fact: Fact) -> Table:
    """Return the table that the first fact of a stream opens."""
    if not isinstance(fact, TableOpened):
        raise TypeError(f"a stream begins with TableOpened, not with {type(fact).__name__}")
    return Table(seats=fact.seats, options=fact.options, rematch_of=fact.rematch_of or None)


def change_table(table: Table, version: int, fact: Fact) -> Table:
    """Return the table after the fact with this version. Most facts do not change it."""
    change = TABLE_CHANGES.get(type(fact))
    return change(table, version, fact) if change else table


def _seat_taken(table: Table, version: int, fact: SeatTaken) -> Table:
    return _seated(table, version, (*table.players, Seat(fact.seat, fact.name, fact.colour, fact.bot, fact.reserved)))


def _seat_claimed(table: Table, version: int, fact: SeatClaimed) -> Table:
    if fact.seat is None:
        noted = _noted(table, version) if table.started else table
        return replace(noted, host_claimed=True, version=version)
    players = (replace(player, reserved=player.reserved and player.seat != fact.seat) for player in table.players)
    return _seated(table, version, players)


def _seat_freed(table: Table, version: int, fact: SeatFreed) -> Table:
    return _seated(table, version, (player for player in table.players if player.seat != fact.seat))


def _seat_moved(table: Table, version: int, fact: SeatMoved) -> Table:
    players = (replace(player, seat=fact.to) if player.seat == fact.seat else player for player in table.players)
    return _seated(table, version, players)


def _seated(table: Table, version: int, players: Iterable[Seat]) -> Table:
    return replace(table, players=tuple(sorted(players, key=lambda player: player.seat)), version=version)


def _renewed(table: Table, version: int, fact: TokenRenewed) -> Table:
    return _noted(table, version, fact.seat)


def _left_to_bot(table: Table, version: int, fact: SeatLeftToBot) -> Table:
    return replace(_noted(table, version, fact.seat), stand_ins={**table.stand_ins, fact.seat: fact.bot})


def _taken_back(table: Table, version: int, fact: SeatTakenBack) -> Table:
    return replace(_noted(table, version, fact.seat), stand_ins=_without(table.stand_ins, fact.seat))


def _handed_over(table: Table, version: int, fact: SeatHandedOver) -> Table:
    players = (replace(each, name=fact.name) if each.seat == fact.seat else each for each in table.players)
    stand_ins = _without(table.stand_ins, fact.seat)
    noted = _noted(table, version, fact.seat)
    former = FormerPlayer(version, fact.seat, noted.kept[-1].name or "")
    return replace(noted, players=tuple(players), stand_ins=stand_ins, former=(*table.former, former))


def _without(stand_ins: Mapping[int, BotKind], seat: int) -> Mapping[int, BotKind]:
    return {other: bot for other, bot in stand_ins.items() if other != seat}


def _noted(table: Table, version: int, seat: int | None = None) -> Table:
    """Note a fact that undo does not take back, about a seat or about the table."""
    name = next((player.name for player in table.players if player.seat == seat), None)
    return replace(table, kept=(*table.kept, Kept(version, name)))


def _forked(table: Table, version: int, fact: GameForked) -> Table:
    return replace(table, forked_from=(fact.game, fact.up_to), version=version)


def _imported(table: Table, version: int, fact: GameImported) -> Table:
    return replace(_noted(table, version), imported_from=(fact.game, fact.up_to, fact.prior), version=version)


def _rematched(table: Table, version: int, fact: Rematched) -> Table:
    return replace(_noted(table, version), rematch=fact.game)


def _acted(table: Table, version: int, fact: ActionTaken) -> Table:
    """Drop the undo proposal: the game continued."""
    return replace(table, proposal=None) if table.proposal else table


def _ended(table: Table, version: int, fact: GameEnded) -> Table:
    return replace(table, endings=(Ended(version, fact.winners),), version=version)


def _proposed(table: Table, version: int, fact: UndoProposed) -> Table:
    return replace(table, proposal=Proposal(fact.seat, fact.to))


def _answered(table: Table, version: int, fact: UndoAnswered) -> Table:
    proposal = table.proposal
    if not fact.accept or proposal is None:
        return replace(table, proposal=None)
    return replace(table, proposal=replace(proposal, accepted=(*proposal.accepted, fact.seat)))


def _restored(table: Table, version: int, fact: Undone | Redone) -> Table:
    restored = (*table.restored, Restored(version, fact.to))
    return replace(table, proposal=None, restored=restored, version=fact.to)


TABLE_CHANGES: dict[type, Callable[[Table, int, Any], Table]] = {
    SeatTaken: _seat_taken,
    SeatClaimed: _seat_claimed,
    SeatFreed: _seat_freed,
    SeatMoved: _seat_moved,
    TableClosed: lambda table, version, _: replace(table, closed=True, version=version),
    TableDeleted: lambda table, version, _: replace(table, deleted=True, version=version),
    GameForked: _forked,
    GameImported: _imported,
    Rematched: _rematched,
    GameStarted: lambda table, version, _: replace(table, started=True, version=version),
    ActionTaken: _acted,
    GameEnded: _ended,
    TokenRenewed: _renewed,
    SeatLeftToBot: _left_to_bot,
    SeatTakenBack: _taken_back,
    SeatHandedOver: _handed_over,
    UndoProposed: _proposed,
    UndoAnswered: _answered,
    Undone: _restored,
    Redone: _restored,
}
"""By kind of fact, the function that changes the table."""

_LOBBY_FACTS = {TableOpened, *TABLE_CHANGES} - {ActionTaken, Rematched, TokenRenewed, UndoProposed, UndoAnswered}
