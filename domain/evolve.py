"""How facts change a game: a fold that never refuses, knows no clock and draws nothing."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec.structs import replace

from domain.boards import load_board
from domain.events import (
    BonusTilesDealt,
    CityScored,
    CityTilePlaced,
    CityTilesLaid,
    DollarsTaken,
    Doubled,
    Expanded,
    FinalCounted,
    FirstPlayerChosen,
    FranchisePlaced,
    GameEnded,
    GameFact,
    GameStarted,
    IncomeReceived,
    Increased,
    PhaseBegan,
    RegionRank,
    RegionsClosed,
    RegionScored,
    RegionTilePlaced,
    RegionTilesLaid,
    Resigned,
    StartingMoneyReceived,
    TieBreakPlaced,
    TilesPooled,
    TownFounded,
    TrackFilled,
    TurnEnded,
    TurnStarted,
    TurnTakenBack,
)
from domain.game import Ending, Game, Player, Region, Turn
from domain.modules import modules_for

T = TypeVar("T")


def replay(facts: Iterable[GameFact]) -> Game:
    """The game that these facts tell of; the first is ``GameStarted``."""
    story = iter(facts)
    started = next(story)
    if not isinstance(started, GameStarted):
        raise TypeError(f"a game begins with GameStarted, not with {type(started).__name__}")
    game = new_game(started)
    for fact in story:
        game = evolve(game, fact)
    return game


def new_game(started: GameStarted) -> Game:
    """The game at the moment it starts: an empty board and nothing dealt yet."""
    board = load_board(started.options.board)
    return Game(
        board=board,
        started=started,
        modules=modules_for(started.options),
        players=(Player(supply=board.franchises_per_player),) * started.players,
        values=(0,) * len(board.places),
        spaces=((),) * len(board.places),
        regions=(Region(),) * len(board.regions),
        open=board.towns & ~board.closed(started.players),
    )


def evolve(game: Game, fact: GameFact) -> Game:
    """The game after a fact."""
    change = _CHANGES.get(type(fact))
    if change is not None:
        game = change(game, fact)
    for module in game.modules:
        game = module.evolve(game, fact)
    return game


# --- set-up ----------------------------------------------------------------------------------------------------


def _first_player_chosen(game: Game, fact: FirstPlayerChosen) -> Game:
    return replace(game, first_player=fact.seat)


def _regions_closed(game: Game, fact: RegionsClosed) -> Game:
    closed = {game.board.region_number[region] for region in fact.regions}
    regions = tuple(
        replace(region, closed=True) if number in closed else region for number, region in enumerate(game.regions)
    )
    return replace(game, regions=regions)


def _tiles_pooled(game: Game, fact: TilesPooled) -> Game:
    return replace(game, pooled_cities=fact.city_tiles, pooled_regions=fact.region_tiles)


def _city_tiles_laid(game: Game, fact: CityTilesLaid) -> Game:
    for city, value in fact.tiles.items():
        game = _lay_city_tile(game, city, value)
    return game


def _city_tile_placed(game: Game, fact: CityTilePlaced) -> Game:
    return _lay_city_tile(game, fact.city, fact.value)


def _lay_city_tile(game: Game, city: str, value: int) -> Game:
    place = game.board.number[city]
    first = game.pooled_cities.index(value) if value in game.pooled_cities else len(game.pooled_cities)
    return replace(
        game,
        values=_changed(game.values, place, value),
        open=game.open | 1 << place,
        unscored=game.unscored | 1 << place,
        pooled_cities=game.pooled_cities[:first] + game.pooled_cities[first + 1 :],
    )


def _region_tiles_laid(game: Game, fact: RegionTilesLaid) -> Game:
    for region, tile in fact.tiles.items():
        game = replace(game, regions=_changed_region(game, region, tile=tile))
    return _without_tiles(game, fact.tiles.values())


def _region_tile_placed(game: Game, fact: RegionTilePlaced) -> Game:
    game = replace(game, regions=_changed_region(game, fact.region, tile=fact.tile))
    return _without_tiles(game, [fact.tile])


def _track_filled(game: Game, fact: TrackFilled) -> Game:
    return _without_tiles(replace(game, track=game.track + fact.tiles), fact.tiles)


def _without_tiles(game: Game, tiles: Iterable[Any]) -> Game:
    gone = {tile.id for tile in tiles}
    return replace(game, pooled_regions=tuple(tile for tile in game.pooled_regions if tile.id not in gone))


def _bonus_tiles_dealt(game: Game, fact: BonusTilesDealt) -> Game:
    return replace(game, players=tuple(replace(player, bonus_tiles=fact.each) for player in game.players))


def _town_founded(game: Game, fact: TownFounded) -> Game:
    return _with_franchise(game, fact.seat, game.board.number[fact.town], from_supply=1)


def _starting_money_received(game: Game, fact: StartingMoneyReceived) -> Game:
    return _with_money(game, fact.seat, fact.dollars)


# --- the turn --------------------------------------------------------------------------------------------------


def _phase_began(game: Game, fact: PhaseBegan) -> Game:
    return replace(game, phase=fact.phase, to_play=fact.seat)


def _turn_started(game: Game, fact: TurnStarted) -> Game:
    player = game.players[fact.seat]
    bonus = player.turns > 0 and player.bonus_tiles > 0
    players = game.with_player(fact.seat, replace(player, turns=player.turns + 1))
    return replace(game, turn=Turn(fact.seat, fact.turn, bonus), players=players)


def _income_received(game: Game, fact: IncomeReceived) -> Game:
    return _with_money(game, fact.seat, fact.dollars)


def _expanded(game: Game, fact: Expanded) -> Game:
    turn = game.turn
    player = game.players[fact.seat]
    player = replace(player, money=player.money - fact.cost)
    if fact.again:
        player = _tile_used(player)
    markers = (*turn.markers, game.board.number[fact.path[-1]])
    turn = Turn(turn.seat, turn.number, turn.bonus and not fact.again, True, markers, turn.centre)
    return replace(game, players=game.with_player(fact.seat, player), turn=turn)


def _increased(game: Game, fact: Increased) -> Game:
    turn = game.turn
    player = game.players[fact.seat]
    player = replace(player, money=player.money - fact.cost, supply=player.supply - 1)
    turn = replace(turn, centre=(*turn.centre, game.board.number[fact.city]))
    return replace(game, players=game.with_player(fact.seat, player), turn=turn)


def _doubled(game: Game, fact: Doubled) -> Game:
    player = game.players[fact.seat]
    player = _tile_used(replace(player, supply=player.supply - 1))
    turn = replace(game.turn, centre=(*game.turn.centre, game.board.number[fact.city]), bonus=False)
    return replace(game, players=game.with_player(fact.seat, player), turn=turn)


def _dollars_taken(game: Game, fact: DollarsTaken) -> Game:
    player = game.players[fact.seat]
    player = _tile_used(replace(player, money=player.money + fact.dollars))
    return replace(game, players=game.with_player(fact.seat, player), turn=replace(game.turn, bonus=False))


def _tile_used(player: Player) -> Player:
    return replace(player, bonus_tiles=player.bonus_tiles - 1, used_tiles=player.used_tiles + 1)


def _franchise_placed(game: Game, fact: FranchisePlaced) -> Game:
    turn = game.turn
    if fact.origin == "marker":
        turn = Turn(turn.seat, turn.number, turn.bonus, turn.expanded, turn.markers[1:], turn.centre)
        taken = 1
    else:
        turn = Turn(turn.seat, turn.number, turn.bonus, turn.expanded, turn.markers, turn.centre[1:])
        taken = 0
    return _with_franchise(game, fact.seat, game.board.number[fact.place], taken, turn)


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
        values=_changed(game.values, place, 0),
        spaces=_changed(game.spaces, place, here),
        open=game.open & ~bit,
        unscored=game.unscored & ~bit,
        turn=replace(game.turn, centre=tuple(city for city in game.turn.centre if city != place)),
    )


def _tie_break_placed(game: Game, fact: TieBreakPlaced) -> Game:
    player = game.players[fact.seat]
    players = game.with_player(fact.seat, replace(player, supply=player.supply - fact.piece))
    return replace(game, players=players, regions=_changed_region(game, fact.region, tie_break=fact.seat))


def _region_scored(game: Game, fact: RegionScored) -> Game:
    players = list(game.players)
    for rank in fact.ranks:
        players[rank.seat] = _ranked(players[rank.seat], rank)
    active = players[fact.seat]
    earned = replace(active.earned, region_track=active.earned.region_track + fact.track_influence)
    players[fact.seat] = replace(active, earned=earned)
    regions = _changed_region(game, fact.region, tile=None, scored=True)
    return replace(game, players=tuple(players), regions=regions, track=(*game.track, fact.tile))


def _ranked(player: Player, rank: RegionRank) -> Player:
    earned = replace(player.earned, regions=player.earned.regions + rank.influence)
    return replace(player, earned=earned, money=player.money + rank.dollars)


def _turn_ended(game: Game, fact: TurnEnded) -> Game:
    return replace(game, idle_turns=fact.idle_turns)


def _resigned(game: Game, fact: Resigned) -> Game:
    player = replace(game.players[fact.seat], resigned=True)
    return replace(game, players=game.with_player(fact.seat, player))


def _turn_taken_back(game: Game, fact: TurnTakenBack) -> Game:
    player = game.players[fact.seat]
    players = game.with_player(fact.seat, replace(player, supply=player.supply + len(fact.centre)))
    return replace(game, players=players, turn=replace(game.turn, markers=(), centre=()))


# --- the end ---------------------------------------------------------------------------------------------------


def _final_counted(game: Game, fact: FinalCounted) -> Game:
    player = game.players[fact.seat]
    earned = replace(
        player.earned,
        towns=fact.towns_influence,
        dollars=fact.dollars_influence,
        bonus_tiles=fact.bonus_tiles_influence,
    )
    players = game.with_player(fact.seat, replace(player, earned=earned))
    return replace(game, players=players, finals=(*game.finals, fact))


def _game_ended(game: Game, fact: GameEnded) -> Game:
    return replace(game, phase="finished", to_play=None, ending=Ending(fact.reason, fact.winners, fact.decided_by))


# --- shared ----------------------------------------------------------------------------------------------------


def _with_franchise(game: Game, seat: int, place: int, from_supply: int, turn: Turn | None = None) -> Game:
    bit = 1 << place
    spaces = game.spaces
    here = (*spaces[place], seat)
    player = game.players[seat]
    player = Player(
        player.supply - from_supply,
        player.money,
        player.bonus_tiles,
        player.used_tiles,
        player.earned,
        player.turns,
        player.resigned,
        player.present | bit,
        player.reach | game.board.neighbours[place],
    )
    full = len(here) >= game.values[place]
    return replace(
        game,
        players=game.with_player(seat, player),
        spaces=(*spaces[:place], here, *spaces[place + 1 :]),
        open=game.open & ~bit if full else game.open,
        turn=turn or game.turn,
    )


def _with_money(game: Game, seat: int, dollars: int) -> Game:
    player = game.players[seat]
    return replace(game, players=game.with_player(seat, replace(player, money=player.money + dollars)))


def _changed(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _changed_region(game: Game, region: str, **changes: Any) -> tuple[Region, ...]:
    number = game.board.region_number[region]
    return _changed(game.regions, number, replace(game.regions[number], **changes))


_CHANGES: dict[type, Callable[[Game, Any], Game]] = {
    FirstPlayerChosen: _first_player_chosen,
    RegionsClosed: _regions_closed,
    TilesPooled: _tiles_pooled,
    CityTilesLaid: _city_tiles_laid,
    CityTilePlaced: _city_tile_placed,
    RegionTilesLaid: _region_tiles_laid,
    RegionTilePlaced: _region_tile_placed,
    TrackFilled: _track_filled,
    BonusTilesDealt: _bonus_tiles_dealt,
    TownFounded: _town_founded,
    StartingMoneyReceived: _starting_money_received,
    PhaseBegan: _phase_began,
    TurnStarted: _turn_started,
    IncomeReceived: _income_received,
    Expanded: _expanded,
    Increased: _increased,
    Doubled: _doubled,
    DollarsTaken: _dollars_taken,
    FranchisePlaced: _franchise_placed,
    CityScored: _city_scored,
    TieBreakPlaced: _tie_break_placed,
    RegionScored: _region_scored,
    TurnEnded: _turn_ended,
    Resigned: _resigned,
    TurnTakenBack: _turn_taken_back,
    FinalCounted: _final_counted,
    GameEnded: _game_ended,
}
