"""What is open to the player who decides: the actions of the core, each with its cost and its scoring (R4, R5, R9)."""

from collections.abc import Iterable, Iterator
from functools import cache

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.board import Board, members
from domain.game import Game
from domain.modules.base import Legal
from domain.verdict import would_score

INCREASE_COST = 1

END_TURN = Legal(EndTurn(), "R6")
TAKE_DOLLARS = Legal(TakeDollars(), "R9.4")


def starting_towns(game: Game) -> Iterator[Legal]:
    """Every free town (R2.3)."""
    for town in members(game.board.towns & game.open):
        yield Legal(ChooseTown(game.board.places[town].id), "R2.3")


def expansion_in_turn(game: Game) -> type[Expand | ExpandAgain] | None:
    """The kind of expansion that the turn allows now: the one of phase 2, a second with a bonus tile, or none."""
    turn = game.turn
    if game.spare(turn.seat) < 1 or len(turn.markers) > 1:
        return None
    if not turn.markers:
        return Expand
    return ExpandAgain if turn.bonus else None


def expansions(game: Game) -> list[Legal]:
    """Every link from an own franchise to a place that can be entered and paid for (R4.1, R9.2)."""
    kind = expansion_in_turn(game)
    if kind is None:
        return []
    player, values, spaces = game.active, game.values, game.spaces
    present, money = player.present, player.money
    ways = ways_into(game.board, kind)
    found: list[Legal] = []
    for target in members(enterable(game, player.reach)):
        last_space = values[target] - len(spaces[target]) == 1
        for origin, legal in ways[target]:
            if origin & present and legal.cost <= money:
                found.append(with_scoring(game, legal, target) if last_space else legal)
    return found


def price(costs: tuple[int, ...], free_link: int | None) -> int:
    """What an expansion over links of these costs takes, one of which may be free (R4.1, R12.6)."""
    return sum(costs) - (0 if free_link is None else costs[free_link])


def enterable(game: Game, places: int) -> int:
    """Those of the places that the active player could expand to, were there a way (R4.1, R9.2)."""
    places &= game.open & ~game.active.present
    for marker in game.turn.markers:
        places &= ~(1 << marker)
    return places


def with_scoring(game: Game, legal: Legal, city: int) -> Legal:
    """The same action, with the scoring that it would lead to."""
    return Legal(legal.action, legal.rule, legal.cost, would_score(game, city))


def increases(game: Game) -> list[Legal]:
    """Every city with an own franchise and a free space, once a turn (R5.1)."""
    turn, player = game.turn, game.active
    if player.money < INCREASE_COST or game.spare(turn.seat) < 1:
        return []
    seat, values, spaces = turn.seat, game.values, game.spaces
    actions = increases_of(game.board)
    found: list[Legal] = []
    for city in members(player.present & game.open & game.unscored):
        if city not in turn.centre:
            here, value = spaces[city], values[city]
            scores = len(here) + 1 == value or (here.count(seat) + 1) * 2 > value
            found.append(with_scoring(game, actions[city], city) if scores else actions[city])
    return found


def bonus_tile(game: Game) -> Iterator[Legal]:
    """A second franchise in a city increased this turn (R9.3), and dollars (R9.4)."""
    turn = game.turn
    if not turn.bonus:
        return
    if game.spare(turn.seat) > 0:
        for city in turn.centre:
            if game.free_spaces(city) > 1:
                yield Legal(Double(game.board.places[city].id), "R9.3", 0, would_score(game, city, more=2))
    yield TAKE_DOLLARS


def bonus_dollars(game: Game) -> Iterable[Legal]:
    """Dollars for a bonus tile, at any moment of the own turn (R9.4)."""
    return (TAKE_DOLLARS,) if game.turn.bonus else ()


def end_of_turn(game: Game) -> Iterable[Legal]:
    """The end of the player's decisions (R6)."""
    return (END_TURN,)


Way = tuple[int, Legal]
"""A link into a place: the set that holds its origin, and what to offer."""


@cache
def ways_into(board: Board, kind: type[Expand | ExpandAgain]) -> tuple[tuple[Way, ...], ...]:
    """The links into each place of a board, in its order."""
    return tuple(tuple(_ways(board, kind, target)) for target in range(len(board.places)))


def _ways(board: Board, kind: type[Expand | ExpandAgain], target: int) -> Iterator[Way]:
    rule = "R4.1" if kind is Expand else "R9.2"
    for origin in members(board.neighbours[target]):
        path = (board.places[origin].id, board.places[target].id)
        yield 1 << origin, Legal(kind(path), rule, board.costs[path])


@cache
def increases_of(board: Board) -> tuple[Legal, ...]:
    """The increase of each place of a board."""
    return tuple(Legal(Increase(place.id), "R5.1", INCREASE_COST) for place in board.places)
