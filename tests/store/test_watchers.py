"""The newest events of a watched game: those kept, those read from the database, and disconnected watchers."""

import pytest

from domain.store import commands, live, service
from domain.store.live import Batch, Channel
from domain.stream import at_of
from tests.store.clients import Client


def channel(*batches: Batch, version: int = 0) -> Channel:
    made = Channel()
    made.skip_to(version)
    for batch in batches:
        made.add(batch)
    return made


ONE, TWO, THREE = Batch(1, (b"a", b"b")), Batch(3, (b"c",)), Batch(4, (b"d", b"e", b"f"))


def events(batches: list[Batch] | None) -> list[bytes] | None:
    return None if batches is None else [event for batch in batches for event in batch.events]


@pytest.mark.parametrize("after", range(8))
def test_events_can_be_continued_from_every_version(after: int) -> None:
    found = channel(ONE, TWO, THREE).after(after)
    assert events(found) == [b"a", b"b", b"c", b"d", b"e", b"f"][after:]
    assert found is not None
    versions = [batch.first + offset for batch in found for offset in range(len(batch.events))]
    assert versions == [*range(after + 1, 7)]


def test_a_repeated_decision_changes_nothing() -> None:
    kept = channel(ONE, TWO, ONE, TWO, THREE, TWO)
    assert (kept.version, kept.after(0)) == (6, [ONE, TWO, THREE])


def test_events_from_the_database_come_before_kept_ones() -> None:
    kept = channel(ONE)
    kept.skip_to(3)
    assert [kept.after(version) for version in range(4)] == [None, None, None, []]
    kept.add(THREE)
    assert (kept.after(2), kept.after(3), events(kept.after(4))) == (None, [THREE], [b"e", b"f"])


def test_decisions_after_a_gap_are_not_joined_with_earlier_ones() -> None:
    kept = channel(ONE, THREE)
    assert (kept.after(0), kept.after(2), kept.after(3)) == (None, None, [THREE])


def test_a_partly_known_decision_is_kept_whole() -> None:
    kept = channel(THREE, version=4)
    assert (kept.after(3), events(kept.after(4)), kept.after(6)) == ([THREE], [b"e", b"f"], [])


def test_kept_bytes_are_limited_except_for_the_newest_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "KEPT_BYTES", 4)
    kept = channel(ONE, TWO, THREE)
    assert (kept.after(1), kept.after(2)) == (None, [TWO, THREE])
    kept.add(Batch(7, (b"longer than everything",)))
    assert (kept.after(5), kept.version) == (None, 7)
    assert events(kept.after(6)) == [b"longer than everything"]


def test_decisions_are_read_whole_from_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a single decision is longer than one read."""
    game = client.started().id
    for number in range(4):
        client.play(game, 3, seed=number)
        client.change(game, commands.undo(None))
    stored = client.events(game, full=True)
    for read in (1, 5, 7, 500):
        monkeypatch.setattr(service, "EVENTS_READ", read)
        for after in range(0, len(stored), 3):
            found, version = list[bytes](), after
            while version < len(stored):
                for batch in client.wait(client.service.batches(game, version)):
                    assert batch.first == version + 1
                    assert len({at_of(number, event) for number, event in enumerate(batch.events, batch.first)}) == 1
                    found += batch.events
                    version = batch.last
            assert found == list(stored[after:])
