"""Positions built from franchises on the map, the pieces of the players and the turn.

``position`` returns any position at which a player decides; tests play on from there. Seats are numbered clockwise
and have the names of the colours.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from domain.actions import EndTurn
from domain.board import Board
from domain.boards import load_board, load_region_tiles
from domain.decide import Decision, decide, legal_actions
from domain.game import Game
from domain.legal import Legal
from domain.modules import Action, GameFact, GameOptions
from domain.refused import Refused
from domain.rules_version import RULES_VERSION
from domain.start import start
from domain.state import Player, Turn

BLUE, RED, ORANGE, BLACK, BEIGE = range(5)
BOARD: Board = load_board("usa-1960s")
NEW_TILES = load_region_tiles()
SUPPLY = 40
LINKED = {
    place.id: [end for link in BOARD.links if place.id in link.between for end in link.between if end != place.id]
    for place in BOARD.places
}

Seats = int | tuple[int, ...]
Fact = TypeVar("Fact")


def begin(players: int = 2, seed: int = 1, **options: Any) -> Decision:
    """Return a new game at its first decision; seat 0 is the first player."""
    options.setdefault("first_player", BLUE)
    return start(GameOptions(**options), players, seed, NEW_TILES)


def position(
    players: int = 2,
    active: int = BLUE,
    *,
    standing: Mapping[str, Seats] | None = None,
    scored: Mapping[str, Seats] | None = None,
    scored_regions: Iterable[str] = (),
    tie_breaks: Mapping[str, int] | None = None,
    values: Mapping[str, int] | None = None,
    money: Mapping[int, int] | int = 0,
    supply: Mapping[int, int] | None = None,
    bonus_tiles: Mapping[int, int] | None = None,
    resigned: Iterable[int] = (),
    first_turn: bool = False,
    passed: Iterable[int] = (),
    rules: int = RULES_VERSION,
    **options: Any,
) -> Game:
    """Return a position in which the active player decides in phase 2, income already taken.

    ``standing`` names the franchises on towns and unscored cities in the order placed, ``scored`` those that are left
    on scored cities. Every city of ``scored_regions`` is scored and their tiles lie on the track. The tie-break
    marker of a region with a scored city is blue's unless ``tie_breaks`` names another owner.
    """
    game = begin(players, start="introductory", first_player=active, **options).game
    over = {place.id: () for place in BOARD.places if place.kind == "city" and place.region in scored_regions}
    left = {city: _seats(seats) for city, seats in (over | dict(scored or {})).items()}
    on_map = {place: _seats(seats) for place, seats in (standing or {}).items()} | left
    spaces = tuple(on_map.get(place.id, ()) for place in BOARD.places)
    tiles = dict.fromkeys(left, 0) | dict(values or {})
    opened = {place.region for place in BOARD.places if place.id in left}
    owners = dict.fromkeys(opened, BLUE) | dict(tie_breaks or {})
    bonus = bonus_tiles or {}
    game = replace(
        game,
        values=tuple(tiles.get(place.id, tile) for place, tile in zip(BOARD.places, game.values, strict=True)),
        spaces=spaces,
        regions=tuple(
            replace(region, tile=None, tie_break=owners[printed.id], scored=True)
            if printed.id in scored_regions
            else replace(region, tie_break=owners.get(printed.id))
            for printed, region in zip(BOARD.regions, game.regions, strict=True)
        ),
        track=(*game.track, *(tile for tile in BOARD.printed_tiles if tile.id in scored_regions)),
        players=tuple(
            Player(
                supply=(supply or {}).get(seat, SUPPLY - sum(here.count(seat) for here in spaces)),
                money=money if isinstance(money, int) else money.get(seat, 0),
                bonus_tiles=bonus.get(seat, 0),
                turns=1 if first_turn else 5,
                resigned=seat in set(resigned),
            )
            for seat in game.seats
        ),
        turn=Turn(active, 1 if first_turn else 21, bonus=not first_turn and bonus.get(active, 0) > 0),
        passed=tuple(passed),
        rules=rules,
    )
    return rederived(game)


def _seats(seats: Seats) -> tuple[int, ...]:
    return (seats,) if isinstance(seats, int) else seats


def rederived(game: Game) -> Game:
    """Return the game with every derived value computed again, place by place."""
    out_of_play = game.board.closed_regions[len(game.players)]
    is_open = unscored = 0
    present, reach = [0] * len(game.players), [0] * len(game.players)
    for number, place in enumerate(game.board.places):
        bit, here, tile = 1 << number, game.spaces[number], game.values[number]
        room = 1 if place.kind == "town" else tile
        if place.region not in out_of_play and len(here) < room:
            is_open |= bit
        if tile:
            unscored |= bit
        for seat in set(here):
            present[seat] |= bit
            reach[seat] |= sum(1 << game.board.number[other] for other in LINKED[place.id])
    players = tuple(
        replace(player, present=present[seat], reach=reach[seat]) for seat, player in enumerate(game.players)
    )
    return replace(game, open=is_open, unscored=unscored, players=players)


# --- playing on ------------------------------------------------------------------------------------------------


def play(game: Game, *actions: Action) -> Decision:
    """Play these actions in order, each by the player to decide."""
    facts: tuple[GameFact, ...] = ()
    for action in actions:
        decision = decide(game, action)
        facts, game = facts + decision.facts, decision.game
    return Decision(facts, game)


def end_turn(game: Game, *actions: Action) -> Decision:
    """Play these actions and end the turn."""
    return play(game, *actions, EndTurn())


def refused(game: Game, action: Action, seat: int | None = None) -> Refused:
    """Return the refusal of an action that is not listed either."""
    if seat is None:
        assert action not in allowed(game)
    with pytest.raises(Refused) as caught:
        decide(game, action, seat)
    return caught.value


def why(game: Game, action: Action, seat: int | None = None) -> tuple[str, str]:
    """Return the code of a refusal, or the reason of an illegal action, and the rule."""
    refusal = refused(game, action, seat)
    return refusal.reason or refusal.code, refusal.rule


# --- reading positions -----------------------------------------------------------------------------------------


def allowed(game: Game, *kinds: type) -> list[Action]:
    """Return the listed actions, of these kinds or all."""
    return [legal.action for legal in legal_actions(game) if not kinds or isinstance(legal.action, kinds)]


def listed(game: Game, action: Action) -> Legal[Action]:
    """Return the list's entry of an action."""
    return next(legal for legal in legal_actions(game) if legal.action == action)


def facts(decision: Decision, kind: type[Fact]) -> list[Fact]:
    """Return the facts of one kind, in order."""
    return [fact for fact in decision.facts if isinstance(fact, kind)]


def the(decision: Decision, kind: type[Fact]) -> Fact:
    """Return the only fact of a kind."""
    (fact,) = facts(decision, kind)
    return fact


def on(game: Game, place: str) -> tuple[int, ...]:
    """Return the franchises on a place."""
    return game.spaces[game.board.number[place]]


def value(game: Game, city: str) -> int:
    """Return the tile on a city, 0 if it is scored."""
    return game.values[game.board.number[city]]


def towns_of(region: str) -> Iterator[str]:
    """Return the towns of a region."""
    return (place.id for place in BOARD.places if place.region == region and place.kind == "town")
