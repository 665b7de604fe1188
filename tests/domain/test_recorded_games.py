"""Finished games on file, played again decision by decision: every line of the result is what it was."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from domain.actions import Resign
from domain.decide import decide
from domain.start import start
from tests.games.record import GAMES, LAYOUTS, STARTS, Recorded, read, recorded_games, result_of, write

FILES = recorded_games()
BY_HAND = [path for path in FILES if path.name.startswith("by-hand")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_game_ends_as_it_did(path: Path) -> None:
    """R2 to R9, R13: money and influence on the way where they are noted, then the result line by line."""
    recorded = read(path)
    game = start(recorded.options, recorded.players, recorded.seed, rules=recorded.rules).game
    for number, step in enumerate(recorded.actions, start=1):
        assert game.ending is None
        game = decide(game, step.action, step.seat).game
        where = (number, step.action, step.comment)
        if step.money is not None:
            assert tuple(player.money for player in game.players) == step.money, where
        if step.influence is not None:
            assert tuple(player.influence for player in game.players) == step.influence, where
    assert result_of(game) == recorded.result


@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.stem)
def test_a_game_worked_out_by_hand_says_how(path: Path) -> None:
    """Each turn has its line, and what everybody has after it."""
    recorded = read(path)
    assert recorded.by_hand
    assert recorded.title
    for step, following in zip(recorded.actions, (*recorded.actions[1:], None), strict=True):
        if following is None or following.seat != step.seat:
            assert step.comment or step.action != Resign()
            assert step.money is not None
            assert step.influence is not None


def test_every_set_up_and_every_way_of_ending_is_on_file() -> None:
    """R2, R8.1, R13.1: at least sixty games, three of them by hand."""
    games = [read(path) for path in FILES]
    assert len(games) >= 60
    assert sum(game.by_hand for game in games) == len(BY_HAND) >= 3
    kinds = {None: "printed", "ExplicitLayout": "explicit", "Draft": "draft", "RandomLayout": "random"}
    seen = {
        (g.players, g.options.start, kinds[type(g.options.expert).__name__ if g.options.expert else None])
        for g in games
    }
    assert seen == set(product((2, 3, 4, 5), STARTS, LAYOUTS))
    assert {(g.players, g.result.reason) for g in games} == set(
        product((2, 3, 4, 5), ("red_zone", "no_expansion", "resigned"))
    )
    assert {g.result.decided_by for g in games} >= {"influence", "shared", "last_player"}
    assert Counter(g.result.reason for g in games)["red_zone"] >= 30


@pytest.mark.parametrize("players", [3, 4, 5])
def test_r8_1_a_leavers_pass_ended_games_of_rules_1(players: int) -> None:
    """R8.1: the same decisions; under rules 1 the game is over where under rules 2 somebody may still expand."""
    old, new = (read(GAMES / f"{players}-leavers-pass-rules-{rules}.json") for rules in (1, 2))
    assert (old.rules, new.rules) == (1, 2)
    assert old.result.reason == "no_expansion"
    assert new.actions[: len(old.actions)] == old.actions
    assert len(new.actions) > len(old.actions)


def test_a_game_can_be_written_and_read(tmp_path: Path) -> None:
    """A game is read as it was written."""
    recorded: Recorded = read(next(path for path in FILES if path not in BY_HAND))
    write(tmp_path / "again.json", recorded)
    assert read(tmp_path / "again.json") == recorded
    assert GAMES.is_dir()
