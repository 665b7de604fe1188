"""The facts of a game in English."""

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
from projections.names import Names
from projections.words.en.grammar import count, listed, ordinal, tile_text
from projections.words.en.modules import MODULE_SENTENCES, Sentences
from projections.words.en.views import ending_text

# --- set-up ----------------------------------------------------------------------------------------------------


def _game_started(names: Names, game: Game, fact: GameStarted) -> str:
    return f"{listed(names.seated(range(fact.players)))} start a game."


def _first_player_chosen(names: Names, game: Game, fact: FirstPlayerChosen) -> str:
    return f"{names.players[fact.seat]} goes first, {'drawn at random' if fact.drawn else 'chosen by the host'}."


def _regions_closed(names: Names, game: Game, fact: RegionsClosed) -> str:
    are = "is" if len(fact.regions) == 1 else "are"
    return f"{listed(names.on_map(fact.regions))} {are} out of play with {len(game.players)} players."


def _city_tiles_laid(names: Names, game: Game, fact: CityTilesLaid) -> str:
    return f"{count(len(fact.tiles), 'city tile')} are laid{_at_random(fact.seed)}."


def _region_tiles_laid(names: Names, game: Game, fact: RegionTilesLaid) -> str:
    return f"{count(len(fact.tiles), 'region tile')} are laid{_at_random(fact.seed)}."


def _track_filled(names: Names, game: Game, fact: TrackFilled) -> str:
    return f"{listed(map(tile_text, fact.tiles))} go to the first spaces of the region track."


def _bonus_tiles_dealt(names: Names, game: Game, fact: BonusTilesDealt) -> str:
    return f"Each player gets {count(fact.each, 'bonus tile')}."


def _town_founded(names: Names, game: Game, fact: TownFounded) -> str:
    return f"{names.players[fact.seat]} starts with a franchise in {names.places[fact.town]}."


def _starting_money_received(names: Names, game: Game, fact: StartingMoneyReceived) -> str:
    return f"{names.players[fact.seat]}, {ordinal(fact.order)} in turn order, starts with ${fact.dollars}."


def _at_random(seed: int | None) -> str:
    return " at random" if seed is not None else ""


# --- the turn --------------------------------------------------------------------------------------------------


def _action_taken(names: Names, game: Game, fact: ActionTaken) -> str:
    """Return a sentence for the end of a turn only: other actions have facts of their own."""
    return f"{names.players[fact.seat]} ends the turn." if isinstance(fact.action, EndTurn) else ""


def _turn_started(names: Names, game: Game, fact: TurnStarted) -> str:
    return f"Turn {fact.turn}: {names.players[fact.seat]} to play."


def _income_received(names: Names, game: Game, fact: IncomeReceived) -> str:
    spaces = [f"{names.places[city]} {free}" for city, free in fact.cities.items() if free]
    if fact.extra:
        spaces.append(f"Boom {fact.extra}")
    total = count(sum(fact.cities.values()) + fact.extra, "free space")
    where = f" ({', '.join(spaces)})" if spaces else ""
    return f"{names.players[fact.seat]} earns ${fact.dollars} for {total}{where}."


def _expanded(names: Names, game: Game, fact: Expanded) -> str:
    origin, *via, target = (names.places[place] for place in fact.path)
    used = ["a bonus tile"] * fact.again + ["the Development tile"] * bool(via)
    used += ["the Route tile"] * (fact.free_link is not None)
    way = f" via {listed(via)}" if via else ""
    tiles = f", using {listed(used)}" if used else ""
    again = "again " if fact.again else ""
    saved = "" if fact.free_link is None else f" (${fact.link_costs[fact.free_link]} saved)"
    return f"{names.players[fact.seat]} expands {again}from {origin}{way} to {target} for ${fact.cost}{tiles}{saved}."


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
    if not places:
        return ""
    return f"Markers and unopened franchises in {listed(names.on_map(places))} go back to the supply."


# --- what happens at the end of a turn -------------------------------------------------------------------------


def _franchise_placed(names: Names, game: Game, fact: FranchisePlaced) -> str:
    value = game.values[game.board.number[fact.place]]
    where = f", space {fact.space} of {value}" if value else ""
    return f"{names.players[fact.seat]} opens a franchise in {names.places[fact.place]}{where}."


def _city_scored(names: Names, game: Game, fact: CityScored) -> str:
    winner, city = names.players[fact.winner], names.places[fact.city]
    share = f"{fact.franchises[fact.winner]} of {fact.value}"
    reason = {
        "majority": f"by absolute majority ({share})",
        "most": f"with the most franchises ({share})",
        "tie_break": f"with {share}, tied but there first",
    }[fact.clause]
    if not fact.influence:
        return f"{city} is full. {winner} would score it {reason}, but has left the game: nobody gains anything."
    half = "" if fact.clause == "majority" else ", half the value"
    sentences = [f"{winner} scores {city} {reason}: {fact.influence} IP{half}."]
    if fact.returned:
        sentences.append(f"{winner} takes back {count(fact.returned, 'franchise')}.")
    if fact.from_centre:
        go = "goes" if fact.from_centre == 1 else "go"
        sentences.append(f"{count(fact.from_centre, 'franchise')} in the centre {go} back to the supply unopened.")
    return " ".join(sentences)


def _tie_break_placed(names: Names, game: Game, fact: TieBreakPlaced) -> str:
    player, region = names.players[fact.seat], names.regions[fact.region]
    if fact.piece:
        return f"{player} puts a franchise next to the tile of {region} and wins ties there from now on."
    return f"{player} wins ties in {region} from now on, but has no franchise left to mark it."


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
    if fact.idle_turns == 1:
        return "This turn had no expansion."
    return f"This turn had no expansion, the {ordinal(fact.idle_turns)} in a row."


# --- the end ---------------------------------------------------------------------------------------------------


def _final_counted(names: Names, game: Game, fact: FinalCounted) -> str:
    lines = (
        (fact.towns_influence, count(fact.towns, "town")),
        (fact.dollars_influence, f"${fact.dollars}"),
        (fact.bonus_tiles_influence, count(fact.bonus_tiles, "bonus tile")),
    )
    gains = [f"{influence} IP for {what}" for influence, what in lines if influence]
    gained = f"gains {listed(gains)}, and " if gains else ""
    return f"{names.players[fact.seat]} {gained}ends with {fact.total} IP."


def _game_ended(names: Names, game: Game, fact: GameEnded) -> str:
    return ending_text(fact.reason, fact.decided_by, names.seated(fact.winners))


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
"""The sentence of each kind of fact. ``PhaseBegan`` has none."""


def sentence_for(names: Names, game: Game, fact: GameFact) -> str:
    """Return the sentence of a fact, given the game before it; empty if there is none."""
    sentence = SENTENCES.get(type(fact))
    return sentence(names, game, fact) if sentence else ""
