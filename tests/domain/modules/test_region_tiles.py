"""R12: twenty more region tiles, some with dollars, a bonus tile, the Development tile or the Route tile."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.actions import Increase, TakeDollars
from domain.board import RegionTile
from domain.boards import BoardError, load_region_tiles
from domain.decide import Decision
from domain.facts import RegionRank, RegionScored, RegionTilesLaid, TrackFilled
from domain.game import Game
from domain.modules import GameOptions, Modules
from domain.modules.region_tiles import (
    BonusTileRegained,
    ChosenTiles,
    DevelopmentTileGained,
    RegionTiles,
    RegionTilesDrawn,
    RouteTileGained,
)
from domain.refused import Refused
from domain.start import start
from tests.domain.modules.tables import next_turn_of, tile_on, with_tiles
from tests.domain.positions import BLACK, BLUE, BOARD, NEW_TILES, ORANGE, RED, begin, end_turn, facts, play, the, why

PRINTED = [region.id for region in BOARD.regions]
NEW = [f"new-{number:02}" for number in range(1, 21)]
CLOSED = {"california", "upper-west", "montana"}
TEN = ("florida", "texas", *NEW[12:])


# --- R12.1: the tiles and their places -------------------------------------------------------------------------


def _drawn(choice: Any, players: int = 4, seed: int = 1) -> set[str]:
    decision = begin(players, seed=seed, modules=Modules(region_tiles=choice))
    return {tile.id for tile in the(decision, RegionTilesDrawn).tiles}


@pytest.mark.parametrize(
    ("choice", "source"), [("mixed", {*PRINTED, *NEW}), ("new", set(NEW)), (ChosenTiles(TEN), set(TEN))]
)
def test_r12_1_ten_tiles_of_the_choice_are_drawn(choice: Any, source: set[str]) -> None:
    draws = [_drawn(choice, seed=seed) for seed in range(30)]
    assert {len(drawn) for drawn in draws} == {10}
    assert set().union(*draws) == source, "every tile can be drawn, and no other"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("choice", ["mixed", "new", ChosenTiles(TEN)])
def test_r12_1_the_draw_is_recorded_and_every_region_in_play_has_a_tile(choice: Any, players: int) -> None:
    decision = begin(players, seed=7, modules=Modules(region_tiles=choice))
    drawn, laid = the(decision, RegionTilesDrawn), the(decision, RegionTilesLaid)
    on_track = [tile for fact in facts(decision, TrackFilled) for tile in fact.tiles]
    assert drawn.seed == laid.seed == 7
    assert set(laid.tiles) == set(PRINTED) - (CLOSED if players < 4 else set())
    assert sorted(tile.id for tile in (*laid.tiles.values(), *on_track)) == sorted(tile.id for tile in drawn.tiles)
    assert decision.game.track == tuple(on_track)
    for region, state in zip(BOARD.regions, decision.game.regions, strict=True):
        assert state.tile == laid.tiles.get(region.id)


@pytest.mark.parametrize(("players", "on_track"), [(2, 3), (3, 3), (4, 0), (5, 0)])
def test_r12_1_the_tiles_of_closed_regions_go_to_the_track(players: int, on_track: int) -> None:
    game = begin(players, modules=Modules(region_tiles="new")).game
    assert len(game.track) == on_track
    assert game.region_pool == ()


def test_r12_1_the_tiles_are_dealt_at_random_and_a_seed_repeats_it() -> None:
    def layout(seed: int) -> dict[str, RegionTile]:
        return the(begin(5, seed=seed, modules=Modules(region_tiles=ChosenTiles(TEN))), RegionTilesLaid).tiles

    assert layout(3) == layout(3)
    assert len({tuple(sorted((region, tile.id) for region, tile in layout(seed).items())) for seed in range(9)}) == 9


def test_r12_1_without_the_expansion_the_printed_tiles_lie_on_their_regions() -> None:
    decision = begin(4)
    assert not facts(decision, RegionTilesDrawn)
    assert {region: tile.id for region, tile in the(decision, RegionTilesLaid).tiles.items()} == dict(
        zip(PRINTED, PRINTED, strict=True)
    )


@pytest.mark.parametrize(
    ("chosen", "sentence", "values"),
    [
        (TEN[:9], "wrong_choice_of_tiles", {"tiles": 10}),
        ((*TEN, "central"), "wrong_choice_of_tiles", {"tiles": 10}),
        ((*TEN[:9], TEN[0]), "wrong_choice_of_tiles", {"tiles": 10}),
        ((*TEN[:9], "new-21"), "unknown_tiles", {"tiles": ["new-21"]}),
        ((*TEN[:9], "dallas"), "unknown_tiles", {"tiles": ["dallas"]}),
        ((), "wrong_choice_of_tiles", {"tiles": 10}),
    ],
)
def test_r12_1_chosen_names_ten_different_tiles(chosen: tuple[str, ...], sentence: str, values: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        begin(4, modules=Modules(region_tiles=ChosenTiles(chosen)))
    assert (caught.value.code, caught.value.rule) == ("invalid_options", "R12.1")
    assert (caught.value.sentence, caught.value.values) == (sentence, values)


def test_r12_1_ten_tiles_are_enough_to_draw_from() -> None:
    options = GameOptions(modules=Modules(region_tiles="new"))
    assert len(the(start(options, 4, 1, NEW_TILES[:10]), RegionTilesDrawn).tiles) == 10
    with pytest.raises(Refused, match="available 9, tiles 10"):
        start(options, 4, 1, NEW_TILES[:9])


def test_r12_1_the_choice_must_hold_enough_tiles() -> None:
    with pytest.raises(Refused, match="available 0") as caught:
        start(GameOptions(modules=Modules(region_tiles="new")), 4, 1)
    assert (caught.value.code, caught.value.rule) == ("invalid_options", "R12.1")


# --- R12.7: the tiles as data ----------------------------------------------------------------------------------


def _file(change: Callable[[list[dict[str, Any]]], object] = list) -> bytes:
    """Return the house set in the format of an operator's file, with a change."""
    tiles: list[dict[str, Any]] = [
        {"id": tile.id, "kind": tile.kind, "values": list(tile.values)} for tile in NEW_TILES
    ]
    change(tiles)
    return json.dumps({"tiles": tiles}).encode()


def test_r12_7_the_house_set_has_twenty_tiles_with_the_fixed_numbers_of_the_rulebook() -> None:
    tiles = load_region_tiles()
    assert [tile.id for tile in tiles] == NEW
    fixed = {"bonus_tile": 3, "development": 5, "route": 6}
    assert {tile.kind for tile in tiles} == {"influence", "dollars", "regions", *fixed}
    assert {tile.kind: tile.values[0] for tile in tiles if tile.kind in fixed} == fixed
    assert [sum(tile.kind == kind for tile in tiles) for kind in ("development", "route")] == [1, 1]


def test_r12_7_the_house_set_is_marked_as_such() -> None:
    raw = (Path(__file__).parents[3] / "domain/data/region-tiles-new.json").read_text(encoding="utf-8")
    assert "House values" in json.loads(raw)["note"]


def test_r12_7_an_operators_file_replaces_the_house_set() -> None:
    tiles = load_region_tiles(_file(lambda tiles: tiles[0].update(id="gold-rush", values=[20, 10, 5])))
    assert tiles[0] == RegionTile("gold-rush", (20, 10, 5))
    decision = start(GameOptions(modules=Modules(region_tiles="new")), 5, 2, tiles)
    assert decision.game.expansion_tiles == tiles
    assert {tile.id for tile in the(decision, RegionTilesDrawn).tiles} <= {tile.id for tile in tiles}


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"tiles": [{"id": "\xff"}]}', "region tiles: "),
        (_file(lambda tiles: tiles[3].update(id="new-01")), "two tiles are called 'new-01'"),
        (_file(lambda tiles: tiles[3].update(id="florida")), "'florida' is the name of a printed tile"),
        (_file(lambda tiles: tiles[3].update(kind="gold")), "Invalid enum value 'gold'"),
        (_file(lambda tiles: tiles[3].update(values=[1, 2])), "Expected `array` of length 3"),
        (_file(lambda tiles: tiles[3].update(values=[1, 2, 3, 4])), "Expected `array` of length 3"),
        (_file(lambda tiles: tiles[3].update(values=[1, 2, "3"])), "Expected `int`, got `str`"),
        (_file(lambda tiles: tiles[3].update(values=[1, 2, -3])), "new-04 has a negative value"),
        (_file(lambda tiles: tiles[3].update(value=3)), "unknown field `value`"),
        (_file(lambda tiles: tiles[3].pop("id")), "missing required field `id`"),
        (_file(lambda tiles: tiles.pop()), "the expansion has 20 tiles, the file 19"),
        (_file(lambda tiles: tiles.append({"id": "x", "values": [1, 1, 1]})), "the file 21"),
        (_file(lambda tiles: tiles[3].update(kind="route")), "two tiles grant the route tile"),
        (_file(lambda tiles: tiles[3].update(kind="development")), "two tiles grant the development tile"),
    ],
)
def test_r12_7_an_invalid_file_is_refused_with_the_reason(raw: bytes, complaint: str) -> None:
    with pytest.raises(BoardError, match=r"^region tiles: ") as caught:
        load_region_tiles(raw)
    assert complaint in str(caught.value)


# --- R12.2 to R12.6, R12.8: the effect of each kind ------------------------------------------------------------


def _about_to_score(players: int, kind: str, *values: int, **details: Any) -> Game:
    """Blue closes the region of New York: red ranks first, then orange and black if they play, blue last."""
    others = {2: (RED,) * 4, 3: (RED,) * 4 + (ORANGE,) * 3}.get(players, (RED,) * 4 + (ORANGE,) * 3 + (BLACK,) * 2)
    details = {"standing": {"pittsburgh": BLUE}, "scored": {"new-york": others}, "money": 1, **details}
    return tile_on(with_tiles(players=players, **details), "new-york", kind, *values)


def _scored(players: int, kind: str, *values: int, **details: Any) -> Decision:
    return end_turn(_about_to_score(players, kind, *values, **details), Increase("pittsburgh"))


def _ranks(players: int, kind: str, *values: int, **details: Any) -> list[tuple[int, int, int]]:
    """Return seat, influence and dollars in the order of rank."""
    ranks = the(_scored(players, kind, *values, **details), RegionScored).ranks
    return [(rank.seat, rank.influence, rank.dollars) for rank in ranks]


def test_r12_a_tile_of_influence_pays_like_the_printed_ones() -> None:
    assert _ranks(4, "influence", 12, 6, 2) == [(RED, 12, 0), (ORANGE, 6, 0), (BLACK, 2, 0), (BLUE, 2, 0)]


def test_r12_2_a_dollars_tile_pays_dollars_instead_of_influence() -> None:
    decision = _scored(4, "dollars", 9, 6, 5)
    assert the(decision, RegionScored).ranks == (
        RegionRank(RED, 1, 4, 0, 9),
        RegionRank(ORANGE, 2, 3, 0, 6),
        RegionRank(BLACK, 3, 2, 0, 5),
        RegionRank(BLUE, 4, 1, 0, 5),
    )
    players = decision.game.players
    assert [player.earned.regions for player in players] == [0, 0, 0, 0]
    assert [player.money for player in players] == [1 - 1 + 5, 1 + 9 + 1, 1 + 6, 1 + 5], (
        "with red's income of the next turn"
    )


def test_r12_2_the_active_player_still_gains_the_influence_of_the_track() -> None:
    decision = _scored(4, "dollars", 9, 6, 5)
    assert decision.game.players[BLUE].earned.region_track == 3


def test_r12_2_a_player_alone_in_the_region_gets_the_first_entry_in_dollars() -> None:
    assert _ranks(4, "dollars", 9, 6, 5, scored={"new-york": BLUE}) == [(BLUE, 0, 9)]


def _with_used(game: Game, *seats: int) -> Game:
    """Return the game after these players have used a bonus tile for each mention."""
    players = (replace(player, bonus_tiles_used=seats.count(seat)) for seat, player in enumerate(game.players))
    return replace(game, players=tuple(players))


def test_r12_3_the_first_gains_3_and_gets_a_used_bonus_tile_back() -> None:
    game = _about_to_score(4, "bonus_tile", 3, 2, 1)
    red = replace(game.players[RED], bonus_tiles=1)
    game = _with_used(replace(game, players=game.with_player(RED, red)), RED, RED)
    decision = end_turn(game, Increase("pittsburgh"))
    assert [rank.influence for rank in the(decision, RegionScored).ranks] == [3, 2, 1, 1]
    assert facts(decision, BonusTileRegained) == [BonusTileRegained(RED)]
    assert (decision.game.players[RED].bonus_tiles, decision.game.players[RED].bonus_tiles_used) == (2, 1)


def test_r12_3_the_first_gets_nothing_back_without_a_used_tile() -> None:
    game = _about_to_score(4, "bonus_tile", 3, 2, 1)
    decision = end_turn(_with_used(game, ORANGE, ORANGE), Increase("pittsburgh"))
    assert [rank.influence for rank in the(decision, RegionScored).ranks] == [3, 2, 1, 1]
    assert not facts(decision, BonusTileRegained)
    assert decision.game.players[RED].bonus_tiles == 0


def test_r12_3_a_tile_used_in_the_same_turn_can_come_back() -> None:
    game = _about_to_score(2, "bonus_tile", 3, 2, 1, bonus_tiles={BLUE: 1}, scored={"new-york": BLUE})
    decision = end_turn(game, TakeDollars(), Increase("pittsburgh"))
    assert facts(decision, BonusTileRegained) == [BonusTileRegained(BLUE)]
    assert decision.game.players[BLUE].bonus_tiles == 1


def test_r12_3_a_returned_tile_is_usable_from_the_next_turn_on() -> None:
    game = _about_to_score(2, "bonus_tile", 3, 2, 1, bonus_tiles={BLUE: 1}, scored={"new-york": BLUE})
    game = next_turn_of(game, BLUE, TakeDollars(), Increase("pittsburgh"))
    used = play(game, TakeDollars()).game
    assert used.players[BLUE].bonus_tiles == 0
    assert why(used, TakeDollars()) == ("no_bonus_tile", "R9.4")


def test_r12_3_a_tile_won_in_another_players_turn_is_usable_in_the_next_own_turn() -> None:
    game = _about_to_score(2, "bonus_tile", 3, 2, 1)
    game = end_turn(_with_used(game, RED), Increase("pittsburgh")).game
    assert game.turn.seat == RED
    assert [player.bonus_tiles_used for player in end_turn(game, TakeDollars()).game.players] == [0, 1]


def test_r12_4_the_tiles_on_the_track_are_counted_plus_or_minus_the_printed_number() -> None:
    """Two tiles lie on the track before this one."""
    ranks = _ranks(4, "regions", 2, 0, -1, scored_regions=("texas", "central"))
    assert ranks == [(RED, 4, 0), (ORANGE, 2, 0), (BLACK, 1, 0), (BLUE, 1, 0)]


def test_r12_4_it_is_never_below_0() -> None:
    ranks = _ranks(4, "regions", 2, 0, -3, scored_regions=("texas", "central"))
    assert ranks == [(RED, 4, 0), (ORANGE, 2, 0), (BLACK, 0, 0), (BLUE, 0, 0)]
    assert _ranks(4, "regions", 0, 0, 0) == [(RED, 0, 0), (ORANGE, 0, 0), (BLACK, 0, 0), (BLUE, 0, 0)]


def test_r12_4_the_tiles_of_closed_regions_are_counted() -> None:
    assert _ranks(3, "regions", 2, 0, -2) == [(RED, 5, 0), (ORANGE, 3, 0), (BLUE, 1, 0)]
    assert _ranks(3, "regions", 2, 0, -2, scored_regions=("texas",)) == [(RED, 6, 0), (ORANGE, 4, 0), (BLUE, 2, 0)]


def test_r12_4_and_r7_5_of_two_regions_in_one_turn_the_second_counts_the_tile_of_the_first() -> None:
    """New York comes before Florida in the board file."""
    game = _about_to_score(
        4,
        "influence",
        *(1, 1, 1),
        standing={"pittsburgh": BLUE, "jacksonville": BLUE, "montgomery": RED, "huntsville": RED},
        scored={"new-york": RED, "atlanta": RED},
        money=2,
    )
    decision = end_turn(tile_on(game, "florida", "regions", 0, 0, 0), Increase("jacksonville"), Increase("pittsburgh"))
    new_york, florida = facts(decision, RegionScored)
    assert (new_york.region, new_york.space) == ("new-york", 1)
    assert (florida.region, florida.space) == ("florida", 2)
    assert [rank.influence for rank in florida.ranks] == [1, 1]


@pytest.mark.parametrize(
    ("kind", "gained", "values"),
    [("development", DevelopmentTileGained, (5, 3, 2)), ("route", RouteTileGained, (6, 4, 1))],
)
def test_r12_5_and_r12_6_the_first_gains_the_tile_with_the_influence(
    kind: str, gained: type, values: tuple[int, int, int]
) -> None:
    decision = _scored(4, kind, *values)
    first, second, others = values
    assert [rank.influence for rank in the(decision, RegionScored).ranks] == [first, second, others, others]
    assert facts(decision, gained) == [gained(RED)]
    state = RegionTiles.of(decision.game)
    assert {"development": state.development, "route": state.route}[kind] == RED
    assert (state.development, state.route).count(None) == 1


@pytest.mark.parametrize("kind", ["influence", "dollars", "bonus_tile", "development", "route"])
def test_r12_8_and_r7_3_with_two_players_the_second_gets_the_third_entry_of_every_tile(kind: str) -> None:
    first, second = the(_scored(2, kind, 9, 5, 2), RegionScored).ranks
    assert (first.seat, first.influence + first.dollars) == (RED, 9)
    assert (second.seat, second.influence + second.dollars) == (BLUE, 2)


def test_r12_8_and_r12_4_with_two_players_the_second_counts_with_the_third_entry() -> None:
    """Three closed regions' tiles lie on the track."""
    assert _ranks(2, "regions", 1, -1, -2) == [(RED, 4, 0), (BLUE, 1, 0)]
    assert _ranks(2, "regions", 1, -1, -4) == [(RED, 4, 0), (BLUE, 0, 0)]


@pytest.mark.parametrize("kind", ["influence", "dollars", "bonus_tile", "regions", "development", "route"])
def test_r12_8_and_r13_1_a_game_for_three_stays_one_after_a_resignation(kind: str) -> None:
    """The second entry is not skipped: the number of players at the set-up counts."""
    decision = _scored(3, kind, 9, 5, 2, scored={"new-york": RED, "dallas": ORANGE}, resigned=[ORANGE])
    on_track = 3 if kind == "regions" else 0
    gained = [(rank.seat, rank.influence + rank.dollars) for rank in the(decision, RegionScored).ranks]
    assert gained == [(BLUE, 9 + on_track), (RED, 5 + on_track)]


@pytest.mark.parametrize("kind", ["influence", "dollars", "bonus_tile", "regions", "development", "route"])
def test_r7_2_and_r13_1_resigned_players_keep_their_rank_and_gain_nothing(kind: str) -> None:
    ranks = the(_scored(3, kind, 9, 5, 2, resigned=[ORANGE]), RegionScored).ranks
    on_track = 3 if kind == "regions" else 0
    assert [(rank.seat, rank.influence + rank.dollars) for rank in ranks] == [
        (RED, 9 + on_track),
        (ORANGE, 0),
        (BLUE, 2 + on_track),
    ]


@pytest.mark.parametrize("kind", ["bonus_tile", "development", "route"])
def test_r13_1_nobody_gains_the_tile_of_a_resigned_first(kind: str) -> None:
    game = _about_to_score(3, kind, 3, 2, 1, resigned=[RED])
    decision = end_turn(_with_used(game, *game.seats), Increase("pittsburgh"))
    assert the(decision, RegionScored).ranks[0] == RegionRank(RED, 1, 4, 0, 0)
    assert not [
        fact for fact in decision.facts if isinstance(fact, BonusTileRegained | DevelopmentTileGained | RouteTileGained)
    ]
