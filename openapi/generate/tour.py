"""A tour of the whole API, always the same, for the examples of the document."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from time import time_ns
from typing import Any
from unittest.mock import patch
from uuid import UUID

from api.operations.all_events import FeedHeartbeat
from api.operations.lobby_stream import GameGone, ListHeartbeat, TokenRevoked
from api.operations.records import NextRecords
from api.operations.streams import Heartbeat, Lapsed
from openapi.generate.examples import Guide

_PLAYERS = ["Ann", "Bob", "Cem", "Dora", "Eve"]


async def tour(call: Guide) -> None:
    await _service(call)
    game = await _lobby(call)
    await _applications(call)
    await _hosting(call)
    await _options(call)
    await _views(call, game)
    await _play(call, game)
    await _agree(call)
    await _bots(call)
    await _absence(call)
    await _mistakes(call, game)
    await _long_games(call)


def _tokens(created: Any) -> dict[int, str]:
    return {seat["seat"]: seat["token"] for seat in created["seats"]}


async def _service(call: Guide) -> None:
    for operation in ("welcome", "check_live", "check_ready", "list_problems", "list_boards", "list_bots"):
        await call(operation, "example")
    await call("read_board_map", "the United States", board="usa-1960s")
    await call.draw("draw_map", "the United States, abridged", board="usa-1960s")
    await call("explain_problem", code="nothing")
    await call("read_board_map", board="moon")


async def _lobby(call: Guide) -> Any:
    """Call the operations of the lobby: a table that fills up, one that starts with free seats, and a deleted one."""
    opened = await call(
        "create_game",
        "an open table",
        body={"seats": 3, "players": ["Ann"], "options": {"seed": 7, "first_player": 0, "undo": "turn"}},
    )
    game, host = opened["game"]["id"], opened["host_token"]
    await call("list_games", "open tables", query="status=open&limit=1")
    await call("start_game", game_id=game, token=host)
    bob = await call("take_seat", "the second seat", game_id=game, body={"name": "Bob"})
    await call("take_seat", game_id=game, body={"name": "BOB"})
    await call("close_table", "no more players", game_id=game, token=host, body={})
    await call("take_seat", game_id=game, body={"name": "Cem"})
    await call("play_move", game_id=game, token=bob["token"], body={"type": "choose_town", "town": "pueblo"})
    await call("start_game", "with two players", game_id=game, token=host, body={})
    await call("close_table", game_id=game, token=host)
    await call("renew_token", "a new token", game_id=game, seat=1, token=host, body={})
    await call("renew_token", game_id=game, seat=4, token=host)
    await _events(call, game)
    three = await call("create_game", body={"seats": 3, "players": ["Ann", "Bob"], "options": {"first_player": 2}})
    await call("start_game", game_id=three["game"]["id"], token=three["host_token"])
    gone = await call("create_game", body={"seats": 2})
    await call("delete_game", game_id=gone["game"]["id"], token=gone["host_token"])
    await call("read_game", game_id=gone["game"]["id"])
    await _all_events(call)
    return await call(
        "create_game",
        "a full table",
        body={
            "seats": 2,
            "players": ["Ann", "Bob"],
            "options": {"start": "introductory", "first_player": 0, "seed": 1960},
        },
    )


async def _all_events(call: Guide) -> None:
    """Read the events of all games: the first ones, and the last one, which deletes a table."""
    first = await call("watch_all_events", "the first row", query="limit=1")
    last = (await call("watch_all_events"))["items"][-1]
    await call("watch_all_events", "a deleted table", query=f"after={last['position'] - 1}&epoch={first['epoch']}")
    await call("watch_all_events", query="epoch=000000000000")
    call.examples.keep_events(last["events"])
    beat = FeedHeartbeat(last["position"])
    call.keep_events_of_stream("stream_all_events", {"a row": first["items"][0], "a heartbeat": beat})
    await call("export_records", query="after=00000000-0000-4000-8000-000000000000-1")


async def _applications(call: Guide) -> None:
    """Open a table as an application that knows its players, and find it by a reference."""
    key = {"x-app-key": await call.new_application("meeple")}
    known = [{"name": "Ann", "ref": "user-17"}, {"name": "Bob", "ref": "user-4"}]
    body = {"seats": 3, "players": known, "options": {"private": True, "first_player": 0, "seed": 7}}
    created = await call("create_game", "players whom an application knows", body=body, headers=key)
    game, host = created["game"]["id"], created["host_token"]
    await call("list_refs", "two players", game_id=game, headers=key)
    await call("list_games", "by the reference of an application", query="ref=user-4", headers=key)
    await call("list_refs", game_id=game)
    await call("delete_game", game_id=game, token=host)
    await call("list_refs", game_id=game, headers={"x-app-key": "nobody-has-this"})
    await call("list_refs", game_id=game, headers={**key, "origin": "https://meeple.example"})


async def _hosting(call: Guide) -> None:
    """Kick a player, renew the host's token, and join by invitation."""
    drawn = {"seed": 7, "first_player": 0}
    left = await call("create_game", body={"seats": 4, "players": _PLAYERS[:3], "options": drawn})
    await call("free_seat", game_id=left["game"]["id"], seat=0, token=left["host_token"])
    await call("start_game", game_id=left["game"]["id"], token=left["host_token"])
    await _events(call, left["game"]["id"])
    await call("renew_host_token", "a new token", game_id=left["game"]["id"], token=left["host_token"], body={})
    await call("free_seat", game_id=left["game"]["id"], seat=0, token=left["host_token"])
    options = {"private": True, "invite": True, **drawn}
    invited = await call("create_game", "by invitation", body={"seats": 2, "players": ["Ann"], "options": options})
    private = invited["game"]["id"]
    await call("take_seat", game_id=private, body={"name": "Bob"})
    await call("read_game", "by invitation", game_id=private, headers={"x-invite": invited["invite"]})
    await call("take_seat", "by invitation", game_id=private, body={"name": "Bob", "invite": invited["invite"]})


async def _options(call: Guide) -> None:
    """Open tables with the expert variant and with expansions, in all ways."""
    printed = await call("read_board_map", board="usa-1960s")
    expansions = {"milestones": True, "boom": True, "region_tiles": "mixed"}
    layout = {
        "mode": "explicit",
        "city_tiles": {place["id"]: place["value"] for place in printed["places"] if place["kind"] == "city"},
        "region_tiles": {region["id"]: region["tile"]["id"] for region in printed["regions"]},
    }
    chosen = [tile["id"] for tile in printed["new_region_tiles"][:4] + [r["tile"] for r in printed["regions"][:6]]]
    agreed: dict[str, dict[str, Any]] = {
        "all expansions": {"modules": expansions},
        "expert variant, drafted": {"expert": {"mode": "draft"}},
        "expert variant, drawn, with chosen region tiles": {
            "expert": {"mode": "random"},
            "modules": {"region_tiles": {"chosen": chosen}},
        },
        "expert variant, an explicit layout": {"start": "introductory", "expert": layout},
        "hot seat": {"hot_seat": True, "undo": "free", "first_player": 2, "private": True},
    }
    for name, options in agreed.items():
        await call("create_game", name, body={"seats": 4, "players": _PLAYERS[:4], "options": options | {"seed": 7}})


async def _views(call: Guide, created: dict[str, Any]) -> None:
    """Read all views of a young game."""
    game, tokens = created["game"]["id"], _tokens(created)
    await call("read_game", "at the start", game_id=game)
    await call("list_legal_moves", "at the start", game_id=game)
    first = {"type": "expand", "path": ["indianapolis", "detroit"]}
    await call("play_move", "a first expansion", game_id=game, token=tokens[0], body=first)
    await _play_on(call, game, tokens, random.Random(2), 12)
    await call("read_game", "in play", game_id=game)
    await call("list_legal_moves", "in play", game_id=game)
    for operation in ("read_state", "read_board", "read_scores", "read_history", "audit_game"):
        await call(operation, "in play", game_id=game)
    for operation in ("draw_board", "draw_scores"):
        await call.draw(operation, "in play, abridged", game_id=game)
    page = await call("watch_events", "the first three events", game_id=game, query="limit=3")
    lapsed = Lapsed(UUID(game), page["version"], 1, created["game"]["changed_at"])
    events = {"an event": page["items"][0], "a missed deadline": lapsed, "a heartbeat": Heartbeat(page["version"])}
    call.keep_events_of_stream("stream_events", events)
    await call("read_board", game_id=game, query="at=999")
    record = await call("export_record", "in play", game_id=game)
    lines = {"a record": record, "the last line": NextRecords(f"{game}-{len(record['events'])}")}
    call.keep_events_of_stream("export_records", lines)
    imported = await call("import_record", "a second copy of a game", body=record)
    await _events(call, imported["game"]["id"])
    await call("look_up_seats", "a known and an unknown token", body={"tokens": [tokens[0], "nobody-has-this"]})
    await call("admit_spectator", "a new token", game_id=game, token=created["host_token"], body={})
    await call("dismiss_spectators", game_id=game, token=created["host_token"])
    await call("import_record", body={**record, "events": record["events"][1:]})
    fork = await call("fork_game", "from the first turn", game_id=game, body={"at": created["game"]["version"]})
    await _events(call, fork["game"]["id"])
    listed = await call("list_games", "by player", query="player=bob&limit=2")
    entry, gone = listed["items"][0], GameGone(fork["game"]["id"])
    changes = {"the entry of a game": entry, "a deleted table": gone, "a missed deadline": lapsed}
    call.keep_events_of_stream("stream_entries", {**changes, "a heartbeat": ListHeartbeat(12)})
    revoked = {"a token that opens no game": TokenRevoked(1)}
    call.keep_events_of_stream("stream_my_entries", {**changes, **revoked, "a heartbeat": ListHeartbeat(12)})
    call.examples.sent["stream_my_entries"] = {"two tokens": {"tokens": ["token-of-ann", "token-of-bob"]}}


async def _play(call: Guide, created: dict[str, Any]) -> None:
    """Preview, play, undo and redo."""
    game, tokens = created["game"]["id"], _tokens(created)
    summary = await call("read_game", game_id=game)
    seat = summary["to_play"]
    moves = await _legal(call, game)
    await call("list_refusals", "too far away", game_id=game, query="target=atlanta")
    await call("list_refusals", "a place with a legal move", game_id=game, query=f"target={moves[0]['path'][-1]}")
    await call("preview_moves", "one action", game_id=game, body=moves[0])
    await call("preview_moves", "a whole turn", game_id=game, body=[moves[0], {"type": "end_turn"}])
    await call(
        "play_move", "with the new state", game_id=game, token=tokens[seat], body=moves[0], query="include=state"
    )
    await call("ask_for_rematch", game_id=game, token=tokens[seat], body={})
    await call("undo", game_id=game, token=tokens[1 - seat], body={})
    await call("undo", game_id=game, token=tokens[seat], body={"to": 1})
    await call("undo", game_id=game, token=tokens[seat], body={"to": created["game"]["version"]})
    await call("undo", "the last action", game_id=game, token=tokens[seat], body={})
    await call("undo", game_id=game, token=created["host_token"], body={})
    await call("redo", "the last undo", game_id=game, token=tokens[seat], body={})
    await call("redo", game_id=game, token=tokens[seat])
    after = (await call("read_game", game_id=game))["version"] - 2
    await call("watch_events", "undone events", game_id=game, query=f"after={after}&view=full")
    twice = [{"type": "end_turn"}, {"type": "end_turn"}]
    await call("play_move", "two turns", game_id=game, token=tokens[seat], body=twice)
    await call("play_move", "a whole turn", game_id=game, token=tokens[seat], body=twice[:1])


async def _agree(call: Guide) -> None:
    """Let three players agree on undos."""
    options = {"seed": 3, "first_player": 0, "undo": "agree"}
    created = await call("create_game", body={"seats": 3, "players": _PLAYERS[:3], "options": options})
    game, tokens = created["game"]["id"], _tokens(created)
    await call("undo", game_id=game, token=tokens[2], body={})
    await call("answer_undo", game_id=game, token=tokens[0], body={"accept": True})
    await _play_on(call, game, tokens, random.Random(2), 4)
    for accept in (False, True):
        await call("undo", game_id=game, token=tokens[2], body={})
        await call("undo", game_id=game, token=tokens[1], body={})
        await call("answer_undo", game_id=game, token=tokens[2], body={"accept": True})
        await call("answer_undo", "accept", game_id=game, token=tokens[0], body={"accept": True})
        await call("answer_undo", game_id=game, token=tokens[0], body={"accept": True})
        await call(
            "answer_undo", "accept" if accept else "refuse", game_id=game, token=tokens[1], body={"accept": accept}
        )
    await call("redo", "a proposal", game_id=game, token=tokens[0])
    for seat in (1, 2):
        await call("answer_undo", game_id=game, token=tokens[seat], body={"accept": True})
    resign = {"type": "resign"}
    await call("play_move", game_id=game, token=tokens[0], body=resign)
    await call("play_move", game_id=game, token=tokens[0], body=resign)
    to_play = (await call("read_game", game_id=game))["to_play"]
    await call("play_move", "resign", game_id=game, token=tokens[to_play], body=resign)
    await call("play_move", game_id=game, token=tokens[3 - to_play], body=resign)
    rematch = await call("ask_for_rematch", "the first player who asks", game_id=game, token=tokens[1], body={})
    await call("ask_for_rematch", "the host", game_id=game, token=created["host_token"], body={})
    await _events(call, rematch["game"]["id"])
    await _events(call, game)


async def _bots(call: Guide) -> None:
    """Seat bots at a table with a free seat."""
    planner = {"bot": "planner", "name": "Deep Thought"}
    created = await call("create_game", "with a bot", body={"seats": 4, "players": ["Ann", planner]})
    game, host = created["game"]["id"], created["host_token"]
    await call("take_seat", "a bot", game_id=game, token=host, body={"bot": "greedy", "colour": "black"})
    await call("take_seat", game_id=game, token=_tokens(created)[0], body={"bot": "greedy"})
    await call("renew_token", game_id=game, seat=1, token=host)
    await call("renew_token", game_id=game, seat=1, token=_tokens(created)[0])
    await call("read_hint", game_id=game)
    plain = await call("create_game", body={"seats": 2, "players": ["Ann", "Bob"], "options": {"hints": False}})
    await call("read_hint", game_id=plain["game"]["id"], token=_tokens(plain)[0])


async def _absence(call: Guide) -> None:
    """Let a bot play for an absent player, who comes back, and hand over a seat."""
    options = {"start": "introductory", "first_player": 0, "turn_limit": 60}
    created = await call("create_game", body={"seats": 2, "players": ["Ann", "Bob"], "options": options})
    game, tokens, host = created["game"]["id"], _tokens(created), created["host_token"]
    await call("hand_over", game_id=game, seat=0, token=host, body={"name": "Cem"})
    await call("leave_to_bot", game_id=game, token=tokens[1], body={"seat": 0})
    with patch("api.bots.runner.bot_to_decide", return_value=None):  # the moment of its decision is not predictable
        with _later(60):
            await call("leave_to_bot", "the player to move", game_id=game, token=tokens[1], body={"seat": 0})
        await call("come_back", "after a while", game_id=game, token=tokens[0])
        with _later(120):
            await call("leave_to_bot", game_id=game, token=host, body={"seat": 0})
        await call("hand_over", "to a new player", game_id=game, seat=0, token=host, body={"name": "Cem"})
    await _events(call, game)


@contextmanager
def _later(seconds: int) -> Iterator[None]:
    """Let the clock of the store run ahead: the shortest turn limit is a minute."""
    with patch("domain.store.commit.time_ns", lambda: time_ns() + seconds * 10**9):
        yield


async def _mistakes(call: Guide, created: dict[str, Any]) -> None:
    game, tokens, host = created["game"]["id"], _tokens(created), created["host_token"]
    other = await call(
        "create_game", body={"seats": 2, "players": ["Ann", "Bob"], "options": {"undo": "off", "seed": 1}}
    )
    seat = (await call("read_game", game_id=game))["to_play"]
    move, elsewhere, unknown = {"type": "end_turn"}, "00000000-0000-4000-8000-000000000000", "nobody-has-this"
    await call("create_game", body=b'{"seats": ')
    await call("create_game", body={"seats": 9})
    twice = [{"name": name, "colour": "red"} for name in _PLAYERS[:2]]
    await call("create_game", body={"seats": 2, "players": twice})
    await call("create_game", body={"seats": 2, "players": ["\u0007"]})
    await call("create_game", body={"seats": 2, "players": ["Ann", "Bob"], "options": {"board": "moon"}})
    await call("create_game", body=b" " * 70_000)
    await call("create_game", body={"seats": 2}, headers={"content-type": "text/plain"})
    await call("create_game", body={"seats": 2}, headers={"idempotency-key": "short-key"})
    for seats in (2, 3):
        await call(
            "create_game", body={"seats": seats}, headers={"idempotency-key": "0d5f4c1e3f0b4f6e9d3c5a1f2b3c4d5e"}
        )
    await call("list_games", query="sort=up")
    await call("list_games", query="cursor=here")
    await call("play_move", game_id=game, body=move)
    await call("play_move", game_id=game, token=unknown, body=move)
    await call("play_move", game_id=game, token=_tokens(other)[0], body=move)
    await call("play_move", game_id=game, token=host, body=move)
    await call("play_move", game_id=elsewhere, token=host, body=move)
    await call("play_move", game_id=game, token=tokens[1 - seat], body=move)
    await call("play_move", game_id=game, token=tokens[seat], body={"type": "increase", "city": "new-york"})
    await call("play_move", game_id=game, token=tokens[seat], body=move, headers={"if-match": '"1"'})
    await call("play_move", game_id=game, token=tokens[seat], body=move, headers={"if-match": "newest"})
    await call("start_game", game_id=game, token=tokens[0])
    await call("undo", game_id=other["game"]["id"], token=_tokens(other)[0], body={})
    await call("take_seat", game_id=game, body={"name": "Dora"})


async def _long_games(call: Guide) -> None:
    """Play games of all kinds, until every kind of action and event has occurred."""
    for number, options in enumerate(_kinds()):
        if not call.examples.missing:
            return
        players = _PLAYERS[: 2 + number % 4]
        created = await call("create_game", body={"seats": len(players), "players": players, "options": options})
        game, tokens = created["game"]["id"], _tokens(created)
        await _play_on(call, game, tokens, random.Random(number), 1000)
        await _events(call, game)


def _kinds() -> list[dict[str, Any]]:
    modules = {"milestones": True, "boom": True, "region_tiles": "new"}
    kinds: list[dict[str, Any]] = [{"expert": {"mode": "draft"}}, {}, *[{"modules": modules}] * 40]
    return [{**options, "seed": seed, "undo": "off"} for seed, options in enumerate(kinds)]


async def _play_on(call: Guide, game: str, tokens: dict[int, str], rng: random.Random, steps: int) -> None:
    """Play up to ``steps`` actions, preferring new kinds."""
    for _ in range(steps):
        moves = await _legal(call, game)
        if not moves:
            return
        if len(moves) == 1 and ("read_hint", 200) not in call.examples.responses:
            await call("read_hint", "the only action", game_id=game, token=tokens[0])
        new = [move for move in moves if move["type"] in call.examples.missing]
        more = [move for move in moves if move["type"] != "end_turn" or rng.random() < 0.3]
        seat = (await call("list_legal_moves", game_id=game))["to_play"]
        await call("play_move", game_id=game, token=tokens[seat], body=rng.choice(new or more or moves))


async def _legal(call: Guide, game: str) -> list[dict[str, Any]]:
    listed = await call("list_legal_moves", game_id=game)
    return [move["action"] for move in listed["items"]]


async def _events(call: Guide, game: str) -> None:
    """Keep all events of a game."""
    cursor = ""
    while cursor is not None:
        page = await call(
            "watch_events", game_id=game, query=f"view=full&limit=1000&cursor={cursor}" if cursor else "view=full"
        )
        call.examples.keep_events(page["items"])
        cursor = page["next"]
