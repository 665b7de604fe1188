"""The board: places, regions, the track, and the material of the expansions."""

import pytest
from msgspec.structs import replace

from domain.actions import ChooseTown, EndTurn, Expand, Increase
from domain.modules import Modules
from domain.modules.boom import KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import Draft, ExplicitLayout, PlaceCityTile, TilesPooled
from domain.modules.milestones import MilestoneReached
from projections.board import BoardView, PlaceView, RegionView, TileView, TrackSpace, board
from tests.projections.play import ANN, CID, Match, seated


def board_of(match: Match) -> BoardView:
    return board(match.timeline)


def place(view: BoardView, id_: str) -> PlaceView:
    return next(place for place in view.places if place.id == id_)


def region(view: BoardView, id_: str) -> RegionView:
    return next(region for region in view.regions if region.id == id_)


def test_spaces_are_in_order_and_as_many_as_the_value(second_turn: Match) -> None:
    """R1.3."""
    denver = place(board_of(second_turn), "denver")
    assert denver.spaces == (ANN, None, None, None)
    assert (denver.value, denver.printed, denver.scored, denver.closed) == (4, 4, False, False)
    assert denver.franchises == {ANN: 1}
    assert (denver.name, denver.kind, denver.region, denver.x, denver.y) == ("Denver", "city", "grand-canyon", 487, 402)


def test_a_town_has_one_space(second_turn: Match) -> None:
    """R1.1."""
    view = board_of(second_turn)
    assert (place(view, "pueblo").value, place(view, "pueblo").spaces) == (1, (ANN,))
    assert place(view, "flagstaff").spaces == (None,)


def test_a_marker_is_shown_separately_until_the_turn_ends(opening: Match) -> None:
    """R4.2."""
    denver = place(board_of(opening.play(Expand(("pueblo", "denver")))), "denver")
    assert (denver.markers, denver.spaces, denver.franchises) == ((ANN,), (None,) * 4, {})
    opened = place(board_of(opening.play(EndTurn())), "denver")
    assert (opened.markers, opened.franchises) == ((), {ANN: 1})


def test_franchises_in_the_centre_are_counted_by_seat(second_turn: Match, denver_ready: Match) -> None:
    """R5.1, R9.3."""
    denver = place(board_of(denver_ready), "denver")
    assert (denver.centre, denver.franchises) == ({ANN: 2}, {ANN: 1})
    assert place(board_of(denver_ready), "washington").centre == {}


def test_a_scored_city_has_franchises_but_no_spaces(denver_scored: Match) -> None:
    """R1.2, R6.4: Ann took two of her three franchises back."""
    denver = place(board_of(denver_scored), "denver")
    assert (denver.scored, denver.value, denver.spaces, denver.franchises) == (True, 0, (), {ANN: 1})
    assert (denver.centre, denver.printed) == ({}, 4)


def test_nobody_owns_a_tie_break_marker_before_the_first_scoring(second_turn: Match) -> None:
    """R6.5: two franchises of four spaces score nothing yet."""
    second_turn.play(Increase("denver"), EndTurn())
    assert region(board_of(second_turn), "grand-canyon").tie_break is None


def test_a_region_shows_its_tile_and_its_franchises(denver_scored: Match) -> None:
    canyon = region(board_of(denver_scored), "grand-canyon")
    assert canyon == RegionView(
        "grand-canyon",
        "Grand Canyon",
        "open",
        TileView("grand-canyon", (10, 8, 5), text="10/8/5"),
        ANN,
        {ANN: 2, CID: 1},
    )


def test_with_two_or_three_players_three_regions_are_closed() -> None:
    """R2.2: their tiles fill the first spaces of the track, and nothing can be placed there."""
    view = board_of(Match(2))
    closed = [region.id for region in view.regions if region.status == "closed"]
    assert closed == ["california", "upper-west", "montana"]
    assert region(view, "california").tile is None
    seattle, reno = place(view, "seattle"), place(view, "reno")
    assert (seattle.closed, seattle.scored, seattle.value, seattle.spaces) == (True, False, 0, ())
    assert (reno.closed, reno.spaces) == (True, (None,))
    assert sum(place.closed for place in view.places) == 14


def test_the_track_shows_influence_and_the_red_zone() -> None:
    """R7.4, R8.1."""
    track = board_of(Match(3)).track
    assert track[0] == TrackSpace(1, 3, red=False, tile=TileView("california", (5, 4, 2), text="5/4/2"))
    assert [space.influence for space in track] == [3, 3, 2, 2, 3, 4, 3, 2, 0, 0]
    assert [space.space for space in track if space.red] == [8, 9, 10]
    assert [space.tile.id if space.tile else None for space in track[1:4]] == ["upper-west", "montana", None]


def test_with_four_players_everything_is_in_play() -> None:
    view = board_of(Match(4))
    assert not any(place.closed for place in view.places)
    assert not any(space.tile for space in view.track)
    assert {region.status for region in view.regions} == {"open"}


def test_the_tile_of_a_scored_region_is_on_the_track(new_york_scored: Match) -> None:
    """R7.4: the tiles of three closed regions are already there."""
    view = board_of(new_york_scored)
    new_york = region(view, "new-york")
    assert (new_york.status, new_york.tile, new_york.tie_break) == ("scored", None, ANN)
    assert new_york.franchises == {ANN: 2}
    assert view.track[3].tile == TileView("new-york", (6, 5, 4), text="6/5/4")


def test_without_expansions_their_fields_are_empty(second_turn: Match) -> None:
    view = board_of(second_turn)
    assert (view.boom, view.milestones, view.city_tiles_left, view.region_tiles_left) == (None, (), (), ())


def test_the_boom_marker_is_at_its_latest_city() -> None:
    """R11.1, R11.2."""
    match = Match(2, modules=Modules(boom=True)).play(ChooseTown("el-paso"), ChooseTown("pueblo"))
    assert board_of(match).boom is None
    assert board_of(match.play(PlaceBoom("denver"))).boom == "denver"
    assert board_of(match.play(KeepBoom(), EndTurn(), MoveBoom("phoenix"))).boom == "phoenix"


def test_milestones_show_the_players_who_reached_them_in_order() -> None:
    """R10.2."""
    match = Match(3, modules=Modules(milestones=True))
    drawn = board_of(match).milestones
    assert len(drawn) == 6
    assert all(milestone.reached == () for milestone in drawn)
    first, *others = drawn
    for seat in (CID, ANN):
        match.record(MilestoneReached(seat, first.id))
    reached = {milestone.id: milestone.reached for milestone in board_of(match).milestones}
    assert reached == {first.id: (CID, ANN), **{milestone.id: () for milestone in others}}


def test_a_draft_shows_the_tiles_that_are_left() -> None:
    """R2.6: 25 city tiles, and the region tiles of the printed board."""
    match = Match(4, expert=Draft())
    view = board_of(match)
    assert view.city_tiles_left == (2,) * 4 + (3,) * 3 + (4,) * 8 + (5,) * 5 + (6,) * 2 + (7,) * 2 + (8,)
    assert len(view.region_tiles_left) == 10
    assert tuple(tile.id for tile in view.tiles_left) == view.region_tiles_left
    assert TileView("florida", (10, 6, 3), text="10/6/3") in view.tiles_left
    dallas = place(view, "dallas")
    assert (dallas.value, dallas.printed, dallas.scored, dallas.spaces) == (0, 5, False, ())
    assert all(region.tile is None and region.status == "open" for region in view.regions)


def test_a_drafted_tile_is_no_longer_left() -> None:
    """R2.6."""
    view = board_of(Match(4, expert=Draft()).play(PlaceCityTile("dallas", 6)))
    assert (place(view, "dallas").value, place(view, "dallas").spaces) == (6, (None,) * 6)
    assert view.city_tiles_left.count(6) == 1
    assert len(view.city_tiles_left) == 24


def test_the_tiles_left_come_from_the_record_of_the_game() -> None:
    """R12.7: not from the server's current file."""
    match = Match(4, expert=Draft(), modules=Modules(region_tiles="new"))
    others = tuple(replace(tile, values=(9, 9, 9)) for tile in match.game.region_pool)
    match.facts = [
        replace(fact, region_tiles=others) if isinstance(fact, TilesPooled) else fact for fact in match.facts
    ]
    assert [tile.values for tile in board_of(match).tiles_left] == [(9, 9, 9)] * len(others)


def test_the_board_shows_an_agreed_layout() -> None:
    """R2.6: Dallas and Houston are swapped, and the tiles of Texas and Florida."""
    printed = board_of(Match(4))
    cities = {place.id: place.value for place in printed.places if place.kind == "city"}
    regions = {region.id: region.id for region in printed.regions}
    layout = ExplicitLayout(cities | {"dallas": 6, "houston": 5}, regions | {"texas": "florida", "florida": "texas"})
    view = board_of(Match(4, expert=layout))
    assert (place(view, "dallas").value, place(view, "houston").value) == (6, 5)
    assert region(view, "texas").tile == TileView("florida", (10, 6, 3), text="10/6/3")


@pytest.mark.parametrize(("seats", "closed"), [(2, 3), (3, 3), (4, 0), (5, 0)])
def test_before_the_start_the_printed_board_for_all_seats_is_shown(seats: int, closed: int) -> None:
    view = board(seated(seats, ["Ann"], modules=Modules(boom=True, milestones=True)))
    assert sum(region.status == "closed" for region in view.regions) == closed
    assert sum(space.tile is not None for space in view.track) == closed
    assert place(view, "chicago").spaces == (None,) * 7
    assert not any(place.franchises for place in view.places)
    assert (view.boom, view.milestones) == (None, ())
