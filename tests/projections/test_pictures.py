"""Pictures of a board: complete in shapes and words, and self-contained."""

import pytest

from domain.actions import ChooseTown, Double, Expand, Increase
from domain.boards import load_board
from domain.modules import Modules
from domain.modules.boom import PlaceBoom
from projections.pictures.board_picture import board_picture, map_picture
from projections.pictures.themes import THEMES, ThemeName
from tests.projections.play import ANN, Match, seated
from tests.projections.svg_parts import classes, description, of_class, parsed, place, seats, texts

USA = load_board("usa-1960s")


@pytest.mark.parametrize("theme", THEMES)
def test_every_element_of_the_map_is_drawn_once(theme: ThemeName) -> None:
    picture = parsed(map_picture("usa-1960s", 4, theme))
    assert picture.get("viewBox") == "40 0 1250 880"
    assert picture.get("role") == "img"
    assert [each.get("data-place") for each in of_class(picture, "place")] == [each.id for each in USA.places]
    assert [each.get("data-region") for each in of_class(picture, "region")] == [each.id for each in USA.regions]
    links = of_class(picture, "link")
    assert [each.get("data-link") for each in links] == [" ".join(link.between) for link in USA.links]
    assert [each.get("d") for each in links] == [link.path for link in USA.links]
    prices = [texts(each) for each in of_class(picture, "price")]
    assert prices == [[str(link.cost)] for link in USA.links]
    assert len(of_class(of_class(picture, "track")[0], "space")) == 10
    assert [each.get("data-region") for each in of_class(picture, "tile")] == [each.id for each in USA.regions]
    for printed in USA.places:
        drawn = place(picture, printed.id)
        assert printed.name in texts(drawn)
        assert len(of_class(drawn, "space")) == (printed.spaces if printed.kind == "city" else 0)
        (hit,) = of_class(drawn, "hit")
        assert float(hit.get("r", "")) >= 22


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_closed_regions_are_shown_as_closed(players: int) -> None:
    """R2.2."""
    picture = parsed(map_picture("usa-1960s", players))
    closed = {"california", "upper-west", "montana"} if players < 4 else set()
    assert {each.get("data-region") for each in of_class(picture, "region") if "closed" in classes(each)} == closed
    shut = {each.get("data-place") for each in of_class(picture, "place") if "closed" in classes(each)}
    assert shut == {each.id for each in USA.places if each.region in closed}
    assert texts(picture).count("closed") == len(closed)
    assert ("Closed regions: California, Upper West, Montana." in description(picture)) == bool(closed)
    assert len(of_class(of_class(picture, "track")[0], "tile")) == len(closed)


def test_an_unfinished_turn_is_drawn_with_other_pieces(second_turn: Match) -> None:
    """R4.2, R5.1, R9.3: Ann expands to Salt Lake City, then increases and doubles in Denver."""
    match = second_turn.play(Expand(("denver", "salt-lake-city")), Increase("denver"), Double("denver"))
    picture = parsed(board_picture(match.timeline))
    denver, town = place(picture, "denver"), place(picture, "salt-lake-city")
    assert seats(of_class(denver, "franchise")) == [ANN]
    assert seats(of_class(denver, "centre")) == [ANN, ANN]
    assert len(of_class(denver, "space")) == 3
    assert seats(of_class(town, "marker")) == [ANN]
    assert not of_class(town, "franchise")
    assert "Expansion markers: Ann in Salt Lake City. In the centre: Ann 2 in Denver." in description(picture)


def test_a_scored_city_has_franchises_and_no_spaces(denver_scored: Match) -> None:
    """R1.2, R6.4: Ann keeps one franchise in Denver, and her marker is next to the tile of Grand Canyon (R6.5)."""
    picture = parsed(board_picture(denver_scored.timeline))
    denver = place(picture, "denver")
    assert "scored" in classes(denver)
    assert seats(of_class(denver, "franchise")) == [ANN]
    assert not of_class(denver, "space")
    assert "4" not in texts(denver)
    (tie_break,) = of_class(picture, "tie-break")
    assert (tie_break.get("data-region"), seats(of_class(tie_break, "franchise"))) == ("grand-canyon", [ANN])
    assert "Scored cities: Denver." in description(picture)


def test_a_scored_region_has_its_tile_on_the_track(new_york_scored: Match) -> None:
    """R7.4: with 2 players on space 4."""
    picture = parsed(board_picture(new_york_scored.timeline))
    (region,) = [each for each in of_class(picture, "region") if "scored" in classes(each)]
    assert region.get("data-region") == "new-york"
    (tiles,) = of_class(picture, "tiles")
    assert "new-york" not in {each.get("data-region") for each in of_class(tiles, "tile")}
    fourth = of_class(of_class(picture, "track")[0], "space")[3]
    assert [each.get("data-tile") for each in of_class(fourth, "tile")] == ["new-york"]
    assert "6·5·4" in texts(fourth)
    assert "Scored regions: New York." in description(picture)


def test_the_players_are_drawn_next_to_the_map(second_turn: Match) -> None:
    picture = parsed(board_picture(second_turn.timeline))
    rows = of_class(picture, "player")
    assert [texts(row)[:4] for row in rows] == [
        ["A", "Ann", "0 IP", "$4"],
        ["B", "Bob", "0 IP", "$3"],
        ["C", "Cid", "0 IP", "$6"],
    ]
    assert [bool(of_class(row, "to-play")) for row in rows] == [True, False, False]
    assert "Turn 4: Ann to play" in texts(picture)


def test_the_boom_marker_is_drawn() -> None:
    """R11.1."""
    match = Match(2, modules=Modules(boom=True))
    match.play(ChooseTown("el-paso"), ChooseTown("pueblo"), PlaceBoom("chicago"))
    picture = parsed(board_picture(match.timeline))
    assert of_class(place(picture, "chicago"), "boom")
    assert len(of_class(picture, "boom")) == 1
    assert "Boom marker: Chicago." in description(picture)


def test_an_open_table_has_the_printed_board() -> None:
    picture = parsed(board_picture(seated(3, ["Ann"])))
    assert "Open table: 1 of 3 seats taken" in description(picture)
    assert [texts(row)[:2] for row in of_class(picture, "player")] == [
        ["A", "Ann"],
        ["B", "open seat"],
        ["C", "open seat"],
    ]
    assert len([each for each in of_class(picture, "region") if "closed" in classes(each)]) == 3
    assert not of_class(place(picture, "denver"), "franchise")
