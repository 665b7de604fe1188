"""A legal action with its cost and the scoring that it causes."""

from typing import Generic, TypeVar

import msgspec

from domain.actions import ActionBase
from domain.field_types import CityId, Clause, Influence, Winner

ActionT_co = TypeVar("ActionT_co", bound=ActionBase, covariant=True)


class WouldScore(msgspec.Struct, frozen=True, gc=False):
    """The scoring of a city at the end of the turn if the action is taken (R6.3)."""

    city: CityId
    winner: Winner
    clause: Clause
    influence: Influence


class Legal(msgspec.Struct, Generic[ActionT_co], frozen=True, gc=False):
    """A legal action, the rule that allows it, its cost and the scoring that it causes."""

    action: ActionT_co
    rule: str
    cost: int = 0
    would_score: WouldScore | None = None
