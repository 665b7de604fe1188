"""R7: phase 5, regions score."""

import pytest

from domain.actions import Expand, ExpandAgain, Increase
from domain.facts import RegionRank, RegionScored
from tests.domain.positions import (
    BEIGE,
    BLACK,
    BLUE,
    BOARD,
    ORANGE,
    RED,
    Seats,
    end_turn,
    facts,
    position,
    the,
)

Ranks = list[tuple[int, int, int]]


def ranks_of(fact: RegionScored) -> Ranks:
    """Return seat, franchises and gain in the order of rank."""
    assert [rank.rank for rank in fact.ranks] == list(range(1, len(fact.ranks) + 1))
    return [(rank.seat, rank.franchises, rank.influence) for rank in fact.ranks]


def test_r7_1_a_region_scores_with_its_last_town() -> None:
    """R7.1: blue enters Pueblo while Flagstaff and Salt Lake City are taken and no city has a tile."""
    standing: dict[str, Seats] = {"flagstaff": RED, "salt-lake-city": BLUE}
    scored = {"phoenix": BLUE, "albuquerque": RED, "denver": BLUE}
    game = position(3, standing=standing, scored=scored, money=1)
    assert the(end_turn(game, Expand(("denver", "pueblo"))), RegionScored).region == "grand-canyon"
    assert not facts(end_turn(game), RegionScored), "Pueblo is still free"


def test_r7_1_a_region_scores_with_its_last_city() -> None:
    """R7.1: Omaha is the last one, and all towns belong to others."""
    standing: dict[str, Seats] = {
        "memphis": RED,
        "little-rock": RED,
        "ogallala": RED,
        "dodge-city": ORANGE,
        "omaha": (BLUE, BLUE),
    }
    game = position(3, standing=standing, scored={"st-louis": RED, "kansas-city": ORANGE}, money=1)
    assert the(end_turn(game, Increase("omaha")), RegionScored).region == "central"


def test_r7_1_a_region_waits_for_all_of_its_towns() -> None:
    """R7.1: Omaha was the last city, but nobody is in Dodge City."""
    standing: dict[str, Seats] = {"memphis": RED, "little-rock": RED, "ogallala": RED, "omaha": (BLUE, BLUE)}
    game = position(3, standing=standing, scored={"st-louis": RED, "kansas-city": ORANGE}, money=1)
    assert not facts(end_turn(game, Increase("omaha")), RegionScored)


def test_r7_1_a_region_waits_for_all_of_its_cities() -> None:
    """R7.1: El Paso was the last town, but Dallas has its tile."""
    game = position(3, standing={"dallas": BLUE}, scored={"houston": RED, "oklahoma-city": BLUE}, money=1)
    assert not facts(end_turn(game, Expand(("dallas", "el-paso"))), RegionScored)


def test_r7_1_new_york_has_no_town() -> None:
    """R7.1: its two cities are enough."""
    game = position(3, standing={"new-york": (BLUE, BLUE, BLUE, BLUE)}, scored={"pittsburgh": RED}, money=1)
    assert the(end_turn(game, Increase("new-york")), RegionScored).region == "new-york"


def test_r7_1_a_region_scores_once() -> None:
    """R7.1: a scored region is not open any more."""
    game = position(3, scored_regions=["new-york"], standing={"detroit": BLUE}, money=1)
    assert not facts(end_turn(game, Increase("detroit")), RegionScored)
    after = end_turn(
        position(3, standing={"new-york": (BLUE,) * 4}, scored={"pittsburgh": RED}, money=1), Increase("new-york")
    )
    region = after.game.regions[BOARD.region_number["new-york"]]
    assert (region.scored, region.tile) == (True, None)
    assert not facts(end_turn(after.game), RegionScored)


def test_r7_2_the_yellow_region_gives_10_8_5_5_5() -> None:
    """R7.2: the rulebook's example: white 10, black 8, orange, blue and red 5 each."""
    game = position(
        5,
        RED,
        standing={"flagstaff": BEIGE, "salt-lake-city": BEIGE},
        scored={"phoenix": (BLACK, ORANGE, BEIGE), "albuquerque": (BLACK, BLUE, BEIGE), "denver": (BLACK, RED)},
        money=1,
    )
    decision = end_turn(game, Expand(("denver", "pueblo")))
    scored = the(decision, RegionScored)
    assert ranks_of(scored) == [(BEIGE, 4, 10), (BLACK, 3, 8), (RED, 2, 5), (BLUE, 1, 5), (ORANGE, 1, 5)]
    assert scored.tile.values == (10, 8, 5)
    assert [player.earned.regions for player in decision.game.players] == [5, 5, 5, 8, 10]


def test_r7_2_towns_and_scored_cities_count_alike() -> None:
    """R7.2: three left in one city beat a town and a city."""
    game = position(
        3,
        standing={"el-paso": RED, "dallas": (BLUE, BLUE)},
        scored={"houston": RED, "oklahoma-city": (ORANGE, ORANGE, ORANGE)},
        money=1,
    )
    scored = the(end_turn(game, Increase("dallas")), RegionScored)
    assert ranks_of(scored) == [(ORANGE, 3, 5), (RED, 2, 4), (BLUE, 1, 2)]


@pytest.mark.parametrize(
    ("owner", "order"),
    [
        (BLUE, [BLUE, ORANGE]),
        (RED, [ORANGE, BLUE]),
        (ORANGE, [ORANGE, BLUE]),
        (BLACK, [BLUE, ORANGE]),
        (BEIGE, [BLUE, ORANGE]),
    ],
)
def test_r7_2_ties_go_to_the_markers_owner_then_clockwise(owner: int, order: list[int]) -> None:
    """R7.2: blue and orange are tied; if neither owns the marker, the next player clockwise wins."""
    game = position(
        5,
        RED,
        standing={"flagstaff": BLUE, "salt-lake-city": ORANGE},
        scored={"phoenix": BLUE, "albuquerque": ORANGE, "denver": (), "oklahoma-city": RED},
        tie_breaks={"grand-canyon": owner},
        money=1,
    )
    scored = the(end_turn(game, Expand(("oklahoma-city", "pueblo"))), RegionScored)
    assert scored.tie_break == tuple((owner + step) % 5 for step in range(5))
    assert ranks_of(scored) == [(order[0], 2, 10), (order[1], 2, 8), (RED, 1, 5)]


def test_r7_2_the_marker_breaks_ties_further_down_as_well() -> None:
    """R7.2: three are tied for the second place of Texas, red owns the marker."""
    game = position(
        4,
        BLUE,
        standing={"dallas": (BLUE, BLUE)},
        scored={"houston": (RED, BLACK), "oklahoma-city": (BLACK, ORANGE)},
        tie_breaks={"texas": RED},
        money=1,
        bonus_tiles={BLUE: 1},
    )
    scored = the(end_turn(game, Expand(("dallas", "el-paso")), Increase("dallas")), RegionScored)
    assert ranks_of(scored) == [(BLACK, 2, 5), (BLUE, 2, 4), (RED, 1, 2), (ORANGE, 1, 2)]


def test_r7_2_a_region_with_a_single_owner() -> None:
    """R7.2: blue alone in New York gains the 6; nobody else gains anything."""
    game = position(4, standing={"new-york": (BLUE,) * 4}, scored={"pittsburgh": BLUE}, money=1)
    decision = end_turn(game, Increase("new-york"))
    assert the(decision, RegionScored).ranks == (RegionRank(BLUE, 1, 2, 6),)
    assert [player.earned.regions for player in decision.game.players] == [6, 0, 0, 0]


def test_r7_2_players_without_a_franchise_there_gain_nothing() -> None:
    """R7.2: orange owns the marker and nothing else; blue sits next to orange clockwise."""
    game = position(
        3,
        standing={"new-york": (BLUE,) * 4},
        scored={"pittsburgh": RED},
        tie_breaks={"new-york": ORANGE},
        money=1,
    )
    decision = end_turn(game, Increase("new-york"))
    assert ranks_of(the(decision, RegionScored)) == [(BLUE, 1, 6), (RED, 1, 5)]
    assert decision.game.players[ORANGE].influence == 0


@pytest.mark.parametrize(("players", "second"), [(2, 5), (3, 8), (4, 8), (5, 8)])
def test_r7_3_with_two_players_the_second_gets_the_third_value(players: int, second: int) -> None:
    """R7.3: of 10, 8, 5 the second gets 5 in a game for two, 8 in any other."""
    game = position(
        players,
        standing={"flagstaff": RED, "salt-lake-city": RED},
        scored={"phoenix": RED, "albuquerque": (), "denver": BLUE},
        money=1,
    )
    scored = the(end_turn(game, Expand(("denver", "pueblo"))), RegionScored)
    assert ranks_of(scored) == [(RED, 3, 10), (BLUE, 2, second)]


OTHERS = [region.id for region in BOARD.regions if region.id != "new-york"]


@pytest.mark.parametrize(("space", "influence"), list(enumerate((3, 3, 2, 2, 3, 4, 3, 2, 0, 0), start=1)))
def test_r7_4_the_active_player_gains_the_space_of_the_track(space: int, influence: int) -> None:
    """R7.4: the tile goes on the first free space; the seventh gives 3 as in the German rulebook."""
    game = position(
        5,
        BEIGE,
        standing={"new-york": (BEIGE,) * 4},
        scored={"pittsburgh": RED},
        scored_regions=OTHERS[: space - 1],
        money=1,
    )
    decision = end_turn(game, Increase("new-york"))
    scored = the(decision, RegionScored)
    assert (scored.seat, scored.space, scored.track_influence) == (BEIGE, space, influence)
    assert [player.earned.region_track for player in decision.game.players] == [0, 0, 0, 0, influence]
    assert [tile.id for tile in decision.game.track] == [*OTHERS[: space - 1], "new-york"]


def test_r7_4_with_closed_regions_the_fourth_space_is_the_first_free_one() -> None:
    """R7.4, R2.2: it gives 2."""
    game = position(2, standing={"new-york": (BLUE,) * 4}, scored={"pittsburgh": RED}, money=1)
    scored = the(end_turn(game, Increase("new-york")), RegionScored)
    assert (scored.space, scored.track_influence) == (4, 2)


def test_r7_5_several_regions_score_in_the_order_of_the_board_file() -> None:
    """R7.5: Great Lakes before Texas, though El Paso was entered first."""
    game = position(
        4,
        scored={
            "minneapolis": RED,
            "chicago": RED,
            "detroit": BLUE,
            "houston": RED,
            "dallas": BLUE,
            "oklahoma-city": RED,
        },
        money=1,
        bonus_tiles={BLUE: 1},
    )
    decision = end_turn(game, Expand(("dallas", "el-paso")), ExpandAgain(("detroit", "indianapolis")))
    scored = facts(decision, RegionScored)
    assert [(fact.region, fact.space) for fact in scored] == [("great-lakes", 1), ("texas", 2)]
    assert decision.game.players[BLUE].earned.region_track == 6
