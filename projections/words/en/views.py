"""Phases, endings, hints and notes in English."""

from collections.abc import Iterable, Mapping, Sequence

from domain.field_types import ActedBy, DecidedBy, EndReason
from domain.table_facts import Rematched, SeatHandedOver, SeatLeftToBot, SeatTakenBack, TokenRenewed
from projections.words.en.grammar import listed

PHASES: Mapping[str, str] = {
    "lobby": "Waiting for players",
    "set_up": "Set-up",
    "city_tiles": "Set-up: lay the city tiles",
    "region_tiles": "Set-up: lay the region tiles",
    "towns": "Set-up: choose a town",
    "place_boom": "Set-up: place the Boom marker",
    "boom": "Move the Boom marker or leave it",
    "expand": "Expand and increase",
    "increase": "Increase market share",
    "finished": "Game over",
}
"""The title of each phase."""

_ENDS: Mapping[EndReason, str] = {
    "red_zone": "a region tile lies in the red zone",
    "no_expansion": "nobody has expanded for a whole round",
    "resigned": "all other players have left",
}


def ending_text(reason: EndReason, decided_by: DecidedBy, winners: Sequence[str]) -> str:
    """Return the reason of the end, the winners, and the deciding criterion."""
    names = listed(winners)
    won: Mapping[DecidedBy, str] = {
        "influence": f"{names} wins with the most influence.",
        "towns": f"{names} wins: tied on influence, but with the most franchises in towns.",
        "shared": f"{names} share the victory, tied on influence and on franchises in towns.",
        "last_player": f"{names} wins as the last player.",
    }
    return f"The game is over: {_ENDS[reason]}. {won[decided_by]}"


ONLY_ACTION = "It is the only legal action."


def best_action(actions: int) -> str:
    return f"The best of {actions} actions: it leads to the strongest position at the end of your turn."


def city_would_score(city: str, winner: str, influence: int) -> str:
    return f"{city} scores at the end of the turn and brings {winner} {influence} IP."


def chance_of_winning(player: str, chance: float) -> str:
    return f"As the game stands, {player} has about a {chance:.0%} chance of winning."


def line_text(effects: Iterable[str], by: ActedBy) -> str:
    """Return the sentences of an action, and whose token acted unless it was the player's own."""
    return " ".join([*effects, *_ACTED.get(by, ())])


_ACTED: dict[ActedBy, tuple[str, ...]] = {
    "host": ("(Played by the host.)",),
    "bot": ("(Played by a bot.)",),
    "stand_in": ("(Played by a stand-in.)",),
}


Note = TokenRenewed | Rematched | SeatLeftToBot | SeatTakenBack | SeatHandedOver


def note_text(fact: Note, player: str | None) -> str:
    """Return the sentence of a note. A renewal without a player is that of the host's token."""
    match fact:
        case Rematched():
            return "A rematch was opened."
        case SeatLeftToBot():
            return f"{player} is absent: a {fact.bot} bot plays for them."
        case SeatTakenBack():
            return f"{player} is back."
        case SeatHandedOver():
            return f"{fact.name} takes the seat of {player}."
        case TokenRenewed():
            return _renewal_text(fact, player)


def _renewal_text(fact: TokenRenewed, player: str | None) -> str:
    who = "An operator" if fact.by == "operator" else "The host"
    if player is None:
        return f"{who} renewed the host's token."
    if fact.by == "holder":
        return f"{player} renewed the token of their seat."
    return f"{who} issued a new token for {player}."
