"""A soak of seconds instead of minutes."""

import pytest

from tests.api.people import People
from tests.api.server import client_of, running
from tests.soak.__main__ import KINDS, table
from tests.soak.ledger import Ledger
from tests.soak.soaking import check_heads, soak


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_in_a_soak(kind: str) -> None:
    ledger = soak(kind, seconds=4, seed=1, players=2)
    assert ledger.errors == []
    counts = ledger.counts
    assert counts["games audited"] >= counts["games ended"] == counts["games begun"] > 0
    assert counts["events audited"] >= counts["events read from streams"] > 0
    assert counts["moves acknowledged"] > 0
    assert counts["moves of bots"] > 0
    assert table({kind: ledger}).row_count >= 10


def test_a_lost_acknowledged_event_is_found() -> None:
    with running() as server, client_of(server.url) as client:
        game, ledger = People(client), Ledger()
        ledger.acknowledge(game.path, game.seen("/events")["items"])
        check_heads(server.url, ledger)
        assert not ledger.errors
        ledger.acknowledge(game.path, [{"version": 1_000, "digest": "0" * 64}])
        check_heads(server.url, ledger)
    assert ledger.counts["acknowledged and lost"] == len(ledger.errors) == 1
