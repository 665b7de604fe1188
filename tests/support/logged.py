"""The captured log of this process."""

import pytest

from api.http.log import flush_log

WRITTEN = 60
"""Timeout of a wait for the log in seconds."""


def logged(capfd: pytest.CaptureFixture[str]) -> str:
    """Return the log once it is completely written."""
    assert flush_log(WRITTEN)
    return capfd.readouterr().err
