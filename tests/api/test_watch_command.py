"""`python -m api watch` prints a game while it is played."""

import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from api.cli import main
from api.watch import follow
from domain.modules import GameOptions
from domain.store import UnknownGame, commands
from tests.store.clients import Client, connected


@pytest.fixture
def memory() -> Iterator[Client]:
    with connected("memory:") as client:
        yield client


async def next_lines(lines: AsyncGenerator[str, None], number: int) -> list[str]:
    return [(await anext(lines))[10:] for _ in range(number)]


def test_a_finished_game_is_printed_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    monkeypatch.setenv("FRANCHISE_DATABASE_URL", url)
    assert main(["simulate", "1", "--seed", "3", "--players", "2"]) == 0
    with connected(url) as client:
        (game,) = client.wait(client.service.archive.game_ids())
    capsys.readouterr()
    assert main(["watch", str(game)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "          Ann and Bob start a game."
    assert re.search("The game is over: .* wins", printed[-1])
    turns = [int(found[1]) for line in printed if (found := re.match(r" {10}Turn (\d+): ", line))]
    assert turns == list(range(1, len(turns) + 1))
    assert main(["watch", "00000000-0000-4000-8000-000000000000"]) == 1


def test_moves_undo_and_redo_are_printed_as_they_happen(memory: Client) -> None:
    table = memory.open_table(2, ["Ann"], GameOptions(seed=1, first_player=0, undo="free"))
    lines = follow(memory.service, table.id)
    memory.change(table.id, commands.take_seat("Bob"))
    assert memory.wait(next_lines(lines, 2)) == [
        "Ann and Bob start a game.",
        "Ann goes first, chosen by the host.",
    ]
    while "bonus tiles" not in memory.wait(next_lines(lines, 1))[0]:
        pass
    memory.play(table.id, 1)
    (town,) = memory.wait(next_lines(lines, 1))
    assert re.fullmatch("Bob starts with a franchise in .*", town)
    memory.change(table.id, commands.undo(None))
    assert memory.wait(next_lines(lines, 1)) == ["1 action undone."]
    memory.change(table.id, commands.redo(None))
    assert memory.wait(next_lines(lines, 1)) == [town]
    memory.wait(lines.aclose())


def test_watching_a_deleted_table_ends(memory: Client) -> None:
    table = memory.open_table(3, ["Ann"], GameOptions())
    lines = follow(memory.service, table.id)
    memory.change(table.id, commands.delete)
    with pytest.raises(UnknownGame):
        memory.wait(anext(lines))
