"""A legal action with its cost and the scoring it leads to."""

from typing import Generic, TypeVar

import msgspec

from domain.actions import ActionBase
from domain.field_types import CityId, Clause, Influence, Winner

ActionT_co = TypeVar("ActionT_co", bound=ActionBase, covariant=True)


class WouldScore(msgspec.Struct, frozen=True, gc=False):
    """The scoring that an action leads to when the turn is ended: who gains how much, and by which clause (R6.3)."""

    city: CityId
    winner: Winner
    clause: Clause
    influence: Influence


class Legal(msgspec.Struct, Generic[ActionT_co], frozen=True, gc=False):
    """An action that is allowed now, the rule that allows it, its cost and the scoring it leads to."""

    action: ActionT_co
    rule: str
    cost: int = 0
    would_score: WouldScore | None = None
