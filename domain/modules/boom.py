"""Boom: a marker that makes the free spaces of a city count twice (R11)."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from domain.actions import ActionBase, CityChoice, TakeDollars
from domain.base.bonus_tiles import bonus_dollars
from domain.base.lay_tiles import cities_in_play
from domain.base.refusals import not_a_city, unknown_place, wrong_phase
from domain.base.turn import active_seat
from domain.board import Board, members
from domain.facts import FactBase
from domain.field_types import CityId
from domain.game import Game, Module, Phase
from domain.legal import Legal
from domain.refused import BaseHad, BaseNeeded, IllegalAction

PLACE_BOOM = "place_boom"
BOOM = "boom"


class BoomNeeded(BaseNeeded, total=False):
    """The requirements for a move of the marker."""

    city: Annotated[str, Meta(description="The allowed city, in words.")]
    connected: Annotated[bool, Meta(description="Whether only towns and scored cities may lie in between (R11.2).")]


class BoomHad(BaseHad, total=False):
    """The actual situation of the marker."""

    city: Annotated[str, Meta(description="The id of the city with the marker.")]
    connected: Annotated[bool, Meta(description="Whether only towns and scored cities lie in between (R11.2).")]


class PlaceBoom(ActionBase, frozen=True):
    """Put the Boom marker on a city, after the starting towns are chosen (R11.1)."""

    city: CityChoice


class MoveBoom(ActionBase, frozen=True):
    """Move the Boom marker to a connected city at the start of the turn (R11.2)."""

    city: CityChoice


class KeepBoom(ActionBase, frozen=True):
    """Leave the Boom marker where it is at the start of the turn (R11.2)."""


class BoomPlaced(FactBase, frozen=True):
    """The Boom marker was put on its first city (R11.1)."""

    seat: int
    city: CityId


class BoomMoved(FactBase, frozen=True):
    """The Boom marker was moved to another city (R11.2)."""

    seat: int
    origin: CityId
    city: CityId


class BoomKept(FactBase, frozen=True):
    """The Boom marker stayed on its city (R11.2)."""

    seat: int
    city: CityId


def _first_places(game: Game) -> Iterator[Legal[ActionBase]]:
    for city in cities_in_play(game):
        yield Legal(PlaceBoom(city.id), "R11.1")


def _moves(game: Game) -> Iterator[Legal[ActionBase]]:
    yield Legal(KeepBoom(), "R11.2")
    for city in members(_in_reach(game, Boom.of(game).city)):
        yield Legal(MoveBoom(game.board.places[city].id), "R11.2")


def _first_in_turn_order(game: Game) -> int | None:
    """Return the first player in turn order who has not resigned (R11.1)."""
    return game.playing()[0]


class Boom(Module, frozen=True):
    """The city with the Boom marker."""

    city: str | None = None

    after_towns: ClassVar[tuple[Phase, ...]] = (
        Phase(PLACE_BOOM, chooser=_first_in_turn_order, actions={_first_places: (PlaceBoom,)}, ends_with=(PlaceBoom,)),
    )
    before_income: ClassVar[tuple[Phase, ...]] = (
        Phase(
            BOOM,
            chooser=active_seat,
            actions={_moves: (KeepBoom, MoveBoom), bonus_dollars: (TakeDollars,)},
            ends_with=(KeepBoom, MoveBoom),
        ),
    )

    reasons: ClassVar[tuple[str, ...]] = ("boom_there", "boom_not_connected")

    def consequences(self, game: Game, seat: int, action: ActionBase) -> Sequence[FactBase] | None:
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

    def fold(self, game: Game, fact: FactBase) -> Game:
        if isinstance(fact, BoomPlaced | BoomMoved):
            return game.with_module(replace(self, city=fact.city))
        return game

    def refuse(self, game: Game, action: ActionBase) -> IllegalAction | None:
        """Return why the marker cannot be put on a city."""
        match action:
            case PlaceBoom(city):
                return _refuse_city(game, city, PLACE_BOOM, "R11.1")
            case MoveBoom(city):
                return _refuse_city(game, city, BOOM, "R11.2") or self._refuse_target(game.board, city)
            case KeepBoom():
                return wrong_phase(game, (BOOM,), "R11.2")
            case _:
                return None

    def _refuse_target(self, board: Board, city: str) -> IllegalAction:
        place = board.place_names[city]
        if city == self.city or self.city is None:
            return IllegalAction(
                "boom_there", "R11.2", BoomNeeded(city="another one"), BoomHad(city=city), values={"place": place}
            )
        needed, had = BoomNeeded(connected=True), BoomHad(connected=False)
        origin = board.place_names[self.city]
        return IllegalAction("boom_not_connected", "R11.2", needed, had, values={"origin": origin, "place": place})

    def extra_free_spaces(self, game: Game, seat: int) -> int:
        """Count the free spaces of the Boom city once more if the player has a franchise there (R11.3)."""
        if self.city is None:
            return 0
        place = game.board.number[self.city]
        counts = 1 << place & game.unscored & game.players[seat].present
        return game.free_spaces(place) if counts else 0


def _refuse_city(game: Game, city: str, phase: str, rule: str) -> IllegalAction | None:
    """Return why the marker can never go to this place, or not in this phase."""
    if game.phase != phase:
        return wrong_phase(game, (phase,), rule)
    if city not in game.board.number:
        return unknown_place(city)
    if not 1 << game.board.number[city] & game.board.cities & ~game.closed:
        return not_a_city(game, city, rule)
    return None


def _in_reach(game: Game, city: str | None) -> int:
    """Return the cities that are linked directly or via towns and scored cities (R11.2)."""
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
