"""Idempotency keys: a request that is sent again gets the first answer again.

The answer is stored with what was appended, in the same transaction. Since it may hold tokens, it is encrypted with
the key itself, of which only a hash is stored: the database alone gives nothing away. An answer with tokens is given
again only to a caller who sends a token too, or a key that is long enough to be a secret. Housekeeping deletes answers
that have been kept for as long as the service says.
"""

import secrets
from hashlib import sha256, shake_256
from time import time

import msgspec

from domain.store.database import Database, Statement
from domain.store.errors import KeyReused, WeakKey

CREATED = 201
"""The status of answers with tokens."""

SECRET_LENGTH = 22
"""The fewest characters of a key that can hold 128 random bits, six a character."""


class IdempotencyKey(msgspec.Struct, frozen=True):
    """An idempotency key of a caller, with the SHA-256 of the request it came with.

    ``with_token`` says that a token came along by which nobody else can be this caller.
    """

    caller: str
    key: str
    body: bytes
    with_token: bool = False

    @property
    def is_credential(self) -> bool:
        """Whether the caller has shown a secret that may open an answer with tokens."""
        return self.with_token or len(self.key) >= SECRET_LENGTH


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """The answer to a change, as it is sent and as it is kept under an idempotency key."""

    status: int
    version: int
    location: str
    body: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer).decode


def insert(key: IdempotencyKey, answer: Answer) -> Statement:
    """Return the statement that stores the first answer to a key."""
    salt = secrets.token_bytes(16)
    sealed = salt + _encrypt(key, salt, _encode(answer))
    return _INSERT, (_id(key), key.body, sealed, int(time()))


def first_answer(database: Database, key: IdempotencyKey) -> Answer | None:
    """Return the first answer to a key, None if it is new.

    Raise ``KeyReused`` if its request was another one, ``WeakKey`` if a secret is needed to have the answer.
    """
    found = database.select(("SELECT body, sealed FROM answers WHERE id = ?", (_id(key),)))
    if not found:
        return None
    body, sealed = found[0]
    if body != key.body:
        raise KeyReused
    answer = _decode(_encrypt(key, sealed[:16], sealed[16:]))
    if answer.status == CREATED and not key.is_credential:
        raise WeakKey
    return answer


def delete_oldest(database: Database, before: float, limit: int) -> bool:
    """Delete the oldest answers, so many at most and none that was stored later; return if there were any."""
    if not database.select((_ANY_BEFORE, (int(before),))):
        return False
    database.append((), [(_DELETE_BEFORE, (int(before), limit))])
    return True


def _id(key: IdempotencyKey) -> bytes:
    return sha256(msgspec.json.encode(("id", key.caller, key.key))).digest()


def _encrypt(key: IdempotencyKey, salt: bytes, text: bytes) -> bytes:
    """Encrypt or decrypt a text with a stream of bytes that only the key and the salt make."""
    stream = shake_256(salt + msgspec.json.encode(("seal", key.caller, key.key))).digest(len(text))
    return (int.from_bytes(text) ^ int.from_bytes(stream)).to_bytes(len(text))


_INSERT = "INSERT INTO answers (id, body, sealed, stored_at) VALUES (?, ?, ?, ?)"
_ANY_BEFORE = "SELECT 1 FROM answers WHERE stored_at < ? LIMIT 1"
_DELETE_BEFORE = (
    "DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE stored_at < ? ORDER BY stored_at LIMIT ?)"
)
