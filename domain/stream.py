"""The stored form of a stream: one event per fact, numbered, dated and chained by digests.

The stored bytes of an event are the JSON that clients get: the fields of ``Envelope`` around the fields of the fact,
``{"version":7,"at":"2026-01-31T18:00:00.000000Z","type":"...",<the fact's own fields>,"digest":"<64 hex digits>"}``.
The digest is SHA-256 over the previous digest and the event without its digest. If a byte is changed, or an event is
deleted or moved, all later digests are wrong.

The events of one decision are stored in one row, one event per line, under the version of the first. If two writers
append after the same version, the second one fails.

Stored streams stay readable: facts only gain fields, and each new field has a default.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.message import snake_case
from domain.modules import Fact
from domain.table_facts import GameRemoved, TableDeleted

Discrepancy = Annotated[
    Literal["form", "version", "digest", "fact", "end", "head", "anchor"],
    Meta(
        description="The kind of the difference. `form`: the row is not a valid event. `version`: an event is missing "
        "or has the wrong number. `digest`: an event was changed. `fact`: the rules lead to another fact. `end`: "
        "events at the end are missing. `head`: the separately stored head of the stream (its last version and "
        "digest) is lost. `anchor`: the event is not the anchored one."
    ),
]

VersionedEvent = tuple[int, bytes]
"""The version of a stored event, and its bytes."""

_FACT: msgspec.json.Decoder[Fact] = msgspec.json.Decoder(Fact)
_FACTS: msgspec.json.Decoder[list[Fact]] = msgspec.json.Decoder(list[Fact])
_REMOVAL: msgspec.json.Decoder[GameRemoved] = msgspec.json.Decoder(GameRemoved)
_REMOVED = snake_case(GameRemoved.__name__).encode()
_LAST = (_REMOVED, snake_case(TableDeleted.__name__).encode())
_encode = msgspec.json.Encoder().encode

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)

_DIGEST_FIELD = b',"digest":"'
_END = b'"}'
_TAIL_LENGTH = len(_DIGEST_FIELD) + 64 + len(_END)
_DIGEST = slice(-66, -2)
_HEAD = re.compile(
    rb'{"version":(\d+),"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)","type":"([a-z_]+)"[,}]', re.ASCII
)
_HEAD_LENGTH = len('{"version":,"at":"2026-01-31T18:00:00.000000Z",')


class Envelope(msgspec.Struct, frozen=True):
    """The fields of every stored event in addition to the fact and its ``type``."""

    version: Annotated[int, Meta(ge=1, description="The number of the event in the stream of the game, from 1.")]
    at: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z$",
            description="When the event was stored, in UTC (RFC 3339). Keep its exact form: the digest covers it.",
        ),
    ]
    digest: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            description="SHA-256 over the previous digest and this event. It reveals every later change.",
        ),
    ]


class UnreadableEvent(ValueError):
    """A stored event that this program cannot read, for example because a newer program wrote it."""

    def __init__(self, version: int, detail: str) -> None:
        super().__init__(f"event {version} cannot be read: {detail}")
        self.version = version
        self.detail = detail


class BrokenChain(ValueError):
    """An event that does not follow from the previous one."""

    def __init__(self, version: int, what: Discrepancy, stored: str | int, expected: str | int) -> None:
        super().__init__(f"event {version}: {what} is {stored!r} where {expected!r} was expected")
        self.version = version
        self.what: Discrepancy = what
        self.stored = stored
        self.expected = expected


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """A fact with its version and the time at which it was stored."""

    version: int
    at: str
    fact: Fact


# --- writing ----------------------------------------------------------------------------------------------------


def origin(game: str) -> bytes:
    """Return the digest that precedes the first event of a game."""
    return sha256(f"franchise {game}".encode()).digest()


def write(after: int, previous: bytes, at: str, facts: Iterable[Fact | GameRemoved]) -> tuple[list[bytes], bytes]:
    """Encode facts as the events after a version, and return them with the last digest.

    ``at`` is the time in UTC with six decimals and a Z. Its length is fixed.
    """
    events: list[bytes] = []
    time = b'"at":"%b"' % at.encode()
    for version, fact in enumerate(facts, after + 1):
        event = b'{"version":%d,%b,%b' % (version, time, _encode(fact)[1:-1])
        sealed, previous = _sealed(previous, event)
        events.append(sealed)
    return events, previous


def rechain(game: str, events: Iterable[bytes]) -> list[bytes]:
    """Return the same events with the digests for the stream of another game."""
    previous = origin(game)
    chained: list[bytes] = []
    for event in events:
        sealed, previous = _sealed(previous, event[:-_TAIL_LENGTH])
        chained.append(sealed)
    return chained


def renumber(game: str, recorded: Iterable[Recorded]) -> list[bytes]:
    """Return the same facts and times as the stream of another game, numbered from 1."""
    previous = origin(game)
    events: list[bytes] = []
    for event in recorded:
        written, previous = write(len(events), previous, event.at, [event.fact])
        events += written
    return events


def _sealed(previous: bytes, bare: bytes) -> tuple[bytes, bytes]:
    """Add the digest to an event, and return both. ``bare`` is the event without its last brace."""
    digest = sha256(b"%b%b}" % (previous, bare)).digest()
    return b'%b,"digest":"%b"}' % (bare, digest.hex().encode()), digest


# --- rows -------------------------------------------------------------------------------------------------------


def join_row(events: Iterable[bytes]) -> bytes:
    """Return the text of a row with these events."""
    return b"\n".join(events)


def split_row(first: int, text: object) -> Iterator[VersionedEvent]:
    """Return the events of a row with their versions. The text of a damaged row may have any type."""
    return enumerate((text if isinstance(text, bytes) else str(text).encode()).split(b"\n"), first)


# --- reading ----------------------------------------------------------------------------------------------------


def fact_of(version: int, event: bytes) -> Fact:
    """Decode the fact of an event, or raise ``UnreadableEvent``."""
    try:
        return _FACT.decode(b"{%b}" % _fields(version, event))
    except _UNREADABLE as error:
        raise UnreadableEvent(version, str(error)) from error


def facts_of(rows: Sequence[VersionedEvent]) -> list[Fact]:
    """Decode the facts of many events at once, or raise ``UnreadableEvent``."""
    fields = [_fields(version, event) for version, event in rows]
    try:
        return _FACTS.decode(b"[{%b}]" % b"},{".join(fields))
    except _UNREADABLE:
        return [fact_of(version, event) for version, event in rows]


def _fields(version: int, event: bytes) -> bytes:
    """Return the fields of the fact as bytes, without those of the envelope."""
    return event[_HEAD_LENGTH + len(str(version)) : -_TAIL_LENGTH]


def version_of(event: bytes) -> int | None:
    """Return the version in the event itself, None if its beginning is unreadable."""
    head = _HEAD.match(event)
    return int(head[1]) if head else None


def at_of(version: int, event: bytes) -> str:
    start = len('{"version":,"at":"') + len(str(version))
    return event[start : start + 27].decode(errors="replace")


def type_of(event: bytes) -> bytes | None:
    """Return the type of an event, None if its beginning is unreadable."""
    head = _HEAD.match(event)
    return head[3] if head else None


def removed_at(event: bytes) -> str | None:
    """Return the time of the removal if the event is ``GameRemoved``, None for other events."""
    head = _HEAD.match(event)
    return head[2].decode() if head and head[3] == _REMOVED else None


def is_last(event: bytes) -> bool:
    """Return whether an event deleted the table or removed the game."""
    return type_of(event) in _LAST


def digest_of(event: bytes) -> bytes:
    """Return the digest of an event, or raise ``ValueError`` if it is malformed."""
    written = event[_DIGEST].decode()
    digest = bytes.fromhex(written)
    if digest.hex() != written:
        raise ValueError(f"{written!r} is not a digest")
    return digest


def read(version: int, event: bytes) -> Recorded:
    return Recorded(version, at_of(version, event), fact_of(version, event))


def verify(game: str, events: Sequence[bytes]) -> None:
    """Raise ``BrokenChain`` at the first event that was changed or moved."""
    previous = origin(game)
    for version, event in enumerate(events, 1):
        previous = _verify_next(previous, version, event)


def follows(previous: bytes, version: int, event: bytes) -> bool:
    """Return whether an event follows the event with this digest."""
    try:
        _verify_next(previous, version, event)
    except BrokenChain:
        return False
    return True


def removal_of(version: int, event: bytes) -> GameRemoved:
    """Return the fact of a removal; raise ``BrokenChain`` unless the event follows the digest in the fact."""
    verify_form(version, event)
    try:
        removal = _REMOVAL.decode(b"{%b}" % _fields(version, event))
    except _UNREADABLE as error:
        raise BrokenChain(version, "form", _shown(event), "a removal") from error
    _verify_next(bytes.fromhex(removal.prior), version, event)
    return removal


def verify_form(version: int, event: bytes) -> None:
    """Raise ``BrokenChain`` unless the event has the right envelope and this version."""
    head = _HEAD.match(event)
    tail = event[-_TAIL_LENGTH:]
    if head is None or not tail.startswith(_DIGEST_FIELD) or not tail.endswith(_END):
        raise BrokenChain(version, "form", _shown(event), '{"version":...,"at":...,"type":...,"digest":...}')
    if int(head[1]) != version:
        raise BrokenChain(version, "version", int(head[1]), version)


def _verify_next(previous: bytes, version: int, event: bytes) -> bytes:
    """Return the digest of an event, or raise ``BrokenChain`` unless it follows the previous digest."""
    verify_form(version, event)
    digest = sha256(previous + event[:-_TAIL_LENGTH] + b"}")
    if event[_DIGEST] != digest.hexdigest().encode():
        raise BrokenChain(version, "digest", _shown(event[_DIGEST]), digest.hexdigest())
    return digest.digest()


def _shown(text: bytes) -> str:
    return text[:200].decode(errors="replace")
