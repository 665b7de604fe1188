"""Responses with tokens are neither cached nor compressed."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client

from api.web.documents import DOCUMENT
from tests.api.people import People, bearer, late_table

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
SECRET = re.compile(r"(^|_)(token|invite)$").search
NAMED = re.compile(r'"#/components/schemas/(\w+)"').findall


def fields(schema: Any, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the names of all fields in responses of a schema, except booleans."""
    if isinstance(schema, list | dict):
        properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
        yield from (name for name, field in properties.items() if field.get("type") != "boolean")
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from fields(part, seen)
    for name in NAMED(f'"{schema}"') if isinstance(schema, str) else ():
        if name not in seen:
            yield from fields(CURRENT["components"]["schemas"][name], seen | {name})


ISSUING = {
    operation["operationId"]: (path, operation)
    for path, methods in CURRENT["paths"].items()
    for method, operation in methods.items()
    if method == "post"
    and any(
        SECRET(name) for status, response in operation["responses"].items() if status < "3" for name in fields(response)
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
    examples = ISSUING[operation][1]["requestBody"]["content"]["application/json"]["examples"]
    return next(iter(examples.values()))["value"]


def tokens_in(response: Any) -> list[str]:
    """Return all tokens in a response."""
    if isinstance(response, dict):
        own = [value for name, value in response.items() if SECRET(name) and isinstance(value, str)]
        return own + [token for value in response.values() for token in tokens_in(value)]
    return [token for value in response for token in tokens_in(value)] if isinstance(response, list) else []


def test_the_operations_that_issue_tokens_are_found() -> None:
    with_seats = {"create_game", "take_seat", "fork_game", "import_record"}
    renewing = {"renew_token", "renew_host_token", "hand_over"}
    assert set(ISSUING) == with_seats | renewing | {"admit_spectator", "ask_for_rematch"}


@pytest.mark.parametrize("operation", ISSUING)
def test_responses_with_tokens_are_neither_cached_nor_compressed(client: Client, operation: str) -> None:
    begun = operation in ("fork_game", "import_record")
    if operation == "hand_over":
        table = late_table(client)
        table.post("/absence", table.host, {"seat": 0})
    else:
        table = People(client, seats=3, players=3 if begun else 2)
    if operation == "ask_for_rematch":
        table.post("/start", table.host)
        table.do({"type": "resign"})
    path = ISSUING[operation][0].replace("{game_id}", table.id).replace("{seat}", "0")
    sent = bearer(table.host) | {"idempotency-key": "6e1d0f7b4c2a49d88b3f5a7c9e021d64", "accept-encoding": "gzip"}
    first, again = (client.post(path, json=body_of(operation, table), headers=sent) for _ in range(2))
    assert first.status_code == 201, first.text
    assert tokens_in(first.json())
    assert again.content == first.content
    for response in (first, again):
        assert response.headers["cache-control"] == "no-store"
        assert "content-encoding" not in response.headers


def test_lookups_of_tokens_are_not_cached(client: Client) -> None:
    table = People(client)
    found = client.post("/v1/seats/lookup", json={"tokens": [table.host]}, headers={"accept-encoding": "gzip"})
    assert found.headers["cache-control"] == "no-store"
    assert table.host not in found.text
