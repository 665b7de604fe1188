"""The map and its tables, and every error in a broken board or tile file (R1.1, R2, R12.7)."""

from collections import Counter
from copy import deepcopy
from itertools import pairwise
from typing import Any

import msgspec
import pytest

import domain.boards
from domain.board import Board, members
from domain.boards import BoardError, board_names, load_board, load_region_tiles, parse_board
from tests.domain.positions import BOARD

RAW: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(BOARD))
CLOSED = {"california", "upper-west", "montana"}


# --- the map -----------------------------------------------------------------------------------------------------


def test_the_map_has_25_cities_of_the_sizes_in_the_box() -> None:
    """R1.1: 4, 3, 8, 5, 2, 2, 1 of the values 2 to 8."""
    sizes = Counter(place.spaces for place in BOARD.places if place.kind == "city")
    assert sizes == {2: 4, 3: 3, 4: 8, 5: 5, 6: 2, 7: 2, 8: 1}
    assert Counter(BOARD.city_tiles) == sizes
    assert BOARD.cities.bit_count() == 25


def test_the_map_has_20_towns_of_one_space() -> None:
    """R1.1."""
    assert [place.spaces for place in BOARD.places if place.kind == "town"] == [1] * 20
    assert BOARD.towns.bit_count() == 20
    assert not BOARD.towns & BOARD.cities


def test_the_map_has_10_regions_each_with_a_city() -> None:
    """R1.5: every place lies in one region; only New York has no town."""
    assert len(BOARD.regions) == 10
    assert sum(places.bit_count() for places in BOARD.region_places) == 45
    without_town = [
        r.id for r, places in zip(BOARD.regions, BOARD.region_places, strict=True) if not places & BOARD.towns
    ]
    assert without_town == ["new-york"]


def test_the_map_has_107_links_each_known_on_both_ends() -> None:
    """R4.1: with the same cost in both directions, and one of five costs."""
    assert len(BOARD.links) == 107
    assert len(BOARD.costs) == 214
    assert {link.cost for link in BOARD.links} == {0, 1, 3, 5, 8}
    for link in BOARD.links:
        there, back = link.between
        assert BOARD.costs[there, back] == BOARD.costs[back, there] == link.cost
        assert BOARD.neighbours[BOARD.number[there]] >> BOARD.number[back] & 1
        assert BOARD.neighbours[BOARD.number[back]] >> BOARD.number[there] & 1
    assert sum(around.bit_count() for around in BOARD.neighbours) == 214


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_place_in_play_can_be_reached(players: int) -> None:
    """R2.2: the map is connected, with and without the closed regions."""
    in_play = (1 << 45) - 1 & ~BOARD.closed(players)
    start = in_play & -in_play
    found, edge = start, start
    while edge:
        around = 0
        for place in members(edge):
            around |= BOARD.neighbours[place]
        edge = around & in_play & ~found
        found |= edge
    assert found == in_play
    assert in_play.bit_count() == (45 if players > 3 else 45 - 14)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_income_chart_rises_without_gaps(players: int) -> None:
    """R3.1: by a dollar a row, from 1 to 7, for any number of free spaces."""
    dollars = [BOARD.income_for(players, spaces) for spaces in range(121)]
    assert dollars[0] == 1
    assert dollars[-1] == 7
    assert {more - less for less, more in pairwise(dollars)} == {0, 1}


def test_the_tables_of_the_box() -> None:
    """R2.5, R7.4, R8.1, R2.6, R1.6."""
    assert BOARD.bonus_tiles == {2: 4, 3: 4, 4: 3, 5: 3}
    assert BOARD.region_track.influence == (3, 3, 2, 2, 3, 4, 3, 2, 0, 0)
    assert BOARD.region_track.red_from == 8
    assert BOARD.expert_groups == ((2, 3), (4, 5, 6), (7, 8))
    assert BOARD.franchises_per_player == 40
    assert BOARD.closed_regions == {2: tuple(CLOSED_ORDER), 3: tuple(CLOSED_ORDER), 4: (), 5: ()}


CLOSED_ORDER = ["california", "upper-west", "montana"]


def test_the_printed_region_tiles() -> None:
    """R7.2: first, second and all others."""
    assert {tile.id: tile.values for tile in BOARD.printed_tiles} == {
        "california": (5, 4, 2),
        "grand-canyon": (10, 8, 5),
        "upper-west": (7, 6, 1),
        "montana": (8, 5, 4),
        "great-lakes": (6, 4, 2),
        "new-york": (6, 5, 4),
        "washington": (5, 3, 2),
        "florida": (10, 6, 3),
        "central": (4, 3, 1),
        "texas": (5, 4, 2),
    }


def test_introductory_towns_are_towns_in_play() -> None:
    """R2.4, R2.2: and no town is shared."""
    for players, rows in BOARD.introductory_towns.items():
        towns = BOARD.set_of(town for row in rows for town in row)
        assert towns.bit_count() == 2 * players
        assert towns & BOARD.towns == towns
        assert not towns & BOARD.closed(players)


# --- contradictory boards ----------------------------------------------------------------------------------------


def parse(raw: Any) -> Board:
    return parse_board("broken", msgspec.json.encode(raw))


def test_a_board_can_be_written_and_read() -> None:
    assert msgspec.to_builtins(parse(RAW)) | {"id": BOARD.id} == msgspec.to_builtins(BOARD)


def test_only_existing_boards_are_loaded() -> None:
    assert board_names() == ("usa-1960s",)
    with pytest.raises(BoardError, match="there is no board 'region-tiles-new'"):
        load_board("region-tiles-new")


def broken(*path: str | int, to: Any) -> dict[str, Any]:
    """Return the board with one change."""
    raw = deepcopy(RAW)
    *way, last = path
    part: Any = raw
    for step in way:
        part = part[step]
    part[last] = to
    return raw


def extended(name: str, *more: Any) -> dict[str, Any]:
    """Return the board with one element more."""
    return broken(name, to=[*RAW[name], *more])


PLACE = RAW["places"][0]
LINK = RAW["links"][0]
REGION = RAW["regions"][0]


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (broken("places", to="many"), "Expected `array`"),
        (extended("places", PLACE), "two places are called 'san-francisco'"),
        (extended("regions", REGION), "two regions are called 'california'"),
        (
            extended("links", LINK | {"between": LINK["between"][::-1]}),
            "the link albuquerque-el-paso occurs twice",
        ),
        (broken("places", 0, "region", to="ohio"), "san-francisco lies in the unknown region 'ohio'"),
        (broken("places", 0, "spaces", to=1), "san-francisco is a city of 1 spaces"),
        (broken("places", 2, "spaces", to=2), "las-vegas is a town of 2 spaces"),
        (broken("places", 0, "spaces", to=9), "no group of city tiles contains the 9 of san-francisco"),
        (extended("regions", REGION | {"id": "ohio"}), "the region ohio has no city"),
        (broken("region_track", "influence", to=[1] * 9), "the region track is shorter than the number of regions"),
        (broken("links", 0, "between", to=["gotham", "el-paso"]), "the link gotham-el-paso ends in an unknown place"),
        (broken("links", 0, "between", to=["el-paso", "el-paso"]), "el-paso is linked to itself"),
        (broken("links", 0, "cost", to=-1), "the link albuquerque-el-paso has a negative cost"),
        (broken("bonus_tiles", to={"2": 4}), "the tables are for different numbers of players"),
        (broken("starting_money", "2", to=[2, 4, 6]), "the starting money for 2 players has 3 rows"),
        (broken("income", "2", to=[[1, 1], [4, 2]]), "the income chart for 2 players does not rise from 0"),
        (broken("income", "2", to=[[0, 1], [4, 2], [4, 3]]), "the income chart for 2 players does not rise from 0"),
        (broken("income", "2", to=[[0, 1], [4, 1]]), "the income chart for 2 players does not rise from 0"),
        (broken("closed_regions", "2", to=["ohio"]), "an unknown region is closed for 2 players"),
        (
            broken("introductory_towns", "2", to=[["pueblo"]]),
            "the introductory towns for 2 players are not 2 rows of known towns",
        ),
        (
            broken("introductory_towns", "2", to=[["pueblo"], ["gotham"]]),
            "the introductory towns for 2 players are not",
        ),
        (
            broken("introductory_towns", "2", to=[["pueblo"], ["chicago"]]),
            "the introductory towns for 2 players are not",
        ),
        (
            broken("introductory_towns", "2", to=[["pueblo"], ["pueblo"]]),
            "the introductory towns for 2 players are not",
        ),
        (
            broken("introductory_towns", "2", to=[["pueblo"], ["reno"]]),
            "an introductory town for 2 players is closed",
        ),
        (broken("income", "2", to=[]), "the income chart for 2 players does not rise from 0"),
        (
            broken("region_track", "red_from", to=11),
            "the red zone begins beyond the spaces that region tiles can reach",
        ),
        (
            broken("links", 0, "path", to="M437 536L0 0"),
            "the path of the link albuquerque-el-paso does not lead from one",
        ),
        (broken("links", 0, "path", to="M437 536z"), "the path of the link albuquerque-el-paso does not lead from one"),
        (broken("region_track", "spaces", to=[]), "the region track has more or fewer positions than spaces"),
        (broken("places", 0, "x", to=9000), "the path of the link casper-san-francisco does not lead"),
        (broken("view_box", to=[0, 0, 1300, 500]), "los-angeles lies outside of the view box"),
        (broken("links", 0, "label", "x", to=-1), "the price of the link albuquerque-el-paso lies outside"),
        (broken("regions", 0, "tile_at", "y", to=881), "the tile of california lies outside of the view box"),
        (broken("region_track", "spaces", 9, "x", to=1301), "space 10 of the region track lies outside"),
        (
            broken("links", to=[link for link in RAW["links"] if "pueblo" not in link["between"]]),
            "pueblo cannot be reached",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_contradictory_board_is_refused(raw: Any, complaint: str) -> None:
    with pytest.raises(BoardError, match="board broken: ") as caught:
        parse(raw)
    assert complaint in str(caught.value)


def test_a_board_that_is_not_json_is_refused() -> None:
    for raw in (b"", b"{", b"\xff\xfe"):
        with pytest.raises(BoardError, match="board broken: "):
            parse_board("broken", raw)


# --- tile files --------------------------------------------------------------------------------------------------

TILES = [msgspec.to_builtins(tile) for tile in load_region_tiles()]


def renamed(number: int, **changes: Any) -> list[dict[str, Any]]:
    return [*TILES[:number], TILES[number] | changes, *TILES[number + 1 :]]


def test_the_house_set_is_a_tile_file_like_any_other() -> None:
    """R12.7: an operator's file of the same tiles gives the same tiles."""
    assert load_region_tiles(msgspec.json.encode({"tiles": TILES})) == load_region_tiles()
    assert len(TILES) == domain.boards.TILES_IN_THE_EXPANSION == 20


@pytest.mark.parametrize(
    ("tiles", "complaint"),
    [
        ("many", "Expected `array`"),
        (renamed(0, colour="blue"), "unknown field"),
        (renamed(0, id="new-02"), "two tiles are called 'new-02'"),
        (renamed(0, id="texas"), "'texas' is the name of a printed tile"),
        (renamed(0, values=[3, 2, -1]), "new-01 has a negative value"),
        (TILES[:19], "the expansion has 20 tiles, the file 19"),
        (renamed(0, kind="development"), "two tiles grant the development tile"),
        (renamed(0, kind="route"), "two tiles grant the route tile"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_contradictory_tile_file_is_refused(tiles: Any, complaint: str) -> None:
    """R12.7."""
    with pytest.raises(BoardError, match="region tiles: ") as caught:
        load_region_tiles(msgspec.json.encode({"tiles": tiles}))
    assert complaint in str(caught.value)


def test_a_tile_file_that_is_not_json_is_refused() -> None:
    """R12.7."""
    for raw in (b"", b"{", b"\xff\xfe"):
        with pytest.raises(BoardError, match="region tiles: "):
            load_region_tiles(raw)
