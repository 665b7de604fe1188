"""The base of actions and facts: immutable messages with a type."""

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
    """An immutable message with its ``type`` written beside its fields."""
