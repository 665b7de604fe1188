"""Look-ups of rows by their keys: batched into few statements, with the right rows or errors for every caller."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from domain.store import tokens
from domain.store import work as module
from domain.store.database import Statement
from domain.store.errors import StorageUnavailable
from domain.store.work import SIZES, Found, Keyed, LookUps
from tests.store.clients import Client

FRUIT = Keyed("fruit", "name", "colour")
TREES = Keyed("trees", "number", "height")


class Shelf:
    """A database with a row for each key, which responds when it is opened."""

    def __init__(self) -> None:
        self.asked: list[Statement] = []
        self.calls = 0
        self.open = asyncio.Event()
        self.broken = False

    def select(self, statement: Statement) -> list[tuple[Any, ...]]:
        self.asked.append(statement)
        if self.broken:
            raise StorageUnavailable("broken")
        sql, keys = statement
        return [(key, f"{key} of {sql.split()[4]}") for key in dict.fromkeys(keys)]

    async def read(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.calls += 1
        await self.open.wait()
        return function(*arguments)


async def ask(look_ups: LookUps, *wanted: tuple[Keyed, Sequence[Any]]) -> list[asyncio.Task[Found]]:
    tasks = [asyncio.create_task(look_ups.find(rows, *keys)) for rows, keys in wanted]
    for _ in range(2):  # all ask, and the first look-up starts
        await asyncio.sleep(0)
    return tasks


def test_waiting_callers_share_a_round_trip_and_get_their_own_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 3600)

    async def scene() -> None:
        shelf = Shelf()
        look_ups = LookUps(shelf, shelf.read)
        first = await ask(look_ups, (FRUIT, ["fig"]))
        others = await ask(look_ups, (FRUIT, ["pear", "plum"]), (TREES, [7]), (FRUIT, ["pear"]))
        assert shelf.calls == 1
        shelf.open.set()
        found = await asyncio.gather(*first, *others)
        assert found == [
            {"fig": ["fig of fruit"]},
            {"pear": ["pear of fruit"], "plum": ["plum of fruit"]},
            {7: ["7 of trees"]},
            {"pear": ["pear of fruit"]},
        ]
        assert [(sql.split()[4], keys) for sql, keys in shelf.asked] == [
            ("fruit", ("fig",)),
            ("fruit", ("pear", "plum")),
            ("trees", (7,)),
        ]
        assert shelf.calls == 2

    asyncio.run(scene())


def test_waiting_callers_get_an_error_and_later_ones_get_rows() -> None:
    async def scene() -> None:
        shelf = Shelf()
        look_ups = LookUps(shelf, shelf.read)
        shelf.broken = True
        tasks = [*await ask(look_ups, (FRUIT, ["fig"])), *await ask(look_ups, (TREES, [7]))]
        shelf.open.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(each) for each in found] == [StorageUnavailable] * 2
        shelf.broken = False
        assert await look_ups.find(TREES, 8) == {8: ["8 of trees"]}

    asyncio.run(scene())


def test_a_stuck_look_up_does_not_block_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.02)

    async def scene() -> None:
        shelf, stuck = Shelf(), asyncio.Event()

        async def read(function: Callable[..., Any], *arguments: Any) -> Any:
            if not shelf.calls:
                shelf.calls += 1
                await stuck.wait()
                raise StorageUnavailable("late")
            return await shelf.read(function, *arguments)

        shelf.open.set()
        look_ups = LookUps(shelf, read)
        (first,) = await ask(look_ups, (FRUIT, ["fig"]))
        assert await look_ups.find(FRUIT, "pear") == {"pear": ["pear of fruit"]}
        assert await look_ups.find(TREES, 7) == {7: ["7 of trees"]}
        assert not first.done()
        stuck.set()
        with pytest.raises(StorageUnavailable):
            await first

    asyncio.run(scene())


def test_a_cancelled_look_up_leaves_no_caller_waiting() -> None:
    async def scene() -> None:
        shelf = Shelf()

        async def read(*_: Any) -> Any:
            await shelf.open.wait()
            raise asyncio.CancelledError

        look_ups = LookUps(shelf, read)
        asked = [*await ask(look_ups, (FRUIT, ["fig"])), *await ask(look_ups, (FRUIT, ["pear"]))]
        shelf.open.set()
        await asyncio.wait(asked, timeout=10)
        assert all(each.cancelled() for each in asked)

    asyncio.run(scene())


def test_a_cancelled_caller_does_not_affect_the_others() -> None:
    async def scene() -> None:
        shelf = Shelf()
        look_ups = LookUps(shelf, shelf.read)
        leaving, staying = await ask(look_ups, (FRUIT, ["fig"]), (FRUIT, ["fig"]))
        leaving.cancel()
        shelf.open.set()
        assert await staying == {"fig": ["fig of fruit"]}
        assert leaving.cancelled()

    asyncio.run(scene())


@pytest.mark.parametrize("number", [1, 3, 64, 128, 129, 300])
def test_all_keys_are_looked_up_by_statements_of_few_sizes(number: int) -> None:
    async def scene() -> None:
        shelf = Shelf()
        look_ups = LookUps(shelf, shelf.read)
        first = await ask(look_ups, (FRUIT, ["fig"]))
        others = await ask(look_ups, *((TREES, [key]) for key in range(number)))
        shelf.open.set()
        found = await asyncio.gather(*first, *others)
        assert found[1:] == [{key: [f"{key} of trees"]} for key in range(number)]
        assert all(len(keys) in SIZES and sql.count("?") == len(keys) for sql, keys in shelf.asked)
        assert len(shelf.asked) == 1 + -(-number // SIZES[-1])

    asyncio.run(scene())


def test_many_tokens_at_once_find_their_own_holders(client: Client) -> None:
    commits = [client.started() for _ in range(30)]
    held = {token: (commit.id, number) for commit in commits for number, token in commit.tokens.items()}

    async def find() -> list[Any]:
        wanted = [*held, *(tokens.new_token() for _ in range(30))]
        return await asyncio.gather(*map(client.service.find_token, wanted))

    found = client.wait(find())
    assert [each and (each.game, tokens.HOST if each.seat is None else each.seat) for each in found] == [
        *held.values(),
        *[None] * 30,
    ]
