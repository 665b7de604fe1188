"""What can be asked of a game: each command looks at the game and decides, or raises ``Refused``."""

import secrets
from collections.abc import Callable, Sequence

import msgspec

from domain.application.held import Held
from domain.board import RegionTile
from domain.decide import decide
from domain.game import Game
from domain.modules import Action, Fact, GameFact, Options
from domain.refused import Refused
from domain.start import check_options
from domain.start import start as set_up
from domain.table import Table, lay_table, must_be_enough, must_be_open
from domain.table import take_seat as sit_down
from domain.table_facts import TableClosed, TableDeleted
from domain.timeline import Timeline, follow, follow_action
from domain.undo import answer, redo, undo

SEEDS = 2**53
"""Every JSON reader gets a whole number below this right."""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """What a command leads to: facts, and seats that get a new token."""

    facts: Sequence[Fact]
    tokens: tuple[int, ...] = ()

    def after(self, timeline: Timeline) -> Timeline:
        """What the stream tells with these facts."""
        return follow(timeline, self.facts)


class Acted(Decision, frozen=True, kw_only=True, gc=False):
    """What an action leads to: the facts, and the game after them."""

    facts: Sequence[GameFact]
    game: Game

    def after(self, timeline: Timeline) -> Timeline:
        """What the stream tells with these facts."""
        return follow_action(timeline, self.facts, self.game)


Command = Callable[[Held], Decision]
Tiles = tuple[RegionTile, ...]


def act(seat: int, action: Action) -> Command:
    """A player decides."""

    def command(held: Held) -> Decision:
        if held.game is None:
            raise Refused("not_started", "table", "Play has not begun.")
        outcome = decide(held.game, action, seat)
        return Acted(facts=outcome.facts, game=outcome.game)

    return command


def take_seat(name: str, tiles: Tiles) -> Command:
    """Somebody sits down; at a full table play begins."""

    def command(held: Held) -> Decision:
        taken = sit_down(held.table, name)
        full = len(held.table.players) + 1 == held.table.seats
        begun = first_facts(held.table, held.table.seats, tiles) if full else []
        return Decision([taken, *begun], tokens=(taken.seat,))

    return command


def start(tiles: Tiles) -> Command:
    """The host begins with those who are there."""

    def command(held: Held) -> Decision:
        must_be_open(held.table)
        must_be_enough(held.table)
        return Decision(first_facts(held.table, len(held.table.players), tiles))

    return command


def close(held: Held) -> Decision:
    """The host lets nobody else sit down."""
    must_be_open(held.table)
    if held.table.closed:
        raise Refused("table_closed", "table", "The table is closed already.")
    return Decision([TableClosed()])


def delete(held: Held) -> Decision:
    """The host takes the table away."""
    must_be_open(held.table)
    return Decision([TableDeleted()])


def renew_token(seat: int) -> Command:
    """The host gives a seat a new token; those it had open nothing any more."""

    def command(held: Held) -> Decision:
        if seat not in range(len(held.table.players)):
            raise Refused("unknown_seat", "table", f"Nobody sits at seat {seat}.")
        return Decision([], tokens=(seat,))

    return command


def take_back(seat: int | None, to: int | None) -> Command:
    """A player or the host takes back the last action, or all after a version."""
    return lambda held: Decision(undo(held.timeline, seat, to))


def put_back(seat: int | None) -> Command:
    """A player or the host puts back what was last taken back."""
    return lambda held: Decision(redo(held.timeline, seat))


def answer_undo(seat: int, accept: bool) -> Command:
    """A player answers the proposal to take something back."""
    return lambda held: Decision(answer(held.timeline, seat, accept))


def open_table(seats: int, names: Sequence[str], options: Options, tiles: Tiles) -> Decision:
    """Somebody lays a table for that many; if they are all there already, play begins."""
    facts = lay_table(seats, names, options)
    table = Table(seats=seats, options=options)
    check_options(options, seats, tiles_of(options, tiles))
    begun = first_facts(table, seats, tiles) if len(names) == seats else []
    return Decision([*facts, *begun])


def tiles_of(options: Options, tiles: Tiles) -> Tiles:
    """The region tiles of the expansion, if it is played with."""
    return () if options.modules.region_tiles is None else tiles


def first_facts(table: Table, players: int, tiles: Tiles) -> list[Fact]:
    """The set-up of a game; without a seed from the host it gets one that nobody knows."""
    options = table.options
    seed = secrets.randbelow(SEEDS) if options.seed is None else options.seed
    return list(set_up(options, players, seed, tiles_of(options, tiles)).facts)
