"""Comparing responses shown in the documentation with real ones."""

from typing import Any

import pytest

from tests.support.documents import fits, last_document, read_shown

REAL = {"id": "7f", "turn": 1, "ok": True, "seats": [{"seat": 0, "name": "Ann"}, {"seat": 1, "name": "Bob"}]}


@pytest.mark.parametrize(
    "shown",
    [
        '{ "id": "...", "turn": 1, ... }',
        '{ ..., "seats": [{ "seat": 0, ... }, ...] }',
        '{ ..., "seats": [..., { "seat": 1, "name": "Bob" }] }',
        '{ "id": "7f", "turn": 1, "ok": true, "seats": [...] }',
    ],
)
def test_a_shown_response_may_be_abridged(shown: str) -> None:
    assert fits(read_shown(shown), REAL)


@pytest.mark.parametrize(
    "shown",
    [
        '{ "id": "...", "turn": 2, ... }',
        '{ "id": "...", "turn": 1 }',
        '{ "turn": "...", ... }',
        '{ "ok": 1, ... }',
        '{ "missing": "...", ... }',
        '{ ..., "seats": [{ "seat": 0, ... }] }',
        '{ ..., "seats": [{ "seat": 1, ... }, ...] }',
        '{ ..., "seats": [..., { "seat": 1 }] }',
        '{ ..., "seats": [] }',
    ],
)
def test_a_shown_response_must_not_differ(shown: str) -> None:
    assert not fits(read_shown(shown), REAL)


@pytest.mark.parametrize(
    ("printed", "document"), [('event\n{\n "a": [\n  1\n ]\n}\n', {"a": [1]}), ("1\n2\n", 2), ("[]\n", [])]
)
def test_the_last_document_of_an_output_is_found(printed: str, document: Any) -> None:
    assert last_document(printed) == document
