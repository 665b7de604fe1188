"""The facts of one decision while they come about."""

from collections.abc import Callable, Iterable

import msgspec

from domain.events import GameFact
from domain.evolve import evolve
from domain.game import Game
from domain.modules.base import Module


class Outcome(msgspec.Struct, frozen=True):
    """What a decision led to: the facts in order, and the game after them."""

    facts: tuple[GameFact, ...]
    game: Game


class Story:
    """A game that goes on fact by fact, so that each consequence is judged on the state it is met in."""

    __slots__ = ("facts", "game")

    def __init__(self, game: Game) -> None:
        """Begin with the game as it is."""
        self.game = game
        self.facts: list[GameFact] = []

    def tell(self, fact: GameFact) -> None:
        """Go on by one fact."""
        self.facts.append(fact)
        self.game = evolve(self.game, fact)

    def tell_all(self, facts: Iterable[GameFact]) -> None:
        """Go on by several facts."""
        for fact in facts:
            self.tell(fact)

    def ask_modules(self, question: Callable[[Module, Game], Iterable[GameFact]]) -> None:
        """Go on by what each module answers in turn, as it stands after the answers before."""
        for number in range(len(self.game.modules)):
            self.tell_all(question(self.game.modules[number], self.game))

    def notice(self) -> None:
        """Go on by what the modules notice in the game as it is now."""
        self.ask_modules(lambda module, game: module.notice(game))

    def outcome(self) -> Outcome:
        """The whole decision."""
        return Outcome(tuple(self.facts), self.game)
