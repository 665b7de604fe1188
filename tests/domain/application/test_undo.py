"""Taking back and putting back under each policy."""

from typing import Any

import pytest
from domain.events import Redone, UndoAnswered, Undone, UndoProposed
from domain.options import Options
from domain.refusals import Refused
from domain.rules import legal_actions

from domain.actions import EndTurn, Increase, Resign
from domain.application import Held
from domain.game import Game
from tests.domain.application.tables import Visitor


def begun(visitor: Visitor, policy: Any, players: int = 2, actions: int | None = None) -> Held:
    """A game under a policy, played until the starting towns are chosen, or so many actions."""
    started = visitor.started(Options(seed=3, undo=policy), players)
    return visitor.play(started.id, players if actions is None else actions)


def game_of(held: Held) -> Game:
    assert held.game is not None
    return held.game


def to_play(held: Held) -> int:
    seat = game_of(held).to_play
    assert seat is not None
    return seat


def first_legal(visitor: Visitor, held: Held, kind: type) -> Held:
    action = next(legal.action for legal in legal_actions(game_of(held)) if isinstance(legal.action, kind))
    return visitor.change("act", held.id, to_play(held), action).held


def refusal(visitor: Visitor, what: str, *words: Any) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        visitor.change(what, *words)
    return refused.value.code, refused.value.rule


# --- turn -----------------------------------------------------------------------------------------------------------


def test_the_active_player_takes_back_the_last_action(visitor: Visitor) -> None:
    before = begun(visitor, "turn")
    held = visitor.play(before.id, 1, seed=5)
    if to_play(before) != to_play(held):
        pytest.fail("the action chosen ended the turn")
    undone = visitor.change("undo", before.id, to_play(held))
    assert undone.facts == [Undone(to_play(before), before.version)]
    assert visitor.look(before.id).game == before.game
    redone = visitor.change("redo", before.id, to_play(held))
    assert redone.facts == [Redone(to_play(before), held.version)]
    assert visitor.look(before.id).game == held.game


def test_a_turn_can_be_taken_back_to_its_start_but_not_further(memory: Visitor) -> None:
    turn_start = begun(memory, "turn")
    seat = to_play(turn_start)
    held = first_legal(memory, turn_start, Increase) if _can_increase(turn_start) else memory.play(turn_start.id, 1, 5)
    assert to_play(held) == seat
    memory.change("undo", held.id, seat, turn_start.version)
    assert memory.look(held.id).game == turn_start.game
    assert refusal(memory, "undo", held.id, seat) == ("undo_past_turn_start", "undo:turn")
    first = next(iter(turn_start.timeline.position.actions())).version  # type: ignore[union-attr]
    assert refusal(memory, "undo", held.id, seat, first) == ("undo_past_turn_start", "undo:turn")


def _can_increase(held: Held) -> bool:
    return any(isinstance(legal.action, Increase) for legal in legal_actions(game_of(held)))


def test_a_turn_that_is_over_stays_over(memory: Visitor) -> None:
    held = begun(memory, "turn")
    held = first_legal(memory, held, EndTurn)
    assert refusal(memory, "undo", held.id, 1 - to_play(held)) == ("not_your_turn", "undo:turn")
    assert refusal(memory, "undo", held.id, to_play(held)) == ("undo_past_turn_start", "undo:turn")


def test_under_turn_nobody_else_takes_anything_back(memory: Visitor) -> None:
    held = begun(memory, "turn")
    assert refusal(memory, "undo", held.id, 1 - to_play(held)) == ("not_your_turn", "undo:turn")
    assert refusal(memory, "undo", held.id, None) == ("players_only", "undo:turn")
    assert refusal(memory, "redo", held.id, 1 - to_play(held)) == ("not_your_turn", "undo:turn")


def test_what_another_player_did_in_the_turn_stays(memory: Visitor) -> None:
    held = begun(memory, "turn", players=3)
    other = (to_play(held) + 1) % 3
    memory.change("act", held.id, other, Resign())
    assert refusal(memory, "undo", held.id, to_play(held))[0] == "undo_past_turn_start"


# --- free and off ---------------------------------------------------------------------------------------------------


def test_free_undo_goes_anywhere_for_everybody(visitor: Visitor) -> None:
    held = begun(visitor, "free", actions=0)
    states = [held, *(visitor.play(held.id, 1, number) for number in range(8))]
    assert visitor.change("undo", held.id, 1, states[6].version).game == states[6].game
    assert visitor.change("undo", held.id, None, states[2].version).game == states[2].game
    assert visitor.change("undo", held.id, 0).game == states[1].game
    for state in (states[2], states[6], states[8]):
        assert visitor.change("redo", held.id, None).game == state.game
    assert refusal(visitor, "redo", held.id, None) == ("nothing_to_redo", "undo:free")


def test_a_new_action_ends_what_could_be_put_back(memory: Visitor) -> None:
    held = begun(memory, "free", actions=4)
    memory.change("undo", held.id, None)
    memory.play(held.id, 1, seed=9)
    assert refusal(memory, "redo", held.id, None)[0] == "nothing_to_redo"


def test_nothing_before_the_first_action_can_be_taken_back(memory: Visitor) -> None:
    held = begun(memory, "free", actions=0)
    assert refusal(memory, "undo", held.id, 0)[0] == "nothing_to_undo"
    played = memory.play(held.id, 3)
    assert memory.change("undo", held.id, 0, held.version).game == held.game
    assert memory.change("redo", held.id, 0).game == played.game
    assert refusal(memory, "undo", held.id, 0, held.version - 1)[0] == "not_a_boundary"


def test_an_undo_lands_between_actions_that_are_in_force(memory: Visitor) -> None:
    held = begun(memory, "free", actions=3)
    later = memory.play(held.id, 1, seed=2)
    inside = held.version + 1
    for to in (inside, later.version, later.version + 7, 0, -3):
        assert refusal(memory, "undo", held.id, 0, to)[0] == "not_a_boundary"
    memory.change("undo", held.id, 0, held.version)
    again = memory.play(held.id, 1, seed=4)
    assert refusal(memory, "undo", held.id, 0, later.version)[0] == "not_a_boundary"
    assert memory.look(held.id).game == again.game


def test_only_free_undo_goes_back_into_a_finished_game(memory: Visitor) -> None:
    for policy in ("turn", "agree", "free"):
        held = begun(memory, policy, actions=2000)
        assert held.table.status == "finished"
        if policy != "free":
            assert refusal(memory, "undo", held.id, 0) == ("game_over", f"undo:{policy}")
            continue
        back = memory.change("undo", held.id, None)
        assert (back.table.status, back.table.winners) == ("playing", ())
        forth = memory.change("redo", held.id, None)
        assert (forth.table.status, forth.table.winners) == ("finished", held.table.winners)


def test_off_is_off(memory: Visitor) -> None:
    held = begun(memory, "off")
    for what in ("undo", "redo"):
        for seat in (0, 1, None):
            assert refusal(memory, what, held.id, seat) == ("undo_off", "undo:off")


def test_a_table_that_has_not_begun_has_nothing_to_take_back(memory: Visitor) -> None:
    opened = memory.change("open_table", 2, ["Ann"], Options(undo="free"))
    assert refusal(memory, "undo", opened.id, 0)[0] == "not_started"
    assert refusal(memory, "answer_undo", opened.id, 0, True)[0] == "no_proposal"


# --- agree ----------------------------------------------------------------------------------------------------------


def test_everybody_else_has_to_agree(visitor: Visitor) -> None:
    before = begun(visitor, "agree", players=4)
    held = visitor.play(before.id, 1, seed=1)
    proposed = visitor.change("undo", before.id, 2, before.version)
    assert proposed.facts == [UndoProposed(2, before.version)]
    assert proposed.game == held.game
    assert proposed.held.waiting == (0, 1, 3)
    assert visitor.change("answer_undo", before.id, 3, True).held.waiting == (0, 1)
    assert refusal(visitor, "answer_undo", before.id, 3, True) == ("already_answered", "undo:agree")
    assert refusal(visitor, "undo", before.id, 0) == ("undo_proposed", "undo:agree")
    visitor.change("answer_undo", before.id, 0, True)
    agreed = visitor.change("answer_undo", before.id, 1, True)
    assert agreed.facts == [UndoAnswered(1, True), Undone(2, before.version)]
    assert visitor.look(before.id).game == before.game
    assert visitor.look(before.id).table.proposal is None


def test_one_refusal_ends_a_proposal(memory: Visitor) -> None:
    held = begun(memory, "agree", players=3, actions=5)
    memory.change("undo", held.id, 0)
    refused = memory.change("answer_undo", held.id, 1, False)
    assert refused.table.proposal is None
    assert refused.game == held.game
    assert refusal(memory, "answer_undo", held.id, 2, True)[0] == "no_proposal"
    assert memory.change("undo", held.id, 2).table.proposal is not None


def test_a_proposal_can_be_withdrawn_but_not_agreed_to_by_its_own_player(memory: Visitor) -> None:
    held = begun(memory, "agree", actions=4)
    memory.change("undo", held.id, 1)
    assert refusal(memory, "answer_undo", held.id, 1, True)[0] == "own_proposal"
    assert memory.change("answer_undo", held.id, 1, False).table.proposal is None


def test_a_move_goes_past_a_proposal(memory: Visitor) -> None:
    held = begun(memory, "agree", actions=4)
    memory.change("undo", held.id, 1)
    assert memory.play(held.id, 1).table.proposal is None


def test_who_has_resigned_is_not_asked(memory: Visitor) -> None:
    held = begun(memory, "agree", players=3)
    memory.change("act", held.id, 2, Resign())
    proposed = memory.change("undo", held.id, 0)
    assert proposed.held.waiting == (1,)
    assert refusal(memory, "answer_undo", held.id, 2, True)[0] == "already_answered"
    memory.change("answer_undo", held.id, 1, True)
    assert game_of(memory.look(held.id)).players[2].resigned is False


def test_who_has_resigned_proposes_nothing(memory: Visitor) -> None:
    held = begun(memory, "agree", players=3)
    memory.change("act", held.id, 2, Resign())
    assert refusal(memory, "undo", held.id, 2)[0] == "resigned"


def test_putting_back_needs_agreement_too(memory: Visitor) -> None:
    held = begun(memory, "agree", actions=5)
    memory.change("undo", held.id, 0)
    memory.change("answer_undo", held.id, 1, True)
    proposed = memory.change("redo", held.id, 1)
    assert proposed.facts == [UndoProposed(1, held.version)]
    agreed = memory.change("answer_undo", held.id, 0, True)
    assert agreed.facts == [UndoAnswered(0, True), Redone(1, held.version)]
    assert memory.look(held.id).game == held.game


def test_the_host_takes_no_part_in_agreeing(memory: Visitor) -> None:
    held = begun(memory, "agree", actions=5)
    assert refusal(memory, "undo", held.id, None) == ("players_only", "undo:agree")
