"""Names that look alike: refused now, but games in which earlier servers let them in stay as they are."""

from uuid import UUID

import pytest

from domain.modules import Fact, GameOptions, TableOpened
from domain.records import RecordRefused
from domain.refused import Refused
from domain.seating import take_seat
from domain.store import Commit, commands
from domain.table import Table, change_table
from tests.store.clients import QUICK, Client

WIDE = "\uff21\uff4e\uff4e"
"""Ann in wide letters."""


def stored(client: Client, *names: str) -> Commit:
    """A game as the first release stored it, which let in all names that differ by more than capitals."""
    table, facts = Table(len(names), QUICK), list[Fact]([TableOpened(seats=len(names), options=QUICK)])
    for version, name in enumerate(names, 2):
        facts.append(take_seat(table, name, comparable=str.casefold))
        table = change_table(table, version, facts[-1])
    facts += commands.start_facts(table, len(names), ())
    return client.wait(client.service.store_game(facts))


def found(client: Client, name: str) -> list[UUID]:
    return [line.id for line in client.listing(player=name).items]


@pytest.mark.parametrize("name", ["ANN", WIDE, "An\ufe0fn", "\U0001d400nn"])
def test_nobody_sits_down_with_a_name_that_is_there(memory: Client, name: str) -> None:
    opened = memory.open_table(3, ["Ann"], GameOptions())
    with pytest.raises(Refused) as refused:
        memory.change(opened.id, commands.take_seat(name))
    assert refused.value.code == "name_taken"
    with pytest.raises(Refused) as refused:
        memory.open_table(3, ["Bob", name, "Ann"], GameOptions())
    assert refused.value.code == "name_taken"


def test_a_game_with_names_that_look_alike_is_played_on_forked_and_audited(client: Client) -> None:
    game = stored(client, "Ann", WIDE)
    loaded = client.play(game.id, 6)
    assert [player.name for player in loaded.table.players] == ["Ann", WIDE]
    assert client.audit(game.id).ok
    assert client.audit(client.fork(game.id).id).ok


def test_an_audit_still_finds_the_same_name_twice(memory: Client) -> None:
    twice = [change for change in memory.started().facts if not isinstance(change, TableOpened)][:1]
    game = memory.wait(memory.service.store_game([TableOpened(seats=3, options=QUICK), *twice, *twice]))
    difference = memory.audit(game.id).first_difference
    assert difference is not None
    assert (difference.version, difference.what) == (3, "fact")
    assert isinstance(difference.expected, str)
    assert "name_taken" in difference.expected


def test_a_record_with_names_that_look_alike_is_refused(memory: Client) -> None:
    document = memory.export_record(stored(memory, "Bob", "Ann", WIDE).id)
    with pytest.raises(RecordRefused, match="sits here already") as refused:
        memory.import_record(document)
    assert refused.value.where == "event 4"
    assert len(memory.listing().items) == 1


def test_a_record_of_a_game_that_was_started_with_open_seats_is_taken(memory: Client) -> None:
    opened = memory.open_table(4, ["Ann", "Bob"], QUICK)
    memory.change(opened.id, commands.close)
    memory.change(opened.id, commands.start)
    assert memory.import_record(memory.export_record(opened.id)).loaded.table.started


def test_a_player_is_found_by_all_forms_of_the_name(client: Client) -> None:
    plain, wide = client.open_table(2, ["Ann"], GameOptions()), client.open_table(2, [WIDE], GameOptions())
    client.open_table(2, ["Zoe"], GameOptions())
    for name in ("ann", WIDE, "An\ufe0fn"):
        assert found(client, name) == [wide.id, plain.id]
