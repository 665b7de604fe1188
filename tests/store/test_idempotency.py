"""A repeated request is done once, and gets the same commit from every process."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.actions import Resign
from domain.decide import legal_actions
from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import Commit, IdempotencyKey, KeyReused, Permission, StaleVersion, UnknownGame, WeakKey, commands
from domain.store.tokens import HOST, SPECTATOR
from tests.store import processes
from tests.store.clients import QUICK, Client, connected, key, stored
from tests.store.processes import LONG
from tests.support.soak import soak_factor

RACES = 40
RESIGN = commands.act(0, Resign())
WEAK = "x" * 21


def is_known(client: Client, asked: IdempotencyKey) -> bool:
    return client.repeated(asked) is not None


def test_a_repeated_request_gets_the_same_commit(client: Client) -> None:
    assert not is_known(client, key())
    first, again, found = client.open_table(key=key()), client.open_table(key=key()), client.repeated(key())
    assert found is not None
    assert stored(first) == stored(again) == stored(found)
    assert [first.repeated, again.repeated, found.repeated] == [False, True, True]
    assert (again.before, list(again.facts), again.table) == (0, list(first.facts), first.table)
    assert len(client.lobby().items) == 1


CHANGES: tuple[tuple[int, Callable[[Commit], commands.Command]], ...] = (
    (4, lambda _: commands.take_seat("Bob")),
    (2, lambda _: commands.take_seat("Bob")),
    (4, lambda _: commands.take_seat(None, bot="random")),
    (4, lambda _: commands.free_seat(0)),
    (4, lambda _: commands.renew_token(0)),
    (4, lambda game: commands.renew_token(None, token=game.tokens[HOST])),
    (4, lambda _: commands.admit_spectator),
    (4, lambda _: commands.dismiss_spectators),
    (4, lambda _: commands.close),
)
"""The seats of a table, and a change; at a table for two, the first change takes the last seat."""


def test_every_repeated_change_gets_the_same_commit_after_later_moves(client: Client) -> None:
    for seats, change in CHANGES:
        game = client.open_table(seats, ["Ann"], GameOptions(private=True))
        command, asked = change(game), key(str(game.id))
        first = client.change(game.id, command, key=asked)
        if first.table.players and not first.table.started:
            client.change(game.id, commands.renew_token(first.table.players[0].seat))
        before = client.load(game.id).version
        again = client.change(game.id, command, key=asked)
        new = {seat: token for seat, token in first.tokens.items() if token not in game.tokens.values()}
        assert stored(again) == stored(replace(first, tokens=new))
        assert (again.table, again.before) == (first.table, first.before)
        assert client.load(game.id).version == before
        assert client.audit(game.id).ok


def test_a_repeated_import_or_fork_gets_the_same_tokens(client: Client) -> None:
    record = client.export_record(client.started().id)
    for number in range(2):  # a second import would get another id
        asked = key(f"{number}" * 22)
        first, again = (client.import_record(record, key=asked) for _ in range(2))
        fork, fork_again = (client.fork(first.id, key=key(f"{n}" * 22)) for n in (7, 7))
        assert stored(first) == stored(again)
        assert stored(fork) == stored(fork_again)
    assert len(client.game_ids()) == 4


def test_the_same_key_with_another_body_is_refused(client: Client) -> None:
    client.open_table(key=key())
    with pytest.raises(KeyReused):
        client.open_table(key=key(body="another"))
    with pytest.raises(KeyReused):
        client.repeated(key(body="another"))


def test_each_caller_has_separate_keys(memory: Client) -> None:
    assert memory.open_table(key=key()).id != memory.open_table(key=key(caller="someone else")).id
    one, other = "a" * 22, "a" * 21
    assert (
        memory.open_table(key=key(text=one, caller="bc")).id
        != memory.open_table(key=key(text=other, caller="abc", token="t")).id
    )


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_a_short_key_without_a_token_is_refused_where_tokens_are_issued(client: Client) -> None:
    game = client.started(GameOptions(private=True))
    record = client.export_record(game.id)
    weak = key(WEAK)
    asked: list[Callable[[], object]] = [
        lambda: client.open_table(key=weak),
        lambda: client.fork(game.id, key=weak),
        lambda: client.import_record(record, key=weak),
        lambda: client.change(game.id, commands.renew_token(1), key=weak),
        lambda: client.change(game.id, commands.renew_token(None, token=game.tokens[HOST]), key=weak),
        lambda: client.change(game.id, commands.admit_spectator, key=weak),
    ]
    for ask in asked:
        with pytest.raises(WeakKey):
            ask()
    assert not is_known(client, weak)
    assert client.game_ids() == [game.id]
    assert client.load(game.id).version == game.version
    assert all(client.find_token(token) for token in game.tokens.values())


def test_a_short_key_is_enough_for_a_change_without_tokens(memory: Client) -> None:
    game = memory.started(players=3)
    first, again = (memory.change(game.id, RESIGN, key=key("1")) for _ in range(2))
    assert stored(first) == stored(again)
    assert stored(memory.change(game.id, RESIGN, key=key("1", token="any"))) == stored(first)


def test_a_short_key_returns_tokens_only_with_the_same_token_of_the_caller(client: Client) -> None:
    game = client.started()
    host = game.tokens[HOST]
    weak = key(WEAK, token=host)
    first = client.change(game.id, commands.renew_token(1), key=weak)
    assert stored(client.change(game.id, commands.renew_token(1), key=weak)) == stored(first)
    for other in (None, "", game.tokens[0], first.tokens[1], host + "x"):
        with pytest.raises(WeakKey):
            client.change(game.id, commands.renew_token(1), key=replace(weak, token=other))
        with pytest.raises(WeakKey):
            client.repeated(replace(weak, token=other))
    with pytest.raises(KeyReused):
        client.repeated(replace(weak, request=b"another"))
    assert client.load(game.id).version == first.version


def test_a_long_key_returns_tokens_with_any_token_of_the_caller(memory: Client) -> None:
    game = memory.started()
    first = memory.change(game.id, commands.renew_token(1), key=key(token=game.tokens[HOST]))
    for token in (None, "", game.tokens[0]):
        assert stored(memory.change(game.id, commands.renew_token(1), key=key(token=token))) == stored(first)


# --- once ------------------------------------------------------------------------------------------------------------


def test_a_move_is_made_once(client: Client) -> None:
    game = client.started(players=3)
    made = [client.change(game.id, RESIGN, key=key()) for _ in range(3)]
    assert [commit.repeated for commit in made] == [False, True, True]
    assert stored(made[0]) == stored(made[1]) == stored(made[2])
    loaded = client.load(game.id)
    assert loaded.game is not None
    assert [player.resigned for player in loaded.game.players] == [True, False, False]


def test_a_refusal_leaves_the_key_free(client: Client) -> None:
    game = client.started(players=3)
    client.change(game.id, RESIGN)
    with pytest.raises(Refused):
        client.change(game.id, RESIGN, key=key())
    assert not is_known(client, key())


def test_a_repeated_request_admits_one_spectator(client: Client) -> None:
    game = client.started(GameOptions(private=True))
    first, again = (client.change(game.id, commands.admit_spectator, key=key()) for _ in range(2))
    assert first.tokens == again.tokens != client.change(game.id, commands.admit_spectator).tokens
    holder = client.find_token(first.tokens[SPECTATOR])
    assert holder is not None
    assert (holder.game, holder.role, first.version) == (game.id, "spectator", game.version)


def test_keys_outlive_the_process(database_url: str) -> None:
    with connected(database_url) as client:
        first = client.open_table(key=key())
    with connected(database_url) as client:
        again = client.open_table(key=key())
        assert stored(again) == stored(first)
        assert again.repeated
        with pytest.raises(KeyReused):
            client.open_table(key=key(body="another"))


def test_another_process_returns_the_same_tokens(database_url: str, client: Client) -> None:
    first = client.open_table(key=key())
    with ProcessPoolExecutor(1, mp_context=processes.CONTEXT) as pool:
        assert pool.submit(tokens_elsewhere, database_url).result(LONG) == (first.id, first.tokens)


def tokens_elsewhere(url: str) -> tuple[UUID, Mapping[int, str]]:
    with connected(url) as client:
        again = client.open_table(key=key())
        return again.id, again.tokens


def test_two_services_return_the_same_commit(client: Client, other: Client) -> None:
    game = client.started(QUICK, 3)
    other.load(game.id)
    first = client.change(game.id, RESIGN, key=key())
    assert stored(other.change(game.id, RESIGN, key=key())) == stored(first)
    assert client.open_table(key=key("a" * 22)).tokens == other.open_table(key=key("a" * 22)).tokens


def test_the_database_gives_no_token_away(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with connected(f"sqlite:///{file}") as client:
        secrets = [token.encode() for token in client.open_table(key=key()).tokens.values()]
    with closing(sqlite3.connect(file)) as connection:
        dump = "\n".join(connection.iterdump()).encode()
    assert len(secrets) == 2
    for secret in (*secrets, key().key.encode()):
        assert secret not in dump
        assert secret.hex().encode() not in dump.lower()
        assert secret not in file.read_bytes()


# --- races -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stale", [False, True])
def test_a_copy_overtaken_by_another_process_gets_its_commit(
    client: Client, other: Client, stale: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy finds no key at first, and finds the move done when it decides."""
    game = other.started(players=3)

    def ask(client: Client) -> Commit:
        return client.change(game.id, RESIGN, game.version if stale else None, key())

    done = overtake(client, lambda: ask(other), monkeypatch)
    copy = ask(client)
    assert copy.repeated
    assert [stored(commit) for commit in done] == [stored(copy)]
    assert client.load(game.id).version == other.load(game.id).version


def test_two_processes_open_one_table_with_the_same_key(
    client: Client, other: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two tables have different ids, so only the key can conflict."""
    done = overtake(client, lambda: other.open_table(key=key()), monkeypatch)
    copy = client.open_table(key=key())
    assert [stored(commit) for commit in done] == [stored(copy)]
    assert client.game_ids() == [copy.id]


def overtake(client: Client, ask: Callable[[], Commit], monkeypatch: pytest.MonkeyPatch) -> list[Commit]:
    """Let another client send the same request once, between the look for a key and the decision; return its commit."""
    look, done = client.service.repeated, list[Commit]()

    async def look_then_overtake(asked: IdempotencyKey, permission: Permission | None = None) -> Commit | None:
        found = await look(asked, permission)
        if not done:
            done.append(await asyncio.to_thread(ask))
        return found

    monkeypatch.setattr(client.service, "repeated", look_then_overtake)
    return done


def test_simultaneous_copies_in_two_processes_get_one_commit(client: Client, other: Client) -> None:
    with ThreadPoolExecutor(2) as pool:
        for game in [client.started().id for _ in range(soak_factor())]:
            assert all(race(pool, (client, other), game, number) for number in range(RACES))
            assert client.audit(game).ok


def race(pool: ThreadPoolExecutor, clients: tuple[Client, Client], game: UUID, number: int) -> bool:
    """Send a move with one key to both processes, every other time with the version; return if it was made once."""
    loaded = clients[0].load(game)
    assert loaded.game is not None
    assert loaded.game.to_play is not None
    command = commands.act(loaded.game.to_play, legal_actions(loaded.game)[0].action)
    expected = loaded.version if number % 2 else None
    asked = [pool.submit(client.change, game, command, expected, key(f"{game} {number}")) for client in clients]
    first, second = (each.result() for each in asked)
    assert stored(first) == stored(second)
    assert {first.repeated, second.repeated} == {True, False}
    return clients[0].load(game).version == first.version > loaded.version


def test_simultaneous_renewals_in_two_processes_get_one_token(client: Client, other: Client) -> None:
    game, renew = client.started(), commands.renew_token(1)
    with ThreadPoolExecutor(2) as pool:
        for number in range(RACES):
            asked = key(f"{game.id} {number}")
            asking = [pool.submit(each.change, game.id, renew, None, asked) for each in (client, other)]
            first, second = (each.result() for each in asking)
            assert stored(first) == stored(second)
            assert client.find_token(first.tokens[1]) is not None
            assert first.version == game.version + number + 1
    assert other.audit(game.id).ok


def test_a_repeated_fork_is_made_once_after_later_moves(client: Client) -> None:
    game = client.started()
    asked = [
        client.fork(game.id, expected_version=game.version, key=key())
        for _ in (client.play(game.id, step) for step in (0, 1, 1))
    ]
    assert stored(asked[0]) == stored(asked[1]) == stored(asked[2])
    with pytest.raises(StaleVersion):
        client.fork(game.id, expected_version=game.version)


# --- games that are gone ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("removed", [False, True])
def test_a_repeated_request_for_a_deleted_game_creates_no_other_one(
    database_url: str, client: Client, other: Client, removed: bool
) -> None:
    first = client.open_table(key=key())
    client.change(first.id, commands.close, key=key("close"))
    if removed:
        other.remove(first.id)
    else:
        other.change(first.id, commands.delete)
    check_is_gone(client, first.id)
    with connected(database_url) as restarted:
        check_is_gone(restarted, first.id)


def check_is_gone(client: Client, game: UUID) -> None:
    asked: list[Callable[[], object]] = [
        lambda: client.open_table(key=key()),
        lambda: client.repeated(key()),
        lambda: client.change(game, commands.close, key=key("close")),
        lambda: client.repeated(key("close")),
    ]
    for ask in asked:
        with pytest.raises(UnknownGame, match=f"{game}"):
            ask()
    assert client.game_ids() == [game]
    assert client.lobby().items == ()
    with pytest.raises(KeyReused):
        client.open_table(key=key(body="another"))
