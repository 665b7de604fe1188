"""The words in pictures and in their descriptions, in English."""

from collections.abc import Iterable, Mapping, Sequence

from domain.board import PlaceKind, TileKind
from projections.words.en.grammar import count, listed

OPEN_SEAT = "open seat"
HAS_LEFT = "has left"
RED_ZONE = "Red zone: game end"
TURNS = "turns"
FINAL_COUNT = "final count"
NO_FRANCHISES = "No franchises."

HEADS: Mapping[str, str] = {
    "franchises": "Franchises",
    "markers": "Expansion markers",
    "centre": "In the centre",
    "scored_cities": "Scored cities",
    "boom": "Boom marker",
    "closed_regions": "Closed regions",
    "scored_regions": "Scored regions",
    "region_tiles": "Region tiles",
    "tie_breaks": "Tie-break markers",
    "track": "Region track",
    "milestones": "Milestones",
}
"""The headings of the lists in a description."""

TILE_CAPTIONS: Mapping[TileKind, str] = {
    "influence": "",
    "dollars": "dollars",
    "bonus_tile": "bonus",
    "regions": "regions",
    "development": "develop",
    "route": "route",
}
"""The caption of each kind of region tile."""

REGION_CAPTIONS: Mapping[str, str] = {"scored": "scored", "closed": "closed"}
"""The captions of regions without a tile."""

LEGEND: Mapping[str, str] = {
    "city": "City with its value, the number of its spaces",
    "town": "Town, with one space",
    "price": "Cost of a link in dollars",
    "tile": "Region tile: influence for the first, the second, the others",
}
"""The meanings of the symbols on the map."""


# --- titles and labels -------------------------------------------------------------------------------------------


def open_table(taken: int, seats: int) -> str:
    return f"Open table: {taken} of {count(seats, 'seat')} taken"


def game_won(winners: Sequence[str]) -> str:
    return f"Game over: {listed(winners)} won"


def game_played(turn: int, player: str | None) -> str:
    moment = f"Turn {turn}" if turn else "Set-up"
    return moment if player is None else f"{moment}: {player} to play"


def board_title(state: str) -> str:
    return f"Franchise. {state}"


def map_title(players: int) -> str:
    return f"The map for {players} players"


def plot_title(state: str) -> str:
    return f"Franchise. Influence over the turns. {state}"


def plot_heading(state: str) -> str:
    return f"Influence after each turn. {state}"


def seat_name(letter: str) -> str:
    return f"seat {letter}"


def influence_label(influence: int) -> str:
    return f"{influence} IP"


def supply_label(supply: int) -> str:
    return f"{supply} to place"


# --- descriptions ------------------------------------------------------------------------------------------------


def list_text(head: str, items: Iterable[str]) -> str:
    """Return a sentence with a list; ``head`` is a key of ``HEADS``."""
    return f"{HEADS[head]}: {', '.join(items)}."


def place_kind(kind: PlaceKind, value: int, *, scored: bool, closed: bool) -> str:
    text = "scored city" if scored else f"city of {value}" if value and kind == "city" else kind
    return f"{text}, closed" if closed else text


def marker_of(player: str) -> str:
    return f"marker of {player}"


def centre_of(player: str, number: int) -> str:
    return f"{number} in the centre for {player}"


def player_in(player: str, place: str) -> str:
    return f"{player} in {place}"


def milestone_by(milestone: str, players: Iterable[str]) -> str:
    return f"{milestone} by {listed(players)}"


def player_has(player: str, letter: str, colour: str, influence: int, money: int, supply: int) -> str:
    return f"{player} ({letter}, {colour}) has {influence} influence, ${money}, {count(supply, 'franchise')} left."


def player_has_left(player: str) -> str:
    return f"{player} has left the game."


def player_influence(player: str, letter: str, colour: str, influence: int) -> str:
    return f"{player} ({letter}, {colour}) has {influence} influence."


def influence_after(turns: int, influence: Iterable[int]) -> str:
    return f"After {count(turns, 'turn')}: {', '.join(map(str, influence))}."


def influence_before_final_count(influence: Iterable[int]) -> str:
    return f"Before the final count: {', '.join(map(str, influence))}."
