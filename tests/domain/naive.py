"""The base game once more, written down plainly from RULES.md, to compare the engine with.

Nothing here is shared with the engine but the board's file: no sets as numbers, no facts, nothing remembered that
can be counted. Moves are tuples such as ``("expand", "detroit", "chicago")``.
"""

import json
from importlib.resources import files
from typing import Any

DATA: dict[str, Any] = json.loads(files("domain.data").joinpath("usa-1960s.json").read_text("utf-8"))
PLACES: dict[str, dict[str, Any]] = {place["id"]: place for place in DATA["places"]}

Move = tuple[str, ...]


class NaiveGame:
    """A game of so many players, the first seat beginning, tiles as printed."""

    def __init__(self, players: int, start: str) -> None:
        closed = DATA["closed_regions"][str(players)]
        self.players = players
        self.start = start
        self.place = {name: place for name, place in PLACES.items() if place["region"] not in closed}
        self.cost: dict[tuple[str, str], int] = {}
        for link in DATA["links"]:
            a, b = link["between"]
            if a in self.place and b in self.place:
                self.cost[a, b] = self.cost[b, a] = link["cost"]
        self.tile = {name: place["spaces"] for name, place in self.place.items() if place["kind"] == "city"}
        self.region_tile = {r["id"]: r["tile"] for r in DATA["regions"] if r["id"] not in closed}
        self.tie_break: dict[str, int] = {}
        self.track = len(closed)
        self.stands: dict[str, list[int]] = {name: [] for name in self.place}
        self.supply = [40] * players
        self.money = [0] * players
        self.influence = [0] * players
        self.bonus = [4 if players < 4 else 3] * players
        self.turns = [0] * players
        self.resigned: set[int] = set()
        self.passed: set[int] = set()
        self.seat = -1
        self.markers: list[str] = []
        self.centre: list[str] = []
        self.bonus_used = self.expanded = self.over = self.started = False
        self.winners: set[int] = set()
        if start == "introductory":
            for seat, towns in enumerate(DATA["introductory_towns"][str(players)]):
                for town in towns:
                    self.put(seat, town)
        self.go_on_in_set_up()

    # what can be seen on the table

    def playing(self) -> list[int]:
        return [seat for seat in range(self.players) if seat not in self.resigned]

    def kind(self, place: str) -> str:
        return str(self.place[place]["kind"])

    def free(self, place: str) -> int:
        room = 1 if self.kind(place) == "town" else self.tile.get(place, 0)
        return max(0, room - len(self.stands[place]))

    def spare(self) -> int:
        return self.supply[self.seat] - len(self.markers)

    def may_use_bonus(self) -> bool:
        return self.turns[self.seat] > 1 and not self.bonus_used and self.bonus[self.seat] > 0

    # what may be done

    def moves(self) -> set[Move]:
        if self.over:
            return set()
        if not self.started:
            return {("town", name) for name in self.place if self.kind(name) == "town" and self.free(name)}
        moves: set[Move] = {("end",)} | self.expansions() | self.market_shares()
        if self.may_use_bonus():
            moves.add(("dollars",))
        return moves

    def expansions(self) -> set[Move]:
        if self.centre or self.spare() < 1:
            return set()
        if not self.markers:
            kind = "expand"
        elif len(self.markers) == 1 and self.may_use_bonus():
            kind = "again"
        else:
            return set()
        return {
            (kind, a, b)
            for (a, b), cost in self.cost.items()
            if self.seat in self.stands[a]
            and self.seat not in self.stands[b]
            and b not in self.markers
            and self.free(b)
            and cost <= self.money[self.seat]
        }

    def market_shares(self) -> set[Move]:
        if self.spare() < 1:
            return set()
        own = [city for city in self.tile if self.seat in self.stands[city]]
        moves: set[Move] = set()
        if self.money[self.seat] > 0:
            moves = {("increase", city) for city in own if self.free(city) and city not in self.centre}
        if self.may_use_bonus():
            moves |= {("double", city) for city in own if city in self.centre and self.free(city) > 1}
        return moves

    # what comes of it

    def play(self, move: Move) -> None:
        match move:
            case ("town", town):
                self.put(self.seat, town)
                self.go_on_in_set_up()
            case ("expand" | "again" as kind, a, b):
                self.money[self.seat] -= self.cost[a, b]
                self.markers.append(b)
                self.expanded = True
                self.use_bonus(kind == "again")
            case ("increase" | "double" as kind, city):
                self.money[self.seat] -= kind == "increase"
                self.supply[self.seat] -= 1
                self.centre.append(city)
                self.use_bonus(kind == "double")
            case ("dollars",):
                self.money[self.seat] += 10
                self.use_bonus(True)
            case ("end",):
                self.end_turn()

    def use_bonus(self, used: bool) -> None:
        self.bonus[self.seat] -= used
        self.bonus_used |= used

    def put(self, seat: int, place: str) -> None:
        self.supply[seat] -= 1
        self.stands[place].append(seat)

    def go_on_in_set_up(self) -> None:
        for seat in reversed(self.playing()):
            if not any(seat in here for here in self.stands.values()):
                self.seat = seat
                return
        self.started = True
        for seat in self.playing():
            self.money[seat] += DATA["starting_money"][str(self.players)][seat]
        self.begin_turn(self.playing()[0])

    def begin_turn(self, seat: int) -> None:
        self.seat = seat
        self.turns[seat] += 1
        self.markers, self.centre = [], []
        self.bonus_used = self.expanded = False
        spaces = sum(self.free(city) for city in self.tile if seat in self.stands[city])
        self.money[seat] += max(pay for least, pay in DATA["income"][str(self.players)] if least <= spaces)

    def end_turn(self) -> None:
        while self.markers:
            self.open(self.markers.pop(0), from_supply=True)
        while self.centre:
            self.open(self.centre.pop(0), from_supply=False)
        for region in list(self.region_tile):
            self.score_region(region)
        self.passed = set() if self.expanded else self.passed | {self.seat}
        if self.track >= 8 or set(self.playing()) <= self.passed:
            self.finish()
        else:
            self.next_turn()

    def next_turn(self) -> None:
        seat = (self.seat + 1) % self.players
        while seat in self.resigned:
            seat = (seat + 1) % self.players
        self.begin_turn(seat)

    def open(self, place: str, *, from_supply: bool) -> None:
        self.supply[self.seat] -= from_supply
        here = self.stands[place]
        here.append(self.seat)
        if place not in self.tile:
            return
        value = self.tile[place]
        if here.count(self.seat) > value / 2:
            self.score_city(place, self.seat, value)
        elif len(here) == value:
            most = max(here.count(seat) for seat in here)
            first = next(seat for seat in here if here.count(seat) == most)
            self.score_city(place, first, value // 2)

    def score_city(self, city: str, winner: int, gain: int) -> None:
        del self.tile[city]
        if winner not in self.resigned:
            self.influence[winner] += gain
            self.supply[winner] += self.stands[city].count(winner) - 1
            self.stands[city] = [seat for seat in self.stands[city] if seat != winner] + [winner]
        self.supply[self.seat] += self.centre.count(city)
        self.centre = [other for other in self.centre if other != city]
        region = self.place[city]["region"]
        if region not in self.tie_break:
            self.tie_break[region] = self.seat
            self.supply[self.seat] -= self.spare() > 0

    def score_region(self, region: str) -> None:
        places = [name for name, place in self.place.items() if place["region"] == region]
        if any(name in self.tile or (self.kind(name) == "town" and not self.stands[name]) for name in places):
            return
        count = {seat: sum(self.stands[name].count(seat) for name in places) for seat in range(self.players)}
        from_marker = {seat: (seat - self.tie_break[region]) % self.players for seat in count}
        ranked = sorted((seat for seat in count if count[seat]), key=lambda seat: (-count[seat], from_marker[seat]))
        first, second, others = self.region_tile.pop(region)
        for rank, seat in enumerate(ranked):
            if rank == 0:
                gain = first
            elif rank == 1 and self.players > 2:
                gain = second
            else:
                gain = others
            self.influence[seat] += gain if seat not in self.resigned else 0
        self.influence[self.seat] += (3, 3, 2, 2, 3, 4, 3, 2, 0, 0)[self.track]
        self.track += 1

    def resign(self, seat: int) -> None:
        self.resigned.add(seat)
        alone = len(self.playing()) == 1
        if self.started and (alone or seat == self.seat):
            self.supply[self.seat] += len(self.centre)
            self.markers, self.centre = [], []
        if alone:
            self.finish()
        elif not self.started:
            self.go_on_in_set_up()
        elif seat == self.seat and set(self.playing()) <= self.passed:
            self.finish()
        elif seat == self.seat:
            self.next_turn()

    def finish(self) -> None:
        self.over = True
        towns = {
            seat: sum(seat in self.stands[name] for name in self.place if self.kind(name) == "town")
            for seat in self.playing()
        }
        for seat, count in towns.items():
            self.influence[seat] += count + self.money[seat] // 3 + 4 * self.bonus[seat]
        best = max((self.influence[seat], count) for seat, count in towns.items())
        self.winners = {seat for seat, count in towns.items() if (self.influence[seat], count) == best}
