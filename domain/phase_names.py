"""The public names of the base game's phases. A module names its own phases."""

SET_UP = "set_up"
"""The time before the first decision."""

TOWNS = "towns"

EXPAND = "expand"
INCREASE = "increase"

OWN_TURN = (EXPAND, INCREASE)
"""The phases in which the active player decides."""

FINISHED = "finished"
