"""Rebuilds of the lobby: complete for readers in every step, resumed after a kill, right whatever happens meanwhile."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import pairwise
from random import Random
from signal import SIGKILL
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from domain.modules import GameOptions
from domain.refused import Refused
from domain.store import HOST, StorageUnavailable, UnknownGame, commands, lobby
from domain.store.database import Database, LiveDatabase, Statement, Transaction
from domain.store.games import LoadedGames
from domain.store.lobby import name_hash
from domain.stream import UnreadableEvent
from tests.store import processes
from tests.store.clients import QUICK, Client, Run, connected, opened_database, stored_rows
from tests.support.soak import soak_factor

PRIVATE = GameOptions(private=True)
NOWHERE = UUID(int=1).hex
FAR = 10**9

Look = Callable[[bool], None]
"""Called around each statement of a rebuild, with whether a transaction is open."""


class WatchedDatabase:
    """A database that calls a function before and after each statement."""

    def __init__(self, database: Database, look: Look) -> None:
        self._database = database
        self._look = look
        self.in_process = database.in_process

    def select(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        self._look(False)
        return self._database.select(statement)

    def append(self, *asked: Any, **options: Any) -> float:
        self._look(False)
        return self._database.append(*asked, **options)

    def purge(self) -> None:
        self._database.purge()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        self._look(False)
        with self._database.transaction() as transaction:
            yield WatchedTransaction(transaction, self._look)
        self._look(False)


class WatchedTransaction(NamedTuple):
    transaction: Transaction
    look: Look

    def run(self, statement: Statement) -> Sequence[tuple[Any, ...]]:
        self.look(True)
        rows = self.transaction.run(statement)
        self.look(True)
        return rows


def rebuilding(database: Database, look: Look = lambda _: None) -> Iterator[str]:
    return lobby.rebuild(WatchedDatabase(database, look), LoadedGames(database, 10**6))


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "ROWS_PER_STEP", 3)


class Games:
    """Games in every state."""

    def __init__(self, client: Client) -> None:
        self.open = client.open_table(3)
        self.playing = client.started()
        client.play(self.playing.id, 3)
        self.private = client.started(PRIVATE)
        self.deleted = client.open_table(2, ["Cleo"])
        client.change(self.deleted.id, commands.delete)
        self.removed = client.started()
        self.finished = client.started()
        client.play(self.finished.id, 2000)
        self.fork = client.fork(self.finished.id)
        client.change(self.fork.id, commands.undo(None))
        self.joined = client.open_table(4, ["Dan"])
        for name in ("Eve", "Bob"):
            client.change(self.joined.id, commands.take_seat(name))
        client.remove(self.removed.id)

    @property
    def all(self) -> list[Any]:
        return list(vars(self).values())


def seen(client: Client, games: Games) -> list[object]:
    """All that readers see: pages with every filter, tokens and entries."""
    asked: list[dict[str, Any]] = [{"statuses": [status]} for status in ("open", "playing", "finished")]
    asked += [{"player": name} for name in ("Ann", "Bob", "Cleo", "Dan")]
    asked += [{}, {"visible": games.private.id}, {"player": "Ann", "statuses": ["open"]}]
    pages = [client.lobby(**filters) for filters in asked]
    first = client.lobby(limit=2)
    tokens = [game.tokens[HOST] for game in games.all]
    return [
        *pages,
        first,
        client.lobby(limit=2, below=first.next),
        client.wait(client.service.find_games(tokens)),
        sorted(client.wait(client.service.all_games()), key=lambda entry: entry.id),
    ]


def tables(run: Run) -> dict[str, list[tuple[Any, ...]]]:
    """The stored lobby, and the progress of its games."""
    statements = {
        "entries": "SELECT number, game, status, private, line FROM lobby ORDER BY number",
        "players": "SELECT name, number FROM lobby_players ORDER BY number, name",
        "progress": "SELECT heads.game, progress FROM heads JOIN lobby ON lobby.game = heads.game ORDER BY heads.game",
        "position": "SELECT notification FROM lobby_position",
    }
    return {
        name: [tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row) for row in run(statement)]
        for name, statement in statements.items()
    }


def built_from_nothing(url: str, run: Run) -> dict[str, list[tuple[Any, ...]]]:
    """The tables after they were emptied and read."""
    for table in ("lobby", "lobby_players", "lobby_position"):
        run(f"DELETE FROM {table}")
    run("UPDATE heads SET progress = NULL")
    with connected(url) as client:
        client.wait(client.service.all_games())
    return tables(run)


# --- readers -----------------------------------------------------------------------------------------------------


def test_readers_see_the_same_list_around_every_statement(
    client: Client, other: Client, database: LiveDatabase
) -> None:
    games = Games(client)
    expected = seen(other, games)
    looks = list[bool]()

    def look(in_transaction: bool) -> None:
        looks.append(in_transaction)
        if len(looks) % 3 == 0:
            assert seen(other, games) == expected

    rebuilt = list(rebuilding(database, look))
    opened = [game.id.hex for game in games.all if game not in (games.deleted, games.removed)]
    assert set(opened) <= set(rebuilt)
    assert games.removed.id.hex not in rebuilt
    assert len(rebuilt) == len(set(rebuilt))
    assert seen(other, games) == expected
    assert looks.count(True) > 50


def test_a_damaged_entry_is_never_missing_while_it_moves_to_its_place(
    client: Client, run: Run, database: LiveDatabase
) -> None:
    """An entry that stands at the number of an earlier game is moved in the step that deletes it there."""
    first, *_, last = ids = [client.started().id for _ in range(5)]
    client.lobby()
    ((number,),) = run("SELECT number FROM lobby WHERE game = ?", first.hex)
    run("DELETE FROM lobby WHERE game = ?", first.hex)
    run("UPDATE lobby SET number = ? WHERE game = ?", number, last.hex)
    for _ in rebuilding(database):
        assert last in {entry.id for entry in client.lobby().items}
    assert [entry.id for entry in client.lobby().items] == ids[::-1]


def test_entries_without_games_are_deleted_in_small_steps(client: Client, run: Run, database: LiveDatabase) -> None:
    game = client.started().id
    client.lobby()
    for number in range(20):
        run(
            "INSERT INTO lobby SELECT ?, ?, status, private, line FROM lobby LIMIT 1",
            FAR + number,
            UUID(int=number).hex,
        )
    left = list[int]()

    def look(in_transaction: bool) -> None:
        if not in_transaction:
            left.append(run("SELECT count(*) FROM lobby")[0][0])

    list(rebuilding(database, look))
    assert (left[0], left[-1]) == (21, 1)
    assert max(before - after for before, after in pairwise(left)) <= lobby.ROWS_PER_STEP
    assert [entry.id for entry in client.lobby().items] == [game]


# --- interruptions -----------------------------------------------------------------------------------------------


def rebuild_and_die(url: str, statements: int) -> None:
    """Rebuild, and be killed before a statement of a transaction."""
    lobby.ROWS_PER_STEP = 3
    left = [statements]

    def look(in_transaction: bool) -> None:
        left[0] -= in_transaction
        if not left[0]:
            os.kill(os.getpid(), SIGKILL)

    with opened_database(url) as database:
        list(rebuilding(database, look))


@pytest.mark.parametrize(("statements", "in_the_middle"), [(1, False), (30, False), (70, True)])
def test_a_killed_rebuild_resumes(
    database_url: str, client: Client, run: Run, database: LiveDatabase, statements: int, in_the_middle: bool
) -> None:
    games = Games(client)
    expected, stored = seen(client, games), tables(run)
    process = processes.run(rebuild_and_die, database_url, statements)
    process.join(processes.LONG)
    assert process.exitcode == -SIGKILL
    assert seen(client, games) == expected
    ((position,),) = run("SELECT COALESCE(MAX(position), 0) FROM lobby_rebuild")
    assert (position > 0) == in_the_middle
    rest = {game for number, game, *_ in stored["entries"] if number > position}
    assert set(rebuilding(database)) - {games.deleted.id.hex} == rest
    assert run("SELECT position FROM lobby_rebuild") == []
    assert tables(run) == stored == built_from_nothing(database_url, run)


def test_a_failed_transaction_changes_nothing_and_is_done_again(
    client: Client, run: Run, database: LiveDatabase
) -> None:
    games = Games(client)
    expected, stored = seen(client, games), tables(run)
    run("UPDATE lobby SET line = ?", b"damaged")
    failures, statements = 0, 1
    while statements:
        left = [statements]

        def look(in_transaction: bool, left: list[int] = left) -> None:
            left[0] -= in_transaction
            if not left[0]:
                raise StorageUnavailable("it is away")

        try:
            list(rebuilding(database, look))
            statements = 0
        except StorageUnavailable:
            failures, statements = failures + 1, statements + 7
    assert failures > 5
    assert tables(run) == stored
    assert seen(client, games) == expected


@pytest.mark.parametrize("statements", range(4, 60, 5))
def test_two_rebuilds_at_once_do_every_step_once(
    client: Client, run: Run, database: LiveDatabase, statements: int
) -> None:
    ids = [client.started().id for _ in range(7)]
    client.lobby()
    stored, by_another, left = tables(run), list[str](), [statements]

    def look(in_transaction: bool) -> None:
        left[0] -= 1
        if left[0] <= 0 and not in_transaction and not by_another:
            by_another.extend(rebuilding(database))

    rebuilt = list(rebuilding(database, look))
    assert by_another
    assert sorted([*rebuilt, *by_another]) == sorted(game.hex for game in ids)
    assert tables(run) == stored


def test_rebuilds_in_threads_share_the_steps(database_url: str, client: Client, run: Run) -> None:
    for _ in range(12):
        client.started()
    client.lobby()
    stored = tables(run)
    run("DELETE FROM lobby")

    def rebuild() -> None:
        with opened_database(database_url) as own:
            list(rebuilding(own))

    with ThreadPoolExecutor(3) as threads:
        for rebuilt in [threads.submit(rebuild) for _ in range(3)]:
            rebuilt.result()
    assert tables(run) == stored
    assert run("SELECT * FROM lobby_rebuild") == []


def test_a_database_without_the_table_of_rebuilds_gets_it(database_url: str, run: Run) -> None:
    with connected(database_url) as client:
        game = client.started().id
    run("DROP TABLE lobby_rebuild")
    with connected(database_url) as client:
        client.wait(client.service.rebuild_lobby())
        assert [entry.id for entry in client.lobby().items] == [game]
    assert run("SELECT * FROM lobby_rebuild") == []


# --- damage ------------------------------------------------------------------------------------------------------


def random_entry(run: Run, random: Random) -> tuple[int, str]:
    number, game = random.choice(run("SELECT number, game FROM lobby ORDER BY number") or [(1, NOWHERE)])
    return number, game


def free_number(run: Run, random: Random) -> int:
    taken = {number for (number,) in run("SELECT number FROM lobby")}
    free: set[int] = {*range(-5, 60), FAR, -FAR} - taken
    return random.choice(sorted(free))


def spoil_line(run: Run, random: Random) -> None:
    run(
        "UPDATE lobby SET line = ? WHERE number = ?", random.choice((b"", b"\xff", b"{}")), random_entry(run, random)[0]
    )


def mix_up_lines(run: Run, random: Random) -> None:
    ((line,),) = run("SELECT line FROM lobby WHERE number = ?", random_entry(run, random)[0]) or [(b"",)]
    run("UPDATE lobby SET line = ?", line)


def change_columns(run: Run, _: Random) -> None:
    run("UPDATE lobby SET status = 'lost', private = 1 - private")


def delete_entry(run: Run, random: Random) -> None:
    run("DELETE FROM lobby WHERE number = ?", random_entry(run, random)[0])


def delete_all_entries(run: Run, _: Random) -> None:
    run("DELETE FROM lobby")


def insert_entry(run: Run, random: Random) -> None:
    game = random.choice((UUID(int=random.getrandbits(128)).hex, "no id", str(UUID(int=random.getrandbits(128)))))
    run("INSERT INTO lobby VALUES (?, ?, 'open', 0, ?)", free_number(run, random), game, b"{}")


def double_entry(run: Run, random: Random) -> None:
    number, game = random_entry(run, random)
    run(
        "INSERT INTO lobby SELECT ?, ?, status, private, line FROM lobby WHERE number = ?",
        *(free_number(run, random), str(UUID(int=random.getrandbits(128))) + game, number),
    )


def move_entry(run: Run, random: Random) -> None:
    run(
        "UPDATE lobby SET number = ? WHERE number = ?",
        *(free_number(run, random), random_entry(run, random)[0]),
    )


def rename_game(run: Run, random: Random) -> None:
    run(
        "UPDATE lobby SET game = ? WHERE number = ?",
        *(UUID(int=random.getrandbits(128)).hex, random_entry(run, random)[0]),
    )


def delete_players(run: Run, random: Random) -> None:
    run("DELETE FROM lobby_players WHERE number = ?", random_entry(run, random)[0])


def insert_players(run: Run, random: Random) -> None:
    for number in (random_entry(run, random)[0], free_number(run, random)):
        run("INSERT INTO lobby_players VALUES (?, ?)", name_hash(str(random.random())), number)


def forget_progress(run: Run, _: Random) -> None:
    run("UPDATE heads SET progress = NULL")


def mix_up_progress(run: Run, _: Random) -> None:
    """A progress that is read, as it has the version of its head, and wrong."""
    for game, version in run("SELECT game, version FROM heads"):
        wrong = b'[%d,"2026-01-31T18:00:00.000000Z",99]' % version
        run("UPDATE heads SET progress = ? WHERE game = ?", wrong, game)


def advance_position(run: Run, _: Random) -> None:
    run("UPDATE lobby_position SET notification = ?", FAR)


def set_back_position(run: Run, random: Random) -> None:
    run("UPDATE lobby_position SET notification = ?", random.randrange(4))


def delete_position(run: Run, _: Random) -> None:
    run("DELETE FROM lobby_position")


DAMAGES = (
    spoil_line,
    mix_up_lines,
    change_columns,
    delete_entry,
    delete_all_entries,
    insert_entry,
    double_entry,
    move_entry,
    rename_game,
    delete_players,
    insert_players,
    forget_progress,
    mix_up_progress,
    advance_position,
    set_back_position,
    delete_position,
)


def test_a_rebuild_heals_every_damage(database_url: str, client: Client, run: Run, database: LiveDatabase) -> None:
    games = Games(client)
    expected, stored = seen(client, games), tables(run)
    assert stored == built_from_nothing(database_url, run)
    for damage in DAMAGES:
        damage(run, Random(7))
        assert tables(run) != stored, damage
        list(rebuilding(database))
        assert tables(run) == stored, damage
        assert seen(client, games) == expected, damage


# --- games that change meanwhile ---------------------------------------------------------------------------------


class Players:
    """Players who open, change, delete and remove games at random."""

    def __init__(self, client: Client, random: Random) -> None:
        self._client = client
        self._random = random
        self._games = list[UUID]()

    def act(self) -> None:
        client, random = self._client, self._random
        if not self._games or random.random() < 0.2:
            players = random.sample(("Ann", "Bob", "Cleo"), random.choice((1, 1, 2)))
            options = random.choice((QUICK, QUICK, PRIVATE))
            self._games.append(client.open_table(2, players, options).id)
            return
        game = random.choice(self._games)
        with suppress(Refused, UnknownGame, UnreadableEvent):
            match random.randrange(12):
                case 0:
                    client.remove(game)
                case 1:
                    client.change(game, commands.delete)
                case 2 | 3 | 4:
                    client.change(game, commands.take_seat(f"Zoe {random.randrange(99)}"))
                case 5:
                    client.change(game, commands.undo(None))
                case 6:
                    self._games.append(client.fork(game).id)
                case 7:
                    client.lobby()
                case _:
                    client.play(game, random.choice((1, 2, 2, 3, 400)), seed=random.randrange(99))


def spoil_event(run: Run, random: Random) -> None:
    """Change a name in an event, which the lobby then omits or shows, as in a lobby built from nothing."""
    games = run("SELECT game FROM heads ORDER BY game")
    if games:
        game = UUID(random.choice(games)[0])
        version, text = random.choice(list(stored_rows(run, game).items()))
        changed = text.replace(b'"seats":2', b'"seats":x').replace(b"Bob", b'B"b')
        of_row = "originator_id = ? AND originator_version = ?"
        run(f"UPDATE stored_events SET state = ? WHERE {of_row}", changed, game.hex, version)


@pytest.mark.parametrize("seed", range(5 * soak_factor()))
def test_a_rebuild_among_changes_damages_and_interruptions_equals_a_new_lobby(
    database_url: str, client: Client, run: Run, database: LiveDatabase, seed: int
) -> None:
    random = Random(seed)
    players = Players(client, random)
    for _ in range(25):
        players.act()
    if random.random() < 0.5:
        spoil_event(run, random)
    for damage in random.sample(DAMAGES, 4):
        client.lobby()
        damage(run, random)
    interruptions = [True] * random.randrange(4)

    def look(in_transaction: bool) -> None:
        if interruptions and random.random() < 0.02:
            interruptions.pop()
            raise StorageUnavailable("it is away")
        if not in_transaction and random.random() < 0.4:
            players.act()

    rebuilt = False
    while not rebuilt:
        with suppress(StorageUnavailable):
            list(rebuilding(database, look))
            rebuilt = True
    players.act()
    client.wait(client.service.all_games())
    assert tables(run) == built_from_nothing(database_url, run)
