"""The words of the views: every refusal has a sentence, and sentences use names instead of ids."""

import ast
import re
from collections.abc import Iterator
from inspect import signature
from pathlib import Path

import pytest

import api
import domain
from domain.modules import REASONS
from domain.refused import Refused
from domain.stream import Recorded
from domain.timeline import Timeline, follow
from projections.legal_moves import legal_moves
from projections.phases import PHASES
from projections.refusals import refusals
from projections.summary import summary
from projections.words import en
from projections.words.en.refusals import PLAIN, WITH_VALUES
from tests.domain.positions import refused
from tests.domain.test_refusals import CASES
from tests.domain.test_refusals import Case as Refusal
from tests.games.facts import FILES, decisions, opening, recorded
from tests.projections.play import history_of
from tests.projections.test_every_view import AT, ID

BOARD = CASES[0].game.board
IDS = [*BOARD.place_names, *BOARD.region_names]
UNREADABLE = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, IDS))})(?![\w-])|\w_\w|\w\(|None|\{{")
PLAYERS = {0: "Ann", 1: "Bob", 2: "Cid"}
REFUSING = {"Refused": 0, "IllegalAction": 0, "_refused": 1, "_bad_layout": 0, "_bad_tiles": 0}
"""The functions that create refusals, and the index of the argument for the sentence unless it is `sentence`."""


def said_in(path: Path) -> Iterator[tuple[str, set[str] | None]]:
    """Yield the sentence of each refusal in a file and the names of its values, None if they are not literal."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
        if isinstance(call, ast.Call) and name in REFUSING:
            keywords = {keyword.arg: keyword.value for keyword in call.keywords}
            said = keywords.get("sentence", call.args[REFUSING[name]])
            if isinstance(said, ast.Constant):
                yield str(said.value), names_of(keywords.get("values"))


def names_of(values: ast.expr | None) -> set[str] | None:
    if values is None:
        return set()
    if not isinstance(values, ast.Dict):
        return None
    return {str(key.value) for key in values.keys if isinstance(key, ast.Constant)}


REFUSALS = [
    pytest.param(sentence, values, id=f"{path.stem}-{sentence}")
    for package in (domain, api)
    for path in sorted(Path(str(package.__file__)).parent.rglob("*.py"))
    for sentence, values in said_in(path)
]


@pytest.mark.parametrize(("sentence", "values"), REFUSALS)
def test_every_refusal_has_a_sentence_for_its_values(sentence: str, values: set[str] | None) -> None:
    assert sentence in PLAIN.keys() ^ WITH_VALUES.keys()
    if sentence in PLAIN:
        assert not values
    elif values is not None:
        assert values == set(signature(WITH_VALUES[sentence]).parameters)


def test_every_sentence_belongs_to_a_refusal() -> None:
    assert PLAIN.keys() | WITH_VALUES.keys() == {parameter.values[0] for parameter in REFUSALS}


def test_every_reason_is_explained() -> None:
    assert list(en.REASONS) == list(REASONS)


def test_every_phase_has_words() -> None:
    assert list(en.PHASES) == list(PHASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{type(case.action).__name__}")
def test_a_refusal_is_a_sentence_without_ids(case: Refusal) -> None:
    text = en.refusal_text(PLAYERS, refused(case.game, case.action, case.seat))
    assert_readable(text.replace("'gotham'", "").replace("'ohio'", ""))
    assert text[0].isupper() or text[0] == "`"
    assert text.endswith(".")


@pytest.mark.parametrize(
    ("refusal", "text"),
    [
        (Refused("not_your_turn", "R2.1", values={"player": 1}), "It is Bob's turn."),
        (Refused("not_your_turn", "R2.1", values={"player": 4}), "It is Seat 4's turn."),
        (
            Refused("invalid_name", "table", values={"text": "\u200b", "longest": 40}),
            r"'\u200b' is not a name of 1 to 40 visible characters.",
        ),
        (
            Refused("invalid_options", "R2.6", sentence="layout_of_cities", values={"places": ["Chicago", "Reno"]}),
            "`city_tiles` must name every city in play and no other place. Check Chicago and Reno.",
        ),
        (
            Refused(
                "invalid_options",
                "R2.6",
                sentence="wrong_group",
                values={"place": "Omaha", "group": (4, 5, 6), "value": 3},
            ),
            "Omaha takes a city tile of 4, 5 or 6, not of 3.",
        ),
    ],
)
def test_a_refusal_names_the_reason(refusal: Refused, text: str) -> None:
    assert en.refusal_text(PLAYERS, refusal) == text


# --- recorded games ---------------------------------------------------------------------------------------------


def assert_readable(text: str) -> None:
    """Assert that a text has no id of a place, a region, a phase, a milestone or an action."""
    assert not UNREADABLE.search(text.replace("`free_link`", "")), text


def texts(timeline: Timeline) -> Iterator[str]:
    """Yield all texts of the views of a state."""
    game, moves, shown = timeline.game, legal_moves(timeline), summary(ID, timeline, AT)
    assert game is not None
    yield from (move.text for move in moves.items)
    yield moves.end_of_turn.text if moves.end_of_turn else shown.phase_text
    yield shown.ending.text if shown.ending else ""
    if game.ending is None:
        for target in IDS:
            yield from (item.text for item in refusals(timeline, game, target).items)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_text_of_a_recorded_game_has_an_id(path: Path) -> None:
    game = recorded(path)
    facts = opening(game)
    timeline, last = follow(None, facts), len(game.actions)
    for number, (_, more) in enumerate(decisions(game), start=1):
        facts += more
        timeline = follow(timeline, more)
        if number in (1, last // 4, last // 2, last * 3 // 4, last):
            for text in texts(timeline):
                assert_readable(text)
    events = [Recorded(version, "", fact) for version, fact in enumerate(facts, 1)]
    history = history_of(timeline, events)
    for text in (
        *(line.text for line in history.items),
        *(effect.text for turn in history.turns for effect in turn.opening),
    ):
        assert_readable(text)
