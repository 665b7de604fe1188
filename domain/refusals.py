"""Why an action is not allowed: a stable code, the rule, and what was missing.

Nothing here decides what is legal, ``legal_actions`` does; an action that it does not list is explained here.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from domain.actions import Action, ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.board import members
from domain.game import Game


class Refused(Exception):
    """A decision that the rules do not allow; nothing has happened."""

    def __init__(
        self,
        code: str,
        rule: str,
        detail: str,
        needed: dict[str, Any] | None = None,
        had: dict[str, Any] | None = None,
    ) -> None:
        """Tell which rule refuses, in a sentence, with what it would have needed and what was there."""
        super().__init__(detail)
        self.code = code
        self.rule = rule
        self.detail = detail
        self.needed = needed or {}
        self.had = had or {}


def check_seat(game: Game, action: Action, seat: int | None) -> int:
    """The seat that takes an action; raises ``Refused`` if it is not theirs to take."""
    if game.ending is not None:
        raise Refused("game_over", "R8.1", "The game is over.", {"status": "playing"}, {"status": "finished"})
    seat = game.to_play if seat is None else seat
    if seat is None or seat not in game.seats:
        detail = f"There is no seat {seat} at this table."
        raise Refused("unknown_seat", "R2.1", detail, {"seat": list(game.seats)}, {"seat": seat})
    if game.players[seat].resigned:
        detail = "Who has resigned decides nothing more."
        raise Refused("resigned", "R13.1", detail, {"resigned": False}, {"resigned": True})
    if seat != game.to_play and not isinstance(action, Resign):
        raise Refused(
            "not_your_turn", "R2.1", f"It is the turn of seat {game.to_play}.", {"seat": game.to_play}, {"seat": seat}
        )
    return seat


def refusal(game: Game, action: Action) -> Refused:
    """Why an action that is not legal is not: the most basic reason that applies."""
    return next(_reasons(game, action))


def _reasons(game: Game, action: Action) -> Iterator[Refused]:
    phases, rule, reasons = _REASONS.get(type(action), ((), "", None))
    if phases and game.phase not in phases:
        too_late = game.phase == "increase" and "expand" in phases
        yield wrong_phase(game, phases, "R5.1" if too_late else rule)
    if reasons is not None:
        yield from reasons(game, action)
    for module in game.modules:
        reason = module.refuse(game, action)
        if reason is not None:
            yield reason
    if isinstance(action, Expand | ExpandAgain):
        yield from _one_paid_link(game, action)
    detail = "This game is played without the variant or expansion that this action belongs to."
    played = [type(module).__name__ for module in game.modules]
    yield Refused("illegal_action", "R13.2", detail, {"module": "one with this action"}, {"modules": played})


def wrong_phase(game: Game, phases: tuple[str, ...], rule: str) -> Refused:
    """The action belongs to another phase of the set-up or the turn."""
    return Refused(
        "wrong_phase",
        rule,
        f"This is for the phase {' or '.join(phases)}, the game is in the phase {game.phase}.",
        {"phase": list(phases)},
        {"phase": game.phase},
    )


def unknown_place(place: str) -> Refused:
    """The map has no such place."""
    return Refused(
        "unknown_place",
        "R1.1",
        f"There is no place {place!r} on this board.",
        {"place": "one of the board"},
        {"place": place},
    )


def not_a_city(game: Game, place: str, rule: str) -> Refused:
    """The place is a town, or a city that is out of play."""
    if 1 << game.board.number[place] & game.closed:
        return closed(game, place)
    return Refused("not_a_city", rule, f"{place} is a town.", {"kind": "city"}, {"kind": "town"})


def no_money(game: Game, cost: int, rule: str) -> Refused:
    """The active player cannot pay."""
    money = game.active.money
    return Refused("no_money", rule, f"It costs ${cost}, the player has ${money}.", {"money": cost}, {"money": money})


# --- set-up ----------------------------------------------------------------------------------------------------


def _towns(game: Game, action: ChooseTown) -> Iterator[Refused]:
    town = action.town
    if town not in game.board.number:
        yield unknown_place(town)
    bit = 1 << game.board.number[town]
    if not bit & game.board.towns:
        yield Refused("not_a_town", "R2.3", f"{town} is a city.", {"kind": "town"}, {"kind": "city"})
    if bit & game.closed:
        yield closed(game, town)
    yield Refused("occupied", "R2.3", f"{town} is taken.", {"free_spaces": 1}, {"free_spaces": 0})


def closed(game: Game, place: str) -> Refused:
    """The place lies in a region that is out of play."""
    detail = f"{place} lies in a region that is closed for {len(game.players)} players."
    return Refused("closed_region", "R2.2", detail, {"region": "in play"}, {"region": "closed"})


# --- expanding -------------------------------------------------------------------------------------------------


def _expanding(game: Game, action: Expand | ExpandAgain) -> Iterator[Refused]:
    yield from _second_expansion(game) if isinstance(action, ExpandAgain) else _first_expansion(game)
    yield from _path(game, action)
    yield from _target(game, action.path[-1], "R9.2" if isinstance(action, ExpandAgain) else "R4.1")
    yield from _supply(game)


def _first_expansion(game: Game) -> Iterator[Refused]:
    done = len(game.turn.markers)
    if done:
        detail = "There is one expansion a turn; a second one needs a bonus tile."
        yield Refused("already_expanded", "R4.1", detail, {"expansions": 0}, {"expansions": done})


def _second_expansion(game: Game) -> Iterator[Refused]:
    if not game.turn.markers:
        detail = "Expanding again needs a first expansion in the same turn."
        yield Refused("not_expanded_yet", "R9.2", detail, {"expansions": 1}, {"expansions": 0})
    yield from _bonus_tile(game, "R9.2")


def _bonus_tile(game: Game, rule: str) -> Iterator[Refused]:
    if game.turn.bonus:
        return
    player = game.active
    if player.turns <= 1:
        detail = "No bonus tile may be used in a player's first turn."
        yield Refused("first_turn", "R9.1", detail, {"own_turn": 2}, {"own_turn": player.turns})
    yield Refused(
        "no_bonus_tile",
        "R9.1" if player.bonus_tiles else rule,
        "One bonus tile a turn, and only one that was there when the turn began.",
        {"bonus_tiles": 1},
        {"bonus_tiles": player.bonus_tiles, "usable": 0},
    )


def _shape(path: tuple[str, ...], free_link: int | None) -> Iterator[Refused]:
    rule = "R12.5" if len(path) > 2 else "R4.1"
    if len(set(path)) < max(2, len(path)):
        detail = "A path names its origin and its target at least, and no place twice."
        yield Refused("bad_path", rule, detail, {"places": max(2, len(path))}, {"places": len(set(path))})
    if free_link is not None and free_link not in range(len(path) - 1):
        detail = "free_link names one of the links of the path, counted from 0."
        links = list(range(len(path) - 1))
        yield Refused("bad_path", "R12.6", detail, {"free_link": links}, {"free_link": free_link})


def _path(game: Game, action: Expand | ExpandAgain) -> Iterator[Refused]:
    """What is wrong with a path as such: its shape, its places, its links, its beginning."""
    path, board = action.path, game.board
    yield from _shape(path, action.free_link)
    yield from (unknown_place(place) for place in path if place not in board.number)
    yield from (closed(game, place) for place in path if 1 << board.number[place] & game.closed)
    for a, b in pairwise(path):
        if (a, b) not in board.costs:
            linked = [board.places[place].id for place in members(board.neighbours[board.number[a]])]
            detail = f"No direct link joins {a} and {b}."
            yield Refused("not_linked", "R4.1", detail, {"linked": b}, {"linked": linked})
    if not 1 << board.number[path[0]] & game.active.present:
        yield _no_franchise(path[0], "R4.1")


def _target(game: Game, target: str, rule: str) -> Iterator[Refused]:
    place = game.board.number[target]
    bit = 1 << place
    if place in game.turn.markers:
        detail = f"There is an expansion marker in {target} already."
        yield Refused("same_place", "R9.2", detail, {"markers": 0}, {"markers": 1})
    if bit & game.active.present:
        own = game.spaces[place].count(game.turn.seat)
        detail = f"The player has a franchise in {target} already."
        yield Refused("own_franchise", rule, detail, {"franchises": 0}, {"franchises": own})
    if bit & game.board.towns and not bit & game.open:
        yield Refused("occupied", rule, f"{target} is taken.", {"free_spaces": 1}, {"free_spaces": 0})
    if bit & game.board.cities and not bit & game.unscored:
        yield _city_scored(target, rule)
    if not bit & game.open:
        yield Refused("no_free_space", rule, f"{target} has no free space.", {"free_spaces": 1}, {"free_spaces": 0})


def _city_scored(city: str, rule: str) -> Refused:
    detail = f"{city} is scored and has no spaces any more."
    return Refused("city_scored", rule, detail, {"scored": False}, {"scored": True})


def _supply(game: Game) -> Iterator[Refused]:
    spare = game.spare(game.turn.seat)
    if spare < 1:
        yield Refused(
            "no_franchise_left",
            "R1.6",
            "The supply holds no franchise that this turn has not committed yet.",
            {"franchises": 1},
            {"franchises": spare},
        )


def _one_paid_link(game: Game, action: Expand | ExpandAgain) -> Iterator[Refused]:
    """What an expansion is held to if no module makes more of it."""
    link, *more = pairwise(action.path)
    if more:
        links = len(action.path) - 1
        yield Refused("not_linked", "R4.1", "An expansion goes over one direct link.", {"links": 1}, {"links": links})
    if action.free_link is not None:
        detail = "The cost of the link has to be paid."
        yield Refused("no_free_link", "R4.1", detail, {"free_link": None}, {"free_link": action.free_link})
    yield no_money(game, game.board.costs[link], "R4.1")


# --- market share, dollars, end --------------------------------------------------------------------------------


def _increasing(game: Game, action: Increase) -> Iterator[Refused]:
    yield from _market_share(game, action.city, "R5.1")
    place = game.board.number.get(action.city)
    if place in game.turn.centre:
        detail = f"{action.city} was increased this turn already."
        yield Refused("already_increased", "R5.1", detail, {"increases": 0}, {"increases": 1})
    yield from _supply(game)
    if game.active.money < 1:
        yield no_money(game, 1, "R5.1")


def _doubling(game: Game, action: Double) -> Iterator[Refused]:
    yield from _bonus_tile(game, "R9.3")
    yield from _market_share(game, action.city, "R9.3")
    place = game.board.number[action.city]
    if place not in game.turn.centre:
        detail = f"{action.city} was not increased this turn."
        yield Refused("not_increased", "R9.3", detail, {"increases": 1}, {"increases": 0})
    if game.free_spaces(place) < 2:
        free = game.free_spaces(place)
        yield Refused(
            "no_free_space",
            "R9.3",
            f"{action.city} has too few free spaces for two franchises.",
            {"free_spaces": 2},
            {"free_spaces": free},
        )
    yield from _supply(game)


def _market_share(game: Game, city: str, rule: str) -> Iterator[Refused]:
    if city not in game.board.number:
        yield unknown_place(city)
    place = game.board.number[city]
    bit = 1 << place
    if bit & (game.closed | game.board.towns):
        yield not_a_city(game, city, rule)
    if not bit & game.unscored:
        yield _city_scored(city, rule)
    if not bit & game.active.present:
        yield _no_franchise(city, rule)


def _no_franchise(place: str, rule: str) -> Refused:
    return Refused(
        "no_franchise", rule, f"The player has no franchise in {place}.", {"franchises": 1}, {"franchises": 0}
    )


def _dollars(game: Game, action: TakeDollars) -> Iterator[Refused]:
    if not game.turn.number:
        yield wrong_phase(game, _OWN_TURN, "R9.4")
    yield from _bonus_tile(game, "R9.4")


_OWN_TURN = ("expand", "increase")

_REASONS: dict[type, tuple[tuple[str, ...], str, Callable[[Game, Any], Iterator[Refused]] | None]] = {
    ChooseTown: (("towns",), "R2.3", _towns),
    Expand: (("expand",), "R4.1", _expanding),
    ExpandAgain: (("expand",), "R9.2", _expanding),
    Increase: (_OWN_TURN, "R5.1", _increasing),
    Double: (_OWN_TURN, "R9.3", _doubling),
    TakeDollars: ((), "R9.4", _dollars),
    EndTurn: (_OWN_TURN, "R6.1", None),
}
