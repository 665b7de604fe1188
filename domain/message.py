"""The base class of actions and facts."""

import re

import msgspec


def snake_case(name: str) -> str:
    """Return the wire name of a class: ``ChooseTown`` is written ``choose_town``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Message(
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag=snake_case,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
):
    """An immutable message. Its kind is written in the field ``type``."""
