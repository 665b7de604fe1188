"""The texts and targets of legal actions."""

from typing import get_args

import pytest

from domain.actions import ChooseTown, Double, EndTurn, Expand, ExpandAgain, Increase, Resign, TakeDollars
from domain.legal import Legal
from domain.modules import Action, Modules
from domain.modules.boom import KeepBoom, MoveBoom, PlaceBoom
from domain.modules.expert import Draft, PlaceCityTile, PlaceRegionTile
from projections.names import names_at
from projections.targets import targets
from projections.words.en import ACTION_TEXTS, action_text
from tests.projections.play import Match


@pytest.fixture(scope="module")
def match() -> Match:
    """Three players with a draft and Boom: region tiles are to be laid."""
    return Match(3, expert=Draft(), modules=Modules(boom=True))


@pytest.mark.parametrize(
    ("action", "cost", "text", "places"),
    [
        (ChooseTown("pueblo"), 0, "Start in Pueblo", ("pueblo",)),
        (PlaceCityTile("dallas", 6), 0, "Lay a city tile of 6 on Dallas", ("dallas",)),
        (PlaceRegionTile("texas", "florida"), 0, "Lay the region tile 10/6/3 on Texas", ("texas",)),
        (PlaceBoom("chicago"), 0, "Put the Boom marker at Chicago", ("chicago",)),
        (MoveBoom("detroit"), 0, "Move the Boom marker to Detroit", ("detroit",)),
        (Expand(("detroit", "chicago")), 3, "Expand from Detroit to Chicago for $3", ("chicago",)),
        (
            Expand(("detroit", "chicago"), 0),
            0,
            "Expand from Detroit to Chicago for $0, using the Route tile",
            ("chicago",),
        ),
        (
            Expand(("detroit", "chicago", "omaha")),
            7,
            "Expand from Detroit via Chicago to Omaha for $7, using the Development tile",
            ("omaha",),
        ),
        (
            ExpandAgain(("detroit", "chicago", "st-louis", "omaha"), 1),
            4,
            "Expand again from Detroit via Chicago and St. Louis to Omaha for $4, "
            "using a bonus tile, the Development tile and the Route tile",
            ("omaha",),
        ),
        (
            ExpandAgain(("pittsburgh", "new-york")),
            2,
            "Expand again from Pittsburgh to New York for $2, using a bonus tile",
            ("new-york",),
        ),
        (Increase("omaha"), 1, "Increase in Omaha for $1", ("omaha",)),
        (Double("omaha"), 0, "Place a second franchise in Omaha, using a bonus tile", ("omaha",)),
        (TakeDollars(), 0, "Take $10, using a bonus tile", ()),
        (EndTurn(), 0, "End the turn", ()),
    ],
)
def test_the_text_and_targets_of_an_action(
    match: Match, action: Action, cost: int, text: str, places: tuple[str, ...]
) -> None:
    """R2.3, R2.6, R4.1, R5.1, R9.2 to R9.4, R11.1, R11.2, R12.5, R12.6."""
    assert action_text(names_at(match.table, match.game.board), match.game, Legal(action, "R4.1", cost)) == text
    assert targets(match.game, action) == places


def test_keeping_the_boom_marker_names_its_city() -> None:
    """R11.2."""
    match = Match(2, start="introductory", modules=Modules(boom=True)).play(PlaceBoom("denver"))
    assert action_text(names_at(match.table, match.game.board), match.game, Legal(KeepBoom(), "R11.2")) == (
        "Leave the Boom marker at Denver"
    )
    assert targets(match.game, KeepBoom()) == ("denver",)


def test_every_listed_action_has_words() -> None:
    """R13.1: resigning is never listed."""
    assert set(ACTION_TEXTS) == set(get_args(Action)) - {Resign}
