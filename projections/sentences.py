"""The facts of a game as sentences."""

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
from projections.module_sentences import MODULE_SENTENCES, Sentences
from projections.wording import Names, count, listed, ordinal, tile_text

# --- set-up ----------------------------------------------------------------------------------------------------


def _game_started(names: Names, game: Game, fact: GameStarted) -> str:
    return f"{names.players_at(range(fact.players))} sit down to play."


def _first_player_chosen(names: Names, game: Game, fact: FirstPlayerChosen) -> str:
    return f"{names.players[fact.seat]} goes first, {'drawn by lot' if fact.drawn else 'as the host has chosen'}."


def _regions_closed(names: Names, game: Game, fact: RegionsClosed) -> str:
    return f"{names.list_of(fact.regions)} are closed with {len(game.players)} players."


def _city_tiles_laid(names: Names, game: Game, fact: CityTilesLaid) -> str:
    return f"{count(len(fact.tiles), 'city tile')} are laid{_by_lot(fact.seed)}."


def _region_tiles_laid(names: Names, game: Game, fact: RegionTilesLaid) -> str:
    return f"{count(len(fact.tiles), 'region tile')} are laid{_by_lot(fact.seed)}."


def _track_filled(names: Names, game: Game, fact: TrackFilled) -> str:
    return f"{listed(map(tile_text, fact.tiles))} go to the first spaces of the region track."


def _bonus_tiles_dealt(names: Names, game: Game, fact: BonusTilesDealt) -> str:
    return f"Everybody gets {count(fact.each, 'bonus tile')}."


def _town_founded(names: Names, game: Game, fact: TownFounded) -> str:
    return f"{names.players[fact.seat]} starts with a franchise in {names.places[fact.town]}."


def _starting_money_received(names: Names, game: Game, fact: StartingMoneyReceived) -> str:
    return f"{names.players[fact.seat]}, {ordinal(fact.order)} in turn order, begins with ${fact.dollars}."


def _by_lot(seed: int | None) -> str:
    return " at random" if seed is not None else ""


# --- the turn --------------------------------------------------------------------------------------------------


def _action_taken(names: Names, game: Game, fact: ActionTaken) -> str:
    """Only the end of a turn has no fact of its own."""
    return f"{names.players[fact.seat]} ends the turn." if isinstance(fact.action, EndTurn) else ""


def _turn_started(names: Names, game: Game, fact: TurnStarted) -> str:
    return f"Turn {fact.turn}: {names.players[fact.seat]} is to play."


def _income_received(names: Names, game: Game, fact: IncomeReceived) -> str:
    spaces = [f"{names.places[city]} {free}" for city, free in fact.cities.items() if free]
    if fact.extra:
        spaces.append(f"Boom {fact.extra}")
    total = count(sum(fact.cities.values()) + fact.extra, "free space")
    where = f" ({', '.join(spaces)})" if spaces else ""
    return f"{names.players[fact.seat]} earns ${fact.dollars} for {total}{where}."


def _expanded(names: Names, game: Game, fact: Expanded) -> str:
    origin, *over, target = (names.places[place] for place in fact.path)
    text = f"{names.players[fact.seat]} expands {'again ' if fact.again else ''}from {origin} to {target}"
    if over:
        text += f" over {listed(over)} with the Development tile"
    text += f" for ${fact.cost}"
    if fact.free_link is not None:
        text += f"; the Route tile saves ${fact.link_costs[fact.free_link]}"
    return f"{text}{'; a bonus tile is used' if fact.again else ''}."


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
    text = f"{winner} scores {city} {reason}: {fact.influence} IP{half}"
    if fact.returned:
        text += f", takes back {count(fact.returned, 'franchise')}"
    if fact.from_centre:
        text += f"; {count(fact.from_centre, 'franchise')} of the centre goes back unopened"
    return f"{text}."


def _tie_break_placed(names: Names, game: Game, fact: TieBreakPlaced) -> str:
    piece = "puts a franchise beside the tile of" if fact.piece else "has no franchise left for the tile of"
    return f"{names.players[fact.seat]} {piece} {names.regions[fact.region]} and wins ties there from now on."


def _region_scored(names: Names, game: Game, fact: RegionScored) -> str:
    ranks = "; ".join(_rank(names, rank) for rank in fact.ranks)
    tied = len({rank.franchises for rank in fact.ranks}) < len(fact.ranks)
    ties = f" Ties go to {names.players[fact.tie_break[0]]} first, then clockwise." if tied else ""
    space = f"The tile goes to space {fact.space} of the track: {fact.track_influence} IP"
    return (
        f"{names.regions[fact.region]} ({tile_text(fact.tile)}) is complete and scores: {ranks}.{ties}"
        f" {space} for {names.players[fact.seat]}."
    )


def _rank(names: Names, rank: RegionRank) -> str:
    gains = f"${rank.dollars}" if rank.dollars else f"{rank.influence} IP"
    player = f"{ordinal(rank.rank)} {names.players[rank.seat]}"
    return f"{player} with {count(rank.franchises, 'franchise')}, {gains}"


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
    return f"The game is over: {reason}. {names.players_at(fact.winners)} {wins}, {decision}."


SENTENCES: Sentences = {
    **MODULE_SENTENCES,
    GameStarted: _game_started,
    FirstPlayerChosen: _first_player_chosen,
    RegionsClosed: _regions_closed,
    CityTilesLaid: _city_tiles_laid,
    RegionTilesLaid: _region_tiles_laid,
    TrackFilled: _track_filled,
    BonusTilesDealt: _bonus_tiles_dealt,
    TownFounded: _town_founded,
    StartingMoneyReceived: _starting_money_received,
    ActionTaken: _action_taken,
    TurnStarted: _turn_started,
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
    TurnEnded: _turn_ended,
    FinalCounted: _final_counted,
    GameEnded: _game_ended,
}
"""The sentence of each kind of fact; that a player has to decide (``PhaseBegan``) needs none."""


def sentence_for(names: Names, game: Game, fact: GameFact) -> str:
    """Return the sentence of a fact on the game before it; empty for a fact that needs none."""
    sentence = SENTENCES.get(type(fact))
    return sentence(names, game, fact) if sentence else ""
