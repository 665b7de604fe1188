"""The responses to changes, rendered from the stored commit, and again for a repeated request."""

from typing import Any

import msgspec
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from api.http.conditions import etag
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations.response_bodies import HostToken, Seated, SpectatorToken
from api.operations.views import encode_view, state_body, view
from domain.store import HOST, INVITE, SPECTATOR, Commit, Rematch
from domain.table_facts import SeatTaken

_encode = msgspec.json.Encoder().encode


def moved(request: ApiRequest, commit: Commit, include: str | None = None) -> Encoded[Any]:
    """Return the stored events of a decision, the summary, and the state if it was requested."""
    loaded, events = commit.loaded, b",".join(commit.events)
    if include == "state":
        summary, state = view(request, loaded, None, "game").body, b',"state":%b' % state_body(request, loaded)
    else:
        summary, state = encode_view(loaded, "game"), b""
    body = b'{"version":%d,"events":[%b],"summary":%b%b}' % (loaded.timeline.version, events, summary, state)
    return Encoded(body, headers={"etag": etag(commit.loaded.timeline.version)})


def created(commit: Commit) -> Encoded[Any]:
    names = {player.seat: player.name for player in commit.table.players}
    seats = [Seated(seat, names[seat], token) for seat, token in commit.tokens.items() if seat in names]
    invite = b',"invite":%b' % _encode(commit.tokens[INVITE]) if INVITE in commit.tokens else b""
    body = b'{"game":%b,"host_token":%b,"seats":%b%b}' % (
        encode_view(commit.loaded, "game"),
        _encode(commit.tokens[HOST]),
        _encode(seats),
        invite,
    )
    return _with_tokens(commit, body, {"location": f"/v1/games/{commit.id}"})


def joined(commit: Commit) -> Encoded[Any]:
    taken = next(fact for fact in commit.facts if isinstance(fact, SeatTaken))
    seat = b'{"seat":%d,"name":%b}' % (taken.seat, _encode(taken.name)) if taken.bot else _encode(_seated(commit))
    return _with_tokens(commit, b'%b,"game":%b}' % (seat[:-1], encode_view(commit.loaded, "game")))


def seated(commit: Commit) -> Encoded[Any]:
    return _with_tokens(commit, _encode(_seated(commit)))


def host_renewed(commit: Commit) -> Encoded[Any]:
    return _with_tokens(commit, _encode(HostToken(commit.tokens[HOST])))


def admitted(commit: Commit) -> Encoded[Any]:
    return _with_tokens(commit, _encode(SpectatorToken(commit.tokens[SPECTATOR])))


def rematch_seat(rematch: Rematch) -> Encoded[Any]:
    """Return the table of a rematch with the seat and the tokens of the caller; 201 if the request opened it."""
    commit, fields = rematch.commits[-1], _encode({"seat": rematch.seat, **rematch.tokens})
    body = b'{"game":%b,%b' % (encode_view(commit.loaded, "game"), fields[1:])
    if not rematch.opened:
        return _with_tokens(commit, body, status=HTTP_200_OK)
    return _with_tokens(commit, body, {"location": f"/v1/games/{commit.id}"})


def _with_tokens(
    commit: Commit, body: bytes, more: dict[str, str] | None = None, status: int = HTTP_201_CREATED
) -> Encoded[Any]:
    """Return a response that is neither cached nor compressed."""
    headers = {"etag": etag(commit.version), "cache-control": "no-store", **(more or {})}
    return Encoded(body, status_code=status, headers=headers, compress=False)


def _seated(commit: Commit) -> Seated:
    ((seat, token),) = commit.tokens.items()
    name = next(player.name for player in commit.table.players if player.seat == seat)
    return Seated(seat, name, token)
