"""Counts of the action tree to depth 3: the number of sequences of decisions from fixed positions.

Like the perft numbers of chess programs, the counts show a rule that lists one action too many or too few. The
reference counts a second time.
"""

from copy import deepcopy
from random import Random

import pytest
from msgspec.structs import replace

from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import GameOptions, Modules
from domain.modules.expert import Draft
from tests.domain.choosers import keen
from tests.domain.positions import BLUE, RED, begin, position
from tests.domain.reference import ReferenceGame
from tests.domain.set_ups import BASE_GAME, EVERYTHING
from tests.domain.side_by_side import BothGames

Counts = tuple[int, int, int]


def count(game: Game, depth: int) -> int:
    """Count the sequences of this many decisions."""
    legal = legal_actions(game)
    if depth == 1:
        return len(legal)
    return sum(count(decide(game, each.action).game, depth - 1) for each in legal)


def count_plainly(reference: ReferenceGame, depth: int) -> int:
    """Count the same with the reference."""
    moves = reference.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = deepcopy(reference)
        after.play(move)
        total += count_plainly(after, depth - 1)
    return total


def assert_counts(both: BothGames, expected: Counts) -> None:
    assert tuple(count(both.game, depth) for depth in (1, 2, 3)) == expected
    assert tuple(count_plainly(both.reference, depth) for depth in (1, 2, 3)) == expected


@pytest.mark.parametrize(
    ("players", "options", "expected"),
    [
        (2, GameOptions(), (12, 132, 520)),
        (3, GameOptions(), (12, 132, 1320)),
        (5, GameOptions(), (20, 380, 6840)),
        (2, GameOptions(start="introductory"), (8, 15, 63)),
        (4, GameOptions(start="introductory"), (7, 14, 61)),
        (5, GameOptions(start="introductory"), (7, 13, 56)),
        (2, GameOptions(expert=Draft()), (49, 2268, 97854)),
        (4, GameOptions(start="introductory", modules=Modules(boom=True)), (25, 219, 1533)),
        (3, GameOptions(start="introductory", modules=Modules(milestones=True)), (6, 13, 55)),
    ],
)
def test_the_tree_of_the_opening(players: int, options: GameOptions, expected: Counts) -> None:
    """R2.3, R2.6, R4.1, R5.1, R11.1."""
    assert_counts(BothGames(replace(options, first_player=BLUE), players, 1), expected)


@pytest.mark.parametrize(
    ("players", "decisions", "modules", "expected"),
    [
        (2, 25, BASE_GAME, (15, 190, 1018)),
        (3, 42, BASE_GAME, (18, 153, 708)),
        (4, 47, BASE_GAME, (18, 222, 996)),
        (5, 51, BASE_GAME, (20, 275, 1404)),
        (4, 60, Modules(milestones=True), (15, 20, 110)),
        (4, 54, Modules(boom=True), (9, 152, 1965)),
        (4, 138, Modules(region_tiles="new"), (7, 16, 127)),
        (3, 114, EVERYTHING, (12, 103, 482)),
    ],
)
def test_the_tree_of_a_game(players: int, decisions: int, modules: Modules, expected: Counts) -> None:
    """R4.1, R5.1, R9, R10, R11, R12: with region tiles the Route tile is available."""
    luck = Random(players)
    both = BothGames(GameOptions(start="introductory", first_player=BLUE, modules=modules), players, 1)
    for _ in range(decisions):
        both.do(keen(both.game, luck).action)
    assert both.reference.ready == ({"route"} if modules.region_tiles else set())
    assert_counts(both, expected)


def test_by_hand_the_first_towns_of_two() -> None:
    """R2.3: twelve towns in play, then eleven."""
    game = begin(2).game
    assert (count(game, 1), count(game, 2)) == (12, 12 * 11)


def test_by_hand_a_turn_with_one_franchise() -> None:
    """R4.1, R5.1: blue in Detroit with $3 can expand to Chicago or Indianapolis, increase, or end the turn."""
    game = position(3, standing={"detroit": BLUE, "dodge-city": RED}, money={BLUE: 3})
    assert count(game, 1) == 4
