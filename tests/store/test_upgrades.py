"""Upgrades: databases of other schemas."""

from pathlib import Path

import pytest

from domain.store import NewerDatabase, open_service
from domain.store.schema import SCHEMA
from tests.store import processes
from tests.store.behind import behind
from tests.store.clients import connected, opened_database

STORED = Path(__file__).parent


def numbers(url: str) -> list[int]:
    with behind(url) as run:
        return [number for (number,) in run("SELECT number FROM database_schema")]


@pytest.fixture
def old_url(request: pytest.FixtureRequest, shared_url: str) -> str:
    """A database as the first release made it: its own file, or for PostgreSQL one without what came since."""
    if shared_url.startswith("sqlite"):
        data = STORED / "first_release" / "games.sqlite3.bin"
        Path(shared_url.removeprefix("sqlite:///")).write_bytes(data.read_bytes())
        return shared_url
    with connected(shared_url) as client:
        client.play(client.started().id, 3)
        client.listing()
    with behind(shared_url) as run:
        for table, column in (("heads", "progress"), ("answers", "stored_at")):
            run(f"ALTER TABLE {table} DROP COLUMN {column}")
        run("DROP TABLE database_schema, bot_games")
    return shared_url


def test_eight_processes_that_start_at_once_upgrade_an_old_database_once(old_url: str) -> None:
    started = [processes.start(old_url, number, 1, 2) for number in range(8)]
    acknowledged = [message for _, receiver in started for message in processes.receive_all(receiver)]
    for process, _ in started:
        process.join()
    assert [process.exitcode for process, _ in started] == [0] * 8
    assert processes.AWAY not in acknowledged
    assert numbers(old_url) == [SCHEMA]
    with connected(old_url) as client:
        ids = client.wait(client.service.game_ids())
        assert {game for game, _ in acknowledged} < set(map(str, ids))


def test_an_upgrade_empties_the_lobby_which_is_derived_again(old_url: str) -> None:
    with behind(old_url) as run:
        public, of_players = (
            run(f"SELECT count(*) FROM {rows}") for rows in ("lobby WHERE private = 0", "lobby_players")
        )
        run("UPDATE lobby SET line = ?", b"of another form")
        run("DELETE FROM lobby_players")
    with opened_database(old_url) as database:
        for table in ("lobby", "lobby_players", "lobby_position"):
            assert database.select((f"SELECT * FROM {table}", ())) == []
    for _ in range(2):  # the second start upgrades nothing
        with connected(old_url) as client:
            assert [(len(client.listing(limit=100).items),)] == public
            assert len(client.listing(limit=100, player="bob").items) > 0
        with behind(old_url) as run:
            assert run("SELECT count(*) FROM lobby_players") == of_players


def test_a_database_of_the_next_release_stays_as_it_is(shared_url: str) -> None:
    with connected(shared_url) as client:
        game = client.started().id
    with behind(shared_url) as run:
        run("UPDATE database_schema SET number = ?", SCHEMA + 1)
        run("DROP INDEX lobby_by_status")
    with connected(shared_url) as client:
        client.play(game, 2)
        assert client.audit(game).ok
    with behind(shared_url) as run:
        assert numbers(shared_url) == [SCHEMA + 1]
        run("CREATE INDEX lobby_by_status ON lobby (status, number)")  # which would fail if it was there


def test_a_database_that_is_too_new_is_refused_and_stays_as_it_is(shared_url: str) -> None:
    with connected(shared_url):
        pass
    with behind(shared_url) as run:
        run("UPDATE database_schema SET number = ?", SCHEMA + 2)
        run("DROP TABLE bot_games")
    with pytest.raises(NewerDatabase, match=f"it has schema {SCHEMA + 2}, and this release works with those up to"):
        open_service(shared_url)
    with behind(shared_url) as run:
        run("CREATE TABLE bot_games (game TEXT)")
