"""Refusals in English."""

from collections.abc import Callable, Mapping, Sequence

from domain.refused import Refused
from projections.words.en.grammar import count, listed

REASONS: Mapping[str, str] = {
    "wrong_phase": "The action belongs to another phase of the set-up or of the turn.",
    "unknown_place": "The map has no such place.",
    "closed_region": "The region is out of play with this number of players.",
    "not_a_town": "The place is a city.",
    "not_a_city": "The place is a town.",
    "occupied": "The town is taken.",
    "no_free_space": "The city has no free space, or too few.",
    "city_scored": "The city is scored and has no spaces left.",
    "no_money": "The player has too little money.",
    "no_franchise": "The player has no franchise there.",
    "no_franchise_left": "The player has no franchise left to place.",
    "own_franchise": "The player already has a franchise there.",
    "bad_path": "A path has at least two places, none of them twice, and `free_link` counts its links from 0.",
    "not_linked": "No direct link joins the two places.",
    "already_expanded": "A turn has one expansion; a second one takes a bonus tile.",
    "not_expanded_yet": "Expanding again needs a first expansion in the same turn.",
    "same_place": "The place already has an expansion marker of this turn.",
    "already_increased": "The city was already increased this turn.",
    "not_increased": "The city was not increased this turn.",
    "first_turn": "Bonus tiles cannot be used in a player's first turn.",
    "no_bonus_tile": "The player has no bonus tile that can be used this turn.",
    "no_free_link": "The link has to be paid for.",
    "no_such_action": "The game is played without the variant or expansion that has this action.",
    "unknown_region": "The map has no such region.",
    "no_tile": "The tile is not among the remaining ones.",
    "tile_there": "A tile already lies there.",
    "wrong_group": "The tile has the wrong back for this city.",
    "no_route_tile": "The player has no Route tile to use.",
    "no_development_tile": "The player has no Development tile to use.",
    "directly_linked": "The Development tile leads only to places without a direct link to the player's own.",
    "boom_there": "The Boom marker is already there.",
    "boom_not_connected": "The Boom marker cannot reach this city.",
}
"""The general text for each reason of an illegal action, for the page of problems."""

PLAIN: Mapping[str, str] = {
    # actions
    "game_over": "The game is over.",
    "no_such_action": REASONS["no_such_action"],
    "first_turn": REASONS["first_turn"],
    "no_usable_bonus_tile": "A turn allows one bonus tile, and only one that the player had when the turn began.",
    "already_expanded": "A turn has one expansion; a second one takes a bonus tile.",
    "not_expanded_yet": "Expand once before you use a bonus tile to expand again.",
    "bad_path": "A path needs an origin and a target, and no place twice.",
    "bad_free_link": "`free_link` has to be the number of a link of the path, counted from 0.",
    "one_link": "Without the Development tile an expansion uses one direct link.",
    "no_free_link": "The link has to be paid for: only the Route tile makes one free.",
    "new_route_tile": "A new Route tile can be used from the next turn on.",
    "new_development_tile": "A new Development tile can be used from the next turn on.",
    "no_region_tile": "This region tile is not among the remaining ones.",
    # tables
    "not_started": "Play has not begun.",
    "not_finished": "The game is not over yet.",
    "already_started": "Play has already begun.",
    "table_closed": "The host has closed this table.",
    "table_full": "Every seat is taken.",
    "host_only": "Only the host can renew the host's token.",
    "region_tile_twice": "A region tile cannot lie on two regions.",
    # undo
    "undo_off": "This table plays without undo.",
    "players_only": "Only players can do this, not the host.",
    "undo_proposed": "An undo is already proposed and waits for answers.",
    "no_proposal": "No undo is proposed.",
    "own_proposal": "You proposed this undo. Only the other players can accept it.",
    "nothing_to_undo": "There is no action to undo.",
    "nothing_to_redo": "There is nothing to redo: nothing was undone since the last action.",
    "undo_past_turn_start": "You can undo only your own actions of the current turn.",
    "game_over_without_free_undo": "The game is over. Only a table with free undo can go back into it.",
}
"""The sentences without values."""


def refusal_text(players: Mapping[int, str], refused: Refused) -> str:
    """Return a refusal in a sentence. ``players`` are the known names by seat."""
    if refused.sentence in PLAIN:
        return PLAIN[refused.sentence]
    values = dict(refused.values)
    if isinstance(seat := values.get("player"), int):
        values["player"] = players.get(seat, f"Seat {seat}")
    return WITH_VALUES[refused.sentence](**values)


# --- the player and the moment ----------------------------------------------------------------------------------

_DUE: Mapping[str, str] = {
    "city_tiles": "Not now: it is time to lay a city tile.",
    "region_tiles": "Not now: it is time to lay a region tile.",
    "towns": "Not now: it is time to choose a starting town.",
    "place_boom": "Not now: it is time to place the Boom marker.",
    "boom": "Not now: first move the Boom marker, or leave it where it is.",
}


def _wrong_phase(phase: str, wanted: str) -> str:
    if phase in _DUE:
        return _DUE[phase]
    if wanted == "boom":
        return "The Boom marker moves only at the start of a turn."
    return "After an increase, no expansion is possible in this turn." if wanted == "expand" else "The set-up is over."


def _not_your_turn(player: str) -> str:
    return f"It is {player}'s turn."


def _unknown_seat(seat: int | None) -> str:
    return f"There is no seat {seat} at this table."


def _resigned(player: str) -> str:
    return f"{player} has left the game."


def _no_money(player: str, cost: int, money: int) -> str:
    return f"This costs ${cost}, and {player} has ${money}."


def _no_franchise_left(player: str) -> str:
    return f"{player} has no franchise left to place."


def _no_bonus_tile(player: str) -> str:
    return f"{player} has no bonus tile."


# --- places ------------------------------------------------------------------------------------------------------


def _unknown_place(place: str) -> str:
    return f"There is no place {place!r} on this board."


def _unknown_region(region: str) -> str:
    return f"There is no region {region!r} on this board."


def _closed_region(place: str, region: str, players: int) -> str:
    return f"{place} is out of play: {region} is closed with {players} players."


def _region_closed(region: str, players: int) -> str:
    return f"{region} is closed with {players} players."


def _not_a_town(place: str) -> str:
    return f"{place} is a city, not a town."


def _not_a_city(place: str) -> str:
    return f"{place} is a town, not a city."


def _occupied(place: str) -> str:
    return f"{place} is taken."


def _city_scored(place: str) -> str:
    return f"{place} is scored and has no spaces left."


def _no_free_space(place: str) -> str:
    return f"{place} has no free space."


def _no_space_for_two(place: str) -> str:
    return f"{place} has too few free spaces for two franchises."


def _no_franchise(player: str, place: str) -> str:
    return f"{player} has no franchise in {place}."


def _own_franchise(player: str, place: str) -> str:
    return f"{player} already has a franchise in {place}."


def _same_place(place: str) -> str:
    return f"{place} already has an expansion marker of this turn."


def _already_increased(place: str) -> str:
    return f"{place} was already increased this turn."


def _not_increased(place: str) -> str:
    return f"{place} was not increased this turn: pay for an increase there first."


# --- links -------------------------------------------------------------------------------------------------------


def _not_linked(origin: str, place: str) -> str:
    return f"No direct link joins {origin} and {place}."


def _no_link(player: str, place: str) -> str:
    return f"No direct link leads to {place} from a place where {player} has a franchise."


def _directly_linked(player: str, place: str) -> str:
    return f"A direct link joins {place} to a place of {player}. The Development tile is for other places."


def _boom_there(place: str) -> str:
    return f"The Boom marker is already at {place}."


def _boom_not_connected(origin: str, place: str) -> str:
    return f"The Boom marker cannot move from {origin} to {place}: only towns and scored cities may lie in between."


# --- tiles -------------------------------------------------------------------------------------------------------


def _tile_there(place: str, value: int) -> str:
    return f"{place} already has a city tile of {value}."


def _region_tile_there(region: str) -> str:
    return f"{region} already has a region tile."


def _wrong_group(place: str, group: Sequence[int], value: int) -> str:
    return f"{place} takes a city tile of {listed(map(str, group), 'or')}, not of {value}."


def _no_tile(value: int) -> str:
    return f"No city tile of {value} is left."


def _no_route_tile(player: str) -> str:
    return f"{player} does not have the Route tile."


def _no_development_tile(player: str) -> str:
    return f"{player} does not have the Development tile."


# --- tables and options ------------------------------------------------------------------------------------------


def _wrong_number(fewest: int, most: int) -> str:
    return f"This game is for {fewest} to {most} players."


def _too_few_players(fewest: int) -> str:
    return f"Play needs at least {count(fewest, 'player')}."


def _empty_seat(seat: int) -> str:
    return f"Nobody sits at seat {seat}."


def _bot_seat(player: str) -> str:
    return f"{player} is a bot and has no token."


def _not_absent(player: str) -> str:
    return f"{player} still has time, or does not have to decide."


def _no_stand_in(player: str) -> str:
    return f"No bot plays for {player}."


def _name_taken(name: str) -> str:
    return f"Another player at this table has the name {name} or one that looks like it."


def _colour_taken(colour: str) -> str:
    return f"Another player has the colour {colour}."


def _invalid_name(text: str, longest: int) -> str:
    return f"{text!r} is not a name of 1 to {longest} visible characters."


def _unknown_board(board: str) -> str:
    return f"There is no board {board!r}."


def _board_for_others(board: str, players: int) -> str:
    return f"The board {board} is not made for {players} players."


def _unknown_first_player(seat: int) -> str:
    return f"There is no seat {seat} to go first."


def _layout_of_cities(places: Sequence[str]) -> str:
    return f"`city_tiles` must name every city in play and no other place. Check {listed(places)}."


def _layout_of_regions(regions: Sequence[str]) -> str:
    return f"`region_tiles` must name every region in play and no other. Check {listed(regions)}."


def _too_few_city_tiles(tiles: Sequence[int]) -> str:
    return f"The layout has more city tiles of {listed(map(str, tiles))} than the game."


def _too_few_region_tiles(available: int, tiles: int) -> str:
    return f"{tiles} region tiles are needed, and there are {available} to draw from."


def _unknown_tiles(tiles: Sequence[str]) -> str:
    return f"There is no region tile {listed(tiles, 'or')}."


def _wrong_choice_of_tiles(tiles: int) -> str:
    return f"`chosen` must name {tiles} different tiles."


def _tiles_of_other_games(tiles: Sequence[str]) -> str:
    return f"The layout has region tiles that are not in this game: {listed(tiles)}."


def _no_fork_there(versions: Sequence[int]) -> str:
    if not versions:
        return "A fork can begin only between two actions."
    return f"A fork can begin only between two actions, such as at version {listed(map(str, versions), 'or')}."


# --- undo --------------------------------------------------------------------------------------------------------


def _already_answered(player: str) -> str:
    return f"{player} has already answered, or has left the game."


def _not_a_boundary(version: int) -> str:
    return f"Version {version} is not right before an action that is in force."


WITH_VALUES: Mapping[str, Callable[..., str]] = {
    "wrong_phase": _wrong_phase,
    "not_your_turn": _not_your_turn,
    "unknown_seat": _unknown_seat,
    "resigned": _resigned,
    "no_money": _no_money,
    "no_franchise_left": _no_franchise_left,
    "no_bonus_tile": _no_bonus_tile,
    "unknown_place": _unknown_place,
    "unknown_region": _unknown_region,
    "closed_region": _closed_region,
    "region_closed": _region_closed,
    "not_a_town": _not_a_town,
    "not_a_city": _not_a_city,
    "occupied": _occupied,
    "city_scored": _city_scored,
    "no_free_space": _no_free_space,
    "no_space_for_two": _no_space_for_two,
    "no_franchise": _no_franchise,
    "own_franchise": _own_franchise,
    "same_place": _same_place,
    "already_increased": _already_increased,
    "not_increased": _not_increased,
    "not_linked": _not_linked,
    "no_link": _no_link,
    "directly_linked": _directly_linked,
    "boom_there": _boom_there,
    "boom_not_connected": _boom_not_connected,
    "tile_there": _tile_there,
    "region_tile_there": _region_tile_there,
    "wrong_group": _wrong_group,
    "no_tile": _no_tile,
    "no_route_tile": _no_route_tile,
    "no_development_tile": _no_development_tile,
    "wrong_number": _wrong_number,
    "too_few_players": _too_few_players,
    "empty_seat": _empty_seat,
    "bot_seat": _bot_seat,
    "not_absent": _not_absent,
    "no_stand_in": _no_stand_in,
    "name_taken": _name_taken,
    "colour_taken": _colour_taken,
    "invalid_name": _invalid_name,
    "unknown_board": _unknown_board,
    "board_for_others": _board_for_others,
    "unknown_first_player": _unknown_first_player,
    "layout_of_cities": _layout_of_cities,
    "layout_of_regions": _layout_of_regions,
    "too_few_city_tiles": _too_few_city_tiles,
    "too_few_region_tiles": _too_few_region_tiles,
    "unknown_tiles": _unknown_tiles,
    "wrong_choice_of_tiles": _wrong_choice_of_tiles,
    "tiles_of_other_games": _tiles_of_other_games,
    "no_fork_there": _no_fork_there,
    "already_answered": _already_answered,
    "not_a_boundary": _not_a_boundary,
}
"""By name, the functions that make sentences from values."""
