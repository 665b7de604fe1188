"""Audits of all games: nothing is hidden by taking away the note where a stream ends, or by erasing a game."""

from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from domain.anchors import Anchored, make_anchor, read_anchors
from domain.store import UnknownGame
from domain.store.database import Database
from domain.stream import Discrepancy, digest_of, fact_of, origin, write
from domain.table_facts import GameRemoved
from tests.store.clients import Client, connected, opened_database

AT = "2026-01-31T18:00:00.000000Z"


def run(url: str, sql: str, *values: Any) -> None:
    """Do something to the database behind the back of the program."""
    with opened_database(url) as database, database.transaction() as transaction:
        transaction.run((sql, values))


def anchored(client: Client, earlier: Anchored | None = None) -> bytes:
    """The line for the games as they are."""
    return client.wait(client.service.read_heads(partial(make_anchor, anchored=earlier or {}, at=AT)))


def bad(url: str, anchors: Anchored | None = None) -> dict[UUID, Discrepancy]:
    """The games that an audit of all games finds, each with the kind of its first difference."""
    known = anchors or {}
    found = {}
    with connected(url) as client:
        for game in {*client.wait(client.service.game_ids()), *map(UUID, known)}:
            with suppress(UnknownGame):  # removed, and that is in order
                audit = client.wait(client.service.audit(game, anchors=known.get(str(game), ())))
                if audit.first_difference:
                    found[game] = audit.first_difference.what
    return found


@pytest.fixture
def games(shared_url: str) -> list[UUID]:
    """Three games that were played, in order of their ids."""
    with connected(shared_url) as client:
        ids = [client.started().id for _ in range(3)]
        for game in ids:
            client.play(game, 6)
        return sorted(ids)


@pytest.fixture(params=[1, 2, 1000])
def _ids_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.streams.IDS_AT_ONCE", request.param)
    monkeypatch.setattr("domain.store.streams.IDS_AT_ONCE", request.param)


@pytest.mark.usefixtures("_ids_at_once")
def test_all_games_are_found_by_events_or_heads(shared_url: str, games: list[UUID]) -> None:
    run(shared_url, "DELETE FROM stored_events WHERE originator_id = ?", games[0].hex)
    run(shared_url, "DELETE FROM heads WHERE game = ?", games[1].hex)
    with connected(shared_url) as client:
        assert client.wait(client.service.game_ids()) == games
        assert client.wait(client.service.read_heads(lambda heads: [game for game, _ in heads])) == [
            str(games[0]),
            str(games[2]),
        ]
    assert bad(shared_url) == {games[0]: "end", games[1]: "head"}


def test_a_head_that_was_deleted_stays_missing_although_the_game_goes_on(shared_url: str, games: list[UUID]) -> None:
    run(shared_url, "DELETE FROM heads WHERE game = ?", games[1].hex)
    with connected(shared_url) as client:
        before = client.load(games[1]).version
        assert client.play(games[1], 2, seed=1).version > before
        assert client.started().id != games[1]
    assert bad(shared_url) == {games[1]: "head"}


def test_a_head_that_is_none_is_as_good_as_missing(shared_url: str, games: list[UUID]) -> None:
    run(shared_url, "UPDATE heads SET version = -1 WHERE game = ?", games[0].hex)
    run(shared_url, "UPDATE heads SET digest = ? WHERE game = ?", b"short", games[1].hex)
    run(shared_url, "UPDATE heads SET game = 'no id' WHERE game = ?", games[2].hex)
    assert bad(shared_url) == dict.fromkeys(games, "head")


# --- anchors -----------------------------------------------------------------------------------------------------


@pytest.fixture
def lines(shared_url: str, games: list[UUID]) -> list[bytes]:
    """Two lines, between which one game went on and another one was opened."""
    with connected(shared_url) as client:
        first = anchored(client)
        client.play(games[0], 3, seed=1)
        client.started()
        return [first, anchored(client, read_anchors([first]))]


def test_games_that_went_on_are_in_order(shared_url: str, games: list[UUID], lines: list[bytes]) -> None:
    assert bad(shared_url, read_anchors(lines)) == {}
    with connected(shared_url) as client:
        client.play(games[0], 2, seed=2)
        client.play(games[1], 2, seed=2)
    assert bad(shared_url, read_anchors(lines)) == {}


def test_a_game_that_was_erased_whole_is_found_by_its_anchor(
    shared_url: str, games: list[UUID], lines: list[bytes]
) -> None:
    run(shared_url, "DELETE FROM heads WHERE game = ?", games[0].hex)
    run(shared_url, "DELETE FROM stored_events WHERE originator_id = ?", games[0].hex)
    assert bad(shared_url) == {}
    assert bad(shared_url, read_anchors(lines)) == {games[0]: "anchor"}


def test_a_stream_cut_with_its_head_is_found_by_its_anchor(
    shared_url: str, games: list[UUID], lines: list[bytes]
) -> None:
    with opened_database(shared_url) as database:
        last = max(version for version, _ in stored(database, games[0]))
    run(shared_url, "DELETE FROM stored_events WHERE originator_id = ? AND originator_version = ?", games[0].hex, last)
    with opened_database(shared_url) as database:
        events = [event for _, text in stored(database, games[0]) for event in text.split(b"\n")]
    set_head(shared_url, games[0], events)
    assert bad(shared_url) == {}
    assert bad(shared_url, read_anchors(lines)) == {games[0]: "anchor"}


def test_a_removed_game_is_named_as_such_and_found_once_that_is_erased_too(
    shared_url: str, games: list[UUID], lines: list[bytes]
) -> None:
    with connected(shared_url) as client:
        end = client.load(games[0]).version
        at = client.wait(client.service.remove(games[0]))
        for _ in range(2):
            known = read_anchors(lines)
            with pytest.raises(UnknownGame) as unknown:
                client.wait(client.service.audit(games[0], anchors=known[str(games[0])]))
            assert unknown.value.removed_at == at
            lines = [*lines, anchored(client, known)]
    assert read_anchors(lines)[str(games[0])][-1].version == end + 1
    assert bad(shared_url, read_anchors(lines)) == {}
    run(shared_url, "DELETE FROM heads WHERE game = ?", games[0].hex)
    run(shared_url, "DELETE FROM stored_events WHERE originator_id = ?", games[0].hex)
    assert bad(shared_url, read_anchors(lines)) == {games[0]: "anchor"}


@pytest.mark.parametrize("earlier", [0, 1, 5])
def test_a_removal_no_later_than_what_was_anchored_is_a_difference(
    shared_url: str, games: list[UUID], lines: list[bytes], earlier: int
) -> None:
    """Somebody who cuts a game short and has it removed then does not hide the cut."""
    last = read_anchors(lines)[str(games[1])][-1].version
    prior = bytes(32)
    (event,), digest = write(last - 1 - earlier, prior, AT, [GameRemoved(prior=prior.hex(), private=False)])
    run(shared_url, "DELETE FROM stored_events WHERE originator_id = ?", games[1].hex)
    run(shared_url, _INSERT_EVENT, games[1].hex, last - earlier, event)
    run(shared_url, "UPDATE heads SET version = ?, digest = ? WHERE game = ?", last - earlier, digest, games[1].hex)
    assert bad(shared_url) == {}
    assert bad(shared_url, read_anchors(lines)) == {games[1]: "anchor"}


@pytest.mark.parametrize("anchored_again", [False, True])
def test_a_stream_written_anew_is_found_by_its_anchor(
    shared_url: str, games: list[UUID], lines: list[bytes], anchored_again: bool
) -> None:
    """The same game at other times: chain, head and rules are in order, also those of what came since."""
    with opened_database(shared_url) as database:
        rows = stored(database, games[1])
    events = [event for _, text in rows for event in text.split(b"\n")]
    facts = [fact_of(*each) for each in enumerate(events, 1)]
    events, _ = write(0, origin(str(games[1])), AT, facts)
    for version, text in rows:
        part = b"\n".join(events[version - 1 : version + text.count(b"\n")])
        run(shared_url, _SET_STATE, part, games[1].hex, version)
    set_head(shared_url, games[1], events)
    if anchored_again:
        with connected(shared_url) as client:
            client.play(games[1], 2, seed=3)
            lines = [*lines, anchored(client, read_anchors(lines))]
    assert bad(shared_url) == {}
    assert bad(shared_url, read_anchors(lines)) == {games[1]: "anchor"}


def stored(database: Database, game: UUID) -> list[tuple[int, bytes]]:
    rows = database.select(
        (
            "SELECT originator_version, state FROM stored_events WHERE originator_id = ? ORDER BY originator_version",
            (game.hex,),
        )
    )
    return [(version, bytes(text)) for version, text in rows]


def set_head(url: str, game: UUID, events: list[bytes]) -> None:
    change = "UPDATE heads SET version = ?, digest = ? WHERE game = ?"
    run(url, change, len(events), digest_of(events[-1]), game.hex)


_INSERT_EVENT = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, 'table', ?)"
_SET_STATE = "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?"
