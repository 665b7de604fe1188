"""The versions of the rules."""

RULES_VERSION = 2
"""The version by which new games are played; games of earlier versions keep theirs."""

KNOWN_RULES = range(1, RULES_VERSION + 1)
