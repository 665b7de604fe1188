"""The door: for every operation that names a game, the middleware finds the game and the token's holder once."""

import inspect
import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from httpx import Client
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from api.app import create_app
from api.http import operation
from api.http.access import Access, Visit
from api.http.problems import ApiProblem
from api.web.documents import DOCUMENT
from tests.api.people import People, bearer, problem, settings

ACCESSES = {name: value for name, value in vars(operation).items() if isinstance(value, Access)}
"""The kinds of callers of an operation, by name."""


@pytest.fixture(scope="module")
def app() -> Litestar:
    return create_app(settings())


def operations(app: Litestar) -> Iterator[tuple[str, HTTPRouteHandler]]:
    """Yield every operation with its path, except litestar's OPTIONS."""
    for route in app.routes:
        assert isinstance(route, HTTPRoute), "every route is an HTTP route"
        for handler in route.route_handlers:
            if set(handler.http_methods) != {"OPTIONS"}:
                yield route.path_format, handler


def of_games(app: Litestar) -> dict[str, HTTPRouteHandler]:
    """Return the operations that name a game, by method and path."""
    return {f"{min(handler.http_methods)} {path}": handler for path, handler in operations(app) if "{game_id}" in path}


def test_operations_that_name_a_game_are_found(app: Litestar) -> None:
    assert len(of_games(app)) >= 29
    assert {"POST /v1/games/{game_id}/moves", "GET /v1/games/{game_id}/stream"} <= of_games(app).keys()


def test_every_operation_that_names_a_game_has_a_predicate_for_the_door(app: Litestar) -> None:
    for name, handler in of_games(app).items():
        access = handler.opt["access"]
        assert isinstance(access, Access), name
        assert inspect.isfunction(access.admit), name
        assert next(iter(inspect.get_annotations(access.admit).values())) is Visit, name


def test_a_path_names_a_game_by_no_other_parameter(app: Litestar) -> None:
    elsewhere = {path for path, _ in operations(app) if "game" in path.partition("{")[2] and "{game_id}" not in path}
    assert elsewhere == {"/play/{game}", "/embed/{game}"}, "pages refuse nobody, and show public games only"


def test_every_operation_states_its_callers_and_only_the_door_checks_them(app: Litestar) -> None:
    for path, handler in operations(app):
        access = handler.opt["access"]
        assert access is None or access in ACCESSES.values(), path
        assert not handler.resolve_guards(), path


@pytest.mark.parametrize("name", sorted(ACCESSES))
def test_a_predicate_raises_a_documented_problem_for_an_unknown_token(name: str) -> None:
    access = ACCESSES[name]
    unknown: Any = Visit(UUID(int=1), None, "nobody-has-this", None)
    assert "token_unknown" in access.problems
    if name == "GUEST":
        access.admit(unknown)  # the table decides if a token is needed
        return
    with pytest.raises(ApiProblem) as refused:
        access.admit(unknown)
    assert refused.value.code == "token_unknown"


READS = [
    path
    for path, methods in json.loads(DOCUMENT.read_bytes())["paths"].items()
    if "get" in methods and "{game_id}" in path
]


@pytest.mark.parametrize("path", [*READS, "/v1/games", "/v1/stream?game={game_id}"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_read_refuses_an_unknown_token(client: Client, method: str, path: str) -> None:
    table = People(client)
    renewed = table.tokens[0]
    assert table.post("/seats/0/token", table.host).status_code == 201
    for token in ("nobody-has-this", renewed):
        response = client.request(method, path.replace("{game_id}", table.id), headers=bearer(token))
        assert response.status_code == 401
        if method == "GET":
            problem(response, 401, "token_unknown")
