"""The course of a game as data: the phases in their order, and what happens by itself in them (R2.3, R3 to R8).

The core knows the starting towns and the five phases of a turn; modules bring phases of their own.
"""

from functools import cache

from domain.actions import Action, ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, TakeDollars
from domain.events import PhaseBegan, StartingMoneyReceived, TurnEnded, TurnStarted
from domain.game import Game
from domain.modules.base import Module, Offer, Phase
from domain.offers import bonus_tile, end_of_turn, expansions, increases, starting_towns
from domain.scoring import count_final, income, open_franchises, score_regions
from domain.story import Story

# --- what happens by itself ------------------------------------------------------------------------------------


def pay_starting_money(story: Story) -> None:
    """Starting money by turn order (R2.3)."""
    game = story.game
    amounts = game.board.starting_money[len(game.players)]
    for order, seat in enumerate(game.clockwise_from(game.first_player)):
        if not game.players[seat].resigned:
            story.tell(StartingMoneyReceived(seat, order + 1, amounts[order]))


def start_turn(story: Story) -> None:
    """The next player still playing begins their turn (R2.1)."""
    game = story.game
    seat = game.next_playing(game.turn.seat) if game.turn.number else game.playing()[0]
    story.tell(TurnStarted(seat, game.turn.number + 1))


def pay_income(story: Story) -> None:
    """Phase 1 (R3.1)."""
    story.tell(income(story.game, story.game.turn.seat))


def end_turn(story: Story) -> None:
    """The turn is over; the game ends with it if a region tile lies in the red zone or nobody expands (R8.1)."""
    game = story.game
    board = game.board
    expanded = game.turn.expanded
    idle_turns = 0 if expanded else game.idle_turns + 1
    story.tell(TurnEnded(game.turn.seat, expanded, idle_turns))
    if len(game.track) >= board.region_track.red_from:
        count_final(story, "red_zone")
    else:
        end_if_nobody_expands(story)


def end_if_nobody_expands(story: Story) -> None:
    """As many turns in a row without an expansion as there are players still playing end the game (R8.1)."""
    idle_turns = story.game.idle_turns
    if idle_turns and idle_turns >= len(story.game.playing()):
        count_final(story, "no_expansion")


# --- the phases in their order ---------------------------------------------------------------------------------


def _next_to_found(game: Game) -> int | None:
    """In reverse turn order, the next player without a first franchise (R2.3)."""
    return next((seat for seat in reversed(game.playing()) if not game.players[seat].present), None)


def _active(game: Game) -> int:
    return game.turn.seat


def _active_once_increased(game: Game) -> int | None:
    """After the first increase the turn has no more phase 2 (R5.1)."""
    return game.turn.seat if game.turn.centre else None


_INCREASE_OR_END: dict[Offer, tuple[type[Action], ...]] = {
    increases: (Increase,),
    bonus_tile: (Double, TakeDollars),
    end_of_turn: (EndTurn,),
}

TOWNS = Phase("towns", chooser=_next_to_found, offers={starting_towns: (ChooseTown,)})
MONEY = Phase("starting_money", happens=pay_starting_money)
START = Phase("turn_start", happens=start_turn)
INCOME = Phase("income", happens=pay_income)
EXPAND = Phase(
    "expand",
    chooser=_active,
    offers={expansions: (Expand, ExpandAgain), **_INCREASE_OR_END},
    ends_with=(Increase, EndTurn),
)
INCREASE = Phase(
    "increase",
    chooser=_active_once_increased,
    offers=_INCREASE_OR_END,
    ends_with=(EndTurn,),
)
OPEN = Phase("open", happens=open_franchises)
REGIONS = Phase("regions", happens=score_regions)
END = Phase("turn_end", happens=end_turn)


class Course:
    """The phases of a game with certain modules, in order."""

    def __init__(self, modules: tuple[type[Module], ...]) -> None:
        """Put the modules' phases where they belong."""
        before_towns = [phase for module in modules for phase in module.before_towns]
        after_towns = [phase for module in modules for phase in module.after_towns]
        before_income = [phase for module in modules for phase in module.before_income]
        self.set_up = (*before_towns, TOWNS, *after_towns, MONEY)
        self.turn = (START, *before_income, INCOME, EXPAND, INCREASE, OPEN, REGIONS, END)
        self.phases = {phase.name: phase for phase in (*self.set_up, *self.turn)}
        self.following = dict(zip(self.phases.values(), (*list(self.phases.values())[1:], START), strict=True))


@cache
def _course(modules: tuple[type[Module], ...]) -> Course:
    return Course(modules)


def course_of(game: Game) -> Course:
    """The course of this game."""
    return _course(tuple(map(type, game.modules)))


def advance(story: Story, phase: Phase) -> None:
    """Play on from the beginning of a phase until somebody has to decide or the game is over."""
    following = course_of(story.game).following
    while story.game.ending is None:
        if phase.happens is not None:
            phase.happens(story)
        elif phase.chooser is not None and (seat := phase.chooser(story.game)) is not None:
            if (phase.name, seat) != (story.game.phase, story.game.to_play):
                story.tell(PhaseBegan(phase.name, seat))
            return
        phase = following[phase]
