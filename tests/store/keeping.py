"""Housekeeping at a time of one's choice, and what it may delete."""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from domain.modules import GameOptions
from domain.store import Commit, IdempotencyKey, Limits, UnknownGame
from domain.store.database import Database
from domain.store.upkeep import Change, Housekeeping, Load
from tests.store.clients import Client, opened_database

Clock = Callable[[str], None]
"""Sets the clock by which changes and keys are stored."""

JANUARY_1, JANUARY_20, FEBRUARY_5 = (f"2030-{day}T00:00:00Z" for day in ("01-01", "01-20", "02-05"))
"""On February 5 the first of these is more than 30 days ago, the second is not."""


def timestamp(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


async def at_once(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def house(
    database: Database, change: Change, now: str = FEBRUARY_5, load: Load = at_once, keys: int = 30, tables: int = 30
) -> Housekeeping:
    limits = Limits(keys_kept=keys, open_tables_kept=tables)
    return Housekeeping(database, load, change, limits, clock=lambda: timestamp(now))


def tidy(url: str, client: Client, **how: Any) -> None:
    """Let one round of housekeeping be done."""
    with opened_database(url) as database:
        client.wait(house(database, client.service.change, **how).do_round())


def key(number: int) -> IdempotencyKey:
    return IdempotencyKey("", f"{number}" * 22, sha256(b"body").digest())


def opened_under(client: Client, number: int) -> Commit:
    """Open a table under a key, or get the commit that was stored under it."""
    return client.wait(client.service.open_table(2, ["Ann"], GameOptions(), key=key(number)))


def known(client: Client, number: int) -> bool:
    return client.wait(is_known(client, number))


async def is_known(client: Client, number: int) -> bool:
    """Return whether a key is stored, also if its game is gone."""
    try:
        return await client.service.repeated(key(number)) is not None
    except UnknownGame:
        return True


def opened(client: Client, seats: int = 3, **options: Any) -> UUID:
    return client.open_table(seats, ["Ann"], GameOptions(**options)).id


def exists(client: Client, game: UUID) -> bool:
    try:
        client.load(game)
    except UnknownGame:
        return False
    return True
