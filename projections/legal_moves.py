"""The legal moves of the player who has to decide."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.actions import TakeDollars
from domain.base import bonus_tiles
from domain.base.city_scoring import open_franchises
from domain.base.game_end import close_turn
from domain.base.region_scoring import score_regions
from domain.base.turn import END_TURN
from domain.decide import legal_actions
from domain.evolve import evolve
from domain.facts import CityScored, FactBase, GameEnded, RegionRank, RegionScored
from domain.field_types import RegionId, TurnNumber
from domain.game import DecisionBuilder, Game
from domain.legal import WouldScore
from domain.modules import Action
from domain.modules.milestones import MilestoneId, MilestoneReached
from domain.modules.region_tiles import BonusTileRegained, DevelopmentTileGained, RouteTileGained
from domain.timeline import Timeline
from projections.names import Names, names_at
from projections.phases import LOBBY, Phase, PhaseText
from projections.scores import SpecialTile
from projections.targets import targets
from projections.versions import ViewVersion
from projections.words import en

EndByTurn = Annotated[Literal["red_zone", "no_expansion"], Meta(description="Why the turn ends the game (R8.1).")]


class LegalMove(msgspec.Struct, frozen=True, gc=False):
    """A legal action."""

    action: Annotated[Action, Meta(description="The action. Send it unchanged to play it.")]
    cost: Annotated[int, Meta(description="The price in dollars.")]
    money_left: Annotated[int, Meta(description="The money after the payment, without later income.")]
    rule: Annotated[str, Meta(description="The number of the rule that allows the action.")]
    would_score: Annotated[
        WouldScore | None,
        Meta(description="The scoring of a city that this action causes at the end of the turn; null without one."),
    ]
    text: Annotated[str, Meta(description="The action in words, such as `Expand from Detroit to Chicago for $3`.")]
    targets: Annotated[
        tuple[str, ...],
        Meta(description="The ids of the places and regions to click for this action. Several actions may share them."),
    ]


class WouldScoreRegion(msgspec.Struct, frozen=True):
    """A region that would be scored (R7)."""

    region: RegionId
    ranks: Annotated[tuple[RegionRank, ...], Meta(description="The gains of the players, in the order of rank.")]
    space: Annotated[int, Meta(description="The space of the region track to which the tile would go.")]
    track_influence: Annotated[int, Meta(description="The influence for the active player from the region track.")]


class WouldReach(msgspec.Struct, frozen=True):
    """A milestone that a player would reach, and that would earn a bonus tile (R10.2)."""

    seat: int
    milestone: MilestoneId


class WouldGain(msgspec.Struct, frozen=True):
    """A special tile that a player would gain (R12.3, R12.5, R12.6)."""

    seat: int
    tile: Annotated[
        SpecialTile,
        Meta(
            description="`bonus`: a used bonus tile that the player gets back. `development`, `route`: the single "
            "tiles."
        ),
    ]


class EndOfTurn(msgspec.Struct, frozen=True):
    """The consequences of ending the turn now."""

    cities: Annotated[tuple[WouldScore, ...], Meta(description="The cities that would score, in order.")]
    regions: Annotated[tuple[WouldScoreRegion, ...], Meta(description="The regions that would score, in order.")]
    milestones: Annotated[
        tuple[WouldReach, ...], Meta(description="The milestones that would be reached, in order.")
    ] = ()
    special_tiles: Annotated[
        tuple[WouldGain, ...], Meta(description="The special tiles that would be gained, in order.")
    ] = ()
    ends_game: Annotated[
        EndByTurn | None,
        Meta(description="Why the game would end (R8.1); null if it would continue."),
    ] = None
    text: Annotated[str, Meta(description="All consequences in sentences; empty without consequences.")] = ""


class LegalMoves(msgspec.Struct, frozen=True):
    """Every legal action of the player who has to decide, always in the same order.

    Two kinds of legal actions are not included: `resign`, which every player may do at any time, and, with the
    Development tile, longer paths than the cheapest ones.
    """

    version: ViewVersion
    phase: Phase
    phase_text: PhaseText
    turn: TurnNumber
    to_play: Annotated[int | None, Meta(description="The seat that has to decide; null if nobody has to.")]
    money: Annotated[int | None, Meta(description="The money of that seat in dollars.")]
    items: Annotated[tuple[LegalMove, ...], Meta(description="The legal moves.")]
    end_of_turn: Annotated[
        EndOfTurn | None, Meta(description="The consequences of `end_turn` now; null if it is not among the moves.")
    ]


def legal_moves(timeline: Timeline) -> LegalMoves:
    """Return the legal moves; none before the start and after the end of the game."""
    game = timeline.game
    if game is None:
        return LegalMoves(timeline.version, LOBBY, en.PHASES[LOBBY], 0, None, None, (), None)
    money = None if game.to_play is None else game.players[game.to_play].money
    names = names_at(timeline.table, game.board)
    return LegalMoves(
        version=timeline.version,
        phase=game.phase,
        phase_text=en.PHASES[game.phase],
        turn=game.turn.number,
        to_play=game.to_play,
        money=money,
        items=tuple(_moves(names, game, money or 0)),
        end_of_turn=_end_of_turn(names, game) if END_TURN in legal_actions(game) else None,
    )


def _moves(names: Names, game: Game, money: int) -> Iterator[LegalMove]:
    for legal in legal_actions(game):
        action = legal.action
        left = money - legal.cost + (bonus_tiles.DOLLARS if isinstance(action, TakeDollars) else 0)
        text = en.action_text(names, game, legal)
        yield LegalMove(action, legal.cost, left, legal.rule, legal.would_score, text, targets(game, action))


def _end_of_turn(names: Names, game: Game) -> EndOfTurn:
    """Return the consequences of ending the turn now (R6 to R8)."""
    builder = DecisionBuilder(game, evolve)
    for phase in (open_franchises, score_regions, close_turn):
        phase(builder)
    facts = builder.facts
    return EndOfTurn(
        cities=tuple(
            WouldScore(fact.city, fact.winner, fact.clause, fact.influence)
            for fact in facts
            if isinstance(fact, CityScored)
        ),
        regions=tuple(
            WouldScoreRegion(fact.region, fact.ranks, fact.space, fact.track_influence)
            for fact in facts
            if isinstance(fact, RegionScored)
        ),
        milestones=tuple(WouldReach(fact.seat, fact.milestone) for fact in facts if isinstance(fact, MilestoneReached)),
        special_tiles=tuple(_special_tiles(facts)),
        ends_game=next(
            (fact.reason for fact in facts if isinstance(fact, GameEnded) and fact.reason != "resigned"), None
        ),
        text=" ".join(en.sentence_for(names, game, fact) for fact in facts if isinstance(fact, _SHOWN)),
    )


_SHOWN = (
    CityScored,
    RegionScored,
    MilestoneReached,
    BonusTileRegained,
    DevelopmentTileGained,
    RouteTileGained,
    GameEnded,
)
"""The facts that are shown as consequences of the end of a turn."""


def _special_tiles(facts: Iterable[FactBase]) -> Iterator[WouldGain]:
    for fact in facts:
        match fact:
            case BonusTileRegained():
                yield WouldGain(fact.seat, "bonus")
            case DevelopmentTileGained():
                yield WouldGain(fact.seat, "development")
            case RouteTileGained():
                yield WouldGain(fact.seat, "route")
            case _:
                pass
