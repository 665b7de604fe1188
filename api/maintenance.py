"""The commands that maintain the games of a database without a server."""

import asyncio
import secrets
import sys
from argparse import Namespace
from functools import partial
from itertools import islice
from pathlib import Path

from api.command_support import CommandFailed, on_all_cores, print_json, require_consent, with_progress, with_service
from api.random_games import random_game
from domain.records import RecordRefused
from domain.store import HOST, GameService, commands
from projections.game_entry import GameEntry, game_entry
from projections.words.en import count

STORED_AT_ONCE = 50
"""The number of random games in a transaction. Games of bots take longer, and are stored one by one."""


def import_records(arguments: Namespace) -> int:
    """Verify records and store their games.

    Prints a JSON line with the id and the tokens of each game.
    Tokens are shown once.
    """

    async def store(service: GameService) -> None:
        for file in arguments.files:
            try:
                commit = await service.import_record(_read(file))
            except RecordRefused as refused:
                raise CommandFailed(f"{file}: {refused}") from refused
            seats = {str(seat): token for seat, token in commit.tokens.items() if seat != HOST}
            print_json({"game": commit.id, "host_token": commit.tokens[HOST], "seats": seats})

    with_service(store, creating=True)
    return 0


def list_games(arguments: Namespace) -> int:
    """List games with their ids, private ones too, the newest first.

    Prints the id, status, turn, time of the last change, and players of each.
    """

    async def read(service: GameService) -> list[GameEntry]:
        entries = map(game_entry, await service.all_games())
        return sorted(entries, key=lambda entry: entry.opened, reverse=True)

    for entry in with_service(read):
        if arguments.status in (None, entry.status):
            players = ", ".join(entry.players)
            sys.stdout.write(f"{entry.id}  {entry.status:8}  {entry.turn:3}  {entry.changed_at}  {players}\n")
    return 0


def renew_token(arguments: Namespace) -> int:
    """Issue a new token for a seat, or for the host, and revoke the old one.

    Prints the token once. The history shows that an operator renewed it.
    """
    seat: int | None = arguments.seat
    if not arguments.yes:
        whose = "the host" if seat is None else f"seat {seat}"
        require_consent(f"Revoke the token of {whose} of this game, and issue a new one?", "Nothing was renewed")

    async def renew(service: GameService) -> str:
        commit = await service.change(arguments.game, commands.renew_token(seat, "operator"))
        (token,) = commit.tokens.values()
        return token

    sys.stdout.write(f"{with_service(renew)}\n")
    return 0


def remove(arguments: Namespace) -> int:
    """Erase games for good.

    Servers may keep running. Only the id and the time of the removal are kept.
    Backups and exported records are not changed.
    """
    if not arguments.yes:
        require_consent(f"Erase {count(len(arguments.games), 'game')} for good?", "Nothing was erased")

    async def remove_all(service: GameService) -> None:
        for game_id in arguments.games:
            sys.stdout.write(f"{game_id} was erased at {await service.remove(game_id)}\n")

    with_service(remove_all)
    return 0


def simulate(arguments: Namespace) -> int:
    """Play games with random moves, or between bots, and store them.

    Prints the seed of the first game. Each further game has the next seed.
    With --bots, the kinds take the seats in turn, and games use all cores:
    the same seed, kinds and positions give the same games.

    Example:
      python -m api simulate 1000 --bots greedy planner random --seed 1
    """
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    seeds = range(seed, seed + arguments.number)
    play = partial(random_game, players=arguments.players, bots=arguments.bots, budget=arguments.positions)

    async def store(service: GameService) -> None:
        games = on_all_cores(play, seeds) if arguments.bots else map(play, seeds)
        progress = with_progress(games, "Playing", arguments.number)
        while some := list(islice(progress, 1 if arguments.bots else STORED_AT_ONCE)):
            await asyncio.gather(*map(service.store_game, some))

    with_service(store, creating=True)
    print_json({"games": arguments.number, "seed": seed})
    return 0


def rebuild_lobby(_: Namespace) -> int:
    """Rebuild the lobby from the stored events.

    Servers may keep running. Clients always get a complete list.
    If this is interrupted, the next call resumes.
    """

    async def rebuild(service: GameService) -> int:
        games = len(await service.archive.game_ids())
        await service.rebuild_lobby(lambda rebuilt: with_progress(rebuilt, "Rebuilding", games))
        return games

    print_json({"games": with_service(rebuild)})
    return 0


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
