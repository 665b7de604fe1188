"""Undo and redo: who may take back actions, and who must agree.

The policies are ``turn`` (the active player goes back to the start of their turn), ``agree`` (every other player must
accept), ``free`` (anyone at the table goes anywhere) and ``off``. An undo goes back to the moment before an action.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.field_types import ActedBy
from domain.game import Game
from domain.modules import Fact
from domain.refused import BaseHad, BaseNeeded, Refused, Value
from domain.table import Proposal
from domain.table_facts import Redone, UndoAnswered, Undone, UndoProposed
from domain.timeline import Moment, Timeline, earlier_moments


def undo(timeline: Timeline, seat: int | None, to: int | None, by: ActedBy = "seat") -> list[Fact]:
    """Take back the last action, or all actions after version ``to``, for a player or for the host (seat None)."""
    now = _require_playing(timeline, seat)
    if now.earlier is None:
        raise _refused(timeline, "nothing_to_undo")
    to = now.earlier.version if to is None else to
    taken_back = _actions_after(timeline, now, to)
    if timeline.table.options.undo == "turn":
        _require_own_turn(timeline, now.game, taken_back)
    return _propose(timeline, seat, to, by) or [Undone(seat, to, by)]


def redo(timeline: Timeline, seat: int | None, by: ActedBy = "seat") -> list[Fact]:
    """Restore what the last undo took back."""
    _require_playing(timeline, seat)
    if not timeline.undone:
        raise _refused(timeline, "nothing_to_redo")
    to = timeline.undone[-1].version
    return _propose(timeline, seat, to, by) or [Redone(seat, to, by)]


class UndoOffer(msgspec.Struct, frozen=True, gc=False):
    """An undo or a redo that is possible now."""

    to: Annotated[int | None, Meta(description="The version to which it leads; null if no player may ask for it.")]
    by: Annotated[
        tuple[int, ...],
        Meta(description="The seats that may ask for it. With a hot seat or with free undo, the host may ask too."),
    ]


NO_OFFER = UndoOffer(None, ())


def undo_offer(timeline: Timeline) -> UndoOffer:
    now = timeline.now
    if now is None or now.earlier is None:
        return NO_OFFER
    if timeline.table.options.undo == "turn" and not _in_own_turn(now, now.earlier, now.game):
        return NO_OFFER
    return _offer(timeline, now.game, now.earlier.version)


def redo_offer(timeline: Timeline) -> UndoOffer:
    if timeline.now is None or not timeline.undone:
        return NO_OFFER
    return _offer(timeline, timeline.now.game, timeline.undone[-1].version)


def answer(timeline: Timeline, seat: int | None, accept: bool, by: ActedBy = "seat") -> list[Fact]:
    """Answer the undo proposal. Its author can only withdraw it, with ``accept=False``."""
    proposal, game = timeline.table.proposal, timeline.game
    if seat is None and not timeline.table.options.hot_seat:
        raise _refused(timeline, "players_only")
    if proposal is None or game is None:
        raise _refused(timeline, "no_proposal")
    waiting = waiting_for(proposal, game)
    seat = waiting[0] if seat is None else seat
    answered = UndoAnswered(seat, accept, by)
    if seat == proposal.seat and not accept:
        return [answered]
    if seat == proposal.seat:
        raise _refused(timeline, "own_proposal")
    if seat not in waiting:
        raise _refused(timeline, "already_answered", values={"player": seat})
    if accept and waiting == (seat,):
        return [answered, _restore(timeline, proposal)]
    return [answered]


def waiting_for(proposal: Proposal, game: Game) -> tuple[int, ...]:
    """Return the players who still have to answer."""
    return tuple(s for s in sorted(game.playing()) if s != proposal.seat and s not in proposal.accepted)


def _offer(timeline: Timeline, game: Game, to: int) -> UndoOffer:
    """Return the offer for the seats that ``_require_playing`` accepts."""
    policy = timeline.table.options.undo
    if policy == "free":
        return UndoOffer(to, tuple(game.seats))
    if policy == "off" or game.to_play is None or timeline.table.proposal is not None:
        return NO_OFFER
    return UndoOffer(to, (game.to_play,) if policy == "turn" else tuple(sorted(game.playing())))


def _require_playing(timeline: Timeline, seat: int | None) -> Moment:
    """Return the present moment, or raise ``Refused`` if this player may not ask for an undo or a redo."""
    now, policy = timeline.now, timeline.table.options.undo
    if policy == "off":
        raise _refused(timeline, "undo_off")
    if now is None:
        raise _refused(timeline, "not_started")
    if seat is not None and seat not in now.game.seats:
        raise _refused(timeline, "unknown_seat", values={"seat": seat})
    if policy != "free":
        _require_player(timeline, now.game, seat)
    return now


def _require_player(timeline: Timeline, game: Game, seat: int | None) -> None:
    """Raise ``Refused`` unless this player has not resigned and, under ``turn``, is the active player.

    The host of a hot seat plays all seats, and asks as the active player.
    """
    if game.ending is not None:
        raise _refused(timeline, "game_over", sentence="game_over_without_free_undo")
    if seat is None and not timeline.table.options.hot_seat:
        raise _refused(timeline, "players_only")
    if seat is None:
        seat = game.to_play
    if timeline.table.options.undo == "turn" and seat != game.to_play:
        to_play = game.to_play
        raise _refused(timeline, "not_your_turn", {"seat": to_play}, {"seat": seat}, values={"player": to_play})
    if seat is not None and game.players[seat].resigned:
        raise _refused(timeline, "resigned", values={"player": seat})
    if timeline.table.proposal is not None:
        raise _refused(timeline, "undo_proposed")


def _actions_after(timeline: Timeline, now: Moment, to: int) -> list[Moment]:
    """Return the moments after a version, latest first; raise ``Refused`` if the version is inside of a decision."""
    taken_back = [now]
    for moment in earlier_moments(now):
        if moment.version <= to:
            break
        taken_back.append(moment)
    boundary = taken_back[-1].earlier
    if boundary is not None and boundary.version == to:
        return taken_back
    nearest = (boundary or taken_back[-1]).version
    raise _refused(timeline, "not_a_boundary", {"to": nearest}, {"to": to}, values={"version": to})


def _require_own_turn(timeline: Timeline, game: Game, taken_back: list[Moment]) -> None:
    """Raise ``Refused`` unless the active player took all of these actions in the current turn."""
    for after, before in zip(taken_back, timeline.moments, strict=False):
        if not _in_own_turn(after, before, game):
            raise _refused(timeline, "undo_past_turn_start")


def _in_own_turn(after: Moment, before: Moment, game: Game) -> bool:
    """Return whether the active player took an action in the current turn."""
    same_turn = before.game.turn.number == game.turn.number
    return same_turn and after.seat == before.game.to_play == game.to_play


def _propose(timeline: Timeline, seat: int | None, to: int, by: ActedBy) -> list[Fact]:
    """Return the proposal that ``agree`` requires, nothing under other policies."""
    if timeline.table.options.undo != "agree" or seat is None:
        return []
    return [UndoProposed(seat, to, by)]


def is_redo(timeline: Timeline, to: int) -> bool:
    """Return true if the way to a version puts back what was undone last."""
    return bool(timeline.undone) and timeline.undone[-1].version == to


def _restore(timeline: Timeline, proposal: Proposal) -> Fact:
    return (Redone if is_redo(timeline, proposal.to) else Undone)(proposal.seat, proposal.to)


def _refused(
    timeline: Timeline,
    code: str,
    needed: BaseNeeded | None = None,
    had: BaseHad | None = None,
    *,
    values: Mapping[str, Value] | None = None,
    sentence: str | None = None,
) -> Refused:
    return Refused(code, f"undo:{timeline.table.options.undo}", needed, had, sentence=sentence, values=values)
