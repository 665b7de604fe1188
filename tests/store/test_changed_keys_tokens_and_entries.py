"""Keys, tokens and entries of the lobby that somebody changed in the database, seen from the store."""

import logging
from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.modules import GameOptions
from domain.store import (
    Commit,
    IdempotencyKey,
    KeyReused,
    TokenHolder,
    WeakKey,
    commands,
)
from domain.store.database import Database
from domain.store.tokens import HOST
from domain.stream import UnreadableEvent
from tests.store.clients import Client, connected, opened_database, stored

KEY = IdempotencyKey("", "0f8fad5b-d9cb-469f-a165-70867728950e", sha256(b"body").digest())
OTHER = replace(KEY, key="another-key-of-22-characters-or-more")
NOWHERE = UUID("00000000-0000-4000-8000-000000000000")


@pytest.fixture
def database(shared_url: str) -> Iterator[Database]:
    with opened_database(shared_url) as database:
        yield database


def run(database: Database, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with database.transaction() as transaction:
        return [tuple(row) for row in transaction.run((sql, values))]


# --- keys --------------------------------------------------------------------------------------------------------


def asked(client: Client, key: IdempotencyKey = KEY) -> Commit:
    return client.wait(client.service.open_table(2, ["Ann"], GameOptions(), key=key))


@pytest.mark.parametrize(("column", "error"), [("body_hash", KeyReused), ("check", WeakKey), ("salt", KeyReused)])
def test_a_changed_hash_of_a_key_returns_no_tokens_and_nothing_is_done_twice(
    shared_url: str, database: Database, column: str, error: type[Exception]
) -> None:
    with connected(shared_url) as client:
        first = asked(client)
        (((value,),)) = run(database, f'SELECT "{column}" FROM keys')
        spoilt = [bytes([*value[:place], value[place] ^ 1, *value[place + 1 :]]) for place in range(len(value))]
        for changed in (*spoilt, value[:-1], value + b"x"):
            run(database, f'UPDATE keys SET "{column}" = ?', changed)
            with pytest.raises(error):
                asked(client)
        run(database, f'UPDATE keys SET "{column}" = ?', value)
        assert stored(asked(client)) == stored(first)
        assert len(client.wait(client.service.game_ids())) == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("game", game) for game in (b"x", NOWHERE.bytes)),
        *(("first", version) for version in (0, 3)),
        *(("last", version) for version in (0, 99)),
        ("salt", b""),
        *((column, value) for column in ("game", "first", "last", "salt", "check") for value in ("x", 1.5)),
    ],
)
def test_a_key_whose_row_was_changed_gives_nothing_and_its_request_is_not_done_again(
    shared_url: str, database: Database, column: str, value: object
) -> None:
    with connected(shared_url) as client:
        first = asked(client)
        if isinstance(value, str | float) and "sqlite" not in shared_url:
            return  # PostgreSQL keeps the types of columns
        run(database, f'UPDATE keys SET "{column}" = ?', value)
        with pytest.raises(KeyReused):
            asked(client)
        assert client.wait(client.service.game_ids()) == [first.id]
        assert client.load(first.id).version == first.version


def test_the_row_of_another_key_gives_its_tokens_to_nobody(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        asked(client)
        columns = 'body_hash, game, first, last, "check", salt'
        ((*row,),) = run(database, f"SELECT {columns} FROM keys")
        asked(client, OTHER)
        places = ", ".join(f"{column} = ?" for column in columns.split(", "))
        run(database, f"UPDATE keys SET {places}", *row)
        with pytest.raises(KeyReused):
            asked(client, OTHER)
        game, first, last, _, salt = row[1:]
        run(database, "UPDATE keys SET body_hash = ?", OTHER.body_hash(bytes(game), first, last, bytes(salt)))
        with pytest.raises(WeakKey):
            asked(client, OTHER)
        assert len(client.wait(client.service.game_ids())) == 2


# --- tokens ------------------------------------------------------------------------------------------------------


def opens(client: Client, token: str) -> TokenHolder | None:
    """The place that a token opens, the same for a lookup."""
    holder = client.wait(client.service.find_token(token))
    (place,) = client.wait(client.service.find_games([token]))
    assert (place.holder if place else None) == holder
    return holder


@pytest.mark.parametrize("seat", [2, 4, 5, 77, -9])
def test_a_token_of_a_seat_that_the_table_has_not_opens_nothing(shared_url: str, database: Database, seat: int) -> None:
    with connected(shared_url) as client:
        game = client.started(players=2)
    run(database, "UPDATE tokens SET seat = ? WHERE seat = 1", seat)
    with connected(shared_url) as client:
        assert opens(client, game.tokens[1]) is None
        assert opens(client, game.tokens[0]) == TokenHolder(game.id, 0)


@pytest.mark.parametrize("text", [NOWHERE.hex, str(NOWHERE), "", "no id", "\u00fc" * 32])
def test_a_token_of_no_game_opens_nothing(shared_url: str, database: Database, text: str) -> None:
    with connected(shared_url) as client:
        game = client.started()
    run(database, "UPDATE tokens SET game = ?", text)
    with connected(shared_url) as client:
        assert [opens(client, token) for token in game.tokens.values()] == [None] * 3


@pytest.mark.parametrize("value", ["'x'", "x'ff'", "NULLIF('', '') || 0", "0.5", "CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize("column", ["seat", "game"])
def test_a_token_with_values_of_another_type_opens_nothing(tmp_path: Any, column: str, value: str) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    with connected(url) as client:
        game = client.started()
    with opened_database(url) as database:
        run(database, f"UPDATE tokens SET {column} = COALESCE({value}, 'x') WHERE seat = 0")
    with connected(url) as client:
        assert opens(client, game.tokens[0]) is None
        assert opens(client, game.tokens[HOST]) == TokenHolder(game.id, None, "host")


def test_a_seat_that_another_process_has_just_given_out_is_known(shared_url: str) -> None:
    with connected(shared_url) as here, connected(shared_url) as there:
        opened = here.open_table(3, ["Ann"], GameOptions())
        joined = there.change(opened.id, commands.take_seat("Bob"))
        assert opens(here, joined.tokens[1]) == TokenHolder(opened.id, 1)


# --- entries of the lobby ----------------------------------------------------------------------------------------


def test_a_private_game_never_appears(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        private, public = client.started(GameOptions(private=True)), client.started()
        for _ in range(2):
            assert [line.id for line in client.listing().items] == [public.id]
            assert [line.id for line in client.listing(visible=private.id).items] == [public.id, private.id]
            client.wait(client.service.rebuild_lobby())


def test_a_private_game_whose_first_event_was_changed_is_shown_to_nobody(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        game = client.started(GameOptions(private=True))
        (((text,),)) = run(database, "SELECT state FROM stored_events WHERE originator_version = 1")
        public = bytes(text).replace(b'"private":true', b'"public":false')
        assert public != bytes(text)
        run(database, "UPDATE stored_events SET state = ? WHERE originator_version = 1", public)
        client.wait(client.service.rebuild_lobby())
        assert client.listing().items == ()
    with connected(shared_url) as client:
        assert client.wait(client.service.opened_private(game.id))
        with pytest.raises(UnreadableEvent, match="event 1 cannot be read: its digest shows that it was changed"):
            client.load(game.id)
        assert not client.audit(game.id).ok


@pytest.mark.parametrize("line", [b'{"game"', b"", b"\xff", b"{}"])
def test_an_unreadable_entry_is_left_out_and_logged_once_until_the_list_is_rebuilt(
    shared_url: str, database: Database, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(shared_url) as client:
        spoilt, sound = client.open_table(3, ["Ann"], GameOptions()), client.started()
        before = client.listing()
        run(database, "UPDATE lobby SET line = ? WHERE game = ?", line, spoilt.id.hex)
        with caplog.at_level(logging.WARNING):
            for _ in range(2):
                assert client.listing().items == before.items[:1]
            assert client.wait(client.service.find_games([spoilt.tokens[HOST], "x"])) == [None, None]
        (told,) = [record.getMessage() for record in caplog.records]
        assert "rebuild-list" in told
        assert spoilt.id.hex in told
        client.change(spoilt.id, commands.take_seat("Bob"))
        assert [line.id for line in client.listing().items] == [sound.id]
        client.wait(client.service.rebuild_lobby())
        assert [line.id for line in client.listing().items] == [sound.id, spoilt.id]


@pytest.mark.parametrize(
    ("column", "value"),
    [("progress", b"x"), ("progress", b"[1]"), ("version", 3), ("digest", b"x" * 32), ("progress", None)],
)
def test_a_changed_head_gives_no_wrong_turn(shared_url: str, database: Database, column: str, value: object) -> None:
    with connected(shared_url) as client:
        game = client.started()
        client.play(game.id, 3)
        before = client.listing()
        run(database, f"UPDATE heads SET {column} = ?", value)
        for _ in range(2):
            assert client.listing() == before


def test_a_game_without_a_head_stays_in_the_list(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        game = client.started()
        before = client.listing()
        run(database, "DELETE FROM heads")
        assert client.listing() == before
        assert opens(client, game.tokens[0]) == TokenHolder(game.id, 0)
