"""Phase 2, expand, and expand again with a bonus tile (R4, R9.2)."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from msgspec.structs import replace

from domain.actions import ActionBase, Expand, ExpandAgain
from domain.base.changes import without_bonus_tile
from domain.base.city_scoring import would_score
from domain.base.refusals import (
    city_scored,
    closed_region,
    module_refusals,
    no_bonus_tile,
    no_franchise,
    no_franchise_left,
    no_money,
    occupied,
    unknown_place,
    wrong_phase,
)
from domain.board import Board, members
from domain.facts import Expanded
from domain.game import Consequences, DecisionBuilder, Folds, Game, Refusals
from domain.legal import Legal
from domain.phase_names import EXPAND, OWN_TURN
from domain.refused import IllegalAction
from domain.state import Turn

Expansion = Expand | ExpandAgain

_RULES: dict[type[Expansion], str] = {Expand: "R4.1", ExpandAgain: "R9.2"}


def expansion_in_turn(game: Game) -> type[Expansion] | None:
    """Return the kind of expansion that is possible now: the first one, a second one with a bonus tile, or None."""
    turn = game.turn
    if game.spare(turn.seat) < 1 or len(turn.markers) > 1:
        return None
    if not turn.markers:
        return Expand
    return ExpandAgain if turn.bonus else None


def expansions(game: Game) -> list[Legal[ActionBase]]:
    """List the expansions over one link that the player can pay for (R4.1, R9.2)."""
    kind = expansion_in_turn(game)
    if kind is None:
        return []
    player, values, spaces = game.active, game.values, game.spaces
    present, money = player.present, player.money
    links = _links_into(game.board, kind)
    found: list[Legal[ActionBase]] = []
    for target in members(enterable(game, player.reach)):
        last_space = values[target] - len(spaces[target]) == 1
        for origin, legal in links[target]:
            if origin & present and legal.cost <= money:
                found.append(with_scoring(game, legal, target) if last_space else legal)
    return found


def price(costs: tuple[int, ...], free_link: int | None) -> int:
    """Return the price of links with these costs; one of them may be free (R4.1, R12.6)."""
    return sum(costs) - (0 if free_link is None else costs[free_link])


def enterable(game: Game, places: int) -> int:
    """Return the places to which the active player could expand over some path (R4.1, R9.2)."""
    places &= game.open & ~game.active.present
    for marker in game.turn.markers:
        places &= ~(1 << marker)
    return places


def with_scoring(game: Game, legal: Legal[ActionBase], city: int) -> Legal[ActionBase]:
    """Return the same action with the scoring that it would cause."""
    return Legal(legal.action, legal.rule, legal.cost, would_score(game, city))


_LinkInto = tuple[int, Legal[ActionBase]]
"""A link into a place: its origin as a set of places, and the expansion over it."""


@cache
def _links_into(board: Board, kind: type[Expansion]) -> tuple[tuple[_LinkInto, ...], ...]:
    """Return the links into each place of a board."""
    return tuple(tuple(_links(board, kind, target)) for target in range(len(board.places)))


def _links(board: Board, kind: type[Expansion], target: int) -> Iterator[_LinkInto]:
    for origin in members(board.neighbours[target]):
        path = (board.places[origin].id, board.places[target].id)
        yield 1 << origin, Legal(kind(path), _RULES[kind], board.costs[path])


def _expand(builder: DecisionBuilder, seat: int, action: Expansion) -> None:
    costs = builder.game.board.link_costs(action.path)
    again = isinstance(action, ExpandAgain)
    builder.append(Expanded(seat, action.path, costs, price(costs, action.free_link), again, action.free_link))
    builder.board_changed()


def _expanded(game: Game, fact: Expanded) -> Game:
    turn = game.turn
    player = game.players[fact.seat]
    player = replace(without_bonus_tile(player) if fact.again else player, money=player.money - fact.cost)
    markers = (*turn.markers, game.board.number[fact.path[-1]])
    turn = Turn(turn.seat, turn.number, turn.bonus and not fact.again, True, markers, turn.centre)
    return replace(game, players=game.with_player(fact.seat, player), turn=turn)


# --- refusals --------------------------------------------------------------------------------------------------


def _refuse_expansion(game: Game, action: Expansion) -> Iterator[IllegalAction]:
    yield from _refuse_now(game, type(action))
    yield from _refuse_path(game, action)
    yield from _refuse_target(game, action.path[-1], _RULES[type(action)])
    yield from no_franchise_left(game)
    yield from module_refusals(game, action)
    yield from _one_paid_link(game, action)


def refuse_expansion_to(game: Game, kind: type[Expansion], target: str) -> Iterator[IllegalAction]:
    """Yield why the active player cannot expand to a place over one link."""
    board, seat = game.board, game.turn.seat
    place = board.number[target]
    yield from _refuse_now(game, kind)
    if 1 << place & game.closed:
        yield closed_region(game, target)
    yield from _refuse_target(game, target, _RULES[kind])
    linked = [board.places[other].id for other in members(board.neighbours[place])]
    costs = [board.costs[origin, target] for origin in linked if 1 << board.number[origin] & game.active.present]
    if not costs:
        yield IllegalAction(
            "not_linked",
            "R4.1",
            {"linked": target},
            {"linked": linked},
            sentence="no_link",
            values={"player": seat, "place": board.places[place].name},
        )
    yield from no_franchise_left(game)
    yield no_money(game, min(costs), "R4.1")


def _refuse_now(game: Game, kind: type[Expansion]) -> Iterator[IllegalAction]:
    """Yield why the active player cannot expand at all now."""
    rule, done = _RULES[kind], len(game.turn.markers)
    if game.phase != EXPAND:
        yield wrong_phase(game, (EXPAND,), "R5.1" if game.phase in OWN_TURN else rule)
    if kind is Expand and done:
        yield IllegalAction("already_expanded", rule, {"expansions": 0}, {"expansions": done})
    if kind is ExpandAgain and not done:
        yield IllegalAction("not_expanded_yet", rule, {"expansions": 1}, {"expansions": 0})
    if kind is ExpandAgain:
        yield from no_bonus_tile(game, rule)


def _refuse_path(game: Game, action: Expansion) -> Iterator[IllegalAction]:
    """Yield the errors of a path: in its shape, its places, its links and its origin."""
    path, board = action.path, game.board
    yield from _refuse_shape(path, action.free_link)
    yield from (unknown_place(place) for place in path if place not in board.number)
    yield from (closed_region(game, place) for place in path if 1 << board.number[place] & game.closed)
    for a, b in pairwise(path):
        if (a, b) not in board.costs:
            linked = [board.places[place].id for place in members(board.neighbours[board.number[a]])]
            origin, place = board.place_names[a], board.place_names[b]
            yield IllegalAction(
                "not_linked", "R4.1", {"linked": b}, {"linked": linked}, values={"origin": origin, "place": place}
            )
    if not 1 << board.number[path[0]] & game.active.present:
        yield no_franchise(game, path[0], "R4.1")


def _refuse_shape(path: tuple[str, ...], free_link: int | None) -> Iterator[IllegalAction]:
    rule = "R12.5" if len(path) > 2 else "R4.1"
    if len(set(path)) < max(2, len(path)):
        yield IllegalAction("bad_path", rule, {"places": max(2, len(path))}, {"places": len(set(path))})
    links = range(len(path) - 1)
    if free_link is not None and free_link not in links:
        yield IllegalAction(
            "bad_path", "R12.6", {"free_link": list(links)}, {"free_link": free_link}, sentence="bad_free_link"
        )


def _refuse_target(game: Game, target: str, rule: str) -> Iterator[IllegalAction]:
    place, seat = game.board.number[target], game.turn.seat
    bit, name = 1 << place, game.board.places[place].name
    if place in game.turn.markers:
        yield IllegalAction("same_place", "R9.2", {"markers": 0}, {"markers": 1}, values={"place": name})
    if bit & game.active.present:
        own = game.spaces[place].count(seat)
        yield IllegalAction(
            "own_franchise", rule, {"franchises": 0}, {"franchises": own}, values={"player": seat, "place": name}
        )
    if bit & game.board.towns and not bit & game.open:
        yield occupied(game, target, rule)
    if bit & game.board.cities and not bit & game.unscored:
        yield city_scored(game, target, rule)
    if not bit & game.open:
        yield IllegalAction("no_free_space", rule, {"free_spaces": 1}, {"free_spaces": 0}, values={"place": name})


def _one_paid_link(game: Game, action: Expansion) -> Iterator[IllegalAction]:
    """Yield why an expansion fails without a special tile."""
    link, *more = pairwise(action.path)
    if more:
        yield IllegalAction("not_linked", "R4.1", {"links": 1}, {"links": 1 + len(more)}, sentence="one_link")
    if action.free_link is not None:
        yield IllegalAction("no_free_link", "R4.1", {"free_link": None}, {"free_link": action.free_link})
    yield no_money(game, game.board.costs[link], "R4.1")


CONSEQUENCES: Consequences = {Expand: _expand, ExpandAgain: _expand}
REFUSALS: Refusals = {Expand: _refuse_expansion, ExpandAgain: _refuse_expansion}
FOLDS: Folds = {Expanded: _expanded}
