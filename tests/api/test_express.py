"""The short way to a game's operations and the framework's own: nobody can tell by which one a request went."""

from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest
from httpx import Client, Response
from litestar.testing import TestClient

from api.app import create_app
from api.conventions.answers import Answer
from api.conventions.express import Express
from api.conventions.requests import Call, refuse_unknown_parameters
from tests.api.people import NOWHERE, People, bearer, serving, settings

OWN = ("date", "x-request-id")
"""Headers that no two answers share."""

VIEWS = ("", "/board", "/scores", "/legal-moves", "/history", "/events", "/audit", "/record")
POSTS = ("/moves", "/preview", "/undo", "/redo", "/undo/answer", "/start", "/close", "/seats", "/fork")


@pytest.fixture(scope="module")
def tables() -> Iterator[list[People]]:
    """A game under way, and a private one."""
    with serving() as client:
        tables = [People(client, start="introductory", private=private) for private in (False, True)]
        for table in tables:
            moves = table.get("/legal-moves", table.tokens[0]).json()["items"]
            assert table.post("/moves", table.tokens[0], moves[0]["action"]).status_code == 200
        yield tables


def same_both_ways(client: Client, method: str, path: str, **sent: Any) -> Response:
    """A slash at the end leads to the same operation, but is too long for the short way."""
    query = path.partition("?")
    long = f"{query[0]}/{query[1]}{query[2]}"
    (short, other) = (client.request(method, one, **sent) for one in (path, long))
    assert short.status_code == other.status_code
    assert short.content == other.content
    assert _headers(short) == _headers(other)
    return short


def _headers(answer: Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in OWN}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("view", VIEWS)
def test_looking(tables: list[People], method: str, view: str) -> None:
    for table in tables:
        token = bearer(table.tokens[0])
        tag = table.get(view, table.tokens[0]).headers.get("etag", "")
        known, page = {**token, "if-none-match": tag}, {**token, "origin": "https://play.example"}
        for headers in ({}, token, known, page, {"authorization": "Basic x"}, bearer("nobody's")):
            for query in ("", "?at=3", "?at=0", "?at=999", "?at=x", "?at=1&at=2", "?colour=red", "?after=2&limit=1"):
                same_both_ways(table.client, method, table.path + view + query, headers=headers)


@pytest.mark.parametrize("game", [NOWHERE, NOWHERE.upper(), "x" * 36, "5", "%00" * 36, "{game_id}" * 4])
def test_games_that_are_not_there(tables: list[People], game: str) -> None:
    for path in (*VIEWS, *POSTS):
        method = "POST" if path in POSTS else "GET"
        same_both_ways(tables[0].client, method, f"/v1/games/{game}{path}")


@pytest.mark.parametrize("path", POSTS)
def test_changing_refused(tables: list[People], path: str) -> None:
    """Nothing of this is allowed, so that both ways meet the same game."""
    table = tables[0]
    bodies: tuple[bytes, ...] = (b"{", b"[]", b"\xff", b'{"type": "no_such_thing"}', b'{"type": "double", "city": "x"}')
    heads: tuple[dict[str, str], ...] = (
        {},
        bearer(table.tokens[0]),
        bearer(table.tokens[0]) | {"content-type": "text/plain"},
        bearer(table.tokens[0]) | {"if-match": "nonsense"},
        bearer(tables[1].tokens[0]),
    )
    for body in (*bodies, b" " * 100_000):
        for headers in heads:
            answer = same_both_ways(table.client, "POST", table.path + path, content=body, headers=headers)
            assert answer.status_code >= 400 or path == "/preview"


def test_the_list_of_games_is_no_game(tables: list[People]) -> None:
    assert len(tables[0].client.get("/v1/games/").json()["items"]) == 1


def test_other_methods_take_the_long_way(tables: list[People]) -> None:
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        for path in ("", "/board", "/moves", "/nowhere", "/seats/0/token"):
            same_both_ways(tables[0].client, method, tables[0].path + path)


def test_a_key_holds_whichever_way_the_request_comes_again(tables: list[People]) -> None:
    table = tables[0]
    action = table.moves()[-1]
    headers = bearer(table.tokens[table.to_play]) | {"idempotency-key": "once"}
    assert same_both_ways(table.client, "POST", f"{table.path}/moves", json=action, headers=headers).status_code == 200


def test_what_should_not_happen_is_told_alike_and_logged(tables: list[People], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("projections.board.board", broken)
    monkeypatch.setattr("api.resources.views.board", broken)
    table = tables[0]
    table.do(table.moves()[-1])
    answer = same_both_ways(table.client, "GET", f"{table.path}/board")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")


@pytest.fixture(scope="module")
def express() -> Express:
    app = create_app(settings())
    with TestClient(app):
        return Express(app, app.asgi_handler)


KNOWN = [*(("GET", path) for path in VIEWS), *(("POST", path) for path in POSTS)]


@pytest.mark.parametrize(("method", "path"), KNOWN)
def test_the_short_way_is_known_to_what_is_asked_for_most(express: Express, method: str, path: str) -> None:
    assert express.handler(method, f"/v1/games/{NOWHERE}{path}") is not None
    for other in (f"/v1/games/{NOWHERE}{path}/", f"/v1/games/{NOWHERE[:30]}/other{path}", f"/v1/games/5{path}"):
        assert express.handler(method, other) is None, other


@pytest.mark.parametrize(("method", "path"), KNOWN)
def test_the_short_way_leaves_nothing_out_that_the_framework_would_do(express: Express, method: str, path: str) -> None:
    handler = express.handler(method, f"/v1/games/{NOWHERE}{path}")
    assert handler is not None
    assert get_type_hints(handler.fn) == {"request": Call, "return": Answer}
    assert handler.resolve_before_request() in (None, refuse_unknown_parameters)
    hooks = (handler.resolve_guards(), handler.resolve_dependencies(), handler.resolve_middleware())
    assert not any((*hooks, handler.after_request, handler.resolve_after_response(), handler.cache))
