"""The commands of README.md and docs/frontend.md and the bots of docs/bots.md work as printed."""

import json
import runpy
import subprocess
import sys
from collections import Counter
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from httpx import Client

from domain.bots import Bot
from domain.modules import Modules
from tests.api.people import People
from tests.api.server import Server
from tests.domain.bots.tables import result
from tests.domain.positions import begin
from tests.domain.set_ups import BASE_GAME, EVERYTHING
from tests.support.documents import ROOT, blocks, fits, last_document, programs, read_shown, run_steps
from tests.support.relay import relaying

IN_THE_SERVER, REMOTE = [text for _, text in blocks("docs/bots.md")]
LONG = 120


def test_the_commands_print_what_the_pages_show(tmp_path: Path, shared_server: Server) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    done = run_steps(["README.md", "docs/frontend.md", "docs/data.md"], tmp_path, API=shared_server.url)
    shown = [(step, printed) for step, printed in done if step.shown]
    assert len(shown) >= 12
    for step, printed in shown:
        assert fits(read_shown(step.shown), last_document(printed)), f"{step.shown}\n{printed}"
    assert (tmp_path / "sample.svg").read_text("utf-8").startswith("<svg")
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "frontend").iterdir()}
    assert written == programs("docs/live.md") | programs("docs/frontend.md")


def test_the_program_for_the_engine_runs() -> None:
    (program,) = [text for language, text in blocks("README.md") if language == "python"]
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Ending(reason=")


def test_the_legal_move_belongs_to_the_game_in_the_picture(client: Client) -> None:
    (move,) = [json.loads(text) for language, text in blocks("README.md") if language == "json"]
    game = client.post("/v1/records", content=(ROOT / "docs/game.json").read_bytes()).json()["game"]
    assert move in client.get(f"/v1/games/{game['id']}/legal-moves").json()["items"]
    for theme, file in (("light", "board.svg"), ("dark", "board-dark.svg")):
        assert f"docs/{file}" in (ROOT / "README.md").read_text("utf-8")
        drawn = client.get(f"/v1/games/{game['id']}/board.svg", params={"theme": theme}).text
        assert drawn == (ROOT / "docs" / file).read_text("utf-8")


@pytest.mark.parametrize("modules", [BASE_GAME, EVERYTHING], ids=["base", "expansions"])
def test_the_bot_in_the_server_plays_to_the_end(tmp_path: Path, modules: Modules) -> None:
    path = tmp_path / "thrifty.py"
    path.write_text(IN_THE_SERVER, "utf-8")
    bot = runpy.run_path(str(path))["THRIFTY"]
    assert isinstance(bot, Bot)
    ending = result(begin(3, modules=modules).game, [bot] * 3, seed=1, budget=0).ending
    assert ending is not None
    assert ending.reason != "resigned"


class Network:
    """A network that loses some responses after the server has done the work, and cuts some streams."""

    LOST_RESPONSES = (0, 2)
    CUT_STREAMS = (0, 1)

    def __init__(self) -> None:
        self.posts: list[Message] = []
        self.streams: list[Message] = []

    def bytes_through(self, begun: bytes) -> int:
        line, _, rest = begun.partition(b"\r\n")
        headers = message_from_bytes(rest)
        if line.startswith(b"POST "):
            self.posts.append(headers)
            return 0 if len(self.posts) - 1 in self.LOST_RESPONSES else sys.maxsize
        if b"/stream " in line:
            self.streams.append(headers)
            return 2000 if len(self.streams) - 1 in self.CUT_STREAMS else sys.maxsize
        return sys.maxsize


def test_the_remote_bot_plays_a_whole_game_over_a_network_that_loses_connections(
    tmp_path: Path, shared_server: Server, client: Client
) -> None:
    (tmp_path / "bot.py").write_text(REMOTE, "utf-8")
    network = Network()
    table = People(client, seats=3, players=0, bots=["greedy", "random"])
    with relaying(shared_server.url, network.bytes_through) as url:
        # with the standard library alone
        command = [sys.executable, "-I", "-S", "bot.py", f"{url}{table.path}", "Marvin"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONG, check=False)
    summary, events = table.seen(), table.seen("/events?after=0&limit=1000")["items"]
    assert table.seen("/audit")["ok"]
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Winning seats: {summary['winners']}\n"
    assert summary["seats"][2]["name"] == "Marvin"
    actions = [event for event in events if event["type"] == "action_taken" and event["seat"] == 2]
    keys = Counter(headers["Idempotency-Key"] for headers in network.posts)
    assert len(keys) == 1 + len(actions), "each requested change is made exactly once"
    assert keys.total() == len(keys) + len(network.LOST_RESPONSES)
    assert len({headers["If-Match"] for headers in network.posts} - {None}) == len(actions)
    heard = [int(headers["Last-Event-ID"]) for headers in network.streams]
    assert heard == sorted(set(heard)), "it resumes after the last event"
    assert len(heard) == 1 + len(network.CUT_STREAMS)
