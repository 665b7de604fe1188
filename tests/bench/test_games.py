"""Prepared games are the same in every run, and have the requested length."""

from bench.games import SEATED, long_script, positions_of_bots, random_script, scripts
from domain.decide import legal_actions
from domain.evolve import replay
from domain.modules import GameOptions, GameStarted


def test_a_seed_always_gives_the_same_game() -> None:
    assert random_script(3, 40) == random_script(3, 40)
    assert random_script(3, 40) != random_script(4, 40)


def test_scripts_have_the_requested_number_of_actions() -> None:
    assert [len(script.actions) for script in scripts(3, 50)] == [50, 50, 50]


def test_a_long_game_goes_on_for_500_moves() -> None:
    assert len(long_script(500).actions) == 500


def test_a_script_knows_how_long_its_stream_is() -> None:
    script = random_script(0, 60)
    facts = script.facts(100)
    taken = len(script.up_to(100))
    assert isinstance(facts[0], GameStarted)
    assert script.lengths[taken] == SEATED + len(facts)
    assert script.lengths[taken - 1] < 100 <= script.lengths[taken]
    assert replay(facts).to_play == script.actions[taken][0]


def test_bots_have_a_choice_in_every_position_from_the_set_up_to_the_end_of_a_game() -> None:
    positions, others = (positions_of_bots(seed, 60, GameOptions(start="introductory")) for seed in (1, 2))
    assert len(positions) == len(others) == 60
    assert positions != others
    assert all(len(legal_actions(game)) > 1 for game in positions)
    assert max(len(game.track) for game in positions) > 3
