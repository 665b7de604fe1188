"""Anchors: lines that record the heads of all games, kept outside of the database.

Each line has the root of a Merkle tree over all heads, and the heads that changed since the previous line. The lines
show if a game was erased completely, was truncated together with its head, or was rewritten with a new chain.
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
"""The anchored heads of each game, oldest first."""


class AnchoredHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last version and digest of a stream when it was anchored."""

    game: UuidText
    version: _Version
    digest: _Digest


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line: the time, the number of games, the Merkle root, and the heads that changed since the previous line."""

    format: Literal["franchise-anchor"]
    format_version: Literal[1]
    at: str
    games: int
    root: _Digest
    heads: tuple[AnchoredHead, ...]


class AnchorRefused(ValueError):
    """Anchor lines that were changed, or heads that contradict the anchors."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Anchor).decode


def make_anchor(heads: Iterable[tuple[str, Head]], anchored: Anchored, at: str) -> bytes:
    """Return the next line. Heads come in order of ids.

    Raise ``AnchorRefused`` if an anchored head is missing or its stream was changed.
    """
    newest: dict[str, Head] = {}
    changed: list[AnchoredHead] = []
    for game, head in heads:
        newest[game] = head
        last = anchored[game][-1] if game in anchored else None
        if last == head:
            continue
        if last is not None and last.version >= head.version:
            raise AnchorRefused(f"game {game} was anchored at version {last.version} and was changed since: audit it")
        changed.append(AnchoredHead(game, head.version, head.digest.hex()))
    for game in anchored.keys() - newest.keys():
        raise AnchorRefused(f"game {game} was anchored and its head is gone: audit it")
    return _encode(Anchor(FORMAT, FORMAT_VERSION, at, len(newest), root_of(newest).hex(), tuple(changed))) + b"\n"


def read_anchors(lines: Iterable[bytes]) -> Anchored:
    """Return the heads in all lines; raise ``AnchorRefused`` for the first line that was changed."""
    anchored: dict[str, list[Head]] = {}
    newest: dict[str, Head] = {}
    for number, line in enumerate(lines, 1):
        anchor = _read_line(number, line)
        for head in anchor.heads:
            newest[head.game] = Head(head.version, bytes.fromhex(head.digest))
            anchored.setdefault(head.game, []).append(newest[head.game])
        if (anchor.games, anchor.root) != (len(newest), root_of(newest).hex()):
            raise AnchorRefused(f"line {number} was changed, or an earlier line: the root does not match the heads")
    return anchored


def _read_line(number: int, line: bytes) -> Anchor:
    if not line.endswith(b"\n"):
        raise AnchorRefused(f"line {number} is incomplete because writing was interrupted: delete it and anchor again")
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AnchorRefused(f"line {number} is not an anchor: {error}") from error


def root_of(heads: Mapping[str, Head]) -> bytes:
    """Return the Merkle tree hash of heads (RFC 6962, 2.1).

    A leaf consists of the id of the game as text, the version in eight bytes, and the digest. Leaves are sorted by id.
    """
    subtrees: list[bytes] = []
    for number, leaf in enumerate(_leaves(heads), 1):
        subtrees.append(leaf)
        for _ in range((number & -number).bit_length() - 1):  # join the subtrees that are complete
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
