"""R13: resigning in every phase, in one's own turn and in another player's."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.actions import ChooseTown, EndTurn, Expand, Increase, Resign, TakeDollars
from domain.decide import Decision, decide
from domain.facts import (
    FinalCounted,
    GameEnded,
    RegionScored,
    Resigned,
    StartingMoneyReceived,
    TurnEnded,
    TurnStarted,
    TurnTakenBack,
)
from domain.game import Game
from domain.modules import Modules, PhaseBegan
from domain.modules.expert import Draft
from tests.domain.positions import (
    BLACK,
    BLUE,
    ORANGE,
    RED,
    allowed,
    begin,
    end_turn,
    facts,
    listed,
    on,
    play,
    position,
    refused,
    the,
    why,
)


def resign(game: Game, seat: int) -> Decision:
    return decide(game, Resign(), seat)


# --- in the set-up -----------------------------------------------------------------------------------------------


def test_r13_1_in_the_draft_the_next_player_lays() -> None:
    """R13.1: red would lay the second tile; orange does, and the order continues without red."""
    game = begin(3, expert=Draft()).game
    game = decide(game, allowed(game)[0]).game
    assert game.to_play == RED
    decision = resign(game, RED)
    assert the(decision, PhaseBegan) == PhaseBegan("city_tiles", ORANGE)
    game = decision.game
    order = []
    for _ in range(4):
        order.append(game.to_play)
        game = decide(game, allowed(game)[0]).game
    assert order == [ORANGE, BLUE, ORANGE, BLUE]


def test_r13_1_in_the_draft_before_the_first_tile() -> None:
    """R13.1: the first player leaves, the next one begins."""
    decision = resign(begin(3, expert=Draft()).game, BLUE)
    assert (decision.game.phase, decision.game.to_play) == ("city_tiles", RED)


def test_r13_1_in_the_draft_out_of_turn() -> None:
    """R13.1: nothing changes for blue, who decides; later red is skipped."""
    game = begin(3, expert=Draft()).game
    decision = resign(game, RED)
    assert [type(fact).__name__ for fact in decision.facts] == ["ActionTaken", "Resigned"]
    assert allowed(decision.game) == allowed(game)
    assert decide(decision.game, allowed(game)[0]).game.to_play == ORANGE


def test_r13_1_in_the_region_tile_draft() -> None:
    """R13.1: the same for region tiles."""
    game = begin(4, expert=Draft()).game
    while game.phase == "city_tiles":
        game = decide(game, allowed(game)[0]).game
    assert (game.phase, game.to_play) == ("region_tiles", RED)
    decision = resign(game, RED)
    assert (decision.game.phase, decision.game.to_play) == ("region_tiles", ORANGE)


def test_r13_1_before_the_first_town() -> None:
    """R13.1: orange leaves without a town; the others keep the money of their positions in the turn order."""
    game = begin(3).game
    assert game.to_play == ORANGE
    decision = play(resign(game, ORANGE).game, ChooseTown("memphis"), ChooseTown("raleigh"))
    assert [(fact.seat, fact.dollars) for fact in facts(decision, StartingMoneyReceived)] == [(BLUE, 2), (RED, 3)]
    assert (on(decision.game, "memphis"), on(decision.game, "raleigh")) == ((RED,), (BLUE,))
    assert (decision.game.phase, decision.game.to_play) == ("expand", BLUE)


def test_r13_1_after_the_own_town() -> None:
    """R13.1: the franchise stays, and no money follows."""
    game = play(begin(3).game, ChooseTown("memphis")).game
    decision = resign(game, ORANGE)
    assert decision.game.to_play == RED
    assert on(decision.game, "memphis") == (ORANGE,)
    assert why(decision.game, ChooseTown("memphis")) == ("occupied", "R2.3")
    decision = play(decision.game, ChooseTown("pueblo"), ChooseTown("raleigh"))
    assert decision.game.players[ORANGE].money == 0


def test_r13_1_the_first_player_leaves_in_the_set_up() -> None:
    """R13.1: the next clockwise has the first turn."""
    game = resign(begin(3).game, BLUE).game
    decision = play(game, ChooseTown("memphis"), ChooseTown("raleigh"))
    assert the(decision, TurnStarted) == TurnStarted(RED, 1)
    assert [(fact.seat, fact.order) for fact in facts(decision, StartingMoneyReceived)] == [(RED, 2), (ORANGE, 3)]


@pytest.mark.parametrize("leaver", [BLUE, RED])
@pytest.mark.parametrize("options", [{}, {"expert": Draft()}], ids=["towns", "draft"])
def test_r13_1_the_last_but_one_leaves_in_the_set_up(leaver: int, options: dict[str, Any]) -> None:
    """R13.1: the game is scored at once: 4 bonus tiles for the player who stays."""
    decision = resign(begin(2, **options).game, leaver)
    stays = 1 - leaver
    assert the(decision, FinalCounted) == FinalCounted(stays, 0, 0, 0, 0, 4, 16, total=16)
    assert the(decision, GameEnded) == GameEnded("resigned", (stays,), "last_player")
    assert not facts(decision, TurnTakenBack), "there was no turn yet"


# --- in the own turn ---------------------------------------------------------------------------------------------


def test_r13_1_in_phase_2_the_marker_is_taken_back() -> None:
    """R13.1: the place is free again, the money is gone, the next player's turn begins."""
    game = position(3, standing={"detroit": BLUE}, money=20, bonus_tiles={BLUE: 1})
    game = play(game, TakeDollars(), Expand(("detroit", "chicago"))).game
    decision = resign(game, BLUE)
    kinds = [type(fact).__name__ for fact in decision.facts]
    assert kinds == [
        "ActionTaken",
        "Resigned",
        "TurnTakenBack",
        "TurnStarted",
        "IncomeReceived",
        "PhaseBegan",
    ]
    assert the(decision, TurnTakenBack) == TurnTakenBack(BLUE, ("chicago",), ())
    player = decision.game.players[BLUE]
    assert (player.resigned, player.money, player.supply, player.bonus_tiles) == (True, 27, 39, 0)
    assert on(decision.game, "chicago") == ()
    assert on(decision.game, "detroit") == (BLUE,)
    assert decision.game.turn.seat == RED


def test_r13_1_in_phase_3_the_centre_is_taken_back() -> None:
    """R13.1: franchises that have not opened return to the supply, nothing scores."""
    game = position(3, standing={"detroit": (BLUE, BLUE), "dallas": BLUE}, money=2)
    game = play(game, Increase("detroit"), Increase("dallas")).game
    assert game.phase == "increase"
    decision = resign(game, BLUE)
    assert the(decision, TurnTakenBack) == TurnTakenBack(BLUE, (), ("detroit", "dallas"))
    assert (decision.game.players[BLUE].supply, decision.game.players[BLUE].money) == (37, 0)
    assert on(decision.game, "detroit") == (BLUE, BLUE)


def test_r13_1_turns_skip_resigned_players() -> None:
    """R13.1: of four, red and black have left."""
    game = position(4, standing={"detroit": BLUE, "dallas": ORANGE}, money=40)
    game = resign(resign(game, BLACK).game, RED).game
    order = []
    for path in [("detroit", "chicago"), ("dallas", "el-paso"), ("detroit", "indianapolis")]:
        order.append(game.turn.seat)
        game = end_turn(game, Expand(path)).game
    assert order == [BLUE, ORANGE, BLUE]


def test_r13_1_resigned_players_decide_nothing() -> None:
    """R13.1: they cannot even resign again."""
    game = resign(position(3), RED).game
    assert why(game, Resign(), seat=RED) == ("resigned", "R13.1")
    assert why(game, EndTurn(), seat=RED) == ("resigned", "R13.1")


def test_r13_1_only_players_of_the_game_can_resign() -> None:
    """R13.1: there is no seat 3 in a game for three."""
    for seat in (-1, 3):
        assert why(position(3), Resign(), seat) == ("unknown_seat", "R2.1")


# --- in another's turn -------------------------------------------------------------------------------------------


def test_r13_1_in_anothers_turn_that_turn_goes_on() -> None:
    """R13.1: blue's marker and centre franchise stay where they are."""
    game = position(3, standing={"detroit": BLUE, "dallas": BLUE}, money=20)
    game = play(game, Expand(("detroit", "chicago")), Increase("dallas")).game
    decision = resign(game, ORANGE)
    assert [type(fact).__name__ for fact in decision.facts] == ["ActionTaken", "Resigned"]
    assert the(decision, Resigned).seat == ORANGE
    assert decision.game.turn == game.turn
    assert allowed(decision.game) == allowed(game)
    after = end_turn(decision.game)
    assert on(after.game, "chicago") == (BLUE,)
    assert the(after, TurnStarted).seat == RED


# --- resigned players gain nothing -------------------------------------------------------------------------------


def test_r13_1_franchises_of_resigned_players_count_for_ranks() -> None:
    """R13.1, R7.2: red is first in New York and gains nothing; blue is second and gains the second value."""
    game = position(3, standing={"new-york": (BLUE,) * 4}, scored={"pittsburgh": (RED, RED)}, money=1, resigned=[RED])
    decision = end_turn(game, Increase("new-york"))
    ranks = [(rank.seat, rank.rank, rank.influence) for rank in the(decision, RegionScored).ranks]
    assert ranks == [(RED, 1, 0), (BLUE, 2, 5)]
    assert decision.game.players[RED].influence == 0


def test_r13_1_a_tie_break_marker_of_a_resigned_player_still_breaks_ties() -> None:
    """R13.1, R7.2: red owns the marker; clockwise from red, orange comes before blue."""
    game = position(
        3,
        standing={"new-york": (BLUE,) * 4},
        scored={"pittsburgh": ORANGE},
        tie_breaks={"new-york": RED},
        money=1,
        resigned=[RED],
    )
    decision = end_turn(game, Increase("new-york"))
    ranks = [(rank.seat, rank.influence) for rank in the(decision, RegionScored).ranks]
    assert ranks == [(ORANGE, 6), (BLUE, 5)]


def test_r13_1_two_players_means_two_at_the_set_up() -> None:
    """R13.1, R7.3: of three, two are left; the second still gets the second value."""
    game = position(3, standing={"new-york": (BLUE,) * 4}, scored={"pittsburgh": RED}, money=1, resigned=[ORANGE])
    ranks = the(end_turn(game, Increase("new-york")), RegionScored).ranks
    assert [rank.influence for rank in ranks] == [6, 5]


def test_r13_1_a_scoring_shows_that_a_resigned_player_gains_nothing() -> None:
    """R13.1, R6.4: in the list of legal actions."""
    game = position(3, standing={"pittsburgh": RED, "indianapolis": BLUE}, money=1, resigned=[RED])
    would = listed(game, Expand(("indianapolis", "pittsburgh"))).would_score
    assert would is not None
    assert (would.winner, would.influence) == (RED, 0)


def test_r13_1_no_final_points_and_no_victory_for_resigned_players() -> None:
    """R13.1, R8.2: red has the most of everything and has left."""
    game = position(
        3,
        standing={"memphis": RED, "raleigh": RED, "pueblo": BLUE},
        money={RED: 90},
        bonus_tiles={RED: 4},
        passed=[ORANGE],
        resigned=[RED],
    )
    decision = end_turn(game)
    assert [fact.seat for fact in facts(decision, FinalCounted)] == [BLUE, ORANGE]
    assert the(decision, GameEnded) == GameEnded("no_expansion", (BLUE,), "influence")
    assert decision.game.players[RED].influence == 0


# --- the end -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaver", [BLUE, RED])
def test_r13_1_with_one_player_left_the_game_is_scored_at_once(leaver: int) -> None:
    """R13.1: in blue's turn; its unfinished actions are undone, and money is not refunded."""
    game = position(2, standing={"detroit": BLUE, "dallas": BLUE, "memphis": BLUE, "raleigh": RED}, money=9)
    game = play(game, Expand(("detroit", "chicago")), Increase("dallas")).game
    decision = resign(game, leaver)
    stays = 1 - leaver
    assert the(decision, TurnTakenBack) == TurnTakenBack(BLUE, ("chicago",), ("dallas",))
    left = 5 if stays == BLUE else 9
    final = FinalCounted(stays, 1, 1, left, left // 3, 0, 0, total=1 + left // 3)
    assert the(decision, FinalCounted) == final
    assert the(decision, GameEnded) == GameEnded("resigned", (stays,), "last_player")
    assert decision.game.players[BLUE].supply == 37
    assert decision.game.to_play is None
    assert (on(decision.game, "chicago"), on(decision.game, "dallas")) == ((), (BLUE,))


def test_r13_1_of_three_the_last_but_one_leaves() -> None:
    """R13.1: two are enough to play on, one is not."""
    game = resign(position(3), ORANGE).game
    assert game.ending is None
    assert resign(game, RED).game.ending is not None


def test_r13_1_a_resigned_turn_counts_neither_as_passed_nor_as_played() -> None:
    """R13.1, R8.1: blue had expanded, but one turn in a row is still idle; no turn has ended."""
    game = position(4, standing={"detroit": BLUE}, money=9, passed=[BLACK])
    decision = resign(play(game, Expand(("detroit", "chicago"))).game, BLUE)
    assert not facts(decision, TurnEnded)
    assert decision.game.passed == (BLACK,)
    assert decision.game.ending is None


def test_r13_1_the_active_player_leaves_and_the_others_have_passed() -> None:
    """R13.1, R8.1: two turns without expansion were too few for three; for the remaining two they end the game."""
    decision = resign(position(3, passed=[RED, ORANGE]), BLUE)
    assert the(decision, GameEnded).reason == "no_expansion"
    assert not facts(decision, TurnStarted)
    assert resign(position(4, passed=[ORANGE, BLACK]), BLUE).game.ending is None


def test_r13_1_the_pass_of_a_leaver_counts_for_no_other_player() -> None:
    """R8.1: orange expands, blue passes and leaves in red's turn, red passes: orange may expand; the next pass ends."""
    game = position(3, ORANGE, standing={"detroit": ORANGE}, money=9)
    game = end_turn(game, Expand(("detroit", "chicago"))).game
    game = end_turn(game).game
    assert game.turn.seat == RED
    decision = end_turn(resign(game, BLUE).game)
    assert decision.game.ending is None
    assert the(decision, TurnStarted).seat == ORANGE
    assert the(end_turn(decision.game), GameEnded).reason == "no_expansion"
    after = end_turn(decision.game, Expand(("detroit", "indianapolis"))).game
    assert (after.ending, after.passed) == (None, ())


def test_r13_1_leaving_in_the_own_turn_does_not_end_the_game_for_a_player_who_just_expanded() -> None:
    """R8.1: blue expands, red passes and leaves in orange's turn, orange passes, black leaves: blue plays on."""
    game = position(4, standing={"detroit": BLUE}, money=9)
    game = end_turn(game, Expand(("detroit", "chicago"))).game
    game = resign(end_turn(game).game, RED).game
    game = end_turn(game).game
    assert game.turn.seat == BLACK
    decision = resign(game, BLACK)
    assert decision.game.ending is None
    assert the(decision, TurnStarted).seat == BLUE
    assert the(end_turn(decision.game), GameEnded).reason == "no_expansion"


def test_r13_1_an_expansion_does_not_count_if_the_player_leaves_in_that_turn() -> None:
    """R13.1, R8.1: red and orange have passed; blue's marker is returned, so nobody has expanded since."""
    game = position(3, standing={"detroit": BLUE}, money=9, passed=[RED, ORANGE])
    decision = resign(play(game, Expand(("detroit", "chicago"))).game, BLUE)
    assert the(decision, GameEnded).reason == "no_expansion"


@pytest.mark.parametrize("leaver", [RED, ORANGE])
def test_r13_1_leaving_in_anothers_turn_ends_nothing_by_itself(leaver: int) -> None:
    """R13.1, R8.1: the end comes after a turn, and blue's may still have an expansion."""
    game = resign(position(3, standing={"detroit": BLUE}, money=9, passed=[RED, ORANGE]), leaver).game
    assert game.ending is None
    assert end_turn(game, Expand(("detroit", "chicago"))).game.ending is None
    assert the(end_turn(game), GameEnded).reason == "no_expansion"


@pytest.mark.parametrize("leaver", [BLUE, RED, ORANGE, BLACK])
@pytest.mark.parametrize("passed", [(), (BLACK,), (ORANGE, BLACK), (RED, ORANGE, BLACK)])
@pytest.mark.parametrize("phase", ["boom", "expand", "increase"])
def test_r13_1_in_every_phase_of_a_turn_with_every_set_of_passes(
    phase: str, passed: tuple[int, ...], leaver: int
) -> None:
    """R13.1, R8.1: one of four leaves in blue's turn; the game ends only if blue leaves and the rest has passed."""
    game = position(4, standing={"detroit": BLUE}, money=9, passed=passed, modules=Modules(boom=phase == "boom"))
    if phase == "boom":
        game = replace(game, phase="boom")
    elif phase == "increase":
        game = play(game, Increase("detroit")).game
    assert (game.phase, game.to_play) == (phase, BLUE)
    decision = resign(game, leaver)
    ends = leaver == BLUE and set(passed) == {RED, ORANGE, BLACK}
    assert bool(facts(decision, GameEnded)) == ends
    assert decision.game.passed == passed
    assert ends or decision.game.turn.seat == (RED if leaver == BLUE else BLUE)


@pytest.mark.parametrize("leaver", [BLUE, RED, ORANGE])
@pytest.mark.parametrize(
    ("phase", "options"),
    [
        ("city_tiles", {"expert": Draft()}),
        ("region_tiles", {"expert": Draft()}),
        ("towns", {}),
        ("place_boom", {"modules": Modules(boom=True), "start": "introductory"}),
    ],
)
def test_r13_1_in_every_phase_of_the_set_up_nobody_has_passed(phase: str, options: dict[str, Any], leaver: int) -> None:
    """R13.1, R8.1: before the first turn a leaver cannot have passed."""
    game = begin(3, **options).game
    while game.phase == "city_tiles" != phase:
        game = decide(game, allowed(game)[0]).game
    assert game.phase == phase
    after = resign(game, leaver).game
    assert (after.passed, after.ending) == ((), None)


# --- under rules 1 -----------------------------------------------------------------------------------------------


def test_r8_1_rules_1_counted_the_turns_of_leavers() -> None:
    """R8.1, rules 1: as many turns in a row without an expansion as players are left, including turns of leavers."""
    game = position(3, ORANGE, standing={"detroit": ORANGE}, money=9, rules=1)
    game = end_turn(game, Expand(("detroit", "chicago"))).game
    game = resign(end_turn(game).game, BLUE).game
    assert the(end_turn(game), GameEnded).reason == "no_expansion"


def test_r8_1_rules_1_ended_the_game_for_a_player_who_just_expanded() -> None:
    """R8.1, R13.1, rules 1: blue expands, red passes and leaves, orange passes, black leaves: it is over at once."""
    game = position(4, standing={"detroit": BLUE}, money=9, rules=1)
    game = end_turn(game, Expand(("detroit", "chicago"))).game
    game = resign(end_turn(game).game, RED).game
    assert the(resign(end_turn(game).game, BLACK), GameEnded).reason == "no_expansion"


def test_r13_1_rules_1_counted_idle_turns_at_the_end_of_the_current_turn() -> None:
    """R13.1, R8.1, rules 1: the end comes after a turn, so blue may still expand and prevent it."""
    game = position(4, standing={"detroit": BLUE}, money=9, passed=[RED, ORANGE, BLACK], rules=1)
    game = resign(game, RED).game
    assert game.ending is None
    assert end_turn(game, Expand(("detroit", "chicago"))).game.ending is None
    assert the(end_turn(game), GameEnded).reason == "no_expansion"


def test_r13_1_is_never_listed_and_always_allowed() -> None:
    """R13.1: the player to decide may resign without naming the seat."""
    game = position(3)
    assert Resign() not in allowed(game)
    assert decide(game, Resign()).game.players[BLUE].resigned
    assert refused(resign(position(2), RED).game, Resign()).code == "game_over"
