"""Private games: requests without permission reveal nothing, in any state of the game."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from httpx import Client, Response

from api.web.documents import DOCUMENT
from domain.stream import rechain
from tests.api.people import People, bearer, problem, serving

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
OF_A_GAME = "/v1/games/{game_id}"
METHODS = [
    (method, path, operation)
    for path, described in CURRENT["paths"].items()
    if path.startswith(OF_A_GAME)
    for named, operation in described.items()
    for method in ((named.upper(), "HEAD") if named == "get" else (named.upper(),))
]
TAKE_SEAT = ("POST", f"{OF_A_GAME}/seats")
KEY = "6e1d0f7b4c2a49d88b3f5a7c9e021d64"
VALUES = {"integer": ("1", "999999"), "string": ("1", "1-1-1", "state", "full", "-")}

OF_IT = "FROM stored_events WHERE originator_id = :game"
STATE = "UPDATE stored_events SET state = CAST(%s AS BLOB) WHERE originator_id = :game"
DAMAGES = {
    "its first event is unreadable": STATE % "replace(CAST(state AS TEXT), 'seats', 'sea')"
    + " AND originator_version = 1",
    "a later event is unreadable": STATE % "replace(CAST(state AS TEXT), 'town', 'tow')",
    "the last digest is none": STATE % "substr(CAST(state AS TEXT), 1, length(state) - 5) || 'xyz\"}'"
    + f" AND originator_version = (SELECT max(originator_version) {OF_IT})",
    "its first events are gone": f"DELETE {OF_IT} AND originator_version < 5",
    "events in the middle are gone": f"DELETE {OF_IT} AND originator_version BETWEEN 10 AND 14",
    "its last events are gone": f"DELETE {OF_IT} AND originator_version > 12",
    "all events are gone": f"DELETE {OF_IT}",
}


class Games:
    """Games in every state, and a token of another game."""

    def __init__(self, client: Client, **options: Any) -> None:
        def table(seats: int = 2, players: int | None = None) -> People:
            return People(client, seats, players, undo="free", **options)

        self.states = {"open": table(3, 1), "closed": table(3, 2), "begun": table()}
        self.states["closed"].post("/close", self.states["closed"].host)
        for name in ("far", "finished", "undone", *DAMAGES):
            self.states[name] = far = table()
            for move in [{"type": "choose_town", "town": town} for town in ("pueblo", "ogallala")]:
                assert far.post("/moves", far.host, move).is_success
        self.states["finished"].post("/moves", self.states["finished"].host, {"type": "resign"})
        self.states["undone"].post("/undo", self.states["undone"].host)
        self.versions = [
            int(self.states[state].get("", self.states[state].host).json()["version"]) for state in ("begun", "far")
        ]

    def damage(self, file: Path) -> None:
        """Damage the games as their states say."""
        with closing(sqlite3.connect(file)) as database:
            for state, statement in DAMAGES.items():
                assert database.execute(statement, {"game": self.states[state].id.replace("-", "")}).rowcount > 0
            database.commit()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Games, Games, People]]:
    """Private and public games in every state, on a server that has just started."""
    file = tmp_path_factory.mktemp("private") / "games.db"
    with serving(database_url=f"sqlite:///{file}") as client:
        private, public, other = Games(client, private=True), Games(client), People(client, private=True)
    private.damage(file)
    public.damage(file)
    with serving(database_url=f"sqlite:///{file}") as client:
        yield client, private, public, other


def queries(operation: Any) -> Iterator[str]:
    for parameter in operation["parameters"]:
        if parameter.get("in") == "query":
            schema = parameter["schema"]
            kinds = [kind.get("type") for kind in (schema, *schema.get("anyOf", ()))]
            values = chain.from_iterable(VALUES.get(kind, ()) for kind in kinds)
            yield from (f"?{parameter['name']}={value}" for value in values)


def requests(method: str, operation: Any, versions: list[int]) -> Iterator[dict[str, Any]]:
    """Yield requests for an operation, the valid one first."""
    bodies = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {})
    plain = {"json": example["value"]} if (example := next(iter(bodies.values()), None)) else {}
    yield plain
    for query in queries(operation):
        yield plain | {"query": query}
    tags = ["*", *(f'"{version}"' for version in versions)]
    for condition in ("If-Match", "If-None-Match"):
        yield from (plain | {"headers": {condition: tag}} for tag in tags)
    yield plain | {"headers": {"Idempotency-Key": KEY}}
    yield plain | {"headers": {"X-Invite": "a-guess"}}
    if method == "POST":
        yield from ({"content": body} for body in (b"", b"{", b"[1]", b'{"nothing": 1}'))


def send(client: Client, table: People, method: str, path: str, token: str, request: dict[str, Any]) -> Response:
    url = path.replace(OF_A_GAME, table.path).replace("{seat}", "0") + request.get("query", "")
    sent = {name: value for name, value in request.items() if name in ("json", "content")}
    return client.request(method, url, headers=request.get("headers", {}) | bearer(token), **sent)


def everything_in(response: Response) -> tuple[Any, ...]:
    headers = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    return response.status_code, tuple(sorted(headers.items())), response.content


@pytest.mark.parametrize(
    ("method", "path", "operation"), METHODS, ids=[f"{method} {path}" for method, path, _ in METHODS]
)
def test_responses_to_strangers_do_not_depend_on_the_state_of_a_private_game(
    served: tuple[Client, Games, Games, People], method: str, path: str, operation: Any
) -> None:
    client, private, _, other = served
    states = dict(private.states)
    if (method, path) == TAKE_SEAT:
        del states["open"]  # anyone who knows the id of an open table can join it
    for token, status, code, most in (
        ("", 401, "token_missing", None),
        ("nobody-has-this", 401, "token_unknown", 4),
        (other.host, 403, "foreign_token", 4),
    ):
        of_apps = path.endswith("/refs") and token != "nobody-has-this"
        refusal = (401, "app_key_missing") if of_apps else (status, code)
        for number, request in enumerate(islice(requests(method, operation, private.versions), most)):
            responses = {state: send(client, table, method, path, token, request) for state, table in states.items()}
            assert len(set(map(everything_in, responses.values()))) == 1, (request, token, responses)
            if not number and method != "HEAD":
                problem(responses["begun"], *refusal)
            assert responses["begun"].status_code in (400, refusal[0])


def test_the_same_requests_distinguish_public_games(served: tuple[Client, Games, Games, People]) -> None:
    """This proves that the requests of the test above can reveal differences."""
    client, _, public, _ = served
    states = {state: public.states[state] for state in ("begun", "far", *DAMAGES)}
    for method, path, operation in METHODS:
        ends = "text/event-stream" not in operation["responses"].get("200", {}).get("content", {})
        if {} in operation["security"] and ends:
            assert any(
                len({everything_in(send(client, table, method, path, "", request)) for table in states.values()}) > 1
                for request in requests(method, operation, public.versions)
            ), (method, path)


def test_the_page_of_a_private_or_damaged_game_is_that_of_the_lobby(
    served: tuple[Client, Games, Games, People],
) -> None:
    client, private, public, _ = served
    lobby = client.get("/play")
    named = [everything_in(client.get(f"/play/{table.id}")) != everything_in(lobby) for table in public.states.values()]
    assert sum(named) >= len(public.states) - len(DAMAGES)
    for state, table in private.states.items():
        for token in ("", table.host):
            found = client.get(f"/play/{table.id}", headers=bearer(token))
            assert everything_in(found) == everything_in(lobby), state


def test_members_see_the_damage(served: tuple[Client, Games, Games, People]) -> None:
    client, private, _, _ = served
    for state in DAMAGES:
        table = private.states[state]
        table.client = client
        if state != "its last events are gone":
            problem(table.get("", table.host), 503, "game_unreadable")
        assert table.get("/audit", table.tokens[0]).json()["ok"] is False, state


def test_an_import_never_gets_the_id_of_a_damaged_game(served: tuple[Client, Games, Games, People]) -> None:
    """The id would reveal how much of the game is left, and the import would write into its stream."""
    client, private, _, other = served
    other.client = client
    record = other.get("/record", other.host).json()
    for table in private.states.values():
        named = record | {"game": table.id, "events": rechained(table.id, record["events"])}
        brought = client.post("/v1/records", json=named)
        assert brought.status_code == 201, brought.text
        assert brought.json()["game"]["id"] != table.id


def rechained(game: str, events: list[Any]) -> list[Any]:
    return [json.loads(event) for event in rechain(game, [msgspec.json.encode(event) for event in events])]


def test_private_games_never_change_the_lobby(fresh: Client) -> None:
    def lobbies() -> list[Any]:
        queries = ("", "?status=playing", "?player=Ann", "?limit=1")
        return [everything_in(fresh.get(f"/v1/games{query}")) for query in queries]

    public = People(fresh)
    before = lobbies()
    table = People(fresh, private=True, start="introductory")
    assert lobbies() == before
    table.post("/moves", table.tokens[0], {"type": "resign"})
    assert lobbies() == before
    assert [entry["id"] for entry in fresh.get("/v1/games").json()["items"]] == [public.id]


def join(table: People, name: str, token: str = "", **headers: str) -> Response:
    return table.post("/seats", token, {"name": name}, **headers)


def test_joining_a_private_table_does_not_reveal_its_version(client: Client) -> None:
    table = People(client, seats=3, players=1, private=True)
    responses = [join(table, "Ann", if_match=f'"{version}"') for version in range(1, 5)]
    assert len(set(map(everything_in, responses))) == 1
    problem(responses[0], 401, "token_missing")
    problem(join(table, "Ann"), 409, "name_taken")
    stale = problem(join(table, "Bob", table.host, if_match='"1"'), 412, "stale_version")
    assert join(table, "Bob", table.host, if_match=f'"{stale["version"]}"').status_code == 201


def test_a_repeated_join_works_after_play_has_begun(client: Client) -> None:
    table = People(client, seats=2, players=1, private=True)
    first = join(table, "Bob", idempotency_key=KEY)
    assert first.status_code == 201
    assert join(table, "Bob", idempotency_key=KEY).content == first.content
    problem(join(table, "Cem"), 401, "token_missing")
    problem(join(table, "Cem", table.host), 409, "already_started")


def test_permission_is_checked_before_the_version(client: Client) -> None:
    table = People(client, private=True)
    problem(table.get("", params={"at": 999_999}), 401, "token_missing")
    problem(table.get("", table.host, params={"at": 999_999}), 404, "version_not_found")
