"""The newest events of a game that is watched: who is a little behind gets them from memory."""

from collections.abc import Sequence

import pytest

from domain.store.live import KEPT_BYTES, Batch, Channel


def channel_from(version: int, *decisions: Sequence[bytes]) -> Channel:
    """Return a channel that knows these decisions after a version."""
    channel = Channel()
    channel.go_on_from(version)
    for events in decisions:
        channel.add(Batch(channel.version + 1, tuple(events)))
    return channel


def told(channel: Channel, version: int) -> list[tuple[int, tuple[bytes, ...]]] | None:
    pieces = channel.after(version)
    return None if pieces is None else [(piece.first, piece.events) for piece in pieces]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (9, None),
        (10, [(11, (b"a", b"b")), (13, (b"c",)), (14, (b"d", b"e", b"f"))]),
        (11, [(12, (b"b",)), (13, (b"c",)), (14, (b"d", b"e", b"f"))]),
        (12, [(13, (b"c",)), (14, (b"d", b"e", b"f"))]),
        (13, [(14, (b"d", b"e", b"f"))]),
        (15, [(16, (b"f",))]),
        (16, []),
        (17, []),
    ],
)
def test_a_channel_has_what_comes_after_a_version(
    version: int, expected: list[tuple[int, tuple[bytes, ...]]] | None
) -> None:
    assert told(channel_from(10, [b"a", b"b"], [b"c"], [b"d", b"e", b"f"]), version) == expected


def test_a_channel_without_decisions_knows_only_that_there_are_some() -> None:
    assert told(channel_from(10), 9) is None
    assert told(channel_from(10), 10) == []


def test_the_oldest_decisions_go_when_there_are_too_many_bytes() -> None:
    half = b"x" * (KEPT_BYTES // 2)
    channel = channel_from(10, [half], [half], [b"y"])
    assert told(channel, 10) is None
    assert told(channel, 11) == [(12, (half,)), (13, (b"y",))]
