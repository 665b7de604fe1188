"""How to play: its numbers are those of the board and the rules, and its pictures show what their captions say."""

import re
from html import unescape
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from domain.base.bonus_tiles import DOLLARS
from domain.base.game_end import DOLLARS_PER_INFLUENCE, INFLUENCE_PER_BONUS_TILE
from domain.boards import load_board
from openapi.generate.learn import TEXT, learn
from openapi.generate.positions import boom, turn
from openapi.generate.rules_page import rules_page
from projections.board import PlaceView, board
from projections.pictures.themes import THEMES
from projections.scores import scores
from tests.projections.svg_parts import classes, of_class, place, seats

BOARD = load_board("usa-1960s")
COUNTS = sorted(BOARD.starting_money)
ANN, BOB, CEM, DORA = range(4)
PLACES = {"minneapolis", "chicago", "detroit", "indianapolis"}
POSITIONS = turn()
PAGE = learn()
TEXTS = " ".join(re.sub(r"\*", "", TEXT.read_text(encoding="utf-8")).split())


def figure(name: str) -> tuple[str, str]:
    """Return the table or picture of a figure, and its caption."""
    found = re.search(rf"<figure id='figure-{name}'>(.*?)<figcaption>(.*?)</figcaption>", PAGE, re.DOTALL)
    assert found
    return found[1], " ".join(re.sub(r"<[^>]+>", "", found[2]).split())


def drawn(name: str) -> ET.Element:
    return ET.fromstring(figure(name)[0])


def rows(name: str) -> list[list[str]]:
    """Return the cells of a table, row by row."""
    lines = figure(name)[0].split("<tr>")[1:]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.split(r"<t[hd][^>]*>", line)[1:]] for line in lines]


def seen(position: str, name: str) -> PlaceView:
    return next(each for each in board(POSITIONS[position]).places if each.id == name)


def gained(before: str, after: str) -> list[int]:
    """Return the influence that each player has gained between two positions."""
    earlier, later = (scores(POSITIONS[position]).players for position in (before, after))
    return [new.influence - old.influence for old, new in zip(earlier, later, strict=True)]


def money(position: str) -> int:
    """Return Ann's money."""
    return scores(POSITIONS[position]).players[ANN].money


# --- numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", COUNTS)
def test_the_income_chart_is_that_of_the_board(players: int) -> None:
    heads, *steps = rows("chart")
    paid: dict[int, str] = {}
    for dollars, *cells in steps:
        low, *high = map(int, re.findall(r"\d+", cells[heads.index(str(players)) - 1]))
        paid |= dict.fromkeys(range(low, (high or [99])[0] + 1), dollars)
    assert paid == {spaces: f"${BOARD.income_for(players, spaces)}" for spaces in range(100)}


def test_the_region_track_is_that_of_the_board() -> None:
    track = BOARD.region_track
    assert rows("spaces")[1][1:] == [str(influence) for influence in track.influence]
    red = len(track.influence) - track.red_from + 1
    assert figure("spaces")[0].count("class='red'") == red == 3
    assert "red zone, the last three spaces" in TEXTS


def test_the_start_is_that_of_the_board() -> None:
    _, dollars, tiles, closed = rows("start")
    assert [re.findall(r"\$(\d+)", cell) for cell in dollars[1:]] == [
        [str(each) for each in BOARD.starting_money[players]] for players in COUNTS
    ]
    assert tiles[1:] == [str(BOARD.bonus_tiles[players]) for players in COUNTS]
    assert closed[1:] == [str(len(BOARD.closed_regions[players])) for players in COUNTS]
    assert "With 2 or 3 players, three regions are closed" in TEXTS


def test_all_ways_to_make_points_have_their_numbers() -> None:
    assert [value for _, value in rows("ways")] == [
        "IP",
        "its value, 2 to 8",
        "half its value, rounded down",
        "first number on its tile, 4 to 10",
        "second number, 3 to 8",
        "third number, 1 to 5",
        "number on the region track, 0 to 4",
        *("1", "1", str(INFLUENCE_PER_BONUS_TILE)),
    ]
    assert rows("ways")[-2][0] == f"The game ends: each full ${DOLLARS_PER_INFLUENCE}"


def test_numbers_in_sentences_are_those_of_the_rules() -> None:
    (tile,) = (region.tile for region in BOARD.regions if region.id == "grand-canyon")
    for words in (
        f"take ${DOLLARS} from the bank",
        f"every full ${DOLLARS_PER_INFLUENCE} counts 1 IP",
        f"every unused bonus tile counts {INFLUENCE_PER_BONUS_TILE} IP",
        f"is worth {INFLUENCE_PER_BONUS_TILE} IP at the end",
        f"It begins with {BOARD.franchises_per_player}.",
        "·".join(map(str, tile)),
        "gains {} IP, the second {}, and everybody else there {}.".format(*tile),
    ):
        assert words in TEXTS
    assert len(BOARD.regions) == 10
    assert "All places lie in ten regions." in TEXTS


# --- pictures ----------------------------------------------------------------------------------------------------


def test_the_first_picture_counts_the_free_spaces() -> None:
    picture, words = drawn("income"), figure("income")[1]
    free = {city: seen("income", city).spaces.count(None) for city in ("chicago", "detroit")}
    assert [text.text for group in of_class(picture, "count") for text in group.iter("text")] == ["2", "1"]
    assert free == {"chicago": 2, "detroit": 1}
    assert BOARD.income_for(4, sum(free.values())) == 2
    assert [
        each.id for each in board(POSITIONS["income"]).places if ANN in each.franchises and None in each.spaces
    ] == [*free]
    assert "Chicago, with 2 free spaces, and in Detroit, with 1. With four players, 3 free spaces pay $2." in words
    assert money("income") == 3
    assert "She had $1, so now she has $3." in words


def test_the_second_picture_shows_an_expansion_for_its_price() -> None:
    picture, words = drawn("expand"), figure("expand")[1]
    assert seats(of_class(place(picture, "indianapolis"), "marker")) == [ANN]
    assert BOARD.link_costs(("detroit", "indianapolis")) == (1,)
    assert money("income") - money("expand") == 1
    assert "from Detroit to Indianapolis for $1" in words
    (way,) = of_class(picture, "way")
    assert way.get("d") in {link.path for link in BOARD.links if set(link.between) == {"detroit", "indianapolis"}}


def test_the_third_picture_shows_two_increases() -> None:
    picture, words = drawn("increase"), figure("increase")[1]
    for city in ("chicago", "detroit"):
        assert seats(of_class(place(picture, city), "centre")) == [ANN]
    assert (money("expand"), money("increase")) == (2, 0)
    assert "in Chicago and in Detroit, and has no money left" in words


def test_the_fourth_picture_shows_two_scored_cities() -> None:
    picture, words = drawn("cities"), figure("cities")[1]
    before = {city: seen("increase", city) for city in ("chicago", "detroit")}
    assert {city: (view.franchises[ANN] + view.centre[ANN], view.value) for city, view in before.items()} == {
        "chicago": (4, 7),
        "detroit": (3, 4),
    }
    assert len(before["chicago"].spaces) - sum(before["chicago"].franchises.values()) - 1 == 1
    assert "Ann has 4 of 7: she gains 7 IP, although a space is still free" in words
    assert "has 3 of 4 and gains 4 IP" in words
    assert gained("increase", "cities") == [7 + 4, 0, 0, 0]
    for city in before:
        assert "scored" in classes(place(picture, city))
        assert seats(of_class(place(picture, city), "franchise")).count(ANN) == 1
    assert seats(of_class(place(picture, "chicago"), "franchise")).count(BOB) == 2
    assert "Bob still has 2 in Chicago" in words


def test_the_fifth_picture_shows_a_scored_region() -> None:
    picture, words = drawn("region"), figure("region")[1]
    lakes = next(region for region in board(POSITIONS["region"]).regions if region.id == "great-lakes")
    tile = BOARD.regions[BOARD.region_number["great-lakes"]].tile
    assert lakes.status == "scored"
    assert lakes.franchises == {ANN: 3, BOB: 4, CEM: 1}
    assert "Bob has 4, Ann 3 and Cem 1. The region tile says 6·4·2" in words
    assert tile == (6, 4, 2)
    assert BOARD.region_track.influence[0] == 3
    assert gained("cities", "region") == [4 + 3, 6, 2, 0]
    assert "Bob gains 6 IP, Ann 4 IP and Cem 2 IP" in words
    assert "the 3 IP of that space" in words
    first, *others = [space for space in of_class(picture, "space") if space.get("data-space")]
    assert [tile.get("data-tile") for tile in of_class(first, "tile")] == ["great-lakes"]
    assert not [tile for space in others for tile in of_class(space, "tile")]
    assert not [tile for tile in of_class(picture, "tile") if tile.get("data-region") == "great-lakes"]


@pytest.mark.parametrize("name", POSITIONS)
def test_a_picture_has_a_title_a_description_and_its_places(name: str) -> None:
    picture = drawn(name)
    left, top, width, height = map(float, picture.get("viewBox", "").split())
    assert picture.findtext("title")
    assert "Chicago, " in picture.findtext("desc", "")
    shown = {each.get("data-place") for each in of_class(picture, "place")}
    outside = {
        each.id for each in BOARD.places if not (left <= each.x <= left + width and top <= each.y <= top + height)
    }
    assert shown >= PLACES
    assert not shown & outside
    assert not of_class(picture, "players")


def test_a_picture_has_the_colours_of_both_themes() -> None:
    (sea,) = of_class(drawn("income"), "sea")
    assert sea.get("fill") == f"light-dark({THEMES['light'].sea},{THEMES['dark'].sea})"
    (piece, *_) = of_class(drawn("income"), "franchise")
    assert piece[0].get("fill") == "#c4242c"


def test_symbols_show_what_their_texts_say() -> None:
    symbols = {
        words.partition(".")[0].partition(",")[0]: ET.fromstring(svg)
        for svg, words in re.findall(r"<li>(<svg.*?</svg>)<div><b>(.*?)</b>", PAGE, re.DOTALL)
    }
    shown = {
        "City": "space",
        "Town": "disc",
        "Link with its price": "price",
        "Franchise": "franchise",
        "Expansion marker": "marker",
        "Franchise in the centre": "centre",
        "Scored city": "check",
        "Region tile": "tile",
        "Tie-break marker": "tie-break",
        "Red zone": "red",
        "Closed place": "closed",
        "Boom marker": "boom",
        "Solid ring with a square on its corner": "expand",
        "Dashed ring with a square": "increase",
        "Double ring": "inner",
    }
    assert symbols.keys() == shown.keys()
    assert all(of_class(symbols[name], class_) for name, class_ in shown.items())
    assert all(svg.get("aria-hidden") == "true" for svg in symbols.values())
    assert board(boom()).boom == "denver"


# --- the page ----------------------------------------------------------------------------------------------------


def test_the_page_begins_with_its_parts() -> None:
    page = rules_page()
    parts = re.findall(r"<a href='#([\w-]+)'>", page.partition("<p class='parts'>")[2].partition("</p>")[0])
    assert parts == ["learn", "legend", "rules"]
    positions = [page.index(f"<h2 id='{part}'>") for part in parts]
    assert positions == sorted(positions)
    assert page.index("id='R1'") > positions[-1]


def test_headings_are_in_order_and_in_the_contents() -> None:
    page = rules_page()
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", page)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(level - before <= 1 for before, level in pairwise(levels))
    contents = page.partition("<div class='entries'>")[2].partition("</div>")[0]
    assert re.findall(r"href='#([\w.-]+)'", contents) == re.findall(r"<h[23] id='([\w.-]+)'", page)


def test_the_page_stays_small() -> None:
    assert len(rules_page().encode()) < 250_000
