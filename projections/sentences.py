"""The story in words: what a fact says, as somebody at the table would tell it."""

from collections.abc import Callable
from typing import Any

from domain.actions import EndTurn
from domain.facts import (
    BonusTilesDealt,
    CityScored,
    CityTilesLaid,
    DollarsTaken,
    Doubled,
    Expanded,
    FinalCounted,
    FirstPlayerChosen,
    FranchisePlaced,
    GameEnded,
    IncomeReceived,
    Increased,
    RegionRank,
    RegionsClosed,
    RegionScored,
    RegionTilesLaid,
    Resigned,
    StartingMoneyReceived,
    TieBreakPlaced,
    TownFounded,
    TrackFilled,
    TurnEnded,
    TurnStarted,
    TurnTakenBack,
)
from domain.game import Game
from domain.modules import ActionTaken, GameFact, GameStarted
from domain.modules.boom import BoomKept, BoomMoved, BoomPlaced
from domain.modules.expert import CityTilePlaced, RegionTilePlaced, TilesPooled
from domain.modules.milestones import MilestoneReached, MilestonesDrawn
from domain.modules.region_tiles import BonusTileRegained, DevelopmentTileGained, RegionTilesDrawn, RouteTileGained
from projections.words import MILESTONES, Names, count, listed, ordinal, tile_words


def tell(names: Names, game: Game, fact: GameFact) -> str:
    """What a fact says, told on the game before it; empty for one that nobody would mention."""
    sentence = SENTENCES.get(type(fact))
    return sentence(names, game, fact) if sentence else ""


# --- set-up ----------------------------------------------------------------------------------------------------


def _game_started(names: Names, game: Game, fact: GameStarted) -> str:
    return f"{names.of(range(fact.players))} sit down to play."


def _first_player_chosen(names: Names, game: Game, fact: FirstPlayerChosen) -> str:
    return f"{names.players[fact.seat]} goes first, {'drawn by lot' if fact.drawn else 'as the host has chosen'}."


def _regions_closed(names: Names, game: Game, fact: RegionsClosed) -> str:
    return f"{names.list_of(fact.regions)} are closed with {len(game.players)} players."


def _region_tiles_drawn(names: Names, game: Game, fact: RegionTilesDrawn) -> str:
    return f"These region tiles are in the game: {', '.join(map(tile_words, fact.tiles))}."


def _city_tiles_laid(names: Names, game: Game, fact: CityTilesLaid) -> str:
    return f"{count(len(fact.tiles), 'city tile')} are laid{_by_lot(fact.seed)}."


def _region_tiles_laid(names: Names, game: Game, fact: RegionTilesLaid) -> str:
    return f"{count(len(fact.tiles), 'region tile')} are laid{_by_lot(fact.seed)}."


def _track_filled(names: Names, game: Game, fact: TrackFilled) -> str:
    return f"{listed(map(tile_words, fact.tiles))} go to the first spaces of the region track."


def _tiles_pooled(names: Names, game: Game, fact: TilesPooled) -> str:
    cities, regions = count(len(fact.city_tiles), "city tile"), count(len(fact.region_tiles), "region tile")
    return f"{cities} and {regions} are there for the players to lay."


def _city_tile_placed(names: Names, game: Game, fact: CityTilePlaced) -> str:
    return f"{names.players[fact.seat]} lays a city tile of {fact.value} on {names.places[fact.city]}."


def _region_tile_placed(names: Names, game: Game, fact: RegionTilePlaced) -> str:
    return f"{names.players[fact.seat]} lays the region tile {tile_words(fact.tile)} on {names.regions[fact.region]}."


def _bonus_tiles_dealt(names: Names, game: Game, fact: BonusTilesDealt) -> str:
    return f"Everybody gets {count(fact.each, 'bonus tile')}."


def _milestones_drawn(names: Names, game: Game, fact: MilestonesDrawn) -> str:
    drawn = "; ".join(MILESTONES[milestone] for milestone in fact.milestones)
    return f"Everybody has {count(fact.reserve, 'bonus tile')} in reserve. The milestones drawn are: {drawn}."


def _town_founded(names: Names, game: Game, fact: TownFounded) -> str:
    return f"{names.players[fact.seat]} starts with a franchise in {names.places[fact.town]}."


def _starting_money_received(names: Names, game: Game, fact: StartingMoneyReceived) -> str:
    return f"{names.players[fact.seat]}, {ordinal(fact.order)} in turn order, begins with ${fact.dollars}."


def _boom_placed(names: Names, game: Game, fact: BoomPlaced) -> str:
    return f"{names.players[fact.seat]} puts the Boom marker at {names.places[fact.city]}."


def _by_lot(seed: int | None) -> str:
    return " at random" if seed is not None else ""


# --- the turn --------------------------------------------------------------------------------------------------


def _action_taken(names: Names, game: Game, fact: ActionTaken) -> str:
    """Only the end of a turn has no fact of its own."""
    return f"{names.players[fact.seat]} ends the turn." if isinstance(fact.action, EndTurn) else ""


def _turn_started(names: Names, game: Game, fact: TurnStarted) -> str:
    return f"Turn {fact.turn}: {names.players[fact.seat]} is to play."


def _boom_moved(names: Names, game: Game, fact: BoomMoved) -> str:
    way = f"from {names.places[fact.origin]} to {names.places[fact.city]}"
    return f"{names.players[fact.seat]} moves the Boom marker {way}."


def _boom_kept(names: Names, game: Game, fact: BoomKept) -> str:
    return f"{names.players[fact.seat]} leaves the Boom marker at {names.places[fact.city]}."


def _income_received(names: Names, game: Game, fact: IncomeReceived) -> str:
    spaces = [f"{names.places[city]} {free}" for city, free in fact.cities.items() if free]
    if fact.extra:
        spaces.append(f"Boom {fact.extra}")
    total = count(sum(fact.cities.values()) + fact.extra, "free space")
    where = f" ({', '.join(spaces)})" if spaces else ""
    return f"{names.players[fact.seat]} earns ${fact.dollars} for {total}{where}."


def _expanded(names: Names, game: Game, fact: Expanded) -> str:
    origin, *over, target = (names.places[place] for place in fact.path)
    words = f"{names.players[fact.seat]} expands {'again ' if fact.again else ''}from {origin} to {target}"
    if over:
        words += f" over {listed(over)} with the Development tile"
    words += f" for ${fact.cost}"
    if fact.free_link is not None:
        words += f"; the Route tile saves ${fact.link_costs[fact.free_link]}"
    return f"{words}{'; a bonus tile is used' if fact.again else ''}."


def _increased(names: Names, game: Game, fact: Increased) -> str:
    return f"{names.players[fact.seat]} pays ${fact.cost} for one more franchise in {names.places[fact.city]}."


def _doubled(names: Names, game: Game, fact: Doubled) -> str:
    return f"{names.players[fact.seat]} uses a bonus tile for a second franchise in {names.places[fact.city]}."


def _dollars_taken(names: Names, game: Game, fact: DollarsTaken) -> str:
    return f"{names.players[fact.seat]} uses a bonus tile to take ${fact.dollars}."


def _resigned(names: Names, game: Game, fact: Resigned) -> str:
    return f"{names.players[fact.seat]} leaves the game."


def _turn_taken_back(names: Names, game: Game, fact: TurnTakenBack) -> str:
    places = dict.fromkeys(fact.markers + fact.centre)
    return f"What was not open yet in {names.list_of(places)} is taken back." if places else ""


# --- what happens at the end of a turn -------------------------------------------------------------------------


def _franchise_placed(names: Names, game: Game, fact: FranchisePlaced) -> str:
    value = game.values[game.board.number[fact.place]]
    where = f", space {fact.space} of {value}" if value else ""
    return f"{names.players[fact.seat]} opens a franchise in {names.places[fact.place]}{where}."


def _city_scored(names: Names, game: Game, fact: CityScored) -> str:
    winner, city = names.players[fact.winner], names.places[fact.city]
    share = f"{fact.franchises[fact.winner]} of {fact.value}"
    reason = {
        "majority": f"by absolute majority, {share}",
        "most": f"with the most franchises, {share}",
        "tie_break": f"with {share}, tied but there first",
    }[fact.clause]
    if not fact.influence:
        return f"{city} is full; {winner} would score it {reason}, but has left: nobody gains anything."
    half = "" if fact.clause == "majority" else ", half the value"
    words = f"{winner} scores {city} {reason}: {fact.influence} IP{half}"
    if fact.returned:
        words += f", takes back {count(fact.returned, 'franchise')}"
    if fact.from_centre:
        words += f"; {count(fact.from_centre, 'franchise')} of the centre goes back unopened"
    return f"{words}."


def _tie_break_placed(names: Names, game: Game, fact: TieBreakPlaced) -> str:
    piece = "puts a franchise beside the tile of" if fact.piece else "has no franchise left for the tile of"
    return f"{names.players[fact.seat]} {piece} {names.regions[fact.region]} and wins ties there from now on."


def _region_scored(names: Names, game: Game, fact: RegionScored) -> str:
    ranks = "; ".join(_rank(names, rank) for rank in fact.ranks)
    tied = len({rank.franchises for rank in fact.ranks}) < len(fact.ranks)
    ties = f" Ties go to {names.players[fact.tie_break[0]]} first, then clockwise." if tied else ""
    space = f"The tile goes to space {fact.space} of the track: {fact.track_influence} IP"
    return (
        f"{names.regions[fact.region]} ({tile_words(fact.tile)}) is complete and scores: {ranks}.{ties}"
        f" {space} for {names.players[fact.seat]}."
    )


def _rank(names: Names, rank: RegionRank) -> str:
    gains = f"${rank.dollars}" if rank.dollars else f"{rank.influence} IP"
    player = f"{ordinal(rank.rank)} {names.players[rank.seat]}"
    return f"{player} with {count(rank.franchises, 'franchise')}, {gains}"


def _bonus_tile_regained(names: Names, game: Game, fact: BonusTileRegained) -> str:
    return f"{names.players[fact.seat]} takes back a used bonus tile."


def _development_tile_gained(names: Names, game: Game, fact: DevelopmentTileGained) -> str:
    return f"{names.players[fact.seat]} gets the Development tile."


def _route_tile_gained(names: Names, game: Game, fact: RouteTileGained) -> str:
    return f"{names.players[fact.seat]} gets the Route tile."


def _milestone_reached(names: Names, game: Game, fact: MilestoneReached) -> str:
    piece = "" if fact.piece else ", with no franchise left to mark it"
    milestone = MILESTONES[fact.milestone]
    return f"{names.players[fact.seat]} reaches a milestone ({milestone}) and gets a bonus tile{piece}."


def _turn_ended(names: Names, game: Game, fact: TurnEnded) -> str:
    if not fact.idle_turns:
        return ""
    return f"The turn had no expansion, the {ordinal(fact.idle_turns)} in a row."


# --- the end ---------------------------------------------------------------------------------------------------


def _final_counted(names: Names, game: Game, fact: FinalCounted) -> str:
    lines = (
        f"{fact.towns_influence} IP for {count(fact.towns, 'town')}",
        f"{fact.dollars_influence} IP for ${fact.dollars}",
        f"{fact.bonus_tiles_influence} IP for {count(fact.bonus_tiles, 'bonus tile')}",
    )
    return f"{names.players[fact.seat]} gains {listed(lines)} and ends with {fact.total} IP."


def _game_ended(names: Names, game: Game, fact: GameEnded) -> str:
    reason = {
        "red_zone": "a region tile lies in the red zone",
        "no_expansion": "nobody has expanded for a whole round",
        "resigned": "all others have left",
    }[fact.reason]
    decision = {
        "influence": "with the most influence",
        "towns": "tied for influence, with the most franchises in towns",
        "shared": "sharing the victory, tied for influence and franchises in towns",
        "last_player": "as the last player",
    }[fact.decided_by]
    wins = "wins" if len(fact.winners) == 1 else "win"
    return f"The game is over: {reason}. {names.of(fact.winners)} {wins}, {decision}."


SENTENCES: dict[type, Callable[[Names, Game, Any], str]] = {
    GameStarted: _game_started,
    FirstPlayerChosen: _first_player_chosen,
    RegionsClosed: _regions_closed,
    RegionTilesDrawn: _region_tiles_drawn,
    CityTilesLaid: _city_tiles_laid,
    RegionTilesLaid: _region_tiles_laid,
    TrackFilled: _track_filled,
    TilesPooled: _tiles_pooled,
    CityTilePlaced: _city_tile_placed,
    RegionTilePlaced: _region_tile_placed,
    BonusTilesDealt: _bonus_tiles_dealt,
    MilestonesDrawn: _milestones_drawn,
    TownFounded: _town_founded,
    StartingMoneyReceived: _starting_money_received,
    BoomPlaced: _boom_placed,
    ActionTaken: _action_taken,
    TurnStarted: _turn_started,
    BoomMoved: _boom_moved,
    BoomKept: _boom_kept,
    IncomeReceived: _income_received,
    Expanded: _expanded,
    Increased: _increased,
    Doubled: _doubled,
    DollarsTaken: _dollars_taken,
    Resigned: _resigned,
    TurnTakenBack: _turn_taken_back,
    FranchisePlaced: _franchise_placed,
    CityScored: _city_scored,
    TieBreakPlaced: _tie_break_placed,
    RegionScored: _region_scored,
    BonusTileRegained: _bonus_tile_regained,
    DevelopmentTileGained: _development_tile_gained,
    RouteTileGained: _route_tile_gained,
    MilestoneReached: _milestone_reached,
    TurnEnded: _turn_ended,
    FinalCounted: _final_counted,
    GameEnded: _game_ended,
}
"""How each kind of fact is told. That somebody has to decide now (``PhaseBegan``) goes without saying."""
