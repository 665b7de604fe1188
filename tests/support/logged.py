"""The log of this process, as a test captures it."""

import pytest

from api.http.log import flush_log

WRITTEN = 60
"""Seconds after which a test fails that waits for its log."""


def logged(capfd: pytest.CaptureFixture[str]) -> str:
    """Return what was logged, once all of it is written."""
    assert flush_log(WRITTEN)
    return capfd.readouterr().err
