"""Real games with all their facts, as a store would record them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any, TypeVar

import msgspec

from domain.actions import EndTurn, Resign
from domain.boards import load_region_tiles
from domain.decide import decide, legal_actions
from domain.game import Game
from domain.modules import Action, Fact, GameFact, GameOptions, TableFact
from domain.refused import Refused
from domain.seating import open_table
from domain.start import start
from domain.stream import Recorded
from domain.table import Table, change_table, new_table
from domain.timeline import Timeline, common_moment, follow
from domain.undo import answer, redo, undo
from projections.history import GameHistory, history, history_page

ANN, BOB, CID, DAN, EVE = range(5)
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve")
NEW_TILES = load_region_tiles()

View = TypeVar("View")


def sit_down(seats: int, names: Sequence[str] = NAMES, **options: Any) -> Table:
    """Return a table at which some players have joined and play has not begun."""
    opened, *others = open_table(seats, names[:seats], GameOptions(**options))
    table = new_table(opened)
    for version, fact in enumerate(others, start=2):
        table = change_table(table, version, fact)
    return table


class Match:
    """A game with every recorded fact."""

    def __init__(self, players: int, seed: int = 1, **options: Any) -> None:
        """Ann has seat 0 and is the first player by default."""
        settings = GameOptions(**{"first_player": ANN, **options})
        decision = start(settings, players, seed, NEW_TILES)
        self.game = decision.game
        self.facts: list[Fact] = [*open_table(players, NAMES[:players], settings), *decision.facts]

    @property
    def version(self) -> int:
        """The version of the latest fact."""
        return len(self.facts)

    @property
    def events(self) -> tuple[Recorded, ...]:
        """All facts with their versions."""
        return tuple(Recorded(version, "", fact) for version, fact in enumerate(self.facts, start=1))

    @property
    def game_facts(self) -> list[GameFact]:
        """The facts of the game alone."""
        return [fact for fact in self.facts if not isinstance(fact, TableFact)]

    @property
    def table(self) -> Table:
        """The current table."""
        table = new_table(self.facts[0])
        for recorded in self.events[1:]:
            table = change_table(table, recorded.version, recorded.fact)
        return table

    @property
    def timeline(self) -> Timeline:
        """The fold of all facts."""
        return follow(None, self.facts)

    def play(self, *actions: Action, seat: int | None = None) -> "Match":
        """Take these actions."""
        for action in actions:
            decision = decide(self.game, action, seat)
            self.facts += decision.facts
            self.game = decision.game
        return self

    def record(self, *facts: Fact) -> "Match":
        """Record facts of the table."""
        self.facts += facts
        return self

    def play_on(self, luck: Random) -> "Match":
        """Take one more action; occasionally a player resigns instead."""
        if luck.random() < 0.005:
            return self.play(Resign(), seat=luck.choice(self.game.playing()))
        return self.play(any_action(self.game, luck))

    def finish(self, luck: Random) -> "Match":
        """Play until the game is over."""
        while self.game.ending is None:
            self.play_on(luck)
        return self


def history_of(timeline: Timeline, events: Sequence[Recorded], after: int = 0, limit: int = 10**6) -> GameHistory:
    """Return the history of a game from all its events."""
    page = history_page(timeline.now, common_moment(timeline, after), limit)
    of_page = {version for part in page.versions for version in part}
    return history(timeline.version, timeline.table, page, [event for event in events if event.version in of_page])


def seated(seats: int, names: Sequence[str] = NAMES, **options: Any) -> Timeline:
    """Return the timeline of a table at which some players have joined and play has not begun."""
    return follow(None, open_table(seats, names[:seats], GameOptions(**options)))


def any_action(game: Game, luck: Random) -> Action:
    """Choose a random legal action, less often the end of the turn."""
    actions = [legal.action for legal in legal_actions(game)]
    others = [action for action in actions if not isinstance(action, EndTurn)]
    return luck.choice(others if others and luck.random() < 0.85 else actions)


def sent(view: View) -> View:
    """Return the view as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(view), type=type(view), strict=True)


def anything(timeline: Timeline, luck: Random, players: int) -> Sequence[Fact]:
    """Return the facts of an action, a resignation, an undo, a redo or an answer, whichever is possible."""
    game, seat = timeline.game, luck.randrange(players)
    assert game is not None
    tries: list[Callable[[], Sequence[Fact]]] = [
        lambda: undo(timeline, seat, None),
        lambda: redo(timeline, seat),
        lambda: answer(timeline, seat, luck.random() < 0.7),
        lambda: decide(game, Resign(), seat).facts if luck.random() < 0.02 else (),
        *[lambda: decide(game, any_action(game, luck)).facts if game.to_play is not None else ()] * 3,
    ]
    with suppress(Refused):
        return luck.choice(tries)()
    return ()
