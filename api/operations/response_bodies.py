"""The answers that are no view of a game; most of them are put together from bytes that are ready."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.stream import Envelope
from projections.board import BoardView
from projections.legal_moves import LegalMoves
from projections.scores import Scores
from projections.summary import Summary
from projections.versions import ViewVersion


class Events(msgspec.Struct, frozen=True):
    """Events in the order of the stream."""

    items: tuple[Envelope, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the following page, null if this is the last.")]
    version: Annotated[int, Meta(description="The newest version: the `after` from which to watch on.")]


class State(msgspec.Struct, frozen=True):
    """The four views that a screen needs, all of one version."""

    version: ViewVersion
    game: Summary
    board: BoardView
    scores: Scores
    legal_moves: LegalMoves


class Moved(msgspec.Struct, frozen=True):
    """The events that a decision brought about."""

    version: int
    events: tuple[Envelope, ...]
    summary: Summary
    state: Annotated[State, Meta(description="With `include=state`: the state after it.")] | UnsetType = UNSET


class Seated(msgspec.Struct, frozen=True):
    """A place at the table, with the token that plays it. The token is shown this once."""

    seat: int
    name: str
    token: str


class Admitted(msgspec.Struct, frozen=True):
    """A spectator's token, which reads the game and does nothing else. It is shown this once."""

    token: str


class HostToken(msgspec.Struct, frozen=True):
    """The host's new token. It is shown this once."""

    host_token: str


class Joined(msgspec.Struct, frozen=True):
    """The seat that was taken, with the token that plays it. The token is shown this once."""

    seat: int
    name: str
    game: Summary
    token: Annotated[str, Meta(description="Not there for a bot, which plays by itself.")] | UnsetType = UNSET


class Created(msgspec.Struct, frozen=True):
    """A new game, with a token for the host and one for each person who has a seat. They are shown this once."""

    game: Summary
    host_token: str
    seats: tuple[Seated, ...]
    invite: (
        Annotated[
            str,
            Meta(
                description="With the option `invite`, if play has not begun: the code that players send to sit down. "
                "Give it to those whom you invite; it ends when play begins."
            ),
        ]
        | UnsetType
    ) = UNSET


class GameRecord(msgspec.Struct, frozen=True):
    """A game as one document: every event of its stream, what was taken back included, and no tokens.

    Its form is checked here, its contents when the record is verified.
    """

    format: Annotated[str, Meta(extra_json_schema={"const": "franchise-record"})]
    format_version: Annotated[int, Meta(extra_json_schema={"const": 1})]
    game: Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
    events: tuple[msgspec.Raw, ...]
