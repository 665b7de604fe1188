"""What the expansions of a game have to show: their records, found by kind."""

from typing import TypeVar

from domain.game import Game
from domain.modules.base import Module

M = TypeVar("M", bound=Module)


def find(game: Game, kind: type[M]) -> M | None:
    """The record of an expansion, None if the game is played without it."""
    return next((module for module in game.modules if isinstance(module, kind)), None)
