"""What may be decided, and what follows from a decision: ``legal_actions`` and ``decide``."""

from collections.abc import Callable
from typing import Any

from domain.actions import Action, ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.events import (
    ActionTaken,
    DollarsTaken,
    Doubled,
    Expanded,
    Increased,
    Resigned,
    TownFounded,
    TurnTakenBack,
)
from domain.game import Game
from domain.modules.base import Legal
from domain.offers import INCREASE_COST, price
from domain.phases import START, advance, course_of, end_if_nobody_expands
from domain.refusals import check_seat, refusal
from domain.scoring import count_final
from domain.story import Outcome, Story

BONUS_DOLLARS = 10


def legal_actions(game: Game) -> tuple[Legal, ...]:
    """Every atomic action open to the player who decides, always in the same order.

    Two kinds are allowed without being listed: resigning (R13.1), and longer paths than the cheapest (R12.5).
    """
    known = _listed(game)
    if known is None:
        known = vars(game)["legal_actions"] = tuple(_legal_actions(game))
    return known


def find_legal(game: Game, action: Action) -> Legal | None:
    """What allows an action of the player who decides, if anything does; only what may list it is asked."""
    known = _listed(game)
    for legal in _legal_actions(game, type(action)) if known is None else known:
        if legal.action == action:
            return legal
    permits = (module.permits(game, action) for module in game.modules)
    return next((legal for legal in permits if legal is not None), None)


def decide(game: Game, action: Action, seat: int | None = None) -> Outcome:
    """The facts that follow from an action, and the game after them; raises ``Refused`` if it is not allowed.

    Without a seat the action is taken by the player who decides.
    """
    seat = check_seat(game, action, seat)
    story = Story(game)
    story.tell(ActionTaken(seat, action))
    if isinstance(action, Resign):
        _resign(story, seat)
    elif find_legal(game, action) is None:
        raise refusal(game, action)
    else:
        _follow(story, seat, action)
    return story.outcome()


def _listed(game: Game) -> tuple[Legal, ...] | None:
    """The list of legal actions, if somebody has asked for it before."""
    known: tuple[Legal, ...] | None = vars(game).get("legal_actions")
    return known


def _legal_actions(game: Game, kind: type[Action] | None = None) -> list[Legal]:
    """What is allowed in the phase, or those parts of it that have actions of a kind."""
    found: list[Legal] = []
    if game.to_play is not None:
        for offer, kinds in course_of(game).phases[game.phase].offers.items():
            if kind is None or kind in kinds:
                found += offer(game)
        for module in game.modules:
            found += module.offers(game)
    return found


def _follow(story: Story, seat: int, action: Action) -> None:
    """Tell what an allowed action brings, and play on until somebody has to decide again."""
    course = course_of(story.game)
    phase = course.phases[story.game.phase]
    consequence = _CONSEQUENCES.get(type(action), _tell_modules)
    consequence(story, seat, action)
    advance(story, course.following[phase] if isinstance(action, phase.ends_with) else phase)


def _choose_town(story: Story, seat: int, action: ChooseTown) -> None:
    story.tell(TownFounded(seat, action.town))


def _expand(story: Story, seat: int, action: Expand | ExpandAgain) -> None:
    costs = story.game.board.link_costs(action.path)
    again = isinstance(action, ExpandAgain)
    story.tell(Expanded(seat, action.path, costs, price(costs, action.free_link), again, action.free_link))
    story.notice()


def _increase(story: Story, seat: int, action: Increase) -> None:
    story.tell(Increased(seat, action.city, INCREASE_COST))


def _double(story: Story, seat: int, action: Double) -> None:
    story.tell(Doubled(seat, action.city))


def _take_dollars(story: Story, seat: int, action: TakeDollars) -> None:
    story.tell(DollarsTaken(seat, BONUS_DOLLARS))


def _end_turn(story: Story, seat: int, action: EndTurn) -> None:
    """Everything that follows happens by itself, in the phases after the player's decisions (R6, R7)."""


def _tell_modules(story: Story, seat: int, action: Action) -> None:
    for module in story.game.modules:
        facts = module.decide(story.game, seat, action)
        if facts is not None:
            story.tell_all(facts)


_CONSEQUENCES: dict[type, Callable[[Story, int, Any], None]] = {
    ChooseTown: _choose_town,
    Expand: _expand,
    ExpandAgain: _expand,
    Increase: _increase,
    Double: _double,
    TakeDollars: _take_dollars,
    EndTurn: _end_turn,
}


def _resign(story: Story, seat: int) -> None:
    """A player leaves: their turn is taken back and the others play on, or the last one is counted (R13.1)."""
    story.tell(Resigned(seat))
    game = story.game
    alone = len(game.playing()) == 1
    in_turn = game.turn.number > 0
    if in_turn and (alone or seat == game.turn.seat):
        _take_back_turn(story)
    if alone:
        count_final(story, "resigned")
    elif not in_turn:
        advance(story, course_of(game).phases[game.phase])
    elif seat == game.turn.seat:
        end_if_nobody_expands(story)
        advance(story, START)


def _take_back_turn(story: Story) -> None:
    turn, places = story.game.turn, story.game.board.places
    markers = tuple(places[place].id for place in turn.markers)
    centre = tuple(places[place].id for place in turn.centre)
    story.tell(TurnTakenBack(turn.seat, markers, centre))
