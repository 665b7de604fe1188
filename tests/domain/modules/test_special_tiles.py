"""R12.5 and R12.6: using the Development and the Route tile."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec.structs import replace

from domain.actions import Expand, ExpandAgain, Increase
from domain.decide import find_legal, legal_actions
from domain.facts import Expanded
from domain.game import Game
from domain.legal import WouldScore
from domain.modules import Action, Modules
from domain.modules.boom import KeepBoom
from domain.modules.region_tiles import DevelopmentTileGained, RegionTiles, RouteTileGained
from tests.domain.modules.tables import next_turn_of, tile_on, with_tiles
from tests.domain.positions import BLUE, BOARD, RED, allowed, begin, end_turn, listed, play, refused, the, why

WEST = {"el-paso": BLUE, "memphis": RED}
"""Blue in El Paso, which is linked to Albuquerque ($0), Dallas ($0) and Oklahoma City ($1)."""


def _costs(game: Game) -> dict[tuple[str, ...], int]:
    """Return the listed paths over several links and their costs."""
    return {
        legal.action.path: legal.cost
        for legal in legal_actions(game)
        if isinstance(legal.action, Expand) and len(legal.action.path) > 2
    }


def _paid(game: Game, action: Action) -> Expanded:
    return the(play(game, action), Expanded)


# --- R12.5: the Development tile -------------------------------------------------------------------------------


def test_r12_5_the_cheapest_path_to_each_affordable_place_is_listed() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=2)
    assert _costs(game) == {
        ("el-paso", "oklahoma-city", "pueblo"): 2,
        ("el-paso", "oklahoma-city", "dodge-city"): 2,
        ("el-paso", "oklahoma-city", "ogallala"): 2,
        ("el-paso", "oklahoma-city", "pueblo", "phoenix"): 2,
        ("el-paso", "oklahoma-city", "dodge-city", "omaha"): 2,
    }
    assert {legal.rule for legal in legal_actions(game) if legal.action in [Expand(path) for path in _costs(game)]} == {
        "R12.5"
    }
    assert _costs(replace(game, players=game.with_player(BLUE, replace(game.active, money=1)))) == {}


def test_r12_5_every_link_of_the_path_is_paid() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9)
    fact = _paid(game, Expand(("el-paso", "oklahoma-city", "pueblo", "denver")))
    assert fact == Expanded(BLUE, ("el-paso", "oklahoma-city", "pueblo", "denver"), (1, 1, 1), 3)
    assert play(game, Expand(fact.path)).game.players[BLUE].money == 6


def test_r12_5_a_franchise_opens_only_at_the_end_of_the_path() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9)
    game = end_turn(game, Expand(("el-paso", "oklahoma-city", "pueblo"))).game
    assert game.players[BLUE].present == BOARD.set_of(["el-paso", "pueblo"])


def test_r12_5_any_other_path_is_allowed_too() -> None:
    """The path over Albuquerque to Phoenix is more expensive than the listed one."""
    game = with_tiles(development=BLUE, standing=WEST, money=3)
    expensive = Expand(("el-paso", "albuquerque", "phoenix"))
    assert expensive not in allowed(game)
    assert _paid(game, expensive) == Expanded(BLUE, expensive.path, (0, 3), 3)


def test_r12_5_a_place_with_a_direct_link_to_an_own_place_is_refused() -> None:
    game = with_tiles(development=BLUE, standing={**WEST, "st-louis": BLUE}, money=99)
    assert why(game, Expand(("el-paso", "oklahoma-city", "dallas"))) == ("directly_linked", "R12.5")
    assert why(game, Expand(("el-paso", "dallas", "kansas-city", "memphis")))[0] == "occupied"
    assert why(game, Expand(("el-paso", "dallas", "st-louis", "new-york"))) == ("directly_linked", "R12.5"), (
        "from another"
    )
    assert ("el-paso", "dallas", "st-louis", "new-york") not in _costs(game)


def test_r12_5_an_expansion_marker_is_not_an_own_place() -> None:
    """R4.2: Kansas City is linked only to the marker in Dallas; it is far all the same, and no path starts there."""
    game = with_tiles(development=BLUE, standing=WEST, money=9, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("el-paso", "dallas"))).game
    assert why(game, ExpandAgain(("dallas", "kansas-city", "omaha")))[0] == "no_franchise"
    assert _paid(game, ExpandAgain(("el-paso", "dallas", "kansas-city"))).cost == 5


def test_r12_5_a_path_through_a_closed_region_is_refused() -> None:
    """Las Vegas is closed with two players; Flagstaff behind it is not."""
    through = Expand(("el-paso", "albuquerque", "las-vegas", "flagstaff"))
    closed = with_tiles(development=BLUE, standing=WEST, money=9)
    assert why(closed, through) == ("closed_region", "R2.2")
    assert why(closed, Expand(through.path[:3])) == ("closed_region", "R2.2")
    in_play = with_tiles(development=BLUE, players=4, standing=WEST, money=9)
    assert listed(in_play, through).cost == 1


def test_r12_5_a_path_through_one_place_twice_is_refused() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=99)
    for path in (
        ("el-paso", "dallas", "el-paso", "oklahoma-city", "pueblo"),
        ("el-paso", "oklahoma-city", "dallas", "oklahoma-city", "pueblo"),
        ("el-paso", "oklahoma-city", "pueblo", "oklahoma-city"),
    ):
        assert why(game, Expand(path)) == ("bad_path", "R12.5")


def test_r12_5_a_path_leads_through_own_foreign_full_and_scored_places() -> None:
    game = with_tiles(
        development=BLUE,
        standing={**WEST, "oklahoma-city": BLUE, "dodge-city": RED, "omaha": (RED, RED)},
        scored={"kansas-city": RED},
        money=99,
    )
    path = ("el-paso", "oklahoma-city", "dodge-city", "omaha", "kansas-city", "atlanta")
    assert _paid(game, Expand(path)).cost == 1 + 1 + 0 + 5 + 5


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (("memphis", "st-louis", "indianapolis"), "no_franchise"),
        (("el-paso", "denver", "pueblo"), "not_linked"),
        (("el-paso", "oklahoma-city", "atlantis"), "unknown_place"),
        (("el-paso", "dallas", "kansas-city", "memphis"), "occupied"),
        (("el-paso", "dallas", "houston"), "city_scored"),
        (("el-paso", "dallas", "phoenix"), "own_franchise"),
    ],
)
def test_r12_5_origin_links_and_target_must_follow_r4_1(path: tuple[str, ...], code: str) -> None:
    standing = {**WEST, "phoenix": BLUE}
    game = with_tiles(development=BLUE, standing=standing, scored={"houston": RED}, money=99)
    assert refused(game, Expand(path)).reason == code


def test_r12_5_a_path_that_cannot_be_paid_is_refused() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=2)
    refusal = refused(game, Expand(("el-paso", "albuquerque", "phoenix")))
    assert (refusal.reason, refusal.rule) == ("no_money", "R12.5")
    assert (refusal.needed, refusal.had) == ({"money": 3}, {"money": 2})


def test_r12_5_and_r1_6_it_needs_a_franchise_to_spare() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9, supply={BLUE: 0})
    assert _costs(game) == {}
    assert why(game, Expand(("el-paso", "oklahoma-city", "pueblo"))) == ("no_franchise_left", "R1.6")


def test_r12_5_it_belongs_to_phase_2() -> None:
    game = with_tiles(development=BLUE, standing={**WEST, "dallas": BLUE}, money=9)
    game = play(game, Increase("dallas")).game
    assert refused(game, Expand(("el-paso", "oklahoma-city", "pueblo"))).reason == "wrong_phase"


def test_r12_5_it_replaces_the_one_expansion_of_the_turn() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9)
    game = play(game, Expand(("el-paso", "dallas"))).game
    assert why(game, Expand(("el-paso", "oklahoma-city", "pueblo"))) == ("already_expanded", "R4.1")


def test_r12_5_and_r9_2_it_may_be_used_for_the_second_expansion() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("el-paso", "dallas"))).game
    assert ExpandAgain(("el-paso", "oklahoma-city", "pueblo")) in allowed(game)
    expensive = ExpandAgain(("el-paso", "albuquerque", "phoenix"))
    assert _paid(game, expensive).again
    assert why(game, ExpandAgain(("el-paso", "oklahoma-city", "dallas")))[0] == "same_place"
    assert why(game, Expand(expensive.path)) == ("already_expanded", "R4.1")


def test_r12_5_and_r9_2_a_second_expansion_with_it_needs_a_first_one() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9, bonus_tiles={BLUE: 1})
    assert why(game, ExpandAgain(("el-paso", "albuquerque", "phoenix"))) == ("not_expanded_yet", "R9.2")


def test_r12_5_and_r9_2_the_second_expansion_may_be_direct_after_it() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=9, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("el-paso", "oklahoma-city", "pueblo"))).game
    assert why(game, ExpandAgain(("el-paso", "oklahoma-city", "dodge-city"))) == ("no_development_tile", "R12.5")
    assert _paid(game, ExpandAgain(("el-paso", "dallas"))).cost == 0


def test_r12_5_it_is_gone_once_used() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=99)
    game = play(game, Expand(("el-paso", "oklahoma-city", "pueblo"))).game
    assert RegionTiles.of(game).development is None
    game = next_turn_of(game, BLUE)
    assert _costs(game) == {}
    assert why(game, Expand(("el-paso", "dallas", "kansas-city"))) == ("no_development_tile", "R12.5")


def test_r12_5_a_direct_expansion_does_not_use_it_up() -> None:
    game = with_tiles(development=BLUE, standing=WEST, money=99)
    game = next_turn_of(game, BLUE, Expand(("el-paso", "dallas")))
    assert RegionTiles.of(game).development == BLUE
    assert ("el-paso", "oklahoma-city", "pueblo") in _costs(game)


def test_r12_5_only_its_owner_can_use_it() -> None:
    game = with_tiles(development=RED, standing=WEST, money=99)
    assert _costs(game) == {}
    refusal = refused(game, Expand(("el-paso", "oklahoma-city", "pueblo")))
    assert (refusal.reason, refusal.rule) == ("no_development_tile", "R12.5")
    assert (refusal.needed, refusal.had) == ({"development_tile": BLUE}, {"development_tile": RED})
    assert _costs(next_turn_of(game, BLUE)) == {}


def test_r12_5_without_the_expansion_there_are_no_longer_paths() -> None:
    game = begin(2, start="introductory").game
    assert why(game, Expand(("pueblo", "denver", "salt-lake-city"))) == ("not_linked", "R4.1")
    assert why(game, Expand(("pueblo", "denver"), free_link=0)) == ("no_free_link", "R4.1")


def test_r4_1_with_the_expansion_a_direct_link_is_paid_like_any_other() -> None:
    game = with_tiles(standing=WEST, money=0)
    assert why(game, Expand(("el-paso", "oklahoma-city"))) == ("no_money", "R4.1")
    assert why(game, KeepBoom()) == ("no_such_action", "R13.2")


# --- R12.6: the Route tile -------------------------------------------------------------------------------------


def test_r12_6_one_link_costs_nothing() -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=1)
    action = Expand(("el-paso", "oklahoma-city"), free_link=0)
    assert (listed(game, action).cost, listed(game, action).rule) == (0, "R12.6")
    assert _paid(game, action) == Expanded(BLUE, action.path, (1,), 0, free_link=0)


def test_r12_6_every_expansion_is_listed_without_and_with_it() -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=0)
    assert allowed(game, Expand) == [
        Expand(("el-paso", "albuquerque")),
        Expand(("el-paso", "dallas")),
        Expand(("el-paso", "albuquerque"), free_link=0),
        Expand(("el-paso", "dallas"), free_link=0),
        Expand(("el-paso", "oklahoma-city"), free_link=0),
    ]


def test_r12_6_the_tile_stays_if_the_link_is_paid() -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=1)
    game = next_turn_of(game, BLUE, Expand(("el-paso", "oklahoma-city")))
    assert RegionTiles.of(game).route == BLUE


def test_r12_6_it_is_gone_once_used() -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=9, bonus_tiles={BLUE: 2})
    game = play(game, Expand(("el-paso", "oklahoma-city"), free_link=0)).game
    assert why(game, ExpandAgain(("el-paso", "dallas"), free_link=0)) == ("no_route_tile", "R12.6")
    game = next_turn_of(game, BLUE)
    assert RegionTiles.of(game).route is None
    assert why(game, Expand(("el-paso", "dallas"), free_link=0)) == ("no_route_tile", "R12.6")


def test_r12_6_and_r9_2_it_may_be_used_for_the_second_expansion() -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=0, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("el-paso", "dallas"))).game
    assert _paid(game, ExpandAgain(("el-paso", "oklahoma-city"), free_link=0)).cost == 0
    assert refused(game, ExpandAgain(("el-paso", "dallas"), free_link=0)).reason == "same_place"


@pytest.mark.parametrize("free_link", [-1, 1, 2])
def test_r12_6_it_makes_a_link_of_the_path_free(free_link: int) -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=9)
    assert refused(game, Expand(("el-paso", "dallas"), free_link)).reason == "bad_path"


def test_r12_6_only_its_owner_can_use_it() -> None:
    game = with_tiles(route=RED, standing=WEST, money=9)
    assert why(game, Expand(("el-paso", "dallas"), free_link=0)) == ("no_route_tile", "R12.6")
    assert not [legal for legal in legal_actions(game) if legal.rule == "R12.6"]
    assert not [legal for legal in legal_actions(next_turn_of(game, BLUE)) if legal.rule == "R12.6"]


def test_r12_6_alone_it_does_not_lead_over_two_links() -> None:
    game = with_tiles(route=BLUE, standing=WEST, money=9)
    assert why(game, Expand(("el-paso", "dallas", "kansas-city"), free_link=1)) == ("no_development_tile", "R12.5")


def test_r6_2_a_listed_expansion_has_its_scoring_and_a_town_has_none() -> None:
    game = with_tiles(
        route=BLUE, development=BLUE, standing={**WEST, "dallas": (RED,) * 4, "houston": (RED,) * 5, "montgomery": BLUE}
    )
    assert listed(game, Expand(("el-paso", "dallas"), free_link=0)).would_score == WouldScore("dallas", RED, "most", 2)
    towns = [legal for legal in legal_actions(game) if isinstance(legal.action, Expand) and legal.would_score is None]
    ends = {legal.action.path[-1] for legal in towns if isinstance(legal.action, Expand)}
    assert {"huntsville", "little-rock"} <= ends
    assert not ends & {"dallas", "houston"}


# --- both tiles ------------------------------------------------------------------------------------------------


def test_r12_5_and_r12_6_both_tiles_may_be_used_for_one_expansion() -> None:
    game = with_tiles(route=BLUE, development=BLUE, standing=WEST, money=1)
    action = Expand(("el-paso", "oklahoma-city", "pueblo", "denver"), free_link=1)
    assert why(game, action) == ("no_money", "R12.5")
    richer = replace(game, players=game.with_player(BLUE, replace(game.active, money=2)))
    decision = play(richer, action)
    assert the(decision, Expanded) == Expanded(BLUE, action.path, (1, 1, 1), 2, free_link=1)
    state = RegionTiles.of(decision.game)
    assert (state.development, state.route) == (None, None)


def test_r12_5_and_r12_6_both_tiles_may_be_used_for_two_expansions_of_one_turn() -> None:
    game = with_tiles(route=BLUE, development=BLUE, standing=WEST, money=2, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("el-paso", "oklahoma-city"), free_link=0)).game
    assert RegionTiles.of(game).development_ready
    assert _paid(game, ExpandAgain(("el-paso", "oklahoma-city", "pueblo"))).cost == 2


def test_r12_5_and_r12_6_the_cheapest_longer_path_with_a_free_link_is_listed() -> None:
    """From Montgomery to Houston over Atlanta ($1, $8) or Jacksonville ($1, $3): with the Route tile 1 either way."""
    game = with_tiles(route=BLUE, development=BLUE, standing={"montgomery": BLUE}, money=1)
    to_houston = [
        legal
        for legal in legal_actions(game)
        if isinstance(legal.action, Expand) and legal.action.path[-1] == "houston"
    ]
    assert [(legal.action, legal.cost) for legal in to_houston] == [
        (Expand(("montgomery", "huntsville", "little-rock", "houston")), 1),
        (Expand(("montgomery", "huntsville", "little-rock", "houston"), free_link=2), 0),
    ]
    over_atlanta = Expand(("montgomery", "atlanta", "houston"), free_link=1)
    assert _paid(game, over_atlanta).cost == 1


@pytest.mark.parametrize("free_link", [-1, 2])
def test_r12_6_the_free_link_of_a_longer_path_is_one_of_its_links(free_link: int) -> None:
    game = with_tiles(route=BLUE, development=BLUE, standing=WEST, money=99)
    assert refused(game, Expand(("el-paso", "dallas", "kansas-city"), free_link)).reason == "bad_path"


# --- from the next turn on -------------------------------------------------------------------------------------


def _won(kind: str, winner: int) -> Game:
    """Blue closes the region of New York; the winner gains the tile."""
    game = with_tiles(
        standing={"pittsburgh": BLUE, "el-paso": winner}, scored={"new-york": (winner,) * 3}, money=1, bonus_tiles={}
    )
    return tile_on(game, "new-york", kind, 5, 3, 2)


USES: dict[str, Expand] = {
    "development": Expand(("el-paso", "oklahoma-city", "pueblo")),
    "route": Expand(("el-paso", "oklahoma-city"), free_link=0),
}


@pytest.mark.parametrize("kind", ["development", "route"])
def test_r12_5_and_r12_6_a_tile_is_usable_from_the_next_turn_on(kind: str) -> None:
    game = with_tiles(development=BLUE, route=BLUE, fresh=True, standing=WEST, money=9)
    refusal = refused(game, USES[kind])
    assert refusal.reason == f"no_{kind}_tile"
    assert refusal.sentence == f"new_{kind}_tile"
    assert USES[kind] in allowed(next_turn_of(game, BLUE))


@pytest.mark.parametrize("kind", ["development", "route"])
def test_r12_5_and_r12_6_a_tile_gained_in_the_own_turn_is_usable_in_the_next(kind: str) -> None:
    decision = end_turn(_won(kind, BLUE), Increase("pittsburgh"))
    (gained,) = [fact for fact in decision.facts if isinstance(fact, DevelopmentTileGained | RouteTileGained)]
    assert gained.seat == BLUE
    game = next_turn_of(decision.game, BLUE)
    game = replace(game, players=game.with_player(BLUE, replace(game.active, money=9)))
    assert play(game, USES[kind]).game.turn.expanded


@pytest.mark.parametrize("kind", ["development", "route"])
def test_r12_5_and_r12_6_a_tile_gained_in_another_players_turn_is_usable_in_the_next_own_turn(kind: str) -> None:
    game = end_turn(_won(kind, RED), Increase("pittsburgh")).game
    assert game.turn.seat == RED
    game = replace(game, players=game.with_player(RED, replace(game.active, money=9)))
    assert play(game, USES[kind]).game.turn.expanded


# --- the cheapest paths, computed by brute force -------------------------------------------------------------


def _paths(start: str, links: int) -> Iterator[tuple[str, ...]]:
    """Every path of up to this many links through different places."""
    edge: list[tuple[str, ...]] = [(start,)]
    for _ in range(links):
        edge = [(*way, b) for way in edge for a, b in BOARD.costs if a == way[-1] and b not in way]
        yield from edge


def _merit(way: tuple[str, ...], free_link: int | None) -> tuple[int, int, list[int], int]:
    """Return the sort key: cost, then length, then the order of the places in the board file."""
    costs = [0 if link == free_link else BOARD.costs[ends] for link, ends in enumerate(pairwise(way))]
    return sum(costs), len(way), [BOARD.number[place] for place in way], -1 if free_link is None else free_link


@pytest.mark.parametrize("start", ["el-paso", "conrad", "memphis"])
def test_r12_5_of_equally_cheap_paths_the_shortest_is_listed(start: str) -> None:
    game = with_tiles(players=4, development=BLUE, route=BLUE, standing={start: BLUE}, money=50)
    listed_paths = {
        (legal.action.path[-1], legal.action.free_link is None): (legal.action.path, legal.action.free_link)
        for legal in legal_actions(game)
        if isinstance(legal.action, Expand) and len(legal.action.path) in (3, 4, 5)
    }
    best: dict[tuple[str, bool], tuple[tuple[str, ...], int | None]] = {}
    for way in _paths(start, 4):
        for free_link in (None, *range(len(way) - 1)):
            key = (way[-1], free_link is None)
            if key in listed_paths and (key not in best or _merit(way, free_link) < _merit(*best[key])):
                best[key] = (way, free_link)
    assert listed_paths
    assert listed_paths == best


def test_r12_5_and_r12_6_a_more_expensive_path_may_have_any_link_free() -> None:
    game = with_tiles(route=BLUE, development=BLUE, standing=WEST, money=9)
    for free_link, cost in enumerate((0 + 5 + 0, 0 + 0 + 0, 0 + 5 + 0)):
        dear = Expand(("el-paso", "dallas", "phoenix", "pueblo"), free_link)
        assert dear not in allowed(game)
        assert _paid(game, dear) == Expanded(BLUE, dear.path, (0, 5, 0), cost, free_link=free_link)


def test_r12_5_a_listed_path_is_permitted_like_any_other() -> None:
    game = with_tiles(development=BLUE, players=4, standing=WEST, money=9)
    for path, cost in _costs(game).items():
        found = find_legal(game, Expand(path))
        assert found is not None
        assert found.cost == cost


def test_the_choice_of_tiles_does_not_affect_their_use() -> None:
    game = with_tiles(modules=Modules(region_tiles="mixed"), development=BLUE, standing=WEST, money=2)
    assert len(_costs(game)) == 5
