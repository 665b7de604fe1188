"""Games changed in the database: the damage is reported, and other games are not affected."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.api.people import People, problem, serving

CHANGES = {
    "an unknown place": ("pueblo", "gotham"),
    "a field that no fact has": ('"fixed"', '"faked"'),
    "bytes that are no JSON": ('"town"', '"town'),
}

DAMAGE = """
    UPDATE stored_events SET state = CAST(replace(CAST(state AS TEXT), ?, ?) AS BLOB)
    WHERE originator_id = ? AND CAST(state AS TEXT) LIKE '%town_founded%'
"""


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_damaged_game_is_reported_and_the_audit_says_where(change: tuple[str, str], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    with serving(database_url=url) as client:
        table, other = (People(client, start="introductory") for _ in range(2))
    with closing(sqlite3.connect(tmp_path / "games.db")) as database:
        database.execute(DAMAGE, (*change, table.id.replace("-", "")))
        database.commit()
    with serving(database_url=url) as client:
        table.client = other.client = client
        for view in ("", "/board", "/scores", "/legal-moves", "/history", "/events", "/record"):
            problem(table.get(view), 503, "game_unreadable")
        problem(table.post("/moves", table.tokens[0], {"type": "end_turn"}), 503, "game_unreadable")
        problem(table.get("/audit"), 503, "game_unreadable")
        audit = table.get("/audit", table.tokens[0]).json()
        assert not audit["ok"]
        assert audit["first_difference"]["version"] > 1
        assert other.seen("/audit")["ok"]


def test_a_game_without_a_head_fails_its_audit(tmp_path: Path) -> None:
    with serving(database_url=f"sqlite:///{tmp_path / 'games.db'}") as client:
        table, other = (People(client, start="introductory") for _ in range(2))
        with closing(sqlite3.connect(tmp_path / "games.db")) as database:
            database.execute("DELETE FROM heads WHERE game = ?", (table.id.replace("-", ""),))
            database.commit()
        audit = table.seen("/audit")
        assert (audit["ok"], audit["chain_ok"], audit["replay_ok"]) == (False, False, True)
        assert audit["first_difference"]["what"] == "head"
        assert other.seen("/audit")["ok"]


KEYS = {
    "a key of release 1.0": ("game = x''", 409, "answer_unreadable"),
    "another body": ("body_hash = zeroblob(16)", 422, "key_reused"),
    "another salt": ("salt = zeroblob(16)", 422, "key_reused"),
    "other events": ("last = last - 1", 422, "key_reused"),
}


@pytest.mark.parametrize(("change", "status", "code"), KEYS.values(), ids=KEYS)
def test_a_changed_key_is_refused_and_nothing_is_repeated(change: str, status: int, code: str, tmp_path: Path) -> None:
    key = "0d5f4c1e-3f0b-4f6e-9d3c-5a1f2b3c4d5e"
    with serving(database_url=f"sqlite:///{tmp_path / 'games.db'}") as client:
        table = People(client)
        seat, move = table.to_play, table.moves()[0]
        assert table.do(move, seat, idempotency_key=key).status_code == 200
        version = table.version
        with closing(sqlite3.connect(tmp_path / "games.db")) as database:
            assert database.execute(f"UPDATE keys SET {change}").rowcount == 1
            database.commit()
        problem(table.do(move, seat, idempotency_key=key), status, code)
        assert table.version == version
