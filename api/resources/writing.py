"""Changing a game over HTTP: once for each idempotency key, on the version that was seen, answered with what came."""

import re
from hashlib import sha256
from uuid import UUID

import msgspec

from api.conventions.answers import Answer, encode
from api.conventions.conditions import etag
from api.conventions.desk import watch_of
from api.conventions.requests import Call, bad_header, body_of, header
from api.resources.replies import Seated
from api.resources.views import summary_of
from domain.application import Caller, Change, Held, Key

_key = re.compile(r"[!-~]{1,200}").fullmatch


class Receipt(msgspec.Struct, frozen=True, array_like=True):
    """An answer as it is kept with an idempotency key."""

    status: int
    version: int
    location: str
    body: bytes


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Receipt).decode


async def key_of(request: Call, who: Caller | None) -> Key | None:
    """What the request is remembered by, if the client wants it to be done only once."""
    given = header(request, b"idempotency-key")
    if given is None:
        return None
    if not _key(given):
        raise bad_header("Idempotency-Key", "1 to 200 visible ASCII characters are expected")
    caller = "" if who is None else f"{who.game}:{who.seat}"
    return Key(f"{caller} {request.scope['path'].lower()}", given, sha256(await body_of(request)).digest())


def receipt(status: int, change: Change, body: bytes, location: str = "") -> bytes:
    """The answer to a change, in the form in which it is kept."""
    return _pack(Receipt(status, change.version, location, body))


def answer_with(request: Call, kept: bytes, game: UUID | None = None) -> Answer:
    """A kept answer, sent for the first time or again; whoever watches the game is told."""
    done = _unpack(kept)
    headers = [(b"etag", etag(done.version))]
    if done.location:
        headers.append((b"location", done.location.encode()))
    if game is not None:
        watch_of(request).tell(game)
    return Answer(done.body, status=done.status, headers=headers)


def moved(change: Change) -> bytes:
    """What a decision has brought about: the events as they are stored, and the summary."""
    body = b'{"version":%d,"events":[%b],"summary":%b}' % (
        change.version,
        b",".join(change.events),
        summary_bytes(change.held),
    )
    return receipt(200, change, body)


def created(change: Change) -> bytes:
    """A new game with all its tokens."""
    names = {player.seat: player.name for player in change.table.players}
    tokens = [(seat, token) for seat, token in change.tokens.items() if seat is not None]
    seats = [Seated(seat, names[seat], token) for seat, token in tokens]
    body = b'{"game":%b,"host_token":%b,"seats":%b}' % (
        summary_bytes(change.held),
        encode(change.tokens[None]),
        encode(seats),
    )
    return receipt(201, change, body, f"/v1/games/{change.id}")


def joined(change: Change) -> bytes:
    """The seat somebody has taken."""
    seat = encode(_seated(change))
    return receipt(201, change, b'%b,"game":%b}' % (seat[:-1], summary_bytes(change.held)))


def seated(change: Change) -> bytes:
    """A seat with its new token."""
    return receipt(201, change, encode(_seated(change)))


def gone(_: Change) -> bytes:
    """Nothing is left to be told."""
    return b""


def _seated(change: Change) -> Seated:
    (seat, token), *_ = ((seat, token) for seat, token in change.tokens.items() if seat is not None)
    name = next(player.name for player in change.table.players if player.seat == seat)
    return Seated(seat, name, token)


def summary_bytes(held: Held) -> bytes:
    """The summary, encoded once for each version."""
    body = held.views.get("summary")
    if body is None:
        body = held.views["summary"] = encode(summary_of(held))
    return body
