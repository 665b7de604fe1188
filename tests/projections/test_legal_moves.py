"""The legal moves with their costs, the money left, and the scoring they would cause."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.facts import RegionRank
from domain.game import Game
from domain.legal import WouldScore
from domain.modules import Action
from domain.modules.expert import Draft, PlaceCityTile
from domain.timeline import Timeline, next_moment
from projections.legal_moves import (
    EndOfTurn,
    LegalMove,
    LegalMoves,
    WouldGain,
    WouldReach,
    WouldScoreRegion,
    legal_moves,
)
from tests.domain.modules.tables import tile_on, with_milestones, with_tiles
from tests.domain.positions import play
from tests.projections.play import ANN, CID, Match, seated


def moves_of(match: Match) -> LegalMoves:
    return legal_moves(match.timeline)


def move(match: Match, action: Action) -> LegalMove:
    return next(move for move in moves_of(match).items if move.action == action)


def test_a_move_has_its_cost_and_the_money_left(opening: Match) -> None:
    """R4.1: Ann has $3."""
    assert move(opening, Expand(("pueblo", "denver"))) == LegalMove(
        Expand(("pueblo", "denver")), 1, 2, "R4.1", None, "Expand from Pueblo to Denver for $1", ("denver",)
    )
    assert move(opening, Expand(("pueblo", "phoenix"))).money_left == 3
    assert move(opening, EndTurn()) == LegalMove(EndTurn(), 0, 3, "R6", None, "End the turn", ())


def test_the_view_names_the_player_to_decide(opening: Match) -> None:
    shown = moves_of(opening)
    assert (shown.version, shown.phase, shown.turn, shown.to_play, shown.money) == (
        opening.version,
        "expand",
        1,
        ANN,
        3,
    )


def test_taken_dollars_count_in_the_money_left(second_turn: Match) -> None:
    """R9.4: Ann has $4 in her second turn."""
    assert move(second_turn, TakeDollars()) == LegalMove(
        TakeDollars(), 0, 14, "R9.4", None, "Take $10, using a bonus tile", ()
    )


def test_a_second_expansion_is_another_action(second_turn: Match) -> None:
    """R9.2."""
    second_turn.play(Expand(("denver", "salt-lake-city")))
    assert move(second_turn, ExpandAgain(("pueblo", "phoenix"))).rule == "R9.2"


def test_a_move_predicts_its_scoring(second_turn: Match) -> None:
    """R6.2, R1.4: a second franchise in Denver is no majority of 4, a third one is."""
    assert move(second_turn, Increase("denver")).would_score is None
    second_turn.play(Increase("denver"))
    assert move(second_turn, Double("denver")).would_score == WouldScore("denver", ANN, "majority", 4)


def test_the_end_of_the_turn_predicts_scored_cities(denver_ready: Match) -> None:
    """R6.3: Denver for 4 IP; Grand Canyon has towns and cities left."""
    text = "Ann scores Denver by absolute majority (3 of 4): 4 IP. Ann takes back 2 franchises."
    assert moves_of(denver_ready).end_of_turn == EndOfTurn((WouldScore("denver", ANN, "majority", 4),), (), text=text)


def test_the_end_of_the_turn_predicts_scored_regions(new_york_played: Match) -> None:
    """R7.2, R7.4: only Ann is in the region; the tiles of three closed regions lie on the track."""
    would_score = moves_of(new_york_played).end_of_turn
    assert would_score == EndOfTurn(
        (WouldScore("new-york", ANN, "majority", 8),),
        (WouldScoreRegion("new-york", (RegionRank(ANN, 1, 2, 6),), 4, 2),),
        text="Ann scores New York by absolute majority (5 of 8): 8 IP. Ann takes back 4 franchises. "
        "New York (6/5/4) is complete and scores: 1st Ann with 2 franchises, 6 IP. "
        "The tile goes to space 4 of the track: 2 IP for Ann.",
    )


def test_a_turn_without_franchises_to_open_predicts_no_scoring(opening: Match) -> None:
    assert moves_of(opening).end_of_turn == EndOfTurn((), (), (), (), None, "")


def test_the_set_up_has_no_end_of_turn() -> None:
    assert moves_of(Match(3)).end_of_turn is None


def test_the_set_up_has_moves() -> None:
    """R2.3: Cid, the last in turn order, chooses first; 12 of the 20 towns are in play with 3 players."""
    shown = moves_of(Match(3))
    assert (shown.phase, shown.to_play, shown.turn) == ("towns", CID, 0)
    assert len(shown.items) == 12
    pueblo = LegalMove(ChooseTown("pueblo"), 0, 0, "R2.3", None, "Start in Pueblo", ("pueblo",))
    assert pueblo in shown.items


def test_a_draft_lists_tiles_of_the_right_group() -> None:
    """R2.6: Dallas is printed with 5, so 4, 5 and 6 may lie there."""
    tiles = [
        move.action.value
        for move in moves_of(Match(4, expert=Draft())).items
        if isinstance(move.action, PlaceCityTile) and move.action.city == "dallas"
    ]
    assert tiles == [4, 5, 6]


def test_an_open_table_has_no_moves() -> None:
    assert legal_moves(seated(3, ["Ann"])) == LegalMoves(2, "lobby", "Waiting for players", 0, None, None, (), None)


def test_a_finished_game_has_no_moves(all_passed: Match) -> None:
    shown = moves_of(all_passed)
    assert (shown.phase, shown.to_play, shown.items, shown.end_of_turn) == ("finished", None, (), None)


def test_an_action_has_the_form_of_a_request(opening: Match) -> None:
    sent = msgspec.json.decode(msgspec.json.encode(moves_of(opening)))
    assert {"type": "expand", "path": ["pueblo", "denver"]} in [move["action"] for move in sent["items"]]


def test_the_end_of_the_turn_predicts_the_end_of_the_game() -> None:
    """R8.1: Ann has passed and Bob is about to; if Bob expanded, the game would go on."""
    match = Match(2).play(ChooseTown("el-paso"), ChooseTown("pueblo"), EndTurn())
    text = (
        "The game is over: nobody has expanded for a whole round. "
        "Ann and Bob share the victory, tied on influence and on franchises in towns."
    )
    assert moves_of(match).end_of_turn == EndOfTurn((), (), ends_game="no_expansion", text=text)
    match.play(Expand(("el-paso", "albuquerque")))
    assert moves_of(match).end_of_turn == EndOfTurn((), ())


def view_of(game: Game, **options: Any) -> LegalMoves:
    """Return the legal moves of a position."""
    table = seated(len(game.players), **options).table
    return legal_moves(Timeline(1, replace(table, started=True), next_moment(None, 1, 1, game, None)))


def test_the_end_of_the_turn_predicts_milestones() -> None:
    """R10.2, R10.3: the marker on Dodge City becomes Ann's fourth town."""
    game = with_milestones("four_towns", standing={"pueblo": ANN, "ogallala": ANN, "memphis": ANN}, money=1)
    before = view_of(game).end_of_turn
    assert before is not None
    assert before.milestones == ()
    after = view_of(play(game, Expand(("ogallala", "dodge-city"))).game).end_of_turn
    assert after is not None
    assert after.milestones == (WouldReach(ANN, "four_towns"),)


@pytest.mark.parametrize(("kind", "used"), [("route", False), ("development", False), ("bonus_tile", True)])
def test_the_end_of_the_turn_predicts_tiles(kind: Any, used: bool) -> None:
    """R12.3, R12.5, R12.6: Ann would be first in New York; a bonus tile comes back only if one was used."""
    game = with_tiles(standing={"pittsburgh": ANN}, scored={"new-york": ANN}, money=1, bonus_tiles={ANN: 1})
    game = play(tile_on(game, "new-york", kind, 3, 2, 1), Increase("pittsburgh")).game
    unused = view_of(game).end_of_turn
    after = view_of(play(game, TakeDollars()).game).end_of_turn
    assert unused is not None
    assert after is not None
    gained = (WouldGain(ANN, "bonus" if kind == "bonus_tile" else kind),)
    assert after.special_tiles == gained
    assert unused.special_tiles == (() if used else gained)


def test_moves_with_the_same_target_have_different_texts(second_turn: Match) -> None:
    """R4.1: a frontend shows all moves to the clicked place."""
    words = {move.text for move in moves_of(second_turn).items}
    assert len(words) == len(moves_of(second_turn).items)
