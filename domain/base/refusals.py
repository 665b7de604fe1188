"""Refusals that several actions share."""

from collections.abc import Iterator

from domain.actions import ActionBase
from domain.game import Game
from domain.refused import BaseHad, IllegalAction

REASONS = (
    "wrong_phase",
    "unknown_place",
    "closed_region",
    "not_a_town",
    "not_a_city",
    "occupied",
    "no_free_space",
    "city_scored",
    "no_money",
    "no_franchise",
    "no_franchise_left",
    "own_franchise",
    "bad_path",
    "not_linked",
    "already_expanded",
    "not_expanded_yet",
    "same_place",
    "already_increased",
    "not_increased",
    "first_turn",
    "no_bonus_tile",
    "no_free_link",
    "no_such_action",
)
"""The reasons why actions of the base game are illegal."""


def module_refusals(game: Game, action: ActionBase) -> Iterator[IllegalAction]:
    """Yield why modules refuse an action."""
    for module in game.modules:
        refusal = module.refuse(game, action)
        if refusal is not None:
            yield refusal


def outside_of(game: Game, phases: tuple[str, ...], rule: str) -> Iterator[IllegalAction]:
    """Yield the refusal of an action that is not allowed in the current phase."""
    if game.phase not in phases:
        yield wrong_phase(game, phases, rule)


def wrong_phase(game: Game, phases: tuple[str, ...], rule: str) -> IllegalAction:
    """Refuse an action that belongs to other phases."""
    phase, wanted = game.phase, phases[0]
    return IllegalAction(
        "wrong_phase", rule, {"phase": list(phases)}, {"phase": phase}, values={"phase": phase, "wanted": wanted}
    )


def unknown_place(place: str) -> IllegalAction:
    """Refuse a place that is not on the map."""
    return IllegalAction(
        "unknown_place", "R1.1", {"place": "one of the board"}, {"place": place}, values={"place": place}
    )


def not_a_city(game: Game, place: str, rule: str) -> IllegalAction:
    """Refuse a town, or a city that is out of play."""
    if 1 << game.board.number[place] & game.closed:
        return closed_region(game, place)
    name = game.board.place_names[place]
    return IllegalAction("not_a_city", rule, {"kind": "city"}, {"kind": "town"}, values={"place": name})


def closed_region(game: Game, place: str) -> IllegalAction:
    """Refuse a place in a closed region."""
    number = game.board.number[place]
    return IllegalAction(
        "closed_region",
        "R2.2",
        {"region": "in play"},
        {"region": "closed"},
        values={
            "place": game.board.places[number].name,
            "region": game.board.regions[game.board.region_of[number]].name,
            "players": len(game.players),
        },
    )


def city_scored(game: Game, city: str, rule: str) -> IllegalAction:
    """Refuse a scored city, which has no spaces."""
    name = game.board.place_names[city]
    return IllegalAction("city_scored", rule, {"scored": False}, {"scored": True}, values={"place": name})


def occupied(game: Game, town: str, rule: str) -> IllegalAction:
    """Refuse a town that has a franchise."""
    name = game.board.place_names[town]
    return IllegalAction("occupied", rule, {"free_spaces": 1}, {"free_spaces": 0}, values={"place": name})


def no_franchise(game: Game, place: str, rule: str) -> IllegalAction:
    """Refuse a place without a franchise of the active player."""
    name, seat = game.board.place_names[place], game.turn.seat
    return IllegalAction(
        "no_franchise", rule, {"franchises": 1}, {"franchises": 0}, values={"player": seat, "place": name}
    )


def no_money(game: Game, cost: int, rule: str) -> IllegalAction:
    """Refuse a price that the active player cannot pay."""
    money, seat = game.active.money, game.turn.seat
    return IllegalAction(
        "no_money", rule, {"money": cost}, {"money": money}, values={"player": seat, "cost": cost, "money": money}
    )


def no_franchise_left(game: Game) -> Iterator[IllegalAction]:
    """Yield the refusal of an action that needs a franchise from an empty supply (R1.6)."""
    seat = game.turn.seat
    spare = game.spare(seat)
    if spare < 1:
        yield IllegalAction(
            "no_franchise_left", "R1.6", {"franchises": 1}, {"franchises": spare}, values={"player": seat}
        )


def no_bonus_tile(game: Game, rule: str) -> Iterator[IllegalAction]:
    """Yield why the active player cannot use a bonus tile in this turn (R9.1)."""
    if game.turn.bonus:
        return
    player, seat = game.active, game.turn.seat
    if player.turns <= 1:
        yield IllegalAction("first_turn", "R9.1", {"own_turn": 2}, {"own_turn": player.turns})
    left = player.bonus_tiles
    had: BaseHad = {"bonus_tiles": left, "usable": 0}
    if left:
        yield IllegalAction("no_bonus_tile", "R9.1", {"bonus_tiles": 1}, had, sentence="no_usable_bonus_tile")
    else:
        yield IllegalAction("no_bonus_tile", rule, {"bonus_tiles": 1}, had, values={"player": seat})
