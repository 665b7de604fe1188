"""All actions that can be expressed, most of them never legal."""

from collections.abc import Iterable, Iterator
from functools import cache
from random import Random

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.modules import Action
from domain.modules.boom import KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import PlaceCityTile, PlaceRegionTile
from tests.domain.positions import BOARD, LINKED
from tests.domain.reference import ReferenceGame
from tests.domain.set_ups import TILES as KNOWN_TILES

PLACES = [*(place.id for place in BOARD.places), "gotham"]
REGIONS = [*(region.id for region in BOARD.regions), "ohio"]
TILES = [*KNOWN_TILES, "ohio"]


@cache
def fixed_actions() -> tuple[Action, ...]:
    """Every atomic action over the board, all links in both directions, and some nonsense."""
    return (
        KeepBoom(),
        TakeDollars(),
        EndTurn(),
        *(kind(place) for kind in (ChooseTown, PlaceBoom, MoveBoom, Increase, Double) for place in PLACES),
        *(PlaceCityTile(place, tile) for place in PLACES for tile in range(10)),
        *(PlaceRegionTile(region, tile) for region in REGIONS for tile in TILES),
        *(kind(path, free) for kind in (Expand, ExpandAgain) for path in BOARD.costs for free in (None, 0)),
        *(kind(path) for kind in (Expand, ExpandAgain) for path in _nonsense()),
    )


def _nonsense() -> Iterator[tuple[str, ...]]:
    yield from ((), ("detroit",), ("detroit", "detroit"), ("gotham", "detroit"), ("detroit", "gotham"))
    yield from (("detroit", "chicago", "detroit"), ("detroit", "gotham", "chicago"), ("detroit", "chicago", "omaha"))


def random_actions(reference: ReferenceGame, luck: Random) -> Iterator[Expand | ExpandAgain]:
    """Yield pairs without a link, links that cannot be free, and paths, of which some lead home."""
    own = reference.own(reference.seat) or ["dallas"]
    free = [place for place in reference.place if reference.free(place)] or ["omaha"]
    for kind in (Expand, ExpandAgain):
        for _ in range(20):
            yield kind(tuple(luck.sample(PLACES, 2)))
            yield kind(luck.choice(list(BOARD.costs)), luck.choice((-1, 1, 7)))
            off = _walk(luck.choice(own), luck.choice((0, 1, 2, 2, 3, 4)), luck)
            home = _walk(luck.choice(free), 6, luck, until=own)[::-1]
            for path in (off, home):
                yield kind(path, luck.choice((None, None, None, 0, 1, 1, 2, -1, 7)))


def _walk(start: str, links: int, luck: Random, until: Iterable[str] = ()) -> tuple[str, ...]:
    """Walk mostly over links and mostly to new places."""
    path = [start]
    while len(path) <= links and path[-1] not in until:
        linked = LINKED.get(path[-1], PLACES)
        new = [place for place in linked if place not in path]
        path.append(luck.choice(PLACES if luck.random() < 0.02 else new or linked))
    return tuple(path)
