"""Anchors: a line for each look at all heads of a database, kept outside of it.

A line has the root of a Merkle tree over all heads and the heads that are new or have changed since the line before.
Whoever has the lines notices a game that was erased as a whole, cut short together with its head, or written anew with
a chain of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Literal

import msgspec

from domain.audit import Head
from domain.records import UuidText

FORMAT: Literal["franchise-anchor"] = "franchise-anchor"
FORMAT_VERSION: Literal[1] = 1

_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Version = Annotated[int, msgspec.Meta(ge=1, le=2**62)]

Anchored = Mapping[str, Sequence[Head]]
"""The heads of each game that were anchored, the newest last."""


class AnchoredHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a game's stream when it was anchored."""

    game: UuidText
    version: _Version
    digest: _Digest


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line: the number of games at a time, the root over their heads, and the heads that the line before has not."""

    format: Literal["franchise-anchor"]
    format_version: Literal[1]
    at: str
    games: int
    root: _Digest
    heads: tuple[AnchoredHead, ...]


class AnchorRefused(ValueError):
    """Anchors that were changed, or heads that do not go on from those that were anchored."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Anchor).decode


def make_anchor(heads: Iterable[tuple[str, Head]], anchored: Anchored, at: str) -> bytes:
    """Return the next line for all heads, in order of ids; raise ``AnchorRefused`` if one was anchored and is gone."""
    newest: dict[str, Head] = {}
    changed: list[AnchoredHead] = []
    for game, head in heads:
        newest[game] = head
        last = anchored[game][-1] if game in anchored else None
        if last == head:
            continue
        if last is not None and last.version >= head.version:
            raise AnchorRefused(f"game {game} was anchored at version {last.version} and has been changed: audit it")
        changed.append(AnchoredHead(game, head.version, head.digest.hex()))
    for game in anchored.keys() - newest.keys():
        raise AnchorRefused(f"game {game} was anchored and its head is gone: audit it")
    return _encode(Anchor(FORMAT, FORMAT_VERSION, at, len(newest), root_of(newest).hex(), tuple(changed))) + b"\n"


def read_anchors(lines: Iterable[bytes]) -> Anchored:
    """Return all heads that were anchored; raise ``AnchorRefused`` for the first line that is not as it was written."""
    anchored: dict[str, list[Head]] = {}
    newest: dict[str, Head] = {}
    for number, line in enumerate(lines, 1):
        anchor = _read_line(number, line)
        for head in anchor.heads:
            newest[head.game] = Head(head.version, bytes.fromhex(head.digest))
            anchored.setdefault(head.game, []).append(newest[head.game])
        if (anchor.games, anchor.root) != (len(newest), root_of(newest).hex()):
            raise AnchorRefused(f"line {number} was changed, or one before it: its root is not that of the heads")
    return anchored


def _read_line(number: int, line: bytes) -> Anchor:
    if not line.endswith(b"\n"):
        raise AnchorRefused(f"line {number} has no end: writing it was interrupted; delete it and anchor again")
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AnchorRefused(f"line {number} is no anchor: {error}") from error


def root_of(heads: Mapping[str, Head]) -> bytes:
    """Return the Merkle tree hash of heads (RFC 6962, 2.1).

    A leaf is the id of the game as text, the version in eight bytes, and the digest; leaves are sorted by the id.
    """
    subtrees: list[bytes] = []
    for number, leaf in enumerate(_leaves(heads), 1):
        subtrees.append(leaf)
        for _ in range((number & -number).bit_length() - 1):  # those that are complete by now
            subtrees.append(_join(subtrees.pop(-2), subtrees.pop()))
    if not subtrees:
        return sha256(b"").digest()
    while len(subtrees) > 1:
        subtrees.append(_join(subtrees.pop(-2), subtrees.pop()))
    return subtrees[0]


def _leaves(heads: Mapping[str, Head]) -> Iterator[bytes]:
    for game in sorted(heads):
        version, digest = heads[game]
        yield sha256(b"\x00%b%b%b" % (game.encode(), version.to_bytes(8), digest)).digest()


def _join(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()
