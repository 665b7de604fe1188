"""Whole games with the expansions, played once and for all: every action is allowed and comes to the recorded end."""

from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
import pytest

from domain.actions import Expand, ExpandAgain
from domain.decide import Decision, decide
from domain.facts import RegionScored
from domain.modules import GameFact
from domain.modules.boom import MoveBoom
from domain.modules.milestones import MilestoneReached
from domain.start import start
from tests.domain.modules.plain_game import PlainGame
from tests.domain.modules.record_games import FOLDER, Recorded, scores
from tests.domain.modules.tables import ALL_SEVEN
from tests.domain.positions import BOARD, NEW_TILES

FILES = sorted(FOLDER.glob("*.json"))


@cache
def recorded(path: Path) -> Recorded:
    return msgspec.json.decode(path.read_bytes(), type=Recorded)


@cache
def replayed(path: Path) -> Decision:
    """All facts of a recorded game, decided anew, and the game they lead to."""
    record = recorded(path)
    decision = start(record.options, record.players, record.seed, NEW_TILES, record.rules)
    facts: list[GameFact] = list(decision.facts)
    for turn in record.actions:
        decision = decide(decision.game, turn.action, turn.seat)
        facts += decision.facts
    return Decision(tuple(facts), decision.game)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_game_comes_to_its_recorded_end(path: Path) -> None:
    record, game = recorded(path), replayed(path).game
    assert scores(game) == record.scores
    assert game.ending == record.ending
    assert tuple(tile.id for tile in game.track) == record.track


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_points_and_the_money_of_a_recorded_game_are_those_of_its_facts(path: Path) -> None:
    record = recorded(path)
    plain = PlainGame(replayed(path).facts)
    for seat, score in enumerate(record.scores):
        assert score.influence == plain.influence[seat] == sum(msgspec.structs.astuple(score.influence_from))
        assert (score.money, score.bonus_tiles) == (plain.money[seat], plain.bonus[seat])
        assert score.supply == 40 - plain.franchises(seat)
        if not score.resigned:
            assert score.influence_from.towns == score.towns
            assert score.influence_from.dollars == score.money // 3
            assert score.influence_from.bonus_tiles == 4 * score.bonus_tiles
    playing = [score for score in record.scores if not score.resigned]
    best = max(playing, key=lambda score: (score.influence, score.towns))
    winners = [seat for seat, score in enumerate(record.scores) if score in playing and _equal(score, best)]
    assert list(record.ending.winners) == winners


def _equal(score: object, best: object) -> bool:
    return all(getattr(score, field) == getattr(best, field) for field in ("influence", "towns"))


# --- the whole collection --------------------------------------------------------------------------------------


def _told() -> list[GameFact]:
    return [fact for path in FILES for fact in replayed(path).facts]


def test_there_are_games_with_every_combination_of_modules_and_every_number_of_players() -> None:
    records = [recorded(path) for path in FILES]
    assert len(records) >= 40
    modules = {(m.milestones, m.boom, str(m.region_tiles)) for m in (record.options.modules for record in records)}
    assert len(modules) == 2 * 2 * 4
    assert {(record.players, record.options.start) for record in records} == {
        (players, start) for players in (2, 3, 4, 5) for start in ("standard", "introductory")
    }
    layouts = Counter(type(record.options.expert).__name__ for record in records)
    assert set(layouts) == {"NoneType", "Draft", "RandomLayout", "ExplicitLayout"}


def test_r10_3_every_milestone_is_reached_in_some_game() -> None:
    assert {fact.milestone for fact in _told() if isinstance(fact, MilestoneReached)} == set(ALL_SEVEN)


def test_r11_2_the_boom_marker_is_moved_in_every_game_that_has_it() -> None:
    for record in map(recorded, FILES):
        moved = any(isinstance(turn.action, MoveBoom) for turn in record.actions)
        assert moved == record.options.modules.boom


def test_r12_every_kind_of_region_tile_is_scored_in_some_game() -> None:
    scored = Counter(fact.tile.kind for fact in _told() if isinstance(fact, RegionScored))
    assert set(scored) == {"influence", "dollars", "bonus_tile", "regions", "development", "route"}


def test_r12_5_and_r12_6_the_development_and_the_route_tile_are_used_in_some_games() -> None:
    actions = [turn.action for path in FILES for turn in recorded(path).actions]
    expansions = [action for action in actions if isinstance(action, Expand | ExpandAgain)]
    assert sum(len(action.path) > 2 for action in expansions) >= 3
    assert sum(action.free_link is not None for action in expansions) >= 3


def test_r8_1_and_r13_1_games_end_in_the_red_zone_without_expansions_and_after_somebody_has_left() -> None:
    records = [recorded(path) for path in FILES]
    assert {"red_zone", "no_expansion"} <= {record.ending.reason for record in records}
    assert any(score.resigned for record in records for score in record.scores)


def test_r7_1_every_region_is_scored_in_some_game() -> None:
    scored = {fact.region for fact in _told() if isinstance(fact, RegionScored)}
    assert scored == {region.id for region in BOARD.regions}
