"""Idempotency keys: a request that is sent again is done once.

A key is stored with the change that it came with, in the same transaction, as a row that names the events of the
change. The response to a repeated request is rendered again from these events. Tokens are in no stream: those that are
issued with a key are derived from a secret that the caller has and the database has not. Housekeeping deletes old keys.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from time import time
from uuid import UUID

import msgspec

from domain.store.database import Database, Statement
from domain.store.errors import AnswerUnreadable, KeyReused, WeakKey
from domain.store.work import Found, Keyed

SECRET_LENGTH = 22
"""The fewest characters of a key that can hold 128 random bits, six a character."""

HASH_LENGTH = 16
CHECK_LENGTH = 8
SALT_LENGTH = 16

ROW_BYTES = 170
"""The bytes of a key on disk, about, with its entries in indexes."""


class IdempotencyKey(msgspec.Struct, frozen=True):
    """A key of a caller and the request it came with, with the caller's token of the game if there is one."""

    caller: str
    key: str
    request: bytes
    token: str | None = None

    @property
    def id(self) -> bytes:
        """The hash under which the key is stored."""
        return sha256(msgspec.json.encode(("id", self.caller, self.key))).digest()[:HASH_LENGTH]

    def body_hash(self, game: bytes, first: int, last: int, salt: bytes) -> bytes:
        """Return a hash of the request and of what a row says of it, which nobody can make without the key."""
        text = b"%b %d-%d %b %b" % (game, first, last, salt, self.request)
        return hmac.digest(f"{self.caller} {self.key}".encode(), text, "sha256")[:HASH_LENGTH]

    @property
    def secret(self) -> bytes:
        """The secret of the caller: the key if it is long enough, else with the token; raise ``WeakKey`` without."""
        if len(self.key) >= SECRET_LENGTH:
            return self.key.encode()
        if self.token is None:
            raise WeakKey
        return f"{self.key} {self.token}".encode()


class KeyRow(msgspec.Struct, frozen=True, array_like=True):
    """A stored key: the events of its change, and by which secret and salt tokens were issued, if any were."""

    body_hash: bytes
    game: bytes
    first: int
    last: int
    check: bytes
    salt: bytes


def require_secret(key: IdempotencyKey | None) -> None:
    """Raise ``WeakKey`` for a key without a secret, before anything is done whose response holds tokens."""
    if key is not None:
        _ = key.secret


def new_salt() -> bytes:
    """Return a salt for the tokens of one change."""
    return secrets.token_bytes(SALT_LENGTH)


def derive_tokens(key: IdempotencyKey, salt: bytes, game: UUID, holders: Iterable[int]) -> dict[int, str]:
    """Return the tokens of a game that the holders get with a key, the same each time; raise ``WeakKey``."""
    secret = key.secret
    return {holder: _derive(secret, b"%btoken%b%d" % (salt, game.bytes, holder)) for holder in holders}


def insert(key: IdempotencyKey, game: UUID, first: int, last: int, salt: bytes) -> Statement:
    """Return the statement that stores a key with the events of its change."""
    body_hash, check = key.body_hash(game.bytes, first, last, salt), _check(key, salt) if salt else b""
    return _INSERT, (key.id, body_hash, game.bytes, first, last, check, salt, int(time()))


def read(found: Found, key: IdempotencyKey) -> KeyRow:
    """Return the row that was found under the id of a key.

    Raise ``KeyReused`` if it came with another request or the row was changed, ``WeakKey`` if tokens were issued to a
    caller with another secret, and ``AnswerUnreadable`` for a key of 1.0, which stored responses instead of events.
    """
    (columns,) = found.values()
    try:
        row = msgspec.convert(columns, KeyRow)
    except msgspec.ValidationError as error:
        raise KeyReused from error
    if not row.game:
        raise AnswerUnreadable
    if row.body_hash != key.body_hash(row.game, row.first, row.last, row.salt):
        raise KeyReused
    if row.salt and row.check != _check(key, row.salt):
        raise WeakKey
    return row


def delete_oldest(database: Database, before: float, limit: int) -> bool:
    """Delete some of the oldest keys, none that was stored later; return whether there were any."""
    if not database.select((_ANY_BEFORE, (int(before),))):
        return False
    database.append((), [(_DELETE_BEFORE, (int(before), limit))])
    return True


def _check(key: IdempotencyKey, salt: bytes) -> bytes:
    return hmac.digest(key.secret, b"check%b" % salt, "sha256")[:CHECK_LENGTH]


def _derive(secret: bytes, text: bytes) -> str:
    """Return a token in the form of ``secrets.token_urlsafe(32)``."""
    return urlsafe_b64encode(hmac.digest(secret, text, "sha256")).rstrip(b"=").decode()


BY_ID = Keyed("keys", "id", 'body_hash, game, first, last, "check", salt')
"""The keys by their ids."""

_INSERT = (
    'INSERT INTO keys (id, body_hash, game, first, last, "check", salt, stored_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
)
_ANY_BEFORE = "SELECT 1 FROM keys WHERE stored_at < ? LIMIT 1"
_DELETE_BEFORE = "DELETE FROM keys WHERE id IN (SELECT id FROM keys WHERE stored_at < ? ORDER BY stored_at LIMIT ?)"
