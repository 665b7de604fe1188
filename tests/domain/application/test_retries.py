"""A request that is sent again gets the first answer again, from whoever answers."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from domain.options import Options
from domain.refusals import Refused

from domain.actions import Resign
from domain.application import Change, Key, KeyReused
from tests.domain.application.tables import NAMES, QUICK, Visitor, visiting


def key(text: str = "0f8fad5b-d9cb-469f-a165-70867728950e", caller: str = "", body: str = "body") -> Key:
    return Key(caller, text, sha256(body.encode()).digest())


def tokens(change: Change) -> bytes:
    return " ".join(change.tokens.values()).encode()


def opened(visitor: Visitor, asked: Key) -> bytes:
    return visitor.wait(visitor.club.open_table(2, NAMES[:1], Options(), answer=tokens, key=asked))


def test_the_first_answer_is_given_again(visitor: Visitor) -> None:
    first = opened(visitor, key())
    assert opened(visitor, key()) == first
    assert visitor.wait(visitor.club.replay(key())) == first
    assert len(visitor.wait(visitor.club.games()).items) == 1


def test_the_same_key_with_another_body_is_refused(visitor: Visitor) -> None:
    opened(visitor, key())
    with pytest.raises(KeyReused):
        opened(visitor, key(body="another"))
    with pytest.raises(KeyReused):
        visitor.wait(visitor.club.replay(key(body="another")))


def test_another_caller_has_keys_of_their_own(visitor: Visitor) -> None:
    assert opened(visitor, key()) != opened(visitor, key(caller="someone else"))
    assert opened(visitor, key(text="a", caller="bc")) != opened(visitor, key(text="ab", caller="c"))


def test_a_move_is_made_once(visitor: Visitor) -> None:
    game = visitor.started(players=3)
    for _ in range(3):
        visitor.wait(visitor.club.act(game.id, 0, Resign(), answer=lambda _: b"gone", key=key()))
    held = visitor.look(game.id)
    assert held.game is not None
    assert [player.resigned for player in held.game.players] == [True, False, False]
    assert visitor.wait(visitor.club.replay(key())) == b"gone"


def test_a_refusal_leaves_the_key_free(visitor: Visitor) -> None:
    game = visitor.started(players=3)
    visitor.change("act", game.id, 0, Resign())
    with pytest.raises(Refused):
        visitor.change("act", game.id, 0, Resign(), key=key())
    assert visitor.wait(visitor.club.replay(key())) is None


def test_an_answer_can_be_kept_that_comes_with_no_change(visitor: Visitor) -> None:
    remember = visitor.club.remember
    assert visitor.wait(remember(key(), b"first")) == b"first"
    assert visitor.wait(remember(key(), b"second")) == b"first"
    assert visitor.wait(visitor.club.replay(key())) == b"first"


def test_an_answer_may_be_empty(visitor: Visitor) -> None:
    assert visitor.wait(visitor.club.remember(key(), b"")) == b""
    assert visitor.wait(visitor.club.replay(key())) == b""


def test_answers_outlive_the_process(shared_url: str) -> None:
    with visiting(shared_url) as visitor:
        first = opened(visitor, key())
    with visiting(shared_url) as visitor:
        assert opened(visitor, key()) == first
        with pytest.raises(KeyReused):
            opened(visitor, key(body="another"))


def test_two_processes_give_the_same_answer(shared_url: str) -> None:
    with visiting(shared_url) as here, visiting(shared_url) as there:
        game = here.started(QUICK, 3)
        there.look(game.id)
        first = here.wait(here.club.act(game.id, 0, Resign(), answer=lambda _: b"here", key=key()))
        assert there.wait(there.club.act(game.id, 0, Resign(), answer=lambda _: b"there", key=key())) == first


def test_the_database_gives_no_token_away(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with visiting(f"sqlite:///{file}") as visitor:
        secrets = opened(visitor, key()).split()
    with closing(sqlite3.connect(file)) as connection:
        dump = "\n".join(connection.iterdump()).encode()
    assert len(secrets) == 2
    for secret in (*secrets, key().key.encode()):
        assert secret not in dump
        assert secret.hex().encode() not in dump.lower()
        assert secret not in file.read_bytes()
