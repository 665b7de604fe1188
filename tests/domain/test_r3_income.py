"""R3: income for free spaces in the player's cities."""

import pytest

from domain.actions import Increase
from domain.facts import IncomeReceived, TurnStarted
from tests.domain.positions import BLUE, ORANGE, RED, begin, end_turn, position, the


def test_r3_1_two_and_two_and_three_free_spaces_give_3_to_one_of_five() -> None:
    """R3.1: the rulebook's example, red in three cities, 2 + 2 + 3 = 7."""
    game = position(
        5,
        standing={
            "dallas": (BLUE, RED, ORANGE),
            "houston": (RED, BLUE, BLUE, ORANGE),
            "chicago": (BLUE, ORANGE, RED, BLUE),
        },
        money=4,
    )
    after = end_turn(game)
    income = IncomeReceived(RED, {"houston": 2, "dallas": 2, "chicago": 3}, extra=0, dollars=3)
    assert the(after, IncomeReceived) == income
    assert after.game.players[RED].money == 7


CHARTS = {
    2: {0: 1, 3: 1, 4: 2, 10: 2, 11: 3, 16: 3, 17: 4, 22: 4, 23: 5, 30: 5, 31: 6, 39: 6, 40: 7},
    3: {0: 1, 2: 1, 3: 2, 6: 2, 7: 3, 10: 3, 11: 4, 14: 4, 15: 5, 20: 5, 21: 6, 26: 6, 27: 7},
    4: {0: 1, 1: 1, 2: 2, 5: 2, 6: 3, 9: 3, 10: 4, 13: 4, 14: 5, 17: 5, 18: 6, 21: 6, 22: 7},
    5: {0: 1, 1: 1, 2: 2, 4: 2, 5: 3, 8: 3, 9: 4, 12: 4, 13: 5, 15: 5, 16: 6, 18: 6, 19: 7},
}
ROOMY = ["new-york", "chicago", "houston", "washington", "dallas", "atlanta", "phoenix", "kansas-city", "omaha"]


@pytest.mark.parametrize(
    ("players", "free", "dollars"),
    [(players, free, dollars) for players, chart in CHARTS.items() for free, dollars in chart.items()],
)
def test_r3_1_the_chart_has_a_row_for_every_sum(players: int, free: int, dollars: int) -> None:
    """R3.1: the first and the last sum of each row of the four charts."""
    standing: dict[str, tuple[int, ...]] = {}
    sizes = dict(zip(ROOMY, (8, 7, 6, 6, 5, 5, 5, 5, 4), strict=True))
    left = free
    for city in ROOMY:
        room = min(left, sizes[city] - 1)
        if room:
            others = (BLUE, 2 % players) * 4
            standing[city] = (RED, *others)[: sizes[city] - room]
            left -= room
    game = end_turn(position(players, standing=standing))
    income = the(game, IncomeReceived)
    assert (sum(income.cities.values()), income.dollars) == (free, dollars)


def test_r3_1_the_lowest_income_is_1_dollar() -> None:
    """R3.1: for players only in towns, scored cities or places without free spaces."""
    game = position(3, standing={"memphis": RED, "dallas": BLUE}, scored={"chicago": (RED, RED)})
    income = the(end_turn(game), IncomeReceived)
    assert (income.cities, income.dollars) == ({}, 1)


def test_r3_1_income_comes_by_itself_at_the_start_of_the_turn() -> None:
    """R3.1: between the turn's start and the first decision; the first turn pays too."""
    opened = begin(2, start="introductory")
    assert the(opened, IncomeReceived) == IncomeReceived(BLUE, {}, 0, 1)
    assert opened.game.players[BLUE].money == 2 + 1
    kinds = [type(fact).__name__ for fact in end_turn(opened.game).facts]
    assert kinds == ["ActionTaken", "TurnEnded", "TurnStarted", "IncomeReceived", "PhaseBegan"]


def test_r3_1_income_counts_the_spaces_free_now() -> None:
    """R3.1: spaces filled in the turn before are not free."""
    game = position(2, standing={"detroit": (RED, BLUE), "indianapolis": BLUE}, money=1)
    after = end_turn(game, Increase("detroit"))
    assert the(after, TurnStarted).seat == RED
    assert the(after, IncomeReceived).cities == {"detroit": 1}
