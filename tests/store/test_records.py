"""Records: a game is exported as a document; an import is verified completely or refused."""

import json
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.audit import audit
from domain.modules import GameOptions
from domain.records import RecordRefused, record_schema, verify_record
from domain.refused import Refused
from domain.store import commands
from domain.store.tokens import HOST
from domain.stream import origin, rechain
from tests.store.clients import ALL_MODULES, Client, Clock, connected, without_import
from tests.support.soak import soak_factor


@pytest.fixture(scope="module")
def record() -> bytes:
    """A game with every kind of event, some undone."""
    with connected("memory:") as client:
        started = client.started(ALL_MODULES, 3)
        for number in range(5):
            client.play(started.id, 9, number)
            client.change(started.id, commands.undo(1))
        client.change(started.id, commands.redo(None))
        client.play(started.id, 2000)
        return client.export_record(started.id)


@pytest.mark.usefixtures("clock")
def test_r8_1_a_record_of_rules_2_is_imported_as_it_is(memory: Client) -> None:
    """R8.1: red passed and left, orange passed, black left: blue had one more turn before the game ended."""
    document = (Path(__file__).parent / "rules_2/leaver_passed.record.json").read_bytes()
    imported = memory.import_record(document)
    assert without_import(memory.export_record(imported.id)) == document
    assert memory.audit(imported.id).ok
    assert imported.loaded.game is not None
    assert (imported.loaded.game.rules, imported.loaded.game.passed) == (2, (1, 2, 0))
    assert memory.audit(memory.fork(imported.id).id).ok


def test_r8_1_a_record_that_claims_other_rules_than_it_follows_is_refused(memory: Client) -> None:
    """R8.1: under rules 1 the game would have ended earlier."""
    document = json.loads((Path(__file__).parent / "rules_2/leaver_passed.record.json").read_bytes())
    events = [msgspec.json.encode(event) for event in document["events"]]
    for rules in (1, 3):
        forged = [event.replace(b'"rules":2', b'"rules":%d' % rules) for event in events]
        document["events"] = [json.loads(event) for event in rechain(document["game"], forged)]
        with pytest.raises(RecordRefused):
            memory.import_record(json.dumps(document).encode())


def test_an_exported_import_is_the_same_byte_for_byte(client: Client, record: bytes) -> None:
    change = client.import_record(record)
    assert change.id == UUID(json.loads(record)["game"])
    assert set(change.tokens) == {HOST, 0, 1, 2}
    assert without_import(client.export_record(change.id)) == record
    assert client.audit(change.id).ok
    assert client.load(change.id).table.status == "finished"
    assert client.lobby().items[0].id == change.id


def test_a_game_whose_id_is_taken_gets_another(client: Client, record: bytes) -> None:
    first, second = client.import_record(record), client.import_record(record)
    assert first.id != second.id
    assert first.loaded.game == second.loaded.game
    assert client.audit(second.id).ok
    assert client.find_token(second.tokens[HOST]) is not None


def test_an_imported_game_continues(memory: Client) -> None:
    started = memory.started()
    loaded = memory.play(started.id, 4)
    with connected("memory:") as elsewhere:
        change = elsewhere.import_record(memory.export_record(started.id))
        assert change.loaded.game == loaded.game
        elsewhere.play(change.id, 4)
        assert elsewhere.change(change.id, commands.undo(None, loaded.version)).loaded.game == loaded.game


def at_times(record: bytes, change: Callable[[int, str], str]) -> bytes:
    """A record with other times and matching digests."""
    document = json.loads(record)
    for event in document["events"]:
        event["at"] = change(event["version"], event["at"])
    events = rechain(document["game"], map(msgspec.json.encode, document["events"]))
    return msgspec.json.encode(document | {"events": [msgspec.Raw(event) for event in events]})


@pytest.mark.parametrize("wrong", [1, 40])
@pytest.mark.parametrize(
    "time", ["2026-02-30T25:61:61", "2026-02-29T12:00:00", "2026-13-01T12:00:00", "0000-01-01T00:00:00"]
)
def test_a_record_with_an_invalid_time_is_refused(memory: Client, record: bytes, time: str, wrong: int) -> None:
    document = at_times(record, lambda version, at: f"{time}.000000Z" if version == wrong else at)
    with pytest.raises(RecordRefused, match="not a valid time") as refused:
        memory.import_record(document)
    assert refused.value.where == f"event {wrong}"
    assert memory.lobby().items == ()


def test_a_record_from_the_future_is_refused(memory: Client, record: bytes, clock: Clock) -> None:
    document = at_times(record, lambda version, _: f"2030-01-01T00:00:00.{version:06d}Z")
    newest = len(json.loads(record)["events"])
    clock(f"2030-01-01T00:00:00.{newest - 1:06d}Z")
    with pytest.raises(RecordRefused, match="in the future") as refused:
        memory.import_record(document)
    assert refused.value.where == f"event {newest}"
    clock(f"2030-01-01T00:00:00.{newest:06d}Z")
    memory.import_record(document)


def test_a_record_with_events_out_of_order_is_refused(memory: Client, record: bytes) -> None:
    document = at_times(record, lambda version, _: f"2020-01-01T00:00:00.{100_000 - (version == 30):06d}Z")
    with pytest.raises(RecordRefused, match="which is before the previous event") as refused:
        memory.import_record(document)
    assert refused.value.where == "event 30"


def test_the_times_of_a_stream_never_go_back_although_the_clock_does(memory: Client, clock: Clock) -> None:
    clock("2026-05-05T12:00:00Z")
    game = memory.started().id
    clock("2026-05-05T11:00:00Z")
    memory.play(game, 3)
    fork = memory.fork(game).id
    for stream in (game, fork):
        times = {event.at for event in memory.recorded(stream)}
        assert times == {"2026-05-05T12:00:00.000000Z"}
        clock("2026-05-05T13:00:00Z")
        memory.import_record(memory.export_record(stream))


def test_a_record_can_be_imported_as_a_private_game(memory: Client, record: bytes) -> None:
    public = memory.import_record(record)
    private = memory.import_record(record, private=True)
    assert private.loaded.table.options.private
    assert private.id != public.id
    assert private.loaded.game == public.loaded.game
    assert [entry.id for entry in memory.lobby().items] == [public.id]
    assert memory.audit(private.id).ok
    again = memory.import_record(memory.export_record(private.id))
    assert again.loaded.table.options.private, "it stays private"
    before, after = memory.recorded(public.id), memory.recorded(private.id)
    same = [earlier for earlier, later in zip(before, after, strict=True) if earlier == later]
    assert len(same) == len(before) - 3, "two facts tell the options, the last one comes later"
    assert [event.at for event in before[:-1]] == [event.at for event in after[:-1]]


def test_white_space_in_a_record_does_not_matter(memory: Client, record: bytes) -> None:
    pretty = json.dumps(json.loads(record), indent=2).encode()
    assert verify_record(pretty) == verify_record(record)


def test_a_table_that_has_not_started_has_no_record(memory: Client) -> None:
    opened = memory.open_table()
    with pytest.raises(Refused):
        memory.export_record(opened.id)


def _set(path: list[Any], value: Any) -> Callable[[Any], None]:
    def damage(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return damage


def _swap(document: Any) -> None:
    events = document["events"]
    events[20], events[21] = events[21], events[20]


def _cut(document: Any) -> None:
    del document["events"][30]


def _another_game(document: Any) -> None:
    document["game"] = "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    ("damage", "where", "reason"),
    [
        (_set(["format"], "chess"), "document", "format"),
        (_set(["format_version"], 2), "document", "format_version"),
        (_set(["players"], 2), "document", "players"),
        (_set(["game"], "../../etc"), "document", "game"),
        (_set(["events"], "none"), "document", "events"),
        (_set(["events"], []), "events", "not begun"),
        (_set(["events", 3], {}), "event 4", "form"),
        (_set(["events", 9, "at"], "yesterday"), "event 10", "form"),
        (_set(["events", 9, "version"], 11), "event 10", "version"),
        (_set(["events", 14, "seat"], 4), "event 15", "digest"),
        (_set(["events", 14, "digest"], "0" * 64), "event 15", "digest"),
        (_set(["events", 14, "more"], 1), "event 15", "form"),
        (_swap, "event 21", "version"),
        (_cut, "event 31", "version"),
        (_another_game, "event 1", "digest"),
    ],
)
def test_a_damaged_record_is_refused_with_the_position_and_the_reason(
    memory: Client, record: bytes, damage: Callable[[Any], None], where: str, reason: str
) -> None:
    document = json.loads(record)
    damage(document)
    with pytest.raises(RecordRefused) as refused:
        memory.import_record(json.dumps(document).encode())
    assert refused.value.where == where
    assert reason in refused.value.detail
    assert memory.lobby().items == ()


@pytest.mark.parametrize("name", ["", "a" * 41, "An\u200bn", "\u3164", "\u0301"])
def test_a_record_with_an_invisible_name_is_refused(memory: Client, name: str) -> None:
    started = memory.open_table(2, ["Ann", name], GameOptions())
    document = memory.export_record(started.id)
    with pytest.raises(RecordRefused, match="is not a name of 1 to 40 visible characters") as refused:
        memory.import_record(document)
    assert refused.value.where == "event 3"


@pytest.mark.parametrize("document", [b"", b"{", b"[]", b"null", b"\xff", b'{"format":"franchise-record"}', b"1" * 99])
def test_other_documents_are_refused(memory: Client, document: bytes) -> None:
    with pytest.raises(RecordRefused) as refused:
        memory.import_record(document)
    assert refused.value.where == "document"


def test_records_fit_the_published_schema(record: bytes) -> None:
    published = json.loads(Path("openapi/record.schema.json").read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(record_schema()))
    validator = import_module("jsonschema").Draft202012Validator(published)
    validator.check_schema(published)
    document, kinds = json.loads(record), Counter[str]()
    for event in document["events"]:
        kinds[event["type"]] += 1
        if kinds[event["type"]] < 10:
            validator.validate({**document, "events": [event]})
    document["events"] = document["events"][:9]
    validator.validate(document)
    for path, value in ((["format"], "x"), (["events", 2, "type"], "?"), (["events", 2, "digest"], "?")):
        _set([*path], value)(document)
        assert not validator.is_valid(document)


# --- forgers who can rebuild the chain: a record is refused, or it could have been played ----------------------------

FORGERIES = 80 * soak_factor()
ODD: tuple[Any, ...] = (
    None,
    0,
    -1,
    5,
    99,
    2**63,
    -(2**70),
    1.5,
    True,
    "",
    "x",
    "detroit",
    "\0",
    "../..",
    "a" * 5000,
    [],
    {},
)


@pytest.fixture(scope="module")
def document() -> Any:
    """A game with an undo."""
    with connected("memory:") as client:
        started = client.started(ALL_MODULES, 3)
        client.play(started.id, 15)
        client.change(started.id, commands.undo(1))
        client.play(started.id, 15, seed=1)
        return json.loads(client.export_record(started.id))


def spoiled(value: Any, random: Random) -> Any:
    """The same value with one change."""
    if value and isinstance(value, dict):
        key = random.choice([*value])
        return {**value, key: spoiled(value[key], random)}
    if value and isinstance(value, list):
        index = random.randrange(len(value))
        return [*value[:index], spoiled(value[index], random), *value[index + 1 :]]
    return random.choice(ODD)


def chained(game: str, events: list[Any]) -> list[Any]:
    """The events with matching digests."""
    digest = origin(game)
    for event in events:
        event.pop("digest", None)
        digest = sha256(digest + msgspec.json.encode(event)).digest()
        event["digest"] = digest.hex()
    return events


@pytest.mark.parametrize("seed", range(FORGERIES))
def test_a_forgery_is_refused_unless_it_could_have_been_played(document: Any, seed: int) -> None:
    random = Random(seed)
    events = [dict(event) for event in document["events"]]
    index = random.randrange(len(events))
    events[index] = {**spoiled(events[index], random), "version": index + 1}
    forged = {**document, "events": chained(document["game"], events[: random.choice((index + 1, len(events)))])}
    try:
        verified = verify_record(json.dumps(forged).encode())
    except RecordRefused:
        return
    assert audit(verified.game, [*enumerate(verified.events, 1)]).ok
