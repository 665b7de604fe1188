"""Every fact in words."""

from typing import get_args

import pytest

from domain.actions import ChooseTown, EndTurn
from domain.board import RegionTile
from domain.facts import (
    CityScored,
    CityTilesLaid,
    DollarsTaken,
    Expanded,
    FirstPlayerChosen,
    FranchisePlaced,
    GameEnded,
    IncomeReceived,
    RegionRank,
    RegionScored,
    RegionTilesLaid,
    Resigned,
    TieBreakPlaced,
    TownFounded,
    TurnEnded,
    TurnTakenBack,
)
from domain.modules import ActionTaken, GameFact, PhaseBegan
from domain.modules.boom import BoomKept, BoomMoved, BoomPlaced
from domain.modules.expert import CityTilePlaced, RegionTilePlaced, TilesPooled
from domain.modules.milestones import CONDITIONS, MilestoneReached, MilestonesDrawn
from domain.modules.region_tiles import BonusTileRegained, DevelopmentTileGained, RegionTilesDrawn, RouteTileGained
from projections.names import names_at
from projections.words.en import MILESTONES, SENTENCES, sentence_for
from tests.projections.play import ANN, BOB, CID, DAN, Match

DOLLARS = RegionTile("new-11", (12, 8, 4), "dollars")
REGIONS = RegionTile("new-17", (2, 0, -2), "regions")
FLORIDA = RegionTile("florida", (10, 6, 3))


def city_scored(**different: object) -> CityScored:
    usual = {
        "seat": ANN,
        "city": "washington",
        "value": 6,
        "franchises": {ANN: 2, BOB: 3, CID: 1},
        "winner": BOB,
        "clause": "most",
        "tied": (),
        "influence": 3,
        "returned": 2,
    }
    return CityScored(**{**usual, **different})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (FirstPlayerChosen(CID, drawn=True), "Cid goes first, drawn at random."),
        (CityTilesLaid({"dallas": 6, "houston": 5}, seed=7), "2 city tiles are laid at random."),
        (RegionTilesLaid({"texas": FLORIDA, "florida": DOLLARS}, seed=7), "2 region tiles are laid at random."),
        (RegionTilesDrawn(7, (FLORIDA, DOLLARS)), "Region tiles in this game: 10/6/3, 12/8/4 in dollars."),
        (TilesPooled((2, 3), (FLORIDA,)), "The players lay 2 city tiles and 1 region tile, in turn."),
        (CityTilePlaced(ANN, "dallas", 6), "Ann lays a city tile of 6 on Dallas."),
        (
            RegionTilePlaced(ANN, "texas", REGIONS),
            "Ann lays the region tile +2/+0/-2 by the number of regions on Texas.",
        ),
        (
            MilestonesDrawn(7, ("four_towns", "big_city"), 3),
            "Each player has 3 bonus tiles in reserve. Milestones in this game: franchises in 4 towns; "
            "triggered the scoring of a city of value 6, 7 or 8.",
        ),
        (TownFounded(DAN, "pueblo", fixed=True), "Dan starts with a franchise in Pueblo."),
        (BoomPlaced(ANN, "chicago"), "Ann puts the Boom marker at Chicago."),
        (BoomMoved(BOB, "chicago", "detroit"), "Bob moves the Boom marker from Chicago to Detroit."),
        (BoomKept(BOB, "chicago"), "Bob leaves the Boom marker at Chicago."),
        (IncomeReceived(ANN, {}, 0, 1), "Ann earns $1 for 0 free spaces."),
        (
            IncomeReceived(ANN, {"detroit": 2, "omaha": 0, "chicago": 5}, 5, 4),
            "Ann earns $4 for 12 free spaces (Detroit 2, Chicago 5, Boom 5).",
        ),
        (
            Expanded(ANN, ("detroit", "st-louis"), (5,), 5, again=True),
            "Ann expands again from Detroit to St. Louis for $5, using a bonus tile.",
        ),
        (
            Expanded(ANN, ("detroit", "st-louis", "memphis"), (5, 0), 5),
            "Ann expands from Detroit via St. Louis to Memphis for $5, using the Development tile.",
        ),
        (
            Expanded(ANN, ("detroit", "st-louis"), (5,), 0, free_link=0),
            "Ann expands from Detroit to St. Louis for $0, using the Route tile ($5 saved).",
        ),
        (DollarsTaken(ANN, 10), "Ann uses a bonus tile to take $10."),
        (FranchisePlaced(ANN, "pueblo", 1, "marker"), "Ann opens a franchise in Pueblo."),
        (
            city_scored(),
            "Bob scores Washington with the most franchises (3 of 6): 3 IP, half the value. "
            "Bob takes back 2 franchises.",
        ),
        (
            city_scored(clause="tie_break", tied=(BOB, CID), franchises={ANN: 2, BOB: 2, CID: 2}, returned=1),
            "Bob scores Washington with 2 of 6, tied but there first: 3 IP, half the value. "
            "Bob takes back 1 franchise.",
        ),
        (
            city_scored(winner=ANN, clause="majority", franchises={ANN: 4}, influence=6, returned=3, from_centre=1),
            "Ann scores Washington by absolute majority (4 of 6): 6 IP. Ann takes back 3 franchises. "
            "1 franchise in the centre goes back to the supply unopened.",
        ),
        (
            city_scored(influence=0, returned=0),
            "Washington is full. Bob would score it with the most franchises (3 of 6), but has left the game: "
            "nobody gains anything.",
        ),
        (
            TieBreakPlaced(ANN, "texas", piece=False),
            "Ann wins ties in Texas from now on, but has no franchise left to mark it.",
        ),
        (
            RegionScored(
                seat=CID,
                region="texas",
                tile=DOLLARS,
                tie_break=(BOB, CID, DAN, ANN),
                ranks=(RegionRank(BOB, 1, 2, 0, 12), RegionRank(ANN, 2, 2, 0, 8), RegionRank(CID, 3, 1, 0, 4)),
                space=8,
                track_influence=2,
            ),
            "Texas (12/8/4 in dollars) is complete and scores: 1st Bob with 2 franchises, $12; "
            "2nd Ann with 2 franchises, $8; 3rd Cid with 1 franchise, $4. Ties go to Bob first, then clockwise. "
            "The tile goes to space 8 of the track: 2 IP for Cid.",
        ),
        (BonusTileRegained(ANN), "Ann gets a used bonus tile back."),
        (DevelopmentTileGained(ANN), "Ann gets the Development tile."),
        (RouteTileGained(ANN), "Ann gets the Route tile."),
        (
            MilestoneReached(BOB, "two_8_links"),
            "Bob reaches a milestone (used two different $8 links) and gets a bonus tile.",
        ),
        (
            MilestoneReached(BOB, "region", piece=False),
            "Bob reaches a milestone (triggered the scoring of a region) and gets a bonus tile, "
            "with no franchise left to mark it.",
        ),
        (TurnEnded(ANN, expanded=True, idle_turns=0), ""),
        (TurnEnded(ANN, expanded=False, idle_turns=2), "This turn had no expansion, the 2nd in a row."),
        (Resigned(ANN), "Ann leaves the game."),
        (TurnTakenBack(ANN, (), ()), ""),
        (
            TurnTakenBack(ANN, ("pueblo",), ("denver", "denver")),
            "Markers and unopened franchises in Pueblo and Denver go back to the supply.",
        ),
        (
            GameEnded("red_zone", (ANN,), "influence"),
            "The game is over: a region tile lies in the red zone. Ann wins with the most influence.",
        ),
        (
            GameEnded("red_zone", (ANN,), "towns"),
            "The game is over: a region tile lies in the red zone. "
            "Ann wins: tied on influence, but with the most franchises in towns.",
        ),
        (
            GameEnded("resigned", (DAN,), "last_player"),
            "The game is over: all other players have left. Dan wins as the last player.",
        ),
        (ActionTaken(ANN, EndTurn()), "Ann ends the turn."),
        (ActionTaken(ANN, ChooseTown("pueblo")), ""),
        (PhaseBegan("towns", ANN), ""),
    ],
)
def test_the_sentence_of_a_fact(fact: GameFact, words: str) -> None:
    match = Match(4)
    assert sentence_for(names_at(match.table, match.game.board), match.game, fact) == words


def test_every_fact_of_a_game_has_a_sentence() -> None:
    assert set(get_args(GameFact)) - set(SENTENCES) == {PhaseBegan}


def test_every_milestone_has_words() -> None:
    assert set(MILESTONES) == set(CONDITIONS)
