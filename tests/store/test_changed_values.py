"""Keys, tokens and lobby entries changed in the database, as the store reads them."""

import logging
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.modules import GameOptions
from domain.store import KeyReused, TokenHolder, WeakKey, commands
from domain.store.tokens import HOST
from domain.stream import UnreadableEvent
from tests.store.clients import Client, Run, connected, database_statements, key, stored

KEY = key()
OTHER = replace(KEY, key="another-key-of-22-characters-or-more")
NOWHERE = UUID("00000000-0000-4000-8000-000000000000")


# --- keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("column", "error"), [("body_hash", KeyReused), ("check", WeakKey), ("salt", KeyReused)])
def test_a_key_with_a_changed_hash_returns_no_tokens_and_repeats_nothing(
    client: Client, run: Run, column: str, error: type[Exception]
) -> None:
    first = client.open_table(key=KEY)
    ((value,),) = run(f'SELECT "{column}" FROM keys')
    spoilt = [bytes([*value[:index], value[index] ^ 1, *value[index + 1 :]]) for index in range(len(value))]
    for changed in (*spoilt, value[:-1], value + b"x"):
        run(f'UPDATE keys SET "{column}" = ?', changed)
        with pytest.raises(error):
            client.open_table(key=KEY)
    run(f'UPDATE keys SET "{column}" = ?', value)
    assert stored(client.open_table(key=KEY)) == stored(first)
    assert len(client.game_ids()) == 1


def test_a_key_with_a_changed_row_returns_nothing_and_repeats_nothing(
    database_url: str, client: Client, run: Run
) -> None:
    first = client.open_table(key=KEY)
    changes: list[tuple[str, object]] = [
        *(("game", game) for game in (b"x", NOWHERE.bytes)),
        *(("first", version) for version in (0, 3)),
        *(("last", version) for version in (0, 99)),
        ("salt", b""),
    ]
    if database_url.startswith("sqlite"):  # PostgreSQL keeps the types of columns
        changes += [(name, value) for name in ("game", "first", "last", "salt", "check") for value in ("x", 1.5)]
    for column, value in changes:
        ((before,),) = run(f'SELECT "{column}" FROM keys')
        run(f'UPDATE keys SET "{column}" = ?', value)
        with pytest.raises(KeyReused):
            client.open_table(key=KEY)
        run(f'UPDATE keys SET "{column}" = ?', before)
    assert client.game_ids() == [first.id]
    assert client.load(first.id).version == first.version
    assert stored(client.open_table(key=KEY)) == stored(first)


def test_a_key_with_the_row_of_another_key_returns_no_tokens(client: Client, run: Run) -> None:
    client.open_table(key=KEY)
    columns = 'body_hash, game, first, last, "check", salt'
    (row,) = run(f"SELECT {columns} FROM keys")
    client.open_table(key=OTHER)
    assignments = ", ".join(f"{column} = ?" for column in columns.split(", "))
    run(f"UPDATE keys SET {assignments}", *row)
    with pytest.raises(KeyReused):
        client.open_table(key=OTHER)
    game, first, last, _, salt = row[1:]
    run("UPDATE keys SET body_hash = ?", OTHER.body_hash(bytes(game), first, last, bytes(salt)))
    with pytest.raises(WeakKey):
        client.open_table(key=OTHER)
    assert len(client.game_ids()) == 2


# --- tokens ------------------------------------------------------------------------------------------------------


def holder_of(client: Client, token: str) -> TokenHolder | None:
    """The holder of a token, the same by a lookup."""
    holder = client.find_token(token)
    (found,) = client.wait(client.service.find_games([token]))
    assert (found.holder if found else None) == holder
    return holder


def test_a_token_of_a_missing_seat_is_unknown(client: Client, run: Run) -> None:
    game = client.started(players=2)
    before = 1
    for seat in (2, 4, 5, 77, -9):
        run("UPDATE tokens SET seat = ? WHERE seat = ?", seat, before)
        before = seat
        assert holder_of(client, game.tokens[1]) is None, seat
        assert holder_of(client, game.tokens[0]) == TokenHolder(game.id, 0)


def test_a_token_without_a_game_is_unknown(client: Client, run: Run) -> None:
    game = client.started()
    for text in (NOWHERE.hex, str(NOWHERE), "", "no id", "\u00fc" * 32):
        run("UPDATE tokens SET game = ?", text)
        assert [holder_of(client, token) for token in game.tokens.values()] == [None] * 3, text


def test_a_token_with_values_of_another_type_is_unknown(sqlite_url: str) -> None:
    with connected(sqlite_url) as client, database_statements(sqlite_url) as run:
        for column in ("seat", "game"):
            for value in ("'x'", "x'ff'", "NULLIF('', '') || 0", "0.5", "CAST(x'ff' AS TEXT)"):
                game = client.started()
                run(f"UPDATE tokens SET {column} = COALESCE({value}, 'x') WHERE seat = 0 AND game = ?", game.id.hex)
                assert holder_of(client, game.tokens[0]) is None, (column, value)
                assert holder_of(client, game.tokens[HOST]) == TokenHolder(game.id, None, "host")


def test_a_token_that_another_process_has_just_issued_is_known(client: Client, other: Client) -> None:
    opened = client.open_table(3)
    joined = other.change(opened.id, commands.take_seat("Bob"))
    assert holder_of(client, joined.tokens[1]) == TokenHolder(opened.id, 1)


# --- entries of the lobby ----------------------------------------------------------------------------------------


def test_a_private_game_never_appears(client: Client) -> None:
    private, public = client.started(GameOptions(private=True)), client.started()
    for _ in range(2):
        assert [entry.id for entry in client.lobby().items] == [public.id]
        assert [entry.id for entry in client.lobby(visible=private.id).items] == [public.id, private.id]
        client.wait(client.service.rebuild_lobby())


def test_a_private_game_with_a_changed_first_event_stays_private(client: Client, other: Client, run: Run) -> None:
    game = client.started(GameOptions(private=True))
    ((text,),) = run("SELECT state FROM stored_events WHERE originator_version = 1")
    public = bytes(text).replace(b'"private":true', b'"public":false')
    assert public != bytes(text)
    run("UPDATE stored_events SET state = ? WHERE originator_version = 1", public)
    client.wait(client.service.rebuild_lobby())
    assert client.lobby().items == ()
    assert other.wait(other.service.opened_private(game.id))
    with pytest.raises(UnreadableEvent, match="event 1 cannot be read: its digest shows that it was changed"):
        other.load(game.id)
    assert not other.audit(game.id).ok


@pytest.mark.parametrize("line", [b'{"game"', b"", b"\xff", b"{}"])
def test_an_unreadable_entry_is_omitted_and_logged_once_until_the_lobby_is_rebuilt(
    client: Client, run: Run, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    spoilt, sound = client.open_table(3), client.started()
    before = client.lobby()
    run("UPDATE lobby SET line = ? WHERE game = ?", line, spoilt.id.hex)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert client.lobby().items == before.items[:1]
        assert client.wait(client.service.find_games([spoilt.tokens[HOST], "x"])) == [None, None]
    (logged,) = [record.getMessage() for record in caplog.records]
    assert "rebuild-list" in logged
    assert spoilt.id.hex in logged
    client.change(spoilt.id, commands.take_seat("Bob"))
    assert [entry.id for entry in client.lobby().items] == [sound.id]
    client.wait(client.service.rebuild_lobby())
    assert [entry.id for entry in client.lobby().items] == [sound.id, spoilt.id]


def test_a_changed_head_shows_no_wrong_turn(client: Client, run: Run) -> None:
    game = client.started()
    client.play(game.id, 3)
    shown, changes = client.lobby(), {"progress": (b"x", b"[1]", None), "version": (3,), "digest": (b"x" * 32,)}
    for column, values in changes.items():
        ((before,),) = run(f"SELECT {column} FROM heads")
        for value in values:
            run(f"UPDATE heads SET {column} = ?", value)
            for _ in range(2):
                assert client.lobby() == shown, (column, value)
            run(f"UPDATE heads SET {column} = ?", before)


def test_a_game_without_a_head_stays_in_the_lobby(client: Client, run: Run) -> None:
    game = client.started()
    before = client.lobby()
    run("DELETE FROM heads")
    assert client.lobby() == before
    assert holder_of(client, game.tokens[0]) == TokenHolder(game.id, 0)
