"""The versions of the rules."""

RULES_VERSION = 2
"""The rules version of new games. Games of earlier versions keep theirs."""

KNOWN_RULES = range(1, RULES_VERSION + 1)
