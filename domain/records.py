"""Portable records: a whole game as one JSON document that another server can verify and continue."""

import inspect
from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated, Any, Literal, get_args

import msgspec

from domain.audit import find_wrong_fact, times_of
from domain.modules import Fact, GameStarted
from domain.player_names import MAX_LENGTH, is_player_name
from domain.refused import Refused
from domain.seating import take_seat
from domain.stream import BrokenChain, Envelope, UnreadableEvent, fact_of, verify
from domain.table import change_table, new_table
from domain.table_facts import SeatTaken

FORMAT = "franchise-record"
FORMAT_VERSION = 1

UuidText = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
"""The id of a game in documents."""


class RecordDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game with all events of its stream, including events that were taken back."""

    format: Literal["franchise-record"]
    format_version: Literal[1]
    game: UuidText
    events: tuple[dict[str, Any], ...]


class Verified(msgspec.Struct, frozen=True):
    """A record whose digests and decisions were verified."""

    game: str
    events: tuple[bytes, ...]
    facts: tuple[Fact, ...]


class RecordRefused(ValueError):
    """A record that cannot be imported: the position of the error, and the reason."""

    def __init__(self, where: str, detail: str) -> None:
        super().__init__(f"{where}: {detail}")
        self.where = where
        self.detail = detail


def record(game: str, events: Sequence[bytes]) -> bytes:
    """Return the record of a game as JSON."""
    head = f'{{"format":"{FORMAT}","format_version":{FORMAT_VERSION},"game":"{game}","events":['
    return b"%b%b]}" % (head.encode(), b",".join(events))


def verify_record(document: bytes) -> Verified:
    """Read a record and verify its form, its chain of digests and its decisions."""
    try:
        document.decode()  # msgspec does not check the encoding of strings that it does not decode
        found = msgspec.json.decode(document, type=RecordDocument)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordRefused("document", str(error)) from error
    events = tuple(msgspec.json.encode(event) for event in found.events)
    facts = _verified_facts(found.game, events)
    difference = find_wrong_fact(facts, times_of([*enumerate(events, 1)]))
    if difference is not None:
        raise RecordRefused(f"event {difference.version}", difference.compared)
    _check_names(facts)
    return Verified(found.game, events, facts)


def _check_names(facts: Sequence[Fact]) -> None:
    """Refuse players whose names are too similar by today's rules, which the audit does not apply."""
    table = new_table(facts[0])
    for version, fact in enumerate(takewhile(lambda fact: not isinstance(fact, GameStarted), facts[1:]), 2):
        if isinstance(fact, SeatTaken):
            try:
                take_seat(table, fact.name, fact.colour, fact.bot)
            except Refused as refused:  # the audit has already checked everything else about a seat
                raise RecordRefused(f"event {version}", f"a name like {fact.name!r} is taken") from refused
        table = change_table(table, version, fact)


def _verified_facts(game: str, events: Sequence[bytes]) -> tuple[Fact, ...]:
    try:
        verify(game, events)
        facts = tuple(fact_of(version, event) for version, event in enumerate(events, 1))
    except BrokenChain as broken:
        detail = f"{broken.what} is {broken.stored!r} where {broken.expected!r} was expected"
        raise RecordRefused(f"event {broken.version}", detail) from broken
    except UnreadableEvent as unreadable:
        raise RecordRefused(f"event {unreadable.version}", unreadable.detail) from unreadable
    for version, fact in enumerate(facts, 1):
        if isinstance(fact, SeatTaken) and not is_player_name(fact.name):
            detail = f"{fact.name[:MAX_LENGTH]!r} is not a name of 1 to {MAX_LENGTH} visible characters"
            raise RecordRefused(f"event {version}", detail)
    if not any(isinstance(fact, GameStarted) for fact in facts):
        raise RecordRefused("events", "play has not begun")
    return facts


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of records."""
    _, parts = msgspec.json.schema_components([RecordDocument], ref_template="#/$defs/{name}")
    facts, fact_parts = msgspec.json.schema_components(get_args(Fact), ref_template="#/$defs/{name}")
    parts |= fact_parts
    envelope = msgspec.json.schema(Envelope)["$defs"]["Envelope"]["properties"]
    for fact in get_args(Fact):
        parts[fact.__name__] = _event_schema(parts[fact.__name__], fact, envelope)
    body = parts.pop("RecordDocument")
    body["properties"]["events"]["items"] = {"oneOf": list(facts)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Record of a game of Franchise",
        "description": "A game with all events of its stream, including events that were taken back.",
        **{key: value for key, value in body.items() if key not in ("title", "description")},
        "$defs": parts,
    }


def _event_schema(schema: dict[str, Any], fact: type[Fact], envelope: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a stored event: its fact and the fields of the envelope."""
    return {
        **schema,
        "description": inspect.getdoc(fact),
        "properties": {**envelope, **schema["properties"]},
        "required": [*envelope, *schema["required"]],
        "additionalProperties": False,
    }
