"""The cache of games: bounded by bytes, with checkpoints for earlier versions."""

from random import Random
from uuid import UUID

import pytest

from domain.store import BoundedCache, UnknownVersion, commands
from domain.store.games import LoadedGames
from tests.store.clients import QUICK, Client, CountingDatabase, connected, opened_database


def test_a_cache_keeps_the_values_used_last() -> None:
    cache: BoundedCache[str, int] = BoundedCache(100)
    for number, key in enumerate("abc"):
        cache.put(key, number, 30)
    assert (cache.get("a"), cache.size, len(cache)) == (0, 90, 3)
    cache.put("d", 3, 40)
    assert [cache.get(key) for key in "abcd"] == [0, None, 2, 3]
    assert cache.size == 100


def test_a_replaced_value_is_counted_with_its_new_size() -> None:
    cache: BoundedCache[str, int] = BoundedCache(100)
    cache.put("a", 1, 10)
    cache.put("b", 2, 10)
    cache.put("a", 3, 95)
    assert (cache.get("a"), cache.get("b"), cache.size) == (3, None, 95)


def test_the_newest_value_is_kept_even_if_larger_than_the_cache() -> None:
    cache: BoundedCache[str, int] = BoundedCache(100)
    cache.put("a", 1, 10)
    cache.put("b", 2, 1000)
    assert (cache.get("a"), cache.get("b"), len(cache)) == (None, 2, 1)


def test_cached_games_stay_within_the_limit_of_bytes(sqlite_url: str) -> None:
    with connected(sqlite_url) as client, opened_database(sqlite_url) as database:
        ids = [client.started().id for _ in range(10)]
        games = LoadedGames(database, 100_000)
        for game in ids:
            games.load(game)
            assert games.cached(game)
            assert games.bytes_kept <= games.use.most_bytes < 100_000
        kept = [bool(games.cached(game)) for game in ids]
        assert kept == sorted(kept), "the games used last"
        assert 1 < sum(kept) < 10


def test_a_small_cache_still_serves_all_games(database_url: str, client: Client) -> None:
    games = [client.started() for _ in range(5)]
    for game in games:
        client.play(game.id, 2)
    versions = [client.load(game.id).version for game in games]
    with connected(database_url, cache_bytes=1) as forgetful:
        for _ in range(2):
            assert [forgetful.load(game.id).version for game in games] == versions
            assert [forgetful.load(game.id, 9).version for game in games] == [9] * 5


EVERY = 100
"""The number of events between two checkpoints."""


@pytest.fixture(autouse=True)
def _checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.games.CHECKPOINT_EVENTS", EVERY)


@pytest.fixture(scope="module")
def long_game(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, UUID, int]:
    """A database with a game of many events, most of them undone."""
    url = f"sqlite:///{tmp_path_factory.mktemp('long') / 'games.db'}"
    with connected(url) as client:
        game = client.started(QUICK).id
        for number in range(40):
            client.play(game, 6, number)
            client.change(game, commands.undo(None, client.load(game).timeline.now.earlier.earlier.version))  # type: ignore[union-attr]
        return url, game, client.load(game).version


def test_an_earlier_version_is_read_from_the_nearest_checkpoint(long_game: tuple[str, UUID, int]) -> None:
    """After the first read no other one reads more events than lie between two checkpoints."""
    url, game, newest = long_game
    assert newest > 5 * EVERY
    with opened_database(url) as database:
        counting = CountingDatabase(database)
        games = LoadedGames(counting, 10**9)
        games.load_at(game, newest - 1)
        for version in Random(1).sample(range(1, newest), 100):
            before = counting.rows
            assert games.load_at(game, version).version == version
            assert counting.rows - before < EVERY


def test_a_version_read_from_a_checkpoint_is_the_same_as_from_the_beginning(long_game: tuple[str, UUID, int]) -> None:
    url, game, newest = long_game
    with opened_database(url) as database:
        near = LoadedGames(database, 10**9)
        for version in (newest - 1, *Random(2).sample(range(1, newest), 40)):
            there, alone = near.load_at(game, version), LoadedGames(database, 1).load_at(game, version)
            assert there.game == alone.game
            assert there.table == alone.table
            assert (there.version, there.digest, there.changed_at) == (alone.version, alone.digest, alone.changed_at)
            moments = [(moment.version, moment.seat) for moment in there.timeline.moments]
            assert moments == [(moment.version, moment.seat) for moment in alone.timeline.moments]
        with pytest.raises(UnknownVersion):
            near.load_at(game, newest + 1)
