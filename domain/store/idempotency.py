"""Idempotency keys: a request that is sent again gets the first answer again.

The answer is stored with what was appended, in the same transaction. Since it may hold tokens, it is encrypted with
the key itself, of which only a hash is stored: the database alone gives nothing away. An answer with tokens is given
again only to a caller who sends a token too, or a key that is long enough to be a secret. Housekeeping deletes answers
that have been kept for as long as the service says.

A digest that needs the key shows whether somebody changed an answer. Answers of the first release have none, and
another hash as their id: without the key nobody can make a new answer look like one of those.
"""

import hmac
import secrets
from hashlib import sha256, shake_256
from time import time
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.store.database import Database, Statement
from domain.store.errors import AnswerUnreadable, KeyReused, WeakKey
from domain.store.work import Found, Keyed

CREATED = 201
"""The status of answers with tokens."""

SECRET_LENGTH = 22
"""The fewest characters of a key that can hold 128 random bits, six a character."""


SALT_LENGTH = 16
DIGEST_LENGTH = 32


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
        """True if the caller has shown a secret that may open an answer with tokens."""
        return self.with_token or len(self.key) >= SECRET_LENGTH


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """The answer to a change, as it is sent and as it is kept under an idempotency key."""

    status: Annotated[int, Meta(ge=200, le=CREATED)]
    version: Annotated[int, Meta(ge=1)]
    location: Annotated[str, Meta(pattern=r"^[!-~]*\Z")]
    body: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer).decode


def insert(key: IdempotencyKey, answer: Answer) -> Statement:
    """Return the statement that stores the first answer to a key."""
    salt = secrets.token_bytes(SALT_LENGTH)
    sealed = salt + _encrypt(key, salt, _encode(answer))
    values = (_hash("id 2", key), key.body, _digest(key, key.body, sealed) + sealed, int(time()))
    return _INSERT, values


def ids_of(key: IdempotencyKey) -> tuple[bytes, bytes]:
    """Return the ids under which the answer to a key may be stored: that of now and that of the first release."""
    return _hash("id 2", key), _hash("id", key)


def first_answer(rows: Found, key: IdempotencyKey) -> Answer | None:
    """Return the first answer to a key, None if it is new, of the rows that were found by its ids.

    Raise ``KeyReused`` if its request was another one, ``WeakKey`` if a secret is needed to have the answer, and
    ``AnswerUnreadable`` if somebody has changed the answer.
    """
    if not rows:
        return None
    ids = ids_of(key)
    if ids[0] in rows:
        body, sealed = _verified(key, *rows[ids[0]])
    else:
        body, sealed = rows[ids[1]]
    if body != key.body:
        raise KeyReused
    answer = _open(key, sealed)
    if answer.status == CREATED and not key.is_credential:
        raise WeakKey
    return answer


def delete_oldest(database: Database, before: float, limit: int) -> bool:
    """Delete the oldest answers, so many at most and none that was stored later; return if there were any."""
    if not database.select((_ANY_BEFORE, (int(before),))):
        return False
    database.append((), [(_DELETE_BEFORE, (int(before), limit))])
    return True


def _verified(key: IdempotencyKey, body: object, stored: object) -> tuple[bytes, bytes]:
    """Return the hash of a request and its sealed answer, or raise ``AnswerUnreadable`` if either was changed."""
    if isinstance(body, bytes) and isinstance(stored, bytes):
        digest, sealed = stored[:DIGEST_LENGTH], stored[DIGEST_LENGTH:]
        if hmac.compare_digest(digest, _digest(key, body, sealed)):
            return body, sealed
    raise AnswerUnreadable


def _open(key: IdempotencyKey, sealed: bytes) -> Answer:
    """Decrypt an answer; one of the first release may turn out to be none."""
    try:
        return _decode(_encrypt(key, sealed[:SALT_LENGTH], sealed[SALT_LENGTH:]))
    except (TypeError, msgspec.DecodeError) as error:
        raise AnswerUnreadable from error


def _hash(label: str, key: IdempotencyKey) -> bytes:
    return sha256(msgspec.json.encode((label, key.caller, key.key))).digest()


def _digest(key: IdempotencyKey, body: bytes, sealed: bytes) -> bytes:
    """Return the digest of a request and its sealed answer that only the key makes."""
    return hmac.digest(_hash("digest", key), b"%b%b" % (sha256(body).digest(), sealed), "sha256")


def _encrypt(key: IdempotencyKey, salt: bytes, text: bytes) -> bytes:
    """Encrypt or decrypt a text with a stream of bytes that only the key and the salt make."""
    stream = shake_256(salt + msgspec.json.encode(("seal", key.caller, key.key))).digest(len(text))
    return (int.from_bytes(text) ^ int.from_bytes(stream)).to_bytes(len(text))


BY_ID = Keyed("answers", "id", "body, sealed")
"""The answers by their ids."""

_INSERT = "INSERT INTO answers (id, body, sealed, stored_at) VALUES (?, ?, ?, ?)"
_ANY_BEFORE = "SELECT 1 FROM answers WHERE stored_at < ? LIMIT 1"
_DELETE_BEFORE = (
    "DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE stored_at < ? ORDER BY stored_at LIMIT ?)"
)
