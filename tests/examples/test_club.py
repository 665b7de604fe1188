"""The frontend with a server of its own: two accounts play a private game to its end."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.cli import main
from tests.api.server import running
from tests.support.documents import ROOT
from tests.support.ports import free_port
from tests.support.waiting import until


class Account:
    def __init__(self, club: str, name: str) -> None:
        self.client = httpx.Client(base_url=club, timeout=30)
        secret = self.client.post("/accounts", json={"name": name}).raise_for_status().json()["secret"]
        self.client.headers["authorization"] = f"Bearer {secret}"

    def get(self, path: str) -> Any:
        return self.client.get(path).raise_for_status().json()


@pytest.fixture
def club(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """The address of the club, a program beside a server."""
    url = f"sqlite:///{tmp_path}/games.db"
    with running(url, log_level="error") as server:
        assert main(["app", "add", "club", "--database", url]) == 0
        variables = {**os.environ, "API": server.url, "KEY": capsys.readouterr().out.strip()}
        port = free_port()
        command = [sys.executable, str(ROOT / "examples" / "club.py"), str(port), str(tmp_path / "club.db")]
        with subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL) as program:
            address = f"http://127.0.0.1:{port}"
            until(lambda: httpx.get(f"{address}/games").status_code == 404, httpx.TransportError)
            yield address
            program.kill()


def test_two_accounts_play_a_private_game(club: str) -> None:
    ann, bob, eve = (Account(club, name) for name in ("Ann", "Bob", "Eve"))
    game = ann.client.post("/games", json={"with": [2]}).raise_for_status().json()["game"]
    assert [entry["id"] for entry in ann.get("/games")] == [entry["id"] for entry in bob.get("/games")] == [game]
    assert eve.get("/games") == []
    assert eve.client.get(f"/games/{game}/state").status_code == 401
    players = [ann, bob]
    first = ann.get(f"/games/{game}/state")["game"]["to_play"]
    until(lambda: players[first].get("/notices") == [game])
    assert players[1 - first].client.post(f"/games/{game}/moves", json={"type": "end_turn"}).status_code == 409
    while (to_play := ann.get(f"/games/{game}/state")["game"]["to_play"]) == first:
        moves = players[first].get(f"/games/{game}/state")["legal_moves"]["items"]
        players[first].client.post(f"/games/{game}/moves", json=moves[0]["action"]).raise_for_status()
    until(lambda: players[to_play].get("/notices") == [game])
    players[to_play].client.post(f"/games/{game}/moves", json={"type": "resign"}).raise_for_status()
    assert ann.get("/games")[0]["status"] == "finished"
    assert bob.get(f"/games/{game}/record")["events"][-1]["type"] == "game_ended"
    assert eve.client.get(f"/games/{game}/record").status_code == 401
    assert eve.get("/notices") == []
