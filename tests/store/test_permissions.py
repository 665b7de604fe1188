"""Permissions hold for the version at which they were found: a decision on a later one looks the token up again."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.actions import Resign
from domain.modules import ActionTaken, GameOptions
from domain.store import Commit, IdempotencyKey, Permission, Revoked, StaleVersion, commands
from domain.store.commands import Command
from domain.store.tokens import HOST
from domain.table_facts import TokenRenewed
from tests.store.clients import NAMES, Client, connected
from tests.support.soak import soak_factor

KEY = IdempotencyKey("", "0f8fad5b-d9cb-469f-a165-70867728950e", b"body")
RACES = 40 * soak_factor()
OPTIONS = GameOptions(seed=7, undo="free", private=True)
RESIGN = commands.act(0, Resign())


def begun(client: Client) -> Commit:
    return client.started(OPTIONS, 3)


def renew(seat: int, game: Commit) -> Command:
    return commands.renew_host_token(game.tokens[HOST]) if seat == HOST else commands.renew_token(seat)


CHANGES: dict[str, Command] = {
    "a move": RESIGN,
    "an undo": commands.undo(None),
    "a new token": commands.renew_token(1),
    "a new token of the host": commands.renew_host_token("old"),
    "a spectator, who needs no event": commands.admit_spectator,
}


@pytest.mark.parametrize("seat", [0, HOST])
@pytest.mark.parametrize("change", CHANGES)
def test_a_token_that_was_renewed_meanwhile_changes_nothing(client: Client, change: str, seat: int) -> None:
    game = begun(client)
    client.play(game.id, 4)
    permission = client.permission(game.id, game.tokens[seat])
    renewed = client.change(game.id, renew(seat, game))
    check_is_revoked(client, game, permission, CHANGES[change], renewed.version)


@pytest.mark.parametrize("seat", [0, HOST])
@pytest.mark.parametrize("change", CHANGES)
def test_a_token_that_another_process_renewed_meanwhile_changes_nothing(
    shared_url: str, change: str, seat: int
) -> None:
    """This process has the game in memory as it was, and the database refuses what it decides on that."""
    with connected(shared_url) as here, connected(shared_url) as there:
        game = begun(here)
        here.play(game.id, 4)
        permission = here.permission(game.id, game.tokens[seat])
        renewed = there.change(game.id, renew(seat, game))
        cached = here.service.cached(game.id)
        assert cached is not None
        assert (cached.version, cached.digest) == (renewed.version - 1, permission.digest)
        check_is_revoked(here, game, permission, CHANGES[change], renewed.version)


def check_is_revoked(client: Client, game: Commit, permission: Permission, change: Command, version: int) -> None:
    """Nothing is stored: no event, no token and no key; with a new token the same key does it."""
    for key in (None, KEY):
        with pytest.raises(Revoked):
            client.change(game.id, change, key=key, permission=permission)
    assert client.wait(client.service.repeated(KEY)) is None
    assert client.load(game.id).version == version
    others = [token for token in game.tokens.values() if token != permission.token]
    assert all(client.wait(client.service.find_token(token)) for token in others)
    assert client.audit(game.id).ok
    again = client.permission(game.id, others[0])
    assert not client.change(game.id, change, key=KEY, permission=again).repeated


GROWTHS: dict[str, Callable[[Client, Commit], object]] = {
    "a move": lambda client, game: client.play(game.id, 1),
    "an undo": lambda client, game: client.change(game.id, commands.undo(1)),
    "another player's new token": lambda client, game: client.change(game.id, commands.renew_token(1)),
    "the host's new token": lambda client, game: client.change(game.id, commands.renew_host_token(game.tokens[HOST])),
    "a player who leaves": lambda client, game: client.change(game.id, commands.act(2, Resign())),
}


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("growth", GROWTHS)
def test_a_version_that_grew_by_something_else_takes_no_permission_away(
    shared_url: str, growth: str, elsewhere: bool
) -> None:
    with connected(shared_url) as here, connected(shared_url) as there:
        game = begun(here)
        here.play(game.id, 3)
        permission, version = here.permission(game.id, game.tokens[0]), here.load(game.id).version
        GROWTHS[growth](there if elsewhere else here, game)
        done = here.change(game.id, RESIGN, permission=permission)
        assert isinstance(done.facts[0], ActionTaken)
        assert done.before > version


def test_a_permission_at_the_same_version_is_not_looked_up_again(
    memory: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual move pays nothing."""
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    monkeypatch.setattr(memory.service, "find_token", None)
    assert memory.change(game.id, RESIGN, permission=permission).before == game.version


def test_a_seat_that_was_freed_or_has_moved_is_not_the_one_that_was_let_in(client: Client) -> None:
    opened = client.open_table(4, NAMES[:3], GameOptions())
    freed, moved = (client.permission(opened.id, opened.tokens[seat]) for seat in (1, 2))
    client.change(opened.id, commands.free_seat(1))
    with pytest.raises(Revoked):
        client.change(opened.id, commands.close, permission=freed)
    client.change(opened.id, commands.close, permission=moved)
    client.change(opened.id, commands.start)
    with pytest.raises(Revoked):
        client.change(opened.id, commands.act(2, Resign()), permission=moved)
    now = client.permission(opened.id, opened.tokens[2])
    assert now.holder.seat == 1
    client.change(opened.id, commands.act(1, Resign()), permission=now)


def test_a_renewed_token_forks_nothing(client: Client) -> None:
    game = begun(client)
    permission = client.permission(game.id, game.tokens[0])
    client.play(game.id, 2)
    service = client.service
    fork = client.wait(service.fork(game.id, None, permission=permission))
    client.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        client.wait(service.fork(game.id, None, permission=permission))
    assert set(client.wait(service.game_ids())) == {game.id, fork.id}


def test_a_renewed_token_gets_no_commit_again(client: Client) -> None:
    """The response may tell what the new holder alone may know."""
    game = begun(client)
    permission = client.permission(game.id, game.tokens[0])
    first = client.change(game.id, RESIGN, key=KEY, permission=permission)
    assert client.change(game.id, RESIGN, key=KEY, permission=permission).version == first.version
    client.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        client.change(game.id, RESIGN, key=KEY, permission=permission)
    with pytest.raises(Revoked):
        client.wait(client.service.repeated(KEY, permission))


def test_a_fork_that_waits_for_its_turn_looks_the_token_up_again(client: Client) -> None:
    """Heavy work of a client waits in its queue: the token may be renewed, and the game go on, meanwhile."""
    game = begun(client)
    permission = client.permission(game.id, game.tokens[0])

    async def scene() -> None:
        async with client.service.heavy_turn("busy"):
            fork = client.service.fork
            forks = [
                asyncio.create_task(fork(game.id, None, client="busy", permission=permission)),
                asyncio.create_task(fork(game.id, None, client="busy", expected_version=game.version)),
            ]
            await asyncio.sleep(0.05)
            await client.service.change(game.id, commands.renew_token(0))
        for task, error in zip(forks, (Revoked, StaleVersion), strict=True):
            with pytest.raises(error):
                await task

    client.wait(scene())
    assert client.wait(client.service.game_ids()) == [game.id]


def test_a_renewed_token_comes_before_a_stale_version(client: Client) -> None:
    game = begun(client)
    permission = client.permission(game.id, game.tokens[0])
    client.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        client.change(game.id, RESIGN, game.version, permission=permission)


def test_a_renewed_token_gets_no_fork_again_whose_version_is_that_of_the_permission(client: Client) -> None:
    """The two versions are of different games, and say nothing about each other."""
    game = begun(client)
    fork = client.wait(client.service.fork(game.id, None, key=KEY))
    client.change(game.id, commands.renew_token(1))
    permission = client.permission(game.id, game.tokens[0])
    assert client.load(game.id).version == fork.version
    again = client.wait(client.service.fork(game.id, None, permission=permission, key=KEY))
    assert (again.id, again.tokens) == (fork.id, fork.tokens)
    client.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        client.wait(client.service.fork(game.id, None, permission=permission, key=KEY))


def test_no_move_by_an_old_token_follows_its_renewal(shared_url: str) -> None:
    """A player and the host ask two processes at the same time."""
    with connected(shared_url) as here, connected(shared_url) as there, ThreadPoolExecutor(2) as pool:
        outcomes = {race(pool, here, there) for _ in range(RACES)}
    assert outcomes <= {"moved", "revoked"}


def race(pool: ThreadPoolExecutor, here: Client, there: Client) -> str:
    game = begun(here)
    there.load(game.id)
    permission = here.permission(game.id, game.tokens[0])
    moving = pool.submit(here.change, game.id, RESIGN, permission=permission)
    renewing = pool.submit(there.change, game.id, commands.renew_token(0))
    renewing.result()
    try:
        moved = moving.result()
    except Revoked:
        moved = None
    facts = [event.fact for event in here.recorded(game.id)]
    (renewed,) = (version for version, fact in enumerate(facts, 1) if isinstance(fact, TokenRenewed))
    actions = [version for version, fact in enumerate(facts, 1) if isinstance(fact, ActionTaken)]
    assert len(actions) == (moved is not None)
    assert all(version < renewed for version in actions)
    assert here.audit(game.id).ok
    return "moved" if moved else "revoked"
