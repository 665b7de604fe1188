"""Plays and records the games of ``tests/games/modules``; ``python -m tests.domain.modules.record_games`` does it anew.

A recorded game is its options, the number of players, the seed and every action with its seat, and what it must
come to: the final scores with where they came from, the milestones, the ending. Games are recorded again only when a
rule has changed, never to make a test pass.
"""

import random
from itertools import product
from pathlib import Path
from typing import Any, Literal

import msgspec

from domain.actions import Resign
from domain.decide import decide
from domain.facts import Expanded
from domain.game import Game
from domain.modules import Action, GameFact, GameOptions, Modules
from domain.modules.expert import Draft, Expert, ExplicitLayout, RandomLayout
from domain.modules.milestones import Milestones
from domain.modules.region_tiles import ChosenTiles
from domain.rules_version import RULES_VERSION
from domain.start import start
from domain.state import Earned, Ending
from tests.domain.modules.plain_game import CITIES, PLACES, TILES
from tests.domain.modules.players import choose
from tests.domain.positions import BOARD, NEW_TILES

FOLDER = Path(__file__).parents[2] / "games/modules"
CHOSEN = ChosenTiles(("florida", *TILES[-9:]))
TILE_CHOICES: tuple[Any, ...] = (None, "mixed", "new", CHOSEN)
STARTS: tuple[Literal["standard", "introductory"], ...] = ("standard", "introductory")
LAYOUTS = ("printed", "draft", "random", "explicit")


class Score(msgspec.Struct, frozen=True):
    """The result of a player."""

    influence: int
    influence_from: Earned
    money: int
    supply: int
    bonus_tiles: int
    towns: int
    resigned: bool
    milestones: tuple[str, ...]


class Turn(msgspec.Struct, frozen=True):
    """One action and who took it."""

    seat: int
    action: Action


class Recorded(msgspec.Struct, frozen=True):
    """One game."""

    options: GameOptions
    players: int
    seed: int
    scores: tuple[Score, ...]
    ending: Ending
    track: tuple[str, ...]
    actions: tuple[Turn, ...]
    rules: int = 1


def scores(game: Game) -> tuple[Score, ...]:
    """Return the result of each player."""
    reached = [module for module in game.modules if isinstance(module, Milestones)]
    met = [pair for state in reached for pair in zip(state.drawn, state.reached, strict=True)]
    return tuple(
        Score(
            player.influence,
            player.earned,
            player.money,
            player.supply,
            player.bonus_tiles,
            (player.present & BOARD.towns).bit_count(),
            player.resigned,
            tuple(milestone for milestone, seats in met if seat in seats),
        )
        for seat, player in enumerate(game.players)
    )


def agreed(players: int, modules: Modules) -> ExplicitLayout:
    """Return a layout: the printed cities with two pairs exchanged, and tiles of the game's own on the regions."""
    closed = BOARD.closed_regions[players]
    cities = {city: PLACES[city].spaces for city in sorted(CITIES) if PLACES[city].region not in closed}
    cities |= {"pittsburgh": 3, "charlotte": 2, "washington": 5, "dallas": 6}
    tiles = CHOSEN.chosen if modules.region_tiles == CHOSEN else TILES[20:] if modules.region_tiles else TILES[:10]
    in_play = [region.id for region in BOARD.regions if region.id not in closed]
    return ExplicitLayout(cities, dict(zip(in_play, tiles, strict=False)))


def options(layout: str, players: int, opening: Literal["standard", "introductory"], modules: Modules) -> GameOptions:
    """Return the options of a game with this layout of the tiles."""
    layouts: dict[str, Expert] = {"draft": Draft(), "random": RandomLayout(), "explicit": agreed(players, modules)}
    return GameOptions(start=opening, expert=layouts.get(layout), modules=modules)


def play(chosen: GameOptions, players: int, seed: int, *, somebody_leaves: bool) -> tuple[Recorded, int]:
    """Play a game and count the special events in it."""
    luck = random.Random(f"{seed} {players}")
    decision = start(chosen, players, seed, NEW_TILES)
    game, all_facts = decision.game, list(decision.facts)
    leaves_at = luck.randrange(40, 120) if somebody_leaves else -1
    actions: list[Turn] = []
    while game.to_play is not None:
        leaves = len(actions) == leaves_at
        turn = Turn(luck.choice(game.playing()), Resign()) if leaves else Turn(game.to_play, choose(game, luck))
        decision = decide(game, turn.action, turn.seat)
        actions.append(turn)
        all_facts += decision.facts
        game = decision.game
    if game.ending is None:
        raise AssertionError("nobody is to play and yet the game goes on")
    track = tuple(tile.id for tile in game.track)
    recorded = Recorded(chosen, players, seed, scores(game), game.ending, track, tuple(actions), RULES_VERSION)
    return recorded, _interest(game, all_facts)


def _interest(game: Game, all_facts: list[GameFact]) -> int:
    special = [
        fact for fact in all_facts if isinstance(fact, Expanded) and (len(fact.path) > 2 or fact.free_link is not None)
    ]
    rare = [seats for score in scores(game) for seats in score.milestones if seats in ("unscored_2_3_4", "two_8_links")]
    regions = sum(region.scored for region in game.regions)
    return 4 * len(special) + 3 * len(rare) + 2 * regions + 5 * (len(game.track) >= BOARD.region_track.red_from)


MODULES = [
    Modules(milestones, boom, tiles) for milestones, boom, tiles in product((False, True), (False, True), TILE_CHOICES)
]


def games() -> dict[str, tuple[GameOptions, int]]:
    """Return the names of the games, with their options and numbers of players."""
    named = {}
    for number, modules in enumerate(MODULES):
        for variation in range(3):
            players = 2 + (number + variation) % 4
            layout = LAYOUTS[(number // 4 + number + variation) % 4]
            opening = STARTS[(number // 2 + variation) % 2]
            chosen = options(layout, players, opening, modules)
            named[_name(players, layout, chosen)] = (chosen, players)
    return named


def _name(players: int, layout: str, chosen: GameOptions) -> str:
    tiles = "chosen" if isinstance(chosen.modules.region_tiles, ChosenTiles) else chosen.modules.region_tiles
    words = {
        "milestones": chosen.modules.milestones,
        "boom": chosen.modules.boom,
        f"tiles-{tiles}": tiles is not None,
        f"expert-{layout}": layout != "printed",
    }
    return "-".join([str(players), chosen.start, *(word for word, there in words.items() if there)])


def main() -> None:
    """Record the most interesting of several games of each kind."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, (name, (chosen, players)) in enumerate(games().items()):
        leaves = players > 2 and number % 9 == 0
        tries = [play(chosen, players, 1000 * number + seed, somebody_leaves=leaves) for seed in range(30)]
        best, _ = max(tries, key=lambda played: played[1])
        (FOLDER / f"{name}.json").write_bytes(_written(best))


def _written(game: Recorded) -> bytes:
    """As JSON, one action a line."""
    head = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(game, actions=())), indent=1)
    lines = b",\n".join(b"  " + msgspec.json.encode(turn) for turn in game.actions)
    return head.replace(b'"actions": []', b'"actions": [\n' + lines + b"\n ]") + b"\n"


if __name__ == "__main__":
    main()
