"""Applications: third-party frontends with a key, the games that they opened, and their references to players.

Only the SHA-256 of a key is stored. A renewed key works for another day. References are stored beside the tokens, not
in events: they say what a player is called elsewhere, and only the application that set them can read them.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from domain.store.database import Database, ReadDatabase, Statement
from domain.store.errors import AppExists, UnknownApp
from domain.store.tokens import digest_of
from domain.store.work import Found, Keyed, find_rows, parts_of
from domain.table_facts import SeatFreed, SeatHandedOver, SeatMoved, TableDeleted

OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1000
"""The time for which the old key works after a renewal."""

is_app_name = re.compile(r"[a-z0-9][a-z0-9-]{0,31}").fullmatch


class App(NamedTuple):
    """An application: its name, the number of its keys that work, and the number of games that it opened."""

    name: str
    keys: int
    games: int


class Owner(NamedTuple):
    """The application that opens a game, its references to players by seat, and the game whose rematch it is."""

    app: str
    refs: Mapping[int, str] = {}
    rematch_of: UUID | None = None


class Ref(NamedTuple):
    """A reference of an application to a player."""

    app: str
    text: str


class Apps:
    """The applications of a database."""

    def __init__(
        self, database: Database, load: Callable[..., Awaitable[Any]], look_up: Callable[..., Awaitable[Found]]
    ) -> None:
        """Use a function that calls others in threads, and one that finds rows."""
        self._database = database
        self._load = load
        self._look_up = look_up

    async def find(self, key: str) -> str | None:
        """Return the application of a key, None if the key is unknown or works no longer."""
        found = await self._look_up(BY_DIGEST, digest_of(key))
        return next((name for name, works in found.values() if works), None)

    async def refs(self, game: UUID, app: str) -> list[tuple[int, str]] | None:
        """Return the references of an application in a game by seat; None if it has nothing to do with the game."""
        found: list[tuple[int, str]] | None = await self._load(_refs_of, self._database, game, app)
        return found

    async def add(self, name: str) -> str:
        """Store an application and return its key; raise ``AppExists``."""
        key = secrets.token_urlsafe(32)
        await self._load(_add, self._database, name, key)
        return key

    async def renew(self, name: str) -> str:
        """Return a new key of an application; the old one works for another day. Raise ``UnknownApp``."""
        key = secrets.token_urlsafe(32)
        await self._load(_change, self._database, name, _renewal(name, key))
        return key

    async def revoke(self, name: str) -> None:
        """Revoke all keys of an application. Its games and references stay. Raise ``UnknownApp``."""
        await self._load(_change, self._database, name, [("DELETE FROM app_keys WHERE app = ?", (name,))])

    async def forget(self, name: str, ref: str) -> int:
        """Erase all references of an application to a person, and return their number; raise ``UnknownApp``."""
        erase = "DELETE FROM refs WHERE app = ? AND ref = ? RETURNING 1", (name, ref)
        erased: int = await self._load(_change, self._database, name, [erase])
        await self._load(self._database.purge)
        return erased

    async def all(self) -> list[App]:
        return [App(*row) for row in await self._load(self._database.select, (_ALL, ()))]


def _add(database: Database, name: str, key: str) -> None:
    with database.transaction() as transaction:
        if transaction.run((_NAMED, (name,))):
            raise AppExists(name)
        transaction.run(("INSERT INTO apps (name) VALUES (?)", (name,)))
        transaction.run((_INSERT_KEY, (digest_of(key), name)))


def _change(database: Database, name: str, statements: Sequence[Statement]) -> int:
    """Run statements for an application, and return the number of rows that they return."""
    with database.transaction() as transaction:
        if not transaction.run((_NAMED, (name,))):
            raise UnknownApp(name)
        return sum(len(transaction.run(statement)) for statement in statements)


def _renewal(name: str, key: str) -> list[Statement]:
    return [
        (_DELETE_EXPIRED, ()),
        (_EXPIRE, (OVERLAP_MILLISECONDS, name)),
        (_INSERT_KEY, (digest_of(key), name)),
    ]


BY_DIGEST = Keyed("app_keys", "digest", "app, (until IS NULL OR until > {milliseconds})")
"""The application of each key, by its hash, and whether the key still works."""


# --- games and references ------------------------------------------------------------------------------------------


def own(game: UUID, owner: Owner) -> Iterator[Statement]:
    """Return the statements that store the owner of a new game, and its references."""
    yield "INSERT INTO app_games (game, app) VALUES (?, ?)", (game.hex, owner.app)
    for seat, text in owner.refs.items():
        yield refer(game, seat, Ref(owner.app, text))
    if owner.rematch_of is not None:
        yield _COPY_REFS, (game.hex, owner.rematch_of.hex, owner.app)


def refer(game: UUID, seat: int, ref: Ref) -> Statement:
    """Return the statement that stores a reference."""
    return "INSERT INTO refs (game, seat, app, ref) VALUES (?, ?, ?, ?)", (game.hex, seat, *ref)


def after_facts(game: UUID, facts: Iterable[object]) -> Iterator[Statement]:
    """Return the statements that let references follow the players: freed seats lose them, moved players keep them."""
    for fact in facts:
        if isinstance(fact, SeatFreed | SeatHandedOver):
            yield "DELETE FROM refs WHERE game = ? AND seat = ?", (game.hex, fact.seat)
        elif isinstance(fact, SeatMoved):
            yield "UPDATE refs SET seat = ? WHERE game = ? AND seat = ?", (fact.to, game.hex, fact.seat)
        elif isinstance(fact, TableDeleted):
            yield erase(game)


def erase(game: UUID) -> Statement:
    """Return the statement that erases all references to the players of a game."""
    return "DELETE FROM refs WHERE game = ?", (game.hex,)


def _refs_of(database: Database, game: UUID, app: str) -> list[tuple[int, str]] | None:
    """Return the references of an application in a game; None if it neither opened the game nor has references."""
    rows = database.select(("SELECT seat, ref FROM refs WHERE game = ? AND app = ? ORDER BY seat", (game.hex, app)))
    owned = rows or database.select(("SELECT 1 FROM app_games WHERE game = ? AND app = ?", (game.hex, app)))
    return [(seat, ref) for seat, ref in rows] if owned else None


def owners(database: ReadDatabase, games: Collection[UUID]) -> dict[UUID, str]:
    """Return the applications that opened some games."""
    ids = {game.hex: game for game in games}
    found = (find_rows(database, _OWNERS, *part).items() for part in parts_of(list(ids)))
    return {ids[game]: app for rows in found for game, (app,) in rows}


_OWNERS = Keyed("app_games", "game", "app")
_NAMED = "SELECT 1 FROM apps WHERE name = ?"
_INSERT_KEY = "INSERT INTO app_keys (digest, app) VALUES (?, ?)"
_EXPIRE = "UPDATE app_keys SET until = {milliseconds} + ? WHERE app = ? AND until IS NULL"
_DELETE_EXPIRED = "DELETE FROM app_keys WHERE until <= {milliseconds}"
_COPY_REFS = "INSERT INTO refs (game, seat, app, ref) SELECT ?, seat, app, ref FROM refs WHERE game = ? AND app = ?"
_ALL = (
    "SELECT name, (SELECT COUNT(*) FROM app_keys WHERE app = name AND (until IS NULL OR until > {milliseconds})),"
    " (SELECT COUNT(*) FROM app_games WHERE app = name) FROM apps ORDER BY name"
)
