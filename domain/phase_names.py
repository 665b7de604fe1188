"""The names of the base game's phases that can be seen from outside; a module names its own."""

SET_UP = "set_up"
"""Before anybody decides."""

TOWNS = "towns"
"""The players choose their first towns."""

EXPAND = "expand"
INCREASE = "increase"

OWN_TURN = (EXPAND, INCREASE)
"""The phases in which a player decides in their own turn."""

FINISHED = "finished"
