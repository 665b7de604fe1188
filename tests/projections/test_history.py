"""The history: the game in sentences, one line for each action."""

from random import Random

import pytest
from msgspec.structs import replace

from domain.actions import ChooseTown, EndTurn, Expand, Resign
from domain.modules import TableFact
from domain.table_facts import SeatHandedOver, SeatLeftToBot, UndoAnswered, Undone, UndoProposed
from domain.timeline import moment_at_depth, moment_at_version, next_moment
from projections.effects import Change, Standing
from projections.history import GameHistory, HistoryLine
from tests.projections.play import ANN, BOB, CID, Match, seated
from tests.projections.play import history_of as history_in


def history_of(match: Match) -> GameHistory:
    return history_in(match.timeline, match.events)


def lines_of(match: Match, turn: int | None = None) -> list[HistoryLine]:
    return [line for line in history_of(match).items if turn in (None, line.turn)]


def test_the_history_is_grouped_by_turn(second_turn: Match) -> None:
    turns = history_of(second_turn).turns
    assert [(turn.turn, turn.seat, turn.name) for turn in turns] == [
        (0, None, None),
        (1, ANN, "Ann"),
        (2, BOB, "Bob"),
        (3, CID, "Cid"),
        (4, ANN, "Ann"),
    ]
    assert [len(lines_of(second_turn, turn.turn)) for turn in turns] == [3, 2, 2, 2, 0]


def test_the_set_up_shows_decisions_and_their_players(opening: Match) -> None:
    """R2.1 to R2.5."""
    set_up = history_of(opening).turns[0]
    assert [effect.text for effect in set_up.opening] == [
        "Ann, Bob and Cid start a game.",
        "Ann goes first, chosen by the host.",
        "California, Upper West and Montana are out of play with 3 players.",
        "19 city tiles are laid.",
        "7 region tiles are laid.",
        "5/4/2, 7/6/1 and 8/5/4 go to the first spaces of the region track.",
        "Each player gets 4 bonus tiles.",
    ]
    assert [line.text for line in lines_of(opening, 0)] == [
        "Cid starts with a franchise in El Paso.",
        "Bob starts with a franchise in Huntsville.",
        "Ann starts with a franchise in Pueblo. Ann, 1st in turn order, starts with $2. "
        "Bob, 2nd in turn order, starts with $3. Cid, 3rd in turn order, starts with $5.",
    ]


def test_a_turn_opens_with_its_income(second_turn: Match) -> None:
    """R3.1: three free spaces in Denver."""
    opening = history_of(second_turn).turns[4].opening
    assert [effect.text for effect in opening] == [
        "Turn 4: Ann to play.",
        "Ann earns $2 for 3 free spaces (Denver 3).",
    ]
    assert opening[1].changes == (Change(ANN, 2, 0),)


def test_a_turn_reads_with_amounts_reasons_and_running_totals(denver_scored: Match) -> None:
    """R5.1, R6.3, R6.4, R6.5, R9.3."""
    increase, double, end = lines_of(denver_scored, 4)
    assert increase.text == "Ann pays $1 for one more franchise in Denver."
    assert (increase.money, increase.influence) == (3, 0)
    assert double.text == "Ann uses a bonus tile for a second franchise in Denver."
    assert end.text == (
        "Ann ends the turn. "
        "Ann opens a franchise in Denver, space 2 of 4. "
        "Ann opens a franchise in Denver, space 3 of 4. "
        "Ann scores Denver by absolute majority (3 of 4): 4 IP. Ann takes back 2 franchises. "
        "Ann puts a franchise next to the tile of Grand Canyon and wins ties there from now on. "
        "This turn had no expansion."
    )
    assert (end.money, end.influence) == (3, 4)
    assert end.players == (Standing(ANN, 3, 4), Standing(BOB, 5, 0), Standing(CID, 6, 0))


def test_a_region_scoring_names_ranks_and_the_track(new_york_scored: Match) -> None:
    """R7.2, R7.4."""
    effects = lines_of(new_york_scored, 7)[-1].effects
    region = next(effect for effect in effects if effect.type == "region_scored")
    assert region.text == (
        "New York (6/5/4) is complete and scores: 1st Ann with 2 franchises, 6 IP. "
        "The tile goes to space 4 of the track: 2 IP for Ann."
    )
    assert (region.changes, region.targets) == ((Change(ANN, 0, 8),), ("new-york",))


def test_the_end_names_the_count_and_the_winners(all_passed: Match) -> None:
    """R8.1, R8.2."""
    texts = [effect.text for effect in lines_of(all_passed)[-1].effects]
    assert texts[-3:] == [
        "Ann gains 1 IP for 1 town, 1 IP for $3 and 16 IP for 4 bonus tiles, and ends with 18 IP.",
        "Bob gains 1 IP for 1 town, 1 IP for $5 and 16 IP for 4 bonus tiles, and ends with 18 IP.",
        "The game is over: nobody has expanded for a whole round. "
        "Ann and Bob share the victory, tied on influence and on franchises in towns.",
    ]


def test_the_lines_before_a_handover_have_the_old_name() -> None:
    """R14.5."""
    match = Match(3).play(ChooseTown("el-paso"), ChooseTown("huntsville"), ChooseTown("pueblo"))
    match.record(SeatLeftToBot(BOB, "greedy", "host"), SeatHandedOver(BOB, "Dora")).play(EndTurn(), EndTurn())
    shown = history_of(match)
    assert [line.name for line in shown.items] == ["Cid", "Bob", "Ann", "Ann", "Dora"]
    assert [line.text.partition(" ")[0] for line in shown.items] == ["Cid", "Bob", "Ann", "Ann", "Dora"]
    assert [turn.name for turn in shown.turns] == [None, "Ann", "Dora", "Cid"]


def test_an_undo_can_end_at_the_version_of_each_line() -> None:
    match = Match(3)
    before = match.version
    towns = (ChooseTown("el-paso"), ChooseTown("huntsville"), ChooseTown("pueblo"))
    first, second, third, end = [match.play(action).version for action in (*towns, EndTurn())]
    assert [line.version for line in lines_of(match)] == [first, second, third, end]
    assert [turn.version for turn in history_of(match).turns] == [before, third, end]


def test_a_resignation_in_another_players_turn_belongs_to_that_turn(second_turn: Match) -> None:
    """R13.1."""
    line = lines_of(second_turn.play(Resign(), seat=CID), 4)[0]
    assert (line.seat, line.name, line.turn, line.text) == (CID, "Cid", 4, "Cid leaves the game.")


def test_proposals_and_answers_are_not_in_the_history(second_turn: Match) -> None:
    shown = history_of(second_turn)
    asked: list[TableFact] = [UndoProposed(ANN, to=second_turn.version), UndoAnswered(BOB, accept=False)]
    assert replace(history_of(second_turn.record(*asked)), version=shown.version) == shown
    second_turn.play(Expand(("pueblo", "phoenix")))
    assert [line.version for line in lines_of(second_turn)][-2:] == [shown.turns[4].version, second_turn.version]


def test_an_open_table_has_no_history(opening: Match) -> None:
    assert history_in(seated(3), opening.events[:4]) == GameHistory(version=4)


@pytest.mark.parametrize("limit", [1, 2, 7, 1000])
def test_all_pages_together_are_the_whole_history(limit: int) -> None:
    match = Match(3, seed=limit).finish(Random(limit))
    whole, events = history_of(match), match.events
    pages = [history_in(match.timeline, events, 0, limit)]
    while pages[-1].items and pages[-1].items[-1].version < match.version:
        pages.append(history_in(match.timeline, events, pages[-1].items[-1].version, limit))
    assert [line for page in pages for line in page.items] == list(whole.items)
    assert [turn for page in pages for turn in page.turns] == list(whole.turns)
    assert all(len(page.items) == limit for page in pages[:-1])
    assert [page.after for page in pages[1:]] == [page.items[-1].version for page in pages[:-1]]


def test_a_page_after_a_version_holds_only_later_lines(second_turn: Match) -> None:
    whole = history_of(second_turn).items
    for version in range(second_turn.version + 1):
        page = history_in(second_turn.timeline, second_turn.events, version)
        assert page.items == tuple(line for line in whole if line.version > version)
        first = history_of(second_turn).turns[0].version
        earlier = [line.version for line in whole if line.version <= version]
        assert page.after == (0 if version < first else max([first, *earlier]))


def test_undone_lines_are_gone_and_after_shows_it(opening: Match) -> None:
    start = opening.version
    undone = opening.play(Expand(("pueblo", "denver"))).version
    opening.record(Undone(ANN, start))
    assert opening.timeline.game is not None
    opening.game = opening.timeline.game
    page = history_in(opening.timeline, opening.events, undone)
    assert (page.items, page.after, page.version) == ((), start, opening.version)
    again = opening.play(Expand(("pueblo", "phoenix"))).version
    page = history_in(opening.timeline, opening.events, undone)
    assert ([line.version for line in page.items], page.after) == ([again], start)


def test_an_early_moment_is_found_in_few_steps() -> None:
    """In a game of 2,000 actions."""
    now, games = None, Match(2).timeline.game
    assert games is not None
    versions = []
    for number in range(2000):
        versions.append(3 * number + 2)
        now = next_moment(now, 3 * number + 1, 3 * number + 2, games, None)
    assert now is not None
    for version in (*versions, *range(0, 6000, 7)):
        found = moment_at_version(now, version)
        expected = max((known for known in versions if known <= version), default=None)
        assert (found.version if found else None) == expected
    assert [moment_at_depth(now, depth).version for depth in range(2000)] == versions
    steps, moment = 0, now
    while moment.earlier is not None:
        moment = moment.jump or moment.earlier
        steps += 1
    assert steps < 22
