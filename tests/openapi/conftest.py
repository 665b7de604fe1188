"""Fixtures of the tests of the published documents."""

from tests.api.conftest import client

__all__ = ["client"]
