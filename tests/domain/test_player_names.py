"""The rule for the names of players."""

import pytest

from domain.player_names import LONGEST, clean_player_name, is_player_name
from domain.refusals import Refused


@pytest.mark.parametrize("name", ["Ann", "  Ann", "Jean Luc", "Zoë", "李", "👑 Queen", "a" * LONGEST, "<b>", "O'Hara"])
def test_a_name_has_visible_characters(name: str) -> None:
    assert is_player_name(name)


@pytest.mark.parametrize(
    "text",
    ["", " ", "   ", "a" * (LONGEST + 1), "\u0301", "\ufe0fx", "a\nb", "\0", "a\u200bb", "\u202eAnn", "\u3164"],
)
def test_other_text_is_no_name(text: str) -> None:
    assert not is_player_name(text)
    with pytest.raises(Refused) as refused:
        clean_player_name(text)
    assert (refused.value.code, refused.value.rule) == ("invalid_name", "table")


def test_a_name_is_stored_without_spaces_around_it_and_normalised() -> None:
    assert clean_player_name("  Zoe\u0308 ") == "Zoë"
    assert clean_player_name("Jean  Luc") == "Jean  Luc"
