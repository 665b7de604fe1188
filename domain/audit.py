"""The audit of a game: a check that its stream was not changed and follows from the rules.

The chain of digests shows changed, deleted and moved events. In addition, the audit decides every action, the set-up,
the seats and the undos again, and compares the result with the recorded facts.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.absence import STAND_IN, hand_over, leave_to_bot, take_back
from domain.clock import is_time
from domain.decide import decide
from domain.field_types import ActedBy
from domain.game import Game
from domain.modules import ActionTaken, Fact, GameStarted, TableOpened
from domain.refused import Refused
from domain.rematch import claims, options_at_start, rematch_of
from domain.rules_version import KNOWN_RULES, RULES_VERSION
from domain.seating import (
    close_gaps,
    free_seat,
    open_table,
    renew_token,
    require_deletable,
    require_enough_players,
    require_open,
    require_person,
    take_seat,
)
from domain.start import start
from domain.stream import (
    BrokenChain,
    Discrepancy,
    UnreadableEvent,
    VersionedEvent,
    at_of,
    digest_of,
    fact_of,
    removal_of,
    removed_at,
    verify,
)
from domain.table import Table, acted_by
from domain.table_facts import (
    GameForked,
    GameImported,
    Redone,
    Rematched,
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
from domain.timeline import Timeline, follow
from domain.undo import answer, is_redo, redo, undo


class Head(NamedTuple):
    """The last version and digest of a stream."""

    version: Annotated[int, Meta(ge=1)]
    digest: Annotated[bytes, Meta(min_length=32, max_length=32)]


class ExternalHeads(NamedTuple):
    """The heads of one stream that are stored outside of it: the current one (None if lost) and the anchored ones."""

    head: Head | None
    anchors: Sequence[Head] = ()


class UnexplainedFact(ValueError):
    """A fact that follows from no decision; the message says what was expected instead."""


class Difference(msgspec.Struct, frozen=True):
    """The first event that fails the audit."""

    version: Annotated[int, Meta(description="The version of the event.")]
    what: Discrepancy
    stored: Annotated[Fact | str | int | None, Meta(description="The stored value; null if nothing is stored.")]
    expected: Annotated[
        Fact | str | int | None, Meta(description="The expected value; null if nothing should be stored.")
    ]

    @property
    def compared(self) -> str:
        """Describe the stored and the expected value."""
        stored, expected = (msgspec.to_builtins(value, str_keys=True) for value in (self.stored, self.expected))
        return f"stored {stored}, expected {expected}"


class Audit(msgspec.Struct, frozen=True):
    """The result of an audit."""

    ok: Annotated[bool, Meta(description="Whether the audit found no difference.")]
    events: Annotated[int, Meta(description="The number of audited events.")]
    chain_ok: Annotated[
        bool, Meta(description="Whether the digest of every event matches the event and its predecessors.")
    ]
    replay_ok: Annotated[bool, Meta(description="Whether the rules lead to the stored facts again.")]
    first_difference: Annotated[Difference | None, Meta(description="Null if the audit found no difference.")] = None


def audit(game: str, rows: Sequence[VersionedEvent], external: ExternalHeads | None = None) -> Audit:
    """Verify the chain of a stream, then decide everything in it again.

    The stream of a removed game must consist of the ``GameRemoved`` event only.
    """
    if any(removed_at(event) for _, event in rows):
        difference = find_removal_difference(rows, external)
        return Audit(difference is None, len(rows), difference is None, True, difference)
    chain, replay = find_chain_difference(game, rows, external), find_replay_difference(rows)
    differences = [difference for difference in (chain, replay) if difference is not None]
    first = min(differences, key=lambda difference: difference.version, default=None)
    return Audit(first is None, len(rows), chain is None, replay is None, first)


def find_chain_difference(
    game: str, rows: Sequence[VersionedEvent], external: ExternalHeads | None
) -> Difference | None:
    """Return the first event at which the chain of digests breaks, or the difference from the external heads."""
    in_order = next((index for index, (version, _) in enumerate(rows) if version != index + 1), len(rows))
    try:
        verify(game, [event for _, event in rows[:in_order]])
    except BrokenChain as broken:
        return Difference(broken.version, broken.what, broken.stored, broken.expected)
    if in_order < len(rows):
        return Difference(in_order + 1, "version", rows[in_order][0], in_order + 1)
    return _wrong_external_head(rows, external) if external else None


def find_removal_difference(rows: Sequence[VersionedEvent], external: ExternalHeads | None) -> Difference | None:
    """Return an event that should have been erased with the game, or the error in the ``GameRemoved`` event.

    The removal erases anchored events too. Therefore only anchors of the removal itself are compared.
    """
    version, event = next(row for row in rows if removed_at(row[1]))
    left = next((other for other, _ in rows if other != version), None)
    if left is not None:
        return Difference(left, "version", left, None)
    try:
        removal_of(version, event)
    except BrokenChain as broken:
        return Difference(broken.version, broken.what, broken.stored, broken.expected)
    if external is None:
        return None
    return _wrong_external_head(
        rows, external._replace(anchors=[head for head in external.anchors if head.version >= version])
    )


def find_replay_difference(rows: Sequence[VersionedEvent]) -> Difference | None:
    """Return the first event whose fact is unreadable or does not follow from the rules."""
    facts, times = list[Fact](), times_of(rows)
    try:
        facts.extend(fact_of(*row) for row in rows)
    except UnreadableEvent as unreadable:
        wrong = find_wrong_fact(facts, times)
        return wrong or Difference(unreadable.version, "fact", unreadable.detail, "a known fact")
    return find_wrong_fact(facts, times)


def times_of(rows: Sequence[VersionedEvent]) -> list[str]:
    """Return the time of each event; for one that was damaged, that of the event before it."""
    times, before = list[str](), ""
    for row in rows:
        at = at_of(*row)
        before = at if is_time(at) else before
        times.append(before)
    return times


def find_wrong_fact(facts: Sequence[Fact], times: Sequence[str]) -> Difference | None:
    """Return the first fact that does not follow from the facts before it, which were stored at these times."""
    timeline: Timeline | None = None
    forked = max((index for index, fact in enumerate(facts) if isinstance(fact, GameForked)), default=0)
    done = 0
    while done < len(facts):
        try:
            expected = _redecide(timeline, _decided(facts, done), times[done] if done > forked else None)
        except (Refused, UnexplainedFact) as refused:
            return Difference(done + 1, "fact", facts[done], str(refused))
        stored = facts[done : done + len(expected)]
        for version, (fact, follows) in enumerate(zip(stored, expected, strict=False), done + 1):
            if fact != follows:
                return Difference(version, "fact", fact, follows)
        if len(stored) < len(expected):
            return Difference(len(facts) + 1, "fact", None, expected[len(stored)])
        timeline = follow(timeline, stored, times[done : done + len(stored)])
        done += len(stored)
    return None


def _wrong_external_head(rows: Sequence[VersionedEvent], external: ExternalHeads) -> Difference | None:
    """Return the first difference between a valid stream and its external heads."""
    return _wrong_anchor(rows, external.anchors) or _wrong_head(rows, external.head)


def _wrong_anchor(rows: Sequence[VersionedEvent], anchors: Sequence[Head]) -> Difference | None:
    events = dict(rows)
    for version, digest in anchors:
        stored = digest_of(events[version]) if version in events else None
        if stored != digest:
            first_missing = min(version, _last_version(rows) + 1)
            return Difference(first_missing, "anchor", stored.hex() if stored else None, digest.hex())
    return None


def _wrong_head(rows: Sequence[VersionedEvent], head: Head | None) -> Difference | None:
    end = _last_version(rows)
    if head is None:
        return Difference(max(end, 1), "head", None, end)
    if end != head.version:
        return Difference(min(end, head.version) + 1, "end", end, head.version)
    if digest_of(rows[-1][1]) != head.digest:
        return Difference(head.version, "digest", digest_of(rows[-1][1]).hex(), head.digest.hex())
    return None


def _last_version(rows: Sequence[VersionedEvent]) -> int:
    return rows[-1][0] if rows else 0


def _decided(facts: Sequence[Fact], index: int) -> Fact:
    """Return the fact that names the decision which begins at an index; seats move because the game starts."""
    others = (facts[later] for later in range(index, len(facts)) if not isinstance(facts[later], SeatMoved))
    return next(others, facts[index])


def _redecide(timeline: Timeline | None, fact: Fact, at: str | None) -> Sequence[Fact]:
    """Decide again at a time, and return all facts of the decision; raise ``Refused`` or ``UnexplainedFact``.

    Without a time the fact was copied by a fork.
    """
    if timeline is None or isinstance(fact, TableOpened):
        return _redecide_opening(timeline, fact)
    if isinstance(fact, SeatLeftToBot):
        return _redecide_absence(timeline, fact, at)
    redecide = _REDECIDE.get(type(fact))
    if redecide is None:
        raise UnexplainedFact("a fact that follows from a decision")
    if isinstance(fact, ActionTaken | UndoProposed | UndoAnswered | Undone | Redone):
        _require_possible(timeline.table, fact.seat, fact.by)
    return redecide(timeline, fact)


def _redecide_absence(timeline: Timeline, fact: SeatLeftToBot, at: str | None) -> Sequence[Fact]:
    """Decide again that a player is absent. A fork lacks the events that were taken back, and so the deadline."""
    table = timeline.table
    require_person(table, fact.seat)
    if fact.seat in table.stand_ins:
        raise UnexplainedFact("a player without a stand-in")
    if fact.by == "server" and table.options.absent != "bot":
        raise UnexplainedFact("by seat or host")
    if at is None:
        _game(timeline)
        return [SeatLeftToBot(fact.seat, STAND_IN, fact.by)]
    return leave_to_bot(timeline, fact.seat, fact.by, at)


def _redecide_return(timeline: Timeline, fact: SeatTakenBack) -> Sequence[Fact]:
    if back := take_back(timeline.table, fact.seat):
        return back
    raise UnexplainedFact("a player with a stand-in")


def _redecide_opening(timeline: Timeline | None, fact: Fact) -> Sequence[Fact]:
    if timeline is not None or not isinstance(fact, TableOpened):
        raise UnexplainedFact("TableOpened as the first fact, and only there")
    (opened,) = open_table(fact.seats, [], fact.options)
    return [replace(opened, rematch_of=fact.rematch_of)]


def _redecide_seat(timeline: Timeline, fact: SeatTaken) -> Sequence[Fact]:
    """Decide by the rules of the first release, which ignored only capitals when comparing names."""
    table = timeline.table
    opening = table.rematch_of is not None and all(player.reserved or player.bot for player in table.players)
    reserved = fact.reserved and opening and fact.bot is None
    return [take_seat(table, fact.name, fact.colour, fact.bot, str.casefold, reserved=reserved)]


def _redecide_claim(timeline: Timeline, fact: SeatClaimed) -> Sequence[Fact]:
    claimed = claims(timeline.table, fact.seat)[:1]
    if not claimed:
        raise UnexplainedFact("a seat that is reserved")
    return claimed


def _redecide_rematch(timeline: Timeline, fact: Rematched) -> Sequence[Fact]:
    rematch_of(fact.game, timeline.table)
    return [fact]


def _redecide_host(timeline: Timeline, fact: Fact) -> Sequence[Fact]:
    require_open(timeline.table)
    return [fact]


def _redecide_deletion(timeline: Timeline, fact: TableDeleted) -> Sequence[Fact]:
    require_deletable(timeline.table)
    return [fact]


def _redecide_copy(timeline: Timeline, fact: GameForked | GameImported) -> Sequence[Fact]:
    _game(timeline)
    return [fact]


def _redecide_start(timeline: Timeline, fact: GameStarted) -> Sequence[Fact]:
    table = timeline.table
    require_open(table)
    require_enough_players(table)
    if fact.rules not in KNOWN_RULES:
        raise UnexplainedFact(f"rules up to version {RULES_VERSION}")
    seed = fact.seed if table.options.seed is None else table.options.seed
    return [*close_gaps(table), *start(options_at_start(table), len(table.players), seed, fact.tiles, fact.rules).facts]


def _redecide_proposal(timeline: Timeline, fact: UndoProposed) -> Sequence[Fact]:
    if is_redo(timeline, fact.to):
        return redo(timeline, fact.seat, fact.by)
    return undo(timeline, fact.seat, fact.to, fact.by)


def _require_possible(table: Table, seat: int | None, by: ActedBy) -> None:
    """Raise ``UnexplainedFact`` if this token cannot act for a seat; events of release 1.0 do not name the token."""
    absent = seat is not None and seat in table.stand_ins
    possible: set[ActedBy] = {"stand_in"} if absent else {"seat", acted_by(table, seat, "seat")}
    if table.plays_all_seats:
        possible.add("host")
    if by not in possible:
        raise UnexplainedFact(f"by {' or '.join(sorted(possible))}")


def _game(timeline: Timeline) -> Game:
    if timeline.game is None:
        raise UnexplainedFact("a GameStarted before it")
    return timeline.game


_REDECIDE: dict[type, Callable[[Timeline, Any], Sequence[Fact]]] = {
    SeatTaken: _redecide_seat,
    SeatClaimed: _redecide_claim,
    Rematched: _redecide_rematch,
    SeatFreed: lambda timeline, fact: [free_seat(timeline.table, fact.seat)],
    TableClosed: _redecide_host,
    TableDeleted: _redecide_deletion,
    SeatTakenBack: _redecide_return,
    SeatHandedOver: lambda timeline, fact: [hand_over(timeline.table, fact.seat, fact.name)],
    TokenRenewed: lambda timeline, fact: [renew_token(timeline.table, fact.seat, fact.by)],
    GameForked: _redecide_copy,
    GameImported: _redecide_copy,
    GameStarted: _redecide_start,
    ActionTaken: lambda timeline, fact: decide(_game(timeline), fact.action, fact.seat, fact.by).facts,
    Undone: lambda timeline, fact: undo(timeline, fact.seat, fact.to, fact.by),
    Redone: lambda timeline, fact: redo(timeline, fact.seat, fact.by),
    UndoProposed: _redecide_proposal,
    UndoAnswered: lambda timeline, fact: answer(timeline, fact.seat, fact.accept, fact.by),
}
