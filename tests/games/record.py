"""Finished games on file: how they are written, read and played again.

``python -m tests.games.record`` plays a set of random games, each until it ends the way it is wanted to, and writes
them beside this file, always the same ones. Games that are there already are left alone, so that a change of the
rules cannot slip into them unseen; remove a file to have it written anew. Games marked ``by_hand`` were worked out
from the rulebook and are never written by a program.
"""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from domain.actions import Resign
from domain.board import Board
from domain.boards import load_board
from domain.decide import decide
from domain.facts import FinalCounted
from domain.field_types import EndReason
from domain.game import Game
from domain.modules import Action, GameOptions
from domain.modules.expert import Draft, ExplicitLayout, RandomLayout
from domain.rules_version import RULES_VERSION
from domain.start import start
from domain.state import Earned
from tests.domain.choosers import Chooser, crowding, keen, lively, passive

GAMES = Path(__file__).parent
STARTS = ("standard", "introductory")
LAYOUTS = ("printed", "explicit", "draft", "random")


class Step(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A decision, and in games worked out by hand how everybody stands when it has taken its course."""

    seat: int
    action: Action
    comment: str = ""
    money: tuple[int, ...] | None = None
    influence: tuple[int, ...] | None = None


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a game: the final counts, and the pieces of every player."""

    reason: EndReason
    winners: tuple[int, ...]
    decided_by: str
    finals: tuple[dict[str, Any], ...]
    earned: tuple[Earned, ...]
    money: tuple[int, ...]
    supply: tuple[int, ...]
    bonus_tiles: tuple[int, ...]


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished game: what it was played with, every decision, and the result."""

    options: GameOptions
    players: int
    seed: int
    actions: tuple[Step, ...]
    result: Result
    title: str = ""
    by_hand: bool = False
    rules: int = 1


def recorded_games() -> list[Path]:
    """Return the files, in order."""
    return sorted(GAMES.glob("*.json"))


def read(path: Path) -> Recorded:
    """Return a game from its file."""
    return msgspec.json.decode(path.read_bytes(), type=Recorded)


def write(path: Path, game: Recorded) -> None:
    """One line a decision, so that a difference can be read."""
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
    return Result(
        reason=msgspec.convert(game.ending.reason, EndReason),
        winners=game.ending.winners,
        decided_by=game.ending.decided_by,
        finals=tuple(_line(final) for final in game.finals),
        earned=tuple(player.earned for player in game.players),
        money=tuple(player.money for player in game.players),
        supply=tuple(player.supply for player in game.players),
        bonus_tiles=tuple(player.bonus_tiles for player in game.players),
    )


def _line(final: FinalCounted) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(final).items() if name != "type"}


# --- the games that are written ----------------------------------------------------------------------------------


def set_ups(board: Board) -> Iterator[tuple[str, int, GameOptions]]:
    """Every number of players with every start and every layout."""
    for players, kind, layout in product((2, 3, 4, 5), STARTS, LAYOUTS):
        layouts = {
            "printed": None,
            "explicit": agreed(board, players, Random(f"{players}/{kind}")),
            "draft": Draft(),
            "random": RandomLayout(),
        }
        yield f"{players}-{kind}-{layout}", players, GameOptions(start=kind, expert=layouts[layout])  # type: ignore[arg-type]


def agreed(board: Board, players: int, luck: Random) -> ExplicitLayout:
    """Return a layout that the players might have agreed on."""
    closed = board.closed_regions[players]
    cities: dict[str, int] = {}
    for group in board.expert_groups:
        places = [p.id for p in board.places if p.kind == "city" and p.spaces in group and p.region not in closed]
        tiles = [tile for tile in board.city_tiles if tile in group]
        cities |= dict(zip(places, luck.sample(tiles, len(places)), strict=True))
    tiles_of = luck.sample([region.id for region in board.regions], len(board.regions))
    in_play = [region.id for region in board.regions if region.id not in closed]
    return ExplicitLayout(cities, dict(zip(in_play, tiles_of, strict=False)))


def played(
    players: int, options: GameOptions, seed: int, chooser: Chooser, leave: float, rules: int = RULES_VERSION
) -> Recorded:
    """Play a whole game; at each decision somebody may leave instead."""
    luck = Random(seed)
    game = start(options, players, seed, rules=rules).game
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
    """Find the first game that ends like that, and not before the first turn."""
    for seed in range(10_000):
        game = played(players, options, seed, choosers[seed % len(choosers)], leave)
        left = sum(isinstance(step.action, Resign) for step in game.actions)
        if game.result.reason == reason and len(game.actions) > 60 and bool(left) == bool(leave):
            return game
    raise LookupError(f"no game of {players} ends by {reason}")


def with_a_leavers_pass(players: int) -> Iterator[Recorded]:
    """Find a game that the pass of a leaver ends under rules 1, and return it as rules 1 and rules 2 have it (R8.1)."""
    options = GameOptions(start="introductory")
    for seed in range(10_000):
        old, new = (played(players, options, seed, lively, 0.03, rules) for rules in (1, 2))
        if len(new.actions) > len(old.actions) + 10 > 60:
            yield from (old, new)
            return


def every_game() -> Iterator[tuple[str, Recorded]]:
    """Two games of each set-up: one to the red zone, one ending otherwise; and some that a player left on the way."""
    others: list[tuple[EndReason, list[Chooser], float]] = [
        ("no_expansion", [lively, crowding, passive], 0.0),
        ("resigned", [lively, keen], 0.02),
    ]
    for number, (name, players, options) in enumerate(set_ups(load_board("usa-1960s"))):
        yield f"{name}-red-zone", wanted(players, options, "red_zone", [keen, crowding, lively])
        reason, choosers, leave = others[(number + number // 4) % 2]
        yield f"{name}-{reason.replace('_', '-')}", wanted(players, options, reason, choosers, leave)
        if players > 2 and options.expert is None:
            yield f"{name}-red-zone-one-left", wanted(players, options, "red_zone", [keen], 0.005)
    for players in (3, 4, 5):
        for game in with_a_leavers_pass(players):
            yield f"{players}-leavers-pass-rules-{game.rules}", game


def main() -> None:
    """Write what is not there yet."""
    for name, game in every_game():
        path = GAMES / f"{name}.json"
        if not path.exists():
            write(path, game)
            sys.stdout.write(f"{path.name}: {len(game.actions)} decisions, {game.result.reason}\n")


if __name__ == "__main__":
    main()
