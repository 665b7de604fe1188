"""Any order of actions, undos and redos leaves the game that a pile of positions leaves."""

from random import Random
from uuid import UUID

import pytest
from domain.rules import legal_actions

from domain.application import Held
from domain.game import Game
from domain.table import Table
from tests.domain.application.tables import ALL_MODULES, Visitor, visiting


class Pile:
    """What undo has to do, done the plain way: positions on a pile, those taken back on another one."""

    def __init__(self, version: int, game: Game) -> None:
        self.done = [(version, game)]
        self.taken_back: list[list[tuple[int, Game]]] = []

    @property
    def game(self) -> Game:
        return self.done[-1][1]

    def act(self, version: int, game: Game) -> None:
        self.done.append((version, game))
        self.taken_back = []

    def undo(self, steps: int) -> int:
        self.taken_back.append(self.done)
        self.done = self.done[:-steps]
        return self.done[-1][0]

    def redo(self) -> None:
        self.done = self.taken_back.pop()


def step(visitor: Visitor, game: UUID, pile: Pile, random: Random) -> None:
    what = random.random()
    if what < 0.2 and len(pile.done) > 1:
        visitor.change("undo", game, None, pile.undo(random.randrange(1, len(pile.done))))
    elif what < 0.4 and pile.taken_back:
        pile.redo()
        visitor.change("redo", game, random.choice((None, 0, 1, 2)))
    elif pile.game.to_play is not None:
        action = random.choice(legal_actions(pile.game)).action
        acted = visitor.change("act", game, pile.game.to_play, action)
        assert acted.game is not None
        pile.act(acted.version, acted.game)


def standing(held: Held) -> tuple[Table, int, list[int], list[int]]:
    """Everything beside the game that the next undo depends on."""
    position = held.timeline.position
    assert position is not None
    moments = [moment.version for moment in position.actions()]
    return held.table, position.version, moments, [undone.version for undone in held.timeline.undone]


@pytest.mark.parametrize("seed", range(6))
def test_undo_and_redo_are_a_pile_of_positions(memory: Visitor, seed: int) -> None:
    started = memory.started(ALL_MODULES, 3)
    assert started.game is not None
    pile, random = Pile(started.version, started.game), Random(seed)
    seen = {started.version: started.game}
    for _ in range(120):
        step(memory, started.id, pile, random)
        held = memory.look(started.id)
        assert held.game == pile.game
        seen[held.version] = pile.game
    for version, game in seen.items():
        assert memory.look(started.id, version).game == game
    assert memory.wait(memory.club.audit(started.id)).ok


@pytest.mark.parametrize("seed", range(2))
def test_two_processes_see_each_others_undos(shared_url: str, seed: int) -> None:
    with visiting(shared_url) as here, visiting(shared_url) as there, visiting(shared_url, games_held=1) as cold:
        started = here.started(ALL_MODULES, 3)
        other = here.started()
        assert started.game is not None
        pile, random = Pile(started.version, started.game), Random(seed)
        for _ in range(60):
            step(random.choice((here, there)), started.id, pile, random)
            for visitor in (here, there, cold):
                assert visitor.look(started.id).game == pile.game
            assert (
                standing(here.look(started.id)) == standing(there.look(started.id)) == standing(cold.look(started.id))
            )
            cold.look(other.id)
        assert there.wait(there.club.audit(started.id)).ok
