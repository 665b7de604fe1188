"""The fold of facts into a game. It never refuses a fact, reads no clock and draws nothing."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.base import FOLDS
from domain.boards import load_board
from domain.facts import FactBase
from domain.game import Folds, Game
from domain.modules import GameFact, GameStarted, PhaseBegan, modules_for
from domain.rules_version import KNOWN_RULES, RULES_VERSION
from domain.state import Player, Region


class UnknownRules(ValueError):
    """A game whose version of the rules is unknown to this program."""


def replay(facts: Iterable[GameFact]) -> Game:
    """Return the game after these facts; the first one must be ``GameStarted``."""
    remaining = iter(facts)
    started = next(remaining)
    if not isinstance(started, GameStarted):
        raise TypeError(f"a game begins with GameStarted, not with {type(started).__name__}")
    game = new_game(started)
    for fact in remaining:
        game = evolve(game, fact)
    return game


def new_game(started: GameStarted) -> Game:
    """Return the game at its start: an empty board, nothing dealt.

    Raise ``UnknownRules`` for rules of a later release, because other rules would spoil the game.
    """
    if started.rules not in KNOWN_RULES:
        raise UnknownRules(f"this program knows the rules up to version {RULES_VERSION}, not {started.rules}")
    board = load_board(started.options.board)
    return Game(
        board=board,
        rules=started.rules,
        seed=started.seed,
        expansion_tiles=started.tiles,
        modules=modules_for(started.options),
        players=(Player(supply=board.franchises_per_player),) * started.players,
        values=(0,) * len(board.places),
        spaces=((),) * len(board.places),
        regions=(Region(),) * len(board.regions),
        open=board.towns & ~board.closed(started.players),
    )


def evolve(game: Game, fact: FactBase) -> Game:
    fold = _FOLDS.get(type(fact))
    if fold is not None:
        game = fold(game, fact)
    for module in game.modules:
        game = module.fold(game, fact)
    return game


def _phase_began(game: Game, fact: PhaseBegan) -> Game:
    return replace(game, phase=fact.phase, to_play=fact.seat)


_FOLDS: Folds = {**FOLDS, PhaseBegan: _phase_began}
