"""Games that wait for bots: stored with every commit, claimed by one worker at a time, free again after the lease."""

import asyncio
from uuid import UUID

import pytest

from domain.actions import Resign
from domain.bot_turns import bot_to_decide
from domain.decide import legal_actions
from domain.field_types import BotKind
from domain.modules import GameOptions
from domain.store import Commit, commands
from domain.table import NewPlayer
from tests.store.clients import Client, Run
from tests.store.processes import LONG

LEASE = 3600.0
OVER = -1.0
"""A lease that expires at once."""

BOT = NewPlayer(None, bot="greedy")
AGREED = GameOptions(seed=1, first_player=0, undo="agree")


def claimed(client: Client, lease: float = LEASE) -> UUID | None:
    return client.wait(client.service.bot_games.claim(lease))


def bots(number: int, kind: BotKind = "greedy") -> list[NewPlayer]:
    return [NewPlayer(None, bot=kind)] * number


def at_turn_of(client: Client, bot: bool, options: GameOptions = AGREED, seats: int = 3) -> Commit:
    """A game of Ann and bots in which a bot has to decide, or Ann; the first game of each kind is not claimed."""
    commit = client.open_table(seats, ["Ann", *bots(seats - 1)], options)
    while True:
        game = commit.loaded.game
        assert game is not None
        if (bot_to_decide(commit.loaded.timeline) is not None) == bot and game.turn.number:
            return commit
        commit = client.change(commit.id, commands.act(game.to_play, legal_actions(game)[-1].action))


def test_a_game_is_claimed_once_until_its_lease_expires(client: Client) -> None:
    game = client.open_table(2, bots(2), GameOptions()).id
    assert claimed(client, OVER) == game
    assert claimed(client) == game
    assert claimed(client) is None


def test_a_game_that_goes_on_is_free_for_the_next_bot(client: Client) -> None:
    opened = client.open_table(2, bots(2), GameOptions())
    assert claimed(client) == opened.id
    assert opened.loaded.game is not None
    client.change(opened.id, commands.act(None, legal_actions(opened.loaded.game)[0].action))
    assert claimed(client) == opened.id


def test_a_released_game_is_free_at_once(client: Client) -> None:
    game = client.open_table(2, bots(2), GameOptions()).id
    assert claimed(client) == game
    client.wait(client.service.bot_games.release(game))
    assert claimed(client) == game


def test_games_with_people_come_first_then_the_longest_waiting(client: Client) -> None:
    alone = [client.open_table(2, bots(2), GameOptions()).id for _ in range(2)]
    with_ann = at_turn_of(client, bot=True).id
    assert [claimed(client) for _ in range(4)] == [with_ann, *alone, None]


def test_games_in_which_people_decide_are_not_claimed(memory: Client) -> None:
    memory.started()
    memory.open_table(3, [BOT], GameOptions())
    at_turn_of(memory, bot=False)
    assert claimed(memory) is None


def test_finished_and_removed_games_are_not_claimed(client: Client) -> None:
    over, removed = (at_turn_of(client, bot=True, seats=2).id for _ in range(2))
    client.change(over, commands.act(0, Resign()))
    client.remove(removed)
    assert claimed(client) is None


def test_forks_and_imports_wait_for_their_bots(memory: Client) -> None:
    game = at_turn_of(memory, bot=True).id
    assert claimed(memory) == game
    fork, copy = memory.fork(game), memory.import_record(memory.export_record(game))
    assert {claimed(memory), claimed(memory)} == {fork.id, copy.id}
    assert [player.bot for player in fork.table.players] == [None, "greedy", "greedy"]
    assert fork.table.players == copy.table.players
    assert fork.tokens.keys() == copy.tokens.keys() == {-1, 0}


def test_a_proposal_waits_until_all_bots_have_answered(memory: Client) -> None:
    game = at_turn_of(memory, bot=False).id
    memory.change(game, commands.undo(0))
    for seat in (1, 2):
        assert claimed(memory) == game
        bot = bot_to_decide(memory.load(game).timeline)
        assert bot is not None
        assert bot.seat == seat
        memory.change(game, commands.answer_undo(seat, accept=True))
    table = memory.load(game).table
    assert table.proposal is None
    assert table.restored


def test_no_bot_plays_while_people_consider_a_proposal(memory: Client) -> None:
    opened = memory.open_table(3, ["Ann", "Bob", BOT], AGREED)
    while opened.loaded.game is None or opened.loaded.game.to_play != 2 or not opened.loaded.game.turn.number:
        assert opened.loaded.game is not None
        opened = memory.change(opened.id, commands.act(None, legal_actions(opened.loaded.game)[-1].action))
    memory.change(opened.id, commands.undo(0))
    memory.change(opened.id, commands.answer_undo(2, accept=True))
    assert claimed(memory) is None
    memory.change(opened.id, commands.answer_undo(1, accept=False))
    assert claimed(memory) == opened.id


def test_a_commit_wakes_waiting_workers(memory: Client) -> None:
    games = memory.service.bot_games
    assert claimed(memory) is None
    memory.open_table(2, bots(2), GameOptions())
    memory.wait(asyncio.wait_for(games.wait(LEASE), LONG))
    assert claimed(memory) is not None


def test_one_process_claims_what_another_stores(client: Client, other: Client) -> None:
    game = client.open_table(2, bots(2), GameOptions()).id
    assert claimed(other) == game
    assert claimed(client) is None


def test_games_of_people_store_no_bot_games(run: Run, client: Client) -> None:
    client.play(client.started().id, 30)
    at_turn_of(client, bot=False)
    assert not run("SELECT game FROM bot_games")


@pytest.mark.parametrize("kind", ["random", "greedy", "planner"])
def test_the_audit_repeats_the_decision_to_seat_a_bot(memory: Client, kind: BotKind) -> None:
    opened = memory.open_table(2, ["Ann", NewPlayer("Zoe", "black", kind)], GameOptions())
    assert memory.audit(opened.id).ok
    assert opened.facts[2] == memory.recorded(opened.id)[2].fact
    assert b'"bot":"%b"' % kind.encode() in opened.events[2]
    assert b"bot" not in opened.events[1]
