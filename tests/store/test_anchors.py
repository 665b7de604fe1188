"""Audits of all games find deleted heads and deleted games."""

from contextlib import suppress
from functools import partial
from uuid import UUID

import pytest

from domain.anchors import Anchored, make_anchor, read_anchors
from domain.store import UnknownGame
from domain.stream import Discrepancy, digest_of, fact_of, origin, write
from domain.table_facts import GameRemoved
from tests.store.clients import Client, Run, connected, stored_rows

AT = "2026-01-31T18:00:00.000000Z"


def anchored(client: Client, earlier: Anchored | None = None) -> bytes:
    """The anchor line of the games as they are."""
    return client.wait(client.service.archive.read_heads(partial(make_anchor, anchored=earlier or {}, at=AT)))


def bad(client: Client, anchors: Anchored | None = None) -> dict[UUID, Discrepancy]:
    """The games with a difference, by an audit of all games."""
    known = anchors or {}
    found = {}
    for game in {*client.game_ids(), *map(UUID, known)}:
        with suppress(UnknownGame):  # removed by an operator
            audit = client.wait(client.service.archive.audit(game, anchors=known.get(str(game), ())))
            if audit.first_difference:
                found[game] = audit.first_difference.what
    return found


@pytest.fixture
def games(client: Client) -> list[UUID]:
    """Three games with some moves, in order of their ids."""
    ids = [client.started().id for _ in range(3)]
    for game in ids:
        client.play(game, 6)
    return sorted(ids)


def delete_rows(run: Run, game: UUID) -> None:
    run("DELETE FROM heads WHERE game = ?", game.hex)
    run("DELETE FROM stored_events WHERE originator_id = ?", game.hex)


def test_all_games_are_found_by_events_or_heads(
    client: Client, games: list[UUID], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("DELETE FROM stored_events WHERE originator_id = ?", games[0].hex)
    run("DELETE FROM heads WHERE game = ?", games[1].hex)
    for at_once in (1, 2, 1000):
        monkeypatch.setattr("domain.store.streams.IDS_AT_ONCE", at_once)
        assert client.game_ids() == games
        heads = client.wait(client.service.archive.read_heads(lambda heads: [game for game, _ in heads]))
        assert heads == [str(games[0]), str(games[2])]
    assert bad(client) == {games[0]: "end", games[1]: "head"}


def test_a_deleted_head_stays_missing_when_the_game_goes_on(
    database_url: str, client: Client, games: list[UUID], run: Run
) -> None:
    run("DELETE FROM heads WHERE game = ?", games[1].hex)
    with connected(database_url) as later:
        before = later.load(games[1]).version
        assert later.play(games[1], 2, seed=1).version > before
        assert later.started().id != games[1]
    assert bad(client) == {games[1]: "head"}


def test_an_invalid_head_counts_as_missing(client: Client, games: list[UUID], run: Run) -> None:
    run("UPDATE heads SET version = -1 WHERE game = ?", games[0].hex)
    run("UPDATE heads SET digest = ? WHERE game = ?", b"short", games[1].hex)
    run("UPDATE heads SET game = 'no id' WHERE game = ?", games[2].hex)
    assert bad(client) == dict.fromkeys(games, "head")


# --- anchors -----------------------------------------------------------------------------------------------------


@pytest.fixture
def lines(client: Client, games: list[UUID]) -> list[bytes]:
    """Two anchor lines; between them one game went on and another was opened."""
    first = anchored(client)
    client.play(games[0], 3, seed=1)
    client.started()
    return [first, anchored(client, read_anchors([first]))]


def test_games_that_went_on_pass(client: Client, games: list[UUID], lines: list[bytes]) -> None:
    assert bad(client, read_anchors(lines)) == {}
    client.play(games[0], 2, seed=2)
    client.play(games[1], 2, seed=2)
    assert bad(client, read_anchors(lines)) == {}


def test_a_game_deleted_with_its_head_is_found_by_its_anchor(
    client: Client, games: list[UUID], lines: list[bytes], run: Run
) -> None:
    delete_rows(run, games[0])
    assert bad(client) == {}
    assert bad(client, read_anchors(lines)) == {games[0]: "anchor"}


def test_a_stream_cut_with_its_head_is_found_by_its_anchor(
    client: Client, games: list[UUID], lines: list[bytes], run: Run
) -> None:
    last = max(stored_rows(run, games[0]))
    run("DELETE FROM stored_events WHERE originator_id = ? AND originator_version = ?", games[0].hex, last)
    set_head(run, games[0], events_of(run, games[0]))
    assert bad(client) == {}
    assert bad(client, read_anchors(lines)) == {games[0]: "anchor"}


def test_a_removed_game_is_reported_as_removed_until_its_removal_is_deleted_too(
    client: Client, games: list[UUID], lines: list[bytes], run: Run
) -> None:
    end = client.load(games[0]).version
    at = client.remove(games[0])
    for _ in range(2):
        known = read_anchors(lines)
        with pytest.raises(UnknownGame) as unknown:
            client.wait(client.service.archive.audit(games[0], anchors=known[str(games[0])]))
        assert unknown.value.removed_at == at
        lines = [*lines, anchored(client, known)]
    assert read_anchors(lines)[str(games[0])][-1].version == end + 1
    assert bad(client, read_anchors(lines)) == {}
    delete_rows(run, games[0])
    assert bad(client, read_anchors(lines)) == {games[0]: "anchor"}


@pytest.mark.parametrize("earlier", [0, 1, 5])
def test_a_removal_before_the_anchored_version_is_a_difference(
    client: Client, games: list[UUID], lines: list[bytes], run: Run, earlier: int
) -> None:
    """Cutting a game short and removing it then does not hide the cut."""
    last = read_anchors(lines)[str(games[1])][-1].version
    prior = bytes(32)
    (event,), digest = write(last - 1 - earlier, prior, AT, [GameRemoved(prior=prior.hex(), private=False)])
    run("DELETE FROM stored_events WHERE originator_id = ?", games[1].hex)
    run(
        "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, 'table', ?)",
        *(games[1].hex, last - earlier, event),
    )
    run("UPDATE heads SET version = ?, digest = ? WHERE game = ?", last - earlier, digest, games[1].hex)
    assert bad(client) == {}
    assert bad(client, read_anchors(lines)) == {games[1]: "anchor"}


@pytest.mark.parametrize("anchored_again", [False, True])
def test_a_rewritten_stream_is_found_by_its_anchor(
    database_url: str, client: Client, games: list[UUID], lines: list[bytes], run: Run, anchored_again: bool
) -> None:
    """The same game at other times: chain, head and rules are in order, also for later events."""
    rows = stored_rows(run, games[1])
    facts = [fact_of(*each) for each in enumerate(events_of(run, games[1]), 1)]
    events, _ = write(0, origin(str(games[1])), AT, facts)
    change = "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?"
    for version, text in rows.items():
        run(change, b"\n".join(events[version - 1 : version + text.count(b"\n")]), games[1].hex, version)
    set_head(run, games[1], events)
    if anchored_again:
        with connected(database_url) as later:
            later.play(games[1], 2, seed=3)
            lines = [*lines, anchored(later, read_anchors(lines))]
    assert bad(client) == {}
    assert bad(client, read_anchors(lines)) == {games[1]: "anchor"}


def events_of(run: Run, game: UUID) -> list[bytes]:
    return [event for text in stored_rows(run, game).values() for event in text.split(b"\n")]


def set_head(run: Run, game: UUID, events: list[bytes]) -> None:
    change = "UPDATE heads SET version = ?, digest = ? WHERE game = ?"
    run(change, len(events), digest_of(events[-1]), game.hex)
