"""The exceptions that refuse a decision: a stable code, the rule, and what was missing."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from msgspec import Meta

from domain.board import PlaceKind
from domain.field_types import Colour, Status


class Counts(TypedDict, total=False):
    """The fields that mean the same of what was needed and of what there was."""

    expansions: Annotated[int, Meta(description="Expansions in this turn.")]
    franchises: Annotated[int, Meta(description="Franchises of the player, in the place or in the supply.")]
    free_seats: Annotated[int, Meta(description="Seats that are free.")]
    free_spaces: Annotated[int, Meta(description="Free spaces of the town or the city.")]
    increases: Annotated[int, Meta(description="How often the city was increased in this turn.")]
    kind: Annotated[PlaceKind, Meta(description="What kind of place it is.")]
    links: Annotated[int, Meta(description="Links of the path.")]
    markers: Annotated[int, Meta(description="Expansion markers of the player in the place.")]
    money: Annotated[int, Meta(description="In dollars.")]
    own_turn: Annotated[int, Meta(description="Which turn of the player it is, counted from 1.")]
    places: Annotated[int, Meta(description="Different places of the path.")]
    players: Annotated[int, Meta(description="Players at the table.")]
    resigned: Annotated[bool, Meta(description="Whether the player has left the game.")]
    scored: Annotated[bool, Meta(description="Whether the city is scored.")]
    status: Annotated[Status, Meta(description="Whether the game goes on.")]


class BaseNeeded(Counts, total=False):
    """The things that an action of the base game would have needed."""

    bonus_tiles: Annotated[int, Meta(description="Bonus tiles that can be used.")]
    colour: Annotated[list[Colour], Meta(description="The colours that are free.")]
    free_link: Annotated[list[int] | None, Meta(description="The links that there are; null for none.")]
    linked: Annotated[str | bool, Meta(description="The place that is linked directly, or whether it is.")]
    module: Annotated[str, Meta(description="The module, in words.")]
    phase: Annotated[list[str], Meta(description="The phases for which the action is.")]
    place: Annotated[str, Meta(description="The place, in words.")]
    region: Annotated[str, Meta(description="The region, in words.")]
    seat: Annotated[int | list[int] | None, Meta(description="The seat that may act, or the seats that there are.")]
    seats: Annotated[list[int], Meta(description="For how few and for how many players a table is.")]
    tile: Annotated[str | None, Meta(description="The region tile, by its id; null for none.")]
    to: Annotated[int, Meta(description="The nearest version that may be gone back to.")]
    versions: Annotated[list[int], Meta(description="The nearest versions between two actions.")]
    value: Annotated[int | list[int], Meta(description="The value of the city tile, or those that may lie there.")]


class BaseHad(Counts, total=False):
    """The things that there were instead in the base game."""

    at: Annotated[int, Meta(description="The version that was named.")]
    bonus_tiles: Annotated[int, Meta(description="Bonus tiles of the player.")]
    colour: Annotated[Colour, Meta(description="The colour that was chosen.")]
    free_link: Annotated[int, Meta(description="The link that was named.")]
    left: Annotated[Sequence[int | str], Meta(description="The tiles that are left: values, or ids of region tiles.")]
    linked: Annotated[list[str] | bool, Meta(description="The places that are linked directly, or whether it is.")]
    modules: Annotated[list[str], Meta(description="The modules that are played with.")]
    phase: Annotated[str, Meta(description="The phase of the game.")]
    place: Annotated[str, Meta(description="The place that was named.")]
    region: Annotated[str, Meta(description="The region that was named, or its state in a word.")]
    seat: Annotated[int | None, Meta(description="The seat that was to act.")]
    seats: Annotated[int, Meta(description="The number of seats that was named.")]
    tile: Annotated[str, Meta(description="The region tile that lies there, by its id.")]
    to: Annotated[int, Meta(description="The version that was named.")]
    usable: Annotated[int, Meta(description="Those of the bonus tiles that can be used in this turn.")]
    value: Annotated[int, Meta(description="The value of the city tile.")]


Value = str | int | Sequence[str] | Sequence[int] | None
"""A value that the sentence of a refusal needs."""


class Refused(Exception):
    """A decision that the rules do not allow; nothing has happened.

    It holds no words. ``sentence`` names the sentence in ``projections/words`` that says it: the reason or the code, if
    that has only one. ``values`` are what this sentence needs: places and regions by their names, and as ``player`` the
    seat of the player whom it names.
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
        """Keep the rule that refuses, what was needed, what there was instead, and the values of the sentence."""
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
    """An action that the rules forbid in this position, for one of many reasons."""

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
        """Keep the reason beside what every refusal has; the code is always ``illegal_action``."""
        super().__init__("illegal_action", rule, needed, had, values=values, reason=reason, sentence=sentence)
