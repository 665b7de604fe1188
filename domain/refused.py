"""The exceptions for refused decisions: a stable code, the rule, and what was missing."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from msgspec import Meta

from domain.board import PlaceKind
from domain.field_types import Colour, Status


class Counts(TypedDict, total=False):
    """Fields with the same meaning in `needed` and `had`."""

    expansions: Annotated[int, Meta(description="The number of expansions in this turn.")]
    franchises: Annotated[
        int, Meta(description="The number of franchises of the player, in the place or in the supply.")
    ]
    free_seats: Annotated[int, Meta(description="The number of free seats.")]
    free_spaces: Annotated[int, Meta(description="The number of free spaces of the town or the city.")]
    increases: Annotated[int, Meta(description="How often the city was increased in this turn.")]
    kind: Annotated[PlaceKind, Meta(description="Whether the place is a town or a city.")]
    links: Annotated[int, Meta(description="The number of links of the path.")]
    markers: Annotated[int, Meta(description="The number of the player's expansion markers in the place.")]
    money: Annotated[int, Meta(description="The money in dollars.")]
    own_turn: Annotated[int, Meta(description="The number of the player's own turn, from 1.")]
    places: Annotated[int, Meta(description="The number of different places on the path.")]
    players: Annotated[int, Meta(description="The number of players at the table.")]
    resigned: Annotated[bool, Meta(description="Whether the player has left the game.")]
    scored: Annotated[bool, Meta(description="Whether the city is scored.")]
    status: Annotated[Status, Meta(description="The status of the game.")]


class BaseNeeded(Counts, total=False):
    """The conditions that an action of the base game did not meet."""

    at: Annotated[str | None, Meta(description="The time from which it is allowed; null for never.")]
    bonus_tiles: Annotated[int, Meta(description="The number of usable bonus tiles.")]
    colour: Annotated[list[Colour], Meta(description="The free colours.")]
    free_link: Annotated[
        list[int] | None, Meta(description="The indexes of the path's links; null if no link may be free.")
    ]
    linked: Annotated[
        str | bool, Meta(description="The place that must be linked directly, or whether a direct link is needed.")
    ]
    module: Annotated[str, Meta(description="The required module, in words.")]
    phase: Annotated[list[str], Meta(description="The phases in which the action is allowed.")]
    place: Annotated[str, Meta(description="The allowed place, in words.")]
    region: Annotated[str, Meta(description="The allowed region, in words.")]
    seat: Annotated[int | list[int] | None, Meta(description="The seat that may act, or the seats of the table.")]
    seats: Annotated[list[int], Meta(description="The lowest and the highest number of seats.")]
    tile: Annotated[str | None, Meta(description="The id of the region tile; null if no tile may lie there.")]
    to: Annotated[int, Meta(description="The nearest version to which an undo can go back.")]
    versions: Annotated[list[int], Meta(description="The nearest versions between two actions.")]
    value: Annotated[int | list[int], Meta(description="The value of the city tile, or the values that are allowed.")]


class BaseHad(Counts, total=False):
    """The actual situation in the base game."""

    at: Annotated[int, Meta(description="The version in the request.")]
    bonus_tiles: Annotated[int, Meta(description="The number of bonus tiles of the player.")]
    colour: Annotated[Colour, Meta(description="The colour in the request.")]
    free_link: Annotated[int, Meta(description="The index of the link in the request.")]
    left: Annotated[
        Sequence[int | str], Meta(description="The remaining tiles: values of city tiles, or ids of region tiles.")
    ]
    linked: Annotated[
        list[str] | bool, Meta(description="The places that are linked directly, or whether there is a direct link.")
    ]
    modules: Annotated[list[str], Meta(description="The modules of this game.")]
    now: Annotated[str, Meta(description="The time of the request.")]
    phase: Annotated[str, Meta(description="The current phase.")]
    place: Annotated[str, Meta(description="The place in the request.")]
    region: Annotated[str, Meta(description="The region in the request, or the state of the region in one word.")]
    seat: Annotated[int | None, Meta(description="The seat in the request.")]
    seats: Annotated[int, Meta(description="The number of seats in the request.")]
    tile: Annotated[str, Meta(description="The id of the region tile that lies there.")]
    to: Annotated[int, Meta(description="The version in the request.")]
    usable: Annotated[int, Meta(description="The number of bonus tiles that can be used in this turn.")]
    value: Annotated[int, Meta(description="The value of the city tile.")]


Value = str | int | Sequence[str] | Sequence[int] | None
"""A value in the sentence of a refusal."""


class Refused(Exception):
    """A decision that the rules do not allow. It changes nothing.

    ``sentence`` names the sentence in ``projections/words``: the reason, or else the code, unless one reason has
    several sentences. ``values`` fill in the sentence: names of places and regions, and the seat of the player as
    ``player``.
    """

    def __init__(
        self,
        code: str,
        rule: str,
        needed: BaseNeeded | None = None,
        had: BaseHad | None = None,
        *,
        values: Mapping[str, Value] | None = None,
        reason: str | None = None,
        sentence: str | None = None,
    ) -> None:
        details = ", ".join(f"{name} {value}" for name, value in (values or {}).items())
        super().__init__(f"{reason or code} ({rule}){': ' * bool(details)}{details}")
        self.code = code
        self.rule = rule
        self.needed: BaseNeeded = needed or {}
        self.had: BaseHad = had or {}
        self.reason = reason
        self.sentence = sentence or reason or code
        self.values: Mapping[str, Value] = values or {}
        self.index: int | None = None
        """The index of the action in a list that was to be played together."""


class IllegalAction(Refused):
    """An action that is illegal in this position. Its code is ``illegal_action``, its ``reason`` says why."""

    def __init__(
        self,
        reason: str,
        rule: str,
        needed: BaseNeeded | None = None,
        had: BaseHad | None = None,
        *,
        values: Mapping[str, Value] | None = None,
        sentence: str | None = None,
    ) -> None:
        super().__init__("illegal_action", rule, needed, had, values=values, reason=reason, sentence=sentence)
