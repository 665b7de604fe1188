"""Franchise as an environment of PettingZoo (AEC), for every number of players and all options.

    from examples.franchise_env import env

    game = env(players=3, options={"modules": {"boom": True}})
    game.reset(seed=1960)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        over = termination or truncation
        action = None if over else game.action_space(agent).sample(observation["action_mask"])
        game.step(action)

Agents. `player_0` to `player_4` are the seats of the table. One agent acts at a time, often several times in a row: a
turn consists of several actions. Nobody can resign.

Actions. `ACTIONS` lists the same actions for all options and numbers of players, so that a policy fits every game.
Their number is an index of `action_mask`.

Observations. A vector of integers: the values of `PARTS` one after the other. `slices(players)` has the position of
each part. Players are listed clockwise from the observer, and numbered the same way where a part names a player. Values
beyond the bounds of a part are cut. Divided by `high` of their space, all values lie between -1 and 1.

All players see the same, because nothing in Franchise is hidden: money and bonus tiles are public (R1.5), and all that
is drawn lies open when the game begins. Only the seed of the draws is left out.

Rewards. 0 until the end. Then the winner gets 1 (winners who share the victory get equal parts), and everybody pays
1/players. So the rewards of a game add up to 0. An action that the mask forbids ends the game with -1 for the agent and
0 for the others.

Seeds. `reset(seed=...)` determines all draws of this game and, until the next seed, of the games after it. The `seed`
of the options is not used.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import gymnasium
import msgspec
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.board import RegionTile, members
from domain.boards import load_board, load_region_tiles
from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import DECIDING_PHASES, Action, GameOptions
from domain.modules.boom import Boom, KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import ExpertVariant, PlaceCityTile, PlaceRegionTile
from domain.modules.milestones import CONDITIONS, Milestones
from domain.modules.region_tiles import RegionTiles
from domain.start import check_options, start
from domain.state import Player

BOARD = load_board("usa-1960s")
EXPANSION_TILES = load_region_tiles()
TILES = (*BOARD.printed_tiles, *EXPANSION_TILES)
KINDS = tuple(dict.fromkeys(tile.kind for tile in TILES))
TOWNS, CITIES = ([BOARD.places[place].id for place in members(places)] for places in (BOARD.towns, BOARD.cities))
VALUES = sorted(BOARD.grouped_values)
SEEDS = 2**53
"""The number of seeds of games."""


# --- actions -----------------------------------------------------------------------------------------------------


ACTIONS: tuple[tuple[str, ...], ...] = (
    *(("choose_town", town) for town in TOWNS),
    *((kind, *link) for kind in ("expand", "expand_for_nothing") for link in BOARD.costs),
    *((kind, place.id) for kind in ("expand_far", "expand_far_with_a_free_link") for place in BOARD.places),
    *((kind, city) for kind in ("increase", "double", "boom") for city in CITIES),
    *(("keep_boom",), ("take_dollars",), ("end_turn",)),
    *(("place_city_tile", city, str(value)) for city in CITIES for value in VALUES),
    *(("place_region_tile", region.id, tile.id) for region in BOARD.regions for tile in TILES),
)
"""All actions by number.

`expand` is the first expansion of a turn or the second one, whichever is possible. With the Route tile it can be
`expand_for_nothing` (R12.6). With the Development tile, `expand_far` takes the cheapest path to a place (R12.5). `boom`
puts or moves the Boom marker.
"""

_NUMBERS = {action: number for number, action in enumerate(ACTIONS)}


def number_of(action: Action) -> int:
    """Return the number of an action that the rules list as legal."""
    return _NUMBERS[_name_of(action)]


def _name_of(action: Action) -> tuple[str, ...]:
    match action:
        case ChooseTown(town):
            return "choose_town", town
        case Expand(path, free_link) | ExpandAgain(path, free_link):
            return _name_of_expansion(path, free=free_link is not None)
        case PlaceBoom(city) | MoveBoom(city):
            return "boom", city
        case PlaceCityTile(city, value):
            return "place_city_tile", city, str(value)
        case PlaceRegionTile(region, tile):
            return "place_region_tile", region, tile
        case Increase(city):
            return "increase", city
        case Double(city):
            return "double", city
        case _:
            return (_BARE[type(action)],)


_BARE: Mapping[type[Any], str] = {KeepBoom: "keep_boom", TakeDollars: "take_dollars", EndTurn: "end_turn"}


def _name_of_expansion(path: Sequence[str], *, free: bool) -> tuple[str, ...]:
    if len(path) > 2:
        return "expand_far_with_a_free_link" if free else "expand_far", path[-1]
    return "expand_for_nothing" if free else "expand", *path


# --- observations ------------------------------------------------------------------------------------------------

Seats = list[int]
"""All seats, clockwise from the observer."""

Values = Callable[[Game, Seats], Sequence[int]]
"""Returns the values of a part. Their number depends on the number of players only."""


class Part(NamedTuple):
    """A part of the observation, with its bounds."""

    name: str
    meaning: str
    values: Values
    high: int
    low: int = 0


def _player(value: Callable[[Player], int]) -> Values:
    return lambda game, seats: [value(game.players[seat]) for seat in seats]


def _seat(condition: Callable[[Game, int], bool | int]) -> Values:
    return lambda game, seats: [int(condition(game, seat)) for seat in seats]


def _place(value: Callable[[Game, int], int]) -> Values:
    return lambda game, _: [value(game, place) for place in range(len(BOARD.places))]


def _tile(values: Callable[[RegionTile], Sequence[int]], without: Sequence[int]) -> Values:
    """Return the values of the tile of each region, or those without a tile."""
    return lambda game, _: [
        value for region in game.regions for value in (values(region.tile) if region.tile else without)
    ]


def _owner(seats: Seats, seat: int | None) -> int:
    """Return the number of a player, 1 for the observer, and 0 for nobody."""
    return 0 if seat is None else seats.index(seat) + 1


def _special_tiles(game: Game, seats: Seats) -> list[int]:
    tiles = RegionTiles.find(game)
    if tiles is None:
        return [0, 0, 0, 0]
    return [
        _owner(seats, tiles.development),
        _owner(seats, tiles.route),
        int(tiles.development_ready),
        int(tiles.route_ready),
    ]


def _milestones(game: Game, seats: Seats) -> list[bool]:
    """Return the drawn milestones, and for each player those reached."""
    found = Milestones.find(game) or Milestones()
    reached = dict(zip(found.drawn, found.reached, strict=True))
    return [
        *(name in reached for name in CONDITIONS),
        *(seat in reached.get(name, ()) for seat in seats for name in CONDITIONS),
    ]


def _dear_links(game: Game, seat: int) -> int:
    found = Milestones.find(game)
    return min(2, sum(user == seat for user, _ in found.dear_links)) if found else 0


def _has_boom(game: Game, place: int) -> int:
    boom = Boom.find(game)
    return int(boom is not None and boom.city == BOARD.places[place].id)


def _city_pool(game: Game, _: Seats) -> list[int]:
    expert = ExpertVariant.find(game)
    pool = expert.city_pool if expert else ()
    return [pool.count(value) for value in VALUES]


def _first_space(game: Game, place: int, seat: int) -> int:
    owners = game.spaces[place]
    return owners.index(seat) + 1 if seat in owners else 0


def _marker(game: Game, place: int) -> int:
    markers = game.turn.markers
    return markers.index(place) + 1 if place in markers else 0


PARTS = (
    Part("phase", "1 for the phase, of DECIDING_PHASES", lambda g, _: [g.phase == name for name in DECIDING_PHASES], 1),
    Part("to_play", "for each player: 1 if they have to decide", _seat(lambda game, seat: seat == game.to_play), 1),
    Part("active", "for each player: 1 if it is their turn", _seat(lambda game, seat: seat == game.turn.seat), 1),
    Part("first", "for each player: 1 if they are first", _seat(lambda game, seat: seat == game.first_player), 1),
    Part("passed", "for each player: 1 if they passed (R8.1)", _seat(lambda game, seat: seat in game.passed), 1),
    Part("turns", "for each player: turns", _player(lambda player: player.turns), 50),
    Part("money", "for each player: dollars", _player(lambda player: player.money), 200),
    Part("influence", "for each player: influence points", _player(lambda player: player.influence), 200),
    Part("supply", "for each player: franchises in the supply", _player(lambda player: player.supply), 40),
    Part("bonus_tiles", "for each player: bonus tiles", _player(lambda player: player.bonus_tiles), 6),
    Part("used", "for each player: used bonus tiles", _player(lambda player: player.bonus_tiles_used), 6),
    Part(
        "to_earn",
        "for each player: bonus tiles in the reserve (R10.1)",
        _seat(lambda game, seat: sum(module.bonus_tiles_to_earn(seat) for module in game.modules)),
        4,
    ),
    Part("dear_links", "for each player: different $8 links used, at most 2 (R10.3)", _seat(_dear_links), 2),
    Part(
        "milestones",
        "1 for each drawn milestone of CONDITIONS; then for each player: 1 for each one that they have reached",
        _milestones,
        1,
    ),
    Part(
        "franchises",
        "for each player: their franchises in each place",
        lambda game, seats: [owners.count(seat) for seat in seats for owners in game.spaces],
        8,
    ),
    Part(
        "first_space",
        "for each player: the space of their first franchise in each place, 0 without one (R6.3)",
        lambda game, seats: [_first_space(game, place, seat) for seat in seats for place in range(len(BOARD.places))],
        8,
    ),
    Part("values", "for each place: its city tile", _place(lambda game, place: game.values[place]), 8),
    Part("closed", "for each place: 1 if it is out of play", _place(lambda game, place: game.closed >> place & 1), 1),
    Part("markers", "for each place: 1 or 2 for the first or second expansion marker", _place(_marker), 2),
    Part("centre", "for each place: franchises in the centre", _place(lambda g, place: g.turn.centre.count(place)), 2),
    Part("boom", "for each place: 1 with the Boom marker", _place(_has_boom), 1),
    Part("scored", "for each region: 1 if it was scored", lambda g, _: [region.scored for region in g.regions], 1),
    Part(
        "tie_break",
        "for each region: the player with the tie-break marker (R6.5)",
        lambda game, seats: [_owner(seats, region.tie_break) for region in game.regions],
        5,
    ),
    Part("tile_values", "for each region: the three values of its tile", _tile(lambda t: t.values, (0, 0, 0)), 15, -15),
    Part("tile_kind", "for each region: its kind of tile, of KINDS", _tile(lambda t: (KINDS.index(t.kind),), (0,)), 5),
    Part("track", "region tiles on the region track", lambda game, _: [len(game.track)], 10),
    Part(
        "special",
        "the owner of the Development tile, that of the Route tile, and 1 for each if it can be used now",
        _special_tiles,
        5,
    ),
    Part(
        "turn",
        "1 if a bonus tile may be used, and 1 if the turn had an expansion",
        lambda game, _: [game.turn.bonus, game.turn.expanded],
        1,
    ),
    Part("city_pool", "city tiles of each value that are not laid yet (draft)", _city_pool, 9),
    Part(
        "region_pool", "1 for each of TILES that is not laid yet", lambda g, _: [t in g.region_pool for t in TILES], 1
    ),
)
"""All parts of an observation. The order of places and regions is that of the board."""


@cache
def slices(players: int) -> dict[str, slice]:
    """Return the position of each part in the observations of a game with this number of players."""
    found, end = dict[str, slice](), 0
    game = start(GameOptions(), players, 0).game
    for part in PARTS:
        begin, end = end, end + len(part.values(game, list(game.seats)))
        found[part.name] = slice(begin, end)
    return found


def _observation_space(players: int) -> spaces.Dict:
    low, high = (
        np.concatenate(
            [
                np.full(at.stop - at.start, bound, np.int16)
                for at, bound in zip(slices(players).values(), bounds, strict=True)
            ]
        )
        for bounds in ([part.low for part in PARTS], [part.high for part in PARTS])
    )
    mask = spaces.Box(0, 1, (len(ACTIONS),), np.int8)
    return spaces.Dict({"observation": spaces.Box(low, high, dtype=np.int16), "action_mask": mask})


def observation_of(game: Game, seat: int) -> Any:
    """Return the observation of a player, without the mask."""
    seats = game.clockwise_from(seat)
    parts = [np.clip(part.values(game, seats), part.low, part.high) for part in PARTS]
    return np.concatenate(parts).astype(np.int16)


# --- the environment ---------------------------------------------------------------------------------------------


def env(**settings: Any) -> AECEnv:
    """Return the environment with the usual wrappers of PettingZoo; the settings are those of `FranchiseEnv`."""
    wrapped = wrappers.TerminateIllegalWrapper(FranchiseEnv(**settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class FranchiseEnv(AECEnv, EzPickle):
    """A table with a number of players. The options are those of `POST /v1/games`."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - the name and the form are those of PettingZoo
        "name": "franchise_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self, players: int = 2, options: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        EzPickle.__init__(self, players, options, render_mode)
        super().__init__()
        self.render_mode = render_mode
        self._options = msgspec.convert(options or {}, GameOptions)
        self._tiles = () if self._options.modules.region_tiles is None else EXPANSION_TILES
        check_options(self._options, players, self._tiles)
        self._random: Any = None
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._action_spaces = {agent: spaces.Discrete(len(ACTIONS)) for agent in self.possible_agents}
        self._observation_spaces = {agent: _observation_space(players) for agent in self.possible_agents}

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._observation_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game. `options` has no effect: those of the game are fixed when the environment is made."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        draws = int(self._random.integers(SEEDS))
        self._continue(start(self._options, len(self.agents), draws, self._tiles).game)

    def observe(self, agent: str) -> dict[str, Any]:
        mask = np.zeros(len(ACTIONS), np.int8)
        if agent == self.agent_selection and self.game.ending is None:
            mask[list(self._legal)] = 1
        return {"observation": observation_of(self.game, self.possible_agents.index(agent)), "action_mask": mask}

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self._continue(decide(self.game, self._legal[int(action)]).game)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _continue(self, game: Game) -> None:
        """Go on with a position: select the agent that has to decide, or end the game."""
        self.game = game
        self._legal = {number_of(legal.action): legal.action for legal in legal_actions(game)}
        if game.to_play is not None:
            self.agent_selection = self.possible_agents[game.to_play]
        if game.ending is not None:
            winners = game.ending.winners
            for seat, agent in enumerate(self.agents):
                self.rewards[agent] = (seat in winners) / len(winners) - 1 / len(self.agents)
                self.terminations[agent] = True

    def render(self) -> str | None:
        """Return a text (mode `ansi`), or print it (mode `human`)."""
        if self.render_mode is None:
            gymnasium.logger.warn("The environment was made without a render mode.")
            return None
        text = "\n".join(_lines(self.game))
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: there is no window."""


raw_env = FranchiseEnv


def _lines(game: Game) -> Iterator[str]:
    """Describe a position: the players, and the owners of the franchises in each place."""
    yield f"turn {game.turn.number}, {game.phase}"
    for seat, player in enumerate(game.players):
        sign = ">" if seat == game.to_play else " "
        yield f"{sign} player_{seat}: ${player.money}, influence {player.influence}, bonus tiles {player.bonus_tiles}"
    for region in BOARD.regions:
        inside = [number for number, place in enumerate(BOARD.places) if place.region == region.id]
        yield f"{region.name}: {', '.join(_describe(game, number) for number in inside)}"


def _describe(game: Game, number: int) -> str:
    value, owners = game.values[number], "".join(map(str, game.spaces[number]))
    return f"{BOARD.places[number].name}{f' ({value})' if value else ''} {owners or '-'}"
