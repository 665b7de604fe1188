"""Tokens: who holds one plays a seat, or hosts the table. Only their SHA-256 is ever stored."""

import secrets
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

import msgspec

from domain.application.database import Statement

HOST = -1


class Caller(msgspec.Struct, frozen=True):
    """Who a token belongs to: a seat of a game, or its host where the seat is None."""

    game: UUID
    seat: int | None


def new_token() -> str:
    """A token nobody can guess."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return sha256(token.encode(errors="surrogatepass")).digest()


def keep(game: UUID, seat: int | None, token: str) -> Statement:
    """Let a token open a seat, or the host's place."""
    return "INSERT INTO tokens (digest, game, seat) VALUES (?, ?, ?)", (
        digest(token),
        game.hex,
        HOST if seat is None else seat,
    )


def revoke(game: UUID, seat: int) -> Statement:
    """Let no token open a seat any more."""
    return "DELETE FROM tokens WHERE game = ? AND seat = ?", (game.hex, seat)


def find(token: str) -> Statement:
    """Look up whose token it is."""
    return "SELECT game, seat FROM tokens WHERE digest = ?", (digest(token),)


def caller(game: str, seat: int) -> Caller:
    """The caller that a stored line tells of."""
    return Caller(_id(game), None if seat == HOST else seat)


@lru_cache(maxsize=10_000)
def _id(game: str) -> UUID:
    """The id of a game; reading it takes as long as finding whose token it is."""
    return UUID(game)
