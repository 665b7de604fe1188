"""Playing on by itself from phase to phase until a player has to decide."""

from domain.base.phases import PhaseOrder
from domain.game import DecisionBuilder, Phase
from domain.modules import PhaseBegan


def advance(builder: DecisionBuilder, order: PhaseOrder, phase: Phase) -> None:
    """Play on from the beginning of a phase until somebody has to decide or the game is over."""
    while builder.game.ending is None:
        if phase.automatic is not None:
            phase.automatic(builder)
        elif phase.chooser is not None and (seat := phase.chooser(builder.game)) is not None:
            if (phase.name, seat) != (builder.game.phase, builder.game.to_play):
                builder.append(PhaseBegan(phase.name, seat))
            return
        phase = order.following[phase]
