"""Tokens, which open a seat or the host's place of one game. Only their SHA-256 is stored."""

import secrets
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

import msgspec

from domain.store.database import Database, Statement

SEAT_OF_HOST = -1
"""The number stored for the host's place."""


class TokenHolder(msgspec.Struct, frozen=True):
    """The place that a token opens: a seat of a game, or its host's where the seat is None."""

    game: UUID
    seat: int | None


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def insert(game: UUID, seat: int | None, token: str) -> Statement:
    """Return the statement that lets a token open a seat, or the host's place."""
    values = (_digest(token), game.hex, SEAT_OF_HOST if seat is None else seat)
    return "INSERT INTO tokens (digest, game, seat) VALUES (?, ?, ?)", values


def revoke(game: UUID, seat: int) -> Statement:
    """Return the statement that revokes all tokens of a seat."""
    return "DELETE FROM tokens WHERE game = ? AND seat = ?", (game.hex, seat)


def find(database: Database, token: str) -> TokenHolder | None:
    """Return the place that a token opens, None if it opens none."""
    found = database.select(("SELECT game, seat FROM tokens WHERE digest = ?", (_digest(token),)))
    if not found:
        return None
    game, seat = found[0]
    return TokenHolder(_game_id(game), None if seat == SEAT_OF_HOST else seat)


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="surrogatepass")).digest()


@lru_cache(maxsize=10_000)
def _game_id(text: str) -> UUID:
    """Parse the id of a game, which takes as long as finding the token."""
    return UUID(text)
