"""Tokens, which open a seat, the host's view or a spectator's view of one game. Only their SHA-256 is stored."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

import msgspec

from domain.field_types import TokenRole
from domain.store.database import Database, Statement
from domain.store.work import Found, Keyed
from domain.table import MAX_PLAYERS

HOST = -1
SPECTATOR = -2
"""The numbers of the host's and the spectators' tokens, which are stored like numbers of seats."""

INVITE = -3
"""The number of the invitation code. It allows players to join, and expires when play begins."""

FORMER = -4
"""The number of a token that its holder has renewed. It opens nothing. Only a repeated renewal uses it."""

_SEATS = range(MAX_PLAYERS)
_ROLES: dict[int, TokenRole] = {HOST: "host", SPECTATOR: "spectator"}


class TokenHolder(msgspec.Struct, frozen=True):
    """The holder of a token: a player at a seat, the host or a spectator. The latter two have no seat."""

    game: UUID
    seat: int | None
    role: TokenRole = "seat"


class Permission(msgspec.Struct, frozen=True):
    """The token of a caller and its holder, as they were when the stream ended with a digest.

    A decision on another version looks the token up again, because it may have been renewed.
    """

    token: str
    holder: TokenHolder
    digest: bytes


def new_token() -> str:
    return secrets.token_urlsafe(32)


def derive_token(secret: bytes, text: bytes) -> str:
    """Return a token in the form of ``secrets.token_urlsafe(32)``, always the same one."""
    return urlsafe_b64encode(hmac.digest(secret, text, "sha256")).rstrip(b"=").decode()


def insert(game: UUID, seat: int, token: str) -> Statement:
    """Return the statement that stores a token for a seat or another number."""
    return "INSERT INTO tokens (digest, game, seat) VALUES (?, ?, ?)", (digest_of(token), game.hex, seat)


def revoke(game: UUID, seat: int) -> Statement:
    """Return the statement that revokes all tokens of a seat or another number."""
    return "DELETE FROM tokens WHERE game = ? AND seat = ?", (game.hex, seat)


def revoke_all(game: UUID) -> Statement:
    """Return the statement that revokes all tokens of a game."""
    return "DELETE FROM tokens WHERE game = ?", (game.hex,)


def move(game: UUID, seat: int, to: int) -> Statement:
    """Return the statement that moves the tokens of a seat to another one."""
    return "UPDATE tokens SET seat = ? WHERE game = ? AND seat = ?", (to, game.hex, seat)


BY_DIGEST = Keyed("tokens", "digest", "game, seat")
"""The game and the seat of each token, by its hash."""

_BY_DIGEST = "SELECT game, seat FROM tokens WHERE digest = ?"


def find(database: Database, token: str) -> TokenHolder | None:
    """Return the holder of a token, None if it is unknown."""
    found = database.select((_BY_DIGEST, (digest_of(token),)))
    return holder_of(*found[0]) if found else None


def holder_in(found: Found) -> TokenHolder | None:
    """Return the holder of the only token that was found, None without one."""
    return next((holder_of(*place) for place in found.values()), None)


def has_number(database: Database, number: int, game: UUID, token: str) -> bool:
    """Return whether a token of a game is stored under a number."""
    values = (digest_of(token), game.hex, number)
    return bool(database.select(("SELECT 1 FROM tokens WHERE digest = ? AND game = ? AND seat = ?", values)))


def holder_of(game: str, seat: int) -> TokenHolder | None:
    """Return the holder for the columns of a token, None if it opens nothing."""
    game_id, role = parse_id(game), _ROLES.get(seat)
    if game_id is None:
        return None
    if role is not None:
        return TokenHolder(game_id, None, role)
    return TokenHolder(game_id, seat) if seat in _SEATS else None


def digest_of(token: str) -> bytes:
    """Return the hash under which a token is stored."""
    return sha256(token.encode(errors="surrogatepass")).digest()


@lru_cache(maxsize=10_000)
def parse_id(text: object) -> UUID | None:
    """Parse the id of a game, None if it is damaged. Cached, because parsing takes as long as a read."""
    try:
        game = UUID(str(text))
    except ValueError:
        return None
    return game if game.hex == text else None
