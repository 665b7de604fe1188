"""The summary of a game."""

from collections.abc import Iterator
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.absence import deadline_of
from domain.field_types import BotKind, Colour, Deadline, Status, Time, TurnNumber, WaitingSince
from domain.game import Game
from domain.modules import GameOptions
from domain.seating import open_seats
from domain.table import ForkedFrom, ImportedFrom, Proposal
from domain.table_facts import RematchOf
from domain.timeline import Timeline
from domain.undo import UndoOffer, is_redo, redo_offer, undo_offer, waiting_for
from projections.endings import Ending, ending_of
from projections.phases import LOBBY, Phase, PhaseText
from projections.versions import ViewVersion
from projections.words import en


class SeatAtTable(msgspec.Struct, frozen=True):
    """A seat and its player."""

    seat: Annotated[
        int, Meta(description="The number of the seat, clockwise from 0. It never changes once play has begun.")
    ]
    name: Annotated[str | None, Meta(description="The name of the player; null for a free seat.")]
    colour: Colour
    open: Annotated[bool, Meta(description="Whether a player can join here.")]
    resigned: Annotated[bool, Meta(description="Whether the player has left the game (R13.1).")] = False
    bot: Annotated[BotKind | None, Meta(description="The kind of bot that plays the seat; null for a person.")] = None
    reserved: Annotated[
        bool, Meta(description="Whether the seat of a rematch waits for its player, who has not asked for it yet.")
    ] = False
    seconds_used: Annotated[
        int,
        Meta(
            description="The seconds for which the seat was `to_play`, measured between stored events, including "
            "undone ones. The current wait is not included: add the time since `waiting_since`."
        ),
    ] = 0
    stand_in: Annotated[
        BotKind | None, Meta(description="The kind of bot that plays while the player is absent (R14.2), if any.")
    ] = None


class UndoProposal(msgspec.Struct, frozen=True):
    """A proposal to go back, or forward again, to another version."""

    seat: Annotated[int, Meta(description="The seat that proposes it.")]
    to: Annotated[int, Meta(description="The version to which the game would go.")]
    redo: Annotated[bool, Meta(description="Whether it is a redo.")]
    accepted: Annotated[tuple[int, ...], Meta(description="The seats that have accepted.")]
    waiting: Annotated[tuple[int, ...], Meta(description="The seats that still have to answer.")]


class Summary(msgspec.Struct, frozen=True):
    """A game at a glance: players, options, turn and winners."""

    id: UUID
    status: Status
    version: ViewVersion
    changed_at: Annotated[Time, Meta(description="When the newest event was stored.")]
    options: Annotated[GameOptions, Meta(description="The options of the game, which never change.")]
    seats: Annotated[tuple[SeatAtTable, ...], Meta(description="All seats, clockwise from 0.")]
    first_player: Annotated[int | None, Meta(description="The seat that begins; null before the start.")]
    turn: TurnNumber
    phase: Phase
    phase_text: PhaseText
    to_play: Annotated[int | None, Meta(description="The seat that has to decide; null if nobody has to.")]
    waiting_since: WaitingSince
    deadline: Deadline
    passed: Annotated[
        tuple[int, ...],
        Meta(
            description="The seats that had a turn since the last expansion, in order, including players who have "
            "resigned. The game ends once all players who have not resigned are in this list (R8.1; under rules "
            "version 1 possibly earlier)."
        ),
    ]
    winners: Annotated[
        tuple[int, ...] | None, Meta(description="The seats that have won; null until the game is over.")
    ]
    ending: Annotated[
        Ending | None,
        Meta(description="The reason of the end and the deciding criterion; null until the game is over."),
    ]
    proposal: Annotated[UndoProposal | None, Meta(description="The undo proposal that waits for answers, if any.")]
    undo: Annotated[UndoOffer, Meta(description="The effect of an undo without `to`.")]
    redo: Annotated[UndoOffer, Meta(description="The effect of a redo.")]
    forked_from: Annotated[
        ForkedFrom | None, Meta(description="The game from which this one was forked; null if it was not forked.")
    ]
    imported_from: Annotated[
        ImportedFrom | None,
        Meta(description="The record from which this game was imported, if any."),
    ]
    rematch_of: Annotated[
        RematchOf | None, Meta(description="The finished game of which this is the rematch; null if it is none.")
    ]
    rematch: Annotated[UUID | None, Meta(description="The id of the rematch, once a player has asked for one.")]
    closed: Annotated[bool, Meta(description="Whether the host has closed the table: nobody else can join.")]


def summary(game_id: UUID, timeline: Timeline, changed_at: str) -> Summary:
    table, game = timeline.table, timeline.game
    phase = game.phase if game else LOBBY
    return Summary(
        id=game_id,
        status=table.status,
        version=timeline.version,
        changed_at=changed_at,
        options=table.options,
        seats=tuple(_seats(timeline)),
        first_player=game.first_player if game else None,
        turn=game.turn.number if game else 0,
        phase=phase,
        phase_text=en.PHASES[phase],
        to_play=game.to_play if game else None,
        waiting_since=timeline.clock.since,
        deadline=deadline_of(timeline) if table.options.turn_limit else None,
        passed=game.passed if game else (),
        winners=game.ending.winners if game and game.ending else None,
        ending=ending_of(table, game.ending) if game and game.ending else None,
        proposal=_proposal(timeline, table.proposal, game) if table.proposal and game else None,
        undo=undo_offer(timeline),
        redo=redo_offer(timeline),
        forked_from=ForkedFrom(*table.forked_from) if table.forked_from else None,
        imported_from=ImportedFrom(*table.imported_from) if table.imported_from else None,
        rematch_of=table.rematch_of,
        rematch=UUID(table.rematch) if table.rematch else None,
        closed=table.closed,
    )


def _seats(timeline: Timeline) -> Iterator[SeatAtTable]:
    table, game = timeline.table, timeline.game
    free = open_seats(table) if game is None else {}
    taken = {player.seat: player for player in table.players}
    for seat in sorted(free.keys() | taken):
        if seat in free:
            yield SeatAtTable(seat, None, free[seat], open=not table.closed)
        else:
            player, resigned = taken[seat], game is not None and game.players[seat].resigned
            used = timeline.clock.used[seat] // 1_000_000
            yield SeatAtTable(
                seat,
                player.name,
                player.colour,
                open=False,
                resigned=resigned,
                bot=player.bot,
                reserved=player.reserved,
                seconds_used=used,
                stand_in=table.stand_ins.get(seat),
            )


def _proposal(timeline: Timeline, proposal: Proposal, game: Game) -> UndoProposal:
    redo, waiting = is_redo(timeline, proposal.to), waiting_for(proposal, game)
    return UndoProposal(proposal.seat, proposal.to, redo, proposal.accepted, waiting)
