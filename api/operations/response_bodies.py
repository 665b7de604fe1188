"""Response bodies that are not views of a game."""

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
    """Events in order."""

    items: tuple[Envelope, ...]
    next: Annotated[str | None, Meta(description="The `cursor` of the next page, null on the last page.")]
    version: Annotated[int, Meta(description="The newest version. Send it as `after` to wait for the next events.")]


class State(msgspec.Struct, frozen=True):
    """All views that a screen needs, of the same version."""

    version: ViewVersion
    game: Summary
    board: BoardView
    scores: Scores
    legal_moves: LegalMoves


class Moved(msgspec.Struct, frozen=True):
    """The events of a decision, and the summary after it."""

    version: int
    events: tuple[Envelope, ...]
    summary: Summary
    state: Annotated[State, Meta(description="The new state, with `include=state`.")] | UnsetType = UNSET


class Seated(msgspec.Struct, frozen=True):
    """A seat and its token, which is shown once."""

    seat: int
    name: str
    token: str


class RematchSeat(msgspec.Struct, frozen=True):
    """The table of a rematch, and the seat and the tokens there of the player or the host who asked."""

    game: Summary
    seat: Annotated[int | None, Meta(description="The seat; null for the host.")]
    token: Annotated[str, Meta(description="The token of the seat. Omitted for the host.")] | UnsetType = UNSET
    host_token: Annotated[str, Meta(description="The host's token. Only for the host.")] | UnsetType = UNSET
    invite: (
        Annotated[str, Meta(description="The invitation code, with the option `invite`. Only for the host.")]
        | UnsetType
    ) = UNSET


class SpectatorToken(msgspec.Struct, frozen=True):
    """The token of a spectator, which is shown once."""

    token: str


class HostToken(msgspec.Struct, frozen=True):
    """The new token of the host, which is shown once."""

    host_token: str


class Joined(msgspec.Struct, frozen=True):
    """The seat of a new player and its token, which is shown once."""

    seat: int
    name: str
    game: Summary
    token: Annotated[str, Meta(description="Absent for a bot.")] | UnsetType = UNSET


class Created(msgspec.Struct, frozen=True):
    """A new game with the tokens of the host and of each person at the table, which are shown once."""

    game: Summary
    host_token: str
    seats: tuple[Seated, ...]
    invite: (
        Annotated[
            str,
            Meta(
                description="The invitation code of a table with the option `invite`. Players send it to join. It "
                "expires when play begins."
            ),
        ]
        | UnsetType
    ) = UNSET


class GameRecord(msgspec.Struct, frozen=True):
    """A game as one document: all events, including undone ones, but no tokens."""

    format: Annotated[str, Meta(extra_json_schema={"const": "franchise-record"})]
    format_version: Annotated[int, Meta(extra_json_schema={"const": 1})]
    game: Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
    events: tuple[msgspec.Raw, ...]
