"""Heavy work has its own threads and limits, so that light work never waits for it."""

import asyncio
from threading import Event, Semaphore
from typing import Any

import pytest

from domain.store import Limits, TooMuchWork, open_service
from domain.store.work import HEAVY_THREADS, HeavyWork
from tests.store.clients import Client
from tests.support.waiting import soon

MANY = 40


@pytest.fixture
def gate() -> Event:
    return Event()


def test_heavy_work_of_one_client_runs_one_at_a_time(gate: Event) -> None:
    """The other thread stays free for other clients."""
    begun: list[str] = []

    def work(client: str) -> str:
        begun.append(client)
        gate.wait()
        return client

    async def scene() -> list[str]:
        heavy = HeavyWork(most=100, most_of_client=MANY)
        waiting = [asyncio.create_task(heavy.run("greedy", work, "greedy")) for _ in range(MANY)]
        await soon(lambda: len(begun) == 1)
        other = asyncio.create_task(heavy.run("other", work, "other"))
        await soon(lambda: len(begun) == 2)
        assert begun == ["greedy", "other"]
        gate.set()
        done = [await each for each in (*waiting, other)]
        heavy.close()
        return done

    assert asyncio.run(scene()) == ["greedy"] * MANY + ["other"]


def test_the_queue_is_limited_in_all_and_for_each_client(gate: Event) -> None:
    async def scene() -> None:
        heavy = HeavyWork(most=5, most_of_client=3)
        waiting = [asyncio.create_task(heavy.run(client, gate.wait)) for client in "aaabb"]
        await asyncio.sleep(0)
        for client in "abc":
            with pytest.raises(TooMuchWork):
                await heavy.run(client, gate.wait)
        gate.set()
        assert all([await each for each in waiting])
        assert await heavy.run("a", len, "free again") == 10
        heavy.close()

    asyncio.run(scene())


def test_cancelled_work_leaves_the_queue(gate: Event) -> None:
    async def scene() -> None:
        heavy = HeavyWork(most=2, most_of_client=2)
        waiting = [asyncio.create_task(heavy.run("a", gate.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        await asyncio.sleep(0)
        again = asyncio.create_task(heavy.run("a", gate.wait))
        gate.set()
        assert await waiting[0]
        assert await again
        heavy.close()

    asyncio.run(scene())


def test_reads_do_not_wait_for_audits_and_imports(client: Client, gate: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads for heavy work are blocked until the gate opens."""
    game = client.started().id
    record, loaded = client.export_record(game), client.play(game, 5)
    begun = Semaphore(0)

    def stuck(*_: object) -> None:
        begun.release()
        gate.wait()

    monkeypatch.setattr("domain.store.archive.audit_game", stuck)
    monkeypatch.setattr("domain.store.new_games.verify_record", stuck)

    async def scene() -> None:
        service = client.service
        clients = [f"client {number}" for number in range(20)]
        heavy: list[asyncio.Task[Any]] = [
            asyncio.create_task(service.archive.audit(game, client)) for client in clients
        ]
        heavy += [asyncio.create_task(service.import_record(record, client=client)) for client in clients]
        await asyncio.gather(*(asyncio.to_thread(begun.acquire) for _ in range(HEAVY_THREADS)))
        await service.ready()
        assert (await service.load(game, 9)).version == 9
        assert len((await service.list_games()).items) == 1
        assert len((await service.events(game)).items) == loaded.version
        assert not any(each.done() for each in heavy)
        for each in heavy:
            each.cancel()
        gate.set()
        await asyncio.gather(*heavy, return_exceptions=True)

    client.wait(scene())


def test_the_service_refuses_too_much_work(memory: Client, gate: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.archive.audit_game", lambda *_: gate.wait())
    game = memory.started().id

    async def scene() -> None:
        async with open_service("memory:", limits=Limits(heavy_requests=2, heavy_requests_per_client=1)) as service:
            waiting = [asyncio.create_task(service.archive.audit(game, client)) for client in "ab"]
            await asyncio.sleep(0)
            for client in "ac":
                with pytest.raises(TooMuchWork):
                    await service.archive.audit(game, client)
            gate.set()
            await asyncio.gather(*waiting)

    memory.wait(scene())
