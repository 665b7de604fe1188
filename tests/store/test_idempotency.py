"""A request that is sent again gets the first answer again, from every process."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.actions import Resign
from domain.decide import legal_actions
from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import Answer, Commit, IdempotencyKey, KeyReused, StaleVersion, WeakKey, commands
from tests.store.clients import NAMES, QUICK, Client, connected
from tests.support.soak import soak_factor

RACES = 40


def key(text: str = "0f8fad5b-d9cb-469f-a165-70867728950e", caller: str = "", body: str = "body") -> IdempotencyKey:
    return IdempotencyKey(caller, text, sha256(body.encode()).digest())


def tokens(commit: Commit) -> Answer:
    return Answer(201, commit.version, f"/games/{commit.id}", " ".join(commit.tokens.values()).encode())


def opened(client: Client, asked: IdempotencyKey) -> Answer:
    return client.wait(client.service.open_table(2, NAMES[:1], GameOptions(), tokens, key=asked))


def answer(body: bytes) -> Answer:
    return Answer(200, 1, "", body)


def test_the_first_answer_is_given_again(client: Client) -> None:
    first = opened(client, key())
    assert opened(client, key()) == first
    assert client.wait(client.service.first_answer(key())) == first
    assert len(client.listing().items) == 1


def test_the_same_key_with_another_body_is_refused(client: Client) -> None:
    opened(client, key())
    with pytest.raises(KeyReused):
        opened(client, key(body="another"))
    with pytest.raises(KeyReused):
        client.wait(client.service.first_answer(key(body="another")))


def test_a_key_too_short_to_be_a_secret_opens_no_tokens_by_itself(client: Client) -> None:
    weak = key(text="x" * 21)
    first = opened(client, weak)
    with pytest.raises(WeakKey):
        opened(client, weak)
    with pytest.raises(WeakKey):
        client.wait(client.service.first_answer(weak))
    assert len(client.listing().items) == 1
    assert opened(client, replace(weak, with_token=True)) == first
    with pytest.raises(KeyReused):
        opened(client, replace(weak, body=b"another"))


def test_another_caller_has_keys_of_their_own(client: Client) -> None:
    assert opened(client, key()) != opened(client, key(caller="someone else"))
    assert opened(client, key(text="a", caller="bc")) != opened(client, key(text="ab", caller="c"))


def test_a_move_is_made_once(client: Client) -> None:
    game = client.started(players=3)
    for _ in range(3):
        client.wait(client.service.change(game.id, commands.act(0, Resign()), lambda _: answer(b"gone"), key=key()))
    loaded = client.load(game.id)
    assert loaded.game is not None
    assert [player.resigned for player in loaded.game.players] == [True, False, False]
    assert client.wait(client.service.first_answer(key())) == answer(b"gone")


def test_a_refusal_leaves_the_key_free(client: Client) -> None:
    game = client.started(players=3)
    client.change(game.id, commands.act(0, Resign()))
    with pytest.raises(Refused):
        client.change(game.id, commands.act(0, Resign()), key=key())
    assert client.wait(client.service.first_answer(key())) is None


def test_an_answer_may_be_empty(client: Client) -> None:
    game = client.started(players=3)
    for _ in range(2):
        done = client.wait(client.service.change(game.id, commands.act(0, Resign()), lambda _: answer(b""), key=key()))
        assert done == answer(b"")


def test_answers_outlive_the_process(shared_url: str) -> None:
    with connected(shared_url) as client:
        first = opened(client, key())
    with connected(shared_url) as client:
        assert opened(client, key()) == first
        with pytest.raises(KeyReused):
            opened(client, key(body="another"))


def test_two_processes_give_the_same_answer(shared_url: str) -> None:
    with connected(shared_url) as here, connected(shared_url) as there:
        game = here.started(QUICK, 3)
        there.load(game.id)
        first = here.wait(here.service.change(game.id, commands.act(0, Resign()), lambda _: answer(b"here"), key=key()))
        assert (
            there.wait(there.service.change(game.id, commands.act(0, Resign()), lambda _: answer(b"there"), key=key()))
            == first
        )


def test_the_database_gives_no_token_away(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with connected(f"sqlite:///{file}") as client:
        secrets = opened(client, key()).body.split()
    with closing(sqlite3.connect(file)) as connection:
        dump = "\n".join(connection.iterdump()).encode()
    assert len(secrets) == 2
    for secret in (*secrets, key().key.encode()):
        assert secret not in dump
        assert secret.hex().encode() not in dump.lower()
        assert secret not in file.read_bytes()


@pytest.mark.parametrize("stale", [False, True])
def test_a_copy_that_another_process_does_meanwhile_gets_its_answer(
    shared_url: str, stale: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy has looked for the key in vain, and finds the move done when it decides."""
    with connected(shared_url) as there, connected(shared_url) as here, ThreadPoolExecutor() as pool:
        game = there.started(players=3)
        done: list[Answer] = []

        def ask(client: Client) -> Answer:
            expected = game.version if stale else None
            asked = client.service.change(
                game.id, commands.act(0, Resign()), lambda _: answer(b"gone"), expected_version=expected, key=key()
            )
            return client.wait(asked)

        async def look_and_be_overtaken(asked: IdempotencyKey) -> Answer | None:
            found = await look(asked)
            if not done:
                done.append(pool.submit(ask, there).result())
            return found

        look = here.service.first_answer
        monkeypatch.setattr(here.service, "first_answer", look_and_be_overtaken)
        assert ask(here) == answer(b"gone")
        assert done == [answer(b"gone")]
        assert here.load(game.id).version == there.load(game.id).version


def test_copies_in_two_processes_at_the_same_time_get_one_answer(shared_url: str) -> None:
    with connected(shared_url) as here, connected(shared_url) as there, ThreadPoolExecutor(2) as pool:
        for game in [here.started().id for _ in range(soak_factor())]:
            assert all(race(pool, (here, there), game, number) for number in range(RACES))
            assert here.audit(game).ok


def race(pool: ThreadPoolExecutor, clients: tuple[Client, Client], game: UUID, number: int) -> bool:
    """Send a move with one key to both at once, every other with the version; return if it was made once."""
    loaded = clients[0].load(game)
    assert loaded.game is not None
    assert loaded.game.to_play is not None
    command = commands.act(loaded.game.to_play, legal_actions(loaded.game)[0].action)
    expected = loaded.version if number % 2 else None
    asked = [
        pool.submit(
            client.wait,
            client.service.change(game, command, numbered, expected_version=expected, key=key(f"{game} {number}")),
        )
        for client in clients
    ]
    first, second = (each.result() for each in asked)
    assert first == second == numbered_version(first.version)
    return clients[0].load(game).version == first.version > loaded.version


def numbered(commit: Commit) -> Answer:
    return numbered_version(commit.version)


def numbered_version(version: int) -> Answer:
    return Answer(200, version, "", b"%d" % version)


def test_a_fork_is_made_once_though_its_game_has_gone_on(client: Client) -> None:
    game = client.started()
    asked = [
        client.wait(client.service.fork(game.id, None, tokens, expected_version=game.version, key=key()))
        for _ in (client.play(game.id, step) for step in (0, 1, 1))
    ]
    assert asked[0] == asked[1] == asked[2]
    with pytest.raises(StaleVersion):
        client.wait(client.service.fork(game.id, None, tokens, expected_version=game.version))
