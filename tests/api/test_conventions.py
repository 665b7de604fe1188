"""The conventions of all operations: versions, conditions, request ids, CORS, limits, health."""

import asyncio
import json
from typing import Any, cast

import pytest
from httpx import ASGITransport, AsyncClient, Client

from api.app import create_app
from api.http.limits import RateLimit, client_of
from api.http.problems import ApiProblem
from api.settings import VERSION
from tests.api.people import People, bearer, problem, serving, settings

JSON = {"content-type": "application/json"}
VIEWS = ("", "/board", "/scores", "/legal-moves", "/history", "/events", "/record")


@pytest.mark.parametrize("view", VIEWS)
def test_an_unchanged_game_is_not_sent_again(client: Client, view: str) -> None:
    table = People(client)
    first = table.get(view)
    tag = f'"{table.version}"'
    assert first.headers["etag"] == tag
    for known in (tag, f"W/{tag}", f'"0", {tag}', "*"):
        again = table.get(view, headers={"if-none-match": known})
        assert (again.status_code, again.content) == (304, b""), known
        assert again.headers["etag"] == tag
    table.play(1)
    changed = table.get(view, headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] == f'"{table.version}"'


def test_an_audit_is_never_cached(client: Client) -> None:
    table = People(client)
    done = table.get("/audit", headers={"if-none-match": f'"{table.version}"'})
    assert done.status_code == 200
    assert done.json()["ok"]
    assert done.headers["etag"] == f'"{table.version}"'


def test_a_decision_on_a_stale_version_is_refused_with_the_current_one(client: Client) -> None:
    table = People(client)
    seen = table.version
    action = table.moves()[0]
    assert table.do(action, if_match=f'"{seen}"').status_code == 200
    stale = table.do(table.moves()[0], if_match=f'"{seen}"')
    details = problem(stale, 412, "stale_version")
    assert details["version"] == table.version
    assert stale.headers["etag"] == f'"{table.version}"'
    assert table.do(table.moves()[0], if_match="*").status_code == 200


def test_every_write_to_a_game_honours_if_match(client: Client) -> None:
    table, waiting = People(client, undo="free"), People(client, seats=3, players=2)
    stale = {"if_match": '"1"'}
    problem(table.post("/moves", table.host, {"type": "resign"}, **stale), 412, "stale_version")
    problem(table.post("/preview", body={"type": "end_turn"}, **stale), 412, "stale_version")
    problem(table.post("/undo", table.host, {}, **stale), 412, "stale_version")
    problem(table.post("/redo", table.host, **stale), 412, "stale_version")
    problem(table.post("/undo/answer", table.tokens[0], {"accept": True}, **stale), 412, "stale_version")
    problem(waiting.post("/seats", body={"name": "Cem"}, **stale), 412, "stale_version")
    problem(waiting.post("/close", waiting.host, **stale), 412, "stale_version")
    problem(waiting.post("/start", waiting.host, **stale), 412, "stale_version")
    problem(waiting.post("/seats/0/token", waiting.host, **stale), 412, "stale_version")
    gone = client.delete(waiting.path, headers={"authorization": f"Bearer {waiting.host}", "if-match": '"1"'})
    problem(gone, 412, "stale_version")
    assert waiting.seen()["status"] == "open"


def test_head_responds_like_get_without_a_body(client: Client) -> None:
    table = People(client)
    head, got = client.head(table.path), client.get(table.path)
    assert head.status_code == 200
    for name in ("etag", "content-length", "content-type"):
        assert head.headers[name] == got.headers[name]


def test_every_response_has_a_unique_request_id_or_the_callers(client: Client) -> None:
    ids = {client.get(path).headers["x-request-id"] for path in ("/", "/nowhere", "/v1/games", "/v1/games/x")}
    assert len(ids) == 4
    assert client.get("/", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert client.get("/", headers={"x-request-id": "not\tmine"}).headers["x-request-id"] != "not\tmine"


def test_links_can_be_followed(client: Client) -> None:
    links = client.get("/").json()["links"]
    assert client.get("/v1").json()["links"] == links
    for path in links.values():
        if "{" not in path and path != "/v1/records":
            assert client.get(path).status_code == 200, path


def test_pages_of_any_origin_may_read_unless_the_operator_names_origins() -> None:
    with serving() as client:
        response = client.get("/v1/games", headers={"origin": "https://play.example"})
        assert response.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in response.headers
        exposed = response.headers["access-control-expose-headers"].lower()
        assert {"etag", "location", "retry-after", "x-request-id"} <= {name.strip() for name in exposed.split(",")}
        asked = {"origin": "https://play.example", "access-control-request-method": "POST"}
        wanted = {"access-control-request-headers": "authorization,idempotency-key,if-match,content-type"}
        preflight = client.options("/v1/games", headers=asked | wanted)
        assert preflight.status_code == 204
        allowed = preflight.headers["access-control-allow-headers"].lower()
        assert all(name in allowed for name in ("authorization", "idempotency-key", "if-match", "content-type"))
        refused = client.options("/v1/games", headers=asked | {"access-control-request-method": "PUT"})
        assert "method" in problem(refused, 400, "bad_request")["detail"]
    with serving(cors_origins=("https://play.example",)) as client:
        ours = client.get("/v1/games", headers={"origin": "https://play.example"})
        assert ours.headers["access-control-allow-origin"] == "https://play.example"
        theirs = client.get("/v1/games", headers={"origin": "https://elsewhere.example"})
        assert "access-control-allow-origin" not in theirs.headers
        asking = {"origin": "https://elsewhere.example", "access-control-request-method": "POST"}
        assert "Origin" in problem(client.options("/v1/games", headers=asking), 400, "bad_request")["detail"]
    with serving(cors_origins=()) as client:
        nobody = client.get("/v1/games", headers={"origin": "https://play.example"})
        assert "access-control-allow-origin" not in nobody.headers


def test_too_many_requests_get_429_with_retry_after() -> None:
    with serving(rate_limit=3) as client:
        assert [client.get("/v1/boards").status_code for _ in range(3)] == [200, 200, 200]
        refused = client.get("/v1/boards")
        problem(refused, 429, "too_many_requests")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert refused.headers["x-request-id"]
        assert {client.get(f"/health/{asked}").status_code for asked in ("live", "ready")} == {200}


def test_only_real_health_checks_are_free() -> None:
    with serving(rate_limit=20) as client:
        assert [client.get("/health/live/").status_code for _ in range(60)] == [200] * 60
        responses = [client.get("/problems/live").status_code for _ in range(30)]
        assert responses[:15] == [404] * 15
        assert responses[-5:] == [429] * 5


def test_a_used_up_allowance_refuses_heavy_work() -> None:
    with serving(rate_limit=200) as client:
        table = People(client)
        table.play(10)
        responses = [table.get("/audit") for _ in range(40)]
        assert responses[0].status_code == 200
        problem(responses[-1], 429, "too_many_requests")


def test_options_returns_all_methods_with_or_without_an_origin() -> None:
    with serving(cors_origins=()) as client:
        for headers in ({}, {"origin": "https://play.example"}):
            assert client.options("/v1/games", headers=headers).headers["allow"] == "GET, HEAD, OPTIONS, POST"


def test_an_id_in_capitals_is_the_same_game() -> None:
    with serving() as client:
        table = People(client)
        bare = table.id.replace("-", "")
        assert client.get(f"/v1/games/{table.id.upper()}").status_code == 200
        for odd in (f"{{{bare}}}}}}}", f"{bare}----", f"----{bare}", bare, f"urn:uuid:{table.id}"):
            problem(client.get(f"/v1/games/{odd}"), 404, "game_not_found")


def test_a_key_holds_for_an_id_in_capitals() -> None:
    with serving() as client:
        table = People(client, start="introductory")
        action, headers = table.moves()[0], bearer(table.tokens[0]) | {"idempotency-key": "once"}
        paths = [f"/v1/games/{one}/moves" for one in (table.id, table.id.upper())]
        first, again = (client.post(path, json=action, headers=headers) for path in paths)
        assert first.status_code == 200
        assert first.content == again.content


def test_pages_of_other_origins_can_read_retry_after() -> None:
    with serving(rate_limit=1) as client:
        asked = {"origin": "https://play.example"}
        assert client.get("/v1/games", headers=asked).status_code == 200
        refused = client.get("/v1/games", headers=asked)
        problem(refused, 429, "too_many_requests")
        assert refused.headers["access-control-allow-origin"] == "*"
        assert "retry-after" in refused.headers["access-control-expose-headers"].lower()


def wait(limit: RateLimit, client: str, cost: float = 1) -> float:
    """Charge a cost, and return the seconds until the allowance is sufficient."""
    try:
        limit.take(client, cost)
    except ApiProblem as refused:
        return float((refused.headers or {})["Retry-After"])
    return 0.0


def test_each_client_has_an_allowance_that_refills() -> None:
    now = 0.0
    limit = RateLimit(60, clock=lambda: now)
    assert [wait(limit, "ann") for _ in range(60)] == [0.0] * 60
    assert wait(limit, "ann") == pytest.approx(1.0)
    assert wait(limit, "bob") == 0.0
    now = 2.0
    assert [wait(limit, "ann") for _ in range(2)] == [0.0, 0.0]
    assert wait(limit, "ann") > 0
    assert wait(RateLimit(0), "ann") == 0.0


def test_expensive_requests_cost_more_of_the_allowance() -> None:
    limit = RateLimit(60, clock=lambda: 0.0)
    assert wait(limit, "ann", 25) == 0.0
    assert [wait(limit, "ann") for _ in range(35)] == [0.0] * 35
    assert wait(limit, "ann") > 0


def test_a_client_is_an_ipv4_address_or_an_ipv6_network() -> None:
    assert client_of(("192.0.2.1", 5)) == client_of(("192.0.2.1", 6)) != client_of(("192.0.2.2", 5))
    assert client_of(("2001:db8:1:2::1", 5)) == client_of(("2001:db8:1:2:3::9", 5)) != client_of(("2001:db8:1:3::1", 5))
    assert client_of(("fe80::1%eth0", 5)) == client_of(("fe80::2%eth1", 5))
    assert client_of(None) == ""


def test_a_client_without_an_address_is_identified_by_its_name() -> None:
    assert client_of(("192.0.2.1:4711", 0)) == "192.0.2.1:4711"
    assert client_of(("unknown:_x", 0)) == "unknown:_x"


def test_an_ipv4_address_is_the_same_client_in_either_form() -> None:
    """A server that listens on IPv4 and IPv6 sees 192.0.2.1 as ::ffff:192.0.2.1."""
    assert client_of(("::ffff:192.0.2.1", 5)) == client_of(("::FFFF:c000:201", 5)) == client_of(("192.0.2.1", 5))
    assert client_of(("::ffff:192.0.2.1", 5)) != client_of(("::ffff:192.0.2.2", 5))


@pytest.mark.parametrize(
    ("one", "neighbour", "stranger"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
        ("::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2"),
    ],
)
def test_addresses_of_one_subscriber_share_an_allowance(one: str, neighbour: str, stranger: str) -> None:
    app = create_app(settings(rate_limit=3))

    async def ask(address: str) -> int:
        transport = ASGITransport(app=cast(Any, app), client=(address, 5))
        async with AsyncClient(transport=transport, base_url="http://franchise.test") as client:
            return (await client.get("/v1/boards")).status_code

    assert [asyncio.run(ask(address)) for address in (one, neighbour, one)] == [200] * 3
    assert [asyncio.run(ask(address)) for address in (one, neighbour, stranger)] == [429, 429, 200]


def test_bodies_are_limited_and_records_have_another_limit(client: Client) -> None:
    large = json.dumps({"seats": 2, "players": [" " * 70_000]}).encode()
    sent = {"content-type": "application/json"}
    problem(client.post("/v1/games", content=large, headers=sent), 413, "body_too_large")
    problem(client.post("/v1/records", content=b" " * 70_000 + b"{}", headers=sent), 400, "invalid_body")
    problem(client.post("/v1/records", content=b" " * 5_000_000, headers=sent), 413, "body_too_large")
    with serving(body_limit=100, record_limit=50) as small:
        problem(small.post("/v1/games", content=b" " * 101, headers=sent), 413, "body_too_large")
        problem(small.post("/v1/records", content=b" " * 51, headers=sent), 413, "body_too_large")


def test_a_chunked_body_is_limited_too(client: Client) -> None:
    def chunks() -> Any:
        for _ in range(100):
            yield b" " * 1000

    response = client.post("/v1/games", content=chunks(), headers={"content-type": "application/json"})
    problem(response, 413, "body_too_large")


def test_the_server_is_live_and_ready(client: Client) -> None:
    assert client.get("/health/live").json() == {"status": "live", "version": VERSION}
    assert client.get("/health/ready").json() == {"status": "ready", "version": VERSION}


def test_every_problem_links_to_its_explanation(client: Client) -> None:
    kinds = client.get("/problems").json()
    for kind in kinds["problems"]:
        page = client.get(f"/problems/{kind['code']}")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert kind["code"] in page.text
        assert "`" not in page.text
    problem(client.get("/problems/nothing"), 404, "problem_not_found")


def test_every_path_returns_its_methods(client: Client) -> None:
    for path, known in (
        ("/v1/games", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("/v1/games/x", {"GET", "HEAD", "DELETE", "OPTIONS"}),
        ("/v1/games/x/moves", {"POST", "OPTIONS"}),
    ):
        methods = client.options(path)
        assert methods.status_code == 204
        assert set(methods.headers["allow"].split(", ")) == known
        refused = client.put(path)
        assert refused.headers["allow"] == methods.headers["allow"]
        assert methods.headers["allow"] in problem(refused, 405, "method_not_allowed")["detail"]
    assert "/schema" in problem(client.options("/nowhere"), 404, "not_found")["detail"]
