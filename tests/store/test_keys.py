"""Rows of keys: their size on disk, and the tokens that are derived with them."""

from typing import Any
from uuid import uuid4

import pytest

from domain.actions import Resign
from domain.store import IdempotencyKey, WeakKey, commands
from domain.store.commit import commit_of_decision
from domain.store.database import Database, LiveDatabase, Statement
from domain.store.keys import ROW_BYTES, SALT_LENGTH, derive_tokens, new_salt
from domain.store.tokens import HOST, digest_of
from tests.store.clients import Client, Run, connected, key

ROWS = 3000
LONG = key().key


# --- the disk --------------------------------------------------------------------------------------------------------

SQLITE_BYTES = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
POSTGRES_BYTES = "SELECT pg_table_size('keys') + pg_indexes_size('keys')"


def bytes_a_row(database: Database, statements: list[Statement], count: str) -> float:
    """Store rows of keys, and return the bytes that each adds to the disk."""
    ((before,),) = database.select((count, ()))
    for start in range(0, len(statements), 50):
        database.append((), statements[start : start + 50])
    ((after,),) = database.select((count, ()))
    return float(after - before) / len(statements)


def rows_of(client: Client, command: commands.Command) -> list[Statement]:
    """The statements with which a change stores its key."""
    loaded = client.started().loaded
    asked = [IdempotencyKey("", f"{uuid4()}", uuid4().bytes) for _ in range(ROWS)]
    commits = [commit_of_decision(loaded, command(loaded, ()), each) for each in asked]
    return [statement for commit in commits for statement in commit.statements if "INTO keys" in statement[0]]


def test_a_key_takes_the_counted_bytes_and_fewer_without_tokens(database_url: str, database: LiveDatabase) -> None:
    count = SQLITE_BYTES if database_url.startswith("sqlite") else POSTGRES_BYTES
    with connected(database_url) as client:
        with_tokens = bytes_a_row(database, rows_of(client, commands.renew_token(1)), count)
        without = bytes_a_row(database, rows_of(client, commands.act(0, Resign())), count)
        assert 0.7 * ROW_BYTES < with_tokens < 1.35 * ROW_BYTES
        assert without < with_tokens - SALT_LENGTH


def test_only_a_change_with_tokens_stores_a_salt_and_a_check(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = client.started()
        client.change(game.id, commands.renew_token(1), key=key("a" * 22))
        client.play(game.id, 1)
        client.change(game.id, commands.undo(None), key=key("b" * 22))
    rows = run('SELECT length(salt), length("check"), length(id), length(body_hash) FROM keys ORDER BY first')
    assert rows == [(16, 8, 16, 16), (0, 0, 16, 16)]


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_tokens_without_a_key_are_random(memory: Client) -> None:
    game = memory.started()
    commits = [memory.change(game.id, commands.renew_token(1)) for _ in range(5)]
    assert len({*(commit.tokens[1] for commit in commits), *game.tokens.values()}) == 5 + len(game.tokens)


def test_each_game_key_holder_and_use_has_different_tokens() -> None:
    """The salt is always new: a key that is used again after 30 days gives other tokens."""
    game, salt = uuid4(), new_salt()
    tokens = [
        *derive_tokens(key(), salt, game, (HOST, 0, 1, 2)).values(),
        *derive_tokens(key(), salt, uuid4(), (0,)).values(),
        *derive_tokens(key(LONG + "x"), salt, game, (0,)).values(),
        *derive_tokens(key(), new_salt(), game, (0,)).values(),
        *derive_tokens(key("short", token=LONG), salt, game, (0,)).values(),
        *derive_tokens(key("short", token=LONG + "x"), salt, game, (0,)).values(),
        *derive_tokens(key("shor", token=LONG), salt, game, (0,)).values(),
    ]
    assert len(set(tokens)) == len(tokens) == 10
    assert {len(token) for token in tokens} == {43}
    assert derive_tokens(key(), salt, game, (HOST, 0, 1, 2)) == dict(zip((HOST, 0, 1, 2), tokens, strict=False))


def test_two_games_opened_with_two_keys_have_no_token_in_common(memory: Client) -> None:
    one, other = (memory.open_table(key=key(text * 22)) for text in "ab")
    assert set(one.tokens) == set(other.tokens)
    assert not {*one.tokens.values()} & {*other.tokens.values()}


def texts_of(value: Any) -> list[str]:
    """A stored value in the forms in which an attacker might try it as a token."""
    if isinstance(value, bytes | memoryview):
        return [bytes(value).hex(), bytes(value).decode("latin-1")]
    return [str(value)]


def test_the_database_and_a_short_key_do_not_reveal_a_token(database_url: str, run: Run) -> None:
    """An attacker with the database and the key still needs the caller's token; only its hash is stored."""
    with connected(database_url) as client:
        game = client.started()
        host, weak = game.tokens[HOST], "key 1"
        token = client.change(game.id, commands.renew_token(1), key=key(weak, token=host)).tokens[1]
    ((salt,),) = run("SELECT salt FROM keys")
    tried = ["", weak]
    for table in ("keys", "tokens", "heads"):
        tried += [text for row in run(f"SELECT * FROM {table}") for value in row for text in texts_of(value)]
    assert digest_of(token) in [bytes(digest) for (digest,) in run("SELECT digest FROM tokens")]

    def derived(secret: IdempotencyKey) -> str:
        return derive_tokens(secret, bytes(salt), game.id, (1,))[1]

    assert derived(key(weak, token=host)) == token
    assert len(tried) > 20
    for text in tried:
        assert derived(key(weak, token=text)) != token
        assert derived(key(weak + text + "." * 22)) != token
    with pytest.raises(WeakKey):
        derived(key(weak))
    with connected(database_url) as client:
        for text in tried:
            with pytest.raises(WeakKey):
                client.repeated(key(weak, token=text))
