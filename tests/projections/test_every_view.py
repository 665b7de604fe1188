"""Invariants of every view at every version of any game."""

from collections import Counter
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.actions import Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.decide import decide, legal_actions
from domain.facts import CityScored, RegionScored, TieBreakPlaced
from domain.game import Game
from domain.modules import ActionTaken, GameFact, Modules
from domain.modules.expert import Draft, RandomLayout
from domain.modules.milestones import MilestoneReached
from domain.modules.region_tiles import BonusTileRegained, ChosenTiles, DevelopmentTileGained, RouteTileGained
from domain.timeline import Timeline, follow
from projections.board import BoardView, board
from projections.board_map import BoardMap
from projections.effects import effects, steps
from projections.history import GameHistory
from projections.legal_moves import LegalMoves, legal_moves
from projections.names import names_at
from projections.preview import Preview, preview
from projections.scores import Scores, scores
from projections.summary import Summary, summary
from tests.projections.play import NEW_TILES, Match, history_of, seated, sent
from tests.support.soak import soak_factor

GAMES = 10 * soak_factor()
ID = UUID("11111111-2222-3333-4444-555555555555")
AT = "2026-01-31T18:00:00.000000Z"
CHOSEN = ChosenTiles(tuple(tile.id for tile in NEW_TILES[10:]))

modules = st.builds(
    Modules,
    milestones=st.booleans(),
    boom=st.booleans(),
    region_tiles=st.sampled_from([None, "mixed", "new", CHOSEN]),
)
matches = st.builds(
    Match,
    players=st.integers(2, 5),
    seed=st.integers(0, 999),
    first_player=st.just("random"),
    start=st.sampled_from(["standard", "introductory"]),
    expert=st.sampled_from([None, Draft(), RandomLayout()]),
    modules=modules,
)
luck = st.builds(Random, st.integers(0, 999))


PREDICTED = {
    *("city_scored", "region_scored", "milestone_reached", "game_ended"),
    *("bonus_tile_regained", "development_tile_gained", "route_tile_gained"),
}
"""The effects of the end of a turn that the legal moves predict."""


def timelines(match: Match) -> list[Timeline]:
    """Return the timeline after each fact since play began."""
    timeline, found = None, []
    for fact in match.facts:
        timeline = follow(timeline, [fact])
        if timeline.game is not None:
            found.append(timeline)
    return found


def invisible_pieces(facts: list[GameFact], seat: int) -> int:
    """Count a player's markers without a franchise to show them (R1.6)."""
    return sum(
        isinstance(fact, MilestoneReached | TieBreakPlaced) and fact.seat == seat and not fact.piece for fact in facts
    )


def franchises_on(view: BoardView) -> Counter[int]:
    """All franchises on the board, by seat."""
    found: Counter[int] = Counter()
    for place in view.places:
        found.update(place.franchises)
        found.update(place.centre)
    found.update(region.tie_break for region in view.regions if region.tie_break is not None)
    for milestone in view.milestones:
        found.update(milestone.reached)
    return found


@given(matches, luck)
@settings(max_examples=GAMES)
def test_every_franchise_is_accounted_for(match: Match, luck: Random) -> None:
    """R1.6: 40 for each player, on the board, in the centre, next to regions, on milestones or in the supply."""
    match.finish(luck)
    for count, timeline in enumerate(timelines(match), start=1):
        on_board = franchises_on(board(timeline))
        facts = match.game_facts[:count]
        for player in scores(timeline).players:
            assert player.supply + on_board[player.seat] - invisible_pieces(facts, player.seat) == 40


@given(matches, luck)
@settings(max_examples=GAMES)
def test_every_version_can_be_viewed(match: Match, luck: Random) -> None:
    match.finish(luck)
    for timeline in timelines(match):
        for view in (board(timeline), scores(timeline), summary(ID, timeline, AT), legal_moves(timeline)):
            assert sent(view) == view
            assert view.version == timeline.version


@given(matches, luck)
@settings(max_examples=GAMES)
def test_the_views_of_a_game_agree_with_it(match: Match, luck: Random) -> None:
    while match.game.ending is None:
        timeline = match.timeline
        check_board(timeline, match.game)
        check_scores(timeline, match.game)
        check_legal_moves(timeline, match.game)
        match.play_on(luck)
    check_board(match.timeline, match.game)
    check_scores(match.timeline, match.game)
    at_the_end = summary(ID, match.timeline, AT)
    assert at_the_end.status == "finished"
    assert at_the_end.winners == match.game.ending.winners == match.table.winners


def check_board(timeline: Timeline, game: Game) -> None:
    view = board(timeline)
    for place in view.places:
        assert len(place.spaces) == place.value
        assert not (place.scored and place.spaces)
        assert Counter(seat for seat in place.spaces if seat is not None) == (
            Counter() if place.scored else Counter(place.franchises)
        )
    for region in view.regions:
        here: Counter[int] = Counter()
        for place in view.places:
            if place.region == region.id:
                here.update(place.franchises)
        assert here == Counter(region.franchises)
        assert (region.status == "scored") == (
            region.tile is None and region.status != "closed"
        ) or not game.turn.number
    assert [space.tile.id for space in view.track if space.tile] == [tile.id for tile in game.track]


def check_scores(timeline: Timeline, game: Game) -> None:
    view = scores(timeline)
    assert view.winners == (game.ending.winners if game.ending else None)
    for player in view.players:
        assert sum(msgspec.structs.asdict(player.influence_from).values()) == player.influence
        assert (player.final is None) == (game.ending is None or player.resigned)
        if player.final:
            assert player.final.total == player.influence


def check_legal_moves(timeline: Timeline, game: Game) -> None:
    view = legal_moves(timeline)
    assert [(move.action, move.cost, move.rule, move.would_score) for move in view.items] == [
        (legal.action, legal.cost, legal.rule, legal.would_score) for legal in legal_actions(game)
    ]
    assert all(move.money_left >= 0 for move in view.items)
    if view.end_of_turn:
        after = decide(game, EndTurn())
        ended = after.facts
        assert [city.city for city in view.end_of_turn.cities] == [f.city for f in ended if isinstance(f, CityScored)]
        assert [region.ranks for region in view.end_of_turn.regions] == [
            fact.ranks for fact in ended if isinstance(fact, RegionScored)
        ]
        assert [(reached.seat, reached.milestone) for reached in view.end_of_turn.milestones] == [
            (fact.seat, fact.milestone) for fact in ended if isinstance(fact, MilestoneReached)
        ]
        gained = {BonusTileRegained: "bonus", DevelopmentTileGained: "development", RouteTileGained: "route"}
        assert [(gain.seat, gain.tile) for gain in view.end_of_turn.special_tiles] == [
            (fact.seat, gained[type(fact)])
            for fact in ended
            if isinstance(fact, BonusTileRegained | DevelopmentTileGained | RouteTileGained)
        ]
        assert view.end_of_turn.ends_game == (after.game.ending.reason if after.game.ending else None)
        predicted = effects(names_at(timeline.table, game.board), steps(game, ended))
        assert view.end_of_turn.text == " ".join(effect.text for effect in predicted if effect.type in PREDICTED)


@given(matches, luck)
@settings(max_examples=GAMES)
def test_the_money_left_agrees_with_the_preview(match: Match, luck: Random) -> None:
    for _ in range(luck.randrange(60)):
        if match.game.ending is None:
            match.play_on(luck)
    timeline, game = match.timeline, match.game
    for move in legal_moves(timeline).items:
        tried = preview(timeline, game, [move.action])
        assert sent(tried) == tried
        (step,) = tried.steps
        assert step.events == decide(game, move.action).facts
        if isinstance(move.action, Expand | ExpandAgain | Increase | Double | TakeDollars):
            assert step.money_left == move.money_left


@given(matches, luck)
@settings(max_examples=GAMES)
def test_the_history_adds_up(match: Match, luck: Random) -> None:
    match.finish(luck)
    shown = history_of(match.timeline, match.events)
    assert sent(shown) == shown
    assert [line.action for line in shown.items] == [
        fact.action for fact in match.facts if isinstance(fact, ActionTaken)
    ]
    assert shown.items[-1].version == match.version
    assert [turn.turn for turn in shown.turns] == list(range(match.game.turn.number + 1))
    names, money, influence = names_at(match.table, match.game.board), Counter[int](), Counter[int]()
    openings = (effect for turn in shown.turns for effect in turn.opening)
    for effect in (*openings, *(effect for line in shown.items for effect in line.effects)):
        assert effect.text
        assert all(name in effect.text for name in names.on_map(effect.targets))
        for change in effect.changes:
            money[change.seat] += change.money
            influence[change.seat] += change.influence
    for seat, player in enumerate(match.game.players):
        assert (money[seat], influence[seat]) == (player.money, player.influence)


@given(st.integers(2, 5), st.integers(0, 5), modules)
def test_an_open_table_can_be_viewed(seats: int, names: int, played_with: Modules) -> None:
    timeline = seated(seats, ["Ann", "Bob", "Cid", "Dan"][: min(names, seats - 1)], modules=played_with)
    for view in (board(timeline), scores(timeline), legal_moves(timeline), summary(ID, timeline, AT)):
        assert sent(view) == view


@pytest.mark.parametrize("view", [Summary, BoardView, Scores, LegalMoves, Preview, GameHistory, BoardMap])
def test_every_type_of_a_view_has_a_description(view: type[Any]) -> None:
    _, components = msgspec.json.schema_components([view])
    assert not [name for name, schema in components.items() if not schema.get("description")]
