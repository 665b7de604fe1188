"""Applications over HTTP: limits of their own, references, and keys that never act for a seat."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response

from api.app import create_app
from api.cli import main
from tests.api.app_keys import new_key
from tests.api.people import People, bearer, client_at, problem, serving, settings
from tests.api.sse import following
from tests.store.clients import connected


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/games.db"


def known(*refs: str | None) -> list[Any]:
    return [{"name": f"Player {number}", "ref": ref} for number, ref in enumerate(refs)]


def open_table(client: Client, key: str, *refs: str | None, **options: Any) -> Response:
    body = {"seats": 3, "players": known(*refs), "options": options}
    return client.post("/v1/games", json=body, headers={"x-app-key": key})


def test_references_are_listed_for_their_application_only(url: str) -> None:
    with serving(database_url=url) as client:
        key, other = new_key(client), new_key(client, "other")
        game = open_table(client, key, "user-1", None, private=True).json()["game"]["id"]
        path = f"/v1/games/{game}/refs"
        refs = client.get(path, headers={"x-app-key": key})
        assert refs.json() == {"items": [{"seat": 0, "ref": "user-1"}]}
        assert refs.headers["cache-control"] == "private, no-store"
        problem(client.get(path, headers={"x-app-key": other}), 404, "game_not_found")
        problem(client.get(path), 401, "app_key_missing")
        found = client.get("/v1/games?ref=user-1", headers={"x-app-key": key}).json()["items"]
        assert [entry["id"] for entry in found] == [game]
        assert client.get("/v1/games?ref=user-1", headers={"x-app-key": other}).json()["items"] == []
        problem(client.get("/v1/games?ref=user-1"), 401, "app_key_missing")
        for path in ("", "/state", "/events", "/history", "/record"):
            assert "user-1" not in client.get(f"/v1/games/{game}{path}", headers={"x-app-key": key}).text


def test_references_of_players_who_join_and_who_take_over(url: str) -> None:
    with serving(database_url=url) as client:
        key = new_key(client)
        table = People(client, seats=3, players=2)
        headers = {"x-app-key": key}
        joined = client.post(f"{table.path}/seats", json={"name": "Zoe", "ref": "user-3"}, headers=headers)
        assert joined.status_code == 201
        assert client.get(f"{table.path}/refs", headers=headers).json() == {"items": [{"seat": 2, "ref": "user-3"}]}
        problem(client.post(f"{table.path}/seats", json={"name": "Eve", "ref": "x"}), 401, "app_key_missing")
        problem(client.post("/v1/games", json={"seats": 2, "players": known("x")}), 401, "app_key_missing")


@pytest.mark.parametrize("ref", ["", "x" * 65, 5])
def test_references_have_up_to_64_characters(url: str, ref: Any) -> None:
    with serving(database_url=url) as client:
        key = new_key(client)
        problem(open_table(client, key, ref), 400, "invalid_body")
        assert open_table(client, key, "ü" * 64).status_code == 201


def test_keys_that_do_not_work(url: str) -> None:
    with serving(database_url=url) as client:
        key = new_key(client)
        for path in ("/v1/games", "/v1/boards", "/v1/events"):
            problem(client.get(path, headers={"x-app-key": "nobody-has-this"}), 401, "app_key_unknown")
            sent = {"x-app-key": key, "origin": "https://page.example"}
            problem(client.get(path, headers=sent), 403, "app_key_in_browser")
            for user in ("a b", "x" * 65):
                refused = client.get(path, headers={"x-app-key": key, "x-app-user": user})
                assert problem(refused, 400, "invalid_header")["errors"][0]["where"] == "X-App-User"
            assert client.get(path, headers={"x-app-key": key, "x-app-user": "a" * 64}).is_success


def test_a_preflight_request_refuses_the_header_of_a_key(url: str) -> None:
    with serving(database_url=url) as client:
        headers = {"origin": "https://page.example", "access-control-request-method": "GET"}
        assert client.options("/v1/games", headers=headers).status_code == 204
        asked = client.options("/v1/games", headers={**headers, "access-control-request-headers": "x-app-key"})
        assert asked.status_code == 400


def test_a_revoked_key_is_refused_by_every_process_at_once(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(database_url=url) as client, serving(database_url=url) as other:
        assert main(["app", "add", "meeple", "--database", url]) == 0
        key = capsys.readouterr().out.strip()
        for each in (client, other):
            assert each.get("/v1/games?ref=x", headers={"x-app-key": key}).is_success
        assert main(["app", "revoke", "meeple", "--yes", "--database", url]) == 0
        for each in (client, other):
            problem(each.get("/v1/games?ref=x", headers={"x-app-key": key}), 401, "app_key_unknown")


def test_an_application_takes_as_many_seats_as_many_clients(url: str) -> None:
    """Its 101st guest of an hour is refused only if one user sent all of them."""
    with serving(database_url=url, seats_limit=2, app_factor=3) as client, serving(database_url=url) as host:
        key = new_key(client)
        tables = [People(host, seats=5, players=1) for _ in range(4)]

        def join(number: int, user: str) -> Response:
            headers = {"x-app-key": key} | ({"x-app-user": user} if user else {})
            return client.post(f"{tables[number // 4].path}/seats", json={"name": f"Z{number}"}, headers=headers)

        assert [join(number, "one").status_code for number in range(3)] == [201, 201, 429]
        assert [join(number, "two").status_code for number in range(4, 7)] == [201, 201, 429]
        assert [join(number, "").status_code for number in range(8, 11)] == [201, 201, 429]
        assert client.post(f"{tables[3].path}/seats", json={"name": "Zoe"}).status_code == 201


def test_an_application_has_as_many_streams_as_many_clients(url: str) -> None:
    app = create_app(settings(database_url=url, watchers_per_client=2, app_factor=2))

    async def scene() -> None:
        async with app.lifespan(), client_at(app) as client:
            key = await app.state["service"].apps.add("meeple")

            async def refused(user: str) -> bool:
                headers = {"x-app-key": key} | ({"x-app-user": user} if user else {})
                response = await client.get("/v1/events?wait=1&after=0", headers=headers)
                return response.status_code == 429

            path = "/v1/events/stream"
            async with following(app, path, x_app_key=key, x_app_user="one") as first:
                await first.position()
                async with following(app, path, x_app_key=key, x_app_user="one") as second:
                    await second.position()
                    assert await refused("one")
                    assert not await refused("two")
                    async with following(app, path, x_app_key=key, x_app_user="two") as third:
                        await third.position()
                        async with following(app, path, x_app_key=key) as fourth:
                            await fourth.position()
                            assert await refused("three")
                            assert (await client.get("/v1/events?wait=1&after=0")).status_code != 429

    asyncio.run(scene())


def test_games_made_with_a_key_belong_to_the_application(url: str) -> None:
    with serving(database_url=url) as client, connected(url) as operator:
        headers = {"x-app-key": new_key(client)}
        table = People(client, undo="free", start="introductory")
        record = table.get("/record").content
        fork = client.post(f"{table.path}/fork", headers=headers)
        brought = client.post("/v1/records", content=record, headers={**headers, "content-type": "application/json"})
        table.post("/moves", table.tokens[0], {"type": "resign"})
        rematch = client.post(f"{table.path}/rematch", headers=headers | bearer(table.tokens[0]))
        games = [response.json()["game"]["id"] for response in (fork, brought, rematch)]
        for game in games:
            assert client.get(f"/v1/games/{game}/refs", headers=headers).json() == {"items": []}
        problem(client.get(f"{table.path}/refs", headers=headers), 404, "game_not_found")
        assert [app.games for app in operator.wait(operator.service.apps.all())] == [3]


def test_the_command(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str, status: int = 0) -> str:
        assert main(["app", *arguments, "--database", url]) == status
        captured = capsys.readouterr()
        return captured.err if status else captured.out

    with serving(database_url=url) as client:
        first = said("add", "meeple").strip()
        assert "already" in said("add", "meeple", status=1)
        assert open_table(client, first, "user-1", "user-1").status_code == 201
        second = said("renew", "meeple").strip()
        for key in (first, second):
            assert client.get("/v1/games?ref=user-1", headers={"x-app-key": key}).is_success
        assert said("list").split() == ["meeple", "2", "keys", "1", "games"]
        assert said("forget", "meeple", "user-1", "--yes") == "2 references of meeple were erased.\n"
        assert client.get("/v1/games?ref=user-1", headers={"x-app-key": second}).json()["items"] == []
        assert "a name has" in said("add", "Meeple!", status=1)
        assert "Usage: app forget NAME REF" in said("forget", "meeple", status=1)
        assert "There is no application" in said("renew", "nobody", status=1)
