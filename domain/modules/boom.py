"""Boom: a marker that doubles the free spaces of the city it stands at (R11)."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace

from domain.actions import Action, KeepBoom, MoveBoom, PlaceBoom, TakeDollars
from domain.board import members
from domain.events import BoomKept, BoomMoved, BoomPlaced, GameFact
from domain.game import Game
from domain.modules.base import Legal, Module, Phase
from domain.offers import bonus_dollars
from domain.refusals import Refused, not_a_city, unknown_place, wrong_phase
from domain.tiles import cities_in_play


def _first_places(game: Game) -> Iterator[Legal]:
    for city in cities_in_play(game):
        yield Legal(PlaceBoom(city.id), "R11.1")


def _moves(game: Game) -> Iterator[Legal]:
    yield Legal(KeepBoom(), "R11.2")
    for city in members(_in_reach(game, Boom.of(game).city)):
        yield Legal(MoveBoom(game.board.places[city].id), "R11.2")


def _first_in_turn_order(game: Game) -> int | None:
    """The first player still playing, until the marker stands (R11.1)."""
    return game.playing()[0]


def _active(game: Game) -> int:
    return game.turn.seat


class Boom(Module, frozen=True):
    """Where the Boom marker stands."""

    city: str | None = None

    after_towns: ClassVar[tuple[Phase, ...]] = (
        Phase("place_boom", chooser=_first_in_turn_order, offers={_first_places: (PlaceBoom,)}, ends_with=(PlaceBoom,)),
    )
    before_income: ClassVar[tuple[Phase, ...]] = (
        Phase(
            "boom",
            chooser=_active,
            offers={_moves: (KeepBoom, MoveBoom), bonus_dollars: (TakeDollars,)},
            ends_with=(KeepBoom, MoveBoom),
        ),
    )

    def decide(self, game: Game, seat: int, action: Action) -> Sequence[GameFact] | None:
        """Put, move or keep the marker."""
        match action:
            case PlaceBoom(city):
                return [BoomPlaced(seat, city)]
            case MoveBoom(city) if self.city is not None:
                return [BoomMoved(seat, self.city, city)]
            case KeepBoom() if self.city is not None:
                return [BoomKept(seat, self.city)]
            case _:
                return None

    def evolve(self, game: Game, fact: GameFact) -> Game:
        """The marker stands where it was put last."""
        if isinstance(fact, BoomPlaced | BoomMoved):
            return game.with_module(replace(self, city=fact.city))
        return game

    def refuse(self, game: Game, action: Action) -> Refused | None:
        """Why the marker cannot be put there, or not now."""
        match action:
            case PlaceBoom(city):
                return _refuse_city(game, city, "place_boom", "R11.1")
            case MoveBoom(city):
                return _refuse_city(game, city, "boom", "R11.2") or self._refuse_way(city)
            case KeepBoom():
                return wrong_phase(game, ("boom",), "R11.2")
            case _:
                return None

    def _refuse_way(self, city: str) -> Refused:
        if city == self.city:
            detail = f"The marker stands at {city} already; keep_boom leaves it there."
            return Refused("boom_there", "R11.2", detail, {"city": "another one"}, {"city": city})
        detail = f"From {self.city} only towns and scored cities may lie in between; {city} is not connected so."
        return Refused("boom_not_connected", "R11.2", detail, {"connected": True}, {"connected": False})

    def extra_free_spaces(self, game: Game, seat: int) -> int:
        """The free spaces of the Boom city count once more for a player who is present there (R11.3)."""
        if self.city is None:
            return 0
        place = game.board.number[self.city]
        counts = 1 << place & game.unscored & game.players[seat].present
        return game.free_spaces(place) if counts else 0


def _refuse_city(game: Game, city: str, phase: str, rule: str) -> Refused | None:
    """Why the marker can go to no such place at all, or not in this phase."""
    if game.phase != phase:
        return wrong_phase(game, (phase,), rule)
    if city not in game.board.number:
        return unknown_place(city)
    if not 1 << game.board.number[city] & game.board.cities & ~game.closed:
        return not_a_city(game, city, rule)
    return None


def _in_reach(game: Game, city: str | None) -> int:
    """The cities the marker can move to: linked directly, or over towns and scored cities only (R11.2)."""
    if city is None:
        return 0
    start = 1 << game.board.number[city]
    passable = ~game.unscored
    found, edge = start, start
    while edge:
        linked = game.board.linked_to(edge) & ~found & ~game.closed
        found |= linked
        edge = linked & passable
    return found & game.board.cities & ~start
