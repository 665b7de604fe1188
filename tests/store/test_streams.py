"""Reading streams: events in force are read without those that were taken back."""

from domain.store import commands
from domain.store.games import LoadedGames
from domain.store.streams import effective_events, event_page
from tests.store.clients import CountingDatabase, connected, opened_database

UNDOS = 60


def test_what_was_taken_back_is_not_read(shared_url: str) -> None:
    with connected(shared_url) as client:
        game = client.started().id
        for seed in range(UNDOS):
            client.play(game, 1 + (seed % 20 == 0), seed)
            client.change(game, commands.undo(None))
        full = client.wait(client.service.events(game, full=True)).items
        effective = client.wait(client.service.events(game)).items
    with opened_database(shared_url) as database:
        loaded = LoadedGames(database, 1).load(game)
        counting = CountingDatabase(database)
        recorded = effective_events(counting, loaded)
        assert len(recorded) == len(effective) < len(full)
        assert counting.rows < UNDOS / 6
        for after in range(len(effective)):
            counting.rows = 0
            page = event_page(counting, loaded, after, 5, full=False)
            later = [event for event, one in zip(effective, recorded, strict=True) if one.version > after]
            assert page.items == tuple(later[:5])
            assert counting.rows <= 5
