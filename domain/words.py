"""What all words of the game have in common, those that players say and those that the stream tells."""

import re

import msgspec


def snake_case(name: str) -> str:
    """The wire name of a word: ``ChooseTown`` is written ``choose_town``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Word(
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag=snake_case,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
):
    """An immutable message with its ``type`` written beside its fields."""
