"""Milestones: players earn their bonus tiles by meeting conditions (R10)."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from domain.board import members
from domain.facts import CityScored, Expanded, FactBase, RegionScored, SeatlessFact
from domain.field_types import Piece, Seed
from domain.game import Game, Module

MilestoneId = Annotated[
    Literal["four_towns", "four_regions", "five_in_scored", "unscored_2_3_4", "big_city", "region", "two_8_links"],
    Meta(description="A milestone: a condition that earns a bonus tile (R10.3)."),
]
Reserve = Annotated[int, Meta(description="The number of bonus tiles that each player has to earn.")]

DRAWN = {2: 6, 3: 6, 4: 5, 5: 5}
BIG_CITY = 6
DEAR_LINK = 8


class MilestonesDrawn(SeatlessFact, frozen=True):
    """The milestones of this game were drawn, and the players' bonus tiles went to their reserves (R10.1)."""

    seed: Seed
    milestones: tuple[MilestoneId, ...]
    reserve: Reserve


class MilestoneReached(FactBase, frozen=True):
    """A player reached a milestone and received a bonus tile from the reserve (R10.2)."""

    seat: int
    milestone: MilestoneId
    piece: Piece = True


class Milestones(Module, frozen=True):
    """The drawn milestones, the seats that have reached each, the bonus tiles in reserve, and the players' deeds.

    The deeds are ``big_cities`` and ``regions``, the seats that triggered such a scoring, and ``dear_links``, the used
    $8 links. They cannot be seen on the board.
    """

    drawn: tuple[MilestoneId, ...] = ()
    reached: tuple[tuple[int, ...], ...] = ()
    reserve: tuple[int, ...] = ()
    big_cities: frozenset[int] = frozenset()
    regions: frozenset[int] = frozenset()
    dear_links: frozenset[tuple[int, frozenset[str]]] = frozenset()

    def deal_bonus_tiles(self, game: Game) -> Sequence[FactBase]:
        """Put the bonus tiles into the reserves and draw the milestones (R10.1)."""
        seed, players = game.seed, len(game.players)
        drawn = random.Random(f"{seed}/milestones").sample(tuple(CONDITIONS), DRAWN[players])
        return [MilestonesDrawn(seed, tuple(drawn), game.board.bonus_tiles[players])]

    def fold(self, game: Game, fact: FactBase) -> Game:
        """Keep track of what each player has done."""
        match fact:
            case MilestonesDrawn():
                reserve = (fact.reserve,) * len(game.players)
                nobody = ((),) * len(fact.milestones)
                return game.with_module(replace(self, drawn=fact.milestones, reached=nobody, reserve=reserve))
            case Expanded():
                return game.with_module(replace(self, dear_links=self.dear_links | _dear_links(fact)))
            case CityScored() if fact.value >= BIG_CITY:
                return game.with_module(replace(self, big_cities=self.big_cities | {fact.seat}))
            case RegionScored():
                return game.with_module(replace(self, regions=self.regions | {fact.seat}))
            case MilestoneReached():
                return self._reached(game, fact)
            case _:
                return game

    def _reached(self, game: Game, fact: MilestoneReached) -> Game:
        reached = tuple(
            (*seats, fact.seat) if milestone == fact.milestone else seats
            for milestone, seats in zip(self.drawn, self.reached, strict=True)
        )
        reserve = tuple(left - (seat == fact.seat) for seat, left in enumerate(self.reserve))
        player = game.players[fact.seat]
        player = replace(player, bonus_tiles=player.bonus_tiles + 1, supply=player.supply - fact.piece)
        game = replace(game, players=game.with_player(fact.seat, player))
        return game.with_module(replace(self, reached=reached, reserve=reserve))

    def bonus_tiles_to_earn(self, seat: int) -> int:
        """Return the number of bonus tiles in the player's reserve (R10.1)."""
        return self.reserve[seat] if self.reserve else 0

    def on_board_changed(self, game: Game) -> list[FactBase]:
        """Return the milestones that are reached now, the active player first, then clockwise (R10.2)."""
        return [fact for seat in game.clockwise_from(game.turn.seat) for fact in self._met_by(game, seat)]

    def _met_by(self, game: Game, seat: int) -> Iterator[MilestoneReached]:
        if game.players[seat].resigned:
            return
        left, spare = self.reserve[seat], game.spare(seat)
        for milestone, reached in zip(self.drawn, self.reached, strict=True):
            if left and seat not in reached and CONDITIONS[milestone](self, game, seat):
                yield MilestoneReached(seat, milestone, piece=spare > 0)
                left -= 1
                spare -= 1


def _dear_links(fact: Expanded) -> set[tuple[int, frozenset[str]]]:
    ends = zip(fact.path, fact.path[1:], strict=False)
    return {(fact.seat, frozenset(link)) for link, cost in zip(ends, fact.link_costs, strict=True) if cost == DEAR_LINK}


def _four_towns(state: Milestones, game: Game, seat: int) -> bool:
    return (game.players[seat].present & game.board.towns).bit_count() >= 4


def _four_regions(state: Milestones, game: Game, seat: int) -> bool:
    present = game.players[seat].present
    return sum(bool(present & places) for places in game.board.region_places) >= 4


def _five_in_scored(state: Milestones, game: Game, seat: int) -> bool:
    return game.franchises_in(game.board.cities & ~game.unscored, seat) >= 5


def _unscored_2_3_4(state: Milestones, game: Game, seat: int) -> bool:
    present = game.players[seat].present & game.unscored
    return {2, 3, 4} <= {game.values[place] for place in members(present)}


def _big_city(state: Milestones, game: Game, seat: int) -> bool:
    return seat in state.big_cities


def _region(state: Milestones, game: Game, seat: int) -> bool:
    return seat in state.regions


def _two_8_links(state: Milestones, game: Game, seat: int) -> bool:
    return sum(user == seat for user, _ in state.dear_links) >= 2


CONDITIONS: dict[MilestoneId, Callable[[Milestones, Game, int], bool]] = {
    "four_towns": _four_towns,
    "four_regions": _four_regions,
    "five_in_scored": _five_in_scored,
    "unscored_2_3_4": _unscored_2_3_4,
    "big_city": _big_city,
    "region": _region,
    "two_8_links": _two_8_links,
}
"""The seven milestones and their conditions (R10.3)."""
