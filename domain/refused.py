"""The exceptions that refuse a decision: a stable code, the rule, and what was missing."""

from typing import Any


class Refused(Exception):
    """A decision that the rules do not allow; nothing has happened."""

    def __init__(
        self,
        code: str,
        rule: str,
        detail: str,
        needed: dict[str, Any] | None = None,
        had: dict[str, Any] | None = None,
        *,
        reason: str | None = None,
    ) -> None:
        """Keep the rule that refuses, a sentence, what was needed and what there was instead."""
        super().__init__(detail)
        self.code = code
        self.rule = rule
        self.detail = detail
        self.needed = needed or {}
        self.had = had or {}
        self.reason = reason


class IllegalAction(Refused):
    """An action that the rules forbid in this position, for one of many reasons."""

    def __init__(
        self,
        reason: str,
        rule: str,
        detail: str,
        needed: dict[str, Any] | None = None,
        had: dict[str, Any] | None = None,
    ) -> None:
        """Keep the reason beside what every refusal has; the code is always ``illegal_action``."""
        super().__init__("illegal_action", rule, detail, needed, had, reason=reason)
