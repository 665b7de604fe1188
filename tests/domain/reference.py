"""A second implementation of the rules and the expansions, written plainly from RULES.md, to compare the engine with.

It shares only the files of the board and its tiles with the engine: no bit sets, no facts, no cached values. It draws
nothing: the ``Deal`` holds all draws. Moves are tuples such as ``("increase", "detroit")`` or
``("expand", ("detroit", "chicago"), None)``, whose last element is the link that the Route tile makes free.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple


def data(name: str) -> Any:
    return json.loads(files("domain.data").joinpath(f"{name}.json").read_text("utf-8"))


DATA, NEW_TILES = data("usa-1960s"), data("region-tiles-new")["tiles"]
PLACES: dict[str, dict[str, Any]] = {place["id"]: place for place in DATA["places"]}
CITY_TILES = [place["spaces"] for place in DATA["places"] if place["kind"] == "city"]
PRINTED = [region["id"] for region in DATA["regions"]]
TILES = {region["id"]: ("influence", region["tile"]) for region in DATA["regions"]}
TILES |= {tile["id"]: (tile["kind"], tile["values"]) for tile in NEW_TILES}
TRACK = (3, 3, 2, 2, 3, 4, 3, 2, 0, 0)  # R7.4
BACKS = ((2, 3), (4, 5, 6), (7, 8))  # R2.6

Move = tuple[Any, ...]


class Deal(NamedTuple):
    """The options and the draws of a game."""

    players: int
    start: str = "standard"
    first: int = 0  # R2.1
    pool: Sequence[str] = PRINTED  # R12.1: the ten region tiles
    draft: bool = False  # R2.6
    cities: Mapping[str, int] | None = None  # R2.6: the tiles as they lie, None as printed
    regions: Mapping[str, str] | None = None
    milestones: Sequence[str] = ()  # R10.1
    boom: bool = False  # R11
    rules: int = 2  # R8.1


class ReferenceGame:
    """A game by the written rules."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.players = deal.players
        closed = DATA["closed_regions"][str(deal.players)]  # R2.2
        self.place = {name: place for name, place in PLACES.items() if place["region"] not in closed}
        self.regions = [region for region in PRINTED if region not in closed]
        self.cost: dict[tuple[str, str], int] = {}
        for link in DATA["links"]:
            a, b = link["between"]
            if a in self.place and b in self.place:
                self.cost[a, b] = self.cost[b, a] = link["cost"]
        self.stands: dict[str, list[int]] = {name: [] for name in self.place}
        self.supply = [40] * deal.players  # R1.6
        self.money = [0] * deal.players
        self.earned = [Counter[str]() for _ in range(deal.players)]
        self.turns = [0] * deal.players
        self.resigned: set[int] = set()
        self.passed: list[int] = []
        self.seat = -1
        self.phase = "set-up"
        self.markers: list[str] = []
        self.centre: list[str] = []
        self.bonus_ready = self.expanded = False
        self.tie_break: dict[str, int] = {}
        self.lay_tiles()
        self.deal_bonus_tiles()
        self.boom = ""
        self.holder: dict[str, int | None] = {"development": None, "route": None}  # R12.5, R12.6
        self.ready: set[str] = set()
        self.reason = self.decided_by = ""
        self.winners: list[int] = []
        if deal.start == "introductory":  # R2.4
            for order, towns in enumerate(DATA["introductory_towns"][str(deal.players)]):
                for town in towns:
                    self.put(self.clockwise(deal.first)[order], town)
        self.go_on_in_set_up()

    def lay_tiles(self) -> None:
        """R2.2, R2.6, R12.1: the tiles lie as agreed, drawn or printed; a draft starts with none."""
        cities = {name: place["spaces"] for name, place in self.place.items() if place["kind"] == "city"}
        self.cities = list(cities)
        self.city_pool = list(CITY_TILES)
        self.pool = list(self.deal.pool)
        self.track: list[str] = []
        self.tile: dict[str, int] = {}
        self.region_tile: dict[str, str] = {}
        self.last_to_lay: int | None = None
        if not self.deal.draft:
            self.tile = dict(self.deal.cities or cities)
            self.region_tile = dict(self.deal.regions or {region: region for region in self.regions})
            self.pool = [tile for tile in self.pool if tile not in self.region_tile.values()]

    def deal_bonus_tiles(self) -> None:
        """R2.5, R10.1: three or four each; with milestones they must be earned."""
        each, none = [4 if self.players < 4 else 3] * self.players, [0] * self.players
        self.bonus, self.reserve = (none, each) if self.deal.milestones else (each, none)
        self.used = [0] * self.players
        self.met: dict[str, list[int]] = {milestone: [] for milestone in self.deal.milestones}
        self.scored_big_city: set[int] = set()
        self.scored_region: set[int] = set()
        self.dear_links: set[tuple[int, frozenset[str]]] = set()

    # the table

    def clockwise(self, seat: int) -> list[int]:
        """R2.1: all seats from this one on."""
        return [(seat + step) % self.players for step in range(self.players)]

    def playing(self) -> list[int]:
        """R13.1: the players who have not resigned, in turn order."""
        return [seat for seat in self.clockwise(self.deal.first) if seat not in self.resigned]

    def next_playing(self, seat: int) -> int:
        return next(other for other in self.clockwise(seat + 1) if other not in self.resigned)

    def towns(self) -> list[str]:
        return [name for name in self.place if name not in self.cities]

    def own(self, seat: int) -> list[str]:
        return [name for name in self.place if seat in self.stands[name]]

    def free(self, place: str) -> int:
        """R1.1 to R1.3."""
        room = self.tile.get(place, 0) if place in self.cities else 1
        return max(0, room - len(self.stands[place]))

    def spare(self, seat: int) -> int:
        """R1.6: the supply without the franchises committed in this turn."""
        return self.supply[seat] - (len(self.markers) if seat == self.seat else 0)

    # legal moves

    def moves(self) -> set[Move]:
        """Return all moves of the player to decide except resigning and expanding over several links."""
        match self.phase:
            case "city tiles":  # R2.6: by the group of the printed value
                groups = {city: next(b for b in BACKS if PLACES[city]["spaces"] in b) for city in self.bare_cities()}
                return {("city tile", city, tile) for city in groups for tile in self.city_pool if tile in groups[city]}
            case "region tiles":  # R2.6
                return {("region tile", region, tile) for region in self.bare_regions() for tile in self.pool}
            case "towns":  # R2.3
                return {("town", town) for town in self.towns() if self.free(town)}
            case "place boom":  # R11.1
                return {("place boom", city) for city in self.cities}
            case "boom":  # R11.2
                return {("keep boom",), *self.boom_moves(), *self.dollars()}
            case "turn":
                return {("end",), *self.expansions(), *self.increases(), *self.dollars()}
            case _:
                return set()

    def bare_cities(self) -> list[str]:
        return [city for city in self.cities if city not in self.tile]

    def bare_regions(self) -> list[str]:
        return [region for region in self.regions if region not in self.region_tile]

    def boom_moves(self) -> set[Move]:
        """R11.2: over towns and scored cities to any other city."""
        found, edge = {self.boom}, [self.boom]
        while edge:
            here = edge.pop()
            for a, b in self.cost:
                if a == here and b not in found:
                    found.add(b)
                    if b not in self.tile:
                        edge.append(b)
        return {("move boom", city) for city in self.cities if city in found and city != self.boom}

    def dollars(self) -> set[Move]:
        """R9.4."""
        return {("dollars",)} if self.bonus_ready else set()

    def expansion(self) -> str:
        """R4.1, R5.1, R9.2: the kind of expansion that is possible now."""
        if self.phase != "turn" or self.centre or self.spare(self.seat) < 1:
            return ""
        if not self.markers:
            return "expand"
        return "again" if len(self.markers) == 1 and self.bonus_ready else ""

    def is_target(self, place: str) -> bool:
        """R4.1, R9.2."""
        return self.free(place) > 0 and self.seat not in self.stands[place] and place not in self.markers

    def price(self, path: Sequence[str], free: int | None) -> int:
        """R4.1, R12.5, R12.6: every link except the free one is paid."""
        return sum(self.cost[link] for number, link in enumerate(pairwise(path)) if number != free)

    def expansions(self) -> set[Move]:
        """R4.1, R9.2, R12.6: over one link."""
        kind, frees = self.expansion(), (None, 0) if "route" in self.ready else (None,)
        return {
            (kind, (a, b), free)
            for a, b in self.cost
            for free in frees
            if kind
            and self.seat in self.stands[a]
            and self.is_target(b)
            and self.price((a, b), free) <= self.money[self.seat]
        }

    def is_far(self, target: str) -> bool:
        """R12.5: no direct link leads to it from an own place."""
        return not any(b == target and self.seat in self.stands[a] for a, b in self.cost)

    def may_go_far(self, move: Move) -> bool:
        """R12.5: over several links, through each place at most once."""
        if move[0] not in ("expand", "again") or move[0] != self.expansion() or "development" not in self.ready:
            return False
        _, path, free = move
        if len(path) < 3 or len(set(path)) < len(path) or any(link not in self.cost for link in pairwise(path)):
            return False
        if free is not None and not ("route" in self.ready and 0 <= free < len(path) - 1):  # R12.6
            return False
        goes_there = self.seat in self.stands[path[0]] and self.is_target(path[-1]) and self.is_far(path[-1])
        return goes_there and self.price(path, free) <= self.money[self.seat]

    def far(self) -> dict[tuple[str, bool], int]:
        """R12.5, R12.6: the lowest cost to each far target, with and without a free link."""
        if not self.expansion() or "development" not in self.ready:
            return {}
        least = {(name, False): 0 for name in self.own(self.seat)}
        for _ in self.place:
            for (a, b), cost in self.cost.items():
                ways = [(False, False, cost), (True, True, cost)] + [(False, True, 0)] * ("route" in self.ready)
                for before, after, price in ways:
                    if (a, before) in least:
                        total = least[a, before] + price
                        least[b, after] = min(total, least.get((b, after), total))
        return {
            (place, waived): cost
            for (place, waived), cost in least.items()
            if self.is_target(place) and self.is_far(place) and cost <= self.money[self.seat]
        }

    def increases(self) -> set[Move]:
        """R5.1, R9.3."""
        if self.spare(self.seat) < 1:
            return set()
        own = [city for city in self.own(self.seat) if city in self.tile]
        moves: set[Move] = set()
        if self.money[self.seat] > 0:
            moves = {("increase", city) for city in own if self.free(city) and city not in self.centre}
        if self.bonus_ready:
            moves |= {("double", city) for city in own if city in self.centre and self.free(city) > 1}
        return moves

    # consequences

    def play(self, move: Move) -> None:
        match move:
            case ("expand" | "again" as kind, path, free):
                self.expand(path, free)
                self.use_bonus(kind == "again")
                self.notice_milestones()
            case ("increase" | "double" as kind, city):
                self.money[self.seat] -= kind == "increase"
                self.supply[self.seat] -= 1
                self.centre.append(city)
                self.use_bonus(kind == "double")
            case ("dollars",):
                self.money[self.seat] += 10
                self.use_bonus(True)
            case ("keep boom",):
                self.take_income()
            case ("move boom", city):
                self.boom = city
                self.take_income()
            case ("end",):
                self.end_turn()
            case _:
                self.set_up(move)

    def set_up(self, move: Move) -> None:
        """R2.3, R2.6, R11.1."""
        match move:
            case ("city tile", city, tile):
                self.tile[city] = tile
                self.city_pool.remove(tile)
                self.last_to_lay = self.seat
            case ("region tile", region, tile):
                self.region_tile[region] = tile
                self.pool.remove(tile)
                self.last_to_lay = self.seat
            case ("town", town):
                self.put(self.seat, town)
            case ("place boom", city):
                self.boom = city
        self.go_on_in_set_up()

    def use_bonus(self, used: bool) -> None:
        """R9.1: at most one a turn."""
        if used:
            self.bonus[self.seat] -= 1
            self.used[self.seat] += 1
            self.bonus_ready = False

    def put(self, seat: int, place: str) -> None:
        self.supply[seat] -= 1
        self.stands[place].append(seat)

    def go_on_in_set_up(self) -> None:
        """R2: city tiles, region tiles, the left-over tiles on the track, towns, the Boom marker, money."""
        if self.bare_cities() or self.bare_regions():
            self.phase = "city tiles" if self.bare_cities() else "region tiles"
            self.seat = self.playing()[0] if self.last_to_lay is None else self.next_playing(self.last_to_lay)
            return
        self.track, self.pool = self.track + self.pool, []
        for seat in reversed(self.playing()):
            if not self.own(seat):
                self.phase, self.seat = "towns", seat
                return
        if self.deal.boom and not self.boom:
            self.phase, self.seat = "place boom", self.playing()[0]
            return
        for seat in self.playing():
            order = self.clockwise(self.deal.first).index(seat)
            self.money[seat] += DATA["starting_money"][str(self.players)][order]
        self.begin_turn(self.playing()[0])

    def begin_turn(self, seat: int) -> None:
        self.seat = seat
        self.turns[seat] += 1
        self.expanded = False
        self.bonus_ready = self.turns[seat] > 1 and self.bonus[seat] > 0  # R9.1, R10.2, R12.3
        self.ready = {tile for tile, holder in self.holder.items() if holder == seat}  # R12.5, R12.6
        if self.deal.boom:
            self.phase = "boom"
        else:
            self.take_income()

    def take_income(self) -> None:
        """R3.1, R11.3."""
        self.phase = "turn"
        own = [city for city in self.own(self.seat) if city in self.tile]
        spaces = sum(self.free(city) for city in own) + (self.free(self.boom) if self.boom in own else 0)
        self.money[self.seat] += max(pay for least, pay in DATA["income"][str(self.players)] if least <= spaces)

    def expand(self, path: Sequence[str], free: int | None) -> None:
        """R4.1, R4.2; R10.3: a free link counts as used."""
        self.money[self.seat] -= self.price(path, free)
        self.markers.append(path[-1])
        self.expanded = True
        self.dear_links |= {(self.seat, frozenset(link)) for link in pairwise(path) if self.cost[link] == 8}
        for tile, used in (("development", len(path) > 2), ("route", free is not None)):
            if used:
                self.holder[tile] = None
                self.ready.remove(tile)

    def end_turn(self) -> None:
        """R6.1, R7.5, R8.1."""
        while self.markers:
            place = self.markers.pop(0)
            self.supply[self.seat] -= 1
            self.open(place)
        while self.centre:
            self.open(self.centre.pop(0))
        for region in self.regions:
            self.score_region(region)
        self.passed = [] if self.expanded else [*self.passed, self.seat]
        if len(self.track) >= 8:
            self.finish("red_zone")
        else:
            self.pass_on()

    def pass_on(self) -> None:
        """R8.1: the players who had a turn since the last expansion, or under rules 1 the number of turns."""
        if set(self.playing()) <= set(self.passed) or (self.deal.rules < 2 and len(self.passed) >= len(self.playing())):
            self.finish("no_expansion")
        else:
            self.begin_turn(self.next_playing(self.seat))

    def open(self, place: str) -> None:
        """R6.2, R6.3."""
        here = self.stands[place]
        here.append(self.seat)
        if place in self.tile:
            value = self.tile[place]
            if here.count(self.seat) > value / 2:
                self.score_city(place, self.seat, value)
            elif len(here) == value:
                most = max(here.count(seat) for seat in here)
                self.score_city(place, next(seat for seat in here if here.count(seat) == most), value // 2)
        self.notice_milestones()

    def score_city(self, city: str, winner: int, gain: int) -> None:
        """R6.4, R6.5."""
        if self.tile.pop(city) >= 6:  # R10.3
            self.scored_big_city.add(self.seat)
        if winner not in self.resigned:
            self.earned[winner]["cities"] += gain
            self.supply[winner] += self.stands[city].count(winner) - 1
            self.stands[city] = [seat for seat in self.stands[city] if seat != winner] + [winner]
        self.supply[self.seat] += self.centre.count(city)
        self.centre = [other for other in self.centre if other != city]
        region = self.place[city]["region"]
        if region not in self.tie_break:
            self.tie_break[region] = self.seat
            self.supply[self.seat] -= self.spare(self.seat) > 0

    def score_region(self, region: str) -> None:
        """R7.1 to R7.4, R12.2 to R12.6."""
        places = [name for name, place in self.place.items() if place["region"] == region]
        waits = any(name in self.tile or (name not in self.cities and not self.stands[name]) for name in places)
        if waits or region not in self.region_tile:
            return
        tile = self.region_tile.pop(region)
        kind, (first, second, others) = TILES[tile]
        ranked = self.ranked(region, places)
        for rank, seat in enumerate(ranked):
            if seat in self.resigned:
                continue
            value = first if rank == 0 else second if rank == 1 and self.players > 2 else others  # R7.3, R12.8
            if kind == "dollars":  # R12.2
                self.money[seat] += value
            elif kind == "regions":  # R12.4
                self.earned[seat]["regions"] += max(0, len(self.track) + value)
            else:
                self.earned[seat]["regions"] += value
        if ranked[0] not in self.resigned:
            self.give_first(ranked[0], kind)
        self.earned[self.seat]["region_track"] += TRACK[len(self.track)]
        self.track.append(tile)
        self.scored_region.add(self.seat)
        self.notice_milestones()

    def ranked(self, region: str, places: Sequence[str]) -> list[int]:
        """R7.2."""
        count = {
            seat: sum(self.stands[name].count(seat) for name in places)
            for seat in self.clockwise(self.tie_break[region])
        }
        return sorted((seat for seat in count if count[seat]), key=lambda seat: -count[seat])

    def give_first(self, seat: int, kind: str) -> None:
        """R12.3, R12.5, R12.6."""
        if kind == "bonus_tile" and self.used[seat]:
            self.used[seat] -= 1
            self.bonus[seat] += 1
        elif kind in self.holder:
            self.holder[kind] = seat

    def notice_milestones(self) -> None:
        """R10.2."""
        for seat in self.clockwise(self.seat):
            for milestone, reached in self.met.items():
                if seat in self.resigned or seat in reached or not self.reserve[seat]:
                    continue
                if self.meets(seat, milestone):
                    reached.append(seat)
                    self.reserve[seat] -= 1
                    self.bonus[seat] += 1
                    self.supply[seat] -= self.spare(seat) > 0  # R1.6

    def meets(self, seat: int, milestone: str) -> bool:
        """R10.3."""
        own = self.own(seat)
        return {
            "four_towns": sum(name not in self.cities for name in own) >= 4,
            "four_regions": len({self.place[name]["region"] for name in own}) >= 4,
            "five_in_scored": sum(self.stands[c].count(seat) for c in self.cities if c not in self.tile) >= 5,
            "unscored_2_3_4": {2, 3, 4} <= {self.tile.get(name) for name in own},
            "big_city": seat in self.scored_big_city,
            "region": seat in self.scored_region,
            "two_8_links": sum(user == seat for user, _ in self.dear_links) >= 2,
        }[milestone]

    def resign(self, seat: int) -> None:
        """R13.1."""
        self.resigned.add(seat)
        alone, in_turn = len(self.playing()) == 1, self.phase in ("boom", "turn")
        if in_turn and (alone or seat == self.seat):
            self.supply[self.seat] += len(self.centre)
            self.markers, self.centre = [], []
        if alone:
            self.finish("resigned")
        elif not in_turn:
            self.go_on_in_set_up()
        elif seat == self.seat:
            self.pass_on()

    def finish(self, reason: str) -> None:
        """R8.2, R10.4."""
        self.phase, self.reason = "over", reason
        towns = {seat: sum(seat in self.stands[town] for town in self.towns()) for seat in self.playing()}
        for seat, count in towns.items():
            self.earned[seat] += Counter(towns=count, dollars=self.money[seat] // 3, bonus_tiles=4 * self.bonus[seat])
        most = max(self.earned[seat].total() for seat in towns)
        best = [seat for seat in towns if self.earned[seat].total() == most]
        self.winners = [seat for seat in best if towns[seat] == max(towns[other] for other in best)]
        self.decided_by = "influence" if len(best) == 1 else "towns" if len(self.winners) == 1 else "shared"
        if reason == "resigned":
            self.decided_by = "last_player"
