"""Idempotency keys: a request that is sent again gets the first answer again.

The answer is stored with what was appended, in the same transaction. Since it may hold tokens, it is sealed with the
key itself, of which only a hash is stored: the database alone gives nothing away.
"""

import secrets
from hashlib import sha256, shake_256

import msgspec

from domain.application.database import Statement
from domain.application.errors import KeyReused


class Key(msgspec.Struct, frozen=True):
    """An idempotency key of a caller, with the SHA-256 of the request it came with."""

    caller: str
    key: str
    body: bytes


def keep(key: Key, answer: bytes) -> Statement:
    """Store the first answer that a key got."""
    salt = secrets.token_bytes(16)
    sealed = salt + _seal(key, salt, answer)
    return "INSERT INTO answers (id, body, sealed) VALUES (?, ?, ?)", (_id(key), key.body, sealed)


def find(key: Key) -> Statement:
    """Look up what a key got."""
    return "SELECT body, sealed FROM answers WHERE id = ?", (_id(key),)


def first_answer(key: Key, body: bytes, sealed: bytes) -> bytes:
    """The first answer to a key; raises ``KeyReused`` if the key came with another request then."""
    if body != key.body:
        raise KeyReused
    return _seal(key, sealed[:16], sealed[16:])


def _id(key: Key) -> bytes:
    return sha256(msgspec.json.encode(("id", key.caller, key.key))).digest()


def _seal(key: Key, salt: bytes, text: bytes) -> bytes:
    """Cover or uncover a text with a stream of bytes that only the key and the salt make."""
    stream = shake_256(salt + msgspec.json.encode(("seal", key.caller, key.key))).digest(len(text))
    return (int.from_bytes(text) ^ int.from_bytes(stream)).to_bytes(len(text))
