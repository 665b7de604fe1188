"""Tables: opening, joining with a name, starting, and the tokens of the seats."""

from itertools import count
from uuid import RFC_4122, uuid4

import pytest

from domain.facts import FirstPlayerChosen
from domain.modules import Fact, GameOptions, GameStarted, TableOpened
from domain.records import RecordRefused
from domain.refused import Refused
from domain.seating import take_seat
from domain.store import Commit, TokenHolder, UnknownGame, commands
from domain.store.new_games import new_id
from domain.store.tokens import HOST
from domain.table import Table, change_table
from domain.table_facts import SeatTaken, TokenRenewed
from tests.store.clients import QUICK, Client


def test_a_table_waits_until_every_seat_is_taken(client: Client) -> None:
    opened = client.open_table(3)
    assert opened.table.status == "open"
    assert opened.loaded.game is None
    assert set(opened.tokens) == {HOST, 0}

    client.change(opened.id, commands.take_seat("Bob"))
    assert client.load(opened.id).table.status == "open"
    last = client.change(opened.id, commands.take_seat("Cleo"))

    loaded = client.load(opened.id)
    assert loaded.version == last.version
    assert loaded.table.status == "playing"
    assert [(p.seat, p.name, p.colour) for p in loaded.table.players] == [
        (0, "Ann", "blue"),
        (1, "Bob", "red"),
        (2, "Cleo", "orange"),
    ]
    assert loaded.game is not None
    assert len(loaded.game.players) == 3
    assert isinstance(last.facts[0], SeatTaken)
    assert isinstance(last.facts[1], GameStarted)


def test_a_full_table_starts_at_once(memory: Client) -> None:
    opened = memory.open_table(2, ["Ann", "Bob"], GameOptions())
    assert opened.before == 0
    assert opened.version == len(opened.events) == len(opened.facts)
    assert opened.table.status == "playing"
    assert isinstance(opened.facts[0], TableOpened)
    assert set(opened.tokens) == {HOST, 0, 1}


def test_a_token_belongs_to_one_seat_of_one_game(client: Client) -> None:
    first = client.started()
    second = client.started()
    for change in (first, second):
        for seat, token in change.tokens.items():
            holder = TokenHolder(change.id, None, "host") if seat == HOST else TokenHolder(change.id, seat)
            assert client.find_token(token) == holder
    assert len({*first.tokens.values(), *second.tokens.values()}) == 6
    for nobody in ("", "nobody's", "\0", "ü" * 3000, "\ud800"):
        assert client.find_token(nobody) is None


def test_a_new_token_revokes_the_old_one_of_that_seat(client: Client) -> None:
    opened = client.started()
    renewed = client.change(opened.id, commands.renew_token(1))
    assert renewed.facts == [TokenRenewed(1, "host")]
    assert renewed.version == opened.version + 1
    assert client.find_token(renewed.tokens[1]) == TokenHolder(opened.id, 1)
    assert client.find_token(opened.tokens[1]) is None
    assert client.find_token(opened.tokens[0]) == TokenHolder(opened.id, 0)
    with pytest.raises(Refused, match="seat 2"):
        client.change(opened.id, commands.renew_token(2))


def test_the_host_can_start_before_every_seat_is_taken(memory: Client) -> None:
    opened = memory.open_table(5)
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.start)
    assert (refused.value.code, refused.value.needed, refused.value.had) == (
        "too_few_players",
        {"players": 2},
        {"players": 1},
    )
    memory.change(opened.id, commands.take_seat("Bob"))
    begun = memory.change(opened.id, commands.start)
    assert begun.loaded.game is not None
    assert len(begun.loaded.game.players) == 2
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.start)
    assert refused.value.code == "already_started"
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.take_seat("Cleo"))
    assert refused.value.code == "already_started"


def test_nobody_can_join_a_closed_table_but_it_can_start(memory: Client) -> None:
    opened = memory.open_table(4, ["Ann", "Bob"], GameOptions())
    memory.change(opened.id, commands.close)
    for command in (commands.take_seat("Cleo"), commands.close):
        with pytest.raises(Refused) as refused:
            memory.change(opened.id, command)
        assert refused.value.code == "table_closed"
    assert memory.change(opened.id, commands.start).table.status == "playing"


def test_a_deleted_table_is_gone(client: Client) -> None:
    opened = client.open_table()
    client.change(opened.id, commands.delete)
    with pytest.raises(UnknownGame):
        client.load(opened.id)
    with pytest.raises(UnknownGame):
        client.change(opened.id, commands.take_seat("Bob"))
    started = client.started()
    with pytest.raises(Refused, match="already_started"):
        client.change(started.id, commands.delete)


@pytest.mark.parametrize("seats", [0, 1, 6])
def test_a_table_has_two_to_five_seats(memory: Client, seats: int) -> None:
    with pytest.raises(Refused) as refused:
        memory.open_table(seats, [], GameOptions())
    assert refused.value.rule == "R2.1"


def test_more_players_than_seats_are_refused(memory: Client) -> None:
    with pytest.raises(Refused) as refused:
        memory.open_table(2, ["Ann", "Bob", "Cleo"], GameOptions())
    assert refused.value.code == "table_full"


def test_impossible_options_are_refused_when_the_table_is_opened(memory: Client) -> None:
    with pytest.raises(Refused):
        memory.open_table(2, ["Ann"], GameOptions(first_player=4))


def test_the_seed_is_drawn_unless_the_host_sets_it(memory: Client) -> None:
    def started(options: GameOptions) -> GameStarted:
        return next(fact for fact in memory.started(options, 5).facts if isinstance(fact, GameStarted))

    assert started(GameOptions(seed=3)).seed == 3
    assert started(GameOptions(seed=0)).seed == 0
    drawn = {started(GameOptions()).seed for _ in range(4)}
    assert len(drawn) == 4
    assert all(0 <= seed < 2**53 for seed in drawn)


def test_the_same_seed_gives_the_same_set_up(memory: Client) -> None:
    first, second = memory.started(GameOptions(seed=5), 5), memory.started(GameOptions(seed=5), 5)
    assert first.facts == second.facts
    assert any(isinstance(fact, FirstPlayerChosen) and fact.drawn for fact in first.facts)


def test_an_unopened_game_is_unknown(client: Client) -> None:
    for read in (client.service.load, client.service.archive.audit, client.service.events):
        with pytest.raises(UnknownGame):
            client.wait(read(uuid4()))
    for command in (commands.take_seat("Ann"), commands.start, commands.undo(0)):
        with pytest.raises(UnknownGame):
            client.change(uuid4(), command)
    with pytest.raises(UnknownGame):
        client.fork(uuid4())


def test_ids_are_uuids_in_the_order_of_their_creation(monkeypatch: pytest.MonkeyPatch) -> None:
    born = count(1_700_000_000_000_000_000, 1_000_000)
    monkeypatch.setattr("domain.store.new_games.time_ns", lambda: next(born))
    ids = [new_id() for _ in range(1000)]
    assert ids == sorted(ids)
    assert {(one.version, one.variant) for one in ids} == {(7, RFC_4122)}
    assert ids[0].int >> 80 == 1_700_000_000_000


def test_ids_of_the_same_moment_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.store.new_games.time_ns", lambda: 1_700_000_000_000_000_000)
    assert len({new_id() for _ in range(1000)}) == 1000


# --- names that look alike are refused, but earlier games with such names stay as they are ---------------------------

WIDE = "\uff21\uff4e\uff4e"
"""Ann in wide letters."""


def with_names(client: Client, *names: str) -> Commit:
    """A game as the first release stored it, which only refused names that differ by capitals."""
    table, facts = Table(len(names), QUICK), list[Fact]([TableOpened(seats=len(names), options=QUICK)])
    for version, name in enumerate(names, 2):
        facts.append(take_seat(table, name, comparable=str.casefold))
        table = change_table(table, version, facts[-1])
    facts += commands.start_facts(table, len(names), ())
    return client.wait(client.service.store_game(facts))


def test_two_players_do_not_share_a_name(memory: Client) -> None:
    opened = memory.open_table(3, ["Straße"], GameOptions())
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.take_seat("STRASSE"))
    assert refused.value.code == "name_taken"
    with pytest.raises(Refused, match="ann"):
        memory.open_table(3, ["Ann", "ann"], GameOptions())


@pytest.mark.parametrize("name", ["ANN", WIDE, "An\ufe0fn", "\U0001d400nn"])
def test_a_name_that_looks_like_another_is_refused(memory: Client, name: str) -> None:
    opened = memory.open_table(3)
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.take_seat(name))
    assert refused.value.code == "name_taken"
    with pytest.raises(Refused) as refused:
        memory.open_table(3, ["Bob", name, "Ann"], GameOptions())
    assert refused.value.code == "name_taken"


def test_a_game_with_names_that_look_alike_is_played_forked_and_audited(memory: Client) -> None:
    game = with_names(memory, "Ann", WIDE)
    loaded = memory.play(game.id, 6)
    assert [player.name for player in loaded.table.players] == ["Ann", WIDE]
    assert memory.audit(game.id).ok
    assert memory.audit(memory.fork(game.id).id).ok


def test_an_audit_still_finds_the_same_name_twice(memory: Client) -> None:
    twice = [change for change in memory.started().facts if not isinstance(change, TableOpened)][:1]
    game = memory.wait(memory.service.store_game([TableOpened(seats=3, options=QUICK), *twice, *twice]))
    difference = memory.audit(game.id).first_difference
    assert difference is not None
    assert (difference.version, difference.what) == (3, "fact")
    assert isinstance(difference.expected, str)
    assert "name_taken" in difference.expected


def test_a_record_with_names_that_look_alike_is_refused(memory: Client) -> None:
    document = memory.export_record(with_names(memory, "Bob", "Ann", WIDE).id)
    with pytest.raises(RecordRefused, match="is taken") as refused:
        memory.import_record(document)
    assert refused.value.where == "event 4"
    assert len(memory.lobby().items) == 1


def test_a_record_of_a_game_started_with_open_seats_is_imported(memory: Client) -> None:
    opened = memory.open_table(4, ["Ann", "Bob"], QUICK)
    memory.change(opened.id, commands.close)
    memory.change(opened.id, commands.start)
    assert memory.import_record(memory.export_record(opened.id)).loaded.table.started


def test_a_player_is_found_by_all_forms_of_the_name(client: Client) -> None:
    plain, wide = client.open_table(), client.open_table(2, [WIDE], GameOptions())
    client.open_table(2, ["Zoe"], GameOptions())
    for name in ("ann", WIDE, "An\ufe0fn"):
        assert [entry.id for entry in client.lobby(player=name).items] == [wide.id, plain.id]
