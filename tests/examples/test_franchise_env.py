"""The environment of PettingZoo passes PettingZoo's own tests, and plays whole games with all options."""

import re

import pytest

from tests.examples.conftest import Run


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_environment_passes_the_tests_of_pettingzoo_and_plays_whole_games(run: Run, players: int) -> None:
    """The checks are in `playing.py`, since they need the packages of the examples."""
    done = run("-m", "tests.examples.playing", str(players))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"9 games, \d{3,} positions", done.stdout.splitlines()[-1])


def test_the_environment_needs_only_the_rules_and_its_own_packages(run: Run) -> None:
    program = "import examples.franchise_env, sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = run("-c", program)
    assert {"domain", "pettingzoo", "numpy"} <= set(done.stdout.split())
    assert {"api", "projections", "litestar", "eventsourcing"}.isdisjoint(done.stdout.split())
