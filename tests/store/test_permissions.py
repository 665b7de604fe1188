"""Permissions hold for the version at which they were checked; a decision on a later version checks the token again."""

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
"""A move, an undo, a new token, a new host's token, and a spectator, for whom no event is stored."""

RENEWED = list(product((0, HOST), CHANGES))
"""The seat whose token is renewed, and the change requested with the old token."""


def test_a_token_renewed_since_the_check_changes_nothing(client: Client) -> None:
    for seat, change in RENEWED:
        game = begun(client)
        client.play(game.id, 4)
        permission = client.permission(game.id, game.tokens[seat])
        renewed = client.change(game.id, renew(seat, game))
        check_is_revoked(client, game, permission, change(game), renewed.version)


def test_a_token_renewed_by_another_process_changes_nothing(client: Client, other: Client) -> None:
    """This process has the older game in its cache, and the database refuses its decision."""
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
    """No event, token or key is stored; with a new token the same key works."""
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
"""A move, an undo, another player's new token, the host's new token, and a resignation."""


def test_other_changes_do_not_revoke_a_permission(client: Client, other: Client) -> None:
    for grow, by in product(GROWTHS, (client, other)):
        game = begun(client)
        client.play(game.id, 3)
        permission, version = client.permission(game.id, game.tokens[0]), client.load(game.id).version
        grow(by, game)
        done = client.change(game.id, RESIGN, permission=permission)
        assert isinstance(done.facts[0], ActionTaken)
        assert done.before > version


def test_a_permission_at_the_same_version_is_not_checked_again(memory: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual move costs no extra query."""
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    monkeypatch.setattr(memory.service, "find_token", None)
    assert memory.change(game.id, RESIGN, permission=permission).before == game.version


def test_a_permission_for_a_freed_or_moved_seat_is_revoked(memory: Client) -> None:
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


def test_an_old_token_forks_nothing(memory: Client) -> None:
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    memory.play(game.id, 2)
    fork = memory.fork(game.id, permission=permission)
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.fork(game.id, permission=permission)
    assert set(memory.game_ids()) == {game.id, fork.id}


def test_an_old_token_gets_no_repeated_commit(memory: Client) -> None:
    """The commit may hold secrets of the new holder."""
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    first = memory.change(game.id, RESIGN, key=KEY, permission=permission)
    assert memory.change(game.id, RESIGN, key=KEY, permission=permission).version == first.version
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.change(game.id, RESIGN, key=KEY, permission=permission)
    with pytest.raises(Revoked):
        memory.repeated(KEY, permission)


def test_a_fork_from_the_queue_checks_the_token_again(memory: Client) -> None:
    """While a fork waits in the queue, the token may be renewed and the game go on."""
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])

    async def scene() -> None:
        async with memory.service.heavy.turn("busy"):
            fork = memory.service.fork
            forks = [
                asyncio.create_task(fork(game.id, None, client="busy", permission=permission)),
                asyncio.create_task(fork(game.id, None, client="busy", expected_version=game.version)),
            ]
            await asyncio.sleep(0)  # both permissions have been checked
            await memory.service.change(game.id, commands.renew_token(0))
        for task, error in zip(forks, (Revoked, StaleVersion), strict=True):
            with pytest.raises(error):
                await task

    memory.wait(scene())
    assert memory.game_ids() == [game.id]


def test_a_revoked_token_is_reported_before_a_stale_version(memory: Client) -> None:
    game = begun(memory)
    permission = memory.permission(game.id, game.tokens[0])
    memory.change(game.id, commands.renew_token(0))
    with pytest.raises(Revoked):
        memory.change(game.id, RESIGN, game.version, permission=permission)


def test_a_fork_at_the_version_of_the_permission_is_not_repeated_for_an_old_token(memory: Client) -> None:
    """The two versions belong to different games and are unrelated."""
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


def test_no_move_with_an_old_token_follows_its_renewal(client: Client, other: Client) -> None:
    """A player and the host send requests to two processes at the same time."""
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
