"""Followers written for the eventsourcing library read every stored event in order, exactly once."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.application import ProcessingEvent
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.projection import EventSourcedProjection, EventSourcedProjectionRunner
from eventsourcing.system import ProcessApplication, SingleThreadedRunner, System

from domain.store import commands
from domain.store.application import MAPPER, EventRow, GamesApplication, environment, open_application
from domain.stream import Recorded, read
from tests.store.clients import Client, connected
from tests.store.processes import LONG

SEEN: list[EventRow] = []
"""The events processed by the follower in this process."""


@pytest.fixture
def seen() -> list[EventRow]:
    SEEN.clear()
    return SEEN


class Follower(ProcessApplication[UUID]):
    """An application of the library that follows the games and stores its position in its own database."""

    env = MAPPER

    def policy(self, domain_event: DomainEventProtocol[UUID], processing_event: ProcessingEvent[UUID]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride] - as the library documents it
        assert isinstance(domain_event, EventRow)
        SEEN.append(domain_event)


class Projection(EventSourcedProjection[UUID]):
    """A projection of the library that is notified of each append."""

    env = MAPPER

    def policy(self, domain_event: DomainEventProtocol[UUID], processing_event: ProcessingEvent[UUID]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride] - as the library documents it
        assert isinstance(domain_event, EventRow)
        SEEN.append(domain_event)


def settings(url: str) -> dict[str, str]:
    """The settings of the games, and those of a follower in the same process."""
    return {f"{GamesApplication.name.upper()}_{key}": value for key, value in environment(url).items()}


@contextmanager
def following(url: str, position: Path) -> Iterator[Follower]:
    """A follower that has caught up, in a system of the library."""
    own = {"FOLLOWER_PERSISTENCE_MODULE": "eventsourcing.sqlite", "FOLLOWER_SQLITE_DBNAME": str(position)}
    with SingleThreadedRunner[UUID](System(pipes=[[GamesApplication, Follower]]), {**settings(url), **own}) as runner:
        yield runner.get(Follower)


def play_two_games(client: Client) -> list[UUID]:
    """Play, undo and redo in two games."""
    games = [client.started().id, client.started(players=3).id]
    for number in range(2):
        for game in games:
            client.play(game, 2, seed=number)
            client.change(game, commands.undo(None))
        client.change(games[0], commands.redo(None))
    return games


def check_all_are_seen(client: Client, seen: list[EventRow], games: list[UUID]) -> None:
    for game in games:
        stored = client.events(game, full=True, limit=10**6)
        expected = [read(version, event) for version, event in enumerate(stored, 1)]
        assert facts_of(seen, game) == expected


def facts_of(seen: list[EventRow], game: UUID) -> list[Recorded]:
    return [recorded for row in seen if row.originator_id == game for recorded in row.recorded]


def test_a_process_application_follows_every_append(database_url: str, tmp_path: Path, seen: list[EventRow]) -> None:
    with connected(database_url) as client:
        games = play_two_games(client)
        with following(database_url, tmp_path / "position.db") as follower:
            follower.pull_and_process(GamesApplication.name)
            check_all_are_seen(client, seen, games)
            games += play_two_games(client)
            follower.pull_and_process(GamesApplication.name)
            check_all_are_seen(client, seen, games)
        games += play_two_games(client)
        with following(database_url, tmp_path / "position.db") as follower:
            follower.pull_and_process(GamesApplication.name)
            check_all_are_seen(client, seen, games)
    with closing(open_application(database_url)) as application:
        log = application.recorder.select_notifications(None, 10_000)
    assert [(row.originator_id, row.originator_version) for row in seen] == [
        (entry.originator_id, entry.originator_version) for entry in log
    ]


def test_a_projection_is_notified_of_every_append(postgres_database_url: str, seen: list[EventRow]) -> None:
    """PostgreSQL notifies listeners; on SQLite the library has no subscriptions."""
    runner: EventSourcedProjectionRunner[Any, Projection] = EventSourcedProjectionRunner(
        application_class=GamesApplication, projection_class=Projection, env=settings(postgres_database_url)
    )
    with connected(postgres_database_url) as client, runner:
        for _ in range(2):
            games = play_two_games(client)
            runner.wait(runner.app.recorder.max_notification_id(), timeout=LONG)
            check_all_are_seen(client, seen, games)


def test_a_follower_sees_removals(database_url: str, tmp_path: Path, seen: list[EventRow]) -> None:
    """One follower has read the game before; the other reads only the removal."""
    with connected(database_url) as client:
        kept, game = play_two_games(client)
        with following(database_url, tmp_path / "position.db") as follower:
            follower.pull_and_process(GamesApplication.name)
            length, version = len(seen), client.load(game).version
            removed_at = client.remove(game)
            follower.pull_and_process(GamesApplication.name)
        (row,) = seen[length:]
        assert (row.originator_id, row.originator_version, row.removed_at) == (game, version + 1, removed_at)
        assert row.recorded == ()
        assert {row.removed_at for row in seen[:length]} == {None}
        seen.clear()
        with following(database_url, tmp_path / "another.db") as follower:
            follower.pull_and_process(GamesApplication.name)
        assert [row.removed_at for row in seen if row.originator_id == game] == [removed_at]
        check_all_are_seen(client, seen, [kept])


def test_a_projection_is_notified_of_a_removal(postgres_database_url: str, seen: list[EventRow]) -> None:
    runner: EventSourcedProjectionRunner[Any, Projection] = EventSourcedProjectionRunner(
        application_class=GamesApplication, projection_class=Projection, env=settings(postgres_database_url)
    )
    with connected(postgres_database_url) as client, runner:
        game = client.started().id
        removed_at = client.remove(game)
        runner.wait(runner.app.recorder.max_notification_id(), timeout=LONG)
        assert seen[-1].removed_at == removed_at


def test_events_that_the_library_saves_get_the_ids_of_its_log(database_url: str) -> None:
    game = UUID(int=1)
    rows = [EventRow(game, version, "game", b"") for version in range(1, 200)]
    with closing(open_application(database_url)) as application:
        recordings = application.save(*rows)
        log = application.recorder.select_notifications(None, 1000)
        assert [recording.notification for recording in recordings] == log
        assert [entry.originator_version for entry in log] == [row.originator_version for row in rows]
        assert list(application.events.get(game, gt=197)) == rows[197:]
