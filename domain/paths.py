"""The cheapest paths over several links."""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from domain.board import Board, members


class PricedPath(NamedTuple):
    """A path from an own place; of two the cheaper sorts first, then the shorter, then that of the first places."""

    cost: int
    links: int
    places: tuple[int, ...]
    free: int = -1

    @property
    def free_link(self) -> int | None:
        """The number of the link that costs nothing, if there is one."""
        return self.free if self.free >= 0 else None

    def over(self, place: int, cost: int) -> "PricedPath":
        """Return the path with one link more."""
        return PricedPath(self.cost + cost, self.links + 1, (*self.places, place), self.free)

    def over_free_link(self, place: int) -> "PricedPath":
        """Return the path with one link more, which costs nothing."""
        return PricedPath(self.cost, self.links + 1, (*self.places, place), self.links)


def cheapest_paths(
    board: Board, origins: int, closed: int, money: int, *, free_link: bool
) -> dict[tuple[int, bool], PricedPath]:
    """Return the cheapest path to each place, with no free link and, if one may be free, with one.

    A path leads through no closed place and through no place twice, and costs no more than the money.
    """
    edge = [PricedPath(0, 0, (origin,)) for origin in members(origins)]
    cheapest: dict[tuple[int, bool], PricedPath] = {}
    while edge:
        path = heappop(edge)
        key = (path.places[-1], path.free_link is not None)
        if key not in cheapest:
            cheapest[key] = path
            for longer in _one_link_more(board, path, closed, free_link=free_link):
                if longer.cost <= money:
                    heappush(edge, longer)
    return cheapest


def _one_link_more(board: Board, path: PricedPath, closed: int, *, free_link: bool) -> Iterator[PricedPath]:
    here = path.places[-1]
    for place in members(board.neighbours[here] & ~closed):
        if place not in path.places:
            yield path.over(place, board.costs[board.places[here].id, board.places[place].id])
            if free_link and path.free_link is None:
                yield path.over_free_link(place)
