"""The answers that are no view of a game; most of them are put together from bytes that are ready."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.modules import Options
from domain.table import Status
from projections.summary import ForkedFrom, Summary

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Event(msgspec.Struct, frozen=True):
    """Something that happened at a table, told apart by `type`: the fact, its position and its time."""

    version: Annotated[int, Meta(ge=1, description="Its position in the stream of the game.")]
    at: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z$",
            description="When it was stored, in UTC (RFC 3339). The digest covers it: keep it as it is.",
        ),
    ]
    digest: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            description="SHA-256 over the digest before and this event: none can be changed unseen.",
        ),
    ]


class Events(msgspec.Struct, frozen=True):
    """Events in the order of the stream."""

    items: tuple[Event, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the following page, null if this is the last.")]
    version: Annotated[int, Meta(description="The newest version: the `after` from which to watch on.")]


class Moved(msgspec.Struct, frozen=True):
    """The events that a decision brought about."""

    version: int
    events: tuple[Event, ...]
    summary: Summary


class Seated(msgspec.Struct, frozen=True):
    """A place at the table, with the token that plays it. The token is shown this once."""

    seat: int
    name: str
    token: str


class Joined(msgspec.Struct, frozen=True):
    """The seat that was taken, with the token that plays it. The token is shown this once."""

    seat: int
    name: str
    token: str
    game: Summary


class Created(msgspec.Struct, frozen=True):
    """A new game, with a token for the host and one for each seat that is taken. They are shown this once."""

    game: Summary
    host_token: str
    seats: tuple[Seated, ...]


class GameLine(msgspec.Struct, frozen=True):
    """A game as the list shows it. `read_game` tells more, such as whose turn it is."""

    id: UUID
    status: Status
    version: Annotated[int, Meta(description="Its version when it was last listed anew; it may have grown since.")]
    seats: int
    players: tuple[str, ...]
    options: Options
    opened: Time
    changed: Annotated[Time, Meta(description="When somebody last sat down, or play began, ended or was taken back.")]
    winners: tuple[int, ...] | None
    forked_from: ForkedFrom | None


class GameList(msgspec.Struct, frozen=True):
    """A page of games, the newest first."""

    items: tuple[GameLine, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the following page, null if this is the last.")]


class RecordedEvent(msgspec.Struct, frozen=True):
    """The part of a recorded event that is looked at before the record is verified; documented as `Event`."""

    type: str


class Record(msgspec.Struct, frozen=True):
    """A game as one document: every event of its stream, what was taken back included, and no tokens.

    Its form is checked here, its contents when the record is verified.
    """

    format: Annotated[str, Meta(extra_json_schema={"enum": ["franchise-record"]})]
    format_version: Annotated[int, Meta(extra_json_schema={"enum": [1]})]
    game: Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
    events: tuple[RecordedEvent, ...]
