"""Rematches: the table that follows a finished game, found by all who ask although nobody tells them its id."""

from hashlib import sha256
from itertools import count
from typing import NamedTuple
from uuid import UUID

from domain.rematch import open_rematch, rematch_of
from domain.store import commands
from domain.store.apps import Owner
from domain.store.commit import Commit
from domain.store.errors import GameExists, Revoked, UnknownGame
from domain.store.games import LoadedGame
from domain.store.service import GameService
from domain.store.tokens import HOST, INVITE, Permission, derive_token
from domain.table_facts import RematchOf


class Rematch(NamedTuple):
    """The commits of a request for a rematch, the last one at the new table, and the seat and tokens of the caller."""

    opened: bool
    commits: tuple[Commit, ...]
    seat: int | None
    tokens: dict[str, str]


async def ask(service: GameService, old: LoadedGame, permission: Permission, app: str | None = None) -> Rematch:
    """Find or open the rematch of a finished game, and claim the seat of a token of that game, or the role of the host.

    The tokens follow from the old one, so asking again returns the same. Raise ``Refused`` before the end, and
    ``Revoked`` if the seat was freed or its new token was renewed.
    """
    origin, holder = rematch_of(str(old.id), old.table), permission.holder
    table, opened = await _find_or_open(service, old, origin, app)
    noted = await service.change(old.id, commands.note_rematch(table.id), permission=permission)
    names = {HOST: "host_token"} if holder.seat is None else {holder.seat: "token"}
    if holder.role == "host" and table.table.options.invite:
        names[INVITE] = "invite"
    secret, game = permission.token.encode(), table.id.bytes
    tokens = {number: derive_token(secret, b"rematch %b %d" % (game, number)) for number in names}
    claimed = await service.change(table.id, commands.claim_seat(holder.seat, tokens))
    known = await service.find_token(next(iter(tokens.values())))
    if known is None or (known.game, known.role) != (table.id, holder.role):
        raise Revoked
    commits = (*filter(None, [opened]), noted, claimed)
    expired = (INVITE,) if claimed.table.started else ()
    named = {names[number]: token for number, token in tokens.items() if number not in expired}
    return Rematch(opened is not None, commits, known.seat, named)


async def _find_or_open(
    service: GameService, old: LoadedGame, origin: RematchOf, app: str | None
) -> tuple[LoadedGame, Commit | None]:
    """Return the table that was opened for a rematch, or open it. A deleted one is followed by another."""
    if old.game is None:
        raise TypeError("a finished game was played")
    facts = open_rematch(origin, old.table, old.game)
    for attempt in count():
        game = _id_of(origin, attempt)
        try:
            opened = await service.store_game(facts, game, Owner(app, rematch_of=old.id) if app else None)
        except GameExists:
            pass
        else:
            return opened.loaded, opened
        try:
            loaded = await service.load(game)
        except UnknownGame:
            continue
        if loaded.table.rematch_of == origin and loaded.table.imported_from is None:
            return loaded, None
    raise AssertionError("unreachable")


def _id_of(origin: RematchOf, attempt: int) -> UUID:
    """Return the id of a rematch (version 8 of RFC 9562), the same for all who ask."""
    number = int.from_bytes(sha256(f"rematch {origin.game} {origin.version} {attempt}".encode()).digest()[:16])
    return UUID(int=number & ~(0xF << 76 | 3 << 62) | 8 << 76 | 2 << 62)
