"""R1: towns and cities, spaces, majorities, and the forty franchises."""

import pytest

from domain.actions import EndTurn, Expand, ExpandAgain, Increase
from domain.facts import CityScored, FranchisePlaced, IncomeReceived, RegionScored, TieBreakPlaced
from tests.domain.positions import BLUE, BOARD, ORANGE, RED, allowed, end_turn, facts, on, play, position, the, why


def test_r1_1_a_town_takes_only_one_franchise() -> None:
    """R1.1: a town has one space, and no other player can enter it later."""
    game = position(2, standing={"detroit": BLUE, "pittsburgh": RED}, money=10)
    game = end_turn(game, Expand(("detroit", "indianapolis"))).game
    assert on(game, "indianapolis") == (BLUE,)
    assert why(game, Expand(("pittsburgh", "indianapolis"))) == ("occupied", "R4.1")


@pytest.mark.parametrize(("size", "count"), [(2, 4), (3, 3), (4, 8), (5, 5), (6, 2), (7, 2), (8, 1)])
def test_r1_1_a_city_has_two_to_eight_spaces(size: int, count: int) -> None:
    """R1.1: the map has as many cities of each size as there are city tiles."""
    assert sum(place.kind == "city" and place.spaces == size for place in BOARD.places) == count


def test_r1_2_a_scored_city_has_no_spaces_only_franchises() -> None:
    """R1.2: players cannot enter a scored city or add to it, and it gives no income."""
    game = position(2, scored={"detroit": (BLUE, RED)}, standing={"indianapolis": RED, "memphis": BLUE}, money=5)
    assert why(game, Increase("detroit")) == ("city_scored", "R5.1")
    after = end_turn(game)
    game = position(2, scored={"detroit": BLUE}, standing={"indianapolis": RED}, active=RED, money=5)
    assert why(game, Expand(("indianapolis", "detroit"))) == ("city_scored", "R4.1")
    assert the(after, IncomeReceived).cities == {}


def test_r1_3_spaces_fill_in_order_from_the_start_space() -> None:
    """R1.3: the first franchise stands on space 1, each further one on the next."""
    game = position(2, standing={"detroit": (RED, BLUE)}, money=5)
    game = end_turn(game).game
    after = end_turn(game, Expand(("detroit", "chicago")), Increase("detroit"))
    placed = [(fact.place, fact.space, fact.origin) for fact in facts(after, FranchisePlaced)]
    assert placed == [("chicago", 1, "marker"), ("detroit", 3, "centre")]
    assert on(after.game, "detroit") == (RED, BLUE, RED)


def test_r1_3_the_free_count_is_spaces_less_franchises() -> None:
    """R1.3: Chicago with three franchises has four free spaces."""
    game = position(2, standing={"chicago": (RED, BLUE, BLUE)})
    assert the(end_turn(game), IncomeReceived).cities == {"chicago": 4}


@pytest.mark.parametrize(("size", "majority"), [(2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4), (8, 5)])
def test_r1_4_more_than_half_of_the_value_is_an_absolute_majority(size: int, majority: int) -> None:
    """R1.4: 2 of 2, 2 of 3, 3 of 4, 3 of 5, 4 of 6, 4 of 7, 5 of 8, and not one less."""
    one_short = position(2, standing={"houston": (BLUE,) * (majority - 1)}, values={"houston": size}, money=1)
    scored = the(end_turn(one_short, Increase("houston")), CityScored)
    assert (scored.clause, scored.winner, scored.influence) == ("majority", BLUE, size)
    if majority > 2:
        two_short = position(2, standing={"houston": (BLUE,) * (majority - 2)}, values={"houston": size}, money=1)
        assert not facts(end_turn(two_short, Increase("houston")), CityScored)


def test_r1_5_the_bank_never_runs_out() -> None:
    """R1.5: there are $162 in the box, but income is paid all the same."""
    game = position(2, standing={"chicago": RED}, money={BLUE: 100, RED: 62})
    assert the(end_turn(game), IncomeReceived).dollars == 2


def test_r1_6_without_a_franchise_nothing_that_needs_one_is_allowed() -> None:
    """R1.6: with an empty supply there is neither expansion nor increase."""
    game = position(2, standing={"detroit": BLUE}, money=20, supply={BLUE: 0})
    assert allowed(game) == [EndTurn()]
    assert why(game, Expand(("detroit", "chicago"))) == ("no_franchise_left", "R1.6")
    assert why(game, Increase("detroit")) == ("no_franchise_left", "R1.6")


def test_r1_6_an_expansion_marker_commits_a_franchise() -> None:
    """R1.6: a marker on the map reserves the last franchise."""
    game = position(2, standing={"detroit": BLUE}, money=20, supply={BLUE: 1}, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("detroit", "chicago"))).game
    assert why(game, Increase("detroit")) == ("no_franchise_left", "R1.6")
    assert why(game, ExpandAgain(("detroit", "new-york"))) == ("no_franchise_left", "R1.6")
    assert end_turn(game).game.players[BLUE].supply == 0


def test_r1_6_a_centre_franchise_has_left_the_supply() -> None:
    """R1.6: with one franchise there is one increase."""
    game = position(2, standing={"detroit": BLUE, "chicago": BLUE}, money=20, supply={BLUE: 1})
    game = play(game, Increase("detroit")).game
    assert game.players[BLUE].supply == 0
    assert why(game, Increase("chicago")) == ("no_franchise_left", "R1.6")


@pytest.mark.parametrize(("supply", "piece"), [(2, False), (3, True)])
def test_r1_6_a_tie_break_marker_takes_no_committed_franchise(supply: int, piece: bool) -> None:
    """R1.6: while the second marker waits for the last franchise, the region's marker does without a piece."""
    game = position(
        4,
        standing={"indianapolis": BLUE, "pittsburgh": RED},
        money=1,
        supply={BLUE: supply},
        bonus_tiles={BLUE: 1},
    )
    after = end_turn(game, Expand(("indianapolis", "pittsburgh")), ExpandAgain(("indianapolis", "charlotte")))
    assert the(after, TieBreakPlaced) == TieBreakPlaced(BLUE, "new-york", piece)
    assert on(after.game, "charlotte") == (BLUE,)
    assert after.game.players[BLUE].supply == 0
    assert after.game.regions[BOARD.region_number["new-york"]].tie_break == BLUE


def test_r1_6_a_tie_break_marker_without_a_piece_breaks_ties_all_the_same() -> None:
    """R1.6, R7.2: the fact names the marker's owner; orange comes before blue with two franchises each."""
    game = position(
        3,
        ORANGE,
        standing={"pittsburgh": RED, "new-york": (BLUE, BLUE, BLUE, BLUE, RED, RED, ORANGE)},
        money={ORANGE: 1, BLUE: 3},
        supply={ORANGE: 1},
    )
    after = end_turn(game, Increase("new-york"))
    assert the(after, TieBreakPlaced) == TieBreakPlaced(ORANGE, "new-york", piece=False)
    assert on(after.game, "new-york") == (RED, RED, ORANGE, ORANGE, BLUE)
    after = end_turn(after.game, Expand(("new-york", "pittsburgh")))
    ranks = [(rank.seat, rank.franchises, rank.influence) for rank in the(after, RegionScored).ranks]
    assert ranks == [(RED, 3, 6), (ORANGE, 2, 5), (BLUE, 2, 4)]


def test_r1_6_a_returned_franchise_can_be_the_tie_break_marker() -> None:
    """R1.6: the supply was empty, but the winner's franchises return before the marker is placed."""
    game = position(2, standing={"detroit": (BLUE, BLUE)}, money=1, supply={BLUE: 1})
    after = end_turn(game, Increase("detroit"))
    assert the(after, TieBreakPlaced).piece
    assert after.game.players[BLUE].supply == 1
