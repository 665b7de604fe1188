"""The scores: what each player has, and the source of every point."""

from domain.actions import ChooseTown, EndTurn, Expand, Resign
from domain.facts import Expanded, TurnStarted
from domain.modules import GameFact, Modules
from domain.modules.boom import KeepBoom, MoveBoom, PlaceBoom
from domain.modules.region_tiles import DevelopmentTileGained, RouteTileGained
from domain.state import Earned
from projections.scores import FinalCount, NextIncome, PlayerScore, scores
from tests.projections.play import ANN, BOB, CID, Match, seated


def score_of(match: Match, seat: int) -> PlayerScore:
    return scores(match.timeline).players[seat]


def test_players_come_by_seat_with_their_names_and_colours(opening: Match) -> None:
    players = scores(opening.timeline).players
    assert [(player.seat, player.name, player.colour) for player in players] == [
        (0, "Ann", "blue"),
        (1, "Bob", "red"),
        (2, "Cid", "orange"),
    ]


def test_money_and_supply_after_the_set_up(opening: Match) -> None:
    """R2.3, R3.1: starting money 2, 3 and 5, and Ann's first income of $1; one franchise of each is in a town."""
    players = scores(opening.timeline).players
    assert [player.money for player in players] == [3, 3, 5]
    assert [player.supply for player in players] == [39, 39, 39]
    assert [player.bonus_tiles for player in players] == [4, 4, 4]
    assert [player.towns for player in players] == [1, 1, 1]


def test_the_next_income_counts_the_free_spaces_now(second_turn: Match) -> None:
    """R3.1, 3 players: three free spaces in Denver give $2, as do five in Washington."""
    assert score_of(second_turn, ANN).next_income == NextIncome(3, 2)
    assert score_of(second_turn, BOB).next_income == NextIncome(5, 2)


def test_the_boom_city_counts_twice_for_players_there() -> None:
    """R11.3, 2 players: three free spaces in Denver give $1, six give $2; Bob is not there."""
    match = Match(2, modules=Modules(boom=True)).play(
        ChooseTown("el-paso"), ChooseTown("pueblo"), PlaceBoom("denver"), KeepBoom()
    )
    match.play(Expand(("pueblo", "denver")), EndTurn())
    assert score_of(match, ANN).next_income == NextIncome(6, 2)
    assert score_of(match, BOB).next_income == NextIncome(0, 1)
    assert score_of(match.play(MoveBoom("phoenix")), ANN).next_income == NextIncome(3, 1)


def test_used_bonus_tiles_are_counted(denver_ready: Match) -> None:
    """R9.1, R9.3: Ann has used one of four."""
    used = [(player.bonus_tiles, player.bonus_tiles_used) for player in scores(denver_ready.timeline).players]
    assert used == [(3, 1), (4, 0), (4, 0)]


def test_every_point_has_its_source(new_york_scored: Match) -> None:
    """R6.3, R7.2, R7.4: Pittsburgh 2 and New York 8, first in the region 6, space 4 of the track 2."""
    ann = score_of(new_york_scored, ANN)
    assert ann.influence_from == Earned(cities=10, regions=6, region_track=2)
    assert ann.influence == 18
    assert ann.bonus_tiles == 1


def test_the_supply_counts_returned_franchises(denver_scored: Match) -> None:
    """R6.4, R6.5: of 40, one is in Pueblo, one in Denver, one next to the region tile."""
    assert score_of(denver_scored, ANN).supply == 37


def test_bonus_tiles_are_usable_from_the_second_turn_on(opening: Match) -> None:
    """R9.1."""
    assert score_of(opening, ANN).usable == ()
    for town, city in (("pueblo", "denver"), ("huntsville", "washington"), ("el-paso", "albuquerque")):
        opening.play(Expand((town, city)), EndTurn())
    assert score_of(opening, ANN).usable == ("bonus",)
    assert score_of(opening, BOB).usable == ()


def test_special_tiles_are_usable_from_the_next_turn_on() -> None:
    """R12.5, R12.6."""
    match = Match(2, modules=Modules(region_tiles="mixed")).play(ChooseTown("el-paso"), ChooseTown("pueblo"))
    gained: list[GameFact] = [RouteTileGained(ANN), DevelopmentTileGained(ANN)]
    for fact in gained:
        match.record(fact)
    ann = score_of(match, ANN)
    assert (ann.route_tile, ann.development_tile, ann.usable) == (True, True, ())
    match.record(TurnStarted(ANN, 3))
    assert score_of(match, ANN).usable == ("bonus", "development", "route")
    bob = score_of(match, BOB)
    assert (bob.route_tile, bob.development_tile) == (False, False)


def test_milestones_and_the_reserve() -> None:
    """R10.1: all four tiles are in the reserve."""
    match = Match(3, modules=Modules(milestones=True))
    ann = score_of(match, ANN)
    assert (ann.bonus_tiles, ann.bonus_reserve, ann.milestones) == (0, 4, ())


def test_an_8_dollar_link_is_remembered() -> None:
    """R10.3: the first of the two links for the milestone."""
    match = Match(2, modules=Modules(milestones=True)).play(ChooseTown("el-paso"), ChooseTown("pueblo"))
    assert score_of(match, ANN).dear_links == ()
    match.record(Expanded(ANN, ("phoenix", "chicago"), (8,), 8))
    assert score_of(match, ANN).dear_links == (("chicago", "phoenix"),)
    assert score_of(match, BOB).dear_links == ()


def test_the_final_count_is_itemised(all_passed: Match) -> None:
    """R8.2: a town, $3 or $5, and four bonus tiles each."""
    shown = scores(all_passed.timeline)
    ann, bob = shown.players
    assert ann.final == FinalCount(1, 1, 3, 1, 4, 16, 18)
    assert bob.final == FinalCount(1, 1, 5, 1, 4, 16, 18)
    assert ann.influence_from == Earned(towns=1, dollars=1, bonus_tiles=16)
    assert (ann.influence, ann.next_income, ann.usable) == (18, NextIncome(0, 0), ())
    assert shown.winners == (ANN, BOB)


def test_nobody_has_a_final_count_before_the_end(denver_scored: Match) -> None:
    shown = scores(denver_scored.timeline)
    assert [player.final for player in shown.players] == [None, None, None]
    assert (shown.winners, shown.ending) == (None, None)


def test_resigned_players_have_no_next_income_and_no_final_count(second_turn: Match) -> None:
    """R13.1."""
    second_turn.play(Resign(), seat=BOB)
    bob = score_of(second_turn, BOB)
    assert (bob.resigned, bob.next_income, bob.final) == (True, NextIncome(0, 0), None)
    second_turn.play(Resign(), seat=CID)
    shown = scores(second_turn.timeline)
    assert shown.winners == (ANN,)
    assert [player.final is None for player in shown.players] == [False, True, True]


def test_before_the_start_every_seat_has_only_its_franchises() -> None:
    shown = scores(seated(2, ["Ann"]))
    ann, nobody = shown.players
    assert (ann.name, nobody.name, nobody.colour) == ("Ann", None, "red")
    assert (ann.money, ann.supply, ann.bonus_tiles, ann.influence) == (0, 40, 0, 0)
    assert shown.winners is None
