"""Servers and helpers that the tests share."""
