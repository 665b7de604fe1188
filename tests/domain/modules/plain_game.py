"""The state of a game with modules in plain lists, folded from its facts.

Nothing here asks the engine: places are names, franchises are lists.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from domain.message import snake_case
from domain.modules import GameFact
from tests.domain.positions import BOARD, NEW_TILES, SUPPLY

PLACES = {place.id: place for place in BOARD.places}
CITIES = {place.id for place in BOARD.places if place.kind == "city"}
TOWNS = set(PLACES) - CITIES
LINKS = {frozenset(link.between): link.cost for link in BOARD.links}
NEAR = {place: {other for link in LINKS if place in link for other in link - {place}} for place in PLACES}
TILES = [tile.id for tile in (*BOARD.printed_tiles, *NEW_TILES)]


class PlainGame:
    """The state of a game in plain lists."""

    def __init__(self, facts: Iterable[GameFact] = ()) -> None:
        self.on: dict[str, list[int]] = {place: [] for place in PLACES}
        self.value: dict[str, int] = {}
        self.region_tile: dict[str, str] = {}
        self.pool_cities: list[int] = []
        self.pool_regions: list[str] = []
        self.money: Counter[int] = Counter()
        self.influence: Counter[int] = Counter()
        self.standing: Counter[int] = Counter()
        self.pieces: Counter[int] = Counter()
        self.bonus: Counter[int] = Counter()
        self.turns: Counter[int] = Counter()
        self.left: set[int] = set()
        self.closed: set[str] = set()
        self.active, self.usable = -1, False
        self.markers: list[str] = []
        self.centre: list[str] = []
        self.holder: dict[str, int | None] = {"development": None, "route": None}
        self.ready: dict[str, bool] = {"development": False, "route": False}
        self.boom = ""
        self.phase = ""
        for fact in facts:
            self.read(fact)

    def read(self, fact: GameFact) -> None:
        """Write one fact down, if it changes anything."""
        write = getattr(self, snake_case(type(fact).__name__), None)
        if write is not None:
            write(fact)

    def franchises(self, seat: int) -> int:
        """Return the franchises of a player that are not in the supply, markers not counted."""
        return self.standing[seat] + self.pieces[seat] + (len(self.centre) if seat == self.active else 0)

    def spare(self) -> int:
        """R1.6: what the active player has left to place."""
        return SUPPLY - self.franchises(self.active) - len(self.markers)

    def has(self, place: str) -> bool:
        """Tell whether the active player has a franchise there."""
        return self.active in self.on[place]

    def free(self, place: str) -> int:
        """Return the free spaces of a place (R1.3)."""
        room = self.value.get(place, 0) if place in CITIES else 1
        return max(0, room - len(self.on[place])) if place not in self.closed else 0

    # --- the set-up

    def regions_closed(self, fact: Any) -> None:
        self.closed = {place.id for place in BOARD.places if place.region in fact.regions}

    def tiles_pooled(self, fact: Any) -> None:
        self.pool_cities = list(fact.city_tiles)
        self.pool_regions = [tile.id for tile in fact.region_tiles]

    def city_tiles_laid(self, fact: Any) -> None:
        self.value |= fact.tiles

    def city_tile_placed(self, fact: Any) -> None:
        self.value[fact.city] = fact.value
        self.pool_cities.remove(fact.value)

    def region_tiles_laid(self, fact: Any) -> None:
        self.region_tile |= {region: tile.id for region, tile in fact.tiles.items()}

    def region_tile_placed(self, fact: Any) -> None:
        self.region_tile[fact.region] = fact.tile.id
        self.pool_regions.remove(fact.tile.id)

    def bonus_tiles_dealt(self, fact: Any) -> None:
        self.bonus.update(dict.fromkeys(range(5), fact.each))

    def phase_began(self, fact: Any) -> None:
        self.phase = fact.phase

    def town_founded(self, fact: Any) -> None:
        self.on[fact.town].append(fact.seat)
        self.standing[fact.seat] += 1

    def starting_money_received(self, fact: Any) -> None:
        self.money[fact.seat] += fact.dollars

    def boom_placed(self, fact: Any) -> None:
        self.boom = fact.city

    def boom_moved(self, fact: Any) -> None:
        assert self.boom == fact.origin
        self.boom = fact.city

    # --- the turn

    def turn_started(self, fact: Any) -> None:
        self.active = fact.seat
        self.turns[fact.seat] += 1
        self.usable = self.turns[fact.seat] > 1 and self.bonus[fact.seat] > 0
        self.ready = {tile: seat == fact.seat for tile, seat in self.holder.items()}

    def income_received(self, fact: Any) -> None:
        self.money[fact.seat] += fact.dollars

    def expanded(self, fact: Any) -> None:
        self.money[fact.seat] -= fact.cost
        self.markers.append(fact.path[-1])
        if fact.again:
            self._bonus_tile_used()
        if len(fact.path) > 2:
            self.holder["development"], self.ready["development"] = None, False
        if fact.free_link is not None:
            self.holder["route"], self.ready["route"] = None, False

    def increased(self, fact: Any) -> None:
        self.money[fact.seat] -= fact.cost
        self.centre.append(fact.city)

    def doubled(self, fact: Any) -> None:
        self._bonus_tile_used()
        self.centre.append(fact.city)

    def dollars_taken(self, fact: Any) -> None:
        self._bonus_tile_used()
        self.money[fact.seat] += fact.dollars

    def _bonus_tile_used(self) -> None:
        self.usable = False
        self.bonus[self.active] -= 1

    def franchise_placed(self, fact: Any) -> None:
        waiting = self.markers if fact.origin == "marker" else self.centre
        assert waiting.pop(0) == fact.place
        self.on[fact.place].append(fact.seat)
        self.standing[fact.seat] += 1
        assert len(self.on[fact.place]) == fact.space

    def city_scored(self, fact: Any) -> None:
        assert self.value.pop(fact.city) == fact.value
        self.influence[fact.winner] += fact.influence
        self.standing[fact.winner] -= fact.returned
        for _ in range(fact.returned):
            self.on[fact.city].remove(fact.winner)
        for _ in range(fact.from_centre):
            self.centre.remove(fact.city)

    def tie_break_placed(self, fact: Any) -> None:
        self.pieces[fact.seat] += fact.piece

    def milestone_reached(self, fact: Any) -> None:
        self.pieces[fact.seat] += fact.piece
        self.bonus[fact.seat] += 1

    def region_scored(self, fact: Any) -> None:
        for rank in fact.ranks:
            self.influence[rank.seat] += rank.influence
            self.money[rank.seat] += rank.dollars
        self.influence[fact.seat] += fact.track_influence
        del self.region_tile[fact.region]

    def bonus_tile_regained(self, fact: Any) -> None:
        self.bonus[fact.seat] += 1

    def development_tile_gained(self, fact: Any) -> None:
        self.holder["development"] = fact.seat

    def route_tile_gained(self, fact: Any) -> None:
        self.holder["route"] = fact.seat

    def resigned(self, fact: Any) -> None:
        self.left.add(fact.seat)

    def turn_taken_back(self, fact: Any) -> None:
        self.markers, self.centre = [], []

    def final_counted(self, fact: Any) -> None:
        self.influence[fact.seat] += fact.towns_influence + fact.dollars_influence + fact.bonus_tiles_influence
