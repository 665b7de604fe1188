"""Broken requests of every kind: each gets a documented problem."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from httpx import Client

from tests.api.people import NOWHERE, People, problem

JSON = {"content-type": "application/json"}

BODIES: list[tuple[str, bytes, int, str]] = [
    ("nothing at all", b"", 400, "invalid_body"),
    ("not JSON", b"seats=2", 400, "malformed_json"),
    ("cut off", b'{"seats": 2', 400, "malformed_json"),
    ("more than one value", b'{"seats": 2} {"seats": 2}', 400, "malformed_json"),
    ("not UTF-8", b'{"seats": 2, "players": ["\xff\xfe"]}', 400, "malformed_json"),
    ("UTF-16", '{"seats": 2}'.encode("utf-16"), 400, "malformed_json"),
    ("a lone surrogate", b'{"seats": 2, "players": ["\\ud800"]}', 400, "malformed_json"),
    ("surrogates the wrong way round", b'{"seats": 2, "players": ["\\udc00\\ud800"]}', 400, "malformed_json"),
    ("not a number", b'{"seats": NaN}', 400, "malformed_json"),
    ("infinity", b'{"seats": Infinity}', 400, "malformed_json"),
    ("deeply nested", b'{"seats": ' + b"[" * 30_000, 400, "invalid_body"),
    ("an array", b"[]", 400, "invalid_body"),
    ("null", b"null", 400, "invalid_body"),
    ("a text", b'"seats"', 400, "invalid_body"),
    ("a number as text", b'{"seats": "2"}', 400, "invalid_body"),
    ("a fraction", b'{"seats": 2.5}', 400, "invalid_body"),
    ("a whole number too large", b'{"seats": 6.0}', 400, "invalid_body"),
    ("a whole number no client can hold", b'{"seats": 2, "options": {"seed": 1e30}}', 400, "invalid_body"),
    ("no number after a whole one", b'{"seats": 2.0, "options": {"seed": 1e400}}', 400, "invalid_body"),
    ("a whole number and a text", b'{"seats": 2.0, "options": {"seed": "1"}}', 400, "invalid_body"),
    ("a whole number for true", b'{"seats": 2, "options": {"private": 1.0}}', 400, "invalid_body"),
    ("a whole number for a name", b'{"seats": 2, "players": [1.0]}', 400, "invalid_body"),
    ("cut off after a whole number", b'{"seats": 2.0', 400, "malformed_json"),
    ("deeply nested after a whole number", b'{"seats": 2.0, "x": ' + b"[" * 30_000, 400, "malformed_json"),
    ("a lone surrogate after a whole number", b'{"seats": 2.0, "players": ["\\ud800"]}', 400, "malformed_json"),
    ("true", b'{"seats": true}', 400, "invalid_body"),
    ("too few", b'{"seats": 1}', 400, "invalid_body"),
    ("too many", b'{"seats": 6}', 400, "invalid_body"),
    ("a huge number", b'{"seats": 18446744073709551616}', 400, "invalid_body"),
    ("a number of 5000 digits", b'{"seats": ' + b"9" * 5000 + b"}", 400, "invalid_body"),
    ("a huge exponent", b'{"seats": 1e999999}', 400, "invalid_body"),
    ("an unknown field", b'{"seats": 2, "seat": 2}', 400, "invalid_body"),
    ("an unknown option", b'{"seats": 2, "options": {"undoo": "off"}}', 400, "invalid_body"),
    ("an unknown choice", b'{"seats": 2, "options": {"undo": "often"}}', 400, "invalid_body"),
    ("an unknown mode", b'{"seats": 2, "options": {"expert": {"mode": "chess"}}}', 400, "invalid_body"),
    ("an absurd seed", b'{"seats": 2, "options": {"seed": 1e300}}', 400, "invalid_body"),
    ("a first player of nowhere", b'{"seats": 2, "options": {"first_player": 99999999999999}}', 400, "invalid_body"),
    ("a seed no client can hold", b'{"seats": 2, "options": {"seed": 9007199254740993}}', 400, "invalid_body"),
    ("more players than seats", b'{"seats": 2, "players": ["A", "B", "C"]}', 400, "invalid_body"),
    ("six players", b'{"seats": 5, "players": ["A", "B", "C", "D", "E", "F"]}', 400, "invalid_body"),
    ("an unknown board", b'{"seats": 2, "options": {"board": "../../etc/passwd"}}', 400, "invalid_options"),
    ("no such first player", b'{"seats": 2, "options": {"first_player": 4}}', 400, "invalid_options"),
    (
        "unknown region tiles",
        b'{"seats": 2, "options": {"modules": {"region_tiles": {"chosen": ["new-01", "new-99"]}}}}',
        400,
        "invalid_options",
    ),
    (
        "an unfinished layout",
        b'{"seats": 2, "options": {"expert": {"mode": "explicit", "city_tiles": {}, "region_tiles": {}}}}',
        400,
        "invalid_options",
    ),
]

NAMES = {
    "empty": "",
    "a space": " ",
    "many spaces": " " * 40,
    "NUL": "\x00",
    "NUL inside": "A\x00nn",
    "a line break": "Ann\n",
    "a tab": "A\tnn",
    "escape": "\x1b[31mAnn",
    "delete": "\x7f",
    "a no-break space": "\u00a0",
    "a soft hyphen": "\u00ad",
    "a zero-width space": "\u200b",
    "a joiner": "Ann\u200d",
    "right to left": "\u202ennA",
    "a byte order mark": "\ufeffAnn",
    "a Hangul filler": "\u3164",
    "a blank Braille pattern": "\u2800",
    "private use": "\ue000",
    "a tag": "\U000e0041",
    "an accent alone": "\u0301",
    "41 letters": "A" * 41,
    "a book": "A" * 10_000,
    "too long with its spaces": " " * 38 + "Ann",
}

PATHS = [
    ("GET", "/v2/games", 404, "not_found"),
    ("GET", "/v1/games/x/y/z", 404, "not_found"),
    ("GET", "/v1/games/%00", 404, "game_not_found"),
    ("GET", "/v1/games/%F0%9F%A6%84", 404, "game_not_found"),
    ("GET", "/v1/games/00000000000040008000000000000000", 404, "game_not_found"),
    ("GET", "/v1/games/{00000000-0000-4000-8000-000000000000}", 404, "game_not_found"),
    ("GET", "/v1/games/" + "9" * 5000, 404, "game_not_found"),
    ("GET", "/v1/games/..%2f..%2fetc", 404, "not_found"),
    ("GET", "/v1/boards/..%2fusa-1960s", 404, "not_found"),
    ("GET", "/v1/boards/region-tiles-new", 404, "board_not_found"),
    ("GET", "/schema/nothing", 404, "not_found"),
    ("PUT", "/v1/games", 405, "method_not_allowed"),
    ("PATCH", "/v1/games/x", 405, "method_not_allowed"),
    ("DELETE", "/v1/games", 405, "method_not_allowed"),
    ("POST", "/v1/games/x/board", 405, "method_not_allowed"),
    ("GET", "/v1/games/x/moves", 405, "method_not_allowed"),
    ("POST", "/health/live", 405, "method_not_allowed"),
    ("TRACE", "/v1/games", 405, "method_not_allowed"),
    ("BREW", "/v1/games", 405, "method_not_allowed"),
]

QUERIES = [
    ("/v1/games?limit=0", "invalid_parameter"),
    ("/v1/games?limit=201", "invalid_parameter"),
    ("/v1/games?limit=-1", "invalid_parameter"),
    ("/v1/games?limit=many", "invalid_parameter"),
    ("/v1/games?limit=", "invalid_parameter"),
    ("/v1/games?limit=1.5", "invalid_parameter"),
    ("/v1/games?limit=99999999999999999999999", "invalid_parameter"),
    ("/v1/games?limit=5&limit=6", "invalid_parameter"),
    ("/v1/games?status=lost", "invalid_parameter"),
    ("/v1/games?sort=up", "invalid_parameter"),
    ("/v1/games?player=%ff", "invalid_parameter"),
    ("/v1/games?player=%00", "invalid_name"),
    ("/v1/games?player=", "invalid_name"),
    ("/v1/games?cursor=", "invalid_cursor"),
    ("/v1/games?cursor=abc", "invalid_cursor"),
    ("/v1/games?cursor=-1", "invalid_cursor"),
    ("/v1/games?cursor=%D9%A1", "invalid_cursor"),
    ("/v1/games?cursor=" + "9" * 400, "invalid_cursor"),
    ("/v1/games/GAME?at=0", "invalid_parameter"),
    ("/v1/games/GAME?at=-1", "invalid_parameter"),
    ("/v1/games/GAME?at=null", "invalid_parameter"),
    ("/v1/games/GAME?at=1e0", "invalid_parameter"),
    ("/v1/games/GAME?at=1.0", "invalid_parameter"),
    ("/v1/games/GAME/events?limit=1e1", "invalid_parameter"),
    ("/v1/games/GAME?at=99999999999999999999", "invalid_parameter"),
    ("/v1/games/GAME/board?view=full", "invalid_parameter"),
    ("/v1/games/GAME/events?view=all", "invalid_parameter"),
    ("/v1/games/GAME/events?wait=3600", "invalid_parameter"),
    ("/v1/games/GAME/events?after=-5", "invalid_parameter"),
    ("/v1/games/GAME/events?cursor=x", "invalid_cursor"),
    ("/v1/games/GAME/audit?deep=1", "invalid_parameter"),
    ("/health/live?verbose", "invalid_parameter"),
]


@pytest.mark.parametrize(("body", "status", "code"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_an_invalid_body(client: Client, body: bytes, status: int, code: str) -> None:
    before = client.get("/v1/games").content
    problem(client.post("/v1/games", content=body, headers=JSON), status, code)
    assert client.get("/v1/games").content == before


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_an_unreadable_name(client: Client, name: str) -> None:
    sent = json.dumps({"seats": 2, "players": [name]}).encode()
    problem(client.post("/v1/games", content=sent, headers=JSON), 400, "invalid_name")
    table = People(client, seats=3, players=1)
    problem(table.post("/seats", body={"name": name}), 400, "invalid_name")
    assert table.post("/seats", body={"name": "\U0001f984 \u65e5\u672c Ann-Zo\u00eb"}).status_code == 201


@pytest.mark.parametrize(("method", "path", "status", "code"), PATHS)
def test_an_unknown_path_or_method(client: Client, method: str, path: str, status: int, code: str) -> None:
    response = client.request(method, path)
    problem(response, status, code)
    if status == 405:
        assert response.headers["allow"]


@pytest.mark.parametrize(("query", "code"), QUERIES)
def test_an_invalid_parameter(client: Client, query: str, code: str) -> None:
    table = People(client)
    problem(client.get(query.replace("GAME", table.id)), 400, code)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense", ""]
)
def test_a_body_of_another_media_type(client: Client, kind: str) -> None:
    problem(
        client.post("/v1/games", content=b'{"seats": 2}', headers={"content-type": kind}), 415, "unsupported_media_type"
    )


def test_the_charset_of_json_is_optional(client: Client) -> None:
    for headers in ({"content-type": "application/json; charset=utf-8"}, {"content-type": "Application/JSON"}, {}):
        assert client.post("/v1/games", content=b'{"seats": 2}', headers=headers).status_code == 201


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"why", 400, "malformed_json"),
        (b'{"why": "I can"}', 400, "invalid_body"),
        (b"[]", 400, "invalid_body"),
        (b" " * 70_000, 413, "body_too_large"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_operations_without_a_body_refuse_one(client: Client, body: bytes, status: int, code: str) -> None:
    table, waiting = People(client, undo="free"), People(client, seats=3, players=2)
    for path, token in (
        (f"{table.path}/redo", table.host),
        (f"{table.path}/seats/0/token", table.host),
        (f"{waiting.path}/close", waiting.host),
        (f"{waiting.path}/start", waiting.host),
    ):
        headers = JSON | {"authorization": f"Bearer {token}"}
        problem(client.post(path, content=body, headers=headers), status, code)
    assert waiting.post("/close", waiting.host, {}).status_code == 200


@pytest.mark.parametrize("given", ["five", "-5", 'W/"5"', '"x"', '"1", "2"', "", '"' + "9" * 30 + '"'])
def test_an_invalid_version(client: Client, given: str) -> None:
    table = People(client)
    response = table.do({"type": "resign"}, if_match=given)
    problem(response, 400, "invalid_header")


ACTIONS: list[Any] = [
    {},
    [],
    None,
    "resign",
    {"type": "cheat"},
    {"type": None},
    {"type": "expand"},
    {"type": "expand", "path": "detroit"},
    {"type": "expand", "path": ["detroit", 5]},
    {"type": "increase", "city": ["omaha"]},
    {"type": "increase", "city": "omaha", "times": 5},
    {"type": "choose_town", "city": "pueblo"},
    {"type": "end_turn", "seat": 1},
    {"type": "place_city_tile", "city": "dallas", "value": "6"},
    {"type": "choose_town", "town": "atlantis" * 1000},
    {"type": "expand", "path": ["pueblo"] * 5000},
    {"type": "expand", "path": ["pueblo", "denver"], "free_link": 2**70},
    {"type": "place_city_tile", "city": "dallas", "value": -(2**70)},
]

ODD_ACTIONS: list[Any] = [
    {"type": "choose_town", "town": "\x00"},
    {"type": "choose_town", "town": "__class__"},
    {"type": "expand", "path": []},
    {"type": "expand", "path": ["pueblo"]},
    {"type": "expand", "path": ["pueblo", "denver"], "free_link": -1},
    {"type": "place_region_tile", "region": "", "tile": ""},
    {"type": "double", "city": "nowhere"},
    {"type": "move_boom", "city": "chicago"},
    {"type": "keep_boom"},
    {"type": "take_dollars"},
    {"type": "end_turn"},
]


@pytest.mark.parametrize("action", ACTIONS)
def test_an_invalid_action(client: Client, action: Any) -> None:
    table = People(client)
    version = table.version
    problem(table.do(action), 400, "invalid_body")
    problem(table.post("/preview", body=action if action != [] else [{}]), 400, "invalid_body")
    assert table.version == version


@pytest.mark.parametrize("action", ODD_ACTIONS, ids=lambda action: str(action)[:60])
def test_an_illegal_action(client: Client, action: Any) -> None:
    for steps in (0, 7):
        table = People(client, modules={"milestones": True})
        table.play(steps)
        if action in table.moves():
            continue
        details = problem(table.do(action), 409, "illegal_action")
        assert details["rule"].startswith("R")
        assert details["reason"]
        assert isinstance(details["needed"], dict)
        assert isinstance(details["had"], dict)
        preview = table.post("/preview", body=action)
        assert preview.status_code == 200
        refused = preview.json()["refused"]
        for said in ("code", "reason", "rule", "detail", "needed", "had"):
            assert refused[said] == details[said]


def test_a_preview_of_too_many_actions(client: Client) -> None:
    table = People(client)
    problem(table.post("/preview", body=[{"type": "keep_boom"}] * 201), 400, "invalid_body")


def _record(events: bytes, kind: bytes = b"franchise-record") -> bytes:
    return b'{"format": "%b", "format_version": 1, "game": "%b", "events": %b}' % (kind, NOWHERE.encode(), events)


@pytest.mark.parametrize(
    ("record", "status", "code"),
    [
        (b"", 400, "invalid_body"),
        (b"{}", 400, "invalid_body"),
        (b'{"events": [', 400, "malformed_json"),
        (b'{"events": [{}]}', 400, "invalid_body"),
        (b'{"events": []}', 400, "invalid_body"),
        (b'{"format": "franchise-record", "format_version": 1, "events": []}', 400, "invalid_body"),
        (_record(b"[]"), 422, "record_rejected"),
        (_record(b"[]", b"chess"), 422, "record_rejected"),
        (_record(b'[{"type": "cheat"}]'), 422, "record_rejected"),
        (_record(b'[{"type": "seat_taken", "name": "\\u0000"}]'), 422, "record_rejected"),
        (_record(b'[{"type": "seat_taken", "name": "%b"}]' % (b"x" * 90_000)), 422, "record_rejected"),
        (_record(b'[{"type": "x", "y": ' + b"[" * 90_000 + b"]" * 90_000 + b"}]"), 400, "malformed_json"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_an_invalid_record(client: Client, record: bytes, status: int, code: str) -> None:
    details = problem(client.post("/v1/records", content=record, headers=JSON), status, code)
    assert len(details["detail"]) < 300


def test_a_record_with_any_change_is_refused(client: Client) -> None:
    table = People(client)
    table.play(3)
    record, before = table.seen("/record"), client.get("/v1/games").content
    for number, event in enumerate(record["events"]):
        for field, value in event.items():
            events = list(record["events"])
            events[number] = event | {field: _another(value)}
            response = client.post("/v1/records", json=record | {"events": events})
            assert response.status_code in (400, 422), (number, field)
    assert client.get("/v1/games").content == before


def _another(value: Any) -> Any:
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) else f"{value}x"


def test_text_is_never_interpreted(client: Client) -> None:
    """Text of a player comes back unchanged."""
    names = ["<script>alert(1)</script>", "'; DROP TABLE games;--", "${7*7}{{7*7}}%s%n"]
    created = client.post("/v1/games", json={"seats": 3, "players": names})
    game = created.json()["game"]
    assert [seat["name"] for seat in game["seats"]] == names
    found = client.get(f"/v1/games?player={quote(names[1])}").json()["items"]
    assert [entry["id"] for entry in found] == [game["id"]]
    assert client.get(f"/v1/games/{game['id']}/history").headers["content-type"] == "application/json"
    assert created.headers["x-content-type-options"] == "nosniff"


STRANGE = [
    *(
        {"accept": accept}
        for accept in ("text/html;q=inf", "text/html;q=nan", "text/html;q=1e999, */*;q=x", ";;;", "*/*;q=")
    ),
    *({"host": host} for host in ("x:99999", "x:-1", "x:abc", "[::1", "a b", "%00", "x" * 5000)),
    *({"accept-encoding": coding} for coding in ("gzip;q=inf", ";q", "gzip;q=1;q=0", ",,,")),
    *({"authorization": given} for given in ("Bearer", "Bearer  ", "bearer \xff\xfe", "Basic x", "Bearer a b")),
    *({"if-none-match": tag} for tag in ('"', "W/", '"1",', "\xe9")),
    *({"if-match": tag} for tag in ("x", '"99999999999999999999"', "\xe9")),
    *({"idempotency-key": key} for key in ("\xe9", "x" * 300, " ")),
    *({"last-event-id": given} for given in ("x", "-1", "9" * 40)),
    *({"content-type": kind} for kind in ("", ";", "application/json; charset=utf-16", "\xe9")),
    *(dict.fromkeys(("x-invite", "x-request-id", "traceparent", "origin"), "é"),),
    *({"origin": "null", "access-control-request-method": method} for method in ("", "GET", "\xe9")),
]
"""Meaningless headers."""


@pytest.mark.parametrize("headers", STRANGE, ids=str)
def test_no_header_causes_a_server_error(client: Client, headers: dict[str, str]) -> None:
    table = People(client)
    raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
    paths = ("/", "/v1", "/problems", "/problems/weak_key", "/rules", "/schema", "/play", "/v1/games", "/v1/boards")
    for path in (
        *paths,
        f"/play/{table.id}",
        f"/embed/{table.id}",
        table.path,
        f"{table.path}/state",
        f"{table.path}/events",
        f"{table.path}/board.svg",
    ):
        for method in ("GET", "HEAD", "OPTIONS"):
            assert client.request(method, path, headers=raw, follow_redirects=False).status_code < 500, (method, path)
    for path in ("/v1/games", f"{table.path}/moves", f"{table.path}/seats", f"{table.path}/preview", "/v1/records"):
        assert client.post(path, content=b"{}", headers=raw).status_code < 500, path


@pytest.mark.parametrize("byte", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00"])
def test_no_byte_of_a_body_causes_a_server_error(client: Client, byte: bytes) -> None:
    """One changed byte at a time, in a record, whose events are verified unparsed, and in other bodies."""
    table = People(client)
    table.play(2)
    bodies = {
        "/v1/records": table.get("/record").content,
        "/v1/games": b'{"seats":2,"players":["Ann",{"name":"Bob","colour":"red"}],"options":{"seed":7}}',
        f"{table.path}/preview": b'{"type":"choose_town","town":"pueblo"}',
        "/v1/seats/lookup": b'{"tokens":["abc"]}',
    }
    for path, body in bodies.items():
        for index in range(0, len(body), max(1, len(body) // 150)):
            sent = body[:index] + byte + body[index + 1 :]
            response = client.post(path, content=sent, headers={"content-type": "application/json"})
            assert response.status_code < 500, (path, index)
