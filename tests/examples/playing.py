"""Check the environment of PettingZoo. A test runs this program with the packages of the examples.

examples/.venv/bin/python -m tests.examples.playing PLAYERS
"""

import pickle
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from itertools import product
from textwrap import dedent
from typing import Any

import numpy as np
from msgspec.structs import replace
from pettingzoo.test import api_test, render_test, seed_test

from domain.decide import legal_actions
from domain.modules.milestones import Milestones
from examples import franchise_env
from examples.franchise_env import ACTIONS, PARTS, env, number_of, observation_of, raw_env, slices

EVERYTHING = {
    "start": "introductory",
    "expert": {"mode": "draft"},
    "modules": {"milestones": True, "boom": True, "region_tiles": "mixed"},
}
VARIANTS = [
    {"start": start, "expert": expert, "modules": {"milestones": more, "boom": more, "region_tiles": tiles}}
    for (start, expert), (more, tiles) in product(
        [("standard", {"mode": "draft"}), ("introductory", {"mode": "random"}), ("standard", None)],
        [(True, "new"), (True, "mixed"), (False, None)],
    )
]
UNBOUNDED = {"turns", "money", "influence"}
"""The parts whose values have no natural bound."""


def check_by_pettingzoo(players: int, options: dict[str, Any]) -> None:
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        # the advice of api_test that also applies to the board games of PettingZoo itself, which have masks, too
        for advice in (
            "Observation space for each agent probably",
            "Observation is not a NumPy",
            "Action mask .* zeros",
        ):
            warnings.filterwarnings("ignore", advice)
        api_test(env(players=players, options=options), num_cycles=100)
        seed_test(lambda: env(players=players, options=options), num_cycles=60)
        render_test(lambda render_mode: env(players=players, options=options, render_mode=render_mode))


def play(players: int, options: dict[str, Any], seed: int) -> list[Any]:
    """Play a whole game with random legal actions; return what there is to see, and check it in every position."""
    game = raw_env(players=players, options=options)
    game.reset(seed=seed)
    luck, seen, rewards = np.random.default_rng(seed), list[Any](), dict[str, float]()
    for agent in game.agent_iter():
        observation, reward, over, truncated, _ = game.last()
        assert game.observation_space(agent).contains(observation)
        assert not truncated
        if over:
            rewards[agent] = reward
            assert not observation["action_mask"].any()
            game.step(None)
            continue
        assert reward == 0
        check_mask(game, observation["action_mask"])
        check_observation(game, observation["observation"], game.possible_agents.index(agent))
        seen.append(observation["observation"].tobytes())
        game.step(luck.choice(np.flatnonzero(observation["action_mask"])))
    ending = game.game.ending
    assert ending is not None
    assert abs(sum(rewards.values())) < 1e-9
    best = {agent for agent, reward in rewards.items() if reward == max(rewards.values())}
    assert best == {f"player_{seat}" for seat in ending.winners}
    assert len(rewards) == players
    return seen


def check_mask(game: Any, mask: Any) -> None:
    """Each legal action has a number of its own, and only their numbers are in the mask."""
    numbers = sorted(number_of(legal.action) for legal in legal_actions(game.game))
    assert np.flatnonzero(mask).tolist() == numbers
    assert len(set(numbers)) == len(numbers)


def check_observation(game: Any, observation: Any, seat: int) -> None:
    state = game.game
    at = slices(len(state.players))
    seats = [*range(seat, len(state.players)), *range(seat)]
    assert observation[at["money"]].tolist() == [min(200, state.players[other].money) for other in seats]
    assert observation[at["influence"]].tolist() == [min(200, state.players[other].influence) for other in seats]
    assert observation[at["to_play"]].tolist() == [1] + [0] * (len(seats) - 1)
    assert observation[at["values"]].tolist() == list(state.values)
    assert observation[at["phase"]].sum() == 1
    if milestones := Milestones.find(state):
        drawn = observation[at["milestones"]][:7]
        assert drawn.sum() == len(milestones.drawn)
        assert observation[at["milestones"]][7:].sum() == sum(map(len, milestones.reached))
    for part in PARTS:
        values = part.values(state, seats)
        assert part.name in UNBOUNDED or part.low <= min(values) <= max(values) <= part.high, part.name
    assert np.array_equal(observation, observation_of(replace(state, seed=state.seed + 1), seat)), "the seed is hidden"


def check_seeds(players: int) -> None:
    """A seed gives the same game again; without one the next game is another."""
    assert play(players, EVERYTHING, 1) == play(players, EVERYTHING, 1) != play(players, EVERYTHING, 2)
    seeds = []
    for game in (raw_env(players=players), pickle.loads(pickle.dumps(raw_env(players=players)))):
        for seed in (5, None):
            game.reset(seed=seed)
            seeds.append(game.game.seed)
    first, second = seeds[:2], seeds[2:]
    assert first == second
    assert len(set(first)) == 2


def check_illegal_action(players: int) -> None:
    game = env(players=players)
    game.reset(seed=3)
    actor = game.agent_selection
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        game.step(ACTIONS.index(("end_turn",)))
    assert {agent: game._cumulative_rewards[agent] for agent in game.possible_agents} == {
        agent: -1 if agent == actor else 0 for agent in game.possible_agents
    }
    assert all(game.terminations.values())


def check_text(players: int) -> None:
    game = env(players=players, render_mode="ansi")
    game.reset(seed=3)
    game.step(ACTIONS.index(("choose_town", "raleigh")))
    text = game.render()
    assert text.count("player_") == players
    assert f"Raleigh {(game.unwrapped.game.first_player - 1) % players}" in text
    assert "New York (8) -" in text


def shown_program() -> str:
    """The program in the docstring of the environment: its indented lines."""
    lines = str(franchise_env.__doc__).splitlines()
    return dedent("\n".join(line for line in lines if line.startswith("    ") or not line))


if __name__ == "__main__":
    number = int(sys.argv[1])
    for chosen in ({}, EVERYTHING):
        check_by_pettingzoo(number, chosen)
    exec(shown_program())
    positions = [len(play(number, variant, seed)) for seed, variant in enumerate(VARIANTS)]
    check_seeds(number)
    check_illegal_action(number)
    check_text(number)
    print(f"{len(positions)} games, {sum(positions)} positions")
