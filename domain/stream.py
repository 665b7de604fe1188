"""How facts stand in a stream: one event a fact, numbered, dated and chained by digests.

The stored bytes of an event are the JSON that clients get:
``{"version":7,"at":"2026-01-31T18:00:00.000000Z",<the fact's own fields>,"digest":"<64 hex digits>"}``.
The digest is SHA-256 over the digest before and the event without its digest, so that no byte of a stream can be
changed, and no event dropped or moved, without all later digests telling.

Events that came about together are stored as one text, a line each, under the version of the first. Who has not seen
the last of them finds that version taken, and appends nothing.

Streams once written stay readable: facts only ever gain fields, and those have defaults.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from domain.modules import Fact

_FACT: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(Fact)
_FACTS: msgspec.json.Decoder[list[Fact]] = msgspec.json.Decoder(list[Fact])
_encode = msgspec.json.Encoder().encode

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)

_TAIL = b',"digest":"'
_END = b'"}'
_TAIL_LENGTH = len(_TAIL) + 64 + len(_END)
_DIGEST = slice(-66, -2)
_HEAD = re.compile(rb'{"version":(\d+),"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)","type":"[a-z_]+"[,}]', re.ASCII)
_HEAD_LENGTH = len('{"version":,"at":"2026-01-31T18:00:00.000000Z",')


class UnreadableEvent(ValueError):
    """A stored event that this program cannot read, for example one that a newer program has written."""

    def __init__(self, version: int, detail: str) -> None:
        super().__init__(f"event {version} cannot be read: {detail}")
        self.version = version
        self.detail = detail


class BrokenChain(ValueError):
    """An event that does not follow from the one before it."""

    def __init__(self, version: int, what: str, stored: Any, expected: Any) -> None:
        super().__init__(f"event {version}: {what} is {stored!r} where {expected!r} was expected")
        self.version = version
        self.what = what
        self.stored = stored
        self.expected = expected


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """A fact with its place in the stream and the time at which it was stored."""

    version: int
    at: str
    fact: Fact


def origin(game: str) -> bytes:
    """What the first digest of a game's chain follows: no stream passes for that of another game."""
    return sha256(f"franchise {game}".encode()).digest()


def write(after: int, previous: bytes, at: str, facts: Iterable[Fact]) -> tuple[list[bytes], bytes]:
    """The events that put these facts behind version ``after``, and the digest of the last one.

    ``at`` is the time in UTC with six decimals of a second and a Z, always of the same length.
    """
    events: list[bytes] = []
    time = b'"at":"%b"' % at.encode()
    for version, fact in enumerate(facts, after + 1):
        event = b'{"version":%d,%b,%b' % (version, time, _encode(fact)[1:-1])
        sealed, previous = _sealed(previous, event)
        events.append(sealed)
    return events, previous


def _sealed(previous: bytes, bare: bytes) -> tuple[bytes, bytes]:
    """An event, which has everything but its end, closed with its digest; and that digest."""
    digest = sha256(b"%b%b}" % (previous, bare)).digest()
    return b'%b,"digest":"%b"}' % (bare, digest.hex().encode()), digest


def stored_together(events: Iterable[bytes]) -> bytes:
    """The text in which events are stored that came about together."""
    return b"\n".join(events)


def told_apart(first: int, text: object) -> Iterator[tuple[int, bytes]]:
    """The events of a stored text with their versions; somebody may have put there something else than bytes."""
    return enumerate((text if isinstance(text, bytes) else str(text).encode()).split(b"\n"), first)


def chained_again(game: str, events: Iterable[bytes]) -> list[bytes]:
    """The same events as the stream of another game."""
    previous = origin(game)
    moved: list[bytes] = []
    for event in events:
        sealed, previous = _sealed(previous, event[:-_TAIL_LENGTH])
        moved.append(sealed)
    return moved


def copied(game: str, story: Iterable[Recorded]) -> list[bytes]:
    """The same facts, with the times they have, as a stream of another game, numbered from 1."""
    previous = origin(game)
    copies: list[bytes] = []
    for event in story:
        copy, previous = write(len(copies), previous, event.at, [event.fact])
        copies += copy
    return copies


def fact_of(version: int, event: bytes) -> Fact:
    """The fact that an event holds."""
    start = _HEAD_LENGTH + len(str(version))
    try:
        return _FACT.decode(b"{%b}" % event[start:-_TAIL_LENGTH])
    except _UNREADABLE as error:
        raise UnreadableEvent(version, str(error)) from error


def facts_of(rows: Sequence[tuple[int, bytes]]) -> list[Fact]:
    """The facts that many events hold, decoded in one go."""
    fields = [event[_HEAD_LENGTH + len(str(version)) : -_TAIL_LENGTH] for version, event in rows]
    try:
        return _FACTS.decode(b"[{%b}]" % b"},{".join(fields))
    except _UNREADABLE:
        return [fact_of(version, event) for version, event in rows]


def version_of(event: bytes) -> int | None:
    """The version that an event itself names."""
    head = _HEAD.match(event)
    return int(head[1]) if head else None


def at_of(version: int, event: bytes) -> str:
    """The time at which an event was stored."""
    start = len('{"version":,"at":"') + len(str(version))
    return event[start : start + 27].decode(errors="replace")


def digest_of(event: bytes) -> bytes:
    """The digest that the next event follows."""
    return bytes.fromhex(event[_DIGEST].decode())


def read(version: int, event: bytes) -> Recorded:
    """An event as a value."""
    return Recorded(version, at_of(version, event), fact_of(version, event))


def verify(game: str, events: Sequence[bytes]) -> None:
    """Raise ``BrokenChain`` at the first event that is not as it was written, or not in its place."""
    previous = origin(game)
    for version, event in enumerate(events, 1):
        head = _HEAD.match(event)
        if head is None or event[-_TAIL_LENGTH:][: len(_TAIL)] != _TAIL or event[-2:] != _END:
            raise BrokenChain(version, "form", _shown(event), '{"version":...,"at":...,"type":...,"digest":...}')
        if int(head[1]) != version:
            raise BrokenChain(version, "version", int(head[1]), version)
        digest = sha256(previous + event[:-_TAIL_LENGTH] + b"}")
        if event[_DIGEST] != digest.hexdigest().encode():
            raise BrokenChain(version, "digest", _shown(event[_DIGEST]), digest.hexdigest())
        previous = digest.digest()


def _shown(text: bytes) -> str:
    return text[:200].decode(errors="replace")
