"""Games that several tests of views share."""

import pytest

from domain.actions import ChooseTown, Double, EndTurn, Expand, Increase, TakeDollars
from tests.projections.play import Match


@pytest.fixture
def opening() -> Match:
    """Three players have chosen their towns; it is Ann's first turn and she has $3."""
    return Match(3).play(ChooseTown("el-paso"), ChooseTown("huntsville"), ChooseTown("pueblo"))


@pytest.fixture
def second_turn(opening: Match) -> Match:
    """Every player has expanded once: Ann to Denver, Bob to Washington, Cid to Albuquerque; it is Ann's second turn."""
    return opening.play(
        Expand(("pueblo", "denver")),
        EndTurn(),
        Expand(("huntsville", "washington")),
        EndTurn(),
        Expand(("el-paso", "albuquerque")),
        EndTurn(),
    )


@pytest.fixture
def denver_ready(second_turn: Match) -> Match:
    """Ann has increased and doubled in Denver and has not ended the turn."""
    return second_turn.play(Increase("denver"), Double("denver"))


@pytest.fixture
def denver_scored(denver_ready: Match) -> Match:
    """Ann has scored Denver; it is Bob's second turn."""
    return denver_ready.play(EndTurn())


@pytest.fixture
def all_passed() -> Match:
    """Two players chose their towns and only passed after that: the game is over."""
    return Match(2).play(ChooseTown("el-paso"), ChooseTown("pueblo"), EndTurn(), EndTurn())


@pytest.fixture
def new_york_played() -> Match:
    """Ann has scored Pittsburgh and is about to end the turn that scores New York and its region; Bob has expanded."""
    return Match(2).play(
        ChooseTown("el-paso"),
        ChooseTown("indianapolis"),
        Expand(("indianapolis", "pittsburgh")),
        EndTurn(),
        Expand(("el-paso", "albuquerque")),
        EndTurn(),
        TakeDollars(),
        Expand(("pittsburgh", "new-york")),
        Increase("pittsburgh"),
        EndTurn(),
        Expand(("el-paso", "dallas")),
        EndTurn(),
        Increase("new-york"),
        Double("new-york"),
        EndTurn(),
        Expand(("el-paso", "oklahoma-city")),
        EndTurn(),
        Increase("new-york"),
        Double("new-york"),
    )


@pytest.fixture
def new_york_scored(new_york_played: Match) -> Match:
    """Ann has scored New York (8 IP) and its region alone (6 IP, and 2 IP for space 4 of the track)."""
    return new_york_played.play(EndTurn())
