"""The legal moves of the player who decides, with their costs and scorings."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.actions import TakeDollars
from domain.base import bonus_tiles
from domain.base.city_scoring import open_franchises
from domain.base.region_scoring import score_regions
from domain.base.turn import END_TURN
from domain.decide import legal_actions
from domain.evolve import evolve
from domain.facts import CityScored, RegionRank, RegionScored
from domain.field_types import RegionId, TurnNumber
from domain.game import DecisionBuilder, Game
from domain.legal import WouldScore
from domain.modules import Action
from projections.phases import LOBBY, PhaseName


class LegalMove(msgspec.Struct, frozen=True, gc=False):
    """An action that is allowed now."""

    action: Annotated[Action, Meta(description="Send it as it is to play it.")]
    cost: Annotated[int, Meta(description="What has to be paid, in dollars.")]
    money_left: Annotated[
        int, Meta(description="The player's money once the cost is paid; income and the like come later.")
    ]
    rule: Annotated[str, Meta(description="The number of the rule that allows it.")]
    would_score: Annotated[
        WouldScore | None,
        Meta(description="The city that the franchise placed by this action will score once the turn is ended."),
    ]


class WouldScoreRegion(msgspec.Struct, frozen=True):
    """A region that would be scored, with the gains of its ranks and of the track (R7)."""

    region: RegionId
    ranks: Annotated[tuple[RegionRank, ...], Meta(description="Who would gain what, in the order of rank.")]
    space: Annotated[int, Meta(description="The space of the region track that its tile would come to.")]
    track_influence: Annotated[int, Meta(description="What the player whose turn it is would gain for that.")]


class EndOfTurn(msgspec.Struct, frozen=True):
    """The scorings of the end of the turn if it came now."""

    cities: Annotated[tuple[WouldScore, ...], Meta(description="In the order in which they would score.")]
    regions: Annotated[tuple[WouldScoreRegion, ...], Meta(description="In the order in which they would score.")]


class LegalMoves(msgspec.Struct, frozen=True):
    """Every atomic action open to the player who decides, always in the same order.

    Two kinds are allowed without being listed: `resign`, which every player may do at any time, and with the
    Development tile longer paths than the cheapest.
    """

    version: Annotated[int, Meta(description="The version of the game that these moves belong to.")]
    phase: PhaseName
    turn: TurnNumber
    to_play: Annotated[int | None, Meta(description="The seat that has to decide; null if nobody has to.")]
    money: Annotated[int | None, Meta(description="The money of that seat.")]
    items: Annotated[tuple[LegalMove, ...], Meta(description="The moves.")]
    end_of_turn: Annotated[
        EndOfTurn | None, Meta(description="What `end_turn` would score now; null where it is not among the moves.")
    ]


def legal_moves(version: int, game: Game | None) -> LegalMoves:
    """Return the moves open at a version; none while the table waits for players and once the game is over."""
    if game is None:
        return LegalMoves(version, LOBBY, 0, None, None, (), None)
    money = None if game.to_play is None else game.players[game.to_play].money
    return LegalMoves(
        version=version,
        phase=game.phase,
        turn=game.turn.number,
        to_play=game.to_play,
        money=money,
        items=tuple(_moves(game, money or 0)),
        end_of_turn=_end_of_turn(game) if END_TURN in legal_actions(game) else None,
    )


def _moves(game: Game, money: int) -> Iterator[LegalMove]:
    for legal in legal_actions(game):
        gained = bonus_tiles.DOLLARS if isinstance(legal.action, TakeDollars) else 0
        yield LegalMove(legal.action, legal.cost, money - legal.cost + gained, legal.rule, legal.would_score)


def _end_of_turn(game: Game) -> EndOfTurn:
    """Return the scorings of phases 4 and 5 on the board as it is (R6, R7)."""
    builder = DecisionBuilder(game, evolve)
    open_franchises(builder)
    score_regions(builder)
    cities = (fact for fact in builder.facts if isinstance(fact, CityScored))
    regions = (fact for fact in builder.facts if isinstance(fact, RegionScored))
    return EndOfTurn(
        cities=tuple(WouldScore(fact.city, fact.winner, fact.clause, fact.influence) for fact in cities),
        regions=tuple(WouldScoreRegion(fact.region, fact.ranks, fact.space, fact.track_influence) for fact in regions),
    )
