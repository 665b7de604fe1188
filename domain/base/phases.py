"""The phases of a game in order: those of the base game and those of its modules."""

from functools import cache

from domain.actions import ActionBase, ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.base.bonus_tiles import bonus_actions
from domain.base.city_scoring import open_franchises
from domain.base.expand import expansions
from domain.base.game_end import close_turn
from domain.base.income import pay_income
from domain.base.increase import active_once_increased, increases
from domain.base.region_scoring import score_regions
from domain.base.set_up import next_to_choose, pay_starting_money, starting_towns
from domain.base.turn import active_seat, end_of_turn, start_turn
from domain.game import Game, LegalActions, Module, Phase
from domain.phase_names import EXPAND, INCREASE, TOWNS

_INCREASE_OR_END: dict[LegalActions, tuple[type[ActionBase], ...]] = {
    increases: (Increase,),
    bonus_actions: (Double, TakeDollars),
    end_of_turn: (EndTurn,),
}

_TOWNS = Phase(TOWNS, chooser=next_to_choose, actions={starting_towns: (ChooseTown,)})
_MONEY = Phase("starting_money", automatic=pay_starting_money)

START = Phase("turn_start", automatic=start_turn)
"""The first phase of every turn."""

_TURN = (
    Phase("income", automatic=pay_income),
    Phase(
        EXPAND,
        chooser=active_seat,
        actions={expansions: (Expand, ExpandAgain), **_INCREASE_OR_END},
        ends_with=(Increase, EndTurn),
    ),
    Phase(INCREASE, chooser=active_once_increased, actions=_INCREASE_OR_END, ends_with=(EndTurn,)),
    Phase("open", automatic=open_franchises),
    Phase("regions", automatic=score_regions),
    Phase("turn_end", automatic=close_turn),
)


class PhaseOrder:
    """The phases of a game with certain modules, in order."""

    def __init__(self, modules: tuple[type[Module], ...]) -> None:
        before_towns = [phase for module in modules for phase in module.before_towns]
        after_towns = [phase for module in modules for phase in module.after_towns]
        before_income = [phase for module in modules for phase in module.before_income]
        self.set_up = (*before_towns, _TOWNS, *after_towns, _MONEY)
        self.turn = (START, *before_income, *_TURN)
        self.phases = {phase.name: phase for phase in (*self.set_up, *self.turn)}
        self.following = dict(zip(self.phases.values(), (*list(self.phases.values())[1:], START), strict=True))


@cache
def _phase_order(modules: tuple[type[Module], ...]) -> PhaseOrder:
    return PhaseOrder(modules)


def phase_order_of(game: Game) -> PhaseOrder:
    return _phase_order(tuple(map(type, game.modules)))
