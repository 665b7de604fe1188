"""Permissions hold for the version at which they were found: a decision on a later one looks the token up again."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from domain.actions import Resign
from domain.modules import ActionTaken, GameOptions
from domain.store import Commit, Permission, Revoked, StaleVersion, commands
from domain.store.commands import Command
from domain.store.tokens import HOST
from domain.table_facts import TokenRenewed
from tests.store.clients import NAMES, Client, key
from tests.support.soak import soak_factor

KEY = key()
RACES = 20 * soak_factor()
OPTIONS = GameOptions(seed=7, undo="free", private=True)
RESIGN = commands.act(0, Resign())


def begun(client: Client) -> Commit:
    return client.started(OPTIONS, 3)


def renew(seat: int, game: Commit) -> Command:
    return commands.renew_token(None, token=game.tokens[HOST]) if seat == HOST else commands.renew_token(seat)


CHANGES: tuple[Callable[[Commit], Command], ...] = (
    lambda _: RESIGN,
    lambda _: commands.undo(None),
    lambda _: commands.renew_token(1),
    lambda game: commands.renew_token(None, token=f"old {game.id}"),
    lambda _: commands.admit_spectator,
)
"""A move, an undo, a new token, a new token of the host, and a spectator, who needs no event."""

RENEWED = list(product((0, HOST), CHANGES))
"""The seat whose token is renewed, and the change that somebody asks for with the old one."""


def test_a_token_that_was_renewed_meanwhile_changes_nothing(client: Client) -> None:
    for seat, change in RENEWED:
        game = begun(client)
        client.play(game.id, 4)
        permission = client.permission(game.id, game.tokens[seat])
        renewed = client.change(game.id, renew(seat, game))
        check_is_revoked(client, game, permission, change(game), renewed.version)


def test_a_token_that_another_process_renewed_meanwhile_changes_nothing(client: Client, other: Client) -> None:
    """This process has the game in memory as it was, and the database refuses what it decides on that."""
    for seat, change in RENEWED:
        game = begun(client)
        client.play(game.id, 4)
        permission = client.permission(game.id, game.tokens[seat])
        renewed = other.change(game.id, renew(seat, game))
        cached = client.service.cached(game.id)
        assert cached is not None
        assert (cached.version, cached.digest) == (renewed.version - 1, permission.digest)
        check_is_revoked(client, game, permission, change(game), renewed.version)


def check_is_revoked(client: Client, game: Commit, permission: Permission, change: Command, version: int) -> None:
    """Nothing is stored: no event, no token and no key; with a new token the same key does it."""
    asked = key(str(game.id))
    for under in (None, asked):
        with pytest.raises(Revoked):
            client.change(game.id, change, key=under, permission=permission)
    assert client.repeated(asked) is None
    assert client.load(game.id).version == version
    others = [token for token in game.tokens.values() if token != permission.token]
    assert all(client.find_token(token) for token in others)
    assert client.audit(game.id).ok
    again = client.permission(game.id, others[0])
    assert not client.change(game.id, change, key=asked, permission=again).repeated


GROWTHS: tuple[Callable[[Client, Commit], object], ...] = (
    lambda client, game: client.play(game.id, 1),
    lambda client, game: client.change(game.id, commands.undo(1)),
    lambda client, game: client.change(game.id, commands.renew_token(1)),
    lambda client, game: client.change(game.id, commands.renew_token(None, token=game.tokens[HOST])),
    lambda client, game: client.change(game.id, commands.act(2, Resign())),
)
"""A move, an undo, another player's new token, the host's new token, and a player who leaves."""


def test_a_version_that_grew_by_something_else_takes_no_permission_away(client: Client, other: Client) -> None:
    for grow, by in product(GROWTHS, (client, other)):
        game = begun(client)
        client.play(game.id, 3)
        permission, version = client.permission(game.id, game.tokens[0]), client.load(game.id).version
        grow(by, game)
        done = client.change(game.id, RESIGN, permission=permission)
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


def test_a_seat_that_was_freed_or_has_moved_is_not_the_one_that_was_let_in(memory: Client) -> None:
    opened = memory.open_table(4, NAMES[:3], GameOptions())
    freed, moved = (memory.permission(opened.id, opened.tokens[seat]) for seat in (1, 2))
    memory.change(opened.id, commands.free_seat(1))
    with pytest.raises(Revoked):
        memory.change(opened.id, commands.close, permission=freed)
    memory.change(opened.id, commands.close, permission=moved)
    memory.change(opened.id, commands.start)
    with pytest.raises(Revoked):
        memory.change(opened.id, commands.act(2, Resign()), permission=moved)
    now = memory.permission(opened.id, opened.tokens[2])
    assert now.holder.seat == 1
    memory.change(opened.id, commands.act(1, Resign()), permission=now)


def test_a_renewed_token_forks_nothing(memory: Client) -> None:
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    memory.play(game.id, 2)
    fork = memory.fork(game.id, permission=permission)
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.fork(game.id, permission=permission)
    assert set(memory.game_ids()) == {game.id, fork.id}


def test_a_renewed_token_gets_no_commit_again(memory: Client) -> None:
    """The response may tell what the new holder alone may know."""
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    first = memory.change(game.id, RESIGN, key=KEY, permission=permission)
    assert memory.change(game.id, RESIGN, key=KEY, permission=permission).version == first.version
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.change(game.id, RESIGN, key=KEY, permission=permission)
    with pytest.raises(Revoked):
        memory.repeated(KEY, permission)


def test_a_fork_that_waits_for_its_turn_looks_the_token_up_again(memory: Client) -> None:
    """Heavy work of a memory waits in its queue: the token may be renewed, and the game go on, meanwhile."""
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])

    async def scene() -> None:
        async with memory.service.heavy_turn("busy"):
            fork = memory.service.fork
            forks = [
                asyncio.create_task(fork(game.id, None, client="busy", permission=permission)),
                asyncio.create_task(fork(game.id, None, client="busy", expected_version=game.version)),
            ]
            await asyncio.sleep(0)  # both have been let in
            await memory.service.change(game.id, commands.renew_token(0))
        for task, error in zip(forks, (Revoked, StaleVersion), strict=True):
            with pytest.raises(error):
                await task

    memory.wait(scene())
    assert memory.game_ids() == [game.id]


def test_a_renewed_token_comes_before_a_stale_version(memory: Client) -> None:
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.change(game.id, RESIGN, game.version, permission=permission)


def test_a_renewed_token_gets_no_fork_again_whose_version_is_that_of_the_permission(memory: Client) -> None:
    """The two versions are of different games, and say nothing about each other."""
    game = begun(memory)
    fork = memory.fork(game.id, key=KEY)
    memory.change(game.id, commands.renew_token(1))
    permission = memory.permission(game.id, game.tokens[0])
    assert memory.load(game.id).version == fork.version
    again = memory.fork(game.id, permission=permission, key=KEY)
    assert (again.id, again.tokens) == (fork.id, fork.tokens)
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.fork(game.id, permission=permission, key=KEY)


def test_no_move_by_an_old_token_follows_its_renewal(client: Client, other: Client) -> None:
    """A player and the host ask two processes at the same time."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = {race(pool, client, other) for _ in range(RACES)}
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
