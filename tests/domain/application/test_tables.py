"""Opening tables, sitting down, beginning, and whose token is whose."""

from itertools import count
from typing import Any
from uuid import RFC_4122, uuid4

import pytest
from domain.events import FirstPlayerChosen, GameStarted, SeatTaken, TableOpened
from domain.options import Options
from domain.refusals import Refused

from domain.application import Caller, UnknownGame
from domain.application.founding import new_id
from tests.domain.application.tables import Visitor


def test_a_table_waits_until_every_seat_is_taken(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 3, ["Ann"], Options())
    assert opened.table.status == "open"
    assert opened.game is None
    assert set(opened.tokens) == {None, 0}

    visitor.change("take_seat", opened.id, "Bob")
    assert visitor.look(opened.id).table.status == "open"
    last = visitor.change("take_seat", opened.id, "Cleo")

    held = visitor.look(opened.id)
    assert held.version == last.version
    assert held.table.status == "playing"
    assert [(p.seat, p.name, p.colour) for p in held.table.players] == [
        (0, "Ann", "blue"),
        (1, "Bob", "red"),
        (2, "Cleo", "orange"),
    ]
    assert held.game is not None
    assert len(held.game.players) == 3
    assert isinstance(last.facts[0], SeatTaken)
    assert isinstance(last.facts[1], GameStarted)


def test_a_full_table_begins_at_once(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 2, ["Ann", "Bob"], Options())
    assert opened.before == 0
    assert opened.version == len(opened.events) == len(opened.facts)
    assert opened.table.status == "playing"
    assert isinstance(opened.facts[0], TableOpened)
    assert set(opened.tokens) == {None, 0, 1}


def test_a_token_opens_one_place_of_one_game(visitor: Visitor) -> None:
    first = visitor.started()
    second = visitor.started()
    for change in (first, second):
        for seat, token in change.tokens.items():
            assert visitor.wait(visitor.club.caller(token)) == Caller(change.id, seat)
    assert len({*first.tokens.values(), *second.tokens.values()}) == 6
    for nobody in ("", "nobody's", "\0", "ü" * 3000, "\ud800"):
        assert visitor.wait(visitor.club.caller(nobody)) is None


def test_a_new_token_ends_the_old_one_of_that_seat(visitor: Visitor) -> None:
    opened = visitor.started()
    renewed = visitor.change("new_token", opened.id, 1)
    assert renewed.version == opened.version
    assert visitor.wait(visitor.club.caller(renewed.tokens[1])) == Caller(opened.id, 1)
    assert visitor.wait(visitor.club.caller(opened.tokens[1])) is None
    assert visitor.wait(visitor.club.caller(opened.tokens[0])) == Caller(opened.id, 0)
    with pytest.raises(Refused, match="seat 2"):
        visitor.change("new_token", opened.id, 2)


def test_the_host_may_begin_with_those_who_are_there(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 5, ["Ann"], Options())
    with pytest.raises(Refused) as refused:
        visitor.change("start", opened.id)
    assert (refused.value.code, refused.value.needed, refused.value.had) == (
        "too_few_players",
        {"players": 2},
        {"players": 1},
    )
    visitor.change("take_seat", opened.id, "Bob")
    begun = visitor.change("start", opened.id)
    assert begun.game is not None
    assert len(begun.game.players) == 2
    with pytest.raises(Refused) as refused:
        visitor.change("start", opened.id)
    assert refused.value.code == "already_started"
    with pytest.raises(Refused) as refused:
        visitor.change("take_seat", opened.id, "Cleo")
    assert refused.value.code == "already_started"


def test_a_closed_table_takes_nobody_but_may_begin(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 4, ["Ann", "Bob"], Options())
    visitor.change("close", opened.id)
    for what, words in (("take_seat", ["Cleo"]), ("close", [])):
        with pytest.raises(Refused) as refused:
            visitor.change(what, opened.id, *words)
        assert refused.value.code == "table_closed"
    assert visitor.change("start", opened.id).table.status == "playing"


def test_a_deleted_table_is_gone(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 2, ["Ann"], Options())
    visitor.change("delete", opened.id)
    with pytest.raises(UnknownGame):
        visitor.look(opened.id)
    with pytest.raises(UnknownGame):
        visitor.change("take_seat", opened.id, "Bob")
    started = visitor.started()
    with pytest.raises(Refused, match="begun"):
        visitor.change("delete", started.id)


def test_two_players_do_not_share_a_name(visitor: Visitor) -> None:
    opened = visitor.change("open_table", 3, ["Straße"], Options())
    with pytest.raises(Refused) as refused:
        visitor.change("take_seat", opened.id, "STRASSE")
    assert refused.value.code == "name_taken"
    with pytest.raises(Refused, match="ann"):
        visitor.change("open_table", 3, ["Ann", "ann"], Options())


@pytest.mark.parametrize("seats", [0, 1, 6])
def test_a_table_has_two_to_five_seats(memory: Visitor, seats: int) -> None:
    with pytest.raises(Refused) as refused:
        memory.change("open_table", seats, [], Options())
    assert refused.value.rule == "R2.1"


def test_more_players_than_seats_do_not_sit_down(memory: Visitor) -> None:
    with pytest.raises(Refused) as refused:
        memory.change("open_table", 2, ["Ann", "Bob", "Cleo"], Options())
    assert refused.value.code == "table_full"


def test_options_that_make_no_game_are_refused_when_the_table_is_opened(memory: Visitor) -> None:
    with pytest.raises(Refused):
        memory.change("open_table", 2, ["Ann"], Options(first_player=4))


def test_the_seed_is_drawn_unless_the_host_names_it(memory: Visitor) -> None:
    def started(options: Options) -> GameStarted:
        return next(fact for fact in memory.started(options, 5).facts if isinstance(fact, GameStarted))

    assert started(Options(seed=3)).seed == 3
    assert started(Options(seed=0)).seed == 0
    drawn = {started(Options()).seed for _ in range(4)}
    assert len(drawn) == 4
    assert all(0 <= seed < 2**53 for seed in drawn)


def test_the_same_seed_gives_the_same_set_up(memory: Visitor) -> None:
    first, second = memory.started(Options(seed=5), 5), memory.started(Options(seed=5), 5)
    assert first.facts == second.facts
    assert any(isinstance(fact, FirstPlayerChosen) and fact.drawn for fact in first.facts)


def test_what_nobody_has_opened_is_unknown(visitor: Visitor) -> None:
    for look in ("look", "audit", "record", "story", "events"):
        with pytest.raises(UnknownGame):
            visitor.wait(getattr(visitor.club, look)(uuid4()))
    changes: list[tuple[str, list[Any]]] = [("take_seat", ["Ann"]), ("start", []), ("undo", [0]), ("fork", [])]
    for what, words in changes:
        with pytest.raises(UnknownGame):
            visitor.change(what, uuid4(), *words)


def test_ids_are_uuids_in_the_order_of_their_birth(monkeypatch: pytest.MonkeyPatch) -> None:
    born = count(1_700_000_000_000_000_000, 1_000_000)
    monkeypatch.setattr("domain.application.founding.time_ns", lambda: next(born))
    ids = [new_id() for _ in range(1000)]
    assert ids == sorted(ids)
    assert {(one.version, one.variant) for one in ids} == {(7, RFC_4122)}
    assert ids[0].int >> 80 == 1_700_000_000_000


def test_ids_of_the_same_moment_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.application.founding.time_ns", lambda: 1_700_000_000_000_000_000)
    assert len({new_id() for _ in range(1000)}) == 1000
