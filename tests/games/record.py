"""Finished games on file: writing and finding them.

``python -m tests.games.record`` plays random games and writes them into this folder, those with expansions into
``modules/``, always the same ones. It keeps existing games, so that no change of the rules can slip into them unseen;
delete a file to write it again. Games marked ``by_hand`` were worked out from the rulebook and are never written by a
program.
"""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from domain.actions import Expand, ExpandAgain, Resign
from domain.decide import decide
from domain.facts import FinalCounted
from domain.field_types import EndReason
from domain.game import Game
from domain.modules import Action, GameOptions
from domain.modules.milestones import Milestones
from domain.rules_version import RULES_VERSION
from domain.start import start
from domain.state import Earned
from tests.domain.choosers import Chooser, crowding, keen, lively, passive, resourceful
from tests.domain.positions import NEW_TILES
from tests.domain.set_ups import BASE_GAME, CHOSEN, LAYOUTS, MODULES, STARTS, options

GAMES = Path(__file__).parent


class Step(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A decision, and in games worked out by hand the results of all players after it."""

    seat: int
    action: Action
    comment: str = ""
    money: tuple[int, ...] | None = None
    influence: tuple[int, ...] | None = None


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a game: the final counts, the pieces and milestones of every player, and the region track."""

    reason: EndReason
    winners: tuple[int, ...]
    decided_by: str
    finals: tuple[dict[str, Any], ...]
    earned: tuple[Earned, ...]
    money: tuple[int, ...]
    supply: tuple[int, ...]
    bonus_tiles: tuple[int, ...]
    track: tuple[str, ...]
    milestones: tuple[tuple[str, ...], ...] = ()


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished game: its set-up, every decision, and the result."""

    options: GameOptions
    players: int
    seed: int
    actions: tuple[Step, ...]
    result: Result
    title: str = ""
    by_hand: bool = False
    rules: int = 1


def write(path: Path, game: Recorded) -> None:
    """Write one line for each decision, so that differences are readable."""
    parts: dict[str, Any] = msgspec.to_builtins(game)
    lines = [f'  "{name}": {_json(parts[name])}' for name in ("title", "rules", "options", "players", "seed")]
    lines.append('  "actions": [\n' + ",\n".join(f"    {_json(step)}" for step in parts["actions"]) + "\n  ]")
    lines.append('  "result": {\n' + ",\n".join(f'    "{k}": {_json(v)}' for k, v in parts["result"].items()) + "\n  }")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def result_of(game: Game) -> Result:
    """Return the result of a finished game."""
    assert game.ending is not None
    milestones = Milestones.find(game)
    return Result(
        reason=msgspec.convert(game.ending.reason, EndReason),
        winners=game.ending.winners,
        decided_by=game.ending.decided_by,
        finals=tuple(_line(final) for final in game.finals),
        earned=tuple(player.earned for player in game.players),
        money=tuple(player.money for player in game.players),
        supply=tuple(player.supply for player in game.players),
        bonus_tiles=tuple(player.bonus_tiles for player in game.players),
        track=tuple(tile.id for tile in game.track),
        milestones=tuple(_reached(milestones, seat) for seat in game.seats) if milestones else (),
    )


def _line(final: FinalCounted) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(final).items() if name != "type"}


def _reached(state: Milestones, seat: int) -> tuple[str, ...]:
    return tuple(milestone for milestone, seats in zip(state.drawn, state.reached, strict=True) if seat in seats)


# --- writing games -----------------------------------------------------------------------------------------------


def played(
    players: int, options: GameOptions, seed: int, chooser: Chooser, leave: float, rules: int = RULES_VERSION
) -> Recorded:
    """Play a whole game; at each decision a player may resign instead."""
    luck = Random(seed)
    game = start(options, players, seed, NEW_TILES, rules).game
    steps = []
    while game.ending is None:
        if luck.random() < leave:
            step = Step(luck.choice(game.playing()), Resign())
        else:
            assert game.to_play is not None
            step = Step(game.to_play, chooser(game, luck).action)
        steps.append(step)
        game = decide(game, step.action, step.seat).game
    return Recorded(options, players, seed, tuple(steps), result_of(game), rules=rules)


def wanted(
    players: int, options: GameOptions, reason: EndReason, choosers: list[Chooser], leave: float = 0.0
) -> Recorded:
    """Find the first game with this ending, not before the first turn."""
    for seed in range(10_000):
        game = played(players, options, seed, choosers[seed % len(choosers)], leave)
        left = sum(isinstance(step.action, Resign) for step in game.actions)
        if game.result.reason == reason and len(game.actions) > 60 and bool(left) == bool(leave):
            return game
    raise LookupError(f"no game of {players} ends by {reason}")


def with_a_leavers_pass(players: int) -> Iterator[Recorded]:
    """Find a game that ends by the pass of a leaver under rules 1, and return it under rules 1 and rules 2 (R8.1)."""
    options = GameOptions(start="introductory")
    for seed in range(10_000):
        old, new = (played(players, options, seed, lively, 0.03, rules) for rules in (1, 2))
        if len(new.actions) > len(old.actions) + 10 > 60:
            yield from (old, new)
            return


def games_of_the_base_game() -> Iterator[tuple[str, Recorded]]:
    """Two games of each set-up, one with the red zone and one with another ending; and some with resignations."""
    others: list[tuple[EndReason, list[Chooser], float]] = [
        ("no_expansion", [lively, crowding, passive], 0.0),
        ("resigned", [lively, keen], 0.02),
    ]
    layouts = ("printed", "explicit", "draft", "random")
    for number, (players, kind, layout) in enumerate(product((2, 3, 4, 5), STARTS, layouts)):
        name, chosen = f"{players}-{kind}-{layout}", options(layout, players, kind, BASE_GAME, seed=number)
        yield f"{name}-red-zone", wanted(players, chosen, "red_zone", [keen, crowding, lively])
        reason, choosers, leave = others[(number + number // 4) % 2]
        yield f"{name}-{reason.replace('_', '-')}", wanted(players, chosen, reason, choosers, leave)
        if players > 2 and layout == "printed":
            yield f"{name}-red-zone-one-left", wanted(players, chosen, "red_zone", [keen], 0.005)
    for players in (3, 4, 5):
        for game in with_a_leavers_pass(players):
            yield f"{players}-leavers-pass-rules-{game.rules}", game


def games_with_modules() -> Iterator[tuple[str, Recorded]]:
    """Three games of each combination of modules, the most interesting of several."""
    for number, modules in enumerate(MODULES):
        for variation in range(3):
            players = 2 + (number + variation) % 4
            layout = LAYOUTS[(number // 4 + number + variation) % 4]
            chosen = options(layout, players, STARTS[(number // 2 + variation) % 2], modules, seed=number)
            leave = 0.01 if players > 2 and (3 * number + variation) % 9 == 0 else 0.0
            tries = [played(players, chosen, 1000 * number + seed, resourceful, leave) for seed in range(30)]
            yield f"modules/{_name(players, layout, chosen)}", max(tries, key=_interest)


def _name(players: int, layout: str, chosen: GameOptions) -> str:
    modules = chosen.modules
    words = {
        "milestones": modules.milestones,
        "boom": modules.boom,
        f"tiles-{'chosen' if modules.region_tiles == CHOSEN else modules.region_tiles}": modules.region_tiles,
        f"expert-{layout}": chosen.expert,
    }
    return "-".join([str(players), chosen.start, *(word for word, there in words.items() if there)])


def _interest(game: Recorded) -> int:
    """Count special expansions, rare milestones, scored regions and an end in the red zone."""
    expansions = [step.action for step in game.actions if isinstance(step.action, Expand | ExpandAgain)]
    special = sum(len(action.path) > 2 or action.free_link is not None for action in expansions)
    rare = sum(len({"unscored_2_3_4", "two_8_links"} & set(reached)) for reached in game.result.milestones)
    return 4 * special + 3 * rare + 2 * len(game.result.track) + 5 * (game.result.reason == "red_zone")


def main() -> None:
    """Write missing games."""
    for games in (games_of_the_base_game(), games_with_modules()):
        for name, game in games:
            path = GAMES / f"{name}.json"
            if not path.exists():
                write(path, game)
                sys.stdout.write(f"{path.name}: {len(game.actions)} decisions, {game.result.reason}\n")


if __name__ == "__main__":
    main()
