"""Stored streams: the format of events, and old streams stay readable."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from domain.audit import audit
from domain.game import Game
from domain.modules import Fact, GameOptions, TableOpened
from domain.records import verify_record
from domain.stream import BrokenChain, Recorded, UnreadableEvent, fact_of, origin, read, renumber, verify, write
from domain.table_facts import GameForked, SeatTaken, UndoProposed
from domain.timeline import follow

OLD = Path(__file__).parents[1] / "streams"
NOON = "2026-01-31T12:00:00.000000Z"
FACTS: list[Fact] = [
    TableOpened(seats=2, options=GameOptions()),
    SeatTaken(0, "Ann", "blue"),
    SeatTaken(1, "Bob", "red"),
]


def test_an_event_is_the_fact_with_its_version_time_and_digest() -> None:
    events, digest = write(0, origin("g"), NOON, FACTS)
    assert events[1].startswith(b'{"version":2,"at":"2026-01-31T12:00:00.000000Z","type":"seat_taken","seat":0,')
    bare = events[1].partition(b',"digest"')[0] + b"}"
    previous = bytes.fromhex(json.loads(events[0])["digest"])
    assert json.loads(events[1])["digest"] == sha256(previous + bare).hexdigest()
    assert json.loads(events[2])["digest"] == digest.hex()


def test_the_first_digest_names_the_game() -> None:
    bare = write(0, origin("g"), NOON, FACTS)[0][0].partition(b',"digest"')[0] + b"}"
    expected = sha256(sha256(b"franchise g").digest() + bare).hexdigest()
    assert json.loads(write(0, origin("g"), NOON, FACTS)[0][0])["digest"] == expected
    assert write(0, origin("g"), NOON, FACTS) != write(0, origin("h"), NOON, FACTS)


@pytest.mark.parametrize("after", [0, 8, 98, 99_998])
def test_written_events_can_be_read(after: int) -> None:
    events, _ = write(after, b"", NOON, FACTS)
    read_again = [read(version, event) for version, event in enumerate(events, after + 1)]
    assert read_again == [Recorded(version, NOON, fact) for version, fact in enumerate(FACTS, after + 1)]


def test_facts_have_no_fields_that_events_add() -> None:
    for fact in get_args(Fact):
        assert not {"version", "at", "digest", "type"} & set(fact.__struct_encode_fields__), fact


def test_events_of_a_newer_program_are_refused_and_not_dropped() -> None:
    (event,), _ = write(3, b"", NOON, [SeatTaken(0, "Ann", "blue")])
    newer = event.replace(b'"colour":', b'"mood":"merry","colour":')
    with pytest.raises(UnreadableEvent, match=r"event 4 cannot be read: .*mood"):
        fact_of(4, newer)
    with pytest.raises(UnreadableEvent, match="seat_given"):
        fact_of(4, event.replace(b"seat_taken", b"seat_given"))


def test_a_copy_is_renumbered_and_chained_again() -> None:
    recorded = [Recorded(n, NOON, fact) for n, fact in ((1, FACTS[0]), (7, FACTS[1]))]
    copies = renumber("copy", recorded)
    verify("copy", copies)
    assert [json.loads(copy)["version"] for copy in copies] == [1, 2]


def test_other_bytes_with_the_same_meaning_are_refused() -> None:
    events, _ = write(0, origin("g"), NOON, FACTS)
    for old, new in ((b'"seat":0', b'"seat": 0'), (b"Ann", rb"\u0041nn"), (b'"}', b'"} ')):
        with pytest.raises(BrokenChain) as broken:
            verify("g", [events[0], events[1].replace(old, new), events[2]])
        assert broken.value.version == 2


@pytest.mark.parametrize("file", sorted(OLD.glob("*.json")), ids=lambda file: file.stem)
def test_an_old_stream_still_loads_to_the_same_game(file: Path) -> None:
    """Never rewrite these files: streams like them are in use."""
    verified = verify_record(file.read_bytes())
    rows = list(enumerate(verified.events, 1))
    assert audit(verified.game, rows).ok
    timeline = follow(None, verified.facts)
    assert timeline.game is not None
    assert shown(timeline.game) == json.loads(file.with_suffix(".told").read_text(encoding="utf-8"))


def test_an_old_stream_has_every_fact_of_a_table() -> None:
    streams = [verify_record(file.read_bytes()).facts for file in OLD.glob("*.json")]
    seen = {type(fact).__name__ for facts in streams for fact in facts}
    assert {"TableOpened", "SeatTaken", "TableClosed", "UndoProposed", "UndoAnswered", "Undone", "Redone"} <= seen
    assert {GameForked.__name__, UndoProposed.__name__} <= seen


def shown(game: Game) -> Any:
    """Return everything that all players can see of a game."""
    seen = msgspec.json.encode(
        {
            "players": [[p.money, p.influence, p.supply, p.bonus_tiles, p.resigned] for p in game.players],
            "spaces": game.spaces,
            "values": game.values,
            "track": [tile.id for tile in game.track],
            "phase": game.phase,
            "to_play": game.to_play,
            "ending": game.ending,
        }
    )
    return json.loads(seen)
