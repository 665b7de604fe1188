"""Hints: the move that a bot would make, for those at the table."""

from collections.abc import Iterator

import pytest
from httpx import Client

from tests.api.people import People, problem, serving

LONG = 60


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A server with enough time for its bot worker to start."""
    with pytest.MonkeyPatch.context() as patch, serving(bot_seconds=0.02) as client:
        patch.setattr("api.bots.workers.GRACE_SECONDS", LONG)
        yield client


def test_a_hint_is_a_legal_action_with_its_reasons(client: Client) -> None:
    table = People(client, seats=3)
    for _ in range(30):
        hint, moves = table.seen("/hint", token=table.tokens[0]), table.seen("/legal-moves")
        move = next(move for move in moves["items"] if move["action"] == hint["action"])
        assert (hint["text"], hint["rule"]) == (move["text"], move["rule"])
        assert (hint["version"], hint["to_play"], hint["bot"]) == (moves["version"], moves["to_play"], "planner")
        alone = hint["why"] == "It is the only legal action."
        assert alone == (len(moves["items"]) == 1)
        score = move["would_score"]
        assert alone or (f"brings {table.seen()['seats'][score['winner']]['name']}" in hint["why"] if score else True)
        assert table.do(hint["action"]).status_code == 200


def test_a_hint_is_computed_once_for_each_version(client: Client) -> None:
    table = People(client)
    first, again = (table.get("/hint", table.tokens[seat]) for seat in (0, 1))
    assert first.content == again.content
    assert first.headers["etag"] == table.get("").headers["etag"]
    unchanged = table.get("/hint", table.host, headers={"if-none-match": first.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_there_is_no_hint_before_and_after_the_game(client: Client) -> None:
    problem(People(client, seats=2, players=1).get("/hint"), 409, "not_started")
    table = People(client)
    table.do({"type": "resign"})
    problem(table.get("/hint"), 409, "game_over")


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
def test_hints_are_for_those_at_the_table(client: Client, private: bool) -> None:
    table = People(client, private=private)
    problem(table.get("/hint"), 401, "token_missing")
    problem(table.get("/hint", People(client).tokens[0]), 403, "foreign_token")
    assert table.get("/hint", table.tokens[0]).status_code == 200


def test_a_table_can_play_without_hints(client: Client) -> None:
    table = People(client, hints=False)
    assert table.seen()["options"]["hints"] is False
    problem(table.get("/hint", table.tokens[0]), 409, "hints_off")


def test_without_bot_workers_there_are_no_hints() -> None:
    with serving(bot_workers=0) as client:
        table = People(client)
        problem(table.get("/hint", table.host), 503, "hint_unavailable")


def test_a_client_with_too_much_heavy_work_gets_no_hint() -> None:
    with serving(heavy_requests=0) as client:
        table = People(client)
        problem(table.get("/hint", table.host), 429, "too_many_requests")
