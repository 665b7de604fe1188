"""Bots are repeatable, keep their budgets, use no hidden information, and differ in strength as described."""

from random import Random

import pytest
from msgspec.structs import replace

from domain.board import members
from domain.bots import BOTS, Bot, OutOfTime, positions
from domain.bots.bot import without_limit
from domain.bots.evaluation import chances
from domain.bots.greedy import WIDTH
from domain.bots.turns import plans
from domain.bots.weights import FITTED, Weights
from domain.decide import legal_actions
from domain.game import Game
from domain.modules import Modules
from domain.modules.boom import MoveBoom
from domain.modules.expert import Draft
from tests.domain.bots.tables import play, result, seated
from tests.domain.positions import begin

EVERYTHING = Modules(milestones=True, boom=True, region_tiles="mixed")
FEW = 40


@pytest.mark.parametrize("modules", [Modules(), EVERYTHING], ids=["base", "expansions"])
def test_the_same_seed_and_budget_give_the_same_game(modules: Modules) -> None:
    game = begin(3, seed=5, modules=modules).game
    first, second, other = ([action for _, action in play(game, seated(3, 0), seed, FEW)] for seed in (1, 1, 2))
    assert first == second != other


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
def test_bots_do_not_read_hidden_information(bot: Bot) -> None:
    """Everything drawn is public; only the seed is hidden, which reveals later draws."""
    game = begin(2, seed=5, modules=EVERYTHING, expert=Draft()).game
    for number, (before, action) in enumerate(play(game, seated(2, 1), 5, FEW)):
        if number % 4 == 0:
            other = replace(before, seed=before.seed + 1, expansion_tiles=())
            chosen = [bot.choose(each, Random(number), positions(FEW)) for each in (before, other)]
            assert chosen[0] == chosen[1], action


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_bots_that_need_no_time_choose_the_same_without(name: str) -> None:
    bot = BOTS[name]
    for game, _ in play(begin(2, seed=2).game, [bot, bot], 2, FEW):
        assert bot.choose(game, Random(1), positions(0)) == bot.choose(game, Random(1), positions(10**6))


def test_the_planner_without_time_takes_the_best_looking_turn() -> None:
    planner, greedy = BOTS["planner"], BOTS["greedy"]
    for game, _ in play(begin(2, seed=2, modules=EVERYTHING).game, [greedy] * 2, 2, FEW):
        best = plans(game, FITTED, WIDTH, Random(1), without_limit)[0]
        assert planner.choose(game, Random(1), positions(0)) == best.actions[0]


@pytest.mark.parametrize("budget", [0, 30, 300])
def test_the_planner_keeps_its_budget(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It always evaluates one beam of turns, and more only within its budget."""
    looked_at: list[Game] = []

    def watched(game: Game, weights: Weights) -> tuple[float, ...]:
        looked_at.append(game)
        return chances(game, weights)

    def count(name: str, game: Game, budget: OutOfTime) -> int:
        looked_at.clear()
        BOTS[name].choose(game, Random(1), budget)
        return len(looked_at)

    monkeypatch.setattr("domain.bots.turns.chances", watched)
    greedy = BOTS["greedy"]
    counts = []
    for number, (game, _) in enumerate(play(begin(4, seed=2).game, [greedy] * 4, 2, 0)):
        if number % 5 == 0 and len(legal_actions(game)) > 1:
            least = count("planner", game, positions(0))
            counts.append(count("planner", game, positions(budget)))
            assert counts[-1] <= max(least, budget)
    assert max(counts) > 0.9 * budget, "it uses its budget if it has a choice"


def wins(
    challenger: str, field: str, games: int, budget: int, players: int = 2, modules: Modules | None = None
) -> float:
    """Return how many games one kind wins against a table of another; a shared victory counts in part."""
    won = 0.0
    for number in range(games):
        layout, seat = divmod(number, players)
        bots = [BOTS[field]] * players
        bots[seat] = BOTS[challenger]
        game = begin(players, seed=layout, modules=modules or Modules()).game
        ending = result(game, bots, number, budget).ending
        assert ending is not None
        won += (seat in ending.winners) / len(ending.winners)
    return won


def test_the_boom_marker_is_moved_where_it_doubles_spaces() -> None:
    """R11.3: it counts only for the active player, if present there."""
    game = begin(3, modules=Modules(boom=True)).game
    moves = [
        game.board.number[action.city] in members(game.active.present)
        for game, action in play(game, [BOTS["greedy"]] * 3, 1, 0)
        if isinstance(action, MoveBoom)
    ]
    assert moves
    assert all(moves)


def test_greedy_beats_random() -> None:
    assert wins("greedy", "random", 10, 0) >= 9


def test_the_planner_beats_greedy() -> None:
    assert wins("planner", "greedy", 4, 300) >= 3


def test_the_planner_beats_three_greedy_with_all_expansions() -> None:
    assert wins("planner", "greedy", 4, 100, 4, EVERYTHING) >= 2


def test_every_bot_has_a_description() -> None:
    assert all(name == bot.name and bot.description.endswith(".") for name, bot in BOTS.items())
