"""Renderers of answers to changes, made of bytes that are ready: what is stored under a key is what is sent."""

import msgspec
from msgspec.structs import replace

from api.operations.response_bodies import Admitted, HostToken, Seated
from api.operations.views import state_body, view_body
from domain.store import Answer, Commit
from domain.store.tokens import HOST, INVITE, SPECTATOR
from domain.table_facts import SeatTaken

_encode = msgspec.json.Encoder().encode


def moved(commit: Commit) -> Answer:
    """Render the events of a decision as they are stored, and the summary."""
    body = b'{"version":%d,"events":[%b],"summary":%b}' % (
        commit.version,
        b",".join(commit.events),
        view_body(commit.loaded, "game"),
    )
    return Answer(200, commit.version, "", body)


def moved_with_state(commit: Commit) -> Answer:
    """Render the events of a decision, the summary, and all views of the state after it."""
    answer = moved(commit)
    return replace(answer, body=b'%b,"state":%b}' % (answer.body[:-1], state_body(commit.loaded)))


def created(commit: Commit) -> Answer:
    """Render a new game with all its tokens."""
    names = {player.seat: player.name for player in commit.loaded.table.players}
    seats = [Seated(seat, names[seat], token) for seat, token in commit.tokens.items() if seat in names]
    invite = b',"invite":%b' % _encode(commit.tokens[INVITE]) if INVITE in commit.tokens else b""
    body = b'{"game":%b,"host_token":%b,"seats":%b%b}' % (
        view_body(commit.loaded, "game"),
        _encode(commit.tokens[HOST]),
        _encode(seats),
        invite,
    )
    return Answer(201, commit.version, f"/v1/games/{commit.loaded.id}", body)


def joined(commit: Commit) -> Answer:
    """Render the seat that was taken, with the summary."""
    taken = next(fact for fact in commit.facts if isinstance(fact, SeatTaken))
    seat = b'{"seat":%d,"name":%b}' % (taken.seat, _encode(taken.name)) if taken.bot else _encode(_seated(commit))
    return Answer(201, commit.version, "", b'%b,"game":%b}' % (seat[:-1], view_body(commit.loaded, "game")))


def seated(commit: Commit) -> Answer:
    """Render a seat with its new token."""
    return Answer(201, commit.version, "", _encode(_seated(commit)))


def host_renewed(commit: Commit) -> Answer:
    """Render the new token of the host."""
    return Answer(201, commit.version, "", _encode(HostToken(commit.tokens[HOST])))


def admitted(commit: Commit) -> Answer:
    """Render the token of a spectator."""
    return Answer(201, commit.version, "", _encode(Admitted(commit.tokens[SPECTATOR])))


def deleted(commit: Commit) -> Answer:
    """Render the answer to a deletion, which says nothing."""
    return Answer(204, commit.version, "", b"")


def _seated(commit: Commit) -> Seated:
    ((seat, token),) = commit.tokens.items()
    name = next(player.name for player in commit.loaded.table.players if player.seat == seat)
    return Seated(seat, name, token)
