"""The cheapest paths over several links."""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from domain.board import Board, members


class PricedPath(NamedTuple):
    """A path from a place with a franchise. Paths sort by cost, then by length, then by the numbers of their places."""

    cost: int
    links: int
    places: tuple[int, ...]
    free: int = -1

    @property
    def free_link(self) -> int | None:
        """The index of the link that costs nothing, if there is one."""
        return self.free if self.free >= 0 else None

    def over(self, place: int, cost: int) -> "PricedPath":
        """Return the path with one more link."""
        return PricedPath(self.cost + cost, self.links + 1, (*self.places, place), self.free)

    def over_free_link(self, place: int) -> "PricedPath":
        """Return the path with one more link that costs nothing."""
        return PricedPath(self.cost, self.links + 1, (*self.places, place), self.links)


def cheapest_paths(
    board: Board, origins: int, closed: int, money: int, *, free_link: bool
) -> dict[tuple[int, bool], PricedPath]:
    """Return the cheapest path to each place: one without a free link and, if allowed, one with a free link.

    A path crosses no closed place, visits no place twice, and costs no more than ``money``.
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
