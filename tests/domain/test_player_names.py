"""The rule for the names of players."""

import re

import pytest

from domain.player_names import MAX_LENGTH, PATTERN, clean_player_name, is_player_name
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
def test_a_text_that_cannot_be_seen_or_is_too_long_is_no_name(text: str) -> None:
    assert not is_player_name(text)
    with pytest.raises(Refused, match="is not a name of 1 to 40 visible characters") as caught:
        clean_player_name(text)
    assert (caught.value.code, caught.value.reason) == ("invalid_name", None)


@pytest.mark.parametrize("text", [*NAMES, *NO_NAMES])
def test_the_pattern_and_the_length_are_the_whole_rule(text: str) -> None:
    assert is_player_name(text) == bool(re.search(PATTERN, text) and not text.endswith("\n") and len(text) <= 40)


def test_a_name_is_kept_without_spaces_around_it_and_normalised() -> None:
    assert clean_player_name("  Zoe\u0301 ") == "Zo\u00e9"


def test_a_name_may_be_too_long_with_its_spaces() -> None:
    with pytest.raises(Refused):
        clean_player_name(" " * MAX_LENGTH + "Ann")


def test_a_composed_name_may_be_longer_than_it_was() -> None:
    """U+FB2C becomes three characters when it is normalised."""
    assert is_player_name("\ufb2c" * 20)
    with pytest.raises(Refused):
        clean_player_name("\ufb2c" * 20)
