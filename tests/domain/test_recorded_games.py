"""Finished games on file, replayed by the engine and the reference with the same results."""

from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from domain.actions import Expand, ExpandAgain, Resign
from domain.facts import RegionScored
from domain.modules import Action, GameFact
from domain.modules.boom import MoveBoom
from domain.modules.milestones import CONDITIONS
from tests.domain.positions import BOARD
from tests.domain.set_ups import LAYOUTS, STARTS
from tests.domain.side_by_side import BothGames
from tests.games.facts import FILES, recorded
from tests.games.record import GAMES, Recorded, result_of, write

GAME_OF = {path: recorded(path) for path in FILES}
BASE = [game for path, game in GAME_OF.items() if path.parent == GAMES]
WITH_MODULES = [game for path, game in GAME_OF.items() if path.parent != GAMES]
BY_HAND = [path for path in FILES if path.name.startswith("by-hand")]


@cache
def replayed(path: Path) -> BothGames:
    """Replay a game, and check money and influence where the file has them."""
    game = GAME_OF[path]
    both = BothGames(game.options, game.players, game.seed, game.rules)
    for number, step in enumerate(game.actions, start=1):
        players = both.do(step.action, step.seat).game.players
        where = (number, step.action, step.comment)
        assert step.money in (None, tuple(player.money for player in players)), where
        assert step.influence in (None, tuple(player.influence for player in players)), where
    return both


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_game_ends_as_it_did(path: Path) -> None:
    """R2 to R13: in the engine and the reference."""
    assert result_of(replayed(path).game) == GAME_OF[path].result


@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.stem)
def test_a_game_worked_out_by_hand_has_its_calculation(path: Path) -> None:
    """Each turn has a line and the results of all players."""
    game = GAME_OF[path]
    assert game.by_hand
    assert game.title
    for step, following in zip(game.actions, (*game.actions[1:], None), strict=True):
        if following is None or following.seat != step.seat:
            assert step.comment or step.action != Resign()
            assert step.money is not None
            assert step.influence is not None


@pytest.mark.parametrize("players", [3, 4, 5])
def test_r8_1_a_leavers_pass_ended_games_of_rules_1(players: int) -> None:
    """R8.1: with the same decisions, rules 1 end the game where rules 2 allow another expansion."""
    old, new = (GAME_OF[GAMES / f"{players}-leavers-pass-rules-{rules}.json"] for rules in (1, 2))
    assert (old.rules, new.rules) == (1, 2)
    assert old.result.reason == "no_expansion"
    assert new.actions[: len(old.actions)] == old.actions
    assert len(new.actions) > len(old.actions)


def test_a_game_can_be_written_and_read(tmp_path: Path) -> None:
    for number, game in enumerate(GAME_OF.values()):
        if not game.by_hand:
            write(tmp_path / f"{number}.json", game)
            assert recorded(tmp_path / f"{number}.json") == game


# --- the whole collection --------------------------------------------------------------------------------------


def actions(games: list[Recorded]) -> list[Action]:
    return [step.action for game in games for step in game.actions]


def region_scorings() -> list[RegionScored]:
    facts: list[GameFact] = [fact for path in FILES for fact in replayed(path).facts]
    return [fact for fact in facts if isinstance(fact, RegionScored)]


def layout_of(game: Recorded) -> str:
    return {"ExplicitLayout": "explicit", "Draft": "draft", "RandomLayout": "random"}.get(
        type(game.options.expert).__name__, "printed"
    )


def test_every_set_up_and_every_ending_is_on_file() -> None:
    """R2, R8.1, R13.1: at least sixty games of the base game, three of them by hand."""
    assert len(BASE) >= 60
    assert sum(game.by_hand for game in BASE) == len(BY_HAND) >= 3
    seen = {(game.players, game.options.start, layout_of(game)) for game in BASE}
    assert seen == set(product((2, 3, 4, 5), STARTS, LAYOUTS))
    endings = ("red_zone", "no_expansion", "resigned")
    assert {(game.players, game.result.reason) for game in BASE} == set(product((2, 3, 4, 5), endings))
    assert {game.result.decided_by for game in BASE} >= {"influence", "shared", "last_player"}
    assert Counter(game.result.reason for game in BASE)["red_zone"] >= 30


def test_r13_2_every_combination_of_modules_is_on_file_and_every_number_of_players() -> None:
    """R13.2: at least forty games."""
    assert len(WITH_MODULES) >= 40
    modules = {(m.milestones, m.boom, str(m.region_tiles)) for m in (game.options.modules for game in WITH_MODULES)}
    assert len(modules) == 2 * 2 * 4
    seen = {(game.players, game.options.start) for game in WITH_MODULES}
    assert seen == set(product((2, 3, 4, 5), STARTS))
    assert {layout_of(game) for game in WITH_MODULES} == set(LAYOUTS)
    assert {"red_zone", "no_expansion"} <= {game.result.reason for game in WITH_MODULES}
    assert Resign() in actions(WITH_MODULES)


def test_r10_3_every_milestone_is_reached_in_some_game() -> None:
    assert {name for game in WITH_MODULES for reached in game.result.milestones for name in reached} == set(CONDITIONS)


def test_r11_2_the_boom_marker_is_moved_in_every_game_that_has_it() -> None:
    for game in WITH_MODULES:
        assert any(isinstance(action, MoveBoom) for action in actions([game])) == game.options.modules.boom


def test_r12_every_kind_of_region_tile_is_scored_in_some_game() -> None:
    kinds = {"influence", "dollars", "bonus_tile", "regions", "development", "route"}
    assert {fact.tile.kind for fact in region_scorings()} == kinds


def test_r12_5_and_r12_6_the_development_and_the_route_tile_are_used_in_some_games() -> None:
    expansions = [action for action in actions(WITH_MODULES) if isinstance(action, Expand | ExpandAgain)]
    assert sum(len(action.path) > 2 for action in expansions) >= 3
    assert sum(action.free_link is not None for action in expansions) >= 3


def test_r7_1_every_region_is_scored_in_some_game() -> None:
    assert {fact.region for fact in region_scorings()} == {region.id for region in BOARD.regions}
