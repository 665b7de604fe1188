"""Undo and redo under each policy."""

from random import Random
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.actions import EndTurn, Increase, Resign
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import Commit, LoadedGame, commands
from domain.store.commands import Command
from domain.stream import fact_of
from domain.table import Table, effective_versions
from domain.table_facts import Redone, UndoAnswered, Undone, UndoProposed
from domain.timeline import follow
from domain.undo import waiting_for
from tests.store.clients import ALL_MODULES, Client, connected
from tests.support.soak import soak_factor


def begun(client: Client, policy: Any, players: int = 2, actions: int | None = None) -> LoadedGame:
    """A game under a policy, played until the starting towns are chosen, or for this many actions."""
    started = client.started(GameOptions(seed=3, undo=policy), players)
    return client.play(started.id, players if actions is None else actions)


def game_of(loaded: LoadedGame) -> Game:
    assert loaded.game is not None
    return loaded.game


def to_play(loaded: LoadedGame) -> int:
    seat = game_of(loaded).to_play
    assert seat is not None
    return seat


def first_legal(client: Client, loaded: LoadedGame, kind: type) -> LoadedGame:
    action = next(legal.action for legal in legal_actions(game_of(loaded)) if isinstance(legal.action, kind))
    return client.change(loaded.id, commands.act(to_play(loaded), action)).loaded


def waiting(commit: Commit) -> tuple[int, ...]:
    assert commit.table.proposal is not None
    return waiting_for(commit.table.proposal, game_of(commit.loaded))


def refusal(client: Client, game: UUID, command: Command) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        client.change(game, command)
    return refused.value.code, refused.value.rule


# --- turn -----------------------------------------------------------------------------------------------------------


def test_the_active_player_undoes_the_last_action(memory: Client) -> None:
    before = begun(memory, "turn")
    loaded = memory.play(before.id, 1, seed=5)
    if to_play(before) != to_play(loaded):
        pytest.fail("the action chosen ended the turn")
    undone = memory.change(before.id, commands.undo(to_play(loaded)))
    assert undone.facts == [Undone(to_play(before), before.version)]
    assert memory.load(before.id).game == before.game
    redone = memory.change(before.id, commands.redo(to_play(loaded)))
    assert redone.facts == [Redone(to_play(before), loaded.version)]
    assert memory.load(before.id).game == loaded.game


def test_a_turn_can_be_undone_to_its_start_but_not_further(memory: Client) -> None:
    turn_start = begun(memory, "turn")
    seat = to_play(turn_start)
    loaded = (
        first_legal(memory, turn_start, Increase) if _can_increase(turn_start) else memory.play(turn_start.id, 1, 5)
    )
    assert to_play(loaded) == seat
    memory.change(loaded.id, commands.undo(seat, turn_start.version))
    assert memory.load(loaded.id).game == turn_start.game
    assert refusal(memory, loaded.id, commands.undo(seat)) == ("undo_past_turn_start", "undo:turn")
    first = next(turn_start.timeline.moments).version
    assert refusal(memory, loaded.id, commands.undo(seat, first)) == ("undo_past_turn_start", "undo:turn")


def _can_increase(loaded: LoadedGame) -> bool:
    return any(isinstance(legal.action, Increase) for legal in legal_actions(game_of(loaded)))


def test_a_finished_turn_cannot_be_undone(memory: Client) -> None:
    loaded = begun(memory, "turn")
    loaded = first_legal(memory, loaded, EndTurn)
    assert refusal(memory, loaded.id, commands.undo(1 - to_play(loaded))) == ("not_your_turn", "undo:turn")
    assert refusal(memory, loaded.id, commands.undo(to_play(loaded))) == ("undo_past_turn_start", "undo:turn")


def test_under_turn_only_the_active_player_can_undo(memory: Client) -> None:
    loaded = begun(memory, "turn")
    assert refusal(memory, loaded.id, commands.undo(1 - to_play(loaded))) == ("not_your_turn", "undo:turn")
    assert refusal(memory, loaded.id, commands.undo(None)) == ("players_only", "undo:turn")
    assert refusal(memory, loaded.id, commands.redo(1 - to_play(loaded))) == ("not_your_turn", "undo:turn")


def test_under_turn_an_action_of_another_player_cannot_be_undone(memory: Client) -> None:
    loaded = begun(memory, "turn", players=3)
    other = (to_play(loaded) + 1) % 3
    memory.change(loaded.id, commands.act(other, Resign()))
    assert refusal(memory, loaded.id, commands.undo(to_play(loaded)))[0] == "undo_past_turn_start"


# --- free and off ---------------------------------------------------------------------------------------------------


def test_under_free_everybody_can_undo_to_any_action(client: Client) -> None:
    loaded = begun(client, "free", actions=0)
    states = [loaded, *(client.play(loaded.id, 1, number) for number in range(8))]
    assert client.change(loaded.id, commands.undo(1, states[6].version)).loaded.game == states[6].game
    assert client.change(loaded.id, commands.undo(None, states[2].version)).loaded.game == states[2].game
    assert client.change(loaded.id, commands.undo(0)).loaded.game == states[1].game
    for state in (states[2], states[6], states[8]):
        assert client.change(loaded.id, commands.redo(None)).loaded.game == state.game
    assert refusal(client, loaded.id, commands.redo(None)) == ("nothing_to_redo", "undo:free")


def test_a_new_action_ends_redo(memory: Client) -> None:
    loaded = begun(memory, "free", actions=4)
    memory.change(loaded.id, commands.undo(None))
    memory.play(loaded.id, 1, seed=9)
    assert refusal(memory, loaded.id, commands.redo(None))[0] == "nothing_to_redo"


def test_nothing_before_the_first_action_can_be_undone(memory: Client) -> None:
    loaded = begun(memory, "free", actions=0)
    assert refusal(memory, loaded.id, commands.undo(0))[0] == "nothing_to_undo"
    played = memory.play(loaded.id, 3)
    assert memory.change(loaded.id, commands.undo(0, loaded.version)).loaded.game == loaded.game
    assert memory.change(loaded.id, commands.redo(0)).loaded.game == played.game
    assert refusal(memory, loaded.id, commands.undo(0, loaded.version - 1))[0] == "not_a_boundary"


def test_an_undo_ends_between_actions_in_force(memory: Client) -> None:
    loaded = begun(memory, "free", actions=3)
    later = memory.play(loaded.id, 1, seed=2)
    inside = loaded.version + 1
    for to in (inside, later.version, later.version + 7, 0, -3):
        assert refusal(memory, loaded.id, commands.undo(0, to))[0] == "not_a_boundary"
    memory.change(loaded.id, commands.undo(0, loaded.version))
    again = memory.play(loaded.id, 1, seed=4)
    assert refusal(memory, loaded.id, commands.undo(0, later.version))[0] == "not_a_boundary"
    assert memory.load(loaded.id).game == again.game


def test_only_free_undo_reopens_a_finished_game(memory: Client) -> None:
    for policy in ("turn", "agree", "free"):
        loaded = begun(memory, policy, actions=2000)
        assert loaded.table.status == "finished"
        if policy != "free":
            assert refusal(memory, loaded.id, commands.undo(0)) == ("game_over", f"undo:{policy}")
            continue
        back = memory.change(loaded.id, commands.undo(None))
        assert (back.table.status, back.table.winners) == ("playing", ())
        forth = memory.change(loaded.id, commands.redo(None))
        assert (forth.table.status, forth.table.winners) == ("finished", loaded.table.winners)


def test_no_rematch_is_noted_after_the_end_was_taken_back(memory: Client) -> None:
    """A player asks for it while another takes the end back."""
    loaded, rematch = begun(memory, "free", actions=2000), UUID(int=1)
    memory.change(loaded.id, commands.undo(None))
    assert refusal(memory, loaded.id, commands.note_rematch(rematch)) == ("not_finished", "table")
    memory.change(loaded.id, commands.redo(None))
    assert memory.change(loaded.id, commands.note_rematch(rematch)).table.rematch == str(rematch)
    assert memory.audit(loaded.id).ok


def test_under_off_nothing_can_be_undone(memory: Client) -> None:
    loaded = begun(memory, "off")
    for seat in (0, 1, None):
        for command in (commands.undo(seat), commands.redo(seat)):
            assert refusal(memory, loaded.id, command) == ("undo_off", "undo:off")


def test_a_table_that_has_not_started_has_nothing_to_undo(memory: Client) -> None:
    opened = memory.open_table(2, ["Ann"], GameOptions(undo="free"))
    assert refusal(memory, opened.id, commands.undo(0))[0] == "not_started"
    assert refusal(memory, opened.id, commands.answer_undo(0, True))[0] == "no_proposal"


# --- agree ----------------------------------------------------------------------------------------------------------


def test_every_other_player_must_agree(memory: Client) -> None:
    before = begun(memory, "agree", players=4)
    loaded = memory.play(before.id, 1, seed=1)
    proposed = memory.change(before.id, commands.undo(2, before.version))
    assert proposed.facts == [UndoProposed(2, before.version)]
    assert proposed.loaded.game == loaded.game
    assert waiting(proposed) == (0, 1, 3)
    assert waiting(memory.change(before.id, commands.answer_undo(3, True))) == (0, 1)
    assert refusal(memory, before.id, commands.answer_undo(3, True)) == ("already_answered", "undo:agree")
    assert refusal(memory, before.id, commands.undo(0)) == ("undo_proposed", "undo:agree")
    memory.change(before.id, commands.answer_undo(0, True))
    agreed = memory.change(before.id, commands.answer_undo(1, True))
    assert agreed.facts == [UndoAnswered(1, True), Undone(2, before.version)]
    assert memory.load(before.id).game == before.game
    assert memory.load(before.id).table.proposal is None


def test_one_refusal_ends_a_proposal(memory: Client) -> None:
    loaded = begun(memory, "agree", players=3, actions=5)
    memory.change(loaded.id, commands.undo(0))
    refused = memory.change(loaded.id, commands.answer_undo(1, False))
    assert refused.table.proposal is None
    assert refused.loaded.game == loaded.game
    assert refusal(memory, loaded.id, commands.answer_undo(2, True))[0] == "no_proposal"
    assert memory.change(loaded.id, commands.undo(2)).table.proposal is not None


def test_proposers_can_withdraw_but_not_accept_their_proposals(memory: Client) -> None:
    loaded = begun(memory, "agree", actions=4)
    memory.change(loaded.id, commands.undo(1))
    assert refusal(memory, loaded.id, commands.answer_undo(1, True))[0] == "own_proposal"
    assert memory.change(loaded.id, commands.answer_undo(1, False)).table.proposal is None


def test_a_move_ends_a_proposal(memory: Client) -> None:
    loaded = begun(memory, "agree", actions=4)
    memory.change(loaded.id, commands.undo(1))
    assert memory.play(loaded.id, 1).table.proposal is None


def test_resigned_players_are_not_asked(memory: Client) -> None:
    loaded = begun(memory, "agree", players=3)
    memory.change(loaded.id, commands.act(2, Resign()))
    proposed = memory.change(loaded.id, commands.undo(0))
    assert waiting(proposed) == (1,)
    assert refusal(memory, loaded.id, commands.answer_undo(2, True))[0] == "already_answered"
    memory.change(loaded.id, commands.answer_undo(1, True))
    assert game_of(memory.load(loaded.id)).players[2].resigned is False


def test_resigned_players_cannot_propose(memory: Client) -> None:
    loaded = begun(memory, "agree", players=3)
    memory.change(loaded.id, commands.act(2, Resign()))
    assert refusal(memory, loaded.id, commands.undo(2))[0] == "resigned"


def test_redo_needs_agreement_too(memory: Client) -> None:
    loaded = begun(memory, "agree", actions=5)
    memory.change(loaded.id, commands.undo(0))
    memory.change(loaded.id, commands.answer_undo(1, True))
    proposed = memory.change(loaded.id, commands.redo(1))
    assert proposed.facts == [UndoProposed(1, loaded.version)]
    agreed = memory.change(loaded.id, commands.answer_undo(0, True))
    assert agreed.facts == [UndoAnswered(0, True), Redone(1, loaded.version)]
    assert memory.load(loaded.id).game == loaded.game


def test_the_host_cannot_propose_under_agree(memory: Client) -> None:
    loaded = begun(memory, "agree", actions=5)
    assert refusal(memory, loaded.id, commands.undo(None)) == ("players_only", "undo:agree")


# --- random actions, undos, redos and renewed tokens against a stack of positions ------------------------------------


class Stack:
    """A simple model of undo: one stack of positions, and one of undone positions."""

    def __init__(self, version: int, game: Game) -> None:
        self.done = [(version, game)]
        self.undone: list[list[tuple[int, Game]]] = []
        self.events = {version: range(1, version + 1)}
        self.renewed: list[int] = []

    @property
    def game(self) -> Game:
        return self.done[-1][1]

    @property
    def effective(self) -> list[int]:
        """The versions of the events in force: those of the actions on the stack, and every renewal."""
        return sorted([*self.renewed, *(one for version, _ in self.done for one in self.events[version])])

    def act(self, before: int, version: int, game: Game) -> None:
        self.done.append((version, game))
        self.events[version] = range(before + 1, version + 1)
        self.undone = []

    def undo(self, steps: int) -> int:
        self.undone.append(self.done)
        self.done = self.done[:-steps]
        return self.done[-1][0]

    def redo(self) -> None:
        self.done = self.undone.pop()


def step(client: Client, game: UUID, stack: Stack, random: Random) -> None:
    chance = random.random()
    if chance > 0.85:
        seat = random.choice((0, 1, 2, None))
        renewal = (
            commands.renew_token(None, token=f"token {random.random()}") if seat is None else commands.renew_token(seat)
        )
        stack.renewed.append(client.change(game, renewal).version)
    elif chance < 0.2 and len(stack.done) > 1:
        client.change(game, commands.undo(None, stack.undo(random.randrange(1, len(stack.done)))))
    elif chance < 0.4 and stack.undone:
        stack.redo()
        client.change(game, commands.redo(random.choice((None, 0, 1, 2))))
    elif stack.game.to_play is not None:
        action = random.choice(legal_actions(stack.game)).action
        acted = client.change(game, commands.act(stack.game.to_play, action))
        assert acted.loaded.game is not None
        stack.act(acted.before, acted.version, acted.loaded.game)


def effective(loaded: LoadedGame) -> list[int]:
    return [version for part in effective_versions(loaded.table, loaded.version) for version in part]


def state(loaded: LoadedGame) -> tuple[Table, int, list[int], list[int]]:
    """Everything except the game that the next undo depends on."""
    now = loaded.timeline.now
    assert now is not None
    moments = [moment.version for moment in loaded.timeline.moments]
    return loaded.table, now.version, moments, [undone.version for undone in loaded.timeline.undone]


@pytest.mark.parametrize("seed", range(3 * soak_factor()))
def test_undo_and_redo_are_a_stack_of_positions(memory: Client, seed: int) -> None:
    started = memory.started(ALL_MODULES, 3)
    assert started.loaded.game is not None
    stack, random = Stack(started.version, started.loaded.game), Random(seed)
    seen = {started.version: (started.loaded.game, stack.effective)}
    for _ in range(120):
        step(memory, started.id, stack, random)
        loaded = memory.load(started.id)
        assert loaded.game == stack.game
        assert effective(loaded) == stack.effective
        seen[loaded.version] = stack.game, stack.effective
    for version, expected in seen.items():
        then = memory.load(started.id, version)
        assert (then.game, effective(then)) == expected
    assert memory.audit(started.id).ok
    fork = memory.fork(started.id)
    assert fork.loaded.game == stack.game
    assert fork.version == len(stack.effective) + 1
    assert memory.audit(fork.id).ok


@pytest.mark.parametrize("seed", range(3 * soak_factor()))
def test_a_stream_folded_in_parts_is_the_same_as_folded_whole(memory: Client, seed: int) -> None:
    started = memory.started(ALL_MODULES, 3)
    assert started.loaded.game is not None
    stack, random = Stack(started.version, started.loaded.game), Random(seed)
    for _ in range(60):
        step(memory, started.id, stack, random)
    events = memory.events(started.id, full=True)
    facts = [fact_of(version, event) for version, event in enumerate(events, 1)]
    whole = replace(memory.load(started.id), timeline=follow(None, facts))
    assert state(whole) == state(memory.load(started.id))
    for cut in random.sample(range(1, len(facts)), 20):
        parts = follow(follow(None, facts[:cut]), facts[cut:])
        assert state(replace(whole, timeline=parts)) == state(whole)
        assert parts.game == stack.game


@pytest.mark.parametrize("seed", range(soak_factor()))
def test_two_processes_see_the_undos_of_each_other(database_url: str, seed: int) -> None:
    with (
        connected(database_url) as here,
        connected(database_url) as there,
        connected(database_url, cache_bytes=1) as cold,
    ):
        started = here.started(ALL_MODULES, 3)
        other = here.started()
        assert started.loaded.game is not None
        stack, random = Stack(started.version, started.loaded.game), Random(seed)
        for _ in range(60):
            step(random.choice((here, there)), started.id, stack, random)
            for client in (here, there, cold):
                assert client.load(started.id).game == stack.game
            assert state(here.load(started.id)) == state(there.load(started.id)) == state(cold.load(started.id))
            cold.load(other.id)
        assert there.audit(started.id).ok
