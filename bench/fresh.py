"""``python -m bench.fresh KIND URL GAME``: print the milliseconds that a new process takes to open a stored game.

``service`` opens it as the server does; ``bare`` selects the rows, decodes the facts and folds them in a plain loop.
"""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Literal
from uuid import UUID

import psycopg
import uvloop

from domain.evolve import evolve, new_game
from domain.modules import GameStarted
from domain.store import open_service
from domain.stream import facts_of, split_row

SELECT = "SELECT originator_version, state FROM stored_events WHERE originator_id = {} ORDER BY originator_version"

Kind = Literal["service", "bare"]


def milliseconds(kind: Kind, url: str, game: UUID) -> float:
    """Start a process that opens a game, and return how long that took without the start."""
    command = [sys.executable, "-m", "bench.fresh", kind, url, str(game)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


async def _through_service(url: str, game: UUID) -> float:
    async with open_service(url) as service:
        began = time.perf_counter()
        await service.load(game)
        return time.perf_counter() - began


def _bare(url: str, game: UUID) -> float:
    select = _selector(url, game)
    began = time.perf_counter()
    facts = iter(facts_of([event for row in select() for event in split_row(*row)]))
    folded = new_game(next(fact for fact in facts if isinstance(fact, GameStarted)))
    for fact in facts:
        folded = evolve(folded, fact)
    return time.perf_counter() - began


def _selector(url: str, game: UUID) -> Callable[[], Sequence[tuple[int, bytes]]]:
    if url.startswith("sqlite"):
        file = sqlite3.connect(url.removeprefix("sqlite:///"))
        return lambda: file.execute(SELECT.format("?"), (game.hex,)).fetchall()
    server = psycopg.connect(url, autocommit=True)
    return lambda: server.cursor(binary=True).execute(SELECT.format("%s").encode(), (game,)).fetchall()


def main() -> None:
    """Open the game that the arguments name, and print how long it took."""
    kind, url, game = sys.argv[1], sys.argv[2], UUID(sys.argv[3])
    seconds = _bare(url, game) if kind == "bare" else uvloop.run(_through_service(url, game))
    sys.stdout.write(f"{seconds * 1000}\n")


if __name__ == "__main__":
    main()
