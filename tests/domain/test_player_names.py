"""The rules for names of players."""

import re

import pytest

from domain.player_names import MAX_LENGTH, PATTERN, clean_player_name, comparable_name, is_player_name
from domain.refused import Refused

NAMES = ("Ann", "Zo\u00e9", "\u674e\u5c0f\u9f99", "J. R.", "x" * MAX_LENGTH, "\U0001f3b2", "a\u0301b")
NO_NAMES = (
    "",
    " ",
    "\u0301",
    " \u0301a",
    "\ufe0f",
    "Ann\x00",
    "Ann\n",
    "\u200bAnn",
    "\u00a0Ann",
    "\u3164",
    "\ufeff",
    "\u202eAnn",
    "\ue000",
    "\U000e0041",
    "x" * (MAX_LENGTH + 1),
)


@pytest.mark.parametrize("text", NAMES)
def test_visible_characters_are_a_name(text: str) -> None:
    assert is_player_name(text)


@pytest.mark.parametrize("text", NO_NAMES)
def test_invisible_and_long_texts_are_not_names(text: str) -> None:
    assert not is_player_name(text)
    with pytest.raises(Refused) as caught:
        clean_player_name(text)
    assert (caught.value.code, caught.value.reason) == ("invalid_name", None)
    assert caught.value.values == {"text": text[:40], "longest": 40}


@pytest.mark.parametrize("text", [*NAMES, *NO_NAMES])
def test_the_pattern_and_the_length_express_the_whole_rule(text: str) -> None:
    assert is_player_name(text) == bool(re.search(PATTERN, text) and not text.endswith("\n") and len(text) <= 40)


def test_names_are_trimmed_and_normalised() -> None:
    assert clean_player_name("  Zoe\u0301 ") == "Zo\u00e9"


def test_spaces_around_a_name_do_not_count() -> None:
    with pytest.raises(Refused):
        clean_player_name(" " * MAX_LENGTH + "Ann")


def test_normalising_may_make_a_name_longer() -> None:
    """U+FB2C becomes three characters when it is normalised."""
    assert is_player_name("\ufb2c" * 20)
    with pytest.raises(Refused):
        clean_player_name("\ufb2c" * 20)


SAME = {
    "capitals": ("ann", "ANN"),
    "wide letters": ("Ann", "\uff21\uff4e\uff4e"),
    "a ligature": ("Steffi", "Ste\ufb03"),
    "a letter for mathematics": ("Ann", "\U0001d400nn"),
    "a small letter above": ("2a", "\u00b2\u00aa"),
    "sharp s": ("Strau\u00df", "STRAUSS"),
    "a final sigma": ("\u039d\u03af\u03ba\u03bf\u03c2", "\u039d\u03af\u03ba\u03bf\u03c3"),
    "a variation selector": ("\u2665", "\u2665\ufe0f"),
    "a variation selector before an accent": ("Zo\u00eb", "Zoe\ufe0e\u0308"),
    "an ideographic variation": ("\u8fba", "\u8fba\U000e0100"),
    "composed by case folding": ("\u01f0", "J\u030c"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_names_that_look_alike_are_compared_as_the_same(one: str, other: str) -> None:
    assert comparable_name(one) == comparable_name(other)
    assert comparable_name(comparable_name(one)) == comparable_name(one)


@pytest.mark.parametrize(("one", "other"), [("Zoe", "Zo\u00eb"), ("Ann", "Anna"), ("Ann", "\u0410nn"), ("A B", "AB")])
def test_other_names_are_compared_as_different(one: str, other: str) -> None:
    """Letters of other scripts that look alike stay different: a table may need both."""
    assert comparable_name(one) != comparable_name(other)
