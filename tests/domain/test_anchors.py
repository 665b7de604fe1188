"""Anchors: the root over all heads, and lines in which every change shows."""

import json
from collections.abc import Sequence
from hashlib import sha256

import pytest

from domain.anchors import AnchorRefused, make_anchor, read_anchors, root_of
from domain.audit import Head

AT = "2026-01-31T18:00:00.000000Z"


def game(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def heads(*versions: int) -> dict[str, Head]:
    """Games 0, 1, ... at these versions."""
    return {
        game(number): Head(version, sha256(b"%d %d" % (number, version)).digest())
        for number, version in enumerate(versions)
    }


def leaf(game: str, head: Head) -> bytes:
    return sha256(b"\0" + game.encode() + head.version.to_bytes(8, "big") + head.digest).digest()


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962, 2.1, translated literally."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256().digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\1" + tree_hash(leaves[:split]) + tree_hash(leaves[split:])).digest()


@pytest.mark.parametrize("number", range(36))
def test_the_root_is_computed_by_rfc_6962_in_any_order(number: int) -> None:
    all_heads = heads(*range(1, number + 1))
    expected = tree_hash([leaf(*pair) for pair in sorted(all_heads.items())])
    assert root_of(all_heads) == root_of(dict(reversed(all_heads.items()))) == expected


def written(*states: dict[str, Head]) -> list[bytes]:
    """The lines of a file after each of these states."""
    lines: list[bytes] = []
    for state in states:
        lines.append(make_anchor(sorted(state.items()), read_anchors(lines), AT))
    return lines


def test_a_line_has_new_heads_and_the_file_has_all() -> None:
    first, second, third = heads(3, 5), heads(3, 8, 2), heads(3, 8, 2)
    lines = written(first, second, third)
    anchors = [json.loads(line) for line in lines]
    assert [(line["games"], [head["version"] for head in line["heads"]]) for line in anchors] == [
        (2, [3, 5]),
        (3, [8, 2]),
        (3, []),
    ]
    assert anchors[1]["root"] == anchors[2]["root"] == root_of(second).hex()
    assert {line["at"] for line in anchors} == {AT}
    assert read_anchors(lines) == {
        game(0): [first[game(0)]],
        game(1): [first[game(1)], second[game(1)]],
        game(2): [second[game(2)]],
    }


@pytest.mark.parametrize("line", [1, 2])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"version":5', b'"version":6'),
        (b'"games":', b'"games":1'),
        (b'"root":"', b'"root":"0'),
        (b'"digest":"', b'"digest":"0'),
        (b"}]", b"]"),
        (b'"format_version":1', b'"format_version":2'),
    ],
)
def test_a_changed_line_is_named(line: int, old: bytes, new: bytes) -> None:
    lines = written(heads(5), heads(7, 5), heads(8, 5, 1))
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    with pytest.raises(AnchorRefused, match=f"line {line} "):
        read_anchors(lines)


def test_a_missing_line_is_found() -> None:
    with pytest.raises(AnchorRefused, match="line 2 was changed, or an earlier line"):
        read_anchors(written(heads(5), heads(6), heads(6, 1))[::2])


def test_an_incomplete_line_is_reported() -> None:
    lines = written(heads(5), heads(6))
    for length in (1, 60, len(lines[1]) - 1):
        with pytest.raises(AnchorRefused, match="line 2 is incomplete because writing was interrupted"):
            read_anchors([lines[0], lines[1][:length]])


@pytest.mark.parametrize(
    ("now", "complaint"),
    [
        (heads(4), f"{game(0)} was anchored at version 5"),
        ({game(0): Head(5, bytes(32))}, f"{game(0)} was anchored at version 5"),
        ({game(1): Head(5, bytes(32))}, f"{game(0)} was anchored and its head is gone"),
    ],
)
def test_heads_that_do_not_continue_the_anchored_ones_get_no_line(now: dict[str, Head], complaint: str) -> None:
    with pytest.raises(AnchorRefused, match=complaint):
        make_anchor(now.items(), {game(0): [Head(5, sha256(b"0 5").digest())]}, AT)
