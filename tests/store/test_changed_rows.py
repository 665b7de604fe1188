"""Rows changed in the database cause neither an error of the server nor a false response of the API."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from httpx import Client, Response
from psycopg.errors import NumericValueOutOfRange

from domain.store.database import Database
from domain.store.errors import Conflict, StorageUnavailable
from tests.api.people import NOWHERE, People, bearer, serving
from tests.store.clients import opened_database
from tests.support.postgres import empty_database
from tests.support.soak import soak_factor

KEY = "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e"
VIEWS = ("", "/state", "/board", "/scores", "/legal-moves", "/history", "/events", "/record", "/audit", "/board?at=9")

ALL = ("/v1/events?limit=1000", "/v1/records")

Row = dict[str, Any]


class Asked(NamedTuple):
    """The part of a response that must stay the same."""

    status: int
    body: Any


class House:
    """Games of every kind in a database, and everything that can be read of them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.tables = [
            People(client, start="introductory"),
            People(client, private=True, seats=3),
            People(client, seats=3, players=2, private=True, invite=True),
            People(client, seats=4, players=1),
            People(client),
        ]
        self.tables[0].play(8)
        self.tables[1].post("/spectators", self.tables[1].host, idempotency_key=KEY)
        self.tables[4].post("/moves", self.tables[4].tokens[0], {"type": "resign"})
        self.ids = [UUID(table.id) for table in self.tables]
        self.again: list[Callable[[Client], Response]] = []
        self.keep(lambda client: client.post("/v1/games", json={"seats": 2}, headers={"idempotency-key": KEY}))
        seat, move = self.tables[0].to_play, self.tables[0].moves()[0]
        self.keep(lambda client: self.do(client, seat, move))
        self.truth = self.read(client)

    def keep(self, ask: Callable[[Client], Response]) -> None:
        """Make a request now, and repeat it with every read."""
        assert ask(self.client).status_code < 300
        self.again.append(ask)

    def do(self, client: Client, seat: int, move: Any) -> Response:
        table = self.tables[0]
        headers = bearer(table.tokens[seat]) | {"idempotency-key": KEY}
        return client.post(f"{table.path}/moves", json=move, headers=headers)

    def read(self, client: Client) -> dict[str, Asked]:
        found = {"list": client.get("/v1/games"), "alone": client.get("/v1/games", params={"player": "Ann"})}
        found |= {f"again {number}": ask(client) for number, ask in enumerate(self.again)}
        found |= {
            f"list {status}": client.get("/v1/games", params={"status": status})
            for status in ("open", "playing", "finished")
        }
        found |= {path: client.get(path) for path in ALL}
        for path in ALL:
            assert not any(table.id in found[path].text for table in self.tables[1:3])
            for line in found[path].text.splitlines():
                json.loads(line)
        for number, table in enumerate(self.tables):
            tokens = [table.host, *table.tokens.values()]
            for index, token in enumerate(tokens):
                found[f"list for {number} {index}"] = client.get("/v1/games", headers=bearer(token))
                found[f"lookup {number} {index}"] = client.post("/v1/seats/lookup", json={"tokens": [token]})
                found[f"view {number} {index}"] = client.get(table.path, headers=bearer(token))
            for view in VIEWS:
                found[f"stranger {number} {view}"] = client.get(table.path + view)
                found[f"member {number} {view}"] = client.get(table.path + view, headers=bearer(table.host))
        return {name: Asked(response.status_code, body_of(response)) for name, response in found.items()}

    def audit_finds(self, game: object, found: dict[str, Asked]) -> bool:
        """Return whether the audit of a game finds a difference."""
        number = self.ids.index(UUID(str(game)))
        return not found[f"member {number} /audit"].body["ok"]


def body_of(response: Response) -> Any:
    """Return the content of a response; damaged events may be no JSON."""
    try:
        return response.json()
    except ValueError:
        return response.content


def rows(database: Database, table: str, columns: str) -> list[Row]:
    names = columns.split()
    return [
        dict(zip(names, row, strict=True)) for row in database.select((f"SELECT {', '.join(names)} FROM {table}", ()))
    ]


def replace(database: Database, table: str, before: Row, after: Row) -> None:
    """Replace a row by another one."""
    changes = ", ".join(f"{column} = ?" for column in after)
    where = " AND ".join(f"{column} = ?" for column in before if before[column] is not None)
    values = (*after.values(), *(value for value in before.values() if value is not None))
    with database.transaction() as transaction:
        transaction.run((f"UPDATE {table} SET {changes} WHERE {where}", values))


def restore(database: Database, table: str, all_rows: list[Row]) -> None:
    with database.transaction() as transaction:
        transaction.run((f"DELETE FROM {table}", ()))
        for row in all_rows:
            marks = ", ".join("?" * len(row))
            transaction.run((f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())))


def changed(value: Any, luck: Random, any_type: bool) -> Any:
    """Return another value; SQLite stores other types too."""
    if any_type and luck.random() < 0.2:
        return luck.choice([None, "x", b"\xff", -1, 1.5]) if value is not None else b"x"
    if isinstance(value, int):
        return luck.choice([value + 1, value - 1, -value - 7, 40, 2**31 - 1])
    if isinstance(value, str):
        index = luck.randrange(len(value))
        return luck.choice([value[:index] + chr(ord(value[index]) ^ 1) + value[index + 1 :], value[:index], "\u00fc"])
    if not value:
        return b"x"
    index = luck.randrange(len(value))
    return luck.choice(
        [value[:index] + bytes([value[index] ^ 1 << luck.randrange(8)]) + value[index + 1 :], value[:index]]
    )


# --- the differences that are allowed ------------------------------------------------------------------------------


def problem_is(found: Asked, *codes: str) -> bool:
    return found.status >= 400 and found.body["code"] in codes


def allowed_of_keys(name: str, found: Asked, true: Asked) -> bool:
    return name.startswith("again") and problem_is(found, "key_reused", "weak_key")


def allowed_of_tokens(name: str, found: Asked, true: Asked) -> bool:
    return problem_is(found, "token_unknown") or (name.startswith("lookup") and found.body == {"items": [None]})


def allowed_of_heads(name: str, found: Asked, true: Asked) -> bool:
    return name.endswith("/audit") and found.status == 200 and not found.body["ok"]


def allowed_of_stored_events(name: str, found: Asked, true: Asked) -> bool:
    """A changed event may be shown or reported as an error; private games and the lobby stay."""
    hidden = problem_is(true, "token_missing") or name.startswith(("list", "alone"))
    return not hidden and (found.status < 500 or problem_is(found, "game_unreadable", "internal_error"))


EVENTS = ("stored_events", "originator_id originator_version topic state")
TABLES = {
    "keys": ('id body_hash game first last "check" salt stored_at', 'body_hash "check"', allowed_of_keys),
    "tokens": ("digest game seat", "digest game seat", allowed_of_tokens),
    "heads": ("game prior version digest progress", "version digest", allowed_of_heads),
    EVENTS[0]: (EVENTS[1], "state originator_version", allowed_of_stored_events),
}


class Site(NamedTuple):
    """A database, and the rows that a test must restore."""

    url: str
    house: House
    before: dict[str, list[Row]]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Site]:
    """The games in a database of each kind; in the end every change must have been undone."""
    sqlite = nullcontext(f"sqlite:///{tmp_path_factory.mktemp('rows')}/games.db")
    with sqlite if request.param == "sqlite" else empty_database(postgres_url) as url:
        with serving(database_url=url) as client:
            house = House(client)
        with opened_database(url) as database:
            before = {name: rows(database, name, known) for name, (known, *_) in TABLES.items()}
        yield Site(url, house, before)
        with serving(database_url=url) as client:
            assert house.read(client) == house.truth


@pytest.mark.parametrize("table", TABLES)
def test_changed_rows_cause_no_server_error_and_no_false_response(site: Site, table: str) -> None:
    url, house, before = site
    _, spoilt, allowed = TABLES[table]
    luck, different = Random(table), 0
    events = [row for row in before[EVENTS[0]] if UUID(str(row["originator_id"])) in house.ids]
    with opened_database(url) as database:
        for column in spoilt.split() * soak_factor():
            row = luck.choice(events if table == EVENTS[0] else before[table])
            value = spoil(table, column, row[column], luck, url.startswith("sqlite"))
            after = {**row, column: value}
            try:
                replace(database, table, row, after)
            except (Conflict, StorageUnavailable, NumericValueOutOfRange):  # the database itself refuses it
                continue
            with serving(database_url=url) as client:
                all_found = house.read(client)
            unlike = {name: found for name, found in all_found.items() if found != house.truth[name]}
            different += len(unlike)
            for name, found in unlike.items():
                assert allowed(name, found, house.truth[name]), (name, row, column, value, found)
            if table == EVENTS[0]:
                assert house.audit_finds(row["originator_id"], all_found) or not (unlike or column == "state")
                replace(database, table, after, row)
            for name in before.keys() - {EVENTS[0]}:
                restore(database, name, before[name])
    assert different


def spoil(table: str, column: str, value: Any, luck: Random, any_type: bool) -> Any:
    """Change a value, but never a token into the one of another seat."""
    if (table, column) == ("tokens", "seat"):
        return luck.choice([4, 5, 77, -7, *["x", b"\xff"] * any_type])
    if (table, column) == ("tokens", "game"):
        return luck.choice([NOWHERE.replace("-", ""), NOWHERE, "", "no id", "\u00fc" * 32])
    return changed(value, luck, any_type)
