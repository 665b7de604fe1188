"""Refusals that several actions share."""

from collections.abc import Iterator

from domain.actions import ActionBase
from domain.game import Game
from domain.refused import IllegalAction

REASONS = {
    "wrong_phase": "It belongs to another phase of the set-up or of the turn.",
    "unknown_place": "The map has no such place.",
    "closed_region": "The region is out of play with so few players.",
    "not_a_town": "It is a city.",
    "not_a_city": "It is a town.",
    "occupied": "The town is taken.",
    "no_free_space": "No space of the city is free, or too few are.",
    "city_scored": "The city is scored and has no spaces any more.",
    "no_money": "The player cannot pay for it.",
    "no_franchise": "The player has no franchise there.",
    "no_franchise_left": "The supply is used up.",
    "own_franchise": "The player has a franchise there already.",
    "bad_path": "It is no path: two places at least, none twice, `free_link` counts its links from 0.",
    "not_linked": "No direct link joins the two places.",
    "already_expanded": "There is one expansion a turn; another one takes a bonus tile.",
    "not_expanded_yet": "Expanding again needs a first expansion in the same turn.",
    "same_place": "The marker of this turn stands there already.",
    "already_increased": "The city was increased this turn already.",
    "not_increased": "The city was not increased this turn.",
    "first_turn": "No bonus tile may be used in a player's first turn.",
    "no_bonus_tile": "There is no bonus tile to use, or one was used this turn.",
    "no_free_link": "The cost of the link has to be paid.",
    "no_such_action": "The game is played without the module that knows this action.",
}
"""The reasons of illegal actions in the base game, each in a sentence."""


def module_refusals(game: Game, action: ActionBase) -> Iterator[IllegalAction]:
    """Yield the refusals of the modules."""
    for module in game.modules:
        refusal = module.refuse(game, action)
        if refusal is not None:
            yield refusal


def outside_of(game: Game, phases: tuple[str, ...], rule: str) -> Iterator[IllegalAction]:
    """Yield the refusal of an action that belongs to other phases than the current one."""
    if game.phase not in phases:
        yield wrong_phase(game, phases, rule)


def wrong_phase(game: Game, phases: tuple[str, ...], rule: str) -> IllegalAction:
    """Refuse an action that belongs to another phase of the set-up or the turn."""
    return IllegalAction(
        "wrong_phase",
        rule,
        f"This is for the phase {' or '.join(phases)}, the game is in the phase {game.phase}.",
        {"phase": list(phases)},
        {"phase": game.phase},
    )


def unknown_place(place: str) -> IllegalAction:
    """Refuse a place that the map does not have."""
    detail = f"There is no place {place!r} on this board."
    return IllegalAction("unknown_place", "R1.1", detail, {"place": "one of the board"}, {"place": place})


def not_a_city(game: Game, place: str, rule: str) -> IllegalAction:
    """Refuse a town, or a city that is out of play."""
    if 1 << game.board.number[place] & game.closed:
        return closed_region(game, place)
    return IllegalAction("not_a_city", rule, f"{place} is a town.", {"kind": "city"}, {"kind": "town"})


def closed_region(game: Game, place: str) -> IllegalAction:
    """Refuse a place in a region that is out of play."""
    detail = f"{place} lies in a region that is closed for {len(game.players)} players."
    return IllegalAction("closed_region", "R2.2", detail, {"region": "in play"}, {"region": "closed"})


def city_scored(city: str, rule: str) -> IllegalAction:
    """Refuse a city that has no spaces any more."""
    detail = f"{city} is scored and has no spaces any more."
    return IllegalAction("city_scored", rule, detail, {"scored": False}, {"scored": True})


def occupied(town: str, rule: str) -> IllegalAction:
    """Refuse a town that has its franchise."""
    return IllegalAction("occupied", rule, f"{town} is taken.", {"free_spaces": 1}, {"free_spaces": 0})


def no_franchise(place: str, rule: str) -> IllegalAction:
    """Refuse a place without an own franchise."""
    detail = f"The player has no franchise in {place}."
    return IllegalAction("no_franchise", rule, detail, {"franchises": 1}, {"franchises": 0})


def no_money(game: Game, cost: int, rule: str) -> IllegalAction:
    """Refuse what the active player cannot pay."""
    money = game.active.money
    detail = f"It costs ${cost}, the player has ${money}."
    return IllegalAction("no_money", rule, detail, {"money": cost}, {"money": money})


def no_franchise_left(game: Game) -> Iterator[IllegalAction]:
    """Yield the refusal of an action that needs a franchise when the supply has none to spare (R1.6)."""
    spare = game.spare(game.turn.seat)
    if spare < 1:
        detail = "The supply holds no franchise that this turn has not committed yet."
        yield IllegalAction("no_franchise_left", "R1.6", detail, {"franchises": 1}, {"franchises": spare})


def no_bonus_tile(game: Game, rule: str) -> Iterator[IllegalAction]:
    """Yield the refusals of a bonus tile that cannot be used in this turn (R9.1)."""
    if game.turn.bonus:
        return
    player = game.active
    if player.turns <= 1:
        detail = "No bonus tile may be used in a player's first turn."
        yield IllegalAction("first_turn", "R9.1", detail, {"own_turn": 2}, {"own_turn": player.turns})
    yield IllegalAction(
        "no_bonus_tile",
        "R9.1" if player.bonus_tiles else rule,
        "One bonus tile a turn, and only one that was there when the turn began.",
        {"bonus_tiles": 1},
        {"bonus_tiles": player.bonus_tiles, "usable": 0},
    )
