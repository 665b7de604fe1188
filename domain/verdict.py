"""How a city is decided: who has the majority, the most, or stood there first (R6.2, R6.3)."""

import msgspec

from domain.game import Game
from domain.modules.base import WouldScore
from domain.terms import Clause


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """Whose franchises decide the scoring of a city, by which clause, and what it is worth (R6.3)."""

    winner: int
    clause: Clause
    tied: tuple[int, ...]
    influence: int


def judge(franchises: tuple[int, ...], value: int, active: int) -> Verdict | None:
    """How a city with these franchises is scored after the active player's last one, or None if it is not (R6.2)."""
    if franchises.count(active) * 2 > value:
        return Verdict(active, "majority", (), value)
    if len(franchises) < value:
        return None
    most = max(franchises.count(seat) for seat in franchises)
    tied = tuple(seat for seat in dict.fromkeys(franchises) if franchises.count(seat) == most)
    clause: Clause = "most" if len(tied) == 1 else "tie_break"
    return Verdict(tied[0], clause, tied if len(tied) > 1 else (), value // 2)


def would_score(game: Game, place: int, more: int = 1) -> WouldScore | None:
    """The scoring that some more franchises of the active player in a place would lead to; in a town none (R6.2)."""
    franchises, value = game.spaces[place], game.values[place]
    seat = game.turn.seat
    for _ in range(more if value else 0):
        franchises = (*franchises, seat)
        verdict = judge(franchises, value, seat)
        if verdict is not None:
            gained = 0 if game.players[verdict.winner].resigned else verdict.influence
            return WouldScore(game.board.places[place].id, verdict.winner, verdict.clause, gained)
    return None
