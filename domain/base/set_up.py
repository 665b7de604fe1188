"""The set-up: first player, closed regions, bonus tiles, starting towns and starting money (R2)."""

import random
from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from domain.actions import ActionBase, ChooseTown
from domain.base.changes import with_franchise, with_money
from domain.base.refusals import closed_region, occupied, outside_of, unknown_place
from domain.board import members
from domain.facts import BonusTilesDealt, FirstPlayerChosen, RegionsClosed, StartingMoneyReceived, TownFounded
from domain.game import Consequences, DecisionBuilder, Folds, Game, Refusals
from domain.legal import Legal
from domain.phase_names import TOWNS
from domain.refused import IllegalAction


def choose_first_player(builder: DecisionBuilder, first_player: Literal["random"] | int) -> None:
    """Draw the first player, or take the seat that the host chose (R2.1)."""
    if first_player == "random":
        luck = random.Random(f"{builder.game.seed}/first player")
        builder.append(FirstPlayerChosen(luck.randrange(len(builder.game.players)), drawn=True))
    else:
        builder.append(FirstPlayerChosen(first_player, drawn=False))


def close_regions(builder: DecisionBuilder) -> None:
    """Close the regions that are out of play with this number of players (R2.2)."""
    closed = builder.game.board.closed_regions[len(builder.game.players)]
    if closed:
        builder.append(RegionsClosed(closed))


def deal_bonus_tiles(builder: DecisionBuilder) -> None:
    """Deal bonus tiles to all players, unless a module deals them (R2.5)."""
    game = builder.game
    dealt = (module.deal_bonus_tiles(game) for module in game.modules)
    to_all = [BonusTilesDealt(game.board.bonus_tiles[len(game.players)])]
    builder.extend(next((facts for facts in dealt if facts is not None), to_all))


def found_introductory_towns(builder: DecisionBuilder) -> None:
    """Give every player two fixed towns, by turn order (R2.4)."""
    game = builder.game
    fixed = game.board.introductory_towns[len(game.players)]
    for seat, towns in zip(game.clockwise_from(game.first_player), fixed, strict=True):
        builder.extend(TownFounded(seat, town, fixed=True) for town in towns)


def pay_starting_money(builder: DecisionBuilder) -> None:
    """Pay the starting money by turn order (R2.3)."""
    game = builder.game
    amounts = game.board.starting_money[len(game.players)]
    for order, seat in enumerate(game.clockwise_from(game.first_player)):
        if not game.players[seat].resigned:
            builder.append(StartingMoneyReceived(seat, order + 1, amounts[order]))


# --- choosing a town -------------------------------------------------------------------------------------------


def next_to_choose(game: Game) -> int | None:
    """Return the next player without a franchise, in reverse turn order; None once all have one (R2.3)."""
    return next((seat for seat in reversed(game.playing()) if not game.players[seat].present), None)


def starting_towns(game: Game) -> Iterator[Legal[ActionBase]]:
    """List the free towns (R2.3)."""
    for town in members(game.board.towns & game.open):
        yield Legal(ChooseTown(game.board.places[town].id), "R2.3")


def _choose_town(builder: DecisionBuilder, seat: int, action: ChooseTown) -> None:
    builder.append(TownFounded(seat, action.town))


def _refuse_town(game: Game, action: ChooseTown) -> Iterator[IllegalAction]:
    town = action.town
    yield from outside_of(game, (TOWNS,), "R2.3")
    if town not in game.board.number:
        yield unknown_place(town)
    bit = 1 << game.board.number[town]
    if not bit & game.board.towns:
        name = game.board.place_names[town]
        yield IllegalAction("not_a_town", "R2.3", {"kind": "town"}, {"kind": "city"}, values={"place": name})
    if bit & game.closed:
        yield closed_region(game, town)
    yield occupied(game, town, "R2.3")


# --- the fold --------------------------------------------------------------------------------------------------


def _first_player_chosen(game: Game, fact: FirstPlayerChosen) -> Game:
    return replace(game, first_player=fact.seat)


def _regions_closed(game: Game, fact: RegionsClosed) -> Game:
    closed = {game.board.region_number[region] for region in fact.regions}
    regions = tuple(
        replace(region, closed=True) if number in closed else region for number, region in enumerate(game.regions)
    )
    return replace(game, regions=regions)


def _bonus_tiles_dealt(game: Game, fact: BonusTilesDealt) -> Game:
    return replace(game, players=tuple(replace(player, bonus_tiles=fact.each) for player in game.players))


def _town_founded(game: Game, fact: TownFounded) -> Game:
    return with_franchise(game, fact.seat, game.board.number[fact.town], from_supply=1)


def _starting_money_received(game: Game, fact: StartingMoneyReceived) -> Game:
    return with_money(game, fact.seat, fact.dollars)


CONSEQUENCES: Consequences = {ChooseTown: _choose_town}
REFUSALS: Refusals = {ChooseTown: _refuse_town}
FOLDS: Folds = {
    FirstPlayerChosen: _first_player_chosen,
    RegionsClosed: _regions_closed,
    BonusTilesDealt: _bonus_tiles_dealt,
    TownFounded: _town_founded,
    StartingMoneyReceived: _starting_money_received,
}
