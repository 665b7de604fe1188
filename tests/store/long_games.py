"""Games with many events, made faster than anybody could play them."""

from uuid import UUID

from domain.store.commands import TableDecision
from domain.store.commit import commit_of_decision, store
from domain.store.games import LoadedGames
from domain.table_facts import Redone, Undone
from tests.store.clients import opened_database


def take_back_and_forth(url: str, game: UUID, decisions: int, events: int) -> int:
    """Store decisions of so many events, an even number, by which the last move is there again; return the version."""
    with opened_database(url) as database:
        loaded = LoadedGames(database, 10**8).load(game)
        now = loaded.timeline.now
        assert now is not None
        assert now.earlier is not None
        facts = (Undone(None, now.earlier.version), Redone(None, now.version)) * (events // 2)
        for _ in range(decisions):
            commit = commit_of_decision(loaded, TableDecision(facts))
            store(database, [commit])
            loaded = commit.loaded
    return loaded.version
