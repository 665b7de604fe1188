"""Positions of real games for the pictures of the rules page. Every action passes through the rules."""

from domain.actions import ChooseTown, EndTurn, Expand, Increase
from domain.decide import decide
from domain.facts import RegionScored
from domain.modules import Action, Fact, GameOptions, Modules
from domain.modules.boom import PlaceBoom
from domain.seating import open_table
from domain.start import start
from domain.timeline import Timeline, follow

_PLAYERS = "Ann", "Bob", "Cem", "Dora"

_BEFORE: tuple[Action, ...] = (
    *map(ChooseTown, ("reno", "fargo", "ogallala", "sioux-falls")),
    *(Expand(("sioux-falls", "chicago")), EndTurn()),
    *(Expand(("ogallala", "chicago")), EndTurn()),
    *(Expand(("fargo", "minneapolis")), EndTurn()),
    *(Expand(("reno", "los-angeles")), EndTurn()),
    *(Expand(("chicago", "detroit")), Increase("chicago"), EndTurn()),
    *(Expand(("chicago", "detroit")), Increase("chicago"), EndTurn()),
    *(EndTurn(), EndTurn()),
    *(Increase("chicago"), Increase("detroit"), EndTurn()),
    *(Expand(("chicago", "minneapolis")), EndTurn()),
    *(EndTurn(), EndTurn()),
)
"""Three rounds of a game with four players. The next turn, Ann's, is the one in the pictures."""


class _Game:
    """A game with all its facts."""

    def __init__(self, players: int, modules: Modules) -> None:
        options = GameOptions(seed=1, first_player=0, modules=modules)
        begun = start(options, players, seed=1)
        self.game = begun.game
        self.facts: list[Fact] = [*open_table(players, _PLAYERS[:players], options), *begun.facts]

    def play(self, *actions: Action) -> Timeline:
        """Play these actions, and return the timeline after them."""
        for action in actions:
            decision = decide(self.game, action)
            self.facts += decision.facts
            self.game = decision.game
        return follow(None, self.facts)


def turn() -> dict[str, Timeline]:
    """Return the positions of one turn: after its income, after each decision, and after each kind of scoring."""
    game = _Game(4, Modules())
    decided = {
        "income": game.play(*_BEFORE),
        "expand": game.play(Expand(("detroit", "indianapolis"))),
        "increase": game.play(Increase("chicago"), Increase("detroit")),
    }
    game.play(EndTurn())
    scored = next(number for number, fact in enumerate(game.facts) if isinstance(fact, RegionScored))
    return decided | {
        "cities": follow(None, game.facts[:scored]),
        "region": follow(None, game.facts[: scored + 1]),
    }


def boom() -> Timeline:
    """Return a game with two players, and so with closed regions, in which Denver has the Boom marker."""
    return _Game(2, Modules(boom=True)).play(ChooseTown("pueblo"), ChooseTown("memphis"), PlaceBoom("denver"))
