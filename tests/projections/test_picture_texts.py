"""Texts in pictures: names are escaped and shortened."""

import pytest

from projections.pictures.board_picture import board_picture
from projections.pictures.scores_picture import scores_picture
from projections.pictures.svg import escaped, shortened
from tests.projections.play import seated
from tests.projections.svg_parts import description, of_class, parsed, texts

NAMES = {
    "<svg onload=\"alert(1)\"> & 'co'": '<svg onload="alert(1)">…',
    "]]> <!-- &amp; &#60;": "]]> <!-- &amp; &#60;",
    "רות בת־שבע": "רות בת־שבע",
    "عبد الله ﷺ": "عبد الله ﷺ",
    "Wolfeschlegelsteinhausenbergerdorff-Welsh": "Wolfeschlegelsteinhause…",
    "長い長い名前の人はここにいます": "長い長い名前の人はここ…",
    "Zoë \U0001f600 \ufffe": "Zoë \U0001f600 \ufffd",
}


@pytest.mark.parametrize(("name", "shown"), NAMES.items())
def test_a_name_is_shown_unchanged(name: str, shown: str) -> None:
    table = seated(2, [name])
    picture = parsed(board_picture(table))
    assert texts(of_class(picture, "player")[0])[1] == shown
    assert f"{name} (A, blue) has 0 influence".replace("\ufffe", "\ufffd") in description(picture)
    plot = parsed(scores_picture(table))
    assert f"{name} (A, blue) has 0 influence.".replace("\ufffe", "\ufffd") in description(plot)


def test_a_long_text_is_cut() -> None:
    assert shortened("Anna", 4) == "Anna"
    assert shortened("Annas", 4) == "Ann…"
    assert shortened("An nas", 4) == "An…"
    assert shortened("長い名前", 8) == "長い名前"
    assert shortened("長い名前の", 8) == "長い名…"


def test_characters_that_xml_forbids_are_replaced() -> None:
    assert escaped("a\x00b\x0bc\x1fd\ufffee\uffff") == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd"
    assert escaped("a\tb\nc") == "a\tb\nc"
    assert escaped("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;&amp;"
