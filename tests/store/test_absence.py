"""Absent players in the store: claims on time, once and by one process, and nobody decides twice for a seat (R14)."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest

from api.bots.runner import BotRunner
from api.bots.workers import BotWorkers
from domain.absence import late_seats
from domain.actions import EndTurn, Resign
from domain.audit import audit
from domain.bot_turns import bot_to_decide
from domain.bots import BOTS, positions
from domain.decide import legal_actions
from domain.field_types import BotKind
from domain.game import Game
from domain.modules import Action, ActionTaken, Fact, GameOptions, Modules
from domain.records import RecordRefused, verify_record
from domain.refused import Refused
from domain.store import Commit, IdempotencyKey, LoadedGame, Revoked, StaleVersion, commands
from domain.store.commit import now
from domain.stream import fact_of
from domain.table_facts import SeatHandedOver, SeatLeftToBot, SeatTakenBack, UndoAnswered, Undone
from tests.store.clients import Client, Clock, Run, connected, key, run_housekeeping, stored, without_import
from tests.store.processes import LONG
from tests.store.test_records import chained
from tests.support.soak import soak_factor

ANN, BOB = 0, 1
LIMIT = 60
START = datetime(2030, 1, 1, tzinfo=UTC)
LIMITED = GameOptions(start="introductory", seed=1, first_player=ANN, undo="free", turn_limit=LIMIT, absent="bot")
ASKING = msgspec.structs.replace(LIMITED, absent="ask")
MODULES = Modules(milestones=True, region_tiles="mixed")

GAMES = 8 * soak_factor()
STEPS = 150
RACES = 10

Later = Callable[[float], str]
"""Sets the clock to some seconds after the start, and returns the time."""


@pytest.fixture
def later(clock: Clock) -> Later:
    def set_to(seconds: float) -> str:
        clock((START + timedelta(seconds=seconds)).isoformat())
        return now()

    set_to(0)
    return set_to


class LocalBots(BotWorkers):
    """Bots that decide in this process."""

    def __init__(self, luck: Random | None = None) -> None:
        """Play as the kind of the bot does, or at random."""
        super().__init__(1, 0)
        self._luck = luck

    async def choose(self, bot: BotKind, game: Game) -> Action:
        if self._luck is not None:
            return self._luck.choice(legal_actions(game)).action
        return BOTS[bot].choose(game, Random(1), positions(100))


class Runner(BotRunner):
    """The runner of the server, one step after the other."""

    def __init__(self, client: Client, patience: float = 0, luck: Random | None = None) -> None:
        super().__init__(client.service, LocalBots(luck), patience)
        self._client = client

    def claim(self) -> bool:
        """Let bots play for the players who are late now."""
        return self._client.wait(self._stand_in())

    def decide(self) -> bool:
        """Let a bot decide in a game that waits for one."""
        return self._client.wait(self._serve_one())

    def finish(self) -> None:
        """Do all that can be done now."""
        while self.decide() or self.claim():
            pass


def limited(client: Client, options: GameOptions = LIMITED, players: int = 2) -> UUID:
    return client.started(options, players).id


def leave(client: Client, game: UUID, seat: int = ANN) -> Commit:
    return client.change(game, commands.leave_to_bot(seat, "seat", now()))


def facts(client: Client, game: UUID) -> list[Fact]:
    """Return all facts of the stream."""
    return [fact_of(version, event) for version, event in enumerate(client.events(game, full=True), 1)]


def of_absence(client: Client, game: UUID) -> list[Fact]:
    kinds = SeatLeftToBot | SeatTakenBack | SeatHandedOver
    return [fact for fact in facts(client, game) if isinstance(fact, kinds)]


def due(run: Run) -> list[UUID]:
    return [UUID(game) for (game,) in run("SELECT game FROM due WHERE by_server = 1 ORDER BY deadline")]


# --- claims of the server --------------------------------------------------------------------------------------------


def test_a_lapse_is_noticed_without_a_visitor(client: Client, later: Later, run: Run) -> None:
    game = limited(client)
    runner = Runner(client)
    later(LIMIT - 0.001)
    assert not runner.claim()
    later(LIMIT)
    assert runner.claim()
    assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "server")]
    assert not runner.claim()
    assert due(run) == []
    assert runner.decide()
    action = next(fact for fact in reversed(facts(client, game)) if isinstance(fact, ActionTaken))
    assert (action.seat, action.by) == (ANN, "stand_in")
    assert client.audit(game).ok


def test_a_lapse_is_noticed_after_a_restart(database_url: str, client: Client, later: Later) -> None:
    game = limited(client)
    later(LIMIT + 1)
    with connected(database_url) as restarted:
        assert Runner(restarted).claim()
    assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "server")]


def test_players_can_come_back_before_the_server_claims_after_a_start(client: Client, later: Later) -> None:
    game = limited(client)
    later(LIMIT + 1)
    assert not Runner(client, patience=60).claim()
    client.change(game, commands.act(ANN, EndTurn()))
    assert not Runner(client).claim()
    assert of_absence(client, game) == []


def test_the_server_claims_only_where_the_table_wants_that(client: Client, later: Later, run: Run) -> None:
    limited(client, ASKING)
    limited(client, msgspec.structs.replace(LIMITED, turn_limit=None))
    late = later(10**6)
    assert due(run) == []
    assert client.wait(client.service.late_games(late)) == []
    assert not Runner(client).claim()


def test_each_late_player_of_a_proposal_is_claimed(client: Client, later: Later) -> None:
    options = msgspec.structs.replace(LIMITED, undo="agree")
    game = limited(client, options, 3)
    client.change(game, commands.act(ANN, EndTurn()))
    client.change(game, commands.undo(ANN))
    later(LIMIT)
    runner = Runner(client)
    assert runner.claim()
    assert of_absence(client, game) == [SeatLeftToBot(seat, "greedy", "server") for seat in (1, 2)]
    assert runner.decide()
    assert runner.decide()
    answers = [fact for fact in facts(client, game) if isinstance(fact, UndoAnswered)]
    assert [(answer.seat, answer.accept, answer.by) for answer in answers] == [
        (1, True, "stand_in"),
        (2, True, "stand_in"),
    ]
    assert isinstance(facts(client, game)[-1], Undone)
    assert client.audit(game).ok


def test_a_damaged_game_does_not_keep_the_others_waiting(database_url: str, later: Later, run: Run) -> None:
    with connected(database_url) as client:
        damaged = limited(client)
        later(1)
        game = limited(client)
    run("UPDATE stored_events SET state = ? WHERE originator_id = ?", b"{}", damaged.hex)
    later(LIMIT + 1)
    with connected(database_url) as client:
        assert Runner(client).claim()
        assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "server")]


# --- claims of players -----------------------------------------------------------------------------------------------


def test_a_claim_before_the_deadline_is_refused(client: Client, later: Later) -> None:
    game, until = limited(client), later(LIMIT)
    at = later(LIMIT - 1)
    with pytest.raises(Refused) as refused:
        leave(client, game)
    assert (refused.value.code, refused.value.needed, refused.value.had) == ("not_absent", {"at": until}, {"now": at})
    assert of_absence(client, game) == []


def test_an_undo_does_not_make_the_next_player_late(client: Client, later: Later) -> None:
    game = limited(client)
    later(10)
    client.change(game, commands.act(ANN, EndTurn()))
    later(LIMIT + 5)
    client.change(game, commands.undo(BOB))
    later(2 * LIMIT)
    with pytest.raises(Refused):
        leave(client, game, ANN)
    later(2 * LIMIT + 5)
    assert leave(client, game, ANN).facts


def test_the_limit_stops_at_the_end(client: Client, later: Later, run: Run) -> None:
    game = limited(client)
    assert due(run) == [game]
    client.change(game, commands.act(BOB, Resign()))
    assert due(run) == []
    later(10**6)
    for seat in (ANN, BOB):
        with pytest.raises(Refused):
            leave(client, game, seat)


def test_an_undo_does_not_forget_a_stand_in(database_url: str, client: Client, later: Later) -> None:
    game = limited(client)
    runner = Runner(client)
    later(LIMIT)
    client.change(game, commands.act(ANN, legal_actions(game_of(client, game))[0].action))
    leave(client, game)
    while runner.decide():
        pass
    client.change(game, commands.undo(BOB))
    assert client.load(game).table.stand_ins == {ANN: "greedy"}
    with connected(database_url) as restarted:
        assert restarted.load(game).table.stand_ins == {ANN: "greedy"}
        assert Runner(restarted).decide()
    assert client.audit(game).ok


def game_of(client: Client, game: UUID) -> Game:
    playing = client.load(game).game
    assert playing is not None
    return playing


COME_BACK: list[tuple[str, commands.Command]] = [
    ("return", commands.take_back(ANN)),
    ("action", commands.act(ANN, EndTurn())),
    ("actions", commands.act_all(ANN, [EndTurn()])),
    ("undo", commands.undo(ANN)),
]


@pytest.mark.parametrize(("how", "command"), COME_BACK, ids=[how for how, _ in COME_BACK])
def test_a_bot_does_not_act_after_the_player_came_back(
    client: Client, later: Later, how: str, command: commands.Command
) -> None:
    game = limited(client)
    client.change(game, commands.act(ANN, legal_actions(game_of(client, game))[0].action))
    later(LIMIT)
    leave(client, game)
    before = client.load(game)
    client.change(game, command)
    turn = bot_to_decide(before.timeline)
    assert turn is not None
    with pytest.raises(StaleVersion):
        client.wait(Runner(client)._decide(before, turn))
    assert not Runner(client).decide()
    assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "seat"), SeatTakenBack(ANN)]
    assert client.load(game).table.stand_ins == {}
    assert client.audit(game).ok, how


def test_a_bot_does_not_act_after_an_undo(client: Client, later: Later) -> None:
    game = limited(client)
    client.change(game, commands.act(ANN, EndTurn()))
    later(LIMIT)
    leave(client, game, BOB)
    before = client.load(game)
    client.change(game, commands.undo(ANN))
    turn = bot_to_decide(before.timeline)
    assert turn is not None
    with pytest.raises(StaleVersion):
        client.wait(Runner(client)._decide(before, turn))
    assert not Runner(client).decide(), "Ann has to decide"
    assert client.audit(game).ok


def test_a_refused_action_does_not_bring_the_player_back(client: Client, later: Later) -> None:
    game = limited(client)
    later(LIMIT)
    version = leave(client, game).version
    for command in (commands.redo(ANN), commands.answer_undo(ANN, accept=True), commands.act(BOB, EndTurn())):
        with pytest.raises(Refused):
            client.change(game, command)
    assert client.load(game).version == version


def test_two_claims_at_the_same_moment_are_one(client: Client, other: Client, later: Later) -> None:
    games = [limited(client) for _ in range(RACES)]
    later(LIMIT)
    with ThreadPoolExecutor(2) as pool:
        for game in games:
            for each in (client, other):
                each.load(game)
            claims = list(pool.map(lambda each, game=game: leave(each, game), (client, other)))
            assert sorted(len(claim.facts) for claim in claims) == [0, 1]
            assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "seat")]
            assert client.audit(game).ok


# --- seats that are handed over --------------------------------------------------------------------------------------


def handed_over(client: Client, later: Later, asked: IdempotencyKey | None = None) -> tuple[Commit, Commit]:
    """Return a game that has just started, and the handover of Ann's seat to Dora."""
    started = client.started(ASKING)
    later(LIMIT)
    leave(client, started.id)
    return started, client.change(started.id, commands.hand_over(ANN, "Dora"), key=asked)


def test_a_former_holder_cannot_return(client: Client, other: Client, later: Later) -> None:
    started = client.started(ASKING)
    old = client.permission(started.id, started.tokens[ANN])
    later(LIMIT)
    leave(client, started.id)
    commit = client.change(started.id, commands.hand_over(ANN, "Dora"))
    for each in (client, other):
        assert each.find_token(started.tokens[ANN]) is None
        for command in (
            commands.take_back(ANN),
            commands.act(ANN, EndTurn()),
            commands.renew_token(ANN, "holder", started.tokens[ANN]),
        ):
            with pytest.raises(Revoked):
                each.change(started.id, command, permission=old)
    permission = other.permission(started.id, commit.tokens[ANN])
    assert other.change(started.id, commands.act(ANN, EndTurn()), permission=permission).facts
    assert client.audit(started.id).ok


def test_tokens_renewed_before_a_handover_open_nothing(client: Client, later: Later) -> None:
    started = client.started(ASKING)
    renewed = client.change(started.id, commands.renew_token(ANN, "holder", started.tokens[ANN]))
    later(LIMIT)
    leave(client, started.id)
    commit = client.change(started.id, commands.hand_over(ANN, "Dora"))
    for token in (started.tokens[ANN], renewed.tokens[ANN]):
        assert client.find_token(token) is None
    assert client.find_token(commit.tokens[ANN]) is not None
    assert client.find_token(started.tokens[BOB]) is not None


def test_a_repeated_handover_returns_the_same_token(client: Client, other: Client, later: Later) -> None:
    started, first = handed_over(client, later, key())
    client.change(started.id, commands.act(ANN, EndTurn()))
    again = other.change(started.id, commands.hand_over(ANN, "Dora"), key=key())
    assert again.repeated
    assert stored(again) == stored(first)
    assert first.tokens.keys() == {ANN}


def test_the_lobby_has_the_new_name_and_the_deadline(client: Client, later: Later) -> None:
    game = limited(client, ASKING)
    until = later(LIMIT)
    (entry,) = client.lobby().items
    assert (entry.deadline, entry.to_play) == (until, ANN)
    leave(client, game)
    later(LIMIT + 10)
    client.change(game, commands.hand_over(ANN, "Dora"))
    (entry,) = client.lobby(player="dora").items
    assert entry.players == ("Dora", "Bob")
    assert entry.deadline == later(2 * LIMIT + 10)
    assert client.lobby(player="ann").items == ()


# --- copies, audits, erasure -----------------------------------------------------------------------------------------


def eventful(client: Client, later: Later, options: GameOptions = LIMITED) -> UUID:
    """Return a game with claims, returns, a handover and undos, also of turns in which a player was claimed."""
    game = limited(client, options)
    client.change(game, commands.act(ANN, EndTurn()))
    later(LIMIT)
    leave(client, game, BOB)
    later(LIMIT + 1)
    client.change(game, commands.undo(ANN))
    later(3 * LIMIT)
    leave(client, game, ANN)
    client.change(game, commands.hand_over(ANN, "Dora"))
    client.change(game, commands.act(ANN, EndTurn()))
    runner = Runner(client)
    for _ in range(2):
        assert runner.decide()
    client.change(game, commands.undo(BOB))
    later(5 * LIMIT)
    leave(client, game, client.load(game).game.to_play or 0)  # type: ignore[union-attr]
    return game


@pytest.mark.parametrize("options", [LIMITED, msgspec.structs.replace(LIMITED, modules=MODULES)])
def test_games_with_absent_players_are_audited_recorded_imported_and_forked(
    client: Client, later: Later, options: GameOptions
) -> None:
    game = eventful(client, later, options)
    assert client.audit(game).ok
    record = client.export_record(game)
    later(6 * LIMIT)
    for private in (False, True):
        copy = client.import_record(record, private=private)
        assert client.audit(copy.id).ok
        assert copy.table.stand_ins == client.load(game).table.stand_ins
        assert copy.loaded.progress.deadline == later(7 * LIMIT)
        later(6 * LIMIT)
    for version in (None, *(moment.version for moment in client.load(game).timeline.moments)):
        fork = client.fork(game, version)
        assert client.audit(fork.id).ok
        again = client.fork(fork.id)
        assert client.audit(again.id).ok
        assert without_import(client.export_record(client.import_record(client.export_record(again.id)).id))
    assert Runner(client).decide()


def test_a_fork_is_claimed_like_other_games(client: Client, later: Later, run: Run) -> None:
    game = limited(client)
    later(LIMIT - 1)
    fork = client.fork(game).id
    runner = Runner(client)
    later(LIMIT)
    assert runner.claim()
    assert of_absence(client, fork) == []
    later(2 * LIMIT)
    assert runner.claim()
    assert client.audit(fork).ok


def forged(client: Client, game: UUID, change: Callable[[list[Any]], None]) -> bytes:
    """Return the record of a game with changed events whose digests match."""
    document = msgspec.json.decode(client.export_record(game))
    change(document["events"])
    for version, event in enumerate(document["events"], 1):
        event["version"] = version
    return msgspec.json.encode({**document, "events": chained(document["game"], document["events"])})


def early(events: list[Any]) -> None:
    claim = next(event for event in events if event["type"] == "seat_left_to_bot")
    claim["at"] = (datetime.fromisoformat(claim["at"]) - timedelta(microseconds=1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def unclaimed(events: list[Any]) -> None:
    events[:] = [event for event in events if event["type"] != "seat_left_to_bot"]


def by_the_player(events: list[Any]) -> None:
    last = next(event for event in reversed(events) if event["type"] == "action_taken")
    assert last["by"] == "stand_in"
    last["by"] = "seat"


def by_the_server(events: list[Any]) -> None:
    next(event for event in events if event["type"] == "seat_left_to_bot")["by"] = "server"


def twice(events: list[Any]) -> None:
    index = next(index for index, event in enumerate(events) if event["type"] == "seat_left_to_bot")
    events.insert(index, dict(events[index]))


def of_the_other(events: list[Any]) -> None:
    next(event for event in events if event["type"] == "seat_left_to_bot")["seat"] = BOB


def back_without_a_bot(events: list[Any]) -> None:
    next(event for event in events if event["type"] == "seat_left_to_bot").update(type="seat_taken_back")
    for event in events:
        if event["type"] == "seat_taken_back":
            event.pop("bot")
            event.pop("by")


FORGERIES = [early, unclaimed, by_the_player, by_the_server, twice, of_the_other, back_without_a_bot]


@pytest.mark.parametrize("change", FORGERIES, ids=lambda change: change.__name__)
def test_a_forged_record_is_found(memory: Client, later: Later, change: Callable[[list[Any]], None]) -> None:
    game = limited(memory, ASKING)
    later(LIMIT)
    leave(memory, game)
    assert Runner(memory).decide()
    verify_record(forged(memory, game, lambda _: None))
    record = forged(memory, game, change)
    with pytest.raises(RecordRefused):
        verify_record(record)
    document = msgspec.json.decode(record)
    rows = [(version, msgspec.json.encode(event)) for version, event in enumerate(document["events"], 1)]
    assert not audit(document["game"], rows).replay_ok


def test_removed_and_deleted_games_are_not_due(database_url: str, client: Client, later: Later, run: Run) -> None:
    removed, kept = limited(client), limited(client)
    deleted = client.fork(kept).id
    assert set(due(run)) == {removed, kept, deleted}
    client.remove(removed)
    client.change(deleted, commands.delete)
    run_housekeeping(database_url, client)
    assert due(run) == [kept]
    later(LIMIT)
    assert Runner(client).claim()
    assert due(run) == []


# --- random games ----------------------------------------------------------------------------------------------------


class Table:
    """A table whose clock, players, bots and process do anything at any time."""

    def __init__(self, url: str, seed: int, later: Later) -> None:
        self.luck, self.later, self.seconds = Random(seed), later, 0.0
        self.url, self.connection = url, connected(url)
        self.client = self.connection.__enter__()
        undo = self.luck.choice(["free", "agree", "turn"])
        options = msgspec.structs.replace(
            LIMITED, undo=undo, seed=seed, start=self.luck.choice(["standard", "introductory"])
        )
        self.players = self.luck.choice([2, 3])
        self.game = limited(self.client, options, self.players)

    def close(self) -> None:
        self.connection.__exit__(None, None, None)

    def restart(self) -> None:
        self.close()
        self.connection = connected(self.url)
        self.client = self.connection.__enter__()

    def wait(self, seconds: float) -> None:
        self.seconds += seconds
        self.later(self.seconds)

    def step(self) -> None:
        """Do anything; a bot that thought meanwhile must not decide."""
        luck, before = self.luck, self.client.load(self.game)
        turn = bot_to_decide(before.timeline)
        random = luck.random()
        try:
            if random < 0.2:
                self.wait(luck.choice([1, 30, LIMIT]))
            elif random < 0.25:
                self.restart()
            elif random < 0.3:
                Runner(self.client, luck=luck).claim()
            elif random < 0.5:
                Runner(self.client, luck=luck).decide()
            else:
                self.client.change(self.game, self.command(before))
        except Refused:
            return
        if turn is not None and self.client.load(self.game).version > before.version:
            with pytest.raises(StaleVersion):
                self.client.wait(Runner(self.client)._decide(before, turn))

    def command(self, loaded: LoadedGame) -> commands.Command:
        luck = self.luck
        seat = luck.randrange(self.players)
        late = luck.choice([*late_seats(loaded.timeline), seat])
        absent = luck.choice([*loaded.table.stand_ins, seat])
        chosen: list[commands.Command] = [
            commands.leave_to_bot(late, "seat", now()),
            luck.choice([commands.take_back(absent), commands.hand_over(absent, f"Successor {loaded.version}")]),
            luck.choice([commands.undo(seat), commands.redo(seat)]),
            commands.answer_undo(late, luck.random() < 0.5),
        ]
        if loaded.game is not None and loaded.game.to_play is not None:
            actions = [legal.action for legal in legal_actions(loaded.game)]
            longer = [action for action in actions if not isinstance(action, EndTurn)] or actions
            chosen += [commands.act(loaded.game.to_play, luck.choice(longer if luck.random() < 0.8 else actions))] * 2
        return luck.choice(chosen)

    def fall_silent(self) -> None:
        """Nobody does anything any more: the table must reach its end."""
        while (loaded := self.client.load(self.game)).table.status == "playing":
            progress, before = loaded.progress, loaded.version
            if progress.late:
                assert progress.deadline is not None
                missing = (datetime.fromisoformat(progress.deadline) - START).total_seconds() - self.seconds
                self.wait(max(0.0, missing))
            Runner(self.client, luck=self.luck).finish()
            assert self.client.load(self.game).version > before, "the table has stopped"

    def check(self) -> None:
        """Check that at each version one actor decided for a seat: the player, or the bot that stands in."""
        absent = set[int]()
        for fact in facts(self.client, self.game):
            match fact:
                case SeatLeftToBot(seat=seat):
                    assert seat not in absent
                    absent.add(seat)
                case SeatTakenBack(seat=seat) | SeatHandedOver(seat=seat):
                    absent.remove(seat)
                case ActionTaken(seat=seat, by=by) | UndoAnswered(seat=seat, by=by):
                    assert by == ("stand_in" if seat in absent else "seat")
                case _:
                    pass
        assert self.client.load(self.game).table.stand_ins.keys() == absent
        record = self.client.export_record(self.game)
        copies = [self.client.fork(self.game).id, self.client.import_record(record).id]
        for game in (self.game, *copies):
            assert self.client.audit(game).ok
        for copy in copies:
            self.client.remove(copy)


@pytest.fixture
def random_table(sqlite_url: str, later: Later, request: pytest.FixtureRequest) -> Iterator[Table]:
    table = Table(sqlite_url, request.param, later)
    yield table
    table.close()


@pytest.mark.parametrize("random_table", range(GAMES), indirect=True)
def test_nobody_decides_twice_for_a_seat_and_no_table_stops(random_table: Table) -> None:
    for _ in range(STEPS):
        random_table.step()
    random_table.check()
    random_table.restart()
    random_table.check()
    random_table.fall_silent()
    random_table.check()


def test_a_table_with_one_silent_person_reaches_its_end(client: Client, later: Later) -> None:
    """Ann never moves; Bob does at once."""
    game, runner = limited(client), Runner(client)
    seconds = 0.0
    while (loaded := client.load(game)).game is not None and (playing := loaded.game).ending is None:
        if playing.to_play == BOB:
            client.change(game, commands.act(BOB, BOTS["greedy"].choose(playing, Random(1), positions(1))))
        elif late_seats(loaded.timeline):
            seconds += LIMIT
            later(seconds)
            assert runner.claim()
        else:
            assert runner.decide()
    assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "server")]
    assert client.audit(game).ok


def test_the_real_runner_claims_by_itself(client: Client, later: Later) -> None:
    game = limited(client)
    later(LIMIT)

    async def scene() -> None:
        before = (await client.service.load(game)).version
        async with BotRunner(client.service, LocalBots(), patience=0):
            await client.service.watchers.wait_beyond(game, before + 1, LONG, "")

    client.wait(scene())
    assert of_absence(client, game) == [SeatLeftToBot(ANN, "greedy", "server")]
