"""R6: phase 4, franchises open and cities score."""

import pytest

from domain.actions import Double, EndTurn, Expand, ExpandAgain, Increase
from domain.facts import CityScored, FranchisePlaced, TieBreakPlaced
from domain.legal import WouldScore
from tests.domain.positions import (
    BLACK,
    BLUE,
    BOARD,
    ORANGE,
    RED,
    begin,
    end_turn,
    facts,
    listed,
    on,
    play,
    position,
    refused,
    the,
    value,
)


def test_r6_1_markers_open_first_then_the_centre_each_in_the_order_placed() -> None:
    """R6.1: two markers, then two increases."""
    game = position(4, standing={"detroit": BLUE, "houston": BLUE, "dallas": BLUE}, money=20, bonus_tiles={BLUE: 1})
    decision = end_turn(
        game,
        Expand(("detroit", "chicago")),
        ExpandAgain(("detroit", "indianapolis")),
        Increase("houston"),
        Increase("dallas"),
    )
    placed = [(fact.place, fact.origin) for fact in facts(decision, FranchisePlaced)]
    assert placed == [("chicago", "marker"), ("indianapolis", "marker"), ("houston", "centre"), ("dallas", "centre")]
    assert decision.game.players[BLUE].supply == 40 - 3 - 4


def test_r6_1_opening_belongs_to_the_players_turn() -> None:
    """R6.1: nothing opens, and the turn cannot be ended, before there is a turn."""
    refusal = refused(begin(2).game, EndTurn())
    assert (refusal.reason, refusal.needed) == ("wrong_phase", {"phase": ["expand", "increase"]})


def test_r6_2_the_last_space_scores_the_city() -> None:
    """R6.2: Detroit's fourth franchise, nobody with a majority."""
    game = position(3, standing={"detroit": (RED, ORANGE, BLUE)}, money=1)
    decision = end_turn(game, Increase("detroit"))
    scored = the(decision, CityScored)
    assert (scored.seat, scored.winner, scored.clause, scored.influence) == (BLUE, BLUE, "most", 2)
    assert value(decision.game, "detroit") == 0


def test_r6_2_a_city_without_majority_and_with_free_spaces_does_not_score() -> None:
    """R6.2: two of four, one space free."""
    game = position(3, standing={"detroit": (RED, BLUE)}, money=1)
    decision = end_turn(game, Increase("detroit"))
    assert not facts(decision, CityScored)
    assert value(decision.game, "detroit") == 4


def test_r6_2_a_city_scores_at_once() -> None:
    """R6.2: the scoring of the first city comes before the next franchise opens."""
    game = position(2, standing={"detroit": (BLUE, BLUE), "dallas": BLUE}, money=2)
    decision = end_turn(game, Increase("detroit"), Increase("dallas"))
    kinds = [type(fact).__name__ for fact in decision.facts]
    opening = kinds[kinds.index("FranchisePlaced") : kinds.index("TurnEnded")]
    assert opening == ["FranchisePlaced", "CityScored", "TieBreakPlaced", "FranchisePlaced"]


def test_r6_2_an_action_shows_the_scoring_it_would_cause() -> None:
    """R6.2: in the list of legal actions, for increases, expansions and doubles."""
    game = position(
        2,
        standing={"detroit": (BLUE, BLUE), "dallas": (RED, RED, BLUE), "omaha": BLUE, "pittsburgh": RED},
        money=20,
        bonus_tiles={BLUE: 1},
    )
    assert listed(game, Increase("detroit")).would_score == WouldScore("detroit", BLUE, "majority", 4)
    assert listed(game, Increase("dallas")).would_score is None
    assert listed(game, Expand(("detroit", "indianapolis"))).would_score is None
    game = play(game, Increase("dallas"), Increase("omaha")).game
    assert listed(game, Double("dallas")).would_score == WouldScore("dallas", BLUE, "majority", 5)
    assert listed(game, Double("omaha")).would_score == WouldScore("omaha", BLUE, "majority", 4)
    game = position(2, standing={"indianapolis": BLUE, "pittsburgh": RED}, money=5)
    shared = listed(game, Expand(("indianapolis", "pittsburgh"))).would_score
    assert shared == WouldScore("pittsburgh", RED, "tie_break", 1)


def test_r6_3_the_majority_of_washington_gains_6() -> None:
    """R6.3: the rulebook's example, red with four of six."""
    game = position(3, RED, standing={"washington": (BLUE, RED, RED, RED)}, money=1)
    decision = end_turn(game, Increase("washington"))
    assert the(decision, CityScored) == CityScored(
        seat=RED,
        city="washington",
        value=6,
        franchises={BLUE: 1, RED: 4},
        winner=RED,
        clause="majority",
        tied=(),
        influence=6,
        returned=3,
    )
    assert decision.game.players[RED].influence == 6
    assert decision.game.players[RED].earned.cities == 6
    assert decision.game.players[BLUE].influence == 0


def test_r6_3_the_earlier_of_two_tied_in_chicago_gains_3() -> None:
    """R6.3: the rulebook's example, red and blue with three each of seven; half of 7 is 3."""
    game = position(3, BLUE, standing={"chicago": (ORANGE, RED, BLUE, RED, BLUE, RED)}, money=1)
    decision = end_turn(game, Increase("chicago"))
    assert the(decision, CityScored) == CityScored(
        seat=BLUE,
        city="chicago",
        value=7,
        franchises={BLUE: 3, RED: 3, ORANGE: 1},
        winner=RED,
        clause="tie_break",
        tied=(RED, BLUE),
        influence=3,
        returned=2,
    )
    assert [player.influence for player in decision.game.players] == [0, 3, 0]


def test_r6_3_most_franchises_without_majority_gain_half() -> None:
    """R6.3: three of eight are the most, and it is another player's franchise that fills New York."""
    game = position(
        4, BLUE, standing={"new-york": (BLUE, RED, RED, ORANGE, ORANGE, RED, BLACK), "detroit": BLUE}, money=5
    )
    decision = end_turn(game, Increase("new-york"))
    scored = the(decision, CityScored)
    assert (scored.winner, scored.clause, scored.influence, scored.tied) == (RED, "most", 4, ())
    assert [player.influence for player in decision.game.players] == [0, 4, 0, 0]


@pytest.mark.parametrize(("size", "half"), [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (8, 4)])
def test_r6_3_half_is_rounded_down(size: int, half: int) -> None:
    """R6.3: for every value; red stood there first and nobody has more."""
    others = (RED, ORANGE, BLACK) * 3
    game = position(5, standing={"houston": others[: size - 1], "little-rock": BLUE}, values={"houston": size}, money=1)
    scored = the(end_turn(game, Expand(("little-rock", "houston"))), CityScored)
    assert (scored.winner, scored.influence) == (RED, half)


def test_r6_3_a_city_of_two_shared_by_two() -> None:
    """R6.3: the first of them gains 1 and keeps the one franchise."""
    game = position(4, standing={"indianapolis": BLUE, "pittsburgh": RED}, money=1)
    decision = end_turn(game, Expand(("indianapolis", "pittsburgh")))
    scored = the(decision, CityScored)
    assert (scored.winner, scored.clause, scored.tied) == (RED, "tie_break", (RED, BLUE))
    assert (scored.influence, scored.returned) == (1, 0)
    assert sorted(on(decision.game, "pittsburgh")) == [BLUE, RED]


def test_r6_3_a_city_of_two_for_one() -> None:
    """R6.3: two of two are a majority."""
    game = position(4, standing={"pittsburgh": BLUE}, money=1)
    scored = the(end_turn(game, Increase("pittsburgh")), CityScored)
    assert (scored.clause, scored.influence, scored.returned) == ("majority", 2, 1)


def test_r6_4_the_winner_takes_back_all_but_one_everyone_else_keeps_all() -> None:
    """R6.4: red wins Chicago by tie-break and takes back two, blue keeps three, orange one; the tile is gone."""
    game = position(3, BLUE, standing={"chicago": (ORANGE, RED, BLUE, RED, BLUE, RED)}, money=1)
    decision = end_turn(game, Increase("chicago"))
    here = on(decision.game, "chicago")
    assert (here.count(BLUE), here.count(RED), here.count(ORANGE)) == (3, 1, 1)
    assert [player.supply for player in decision.game.players] == [40 - 3 - 1, 39, 39]
    assert value(decision.game, "chicago") == 0


def test_r6_4_a_left_over_centre_franchise_is_returned() -> None:
    """R6.4: doubled in Detroit, the first of the two brings the majority, the second is not placed."""
    game = position(2, standing={"detroit": (BLUE, BLUE)}, money=1, bonus_tiles={BLUE: 1})
    game = play(game, Increase("detroit"), Double("detroit")).game
    assert game.players[BLUE].supply == 36
    decision = end_turn(game)
    assert [fact.space for fact in facts(decision, FranchisePlaced)] == [3]
    scored = the(decision, CityScored)
    assert (scored.franchises, scored.returned, scored.from_centre) == ({BLUE: 3}, 2, 1)
    assert decision.game.players[BLUE].supply == 36 + 2 + 1 - 1, "and one is the tie-break marker"
    assert decision.game.turn.centre == ()


def test_r6_4_nobody_gains_for_a_resigned_winner() -> None:
    """R6.4, R13.1: resigned red had the most of Chicago; the tile leaves, the franchises stay."""
    game = position(3, standing={"chicago": (RED, RED, RED, ORANGE, BLUE, BLUE)}, money=1, resigned=[RED])
    entry = listed(game, Increase("chicago"))
    assert entry.would_score == WouldScore("chicago", RED, "tie_break", 0)
    decision = end_turn(game, Increase("chicago"))
    scored = the(decision, CityScored)
    assert (scored.winner, scored.clause, scored.influence, scored.returned) == (RED, "tie_break", 0, 0)
    assert on(decision.game, "chicago") == (RED, RED, RED, ORANGE, BLUE, BLUE, BLUE)
    assert [player.influence for player in decision.game.players] == [0, 0, 0]
    assert value(decision.game, "chicago") == 0


def test_r6_5_the_first_scoring_of_a_region_leaves_the_tie_break_marker() -> None:
    """R6.5: red triggers it and owns it, though blue gains the points of Pittsburgh."""
    game = position(4, RED, standing={"indianapolis": RED, "pittsburgh": BLUE}, money=1)
    decision = end_turn(game, Expand(("indianapolis", "pittsburgh")))
    assert the(decision, CityScored).winner == BLUE
    assert the(decision, TieBreakPlaced) == TieBreakPlaced(RED, "new-york", piece=True)
    assert decision.game.players[RED].supply == 40 - 2 - 1
    assert decision.game.regions[BOARD.region_number["new-york"]].tie_break == RED


def test_r6_5_the_second_scoring_of_a_region_leaves_none() -> None:
    """R6.5: Chicago was scored, Detroit follows."""
    game = position(2, standing={"detroit": (BLUE, BLUE)}, scored={"chicago": RED}, money=1)
    decision = end_turn(game, Increase("detroit"))
    assert the(decision, CityScored).city == "detroit"
    assert not facts(decision, TieBreakPlaced)


def test_r6_5_two_regions_in_one_turn_get_a_marker_each() -> None:
    """R6.5: Detroit and Omaha lie in different regions."""
    game = position(2, standing={"detroit": (BLUE, BLUE), "omaha": (BLUE, BLUE)}, money=2)
    decision = end_turn(game, Increase("detroit"), Increase("omaha"))
    assert [fact.region for fact in facts(decision, TieBreakPlaced)] == ["great-lakes", "central"]
    assert decision.game.players[BLUE].supply == 40 - 2 - 2


def test_r6_5_the_marker_counts_for_nothing_else() -> None:
    """R6.5: it is no franchise of the region."""
    game = position(3, BLUE, standing={"pittsburgh": BLUE}, money=1)
    game = end_turn(game, Increase("pittsburgh")).game
    region = BOARD.region_places[BOARD.region_number["new-york"]]
    assert game.franchises_in(region, BLUE) == 1
