"""The rules engine: whole random games on one core, compared with random games of chess and Catan."""

import random
import time
from collections.abc import Callable, Iterator

import catanatron
import chess

from bench.report import Comparison
from bench.rounds import interleave
from domain.decide import decide, legal_actions
from domain.modules import GameOptions, Modules
from domain.modules.expert import Draft
from domain.start import start

PLAYERS = (2, 3, 4, 5)
CATAN_PLAYERS = (2, 3, 4)
BASE = (GameOptions(), GameOptions(start="introductory"))
ALL_MODULES = (GameOptions(expert=Draft(), modules=Modules(milestones=True, boom=True, region_tiles="mixed")),)

# Each number of games takes about a second. Every round plays the same games.
GAMES = 480
CHESS_GAMES = 100
CATAN_GAMES = 36
MODULE_GAMES = 120


def measure_engine() -> Iterator[Comparison]:
    """Compare steps a second with python-chess, and games a second with catanatron."""
    ours, by_moves, by_question, all_modules = interleave(
        "engine, compared with chess",
        lambda _: steps_a_second(GAMES, BASE),
        lambda _: _chess_steps_a_second(_play_chess),
        lambda _: _chess_steps_a_second(_play_chess_with_is_game_over),
        lambda _: steps_a_second(MODULE_GAMES, ALL_MODULES),
    )
    name, unit, fastest = "whole random games", "steps/s", "python-chess, end seen from the moves"
    yield Comparison(name, unit, ours, fastest, by_moves, at_least=1.3)
    yield Comparison(name, unit, ours, "python-chess, is_game_over() each step", by_question, at_least=1.3)
    yield Comparison("the same, draft and all modules", unit, all_modules, fastest, by_moves)
    ours, theirs = interleave("engine, compared with Catan", _games_a_second, _catan_games_a_second)
    yield Comparison(name, "games/s", ours, "catanatron, RandomPlayer", theirs, at_least=5)


def steps_a_second(games: int, options: tuple[GameOptions, ...]) -> float:
    """Measure steps of random games with two or more choices."""
    began = time.perf_counter()
    steps = sum(
        _play(seed, PLAYERS[seed % len(PLAYERS)], options[seed // len(PLAYERS) % len(options)]) for seed in range(games)
    )
    return steps / (time.perf_counter() - began)


def _play(seed: int, players: int, options: GameOptions) -> int:
    """Play a random game, and return the number of steps with two or more choices."""
    choice = random.Random(seed).choice
    game = start(options, players, seed).game
    steps = 0
    while game.to_play is not None:
        legal = legal_actions(game)
        steps += len(legal) > 1
        game = decide(game, choice(legal).action).game
    return steps


def _chess_steps_a_second(play: Callable[[int], int]) -> float:
    began = time.perf_counter()
    steps = sum(play(seed) for seed in range(CHESS_GAMES))
    return steps / (time.perf_counter() - began)


def _play_chess(seed: int) -> int:
    """Play a game in the fastest way: a single list of moves shows mate and stalemate."""
    choice = random.Random(seed).choice
    board = chess.Board()
    steps = 0
    while moves := list(board.legal_moves):
        if board.is_insufficient_material() or board.is_seventyfive_moves() or board.is_fivefold_repetition():
            break
        steps += len(moves) > 1
        board.push(choice(moves))
    return steps


def _play_chess_with_is_game_over(seed: int) -> int:
    choice = random.Random(seed).choice
    board = chess.Board()
    steps = 0
    while not board.is_game_over():
        moves = list(board.legal_moves)
        steps += len(moves) > 1
        board.push(choice(moves))
    return steps


def _games_a_second(_: int) -> float:
    """Measure games with the same numbers of players as the Catan games."""
    began = time.perf_counter()
    for seed in range(GAMES):
        _play(seed, CATAN_PLAYERS[seed % len(CATAN_PLAYERS)], BASE[seed % len(BASE)])
    return GAMES / (time.perf_counter() - began)


def _catan_games_a_second(_: int) -> float:
    colours = list(catanatron.Color)
    began = time.perf_counter()
    for seed in range(CATAN_GAMES):
        players = [catanatron.RandomPlayer(colour) for colour in colours[: CATAN_PLAYERS[seed % len(CATAN_PLAYERS)]]]
        catanatron.Game(players, seed=seed + 1).play()
    return CATAN_GAMES / (time.perf_counter() - began)
