"""R10: bonus tiles are earned by meeting milestones."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.actions import EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.decide import Decision
from domain.facts import (
    BonusTilesDealt,
    CityScored,
    Expanded,
    FinalCounted,
    FranchisePlaced,
    RegionScored,
    TieBreakPlaced,
)
from domain.game import Game
from domain.modules import Modules
from domain.modules.milestones import CONDITIONS, MilestoneReached, Milestones, MilestonesDrawn
from domain.modules.region_tiles import RegionTiles
from tests.domain.modules.tables import ALL_SEVEN, next_turn_of, reached, reserve, used, with_milestones
from tests.domain.positions import BLACK, BLUE, ORANGE, RED, begin, end_turn, facts, play, the, why

MILESTONES = Modules(milestones=True)
BOTH = Modules(milestones=True, region_tiles="new")


# --- R10.1: the set-up -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "drawn", "tiles"), [(2, 6, 4), (3, 6, 4), (4, 5, 3), (5, 5, 3)])
def test_r10_1_players_start_without_bonus_tiles_and_milestones_are_drawn(players: int, drawn: int, tiles: int) -> None:
    decision = begin(players, seed=5, modules=MILESTONES)
    fact = the(decision, MilestonesDrawn)
    assert (fact.seed, fact.reserve) == (5, tiles)
    assert len(fact.milestones) == len(set(fact.milestones)) == drawn
    assert set(fact.milestones) <= set(ALL_SEVEN)
    assert not facts(decision, BonusTilesDealt)
    assert {player.bonus_tiles for player in decision.game.players} == {0}
    assert Milestones.of(decision.game) == Milestones(fact.milestones, ((),) * drawn, (tiles,) * players)


def test_r10_1_every_milestone_can_be_drawn_and_the_seed_repeats_the_draw() -> None:
    draws = [the(begin(5, seed=seed, modules=MILESTONES), MilestonesDrawn).milestones for seed in range(20)]
    again = [the(begin(5, seed=seed, modules=MILESTONES), MilestonesDrawn).milestones for seed in range(20)]
    assert draws == again
    assert set().union(*draws) == set(ALL_SEVEN) == set(CONDITIONS)


def test_r10_1_a_milestone_that_was_not_drawn_brings_nothing() -> None:
    game = with_milestones("region", standing={"pueblo": BLUE, "ogallala": BLUE, "memphis": BLUE}, money=1)
    assert not reached(end_turn(game, Expand(("ogallala", "dodge-city"))))


# --- R10.2: marking, tiles, order ------------------------------------------------------------------------------


def test_r10_2_a_met_milestone_takes_a_franchise_and_brings_a_tile_from_the_reserve() -> None:
    game = with_milestones("four_towns", standing={"pueblo": BLUE, "ogallala": BLUE, "memphis": BLUE}, money=1)
    decision = end_turn(game, Expand(("ogallala", "dodge-city")))
    assert the(decision, MilestoneReached) == MilestoneReached(BLUE, "four_towns", piece=True)
    assert decision.game.players[BLUE].supply == 40 - 4 - 1
    assert [player.bonus_tiles for player in decision.game.players] == [1, 0]
    assert [reserve(decision.game, seat) for seat in (BLUE, RED)] == [3, 4]
    assert reached(decision) == {"four_towns": (BLUE,)}


def test_r10_2_a_milestone_is_met_once_by_each_player() -> None:
    towns = {"pueblo": BLUE, "ogallala": BLUE, "memphis": BLUE, "little-rock": BLUE}
    game = with_milestones("four_towns", standing=towns, money=1)
    first = end_turn(game, Expand(("ogallala", "dodge-city"))).game
    game = next_turn_of(game, BLUE, Expand(("ogallala", "dodge-city")))
    second = end_turn(game, Expand(("little-rock", "huntsville")))
    assert not facts(second, MilestoneReached)
    assert reserve(second.game, BLUE) == reserve(first, BLUE) == 3


def test_r10_2_several_players_may_meet_the_same_milestone() -> None:
    towns = {"pueblo": BLUE, "ogallala": BLUE, "memphis": BLUE}
    towns |= {"indianapolis": RED, "huntsville": RED, "montgomery": RED, "el-paso": RED}
    game = with_milestones("four_towns", standing=towns, money=1)
    game = game.with_module(Milestones(("four_towns",), ((RED,),), (4, 3)))
    assert reached(end_turn(game, Expand(("ogallala", "dodge-city")))) == {"four_towns": (RED, BLUE)}


def test_r10_2_the_tile_is_usable_from_the_next_turn_on() -> None:
    game = with_milestones("two_8_links", standing={"chicago": BLUE}, money=8)
    game = used(game, (BLUE, "chicago", "phoenix"))
    game = play(game, Expand(("chicago", "new-york"))).game
    assert reached(game) == {"two_8_links": (BLUE,)}
    assert game.players[BLUE].bonus_tiles == 1
    assert why(game, TakeDollars()) == ("no_bonus_tile", "R9.1")
    assert why(game, ExpandAgain(("chicago", "detroit")))[0] == "no_bonus_tile"
    game = next_turn_of(game, BLUE)
    assert play(game, TakeDollars()).game.players[BLUE].bonus_tiles == 0


def _red_meets_it_in_blues_turn() -> Decision:
    """Atlanta is blue's with 3 of 5; red's two there make five in scored cities."""
    game = with_milestones(
        "five_in_scored",
        standing={"atlanta": (RED, RED, BLUE, BLUE)},
        scored={"washington": (RED, RED, RED)},
        money=1,
    )
    return end_turn(game, Increase("atlanta"))


def test_r10_2_a_milestone_can_be_met_in_another_players_turn() -> None:
    decision = _red_meets_it_in_blues_turn()
    assert the(decision, CityScored).seat == BLUE
    assert the(decision, MilestoneReached) == MilestoneReached(RED, "five_in_scored")
    assert decision.game.players[RED].supply == 40 - 5 - 1


def test_r10_2_a_tile_gained_in_another_players_turn_is_usable_in_the_next_own_turn() -> None:
    game = _red_meets_it_in_blues_turn().game
    assert game.turn.seat == RED
    assert play(game, TakeDollars()).game.players[RED].bonus_tiles == 0


def test_r10_2_if_several_meet_it_at_once_the_active_player_is_first_then_clockwise() -> None:
    """Black scores Atlanta; black, red and orange then have five each in scored cities."""
    game = with_milestones(
        "five_in_scored",
        players=4,
        active=BLACK,
        standing={"atlanta": (RED, ORANGE, BLACK, BLACK)},
        scored={"washington": (RED,) * 4 + (ORANGE,) * 4 + (BLACK,) * 4},
        money=1,
    )
    decision = end_turn(game, Increase("atlanta"))
    assert [fact.seat for fact in facts(decision, MilestoneReached)] == [BLACK, RED, ORANGE]
    assert reached(decision) == {"five_in_scored": (BLACK, RED, ORANGE)}


def test_r10_2_with_an_empty_reserve_a_milestone_brings_nothing() -> None:
    towns = {"pueblo": BLUE, "ogallala": BLUE, "memphis": BLUE}
    game = with_milestones("four_towns", reserve=0, standing=towns, money=1)
    decision = end_turn(game, Expand(("ogallala", "dodge-city")))
    assert not facts(decision, MilestoneReached)
    assert decision.game.players[BLUE].bonus_tiles == 0


def test_r10_2_the_last_tile_of_the_reserve_is_given_once_for_two_milestones() -> None:
    towns = {"pueblo": BLUE, "indianapolis": BLUE, "huntsville": BLUE}
    game = with_milestones("four_regions", "four_towns", reserve=1, standing=towns, money=1)
    decision = end_turn(game, Expand(("huntsville", "little-rock")))
    assert the(decision, MilestoneReached).milestone == "four_regions"
    assert reserve(decision.game, BLUE) == 0


def test_r10_2_two_milestones_met_at_once_bring_two_tiles() -> None:
    towns = {"pueblo": BLUE, "indianapolis": BLUE, "huntsville": BLUE}
    game = with_milestones("four_regions", "four_towns", standing=towns, money=1)
    decision = end_turn(game, Expand(("huntsville", "little-rock")))
    assert decision.game.players[BLUE].bonus_tiles == 2
    assert decision.game.players[BLUE].supply == 40 - 4 - 2


def test_r10_2_resigned_players_meet_no_milestones() -> None:
    game = with_milestones(
        "five_in_scored",
        players=3,
        standing={"atlanta": (RED, RED, BLUE, BLUE)},
        scored={"washington": (RED, RED, RED)},
        resigned=[RED],
        money=1,
    )
    assert not facts(end_turn(game, Increase("atlanta")), MilestoneReached)


def test_r10_2_and_r1_6_without_a_spare_franchise_the_milestone_counts_without_a_piece() -> None:
    """The last franchise is committed to the expansion marker."""
    game = used(with_milestones(standing={"chicago": BLUE}, money=8, supply={BLUE: 1}), (BLUE, "chicago", "phoenix"))
    decision = play(game, Expand(("chicago", "new-york")))
    assert the(decision, MilestoneReached) == MilestoneReached(BLUE, "two_8_links", piece=False)
    assert decision.game.players[BLUE].supply == 1
    assert decision.game.players[BLUE].bonus_tiles == 1
    opened = end_turn(decision.game)
    assert the(opened, FranchisePlaced).place == "new-york"
    assert opened.game.players[BLUE].supply == 0


def test_r10_2_and_r1_6_the_last_spare_franchise_marks_the_first_of_two_milestones() -> None:
    towns = {"pueblo": BLUE, "indianapolis": BLUE, "huntsville": BLUE}
    game = with_milestones("four_regions", "four_towns", standing=towns, money=1, supply={BLUE: 2})
    decision = end_turn(game, Expand(("huntsville", "little-rock")))
    assert [fact.piece for fact in facts(decision, MilestoneReached)] == [True, False]
    assert decision.game.players[BLUE].supply == 0


def test_r10_2_and_r1_6_in_another_players_turn_only_the_supply_counts() -> None:
    game = with_milestones(
        standing={"atlanta": (RED, RED, BLUE, BLUE)},
        scored={"washington": (RED, RED, RED)},
        supply={RED: 0},
        money=1,
    )
    decision = end_turn(game, Increase("atlanta"))
    assert MilestoneReached(RED, "five_in_scored", piece=False) in decision.facts
    assert decision.game.players[RED].supply == 0


def test_r10_2_a_milestone_is_noticed_after_the_expansion_the_placed_franchise_and_the_region() -> None:
    """Blue uses a second $8 link, fills New York with it and closes the region: three milestones, each at once."""
    game = with_milestones(
        "two_8_links",
        "big_city",
        "region",
        standing={"chicago": BLUE, "new-york": (RED, RED, RED, RED, RED, RED, RED)},
        scored={"pittsburgh": RED},
        money=8,
    )
    decision = end_turn(used(game, (BLUE, "chicago", "phoenix")), Expand(("chicago", "new-york")))
    kinds = (Expanded, FranchisePlaced, CityScored, TieBreakPlaced, MilestoneReached, RegionScored)
    assert [type(fact) for fact in decision.facts if isinstance(fact, kinds)] == [
        Expanded,
        MilestoneReached,
        FranchisePlaced,
        CityScored,
        MilestoneReached,
        RegionScored,
        MilestoneReached,
    ]
    assert list(reached(decision)) == ["two_8_links", "big_city", "region"]


# --- R10.3: the seven ------------------------------------------------------------------------------------------


def test_r10_3_four_towns_counts_towns_with_a_franchise_not_markers_and_not_cities() -> None:
    standing = {"pueblo": BLUE, "ogallala": BLUE, "omaha": BLUE, "denver": BLUE, "memphis": RED, "chicago": BLUE}
    game = with_milestones("four_towns", standing=standing, money=9)
    assert not reached(end_turn(game, Expand(("ogallala", "dodge-city"))))
    standing |= {"indianapolis": BLUE}
    game = with_milestones("four_towns", standing=standing, money=9)
    marked = play(game, Expand(("ogallala", "dodge-city")))
    assert not reached(marked)
    assert reached(end_turn(marked.game))


def test_r10_3_four_regions_counts_towns_and_cities_scored_or_not() -> None:
    game = with_milestones(
        "four_regions", standing={"pueblo": BLUE, "dallas": BLUE}, scored={"chicago": (BLUE, RED)}, money=9
    )
    assert not reached(end_turn(game, Expand(("pueblo", "denver"))))
    assert reached(end_turn(game, Expand(("dallas", "kansas-city")))) == {"four_regions": (BLUE,)}


def test_r10_3_four_regions_does_not_count_the_tie_break_marker() -> None:
    """R6.5: the marker counts for nothing else."""
    game = with_milestones(
        "four_regions",
        standing={"pueblo": BLUE, "dallas": BLUE, "pittsburgh": BLUE},
        scored={"washington": RED},
        tie_breaks={"washington": BLUE},
        money=1,
    )
    assert not reached(end_turn(game, Increase("pittsburgh")))


def test_r10_3_five_in_scored_cities_counts_franchises_left_after_the_scoring() -> None:
    """Blue's three in Atlanta go down to one: four in all are not enough, five are."""
    standing = {"atlanta": (RED, RED, BLUE, BLUE)}
    game = with_milestones("five_in_scored", standing=standing, scored={"houston": (BLUE,) * 3}, money=1)
    assert not reached(end_turn(game, Increase("atlanta")))
    game = with_milestones("five_in_scored", standing=standing, scored={"houston": (BLUE,) * 4}, money=1)
    assert reached(end_turn(game, Increase("atlanta"))) == {"five_in_scored": (BLUE,)}


def test_r10_3_five_in_scored_cities_counts_neither_towns_nor_unscored_cities() -> None:
    game = with_milestones(
        "five_in_scored",
        standing={"pueblo": BLUE, "denver": (BLUE, BLUE), "dallas": BLUE},
        scored={"houston": (BLUE,) * 4},
        money=1,
    )
    assert not reached(end_turn(game, Increase("dallas")))


def test_r10_3_unscored_2_3_4_needs_one_city_of_each_value() -> None:
    game = with_milestones("unscored_2_3_4", standing={"charlotte": BLUE, "detroit": BLUE}, money=5)
    assert reached(end_turn(game, Expand(("charlotte", "pittsburgh")))) == {"unscored_2_3_4": (BLUE,)}
    assert not reached(end_turn(game, Expand(("charlotte", "st-louis"))))


@pytest.mark.parametrize("missing", [2, 3, 4])
def test_r10_3_unscored_2_3_4_is_not_met_while_one_of_the_three_is_missing(missing: int) -> None:
    """Blue comes to Chicago, a 7; the other two cities of the three are there."""
    cities = {2: "minneapolis", 3: "charlotte", 4: "detroit"}
    standing = {city: BLUE for value, city in cities.items() if value != missing}
    game = with_milestones("unscored_2_3_4", standing=standing | {"ogallala": BLUE}, money=1)
    assert not reached(end_turn(game, Expand(("ogallala", "chicago"))))
    game = with_milestones("unscored_2_3_4", standing=standing | {"ogallala": BLUE, cities[missing]: BLUE}, money=1)
    assert reached(end_turn(game, Expand(("ogallala", "chicago"))))


def test_r10_3_unscored_2_3_4_does_not_count_a_city_that_the_franchise_fills() -> None:
    """R10.2: milestones are checked after the scoring that a franchise causes."""
    game = with_milestones("unscored_2_3_4", standing={"charlotte": BLUE, "detroit": BLUE, "pittsburgh": RED}, money=5)
    decision = end_turn(game, Expand(("charlotte", "pittsburgh")))
    assert the(decision, CityScored).city == "pittsburgh"
    assert not reached(decision)


def test_r10_3_unscored_2_3_4_is_met_before_a_second_franchise_scores() -> None:
    """The marker in Detroit opens first; only then is Pittsburgh scored."""
    game = with_milestones(
        "unscored_2_3_4", standing={"charlotte": BLUE, "pittsburgh": BLUE, "st-louis": BLUE}, money=6
    )
    decision = end_turn(game, Expand(("st-louis", "detroit")), Increase("pittsburgh"))
    kinds = (FranchisePlaced, MilestoneReached, CityScored)
    assert [type(fact) for fact in decision.facts if isinstance(fact, kinds)] == [
        FranchisePlaced,
        MilestoneReached,
        FranchisePlaced,
        CityScored,
    ]


def test_r10_3_and_r2_6_unscored_2_3_4_uses_the_tiles_on_the_cities() -> None:
    standing = {"charlotte": BLUE, "detroit": BLUE}
    game = with_milestones("unscored_2_3_4", standing=standing, values={"detroit": 5}, money=5)
    assert not reached(end_turn(game, Expand(("charlotte", "pittsburgh"))))
    game = with_milestones("unscored_2_3_4", standing=standing, values={"pittsburgh": 3, "charlotte": 2}, money=5)
    assert reached(end_turn(game, Expand(("charlotte", "pittsburgh"))))


@pytest.mark.parametrize(
    ("city", "standing"),
    [
        ("washington", (BLUE,) * 3),
        ("chicago", (BLUE,) * 3),
        ("new-york", (BLUE,) * 4),
    ],
)
def test_r10_3_big_city_is_met_by_triggering_the_scoring_of_a_6_a_7_or_an_8(
    city: str, standing: tuple[int, ...]
) -> None:
    game = with_milestones("big_city", standing={city: standing}, money=1)
    assert reached(end_turn(game, Increase(city))) == {"big_city": (BLUE,)}


def test_r10_3_big_city_is_not_met_with_a_5() -> None:
    game = with_milestones("big_city", standing={"atlanta": (BLUE, BLUE)}, money=1)
    assert the(end_turn(game, Increase("atlanta")), CityScored).value == 5
    assert not reached(end_turn(game, Increase("atlanta")))


def test_r10_3_big_city_is_met_by_the_player_who_triggers_the_scoring() -> None:
    game = with_milestones("big_city", standing={"washington": (RED, RED, RED, BLUE, BLUE)}, money=1)
    decision = end_turn(game, Increase("washington"))
    assert the(decision, CityScored).winner == RED
    assert reached(decision) == {"big_city": (BLUE,)}


def test_r10_3_and_r2_6_big_city_uses_the_tile_on_the_city() -> None:
    game = with_milestones("big_city", standing={"atlanta": (BLUE,) * 3}, values={"atlanta": 6}, money=1)
    assert reached(end_turn(game, Increase("atlanta")))
    game = with_milestones("big_city", standing={"washington": (BLUE,) * 2}, values={"washington": 5}, money=1)
    assert not reached(end_turn(game, Increase("washington")))


def test_r10_3_region_is_met_by_the_player_who_triggers_the_scoring() -> None:
    game = with_milestones("region", standing={"pittsburgh": BLUE}, scored={"new-york": (RED,) * 4}, money=1)
    decision = end_turn(game, Increase("pittsburgh"))
    assert the(decision, RegionScored).ranks[0].seat == RED
    assert reached(decision) == {"region": (BLUE,)}


def test_r10_3_region_is_not_met_by_scoring_a_city_only() -> None:
    game = with_milestones("region", standing={"pittsburgh": BLUE}, money=1)
    assert not reached(end_turn(game, Increase("pittsburgh")))


def test_r10_3_the_first_8_dollar_link_is_only_remembered() -> None:
    game = with_milestones("two_8_links", standing={"chicago": BLUE}, money=30)
    first = play(game, Expand(("chicago", "new-york")))
    assert not reached(first)
    assert first.game.players[BLUE].supply == 39
    second = play(next_turn_of(first.game, BLUE), Expand(("chicago", "kansas-city")))
    assert reached(second) == {"two_8_links": (BLUE,)}


def test_r10_3_links_of_other_costs_do_not_count() -> None:
    game = with_milestones("two_8_links", standing={"chicago": BLUE}, money=30)
    game = next_turn_of(game, BLUE, Expand(("chicago", "new-york")))
    assert not reached(play(game, Expand(("chicago", "omaha"))))


def test_r10_3_the_8_dollar_links_of_another_player_do_not_count() -> None:
    game = used(with_milestones("two_8_links", standing={"chicago": BLUE}, money=8), (RED, "chicago", "phoenix"))
    assert not reached(play(game, Expand(("chicago", "new-york"))))


def test_r10_3_the_second_of_two_8_dollar_links_may_be_a_second_expansion_of_the_same_turn() -> None:
    game = with_milestones("two_8_links", standing={"chicago": BLUE}, money=16, bonus_tiles={BLUE: 1})
    decision = play(game, Expand(("chicago", "new-york")), ExpandAgain(("chicago", "phoenix")))
    assert reached(decision) == {"two_8_links": (BLUE,)}


def _with_special_tiles(**state: Any) -> Game:
    game = with_milestones("two_8_links", modules=BOTH, standing={"kansas-city": BLUE}, money=40)
    return game.with_module(replace(RegionTiles.of(game), **state))


def test_r10_3_a_link_made_free_by_the_route_tile_counts_as_used() -> None:
    game = _with_special_tiles(route=BLUE)
    game = next_turn_of(game, BLUE, Expand(("kansas-city", "chicago")))
    decision = play(game, Expand(("kansas-city", "charleston"), free_link=0))
    assert the(decision, Expanded).cost == 0
    assert reached(decision) == {"two_8_links": (BLUE,)}


def test_r10_3_two_8_dollar_links_may_be_two_of_one_path() -> None:
    game = _with_special_tiles(development=BLUE, development_ready=True)
    assert reached(play(game, Expand(("kansas-city", "chicago", "phoenix")))) == {"two_8_links": (BLUE,)}


def test_r10_3_the_same_8_dollar_link_twice_does_not_count() -> None:
    """Over Chicago to Detroit with the Development tile, and later to Chicago itself."""
    game = _with_special_tiles(development=BLUE, development_ready=True)
    game = next_turn_of(game, BLUE, Expand(("kansas-city", "chicago", "detroit")))
    decision = play(game, Expand(("kansas-city", "chicago")))
    assert the(decision, Expanded).link_costs == (8,)
    assert not reached(decision)


def test_r10_3_the_same_8_dollar_link_the_other_way_round_does_not_count() -> None:
    """Through Kansas City and over Chicago to Minneapolis; later from Chicago to Kansas City."""
    game = with_milestones("two_8_links", modules=BOTH, standing={"dallas": BLUE}, money=40)
    game = game.with_module(replace(RegionTiles.of(game), development=BLUE, development_ready=True))
    game = next_turn_of(game, BLUE, Expand(("dallas", "kansas-city", "chicago", "minneapolis")))
    game = next_turn_of(game, BLUE, Expand(("minneapolis", "chicago")))
    assert not reached(play(game, Expand(("chicago", "kansas-city"))))
    assert reached(play(game, Expand(("chicago", "new-york"))))


# --- R10.4: the end --------------------------------------------------------------------------------------------


def test_r10_4_tiles_in_the_reserve_are_worth_nothing_at_the_end() -> None:
    game = with_milestones(standing={"pueblo": BLUE}, money=0, passed=[RED])
    game = replace(game, players=game.with_player(BLUE, replace(game.players[BLUE], bonus_tiles=1)))
    counted = {fact.seat: fact for fact in facts(play(game, EndTurn()), FinalCounted)}
    assert (counted[BLUE].bonus_tiles, counted[BLUE].bonus_tiles_influence) == (1, 4)
    assert (counted[RED].bonus_tiles, counted[RED].bonus_tiles_influence) == (0, 0)


def test_r10_4_also_when_one_player_is_left() -> None:
    game = with_milestones(standing={"pueblo": BLUE}, money=0)
    assert the(play(game, Resign()), FinalCounted).bonus_tiles_influence == 0
