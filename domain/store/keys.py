"""Idempotency keys: a repeated request is done only once.

The transaction of a change also stores its key, in a row that names the events of the change. The response to a
repeated request is rendered from these events again. Tokens are not in the stream. Tokens issued with a key are derived
from a secret that the caller knows and the database does not. Housekeeping deletes old keys.
"""

import hmac
import secrets
from collections.abc import Iterable
from hashlib import sha256
from time import time
from uuid import UUID

import msgspec

from domain.store.database import Database, Statement
from domain.store.errors import AnswerUnreadable, KeyReused, WeakKey
from domain.store.tokens import derive_token
from domain.store.work import Found, Keyed

SECRET_LENGTH = 22
"""The length of the shortest key that can have 128 random bits, with six bits per character."""

HASH_LENGTH = 16
CHECK_LENGTH = 8
SALT_LENGTH = 16

ROW_BYTES = 170
"""The approximate size of a key on disk, including indexes."""


class IdempotencyKey(msgspec.Struct, frozen=True):
    """The key of a request, with the caller's token for the game, if any."""

    caller: str
    key: str
    request: bytes
    token: str | None = None

    @property
    def id(self) -> bytes:
        """The hash that identifies the key in the database."""
        return sha256(msgspec.json.encode(("id", self.caller, self.key))).digest()[:HASH_LENGTH]

    def body_hash(self, game: bytes, first: int, last: int, salt: bytes) -> bytes:
        """Return a hash of the request and of its row. Nobody can compute it without the key."""
        text = b"%b %d-%d %b %b" % (game, first, last, salt, self.request)
        return hmac.digest(f"{self.caller} {self.key}".encode(), text, "sha256")[:HASH_LENGTH]

    @property
    def secret(self) -> bytes:
        """The secret of the caller: the key if it is long enough, else the key with the token; raise ``WeakKey``."""
        if len(self.key) >= SECRET_LENGTH:
            return self.key.encode()
        if self.token is None:
            raise WeakKey
        return f"{self.key} {self.token}".encode()


class KeyRow(msgspec.Struct, frozen=True, array_like=True):
    """A stored key: the events of its change, and the check and the salt of the secret if tokens were issued."""

    body_hash: bytes
    game: bytes
    first: int
    last: int
    check: bytes
    salt: bytes


def require_secret(key: IdempotencyKey | None) -> None:
    """Raise ``WeakKey`` for a key without a secret. Call this before a change whose response contains tokens."""
    if key is not None:
        _ = key.secret


def new_salt() -> bytes:
    return secrets.token_bytes(SALT_LENGTH)


def derive_tokens(key: IdempotencyKey, salt: bytes, game: UUID, holders: Iterable[int]) -> dict[int, str]:
    """Derive the tokens of a game from the secret of a key, always the same ones; raise ``WeakKey``."""
    secret = key.secret
    return {holder: derive_token(secret, b"%btoken%b%d" % (salt, game.bytes, holder)) for holder in holders}


def insert(key: IdempotencyKey, game: UUID, first: int, last: int, salt: bytes) -> Statement:
    """Return the statement that stores a key with the events of its change."""
    body_hash, check = key.body_hash(game.bytes, first, last, salt), _check(key, salt) if salt else b""
    return _INSERT, (key.id, body_hash, game.bytes, first, last, check, salt, int(time()))


def read(found: Found, key: IdempotencyKey) -> KeyRow:
    """Return the row of a key.

    Raise ``KeyReused`` if the key belongs to another request or the row was changed, ``WeakKey`` if the tokens were
    derived from another secret, and ``AnswerUnreadable`` for a key of release 1.0, which stored responses instead of
    events.
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
    """Delete some of the oldest keys, stored before a time; return whether there were any."""
    if not database.select((_ANY_BEFORE, (int(before),))):
        return False
    database.append((), [(_DELETE_BEFORE, (int(before), limit))])
    return True


def _check(key: IdempotencyKey, salt: bytes) -> bytes:
    return hmac.digest(key.secret, b"check%b" % salt, "sha256")[:CHECK_LENGTH]


BY_ID = Keyed("keys", "id", 'body_hash, game, first, last, "check", salt')

_INSERT = (
    'INSERT INTO keys (id, body_hash, game, first, last, "check", salt, stored_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
)
_ANY_BEFORE = "SELECT 1 FROM keys WHERE stored_at < ? LIMIT 1"
_DELETE_BEFORE = "DELETE FROM keys WHERE id IN (SELECT id FROM keys WHERE stored_at < ? ORDER BY stored_at LIMIT ?)"
