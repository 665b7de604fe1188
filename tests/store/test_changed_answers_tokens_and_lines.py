"""Answers, tokens and lines of the list that somebody changed in the database, seen from the store."""

import logging
from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain.modules import GameOptions
from domain.store import Answer, AnswerUnreadable, IdempotencyKey, KeyReused, TokenHolder, commands, idempotency
from domain.store.database import Database
from domain.store.tokens import HOST
from domain.stream import UnreadableEvent
from tests.store.clients import QUICK, Client, connected, opened_database, rendered

KEY = IdempotencyKey("", "0f8fad5b-d9cb-469f-a165-70867728950e", sha256(b"body").digest())
OTHER = msgspec.structs.replace(KEY, key="another-key-of-22-characters-or-more")
NOWHERE = UUID("00000000-0000-4000-8000-000000000000")


@pytest.fixture
def database(shared_url: str) -> Iterator[Database]:
    with opened_database(shared_url) as database:
        yield database


def run(database: Database, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with database.transaction() as transaction:
        return [tuple(row) for row in transaction.run((sql, values))]


# --- answers -----------------------------------------------------------------------------------------------------


def asked(client: Client, key: IdempotencyKey = KEY) -> Answer:
    return client.wait(client.service.open_table(2, ["Ann"], GameOptions(), rendered, key=key))


@pytest.mark.parametrize("column", ["sealed", "body"])
def test_a_changed_answer_is_not_given_and_nothing_is_done_twice(
    shared_url: str, database: Database, column: str
) -> None:
    with connected(shared_url) as client:
        first = asked(client)
        (((stored,),)) = run(database, f"SELECT {column} FROM answers")
        for place in range(len(stored)):
            changed = bytes([*stored[:place], stored[place] ^ 1, *stored[place + 1 :]])
            run(database, f"UPDATE answers SET {column} = ?", changed)
            with pytest.raises(AnswerUnreadable):
                asked(client)
        for text in (b"", stored[:-1], stored + b"x"):
            run(database, f"UPDATE answers SET {column} = ?", text)
            with pytest.raises(AnswerUnreadable):
                asked(client)
        run(database, f"UPDATE answers SET {column} = ?", stored)
        assert asked(client) == first
        assert len(client.wait(client.service.game_ids())) == 1


def test_the_answer_of_another_key_is_not_given(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        asked(client)
        (((sealed,),)) = run(database, "SELECT sealed FROM answers")
        asked(client, OTHER)
        run(database, "UPDATE answers SET sealed = ?", sealed)
        with pytest.raises(AnswerUnreadable):
            asked(client, OTHER)
        assert asked(client).body == b"done"


def first_release_row(key: IdempotencyKey, answer: Answer) -> tuple[bytes, bytes, bytes]:
    """A row as the first release stored it: no digest, and another hash as its id."""
    _, (_, body, stored, _) = idempotency.insert(key, answer)
    id_ = sha256(msgspec.json.encode(("id", key.caller, key.key))).digest()
    return id_, body, stored[idempotency.DIGEST_LENGTH :]


def test_an_answer_of_the_first_release_that_was_changed_is_no_fault(shared_url: str, database: Database) -> None:
    answer = Answer(200, 7, "", b"done")
    id_, body, sealed = first_release_row(KEY, answer)
    run(database, "INSERT INTO answers (id, body, sealed) VALUES (?, ?, ?)", id_, body, sealed)
    with connected(shared_url) as client:
        assert asked(client) == answer
        with pytest.raises(KeyReused):
            asked(client, msgspec.structs.replace(KEY, body=b"another"))
        for changed in (b"", sealed[:15], sealed[:-1], bytes(len(sealed))):
            run(database, "UPDATE answers SET sealed = ?", changed)
            with pytest.raises(AnswerUnreadable):
                asked(client)


def test_a_new_answer_without_its_digest_is_not_taken_for_an_old_one(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        asked(client)
        (((stored,),)) = run(database, "SELECT sealed FROM answers")
        run(database, "UPDATE answers SET sealed = ?", stored[idempotency.DIGEST_LENGTH :])
        with pytest.raises(AnswerUnreadable):
            asked(client)


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


# --- lines of the list -------------------------------------------------------------------------------------------

CHANGES = {
    "other text": ("line", b'{"game"'),
    "no text": ("line", b""),
    "another status": ("status", "finished"),
    "a status that there is not": ("status", "won"),
    "another place": ("number", 10**6),
    "no digest, as in the first release": ("digest", None),
    "another digest": ("digest", b"x" * 32),
}


@pytest.mark.parametrize(("column", "value"), CHANGES.values(), ids=CHANGES)
def test_a_changed_line_is_made_anew_and_told_once(
    shared_url: str, database: Database, column: str, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(shared_url) as client:
        game, _ = client.started(QUICK, 3), client.open_table(2, ["Ann"], GameOptions())
        before = client.listing()
        run(database, f"UPDATE lobby SET {column} = ? WHERE game = ?", value, game.id.hex)
        with caplog.at_level(logging.WARNING):
            for _ in range(2):
                assert client.listing() == before
                assert client.listing(player="Cleo").items == before.items[1:]
                assert client.listing(statuses=["playing"]).items == before.items[1:]
    told = [record.getMessage() for record in caplog.records]
    assert [("rebuild-list" in text, game.id.hex in text) for text in told] == [(True, True)] * (
        column != "digest" or value is not None
    )


def test_the_line_of_another_game_is_not_shown_in_its_place(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        first, second = client.started(), client.open_table(2, ["Cleo"], GameOptions())
        before = client.listing()
        copied = "line = (SELECT line FROM lobby WHERE game = ?), digest = (SELECT digest FROM lobby WHERE game = ?)"
        run(database, f"UPDATE lobby SET {copied} WHERE game = ?", *[first.id.hex] * 2, second.id.hex)
        assert client.listing() == before
        (place,) = client.wait(client.service.find_games([second.tokens[HOST]]))
        assert place is not None
        assert place.game.id == second.id.hex


@pytest.mark.parametrize("digest", ["digest", "NULL"])
def test_a_private_game_never_appears_whatever_the_columns_say(
    shared_url: str, database: Database, digest: str
) -> None:
    with connected(shared_url) as client:
        private, public = client.started(GameOptions(private=True)), client.started()
        assert [line.id for line in client.listing().items] == [public.id]
        (((line,),)) = run(database, "SELECT line FROM lobby WHERE private = 1")
        shown = bytes(line).replace(b'"private":true', b'"private":false')
        assert shown != line
        run(database, f"UPDATE lobby SET private = 0, line = ?, digest = {digest} WHERE private = 1", shown)
        assert [line.id for line in client.listing().items] == [public.id]
        assert [line.id for line in client.listing(visible=private.id).items] == [public.id, private.id]


def test_a_private_game_whose_first_event_was_changed_is_shown_to_nobody(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        game = client.started(GameOptions(private=True))
        (((text,),)) = run(database, "SELECT state FROM stored_events WHERE originator_version = 1")
        public = bytes(text).replace(b'"private":true', b'"public":false')
        assert public != bytes(text)
        run(database, "UPDATE stored_events SET state = ? WHERE originator_version = 1", public)
        client.wait(client.service.rebuild_listing())
        assert client.listing().items == ()
    with connected(shared_url) as client:
        assert client.wait(client.service.is_private(game.id))
        with pytest.raises(UnreadableEvent, match="event 1 cannot be read: its digest shows that it was changed"):
            client.load(game.id)
        assert not client.audit(game.id).ok


def test_a_line_whose_game_cannot_be_read_is_left_out(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        damaged, sound = client.started(), client.started()
        client.listing()
    run(database, "UPDATE stored_events SET state = ? WHERE originator_id = ?", b"\xff", damaged.id.hex)
    run(database, "UPDATE lobby SET line = ?", b"\xff")
    with connected(shared_url) as client:
        for _ in range(2):
            assert [line.id for line in client.listing().items] == [sound.id]


def test_a_changed_line_is_made_anew_before_it_is_changed_again(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        opened = client.open_table(3, ["Ann"], GameOptions())
        client.listing()
        run(database, "UPDATE lobby SET line = ?", b"{}")
        client.change(opened.id, commands.take_seat("Bob"))
        assert client.listing().items[0].players == ("Ann", "Bob")


@pytest.mark.parametrize(
    ("column", "value"), [("progress", b"x"), ("version", 3), ("digest", b"x" * 32), ("progress", None)]
)
def test_a_changed_head_gives_no_wrong_turn(shared_url: str, database: Database, column: str, value: object) -> None:
    with connected(shared_url) as client:
        game = client.started()
        client.play(game.id, 3)
        before = client.listing()
        run(database, f"UPDATE heads SET {column} = ?", value)
        for _ in range(2):
            assert client.listing() == before


def test_a_progress_with_another_turn_is_not_believed(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        game = client.started()
        before = client.listing()
        (((stored,),)) = run(database, "SELECT progress FROM heads")
        assert stored.count(b'"towns",') == 1
        run(database, "UPDATE heads SET progress = ?", stored.replace(b'"towns",', b'"draft",'))
        assert client.listing() == before
        assert run(database, "SELECT progress FROM heads") == [(stored,)]
        assert client.audit(game.id).ok


def test_a_game_without_a_head_stays_in_the_list(shared_url: str, database: Database) -> None:
    with connected(shared_url) as client:
        game = client.started()
        before = client.listing()
        run(database, "DELETE FROM heads")
        assert client.listing() == before
        assert opens(client, game.tokens[0]) == TokenHolder(game.id, 0)
