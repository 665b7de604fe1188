"""Phase 4, open franchises and score cities (R6)."""

import msgspec
from msgspec.structs import replace

from domain.base.changes import changed, changed_region, with_franchise
from domain.facts import CityScored, FranchisePlaced, TieBreakPlaced
from domain.field_types import Clause, Origin
from domain.game import DecisionBuilder, Folds, Game
from domain.legal import WouldScore
from domain.state import Turn


class CityMajority(msgspec.Struct, frozen=True, gc=False):
    """The winner of a city scoring, the clause by which they win, and the influence for it (R6.3)."""

    winner: int
    clause: Clause
    tied: tuple[int, ...]
    influence: int


def city_majority(franchises: tuple[int, ...], value: int, active: int) -> CityMajority | None:
    """Return how a city scores after a franchise of the active player, None if it does not score (R6.2)."""
    if franchises.count(active) * 2 > value:
        return CityMajority(active, "majority", (), value)
    if len(franchises) < value:
        return None
    most = max(franchises.count(seat) for seat in franchises)
    tied = tuple(seat for seat in dict.fromkeys(franchises) if franchises.count(seat) == most)
    clause: Clause = "most" if len(tied) == 1 else "tie_break"
    return CityMajority(tied[0], clause, tied if len(tied) > 1 else (), value // 2)


def would_score(game: Game, place: int, more: int = 1) -> WouldScore | None:
    """Return the scoring that ``more`` franchises of the active player would cause, None without one (R6.2)."""
    franchises, value = game.spaces[place], game.values[place]
    seat = game.turn.seat
    for _ in range(more if value else 0):
        franchises = (*franchises, seat)
        majority = city_majority(franchises, value, seat)
        if majority is not None:
            gained = 0 if game.players[majority.winner].resigned else majority.influence
            return WouldScore(game.board.places[place].id, majority.winner, majority.clause, gained)
    return None


def open_franchises(builder: DecisionBuilder) -> None:
    """Open the franchises of markers, then those of centres, and score cities (R6.1, R6.2)."""
    while builder.game.turn.markers:
        _open_franchise(builder, builder.game.turn.markers[0], "marker")
    while builder.game.turn.centre:
        _open_franchise(builder, builder.game.turn.centre[0], "centre")


def _open_franchise(builder: DecisionBuilder, place: int, origin: Origin) -> None:
    game = builder.game
    seat = game.turn.seat
    space = len(game.spaces[place]) + 1
    builder.append(FranchisePlaced(seat, game.board.places[place].id, space, origin))
    value = game.values[place]
    if value:
        majority = city_majority(builder.game.spaces[place], value, seat)
        if majority is not None:
            _score_city(builder, place, majority)
    builder.board_changed()


def _score_city(builder: DecisionBuilder, place: int, majority: CityMajority) -> None:
    game = builder.game
    seat = game.turn.seat
    here = game.spaces[place]
    gains = not game.players[majority.winner].resigned
    builder.append(
        CityScored(
            seat=seat,
            city=game.board.places[place].id,
            value=game.values[place],
            franchises={other: here.count(other) for other in game.seats if other in here},
            winner=majority.winner,
            clause=majority.clause,
            tied=majority.tied,
            influence=majority.influence if gains else 0,
            returned=here.count(majority.winner) - 1 if gains else 0,
            from_centre=game.turn.centre.count(place),
        )
    )
    region = game.board.region_of[place]
    if game.regions[region].tie_break is None:
        piece = builder.game.spare(seat) > 0
        builder.append(TieBreakPlaced(seat, game.board.regions[region].id, piece))


# --- the fold --------------------------------------------------------------------------------------------------


def _franchise_placed(game: Game, fact: FranchisePlaced) -> Game:
    turn = game.turn
    if fact.origin == "marker":
        turn = Turn(turn.seat, turn.number, turn.bonus, turn.expanded, turn.markers[1:], turn.centre)
        taken = 1
    else:
        turn = Turn(turn.seat, turn.number, turn.bonus, turn.expanded, turn.markers, turn.centre[1:])
        taken = 0
    return with_franchise(game, fact.seat, game.board.number[fact.place], taken, turn)


def _city_scored(game: Game, fact: CityScored) -> Game:
    place = game.board.number[fact.city]
    bit = 1 << place
    here = game.spaces[place]
    players = game.players
    if fact.from_centre:
        player = players[fact.seat]
        players = game.with_player(fact.seat, replace(player, supply=player.supply + fact.from_centre))
    if fact.returned or fact.influence:
        winner = players[fact.winner]
        earned = replace(winner.earned, cities=winner.earned.cities + fact.influence)
        winner = replace(winner, earned=earned, supply=winner.supply + fact.returned)
        players = (*players[: fact.winner], winner, *players[fact.winner + 1 :])
        here = (
            *(seat for seat in here if seat != fact.winner),
            *(fact.winner,) * (here.count(fact.winner) - fact.returned),
        )
    return replace(
        game,
        players=players,
        values=changed(game.values, place, 0),
        spaces=changed(game.spaces, place, here),
        open=game.open & ~bit,
        unscored=game.unscored & ~bit,
        turn=replace(game.turn, centre=tuple(city for city in game.turn.centre if city != place)),
    )


def _tie_break_placed(game: Game, fact: TieBreakPlaced) -> Game:
    player = game.players[fact.seat]
    players = game.with_player(fact.seat, replace(player, supply=player.supply - fact.piece))
    return replace(game, players=players, regions=changed_region(game, fact.region, tie_break=fact.seat))


FOLDS: Folds = {FranchisePlaced: _franchise_placed, CityScored: _city_scored, TieBreakPlaced: _tie_break_placed}
