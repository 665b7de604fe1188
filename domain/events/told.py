"""What all facts have in common."""

from domain.words import Word


class Told(Word, frozen=True, omit_defaults=False):
    """A fact; all of its fields are always written."""


class Unplayed(Told, frozen=True, kw_only=True):
    """A fact that is no player's doing."""

    seat: None = None
