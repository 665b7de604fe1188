"""Answers that hold tokens are kept by nobody on the way: `no-store`, and never compressed."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client

from api.web.documents import DOCUMENT
from tests.api.people import People, bearer

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
SECRET = re.compile(r"(^|_)(token|invite)$").search
NAMED = re.compile(r'"#/components/schemas/(\w+)"').findall


def fields(schema: Any, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the name of every field in answers of a schema but those that only say yes or no."""
    if isinstance(schema, list | dict):
        properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
        yield from (name for name, field in properties.items() if field.get("type") != "boolean")
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from fields(part, seen)
    for name in NAMED(f'"{schema}"') if isinstance(schema, str) else ():
        if name not in seen:
            yield from fields(CURRENT["components"]["schemas"][name], seen | {name})


GIVING = {
    operation["operationId"]: (path, operation)
    for path, methods in CURRENT["paths"].items()
    for method, operation in methods.items()
    if method == "post"
    and any(
        SECRET(name) for status, answer in operation["responses"].items() if status < "3" for name in fields(answer)
    )
}


def body_of(operation: str, table: People) -> Any:
    """Return a body that fits the table, or the example of the document."""
    if operation == "import_record":
        return table.seen("/record")
    if operation == "take_seat":
        return {"name": "Zoe"}
    if operation == "fork_game":
        return {}
    examples = GIVING[operation][1]["requestBody"]["content"]["application/json"]["examples"]
    return next(iter(examples.values()))["value"]


def tokens_in(answer: Any) -> list[str]:
    """Return all tokens of an answer."""
    if isinstance(answer, dict):
        own = [value for name, value in answer.items() if SECRET(name) and isinstance(value, str)]
        return own + [token for value in answer.values() for token in tokens_in(value)]
    return [token for value in answer for token in tokens_in(value)] if isinstance(answer, list) else []


def test_the_operations_that_give_tokens_are_found() -> None:
    with_seats = {"create_game", "take_seat", "fork_game", "import_record"}
    assert set(GIVING) == with_seats | {"renew_token", "renew_host_token", "admit_spectator"}


@pytest.mark.parametrize("operation", GIVING)
def test_no_answer_with_a_token_is_stored_or_compressed_on_its_way(client: Client, operation: str) -> None:
    begun = operation in ("fork_game", "import_record")
    table = People(client, seats=3, players=3 if begun else 2)
    path = GIVING[operation][0].replace("{game_id}", table.id).replace("{seat}", "0")
    sent = bearer(table.host) | {"idempotency-key": "6e1d0f7b4c2a49d88b3f5a7c9e021d64", "accept-encoding": "gzip"}
    first, again = (client.post(path, json=body_of(operation, table), headers=sent) for _ in range(2))
    assert first.status_code == 201, first.text
    assert tokens_in(first.json())
    assert again.content == first.content
    for answer in (first, again):
        assert answer.headers["cache-control"] == "no-store"
        assert "content-encoding" not in answer.headers


def test_neither_is_what_tokens_are_good_for(client: Client) -> None:
    table = People(client)
    found = client.post("/v1/seats/lookup", json={"tokens": [table.host]}, headers={"accept-encoding": "gzip"})
    assert found.headers["cache-control"] == "no-store"
    assert table.host not in found.text
