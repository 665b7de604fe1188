"""The map shows the printed board."""

from domain.boards import load_board
from domain.modules.milestones import CONDITIONS
from projections.board_map import BoardMap, IncomeStep, MapPlace, board_map
from tests.projections.play import NEW_TILES, sent


def usa() -> BoardMap:
    return board_map(load_board("usa-1960s"), NEW_TILES)


def test_the_map_has_every_place_link_and_region() -> None:
    shown = usa()
    assert (shown.id, len(shown.places), len(shown.links), len(shown.regions)) == ("usa-1960s", 45, 107, 10)
    denver = next(place for place in shown.places if place.id == "denver")
    assert denver == MapPlace("denver", "Denver", "grand-canyon", "city", 4, 487, 402, denver.label)
    assert sum(place.kind == "town" for place in shown.places) == 20


def test_a_region_has_its_printed_tile_and_its_places() -> None:
    florida = next(region for region in usa().regions if region.id == "florida")
    assert (florida.name, florida.tile.id, florida.tile.values) == ("Florida", "florida", (10, 6, 3))
    assert florida.places == ("jacksonville", "atlanta", "montgomery", "huntsville")


def test_the_map_has_all_coordinates() -> None:
    shown, printed = usa(), load_board("usa-1960s")
    assert shown.view_box == (40, 0, 1250, 880)
    assert shown.links == printed.links
    for region, origin in zip(shown.regions, printed.regions, strict=True):
        assert (region.area, region.label) == (origin.area, origin.label)
        assert (region.tile.x, region.tile.y) == (origin.tile_at.x, origin.tile_at.y)
    assert [(space.x, space.y) for space in shown.track[:2]] == [(606, 55), (674, 55)]


def test_the_map_has_tables_for_each_number_of_players() -> None:
    """R2.2 to R2.5, R3.1."""
    two, three, four, five = usa().player_counts
    assert [count.players for count in (two, three, four, five)] == [2, 3, 4, 5]
    assert two.closed_regions == ("california", "upper-west", "montana")
    assert three.income[1] == IncomeStep(free_spaces=3, dollars=2)
    assert (four.starting_money, four.bonus_tiles, four.closed_regions) == ((3, 4, 6, 8), 3, ())
    assert five.introductory_towns[0] == ("memphis", "spokane")


def test_the_track_ends_in_the_red_zone() -> None:
    """R7.4, R8.1."""
    assert [(space.space, space.influence) for space in usa().track if space.red] == [(8, 2), (9, 0), (10, 0)]


def test_the_map_has_the_tile_sets() -> None:
    """R2.6, R12.1."""
    shown = usa()
    assert len(shown.city_tiles) == 25
    assert shown.city_tile_groups == ((2, 3), (4, 5, 6), (7, 8))
    assert [(tile.id, tile.values, tile.kind) for tile in shown.new_region_tiles] == [
        (tile.id, tile.values, tile.kind) for tile in NEW_TILES
    ]
    assert shown.new_region_tiles[10].text == "12/8/4 in dollars"


def test_every_milestone_has_its_condition() -> None:
    """R10.3."""
    milestones = usa().milestones
    assert [milestone.id for milestone in milestones] == list(CONDITIONS)
    assert milestones[0].condition == "franchises in 4 towns"


def test_a_client_reads_the_same_map() -> None:
    assert sent(usa()) == usa()
