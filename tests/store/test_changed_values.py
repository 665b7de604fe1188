"""Keys, tokens and entries of the lobby that somebody changed in the database, seen from the store."""

import logging
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.modules import GameOptions
from domain.store import KeyReused, TokenHolder, WeakKey, commands
from domain.store.tokens import HOST
from domain.stream import UnreadableEvent
from tests.store.clients import Client, Run, behind, connected, key, stored

KEY = key()
OTHER = replace(KEY, key="another-key-of-22-characters-or-more")
NOWHERE = UUID("00000000-0000-4000-8000-000000000000")


# --- keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("column", "error"), [("body_hash", KeyReused), ("check", WeakKey), ("salt", KeyReused)])
def test_a_changed_hash_of_a_key_returns_no_tokens_and_nothing_is_done_twice(
    client: Client, run: Run, column: str, error: type[Exception]
) -> None:
    first = client.open_table(key=KEY)
    ((value,),) = run(f'SELECT "{column}" FROM keys')
    spoilt = [bytes([*value[:place], value[place] ^ 1, *value[place + 1 :]]) for place in range(len(value))]
    for changed in (*spoilt, value[:-1], value + b"x"):
        run(f'UPDATE keys SET "{column}" = ?', changed)
        with pytest.raises(error):
            client.open_table(key=KEY)
    run(f'UPDATE keys SET "{column}" = ?', value)
    assert stored(client.open_table(key=KEY)) == stored(first)
    assert len(client.game_ids()) == 1


def test_a_key_whose_row_was_changed_gives_nothing_and_its_request_is_not_done_again(
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


def test_the_row_of_another_key_gives_its_tokens_to_nobody(client: Client, run: Run) -> None:
    client.open_table(key=KEY)
    columns = 'body_hash, game, first, last, "check", salt'
    (row,) = run(f"SELECT {columns} FROM keys")
    client.open_table(key=OTHER)
    places = ", ".join(f"{column} = ?" for column in columns.split(", "))
    run(f"UPDATE keys SET {places}", *row)
    with pytest.raises(KeyReused):
        client.open_table(key=OTHER)
    game, first, last, _, salt = row[1:]
    run("UPDATE keys SET body_hash = ?", OTHER.body_hash(bytes(game), first, last, bytes(salt)))
    with pytest.raises(WeakKey):
        client.open_table(key=OTHER)
    assert len(client.game_ids()) == 2


# --- tokens ------------------------------------------------------------------------------------------------------


def opens(client: Client, token: str) -> TokenHolder | None:
    """The place that a token opens, the same for a lookup."""
    holder = client.find_token(token)
    (place,) = client.wait(client.service.find_games([token]))
    assert (place.holder if place else None) == holder
    return holder


def test_a_token_of_a_seat_that_the_table_has_not_opens_nothing(client: Client, run: Run) -> None:
    game = client.started(players=2)
    before = 1
    for seat in (2, 4, 5, 77, -9):
        run("UPDATE tokens SET seat = ? WHERE seat = ?", seat, before)
        before = seat
        assert opens(client, game.tokens[1]) is None, seat
        assert opens(client, game.tokens[0]) == TokenHolder(game.id, 0)


def test_a_token_of_no_game_opens_nothing(client: Client, run: Run) -> None:
    game = client.started()
    for text in (NOWHERE.hex, str(NOWHERE), "", "no id", "\u00fc" * 32):
        run("UPDATE tokens SET game = ?", text)
        assert [opens(client, token) for token in game.tokens.values()] == [None] * 3, text


def test_a_token_with_values_of_another_type_opens_nothing(sqlite_url: str) -> None:
    with connected(sqlite_url) as client, behind(sqlite_url) as run:
        for column in ("seat", "game"):
            for value in ("'x'", "x'ff'", "NULLIF('', '') || 0", "0.5", "CAST(x'ff' AS TEXT)"):
                game = client.started()
                run(f"UPDATE tokens SET {column} = COALESCE({value}, 'x') WHERE seat = 0 AND game = ?", game.id.hex)
                assert opens(client, game.tokens[0]) is None, (column, value)
                assert opens(client, game.tokens[HOST]) == TokenHolder(game.id, None, "host")


def test_a_seat_that_another_process_has_just_given_out_is_known(client: Client, other: Client) -> None:
    opened = client.open_table(3)
    joined = other.change(opened.id, commands.take_seat("Bob"))
    assert opens(client, joined.tokens[1]) == TokenHolder(opened.id, 1)


# --- entries of the lobby ----------------------------------------------------------------------------------------


def test_a_private_game_never_appears(client: Client) -> None:
    private, public = client.started(GameOptions(private=True)), client.started()
    for _ in range(2):
        assert [line.id for line in client.listing().items] == [public.id]
        assert [line.id for line in client.listing(visible=private.id).items] == [public.id, private.id]
        client.wait(client.service.rebuild_lobby())


def test_a_private_game_whose_first_event_was_changed_is_shown_to_nobody(
    client: Client, other: Client, run: Run
) -> None:
    game = client.started(GameOptions(private=True))
    ((text,),) = run("SELECT state FROM stored_events WHERE originator_version = 1")
    public = bytes(text).replace(b'"private":true', b'"public":false')
    assert public != bytes(text)
    run("UPDATE stored_events SET state = ? WHERE originator_version = 1", public)
    client.wait(client.service.rebuild_lobby())
    assert client.listing().items == ()
    assert other.wait(other.service.opened_private(game.id))
    with pytest.raises(UnreadableEvent, match="event 1 cannot be read: its digest shows that it was changed"):
        other.load(game.id)
    assert not other.audit(game.id).ok


@pytest.mark.parametrize("line", [b'{"game"', b"", b"\xff", b"{}"])
def test_an_unreadable_entry_is_left_out_and_logged_once_until_the_list_is_rebuilt(
    client: Client, run: Run, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    spoilt, sound = client.open_table(3), client.started()
    before = client.listing()
    run("UPDATE lobby SET line = ? WHERE game = ?", line, spoilt.id.hex)
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


def test_a_changed_head_gives_no_wrong_turn(client: Client, run: Run) -> None:
    game = client.started()
    client.play(game.id, 3)
    listed, changes = client.listing(), {"progress": (b"x", b"[1]", None), "version": (3,), "digest": (b"x" * 32,)}
    for column, values in changes.items():
        ((before,),) = run(f"SELECT {column} FROM heads")
        for value in values:
            run(f"UPDATE heads SET {column} = ?", value)
            for _ in range(2):
                assert client.listing() == listed, (column, value)
            run(f"UPDATE heads SET {column} = ?", before)


def test_a_game_without_a_head_stays_in_the_list(client: Client, run: Run) -> None:
    game = client.started()
    before = client.listing()
    run("DELETE FROM heads")
    assert client.listing() == before
    assert opens(client, game.tokens[0]) == TokenHolder(game.id, 0)
