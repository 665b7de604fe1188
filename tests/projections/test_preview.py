"""The preview: trying a turn without playing it."""

from domain.actions import Double, EndTurn, Expand, Increase, Resign
from domain.facts import CityScored, Increased
from domain.modules import ActionTaken
from projections.effects import Change, Standing
from projections.preview import Preview, preview
from tests.projections.play import ANN, BOB, CID, Match


def try_out(match: Match, *actions: Increase | Double | EndTurn | Expand | Resign, seat: int | None = None) -> Preview:
    return preview(match.timeline, match.game, actions, seat)


def test_a_previewed_action_has_its_events_and_the_money_left(second_turn: Match) -> None:
    """R5.1: Ann has $4."""
    (step,) = try_out(second_turn, Increase("denver")).steps
    assert (step.action, step.seat, step.money_left) == (Increase("denver"), ANN, 3)
    assert step.events[:2] == (ActionTaken(ANN, Increase("denver")), Increased(ANN, "denver", 1))
    assert [effect.text for effect in step.effects] == ["Ann pays $1 for one more franchise in Denver."]
    assert step.effects[0].changes == (Change(ANN, -1, 0),)


def test_a_previewed_turn_has_its_scoring_and_the_next_player(second_turn: Match) -> None:
    """R6.3: Ann gains 4 IP; Bob begins his second turn with $3 and $2 income."""
    tried = try_out(second_turn, Increase("denver"), Double("denver"), EndTurn())
    assert tried.refused is None
    assert any(isinstance(event, CityScored) and event.influence == 4 for event in tried.steps[-1].events)
    assert (tried.turn, tried.phase, tried.to_play, tried.winners) == (5, "expand", BOB, None)
    assert tried.players == (Standing(ANN, 3, 4), Standing(BOB, 5, 0), Standing(CID, 6, 0))


def test_a_preview_changes_nothing(second_turn: Match) -> None:
    before = second_turn.game
    try_out(second_turn, Increase("denver"), EndTurn())
    assert second_turn.game is before
    assert try_out(second_turn).players == (Standing(ANN, 4, 0), Standing(BOB, 3, 0), Standing(CID, 6, 0))


def test_a_preview_ends_at_the_first_refused_action_with_its_reason(second_turn: Match) -> None:
    """R4.1: the direct link from Denver to Phoenix costs $5, and Ann has $3 left."""
    tried = try_out(second_turn, Expand(("denver", "phoenix")), EndTurn())
    assert tried.steps == ()
    assert tried.refused is not None
    assert (tried.refused.code, tried.refused.reason) == ("illegal_action", "no_money")
    assert (tried.refused.index, tried.refused.rule) == (0, "R4.1")
    assert (tried.refused.needed, tried.refused.had) == ({"money": 5}, {"money": 4})
    assert (tried.to_play, tried.turn) == (ANN, 4)


def test_a_preview_shows_the_actions_before_the_refused_one(second_turn: Match) -> None:
    """R5.1: once a turn in each city."""
    tried = try_out(second_turn, Increase("denver"), Increase("denver"))
    assert len(tried.steps) == 1
    assert tried.refused is not None
    assert (tried.refused.index, tried.refused.reason) == (1, "already_increased")
    assert tried.players[ANN].money == 3


def test_without_a_seat_each_player_decides_in_turn(second_turn: Match) -> None:
    tried = try_out(second_turn, EndTurn(), EndTurn(), EndTurn())
    assert [step.seat for step in tried.steps] == [ANN, BOB, CID]
    assert tried.winners is not None


def test_with_a_seat_only_its_own_turn_can_be_previewed(second_turn: Match) -> None:
    tried = try_out(second_turn, EndTurn(), EndTurn(), seat=ANN)
    assert len(tried.steps) == 1
    assert tried.refused is not None
    assert (tried.refused.code, tried.refused.reason) == ("not_your_turn", None)


def test_a_resignation_can_be_previewed_in_another_players_turn(second_turn: Match) -> None:
    """R13.1."""
    (step,) = try_out(second_turn, Resign(), seat=CID).steps
    assert (step.seat, [effect.text for effect in step.effects]) == (CID, ["Cid leaves the game."])


def test_a_finished_game_has_no_preview(all_passed: Match) -> None:
    tried = try_out(all_passed, EndTurn())
    assert tried.refused is not None
    assert tried.refused.code == "game_over"
    assert tried.winners == (ANN, BOB)
