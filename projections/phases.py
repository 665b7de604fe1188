"""The phases that a view can name."""

from typing import Annotated

from msgspec import Meta

from domain.terms import DECIDING

PHASES = ("lobby", "set_up", *DECIDING, "finished")
"""Every phase in which a table can be looked at, in their order."""

PhaseName = Annotated[
    str,
    Meta(
        description="`lobby` before the start; `set_up` at a version inside the set-up, before anybody decides; "
        "`city_tiles`, `region_tiles`, `towns`, `place_boom` in the set-up; `boom`, `expand`, `increase` in a turn; "
        "`finished` after the end.",
        extra_json_schema={"enum": list(PHASES)},
    ),
]
