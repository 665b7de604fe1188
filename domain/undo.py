"""Taking back and putting back: who may, how far, and who has to agree.

``turn`` lets the active player go back to the start of their own turn; ``agree`` needs every other player's consent;
``free`` lets anybody at the table go anywhere; ``off`` allows nothing. An undo lands before an action, with all of
its consequences gone.
"""

from domain.game import Game
from domain.modules import Fact
from domain.refused import Refused
from domain.table import Proposal
from domain.table_facts import Redone, UndoAnswered, Undone, UndoProposed
from domain.timeline import Moment, Position, Timeline


def undo(timeline: Timeline, seat: int | None, to: int | None) -> list[Fact]:
    """What follows when a player, or the host (no seat), takes back the last action or all after version ``to``."""
    position = _playing(timeline, seat)
    if position.moments is None:
        raise _refused(timeline, "nothing_to_undo", "Nothing has been done yet that could be taken back.")
    to = position.moments.version if to is None else to
    taken_back = _until(timeline, position, to)
    if timeline.table.options.undo == "turn":
        _own_turn_only(timeline, position.game, taken_back)
    return _propose(timeline, seat, to) or [Undone(seat, to)]


def redo(timeline: Timeline, seat: int | None) -> list[Fact]:
    """What follows when a player, or the host, puts back what was last taken back."""
    _playing(timeline, seat)
    if not timeline.undone:
        raise _refused(timeline, "nothing_to_redo", "Nothing was taken back, or something else was done since.")
    to = timeline.undone[-1].version
    return _propose(timeline, seat, to) or [Redone(seat, to)]


def answer(timeline: Timeline, seat: int, accept: bool) -> list[Fact]:
    """What follows when a player answers a proposal; its own player may only withdraw it, by refusing."""
    proposal, game = timeline.table.proposal, timeline.game
    if proposal is None or game is None:
        raise _refused(timeline, "no_proposal", "No undo is proposed.")
    answered = UndoAnswered(seat, accept)
    if seat == proposal.seat and not accept:
        return [answered]
    if seat == proposal.seat:
        raise _refused(timeline, "own_proposal", "The others have to agree.")
    waiting = waiting_for(proposal, game)
    if seat not in waiting:
        raise _refused(timeline, "already_answered", "This player has answered, or has left the game.")
    if accept and waiting == (seat,):
        return [answered, _restore(timeline, proposal)]
    return [answered]


def waiting_for(proposal: Proposal, game: Game) -> tuple[int, ...]:
    """The players who have to agree still."""
    return tuple(s for s in sorted(game.playing()) if s != proposal.seat and s not in proposal.accepted)


def _playing(timeline: Timeline, seat: int | None) -> Position:
    """Where the game stands, if this player may ask for an undo or a redo at all."""
    position, policy = timeline.position, timeline.table.options.undo
    if policy == "off":
        raise _refused(timeline, "undo_off", "This table plays without undo.")
    if position is None:
        raise _refused(timeline, "not_started", "Play has not begun.")
    if seat is not None and seat not in position.game.seats:
        raise _refused(timeline, "unknown_seat", f"There is no seat {seat} at this table.")
    if policy != "free":
        _player_only(timeline, position.game, seat)
    return position


def _player_only(timeline: Timeline, game: Game, seat: int | None) -> None:
    """Unless undo is free it is for those who play, as long as they play, and for the active one under ``turn``."""
    if game.ending is not None:
        raise _refused(timeline, "game_over", "The game is over, and only free undo goes back into a finished game.")
    if seat is None:
        raise _refused(timeline, "players_only", "This is for a player of the game.")
    if timeline.table.options.undo == "turn" and seat != game.to_play:
        raise _refused(
            timeline, "not_your_turn", f"It is the turn of seat {game.to_play}.", {"seat": game.to_play}, {"seat": seat}
        )
    if game.players[seat].resigned:
        raise _refused(timeline, "resigned", "Who has resigned decides nothing more.")
    if timeline.table.proposal is not None:
        raise _refused(timeline, "undo_proposed", "A proposal is waiting for the answers of the players.")


def _until(timeline: Timeline, position: Position, to: int) -> list[Moment]:
    """The moments that going back to a version passes, that one included."""
    passed: list[Moment] = []
    for moment in position.actions():
        passed.append(moment)
        if moment.version == to:
            return passed
        if moment.version < to:
            break
    nearest = passed[-1].version
    raise _refused(
        timeline,
        "not_a_boundary",
        f"Version {to} is not in force, or not right before an action.",
        {"to": nearest},
        {"to": to},
    )


def _own_turn_only(timeline: Timeline, game: Game, taken_back: list[Moment]) -> None:
    """Only what the active player did in the present turn may be taken back."""
    for moment in taken_back:
        other_turn = moment.game.turn.number != game.turn.number
        if moment.seat != game.to_play or moment.game.to_play != game.to_play or other_turn:
            raise _refused(
                timeline,
                "undo_past_turn_start",
                "Only what the active player did in the present turn can be taken back.",
            )


def _propose(timeline: Timeline, seat: int | None, to: int) -> list[Fact]:
    """Under ``agree`` nothing happens before all others have agreed."""
    if timeline.table.options.undo != "agree" or seat is None:
        return []
    return [UndoProposed(seat, to)]


def _restore(timeline: Timeline, proposal: Proposal) -> Fact:
    puts_back = bool(timeline.undone) and timeline.undone[-1].version == proposal.to
    return Redone(proposal.seat, proposal.to) if puts_back else Undone(proposal.seat, proposal.to)


def _refused(
    timeline: Timeline,
    code: str,
    detail: str,
    needed: dict[str, int | None] | None = None,
    had: dict[str, int | None] | None = None,
) -> Refused:
    return Refused(code, f"undo:{timeline.table.options.undo}", detail, needed, had)
