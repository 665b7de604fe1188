"""Counts of the action tree to depth 3: how many different ways to go on there are from set positions.

As with the perft numbers of chess programs, a rule that lists one action too many or too few shows in a count. The
counts of the base game are made a second time by the rules written down plainly.
"""

from collections.abc import Callable
from copy import deepcopy
from random import Random

import pytest

from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import Modules
from domain.modules.expert import Draft
from tests.domain.choosers import keen
from tests.domain.naive import NaiveGame
from tests.domain.positions import BLUE, RED, begin, position
from tests.domain.side_by_side import as_move, assert_same

Counts = tuple[int, int, int]


def count(game: Game, depth: int) -> int:
    """Count the sequences of so many decisions."""
    legal = legal_actions(game)
    if depth == 1:
        return len(legal)
    return sum(count(decide(game, each.action).game, depth - 1) for each in legal)


def count_plainly(naive: NaiveGame, depth: int) -> int:
    """Count the same by the plain rules."""
    moves = naive.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = deepcopy(naive)
        after.play(move)
        total += count_plainly(after, depth - 1)
    return total


def counts(game: Game) -> Counts:
    return count(game, 1), count(game, 2), count(game, 3)


def opening(players: int, start: str) -> Callable[[], tuple[Game, NaiveGame]]:
    return lambda: (begin(players, start=start).game, NaiveGame(players, start))


def after_decisions(players: int, decisions: int) -> Callable[[], tuple[Game, NaiveGame]]:
    """Return a position in the middle of a game, the same in both."""

    def played() -> tuple[Game, NaiveGame]:
        luck = Random(players)
        game, naive = begin(players, start="introductory").game, NaiveGame(players, "introductory")
        for _ in range(decisions):
            action = keen(game, luck).action
            game = decide(game, action).game
            naive.play(as_move(action))
        assert_same(game, naive)
        return game, naive

    return played


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (opening(2, "standard"), (12, 132, 520)),
        (opening(3, "standard"), (12, 132, 1320)),
        (opening(5, "standard"), (20, 380, 6840)),
        (opening(2, "introductory"), (8, 15, 63)),
        (opening(4, "introductory"), (7, 14, 61)),
        (opening(5, "introductory"), (7, 13, 56)),
        (after_decisions(2, 25), (15, 190, 1018)),
        (after_decisions(3, 42), (18, 153, 708)),
        (after_decisions(4, 47), (18, 222, 996)),
        (after_decisions(5, 51), (20, 275, 1404)),
    ],
)
def test_the_tree_of_the_base_game(table: Callable[[], tuple[Game, NaiveGame]], expected: Counts) -> None:
    """R2.3, R4.1, R5.1, R9: counted by the engine and by the plain rules."""
    game, naive = table()
    assert counts(game) == expected
    assert (count_plainly(naive, 1), count_plainly(naive, 2), count_plainly(naive, 3)) == expected


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (begin(2, expert=Draft()).game, (49, 2268, 97854)),
        (begin(4, start="introductory", modules=Modules(boom=True)).game, (25, 219, 1533)),
        (begin(3, start="introductory", modules=Modules(milestones=True)).game, (6, 13, 55)),
        (
            position(3, modules=Modules(region_tiles="new"), standing={"detroit": BLUE, "omaha": RED}, money=9),
            (6, 16, 51),
        ),
    ],
)
def test_the_tree_with_modules(game: Game, expected: Counts) -> None:
    """R2.6, R10, R11, R12."""
    assert counts(game) == expected


def test_by_hand_the_first_towns_of_two() -> None:
    """R2.3: twelve towns in play, then eleven."""
    game = begin(2).game
    assert (count(game, 1), count(game, 2)) == (12, 12 * 11)


def test_by_hand_a_turn_with_one_franchise() -> None:
    """R4.1, R5.1: blue in Detroit with $3 can expand to Chicago or Indianapolis, increase, or end the turn."""
    game = position(3, standing={"detroit": BLUE, "dodge-city": RED}, money={BLUE: 3})
    assert count(game, 1) == 4
