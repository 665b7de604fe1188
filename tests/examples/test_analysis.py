"""The answers of the analysis are those of the rules, and its plots are pictures."""

import json
import re
import struct
import subprocess
import zlib
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from subprocess import CompletedProcess
from typing import NamedTuple

import pytest

from api.ladder import wilson_interval
from api.random_games import random_game
from domain.evolve import evolve, new_game
from domain.facts import TownFounded, TurnEnded
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Fact, GameOptions, GameStarted
from domain.records import verify_record
from domain.store import commands
from domain.table import Table, effective_versions
from domain.timeline import follow
from tests.examples.conftest import Run
from tests.store.clients import Client, connected
from tests.support.documents import ROOT, blocks

KINDS: tuple[BotKind, ...] = ("greedy", "random")
GAMES = 30


class Finished(NamedTuple):
    """A finished game as the rules see it."""

    table: Table
    game: Game
    facts: Sequence[Fact]

    def won(self, seat: int) -> float:
        winners = self.table.winners
        return (seat in winners) / len(winners)

    def kind(self, seat: int) -> str:
        return self.table.players[seat].bot or "person"


@pytest.fixture(scope="module")
def exported() -> Sequence[bytes]:
    """The records of finished games between bots, and of one with undone turns and an undone end."""
    with connected("memory:") as client:
        games = [random_game(seed, bots=KINDS) for seed in range(GAMES)]
        ids = [client.wait(client.service.store_game(game)).id for game in games]
        records = [client.export_record(game) for game in ids]
        return [*records, with_undone_events(client)]


def with_undone_events(client: Client) -> bytes:
    """Play a game with undone turns, with one that was redone, and with an end that was undone."""
    game = client.started(GameOptions(seed=7, undo="free"), 4).id
    for number in range(3):
        before = client.play(game, 15, number).version
        client.play(game, 10, number + 10)
        client.change(game, commands.undo(None, before))
    client.change(game, commands.redo(None))
    client.play(game, 1000)
    client.change(game, commands.undo(None))
    client.play(game, 1000, 1)
    assert len(client.load(game).table.restored) == 5
    return client.export_record(game)


@pytest.fixture(scope="module")
def finished(exported: Sequence[bytes]) -> list[Finished]:
    return [read(verify_record(record).facts) for record in exported]


def read(facts: Sequence[Fact]) -> Finished:
    timeline = follow(None, facts)
    assert timeline.game is not None
    in_force = [facts[version - 1] for part in effective_versions(timeline.table, len(facts)) for version in part]
    return Finished(timeline.table, timeline.game, in_force)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("analysis")


@pytest.fixture(scope="module")
def printed(run: Run, folder: Path, exported: Sequence[bytes]) -> str:
    done = analyse(run, folder, exported)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def analyse(run: Run, folder: Path, records: Sequence[bytes]) -> CompletedProcess[str]:
    file = folder / "games.ndjson"
    file.write_bytes(
        b"".join(line + b"\n" for line in [*records, b'{"next": "01a1f88c-f148-7ad3-9123-76ef3e014d57-9"}'])
    )
    return run("examples/analysis.py", file, folder / "plots")


def by_players(games: Sequence[Finished]) -> dict[int, list[Finished]]:
    counts = sorted({len(one.game.players) for one in games})
    return {players: [one for one in games if len(one.game.players) == players] for players in counts}


def with_margin(values: Sequence[float]) -> str:
    margin = 1.96 * stdev(values) / sqrt(len(values))
    return f"{mean(values):z.1f} ({mean(values) - margin:z.1f} to {mean(values) + margin:z.1f})"


def test_the_wins_of_the_first_player_are_counted(printed: str, finished: list[Finished]) -> None:
    assert printed.startswith(f"{GAMES + 1} games.")
    above = []
    for players, games in by_players(finished).items():
        won = [one.won(one.game.first_player) for one in games]
        low, high = wilson_interval(sum(won), len(won))
        assert (
            f"{players} players: the first player won {sum(won):.4g} of {len(won)} games, {100 * mean(won):.1f} % "
            f"({100 * low:.1f} to {100 * high:.1f}); an equal share is {100 / players:.1f} %\n"
        ) in printed
        above += [100 * (one - 1 / players) for one in won]
    assert f"All games: the first player is {with_margin(above)} percentage points above an equal share\n" in printed


def test_the_wins_from_each_town_are_compared_with_those_of_the_same_kind(
    printed: str, finished: list[Finished]
) -> None:
    alike: dict[tuple[int, str], list[float]] = {}
    for one in finished:
        for seat in one.game.seats:
            alike.setdefault((len(one.game.players), one.kind(seat)), []).append(one.won(seat))
    towns: dict[str, list[tuple[float, float]]] = {}
    for one in finished:
        for fact in one.facts:
            if isinstance(fact, TownFounded):
                usual = mean(alike[len(one.game.players), one.kind(fact.seat)])
                towns.setdefault(fact.town, []).append((one.won(fact.seat), usual))
    lines = dict(re.findall(r"^([a-z-]+): won (.*) percentage points above the same kind of player$", printed, re.M))
    assert set(lines) == {town for town, chosen in towns.items() if len(chosen) >= 5}
    for town, line in lines.items():
        above = [100 * (won - usual) for won, usual in towns[town]]
        assert line == f"{sum(won for won, _ in towns[town]):.4g} of {len(above)} games, {with_margin(above)}"


def test_influence_grows_as_the_rules_count_it(printed: str, finished: list[Finished]) -> None:
    for players, games in by_players(finished).items():
        (line,) = re.findall(rf"^{players} players: mean influence (.*)$", printed, re.M)
        *rounds, last = line.split("; ")
        final = [mean(player.influence for player in one.game.players) for one in games]
        assert last == f"after the final count {with_margin(final)}"
        after = [dict(rounds_of(one)) for one in games]
        reached = {number: [one[number] for one in after if number in one] for number in (4, 8, 12, 16)}
        shown = {number: each for number, each in reached.items() if len(each) >= max(5, len(games) / 2)}
        assert rounds == [f"after round {number} {with_margin(each)}" for number, each in shown.items()]
        assert rounds


def rounds_of(one: Finished) -> Iterator[tuple[int, float]]:
    """The mean influence after each round, from the games that the facts lead to."""
    begun = next(index for index, fact in enumerate(one.facts) if isinstance(fact, GameStarted))
    started = one.facts[begun]
    assert isinstance(started, GameStarted)
    game = new_game(started)
    for fact in one.facts[begun + 1 :]:
        game = evolve(game, fact)
        number, rest = divmod(game.turn.number, len(game.players))
        if isinstance(fact, TurnEnded) and not rest:
            yield number, mean(player.influence for player in game.players)


def test_undone_events_do_not_count(run: Run, tmp_path: Path, exported: Sequence[bytes]) -> None:
    """The same game without its undone events gives the same answers."""
    record = json.loads(exported[-1])
    facts = verify_record(exported[-1]).facts
    table = follow(None, facts).table
    kept = [version for part in effective_versions(table, len(facts)) for version in part]
    assert len(kept) < len(facts) - 50
    events = [{**record["events"][version - 1], "version": at} for at, version in enumerate(kept, 1)]
    answers = []
    for one in (record, {**record, "events": events}):
        copies = [json.dumps({**one, "game": str(number)}).encode() for number in range(5)]
        answers.append(analyse(run, tmp_path, copies).stdout)
    assert answers[0] == answers[1]
    assert "4 players: mean influence after round 4 " in answers[0]


def test_the_last_ending_of_a_game_counts(run: Run, tmp_path: Path, printed: str, exported: Sequence[bytes]) -> None:
    first, other = map(json.loads, exported[:2])
    earlier = json.dumps({**other, "game": first["game"]}).encode()
    assert analyse(run, tmp_path, [earlier, *exported]).stdout == printed


@pytest.mark.parametrize("name", ["first-player", "starting-towns", "influence"])
@pytest.mark.usefixtures("printed")
def test_a_plot_is_a_picture_that_is_not_empty(folder: Path, name: str) -> None:
    width, height, pixels = read_png((folder / "plots" / f"{name}.png").read_bytes())
    assert width >= 400
    assert height >= 200
    colours = {pixels[at : at + 4] for at in range(0, len(pixels), 4)}
    assert len(colours) > 20


def read_png(image: bytes) -> tuple[int, int, bytes]:
    """Return width, height and the filtered bytes of an RGBA image."""
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = dict[bytes, bytes](), 8
    while at < len(image):
        length, kind = struct.unpack(">I4s", image[at : at + 8])
        chunks[kind] = chunks.get(kind, b"") + image[at + 8 : at + 8 + length]
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    rows = zlib.decompress(chunks[b"IDAT"])
    assert (depth, colour, len(rows)) == (8, 6, height * (1 + 4 * width))
    return width, height, b"".join(rows[row * (1 + 4 * width) + 1 :][: 4 * width] for row in range(height))


def test_a_file_without_games_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    done = analyse(run, tmp_path, [])
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("games.ndjson has no finished game")


@pytest.mark.usefixtures("python")
def test_the_commands_of_the_readme_answer_the_questions(tmp_path: Path) -> None:
    """With fewer games."""
    for name in (".venv", "pyproject.toml", "api", "domain", "projections", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    commands, environment = (text for language, text in blocks("examples/README.md") if language == "sh")
    assert "simulate 1000 " in commands
    script = commands.replace("simulate 1000 ", "simulate 5 --players 2 --positions 9 ") + environment
    done = subprocess.run(["sh", "-eu", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n5 games. Intervals are 95 % intervals.\n" in done.stdout
    assert done.stdout.splitlines()[-1] == "Discrete(1091)"
    assert len([*(tmp_path / "plots").glob("*.png")]) == 3
