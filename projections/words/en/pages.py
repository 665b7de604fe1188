"""The words about a game in links to its page, in English."""

from collections.abc import Iterable, Mapping, Sequence

from domain.field_types import Status
from projections.words.en.grammar import listed

_TITLES: Mapping[Status, str] = {
    "open": "Play Franchise with {}",
    "playing": "{} play Franchise",
    "finished": "{} played Franchise",
}
"""The title of a game by its status."""


def game_title(status: Status, players: Sequence[str]) -> str:
    return _TITLES[status].format(listed(players)) if players else "Play Franchise"


def game_description(state: str, influence: Iterable[tuple[str, int]]) -> str:
    """Return the state of a game, and the influence of each player."""
    standings = ", ".join(f"{player} {points} IP" for player, points in influence)
    return f"{state}. {standings}." if standings else f"{state}."
