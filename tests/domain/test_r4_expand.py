"""R4: phase 2, one expansion over one direct link."""

import pytest

from domain.actions import ChooseTown, Expand, ExpandAgain, Increase
from domain.decide import legal_actions
from domain.facts import Expanded, TurnEnded
from tests.domain.positions import (
    BLUE,
    BOARD,
    ORANGE,
    RED,
    allowed,
    begin,
    end_turn,
    facts,
    listed,
    on,
    play,
    position,
    refused,
    the,
    why,
)


def test_r4_1_from_detroit_to_chicago_costs_3() -> None:
    """R4.1: the rulebook's example; the money is paid at once, the franchise opens at the end of the turn."""
    game = position(4, standing={"detroit": BLUE}, money=4)
    assert listed(game, Expand(("detroit", "chicago"))).cost == 3
    decision = play(game, Expand(("detroit", "chicago")))
    assert the(decision, Expanded) == Expanded(BLUE, ("detroit", "chicago"), (3,), 3)
    assert decision.game.players[BLUE].money == 1
    assert on(decision.game, "chicago") == ()
    assert on(end_turn(decision.game).game, "chicago") == (BLUE,)


@pytest.mark.parametrize(
    ("origin", "target", "cost"),
    [
        ("el-paso", "albuquerque", 0),
        ("las-vegas", "albuquerque", 1),
        ("phoenix", "albuquerque", 3),
        ("houston", "albuquerque", 5),
        ("los-angeles", "albuquerque", 8),
    ],
)
def test_r4_1_a_link_costs_0_1_3_5_or_8(origin: str, target: str, cost: int) -> None:
    """R4.1: exactly the printed cost is enough, a dollar less is not."""
    enough = position(4, standing={origin: BLUE}, money=cost)
    assert play(enough, Expand((origin, target))).game.players[BLUE].money == 0
    if cost:
        refusal = refused(position(4, standing={origin: BLUE}, money=cost - 1), Expand((origin, target)))
        assert (refusal.reason, refusal.rule) == ("no_money", "R4.1")
        assert (refusal.needed, refusal.had) == ({"money": cost}, {"money": cost - 1})


def test_r4_1_every_link_works_in_both_directions() -> None:
    """R4.1: all 107 links, there and back."""
    for link in BOARD.links:
        for origin, target in (link.between, link.between[::-1]):
            game = position(4, standing={origin: BLUE}, money=8)
            assert listed(game, Expand((origin, target))).cost == link.cost


def test_r4_1_one_expansion_a_turn() -> None:
    """R4.1: a second one needs a bonus tile; a player who expanded in the last turn may expand again."""
    game = position(2, standing={"detroit": BLUE, "memphis": RED}, money=20)
    game = play(game, Expand(("detroit", "chicago"))).game
    assert why(game, Expand(("detroit", "indianapolis"))) == ("already_expanded", "R4.1")
    assert not allowed(game, Expand, ExpandAgain)
    game = end_turn(end_turn(game).game).game
    assert Expand(("detroit", "indianapolis")) in allowed(game)


def test_r4_1_expanding_is_optional() -> None:
    """R4.1: the turn can be ended at once."""
    game = position(3, standing={"detroit": BLUE}, money=20)
    assert not the(end_turn(game), TurnEnded).expanded


def test_r4_1_it_starts_from_an_own_franchise() -> None:
    """R4.1: not from another player's place, not from an empty one."""
    game = position(3, standing={"detroit": RED, "memphis": BLUE}, money=20)
    for origin in ("detroit", "new-york"):
        refusal = refused(game, Expand((origin, "st-louis")))
        assert (refusal.reason, refusal.rule) == ("no_franchise", "R4.1")
        assert (refusal.needed, refusal.had) == ({"franchises": 1}, {"franchises": 0})


def test_r4_1_it_starts_from_a_scored_city_as_well() -> None:
    """R4.1: a place is a place, scored or not."""
    game = position(3, scored={"detroit": (RED, BLUE)}, money=20)
    assert Expand(("detroit", "chicago")) in allowed(game)


def test_r4_1_no_place_can_be_skipped() -> None:
    """R4.1: two places without a direct link, or several links at once, are no expansion."""
    game = position(3, standing={"detroit": BLUE}, money=50)
    assert why(game, Expand(("detroit", "omaha"))) == ("not_linked", "R4.1")
    refusal = refused(game, Expand(("detroit", "chicago", "omaha")))
    assert (refusal.reason, refusal.rule, refusal.needed) == ("not_linked", "R4.1", {"links": 1})


def test_r4_1_a_town_must_be_free() -> None:
    """R4.1: neither another's town nor an own one."""
    game = position(3, standing={"detroit": BLUE, "indianapolis": RED, "st-louis": BLUE, "memphis": BLUE}, money=20)
    refusal = refused(game, Expand(("detroit", "indianapolis")))
    assert (refusal.reason, refusal.rule) == ("occupied", "R4.1")
    assert (refusal.needed, refusal.had) == ({"free_spaces": 1}, {"free_spaces": 0})
    assert why(game, Expand(("st-louis", "memphis"))) == ("own_franchise", "R4.1")


def test_r4_1_a_city_must_be_new_to_the_player() -> None:
    """R4.1: players increase in cities where they have a franchise; in a scored one not even that."""
    game = position(3, standing={"detroit": BLUE, "chicago": BLUE}, scored={"st-louis": BLUE}, money=20)
    assert why(game, Expand(("detroit", "chicago"))) == ("own_franchise", "R4.1")
    assert why(game, Expand(("detroit", "st-louis"))) == ("own_franchise", "R4.1")


def test_r4_1_a_city_must_be_unscored_with_a_free_space() -> None:
    """R4.1: a scored city cannot be entered, nor a full one (which is never left unscored, R6.2)."""
    game = position(3, standing={"detroit": BLUE, "pittsburgh": (RED, ORANGE)}, scored={"chicago": RED}, money=20)
    assert why(game, Expand(("detroit", "chicago"))) == ("city_scored", "R4.1")
    full = position(3, standing={"chicago": BLUE, "pittsburgh": (RED, ORANGE)}, money=20)
    assert why(full, Expand(("chicago", "pittsburgh"))) == ("no_free_space", "R4.1")


def test_r4_1_franchises_of_others_do_not_block_a_city() -> None:
    """R4.1: Chicago with three franchises of others has four free spaces."""
    game = position(3, standing={"detroit": BLUE, "chicago": (RED, RED, ORANGE)}, money=3)
    assert on(end_turn(game, Expand(("detroit", "chicago"))).game, "chicago") == (RED, RED, ORANGE, BLUE)


def test_r4_1_closed_places_are_neither_entered_nor_crossed() -> None:
    """R4.1, R2.2: with three players Denver leads neither to Casper nor over it; with four it does."""
    assert why(position(3, standing={"denver": BLUE}, money=20), Expand(("denver", "casper"))) == (
        "closed_region",
        "R2.2",
    )
    crossing = Expand(("denver", "casper", "oklahoma-city"))
    assert why(position(3, standing={"denver": BLUE}, money=20), crossing) == ("closed_region", "R2.2")
    assert Expand(("denver", "casper")) in allowed(position(4, standing={"denver": BLUE}, money=20))


def test_r4_1_an_invalid_path_is_refused() -> None:
    """R4.1: it names two places of the map, and not the same one."""
    game = position(3, standing={"detroit": BLUE}, money=20)
    assert why(game, Expand(())) == ("bad_path", "R4.1")
    assert why(game, Expand(("detroit",))) == ("bad_path", "R4.1")
    assert why(game, Expand(("detroit", "detroit"))) == ("bad_path", "R4.1")
    assert why(game, Expand(("detroit", "gotham"))) == ("unknown_place", "R1.1")
    assert why(game, Expand(("gotham", "detroit"))) == ("unknown_place", "R1.1")


@pytest.mark.parametrize("free_link", [-1, 1, 2])
def test_r4_1_a_free_link_must_be_one_of_the_path(free_link: int) -> None:
    """R4.1, R12.6: a path of one link has link 0 only."""
    game = position(3, standing={"detroit": BLUE}, money=20)
    assert why(game, Expand(("detroit", "chicago"), free_link)) == ("bad_path", "R12.6")


def test_r4_1_every_link_must_be_paid() -> None:
    """R4.1: without the Route tile (R12.6) no link is free, even for players who could pay."""
    game = position(3, standing={"detroit": BLUE}, money=20)
    assert why(game, Expand(("detroit", "chicago"), free_link=0)) == ("no_free_link", "R4.1")


def test_r4_1_towns_are_chosen_in_the_set_up_only() -> None:
    """R2.3, R4.1: each action has its phase."""
    game = position(3, standing={"detroit": BLUE})
    refusal = refused(game, ChooseTown("memphis"))
    assert (refusal.reason, refusal.rule) == ("wrong_phase", "R2.3")
    assert (refusal.needed, refusal.had) == ({"phase": ["towns"]}, {"phase": "expand"})
    assert refused(begin(3).game, Expand(("detroit", "chicago"))).reason == "wrong_phase"


def test_r4_2_nothing_starts_from_a_marker() -> None:
    """R4.2: Chicago is not blue's before the turn is over, so New York cannot be reached over it."""
    game = position(3, standing={"indianapolis": BLUE, "sioux-falls": RED}, money=20, bonus_tiles={BLUE: 1})
    game = play(game, Expand(("indianapolis", "pittsburgh"))).game
    assert why(game, ExpandAgain(("pittsburgh", "new-york"))) == ("no_franchise", "R4.1")
    assert ExpandAgain(("indianapolis", "detroit")) in allowed(game)


def test_r4_2_a_marker_does_not_allow_an_increase() -> None:
    """R4.2: phase 3 adds to cities with a franchise."""
    game = position(3, standing={"detroit": BLUE}, money=20)
    game = play(game, Expand(("detroit", "chicago"))).game
    assert why(game, Increase("chicago")) == ("no_franchise", "R5.1")
    assert Increase("detroit") in allowed(game)


def test_r4_3_the_player_chooses_the_link() -> None:
    """R4.3: Chicago over the $3 from Detroit, the $5 from Pittsburgh or the $1 from Ogallala."""
    game = position(3, standing={"detroit": BLUE, "pittsburgh": BLUE, "ogallala": BLUE}, money=20)
    into_chicago = {
        legal.action.path[0]: legal.cost
        for legal in legal_actions(game)
        if isinstance(legal.action, Expand) and legal.action.path[-1] == "chicago"
    }
    assert into_chicago == {"detroit": 3, "pittsburgh": 5, "ogallala": 1}
    assert play(game, Expand(("pittsburgh", "chicago"))).game.players[BLUE].money == 15


def test_r4_3_only_links_that_can_be_paid_are_open() -> None:
    """R4.3: with $3 the $5 from Pittsburgh is not."""
    game = position(3, standing={"detroit": BLUE, "pittsburgh": BLUE}, money=3)
    assert Expand(("detroit", "chicago")) in allowed(game)
    assert why(game, Expand(("pittsburgh", "chicago"))) == ("no_money", "R4.1")
    assert not facts(end_turn(game), Expanded)
