"""Databases and records of the first release: every game reads the same, continues, and passes its audit."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.actions import Resign
from domain.rules_version import RULES_VERSION
from domain.store import AnswerUnreadable, IdempotencyKey, LoadedGame, TokenHolder, UnknownGame, commands
from projections.board import board
from projections.history import history, history_page
from projections.legal_moves import legal_moves
from projections.scores import scores
from projections.summary import summary
from tests.store.clients import Client, connected, run_housekeeping, without_import

DATA = Path(__file__).parent / "first_release"


class StoredGame(msgspec.Struct):
    """A game as the first release showed it; ``views`` hold JSON, or the SHA-256 of long JSON."""

    id: UUID
    tokens: dict[str, str]
    version: int = 0
    opened: str = ""
    changed: str = ""
    digest: str = ""
    views: dict[str, msgspec.Raw] = {}
    earlier: dict[int, str] = {}
    events: dict[str, Any] = {}
    audit: msgspec.Raw = msgspec.Raw(b"null")
    record: str | None = None


class StoredKey(msgspec.Struct):
    """An idempotency key; its request in hexadecimal."""

    of: str
    caller: str
    key: str
    body: str

    @property
    def idempotency_key(self) -> IdempotencyKey:
        return IdempotencyKey(self.caller, self.key, bytes.fromhex(self.body))


class Expected(msgspec.Struct):
    """Everything that the first release showed."""

    games: dict[str, StoredGame]
    keys: list[StoredKey]
    revoked_token: str
    listing: list[msgspec.Raw]
    listing_of_bob: list[UUID]


EXPECTED = msgspec.json.decode((DATA / "expected.json").read_bytes(), type=Expected)
DELETED = EXPECTED.games["deleted"]
GAMES = {name: game for name, game in EXPECTED.games.items() if game is not DELETED}
STARTED = {name: game for name, game in GAMES.items() if game.record is not None}


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A copy of the database."""
    file = tmp_path / "games.sqlite3"
    file.write_bytes((DATA / "games.sqlite3.bin").read_bytes())
    return f"sqlite:///{file}"


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    """A client of a copy of the database."""
    with connected(url) as client:
        yield client


NEW_OPTIONS = dict.fromkeys(("hot_seat", "invite", "hints", "turn_limit", "absent"), 0)

ADDED: dict[str, dict[str, Any]] = {
    "summary": {"options": NEW_OPTIONS, "changed_at": 0, "passed": 0, "undo": 0, "redo": 0}
    | {
        "seats": {"bot": 0, "reserved": 0, "seconds_used": 0, "stand_in": 0},
        "phase_text": 0,
        "ending": {"text": 0},
        "waiting_since": 0,
        "deadline": 0,
        "proposal": {"redo": 0},
        "rematch_of": 0,
        "rematch": 0,
        "imported_from": 0,
    },
    "board": {"version": 0, "tiles_left": 0, "regions": {"tile": {"text": 0}}, "track": {"tile": {"text": 0}}},
    "scores": {"version": 0, "players": {"bonus_tiles_used": 0}, "ending": {"text": 0}},
    "legal_moves": {
        "items": {"text": 0, "targets": 0},
        "end_of_turn": {"milestones": 0, "special_tiles": 0, "ends_game": 0, "text": 0},
        "phase_text": 0,
    },
    "history": {"version": 0, "after": 0, "next": 0, "notes": 0, "turns": {"opening": {"text": 0, "targets": 0}}}
    | {"items": {"at": 0, "by": 0, "text": 0, "effects": {"text": 0, "targets": 0}}},
}
"""New fields of views, and the sentences of the history, whose words may change."""


def without(value: Any, added: dict[str, Any]) -> Any:
    """Return a view without some of its fields."""
    if isinstance(value, list):
        return [without(item, added) for item in value]
    if value is None:
        return None
    return {
        name: without(part, added[name]) if name in added else part
        for name, part in value.items()
        if added.get(name) != 0
    }


def views(client: Client, loaded: LoadedGame) -> dict[str, bytes]:
    """Every view as the first release encoded it."""
    page = history_page(loaded.timeline.now, None, 10**6)
    events = client.wait(client.service.recorded(loaded.id, page.versions))
    shown: dict[str, Any] = {
        "summary": summary(loaded.id, loaded.timeline, loaded.changed_at),
        "board": board(loaded.timeline),
        "scores": scores(loaded.timeline),
        "legal_moves": legal_moves(loaded.timeline),
        "history": history(loaded.version, loaded.table, page, events),
    }
    as_sent = {name: msgspec.json.decode(msgspec.json.encode(view)) for name, view in shown.items()}
    return {name: msgspec.json.encode(without(view, ADDED[name])) for name, view in as_sent.items()}


def digest(texts: Any) -> str:
    return sha256(b"\n".join(texts)).hexdigest()


@pytest.mark.parametrize("name", GAMES)
def test_a_game_reads_the_same(client: Client, name: str) -> None:
    stored = GAMES[name]
    loaded = client.load(stored.id)
    assert (loaded.version, loaded.opened_at, loaded.changed_at) == (stored.version, stored.opened, stored.changed)
    assert loaded.digest.hex() == stored.digest
    shown = views(client, loaded)
    for view, expected in stored.views.items():
        assert bytes(expected) in (shown[view], msgspec.json.encode(sha256(shown[view]).hexdigest())), view
    for version, expected_digest in stored.earlier.items():
        assert digest(views(client, client.load(stored.id, version)).values()) == expected_digest, version


@pytest.mark.parametrize("name", GAMES)
def test_a_stream_reads_the_same(client: Client, name: str) -> None:
    stored = GAMES[name]
    full = client.wait(client.service.events(stored.id, limit=10**6, full=True))
    effective = client.wait(client.service.events(stored.id, limit=10**6))
    assert [len(full.items), len(effective.items)] == stored.events["count"]
    assert digest(full.items) == stored.events["full"]
    assert digest(effective.items) == stored.events["in_force"]
    assert msgspec.json.encode(client.audit(stored.id)) == bytes(stored.audit)


@pytest.mark.parametrize("name", STARTED)
def test_a_record_is_the_same(client: Client, name: str) -> None:
    record = client.export_record(STARTED[name].id)
    assert sha256(record).hexdigest() == STARTED[name].record


@pytest.mark.parametrize("name", [name for name in STARTED if name not in ("finished with all modules", "resigned")])
def test_a_game_continues(client: Client, name: str) -> None:
    before = client.load(STARTED[name].id)
    assert before.game is not None
    after = client.play(before.id, 6)
    assert after.version > before.version
    assert client.audit(before.id).ok


def test_undo_and_redo_work(client: Client) -> None:
    for name in ("playing", "finished with all modules", "many undos", "one event per row", "drafted with all modules"):
        before = client.load(GAMES[name].id)
        assert client.change(before.id, commands.undo(None)).loaded.game != before.game
        assert client.change(before.id, commands.redo(None)).loaded.game == before.game
        assert client.audit(before.id).ok


def test_a_pending_proposal_is_answered(client: Client) -> None:
    game = GAMES["proposal pending"].id
    proposal = client.load(game).table.proposal
    assert proposal is not None
    assert (proposal.seat, proposal.accepted) == (1, (3,))
    client.change(game, commands.answer_undo(0, True))
    agreed = client.change(game, commands.answer_undo(2, True))
    assert agreed.table.proposal is None
    assert agreed.loaded.game == client.load(game, proposal.to).game
    assert client.audit(game).ok


def test_an_open_table_starts(client: Client) -> None:
    game = GAMES["open"].id
    assert client.load(game).table.closed
    client.change(game, commands.start)
    assert client.play(game, 4).table.status == "playing"
    assert client.audit(game).ok


def test_a_game_is_forked_between_its_events(client: Client) -> None:
    stored = GAMES["one event per row"]
    before = client.load(stored.id)
    fork = client.fork(stored.id)
    assert fork.loaded.game == before.game
    assert client.audit(fork.id).ok


@pytest.mark.parametrize("name", GAMES)
def test_tokens_keep_their_seats(client: Client, name: str) -> None:
    for seat, token in GAMES[name].tokens.items():
        game = GAMES[name].id
        holder = TokenHolder(game, None, "host") if seat == "host" else TokenHolder(game, int(seat))
        assert client.find_token(token) == holder


def test_a_replaced_token_is_unknown(client: Client) -> None:
    assert client.find_token(EXPECTED.revoked_token) is None


def test_a_deleted_table_stays_deleted(client: Client) -> None:
    with pytest.raises(UnknownGame):
        client.load(DELETED.id)


KEYS = [stored.idempotency_key for stored in EXPECTED.keys]
FORMS = {
    "as it was": KEYS,
    "with a token": [replace(key, token="a token") for key in KEYS],
    "with another request": [replace(key, request=b"another") for key in KEYS],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_request_done_by_the_first_release_is_never_repeated(client: Client, form: str) -> None:
    """Keys of every length, for changes of every kind; the stored form of the responses is not kept."""
    games = client.game_ids()
    played, versions = GAMES["playing"].id, {name: client.load(game.id).version for name, game in GAMES.items()}
    record = (DATA / "forked.record.json").read_bytes()
    assert len(FORMS[form]) == 11
    for key in FORMS[form]:
        asked: list[Callable[[IdempotencyKey], object]] = [
            client.repeated,
            lambda key: client.open_table(key=key),
            lambda key: client.change(played, commands.undo(None), key=key),
            lambda key: client.change(played, commands.renew_token(0), key=key),
            lambda key: client.fork(played, key=key),
            lambda key: client.import_record(record, key=key),
        ]
        for ask in asked:
            with pytest.raises(AnswerUnreadable):
                ask(key)
    assert client.game_ids() == games
    assert {name: client.load(game.id).version for name, game in GAMES.items()} == versions


def test_another_caller_uses_the_same_keys_for_new_requests(client: Client) -> None:
    key = replace(KEYS[0], caller="somebody new", token="a token")
    assert not client.open_table(key=key).repeated


def test_keys_are_known_for_30_days_after_the_upgrade(client: Client, url: str) -> None:
    """The first release stored no time with them: they count as stored at the upgrade, not at a later start."""
    for days, known in ((29, True), (31, False)):
        with connected(url) as again:
            run_housekeeping(url, again, now=(datetime.now(UTC) + timedelta(days)).isoformat(), tables=0)
            assert [is_known(again, key) for key in KEYS] == [known] * len(KEYS)
    key = replace(KEYS[0], token="a token")
    assert not client.open_table(key=key).repeated


def is_known(client: Client, key: IdempotencyKey) -> bool:
    try:
        return client.repeated(key) is not None
    except AnswerUnreadable:
        return True


def test_an_unused_table_is_deleted(client: Client, url: str) -> None:
    game = GAMES["open"]
    for days, left in ((29, [game.id]), (31, [])):
        run_housekeeping(url, client, now=(datetime.fromisoformat(game.changed) + timedelta(days)).isoformat())
        assert [entry.id for entry in client.lobby(statuses=["open"]).items] == left
    assert client.audit(game.id).ok


def test_the_lobby_shows_the_same(client: Client) -> None:
    """The first release stored the origin of a fork as a pair, and sent it as an object like today."""
    shown = client.lobby(limit=100).items
    expected = [msgspec.json.decode(item) for item in EXPECTED.listing]
    for entry in expected:
        if entry["forked_from"] is not None:
            entry["forked_from"] = dict(zip(("game", "version"), entry["forked_from"], strict=True))
    added = {"options": NEW_OPTIONS, "changed_at": 0, "turn": 0, "phase": 0, "to_play": 0}
    added |= {"waiting_since": 0, "deadline": 0, "imported_from": 0}
    assert without(msgspec.json.decode(msgspec.json.encode(shown)), added) == expected


def test_the_lobby_derives_the_turn_once_and_stores_it(client: Client) -> None:
    """The first release stored no progress."""
    for _ in range(2):
        for entry in client.lobby(limit=100).items:
            loaded = client.load(entry.id)
            assert (entry.version, entry.changed_at) == (loaded.version, loaded.changed_at)
            game = loaded.game
            expected = (0, "lobby", None) if game is None else (game.turn.number, game.phase, game.to_play)
            assert (entry.turn, entry.phase, entry.to_play) == expected


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("file", sorted(DATA.glob("*.record.json")), ids=lambda file: file.stem)
def test_an_exported_record_is_imported(client: Client, memory: Client, file: Path) -> None:
    document = file.read_bytes()
    imported = memory.import_record(document)
    assert without_import(memory.export_record(imported.id)) == document
    assert memory.audit(imported.id).ok
    client.import_record(document)
    copy = client.import_record(document)
    assert copy.id != imported.id, "the database has that game already"
    assert copy.loaded.game == imported.loaded.game
    assert client.audit(copy.id).ok


# --- rules 1 -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("clock")
def test_r8_1_a_game_of_rules_1_continues_under_rules_1(memory: Client) -> None:
    """R8.1: red has passed and left, orange has passed; when black leaves too, only rules 1 end the game."""
    document = (DATA / "leaver_about_to_leave.record.json").read_bytes()
    game = memory.import_record(document).id
    fork = memory.fork(game).id
    for played in (game, fork):
        assert memory.events(played)[5].count(b'"type":"game_started","rules":1,') == 1
        ended = memory.change(played, commands.act(3, Resign())).loaded.game
        assert ended is not None
        assert ended.ending is not None
        assert (ended.ending.reason, ended.passed) == ("no_expansion", (1, 2))
        assert memory.audit(played).ok
    again = memory.import_record(memory.export_record(fork)).id
    assert memory.audit(again).ok


def test_r8_1_a_table_of_the_first_release_starts_by_the_current_rules(client: Client) -> None:
    """R8.1: the start of play decides the rules."""
    begun = client.change(GAMES["open"].id, commands.start).loaded.game
    assert begun is not None
    assert begun.rules == RULES_VERSION == 2
