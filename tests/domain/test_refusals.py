"""Every refusal: its stable code, its rule, and the needed and had values."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import domain
from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.decide import decide
from domain.game import Game
from domain.modules import REASONS, Action, GameOptions, Modules
from domain.modules.boom import KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import Draft, PlaceCityTile, PlaceRegionTile
from domain.modules.region_tiles import RegionTiles
from domain.refused import Refused
from domain.start import start
from tests.domain.positions import BLUE, ORANGE, RED, allowed, begin, end_turn, play, position, refused

RULES = Path(domain.__file__).parent
PACKED = {"detroit": BLUE, "pittsburgh": BLUE, "indianapolis": RED, "new-york": (RED, BLUE), "dallas": RED}


def at_phase_2(**table: Any) -> Game:
    """Blue, with $20 and a bonus tile, has franchises in three cities; Chicago is scored."""
    details: dict[str, Any] = {"standing": PACKED, "scored": {"chicago": RED}, "money": 20, "bonus_tiles": {BLUE: 1}}
    return position(3, **(details | table))


def at_phase_3() -> Game:
    return play(at_phase_2(), Increase("new-york")).game


def expanded(**table: Any) -> Game:
    return play(at_phase_2(**table), Expand(("detroit", "st-louis"))).game


def drafting() -> Game:
    """Return a draft in which New York has an 8; blue lays after the next player."""
    return decide(begin(2, expert=Draft()).game, PlaceCityTile("new-york", 8)).game


def drafting_regions() -> Game:
    game = begin(2, expert=Draft()).game
    while game.phase == "city_tiles":
        game = decide(game, allowed(game)[0]).game
    return decide(game, PlaceRegionTile("florida", "texas")).game


def with_boom() -> Game:
    """Return the first turn of the introductory game for two, before income, with the marker at Chicago."""
    return play(begin(2, start="introductory", modules=Modules(boom=True)).game, PlaceBoom("chicago")).game


def with_region_tiles(*, development_ready: bool = False, route_ready: bool = False) -> Game:
    """Red holds both special tiles, or blue if one is ready."""
    game = at_phase_2(modules=Modules(region_tiles="new"))
    holder = BLUE if development_ready or route_ready else RED
    return game.with_module(RegionTiles("new", holder, development_ready, holder, route_ready))


@dataclass(frozen=True)
class Case:
    """A refused action, and its whole refusal."""

    code: str
    rule: str
    game: Game
    action: Action
    seat: int | None = None
    needed: dict[str, Any] = field(default_factory=dict)
    had: dict[str, Any] = field(default_factory=dict)


def phases(*names: str) -> dict[str, Any]:
    return {"phase": list(names)}


FINISHED = end_turn(position(2, passed=[RED])).game
NOWHERE: dict[str, Any] = {"needed": {"place": "one of the board"}, "had": {"place": "gotham"}}
NO_SPACE: dict[str, Any] = {"needed": {"free_spaces": 1}, "had": {"free_spaces": 0}}
NO_FRANCHISE: dict[str, Any] = {"needed": {"franchises": 1}, "had": {"franchises": 0}}

USUAL: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "game_over": ({"status": "playing"}, {"status": "finished"}),
    "resigned": ({"resigned": False}, {"resigned": True}),
    "not_a_town": ({"kind": "town"}, {"kind": "city"}),
    "not_a_city": ({"kind": "city"}, {"kind": "town"}),
    "closed_region": ({"region": "in play"}, {"region": "closed"}),
    "already_expanded": ({"expansions": 0}, {"expansions": 1}),
    "not_expanded_yet": ({"expansions": 1}, {"expansions": 0}),
    "first_turn": ({"own_turn": 2}, {"own_turn": 1}),
    "same_place": ({"markers": 0}, {"markers": 1}),
    "own_franchise": ({"franchises": 0}, {"franchises": 1}),
    "city_scored": ({"scored": False}, {"scored": True}),
    "no_free_link": ({"free_link": None}, {"free_link": 0}),
    "already_increased": ({"increases": 0}, {"increases": 1}),
    "not_increased": ({"increases": 1}, {"increases": 0}),
    "boom_there": ({"city": "another one"}, {"city": "chicago"}),
    "boom_not_connected": ({"connected": True}, {"connected": False}),
    "directly_linked": ({"linked": False}, {"linked": True}),
    "no_such_action": ({"module": "one with this action"}, {"modules": []}),
}
"""The usual needed and had values of these codes."""

CASES = [
    # in any phase
    Case("game_over", "R8.1", FINISHED, EndTurn()),
    Case("game_over", "R8.1", FINISHED, Resign(), RED),
    Case("unknown_seat", "R2.1", at_phase_2(), EndTurn(), 3, needed={"seat": [0, 1, 2]}, had={"seat": 3}),
    Case("unknown_seat", "R2.1", at_phase_2(), Resign(), -1, needed={"seat": [0, 1, 2]}, had={"seat": -1}),
    Case("resigned", "R13.1", decide(at_phase_2(), Resign(), RED).game, Resign(), RED),
    Case("not_your_turn", "R2.1", at_phase_2(), EndTurn(), ORANGE, {"seat": BLUE}, {"seat": ORANGE}),
    # in the wrong phase
    Case("wrong_phase", "R2.3", at_phase_3(), ChooseTown("memphis"), None, phases("towns"), {"phase": "increase"}),
    Case("wrong_phase", "R2.3", at_phase_2(), ChooseTown("memphis"), None, phases("towns"), {"phase": "expand"}),
    Case(
        "wrong_phase", "R4.1", begin(2).game, Expand(("detroit", "chicago")), None, phases("expand"), {"phase": "towns"}
    ),
    Case("wrong_phase", "R9.2", begin(2).game, ExpandAgain(("a", "b")), None, phases("expand"), {"phase": "towns"}),
    Case(
        "wrong_phase",
        "R5.1",
        at_phase_3(),
        Expand(("detroit", "st-louis")),
        None,
        phases("expand"),
        {"phase": "increase"},
    ),
    Case("wrong_phase", "R5.1", at_phase_3(), ExpandAgain(("a", "b")), None, phases("expand"), {"phase": "increase"}),
    Case("wrong_phase", "R5.1", begin(2).game, Increase("x"), None, phases("expand", "increase"), {"phase": "towns"}),
    Case("wrong_phase", "R9.3", begin(2).game, Double("x"), None, phases("expand", "increase"), {"phase": "towns"}),
    Case("wrong_phase", "R9.4", begin(2).game, TakeDollars(), None, phases("expand", "increase"), {"phase": "towns"}),
    Case("wrong_phase", "R6.1", begin(2).game, EndTurn(), None, phases("expand", "increase"), {"phase": "towns"}),
    Case(
        "wrong_phase",
        "R2.6",
        drafting_regions(),
        PlaceCityTile("x", 4),
        None,
        phases("city_tiles"),
        {"phase": "region_tiles"},
    ),
    Case(
        "wrong_phase",
        "R2.6",
        drafting(),
        PlaceRegionTile("x", "y"),
        None,
        phases("region_tiles"),
        {"phase": "city_tiles"},
    ),
    Case("wrong_phase", "R11.1", with_boom(), PlaceBoom("chicago"), None, phases("place_boom"), {"phase": "boom"}),
    Case("wrong_phase", "R6.1", with_boom(), EndTurn(), None, phases("expand", "increase"), {"phase": "boom"}),
    Case(
        "wrong_phase",
        "R11.2",
        play(with_boom(), KeepBoom()).game,
        MoveBoom("detroit"),
        None,
        phases("boom"),
        {"phase": "expand"},
    ),
    Case(
        "wrong_phase",
        "R11.2",
        play(with_boom(), KeepBoom()).game,
        KeepBoom(),
        None,
        phases("boom"),
        {"phase": "expand"},
    ),
    # towns and tiles of the set-up
    Case("unknown_place", "R1.1", begin(2).game, ChooseTown("gotham"), **NOWHERE),
    Case("not_a_town", "R2.3", begin(2).game, ChooseTown("chicago")),
    Case("closed_region", "R2.2", begin(2).game, ChooseTown("reno")),
    Case("occupied", "R2.3", play(begin(2).game, ChooseTown("memphis")).game, ChooseTown("memphis"), **NO_SPACE),
    Case("unknown_place", "R1.1", drafting(), PlaceCityTile("gotham", 4), **NOWHERE),
    Case("not_a_city", "R2.6", drafting(), PlaceCityTile("memphis", 4)),
    Case("closed_region", "R2.2", drafting(), PlaceCityTile("seattle", 4)),
    Case("tile_there", "R2.6", drafting(), PlaceCityTile("new-york", 7), needed={"value": 0}, had={"value": 8}),
    Case("wrong_group", "R2.6", drafting(), PlaceCityTile("detroit", 7), None, {"value": [4, 5, 6]}, {"value": 7}),
    Case(
        "no_tile",
        "R2.6",
        drafting(),
        PlaceCityTile("chicago", 8),
        None,
        {"value": 8},
        {"left": [2] * 4 + [3] * 3 + [4] * 8 + [5] * 5 + [6] * 2 + [7] * 2},
    ),
    Case(
        "unknown_region",
        "R2.6",
        drafting_regions(),
        PlaceRegionTile("ohio", "florida"),
        None,
        {"region": "one of the board"},
        {"region": "ohio"},
    ),
    Case("closed_region", "R2.2", drafting_regions(), PlaceRegionTile("montana", "florida")),
    Case(
        "tile_there",
        "R2.6",
        drafting_regions(),
        PlaceRegionTile("florida", "florida"),
        None,
        {"tile": None},
        {"tile": "texas"},
    ),
    # expanding
    Case("already_expanded", "R4.1", expanded(), Expand(("pittsburgh", "minneapolis"))),
    Case("not_expanded_yet", "R9.2", at_phase_2(), ExpandAgain(("detroit", "st-louis"))),
    Case("first_turn", "R9.1", expanded(first_turn=True), ExpandAgain(("pittsburgh", "minneapolis"))),
    Case(
        "no_bonus_tile",
        "R9.2",
        expanded(bonus_tiles={}),
        ExpandAgain(("pittsburgh", "minneapolis")),
        None,
        {"bonus_tiles": 1},
        {"bonus_tiles": 0, "usable": 0},
    ),
    Case("bad_path", "R4.1", at_phase_2(), Expand(()), None, {"places": 2}, {"places": 0}),
    Case("bad_path", "R4.1", at_phase_2(), Expand(("detroit",)), None, {"places": 2}, {"places": 1}),
    Case("bad_path", "R4.1", at_phase_2(), Expand(("detroit", "detroit")), None, {"places": 2}, {"places": 1}),
    Case(
        "bad_path", "R12.5", at_phase_2(), Expand(("detroit", "chicago", "detroit")), None, {"places": 3}, {"places": 2}
    ),
    Case(
        "bad_path",
        "R12.6",
        at_phase_2(),
        Expand(("detroit", "st-louis"), -1),
        None,
        {"free_link": [0]},
        {"free_link": -1},
    ),
    Case("unknown_place", "R1.1", at_phase_2(), Expand(("detroit", "gotham")), **NOWHERE),
    Case("closed_region", "R2.2", at_phase_2(), Expand(("denver", "casper"))),
    Case(
        "not_linked",
        "R4.1",
        at_phase_2(),
        Expand(("detroit", "memphis")),
        None,
        {"linked": "memphis"},
        {"linked": ["chicago", "indianapolis", "new-york", "st-louis"]},
    ),
    Case(
        "not_linked", "R4.1", at_phase_2(), Expand(("detroit", "st-louis", "memphis")), None, {"links": 1}, {"links": 2}
    ),
    Case("no_franchise", "R4.1", at_phase_2(), Expand(("dallas", "houston")), **NO_FRANCHISE),
    Case("same_place", "R9.2", expanded(), ExpandAgain(("new-york", "st-louis"))),
    Case("own_franchise", "R4.1", at_phase_2(), Expand(("detroit", "new-york"))),
    Case("own_franchise", "R9.2", expanded(), ExpandAgain(("detroit", "new-york"))),
    Case("occupied", "R4.1", at_phase_2(), Expand(("detroit", "indianapolis")), **NO_SPACE),
    Case("occupied", "R9.2", expanded(), ExpandAgain(("detroit", "indianapolis")), **NO_SPACE),
    Case("city_scored", "R4.1", at_phase_2(), Expand(("detroit", "chicago"))),
    Case("city_scored", "R9.2", expanded(), ExpandAgain(("detroit", "chicago"))),
    Case(
        "no_free_space",
        "R4.1",
        position(3, standing={"chicago": BLUE, "minneapolis": (RED, ORANGE)}, money=9),
        Expand(("chicago", "minneapolis")),
        **NO_SPACE,
    ),
    Case("no_franchise_left", "R1.6", at_phase_2(supply={BLUE: 0}), Expand(("detroit", "st-louis")), **NO_FRANCHISE),
    Case(
        "no_franchise_left",
        "R1.6",
        expanded(supply={BLUE: 1}),
        ExpandAgain(("pittsburgh", "minneapolis")),
        **NO_FRANCHISE,
    ),
    Case("no_money", "R4.1", at_phase_2(money=4), Expand(("detroit", "st-louis")), None, {"money": 5}, {"money": 4}),
    Case(
        "no_money",
        "R4.1",
        expanded(money=7),
        ExpandAgain(("pittsburgh", "minneapolis")),
        None,
        {"money": 3},
        {"money": 2},
    ),
    Case("no_free_link", "R4.1", at_phase_2(), Expand(("detroit", "st-louis"), 0)),
    # market share
    Case("unknown_place", "R1.1", at_phase_2(), Increase("gotham"), **NOWHERE),
    Case("not_a_city", "R5.1", at_phase_2(), Increase("indianapolis")),
    Case("closed_region", "R2.2", at_phase_2(), Increase("seattle")),
    Case("city_scored", "R5.1", at_phase_2(), Increase("chicago")),
    Case("no_franchise", "R5.1", at_phase_2(), Increase("dallas"), **NO_FRANCHISE),
    Case("already_increased", "R5.1", at_phase_3(), Increase("new-york")),
    Case("no_franchise_left", "R1.6", at_phase_2(supply={BLUE: 0}), Increase("detroit"), **NO_FRANCHISE),
    Case("no_money", "R5.1", at_phase_2(money=0), Increase("detroit"), None, {"money": 1}, {"money": 0}),
    # bonus tiles
    Case("first_turn", "R9.1", at_phase_2(first_turn=True), TakeDollars()),
    Case("first_turn", "R9.1", at_phase_2(first_turn=True), Double("new-york")),
    Case("first_turn", "R9.1", with_boom(), TakeDollars()),
    Case(
        "no_bonus_tile",
        "R9.4",
        at_phase_2(bonus_tiles={}),
        TakeDollars(),
        None,
        {"bonus_tiles": 1},
        {"bonus_tiles": 0, "usable": 0},
    ),
    Case(
        "no_bonus_tile",
        "R9.1",
        play(at_phase_2(bonus_tiles={BLUE: 3}), TakeDollars()).game,
        TakeDollars(),
        None,
        {"bonus_tiles": 1},
        {"bonus_tiles": 2, "usable": 0},
    ),
    Case(
        "no_bonus_tile",
        "R9.3",
        at_phase_2(bonus_tiles={}),
        Double("new-york"),
        None,
        {"bonus_tiles": 1},
        {"bonus_tiles": 0, "usable": 0},
    ),
    Case("unknown_place", "R1.1", at_phase_3(), Double("gotham"), **NOWHERE),
    Case("not_a_city", "R9.3", at_phase_3(), Double("indianapolis")),
    Case("city_scored", "R9.3", at_phase_3(), Double("chicago")),
    Case("no_franchise", "R9.3", at_phase_3(), Double("dallas"), **NO_FRANCHISE),
    Case("not_increased", "R9.3", at_phase_3(), Double("detroit")),
    Case(
        "no_free_space",
        "R9.3",
        play(at_phase_2(), Increase("pittsburgh")).game,
        Double("pittsburgh"),
        None,
        {"free_spaces": 2},
        {"free_spaces": 1},
    ),
    Case(
        "no_franchise_left",
        "R1.6",
        play(at_phase_2(supply={BLUE: 1}), Increase("new-york")).game,
        Double("new-york"),
        **NO_FRANCHISE,
    ),
    # the expansions
    Case("boom_there", "R11.2", with_boom(), MoveBoom("chicago")),
    Case("boom_not_connected", "R11.2", with_boom(), MoveBoom("atlanta")),
    Case("unknown_place", "R1.1", with_boom(), MoveBoom("gotham"), **NOWHERE),
    Case("not_a_city", "R11.2", with_boom(), MoveBoom("memphis")),
    Case(
        "no_development_tile",
        "R12.5",
        with_region_tiles(),
        Expand(("detroit", "st-louis", "memphis")),
        None,
        {"development_tile": BLUE},
        {"development_tile": RED},
    ),
    Case(
        "no_route_tile",
        "R12.6",
        with_region_tiles(),
        Expand(("detroit", "st-louis"), 0),
        None,
        {"route_tile": BLUE},
        {"route_tile": RED},
    ),
    Case(
        "directly_linked",
        "R12.5",
        with_region_tiles(development_ready=True),
        Expand(("new-york", "charlotte", "st-louis")),
    ),
    # a module that is not in play
    Case("no_such_action", "R13.2", at_phase_2(), PlaceBoom("chicago")),
    Case("no_such_action", "R13.2", at_phase_2(), KeepBoom()),
    Case("no_such_action", "R13.2", at_phase_2(), MoveBoom("chicago")),
    Case("no_such_action", "R13.2", at_phase_2(), PlaceCityTile("chicago", 7)),
    Case("no_such_action", "R13.2", at_phase_2(), PlaceRegionTile("texas", "texas")),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{type(case.action).__name__}")
def test_a_refusal_has_its_code_rule_needed_and_had(case: Case) -> None:
    refusal = refused(case.game, case.action, case.seat)
    assert (refusal.reason or refusal.code, refusal.rule) == (case.code, case.rule)
    assert (refusal.needed, refusal.had) == ((case.needed, case.had) if case.needed else USUAL[case.code])


def codes_in_the_rules() -> set[str]:
    """Every code in the files that decide about games."""
    steps, modules = (RULES / "base").glob("*.py"), (RULES / "modules").glob("*.py")
    files = [RULES / "decide.py", RULES / "start.py", *steps, *modules]
    found = {
        code
        for file in files
        for code in re.findall(r'(?:Refused|IllegalAction)\(\s*f?"([^"]+)"', file.read_text("utf-8"))
    }
    spelled = {code.replace("{tile}", tile) for code in found for tile in ("development", "route")}
    return {code for code in spelled if "{" not in code}


def test_every_reason_is_reached() -> None:
    assert set(REASONS) == {case.code for case in CASES if refused(case.game, case.action, case.seat).reason}


def test_every_code_is_reached() -> None:
    """Every refusal of the rules has a case here."""
    assert {case.code for case in CASES} | {"invalid_options"} == codes_in_the_rules()


@pytest.mark.parametrize(
    ("players", "options", "rule"),
    [
        (7, GameOptions(), "R2.1"),
        (3, GameOptions(first_player=3), "R2.1"),
        (3, GameOptions(board="atlantis"), "R2"),
    ],
)
def test_impossible_options_are_refused(players: int, options: GameOptions, rule: str) -> None:
    """R2.1, R2.2: with the broken rule; for options of modules see R2.6 and R12.1."""
    with pytest.raises(Refused) as caught:
        start(options, players, 1)
    assert (caught.value.code, caught.value.rule) == ("invalid_options", rule)


def test_a_refusal_changes_nothing() -> None:
    game = at_phase_2()
    before = (game, allowed(game))
    refused(game, Expand(("detroit", "chicago")))
    assert (game, allowed(game)) == before
