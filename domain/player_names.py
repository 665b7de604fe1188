"""The rules for the names of players."""

import re
import unicodedata
from typing import Annotated

from msgspec import Meta

from domain.refused import Refused

MAX_LENGTH = 40

_INVISIBLE = (
    r"\x00-\x1f\x7f-\xa0\xad"
    "\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ue000-\uf8ff\ufeff\uffa0\ufff0-\ufffd"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010fffd"
)
"""Control and format characters, private use and blanks. A name may contain spaces, but not only spaces."""

_NOT_ALONE = " \u0300-\u036f\ufe00-\ufe0f"
"""The space, accents and variation selectors: a name cannot begin with them."""

PATTERN = f"^ *[^{_NOT_ALONE}{_INVISIBLE}][^{_INVISIBLE}]*$"

PlayerName = Annotated[
    str,
    Meta(
        description="1 to 40 visible characters; the first one is not an accent. The server drops spaces at both ends "
        "and normalises the name (NFC). Two players at a table cannot have names that differ only in capitals, "
        "variation selectors or compatibility forms (NFKC).",
        extra_json_schema={"minLength": 1, "maxLength": MAX_LENGTH, "pattern": PATTERN},
    ),
]

_matches = re.compile(PATTERN[1:-1]).fullmatch
_variation_selectors = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def is_player_name(text: str) -> bool:
    """Return whether a text has 1 to 40 visible characters and does not begin with an accent."""
    return len(text) <= MAX_LENGTH and bool(_matches(text))


def clean_player_name(text: str) -> str:
    """Return the normalised name without spaces at its ends; raise ``Refused`` if it is invalid."""
    name = unicodedata.normalize("NFC", text).strip(" ")
    if not is_player_name(text) or not is_player_name(name):
        raise Refused("invalid_name", "table", values={"text": text[:MAX_LENGTH], "longest": MAX_LENGTH})
    return name


def comparable_name(name: str) -> str:
    """Return a form in which names with different capitals, ligatures, widths and variants are equal."""
    folded = unicodedata.normalize("NFKC", _variation_selectors.sub("", name)).casefold()
    return unicodedata.normalize("NFKC", folded)
