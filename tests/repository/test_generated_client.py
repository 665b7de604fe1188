"""A client generated from the document alone plays a whole game."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from httpx import Client

from api.web.documents import DOCUMENT
from tests.api.people import bearer
from tests.support.documents import ROOT, blocks

PACKAGE = "franchise_client"
PAGE = "docs/frontend.md"

Operation = Callable[..., Any]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of the client that the command in the guide for frontends generates."""
    home = tmp_path_factory.mktemp("client")
    (config,) = (text for language, text in blocks(PAGE) if language == "yaml")
    (home / "python.yaml").write_text(f"{config}post_hooks: []\n", encoding="utf-8")
    command = re.search(r"`openapi-python-client (.+?)`", (ROOT / PAGE).read_text(encoding="utf-8"), re.DOTALL)
    assert command is not None
    (home / "openapi").symlink_to(DOCUMENT.parent)
    more = ["--meta", "none", "--fail-on-warning", "--output-path", PACKAGE]
    generate = [sys.executable, "-m", "openapi_python_client", *command[1].split(), *more]
    done = subprocess.run(generate, cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(home)


@pytest.fixture
def call(package: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Call an operation of the generated client; return its response as the client parses it."""
    monkeypatch.syspath_prepend(package)
    generated = import_module(f"{PACKAGE}.client").Client(base_url="http://test")
    generated.set_httpx_client(client)

    def call(name: str, *path: Any, token: str = "", **more: Any) -> Any:
        operation = import_module(f"{PACKAGE}.api.{name}")
        client.headers.pop("authorization", None)
        client.headers.update(bearer(token))
        return operation.sync(*path, client=generated, **more)

    return call


def test_a_generated_client_plays_a_whole_game(call: Operation) -> None:
    models = import_module(f"{PACKAGE}.models")
    modules = models.NewModules(milestones=True, boom=True, region_tiles=models.TilePool("new"))
    options = models.NewGameOptions(seed=11, modules=modules, undo=models.UndoPolicy("turn"))
    created = call("lobby.create_game", body=models.NewGame(seats=3, players=["Ann"], options=options))
    game, tokens = created.game.id, {0: created.seats[0].token}
    for name in ("Bob", "Cem"):
        joined = call("lobby.take_seat", game, body=models.NewSeat(name=name))
        tokens[joined.seat] = joined.token

    rng = random.Random(5)
    while True:
        legal = call("views.list_legal_moves", game)
        if legal.to_play is None:
            break
        action = rng.choice(legal.items).action
        preview = call("play.preview_moves", game, body=action)
        moved = call("play.play_move", game, token=tokens[legal.to_play], body=action)
        assert isinstance(moved, models.Moved), moved
        assert moved.events[0].action == action
        assert preview.to_play == moved.summary.to_play
        assert len(preview.steps[0].events) == len(moved.events)

    summary = call("views.read_game", game)
    assert str(summary.status) == "finished"
    scores = call("views.read_scores", game)
    assert scores.winners == summary.winners
    assert len(call("views.read_board", game).places) == 45
    assert call("views.read_history", game).items
    assert call("stream.audit_game", game).ok
    assert call("stream.watch_events", game, limit=1000).items[-1].winners == summary.winners
    record = call("stream.export_record", game)
    brought = call("stream.import_record", body=record)
    assert isinstance(brought, models.Created), brought
    assert [line.id for line in call("lobby.list_games", limit=2).items] == [brought.game.id, game]


@pytest.mark.parametrize("first", ["random", 0, 1])
def test_a_generated_client_reads_the_first_player(call: Operation, first: str | int) -> None:
    models = import_module(f"{PACKAGE}.models")
    options = models.NewGameOptions(first_player=first)
    created = call("lobby.create_game", body=models.NewGame(seats=3, players=["Ann"], options=options))
    assert created.game.options.first_player == first


def test_a_generated_client_understands_a_refusal(call: Operation) -> None:
    models = import_module(f"{PACKAGE}.models")
    created = call("lobby.create_game", body=models.NewGame(seats=2, players=["Ann", "Bob"]))
    body = models.EndTurn(type_="end_turn")
    refused = call("play.play_move", created.game.id, token=created.seats[0].token, body=body)
    assert isinstance(refused, models.Problem)
    assert refused.code in ("illegal_action", "not_your_turn")
    assert isinstance(refused.rule, str)


def test_a_generated_client_receives_pictures(call: Operation) -> None:
    models = import_module(f"{PACKAGE}.models")
    created = call("lobby.create_game", body=models.NewGame(seats=2, players=["Ann", "Bob"]))
    assert call("pictures.draw_board", created.game.id).startswith("<svg ")
    assert call("pictures.draw_map", "usa-1960s", players=2).startswith("<svg ")
    assert call("pictures.draw_board_png", created.game.id, width=200).payload.read(4) == b"\x89PNG"
