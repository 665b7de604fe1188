"""The commands that change a game. Each decides on the game as it is, or raises ``Refused``."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

import msgspec

from domain import absence
from domain.board import RegionTile
from domain.decide import Decision, decide
from domain.field_types import ActedBy, BotKind, Colour, LeftBy, RenewedBy
from domain.modules import Action, Fact, GameOptions
from domain.refused import Refused
from domain.rematch import claims, is_complete, options_at_start, rematch_of
from domain.seating import close_gaps, name_at, require_deletable, require_enough_players, require_open
from domain.seating import free_seat as free_taken_seat
from domain.seating import open_table as open_empty_table
from domain.seating import renew_token as renew_token_of
from domain.seating import take_seat as take_next_seat
from domain.start import check_options
from domain.start import start as set_up
from domain.store.apps import Ref
from domain.store.games import LoadedGame
from domain.store.tokens import FORMER, HOST, INVITE, SPECTATOR
from domain.table import NewPlayer, Table, change_table
from domain.table_facts import Rematched, SeatMoved, TableClosed, TableDeleted
from domain.undo import answer
from domain.undo import redo as redo_last
from domain.undo import undo as undo_last

MAX_SEED = 2**53
"""The lowest integer that not every JSON reader reads exactly."""

RegionTileSet = tuple[RegionTile, ...]


class TableDecision(msgspec.Struct, frozen=True, gc=False):
    """The facts of a decision that is not an action of the game, and the changes of tokens.

    ``tokens`` are issued, ``revoked`` are revoked, and the tokens of ``moved`` seats move too. ``kept`` are tokens
    that the caller chose, by number: a renewed one that stays known, or those of a rematch. ``refs`` are references of
    an application to new players.
    """

    facts: Sequence[Fact]
    tokens: tuple[int, ...] = ()
    revoked: tuple[int, ...] = ()
    moved: Sequence[SeatMoved] = ()
    kept: Mapping[int, str] = {}
    refs: Mapping[int, Ref] = {}


Command = Callable[[LoadedGame, RegionTileSet], Decision | TableDecision]
"""A decision about a game, given the server's tiles for the Region tiles expansion."""


def act(seat: int | None, action: Action, by: ActedBy = "seat") -> Command:
    """Take an action of the game; without a seat the host takes it for the one whose decision it is."""

    def command(loaded: LoadedGame, _: RegionTileSet) -> Decision | TableDecision:
        now = loaded.timeline.now
        if now is None:
            raise Refused("not_started", "table")
        decision = decide(now.game, action, seat, "host" if seat is None else by)
        if by == "seat" and seat in loaded.timeline.table.stand_ins:
            return TableDecision([*_back(loaded, seat), *decision.facts])
        return decision

    return command


def act_all(seat: int | None, actions: Sequence[Action]) -> Command:
    """Take actions one after the other, or none of them; a refusal has the index of the action."""

    def command(loaded: LoadedGame, region_tiles: RegionTileSet) -> TableDecision:
        game, facts = loaded.game, _back(loaded, seat)
        if game is None:
            raise Refused("not_started", "table")
        for index, action in enumerate(actions):
            try:
                decision = decide(game, action, seat, _by(seat))
            except Refused as refused:
                refused.index = index
                raise
            facts += decision.facts
            game = decision.game
        return TableDecision(facts)

    return command


def take_seat(
    name: str | None, colour: Colour | None = None, bot: BotKind | None = None, ref: Ref | None = None
) -> Command:
    """Add a player at the next free seat. People get a token. Play begins when the table is full."""
    player = NewPlayer(name, colour, bot)

    def command(loaded: LoadedGame, region_tiles: RegionTileSet) -> TableDecision:
        table = loaded.table
        taken = take_next_seat(table, name_at(table, player), colour, bot)
        seated = _after(loaded, [taken])
        begun = start_facts(seated, table.seats, region_tiles) if is_complete(seated) else []
        new = () if bot else (taken.seat,)
        refs = {} if ref is None else {taken.seat: ref}
        return TableDecision([taken, *begun], tokens=new, revoked=_invite(table) if begun else (), refs=refs)

    return command


def claim_seat(seat: int | None, tokens: Mapping[int, str]) -> Command:
    """Claim the seat of a player, or of the host, at the table of a rematch. The last player starts the game.

    An invitation code is stored only if play has not begun.
    """

    def command(loaded: LoadedGame, region_tiles: RegionTileSet) -> TableDecision:
        claimed = claims(loaded.table, seat)
        if not claimed:
            return TableDecision(())
        table = _after(loaded, claimed)
        begun = start_facts(table, table.seats, region_tiles) if is_complete(table) and not table.started else []
        expired = _invite(table) if begun or table.started else ()
        kept = {number: token for number, token in tokens.items() if number not in expired}
        return TableDecision([*claimed, *begun], revoked=expired, kept=kept)

    return command


def note_rematch(game: UUID) -> Command:
    """Note the rematch of a finished game, once."""

    def command(loaded: LoadedGame, _: RegionTileSet) -> TableDecision:
        rematch_of(str(loaded.id), loaded.table)
        return TableDecision([] if loaded.table.rematch == str(game) else [Rematched(game=str(game))])

    return command


def start(loaded: LoadedGame, region_tiles: RegionTileSet) -> TableDecision:
    """Begin play with the players at the table, who move to the lowest seats."""
    require_open(loaded.table)
    freed = [free_taken_seat(loaded.table, seat) for seat in loaded.table.reserved]
    table = _after(loaded, freed)
    require_enough_players(table)
    moved = close_gaps(table)
    try:
        begun = start_facts(table, len(table.players), region_tiles)
        return TableDecision([*freed, *moved, *begun], revoked=_invite(table), moved=moved)
    except Refused as refused:  # the options are valid for a full table: refuse with another code
        sentence, values = refused.sentence, refused.values
        raise Refused(
            "options_unfit", refused.rule, refused.needed, refused.had, sentence=sentence, values=values
        ) from refused


def close(loaded: LoadedGame, _: RegionTileSet) -> TableDecision:
    """Close the table to further players."""
    require_open(loaded.table)
    if loaded.table.closed:
        raise Refused("table_closed", "table")
    return TableDecision([TableClosed()])


def delete(loaded: LoadedGame, _: RegionTileSet) -> TableDecision:
    """Delete the table, or a copy of a game."""
    require_deletable(loaded.table)
    return TableDecision([TableDeleted()])


def delete_unchanged(since: str) -> Command:
    """Delete the table unless it has started or changed since a time."""

    def command(loaded: LoadedGame, region_tiles: RegionTileSet) -> TableDecision:
        changed = loaded.table.started or loaded.changed_at >= since
        return TableDecision(()) if changed else delete(loaded, region_tiles)

    return command


def free_seat(seat: int) -> Command:
    """Free a seat, and revoke its token."""
    return lambda loaded, _: TableDecision([free_taken_seat(loaded.table, seat)], revoked=(seat,))


def renew_token(seat: int | None, by: RenewedBy = "host", token: str | None = None) -> Command:
    """Renew the token of a seat, or of the host. A holder's old ``token`` stays known as a former one."""
    holder = HOST if seat is None else seat
    kept = {} if token is None else {FORMER: token}
    return lambda loaded, _: TableDecision(
        [renew_token_of(loaded.table, seat, by)], tokens=(holder,), revoked=(holder,), kept=kept
    )


def admit_spectator(loaded: LoadedGame, _: RegionTileSet) -> TableDecision:
    """Issue a token to one more spectator."""
    return TableDecision([], tokens=(SPECTATOR,))


def dismiss_spectators(loaded: LoadedGame, _: RegionTileSet) -> TableDecision:
    """Revoke the tokens of all spectators."""
    return TableDecision([], revoked=(SPECTATOR,))


def undo(seat: int | None, to: int | None = None) -> Command:
    """Take back the last action, or all actions after a version."""
    return lambda loaded, _: TableDecision([*_back(loaded, seat), *undo_last(loaded.timeline, seat, to, _by(seat))])


def redo(seat: int | None) -> Command:
    """Restore what the last undo took back."""
    return lambda loaded, _: TableDecision([*_back(loaded, seat), *redo_last(loaded.timeline, seat, _by(seat))])


def answer_undo(seat: int | None, accept: bool, by: ActedBy = "seat") -> Command:
    """Let a player answer the proposal of an undo; without a seat the host answers for the next one who has to."""
    return lambda loaded, _: TableDecision(
        [*(_back(loaded, seat) if by == "seat" else ()), *answer(loaded.timeline, seat, accept, _by(seat, by))]
    )


def leave_to_bot(seat: int, by: LeftBy, at: str) -> Command:
    """Let a bot play for a player whose time was over at a time."""
    return lambda loaded, _: TableDecision(absence.leave_to_bot(loaded.timeline, seat, by, at))


def take_back(seat: int) -> Command:
    """Let a player who is back play again."""
    return lambda loaded, _: TableDecision(absence.take_back(loaded.table, seat))


def hand_over(seat: int, name: str, ref: Ref | None = None) -> Command:
    """Give the seat of an absent player to somebody else, with a new token."""
    refs = {} if ref is None else {seat: ref}
    return lambda loaded, _: TableDecision(
        [absence.hand_over(loaded.table, seat, name)], tokens=(seat,), revoked=(seat,), refs=refs
    )


def open_table(
    seats: int, players: Sequence[str | NewPlayer], options: GameOptions, region_tiles: RegionTileSet
) -> list[Fact]:
    """Return the facts that open a table. If all players are there, play begins."""
    facts = open_empty_table(seats, players, options)
    table = Table(seats=seats, options=options)
    check_options(options, seats, _tiles_played(options, region_tiles))
    begun = start_facts(table, seats, region_tiles) if len(players) == seats else []
    return [*facts, *begun]


def _back(loaded: LoadedGame, seat: int | None) -> list[Fact]:
    """Return the facts with which a player comes back by acting (R14.3)."""
    return [] if seat is None or seat not in loaded.table.stand_ins else [*absence.take_back(loaded.table, seat)]


def _by(seat: int | None, by: ActedBy = "seat") -> ActedBy:
    return "host" if seat is None else by


def _after(loaded: LoadedGame, facts: Sequence[Fact]) -> Table:
    """Return the table after more facts of it."""
    table = loaded.table
    for version, fact in enumerate(facts, loaded.version + 1):
        table = change_table(table, version, fact)
    return table


def _invite(table: Table) -> tuple[int, ...]:
    """Return the number of the invitation code, which expires when play begins, if the table has one."""
    return (INVITE,) if table.options.invite else ()


def start_facts(table: Table, players: int, region_tiles: RegionTileSet) -> list[Fact]:
    """Return the facts of the set-up. Unless the host has chosen a seed, it is random and secret."""
    options = options_at_start(table)
    seed = secrets.randbelow(MAX_SEED) if options.seed is None else options.seed
    return list(set_up(options, players, seed, _tiles_played(options, region_tiles)).facts)


def _tiles_played(options: GameOptions, region_tiles: RegionTileSet) -> RegionTileSet:
    return () if options.modules.region_tiles is None else region_tiles
