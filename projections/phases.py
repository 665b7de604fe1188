"""The phases in views."""

from typing import Annotated

from msgspec import Meta

from domain.modules import SET_UP_PHASES, TURN_PHASES
from domain.phase_names import FINISHED, SET_UP

LOBBY = "lobby"

PHASES = (LOBBY, SET_UP, *SET_UP_PHASES, *TURN_PHASES, FINISHED)
"""All phases that a view can show, in order."""


def _listed(phases: tuple[str, ...]) -> str:
    return ", ".join(f"`{phase}`" for phase in phases)


Phase = Annotated[
    str,
    Meta(
        description=f"`{LOBBY}`: before the start. `{SET_UP}`: a version before the first decision. "
        f"{_listed(SET_UP_PHASES)}: in the set-up. {_listed(TURN_PHASES)}: in a turn. `{FINISHED}`: after the end.",
        extra_json_schema={"enum": list(PHASES)},
    ),
]

PhaseText = Annotated[str, Meta(description="The phase in words.")]
