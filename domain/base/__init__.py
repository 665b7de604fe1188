"""The base game by steps: each file has the legal actions, refusals, consequences and folds of one step.

The tables below join the tables of all steps, by type of action or fact.
"""

from domain.base import (
    bonus_tiles,
    city_scoring,
    expand,
    game_end,
    income,
    increase,
    lay_tiles,
    region_scoring,
    resign,
    set_up,
    turn,
)
from domain.game import Consequences, Folds, Refusals

CONSEQUENCES: Consequences = {
    **set_up.CONSEQUENCES,
    **expand.CONSEQUENCES,
    **increase.CONSEQUENCES,
    **bonus_tiles.CONSEQUENCES,
    **turn.CONSEQUENCES,
}

REFUSALS: Refusals = {
    **set_up.REFUSALS,
    **expand.REFUSALS,
    **increase.REFUSALS,
    **bonus_tiles.REFUSALS,
    **turn.REFUSALS,
}

FOLDS: Folds = {
    **set_up.FOLDS,
    **lay_tiles.FOLDS,
    **turn.FOLDS,
    **income.FOLDS,
    **expand.FOLDS,
    **increase.FOLDS,
    **bonus_tiles.FOLDS,
    **city_scoring.FOLDS,
    **region_scoring.FOLDS,
    **game_end.FOLDS,
    **resign.FOLDS,
}
