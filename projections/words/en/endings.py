"""The end of a game in English."""

from collections.abc import Mapping, Sequence

from domain.field_types import DecidedBy, EndReason
from projections.words.en.grammar import listed

_REASONS: Mapping[EndReason, str] = {
    "red_zone": "a region tile lies in the red zone",
    "no_expansion": "nobody has expanded for a whole round",
    "resigned": "all other players have left",
}


def ending_text(reason: EndReason, decided_by: DecidedBy, winners: Sequence[str]) -> str:
    """Return why the game is over, who has won, and what decided it."""
    names = listed(winners)
    won: Mapping[DecidedBy, str] = {
        "influence": f"{names} wins with the most influence.",
        "towns": f"{names} wins: tied on influence, but with the most franchises in towns.",
        "shared": f"{names} share the victory, tied on influence and on franchises in towns.",
        "last_player": f"{names} wins as the last player.",
    }
    return f"The game is over: {_REASONS[reason]}. {won[decided_by]}"
