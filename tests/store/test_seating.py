"""Seats before play begins: players join, are kicked and move down, and their tokens with them."""

from random import Random
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.modules import GameOptions, GameStarted
from domain.records import RecordRefused
from domain.refused import Refused
from domain.store import Commit, TokenHolder, commands
from domain.store.tokens import HOST
from domain.stream import Recorded, renumber
from domain.table import COLOURS
from domain.table_facts import SeatFreed, SeatMoved, SeatTaken
from projections.summary import summary
from tests.store.clients import NAMES, Client, connected
from tests.support.soak import soak_factor


class Seating:
    """A table, and a model of who should sit where with which token."""

    def __init__(self, client: Client, seats: int, **options: object) -> None:
        self.client = client
        self.opened = client.open_table(seats, [], GameOptions(undo="free", **options))  # type: ignore[arg-type]
        self.id = self.opened.id
        self.seats = seats
        self.names: dict[int, str] = {}
        self.tokens: dict[int, str] = {}
        self.gone: list[str] = []
        self.started = False

    def join(self, name: str) -> None:
        """Join at the lowest free seat; the last player starts the game."""
        commit = self.client.change(self.id, commands.take_seat(name))
        seat = min(set(range(self.seats)) - self.names.keys())
        assert isinstance(commit.facts[0], SeatTaken)
        assert commit.facts[0].seat == seat
        self.names[seat], self.tokens[seat] = name, commit.tokens[seat]
        self.started = len(self.names) == self.seats

    def kick(self, seat: int) -> None:
        """Kick a player."""
        assert self.client.change(self.id, commands.free_seat(seat)).facts == [SeatFreed(seat)]
        del self.names[seat]
        self.gone.append(self.tokens.pop(seat))

    def start(self) -> Commit:
        """Start with the players who have joined."""
        commit = self.client.change(self.id, commands.start)
        self.names = dict(enumerate(self.names[seat] for seat in sorted(self.names)))
        self.tokens = dict(enumerate(self.tokens[seat] for seat in sorted(self.tokens)))
        self.started = True
        return commit

    def check(self) -> None:
        """Compare the table, its tokens and its views with the model."""
        client, loaded = self.client, self.client.load(self.id)
        assert {player.seat: player.name for player in loaded.table.players} == self.names
        assert len({player.colour for player in loaded.table.players}) == len(self.names)
        assert loaded.table.started == self.started
        assert client.find_token(self.opened.tokens[HOST]) == TokenHolder(self.id, None, "host")
        for seat, token in self.tokens.items():
            assert client.find_token(token) == TokenHolder(self.id, seat)
        found = client.wait(client.service.find_games([*self.tokens.values(), *self.gone]))
        assert [game and game.holder.seat for game in found] == [*self.tokens, *[None] * len(self.gone)]
        shown = summary(self.id, loaded.timeline, loaded.changed_at).seats
        assert {seat.seat: seat.name for seat in shown if seat.name} == self.names
        assert [seat.seat for seat in shown] == list(range(len(self.names) if self.started else self.seats))
        assert len({seat.colour for seat in shown}) == len(shown)
        (entry,) = [entry for entry in client.lobby(limit=200).items if entry.id == self.id]
        assert entry.players == tuple(self.names[seat] for seat in sorted(self.names))

    def play_elsewhere(self) -> None:
        """Audit the game, import its record on another server, and fork it."""
        client = self.client
        client.play(self.id, 5)
        assert client.audit(self.id).ok
        with connected("memory:") as elsewhere:
            imported = elsewhere.import_record(client.export_record(self.id))
            fork = elsewhere.fork(imported.id)
            for copy in (imported, fork):
                assert set(copy.tokens) == {HOST, *self.names}
                assert {player.seat: player.name for player in copy.table.players} == self.names
                for seat, token in copy.tokens.items():
                    holder = elsewhere.find_token(token)
                    assert holder is not None
                    assert holder.seat == (None if seat == HOST else seat)
                elsewhere.play(copy.id, 3)
                assert elsewhere.audit(copy.id).ok


def at_random(seating: Seating, luck: Random, steps: int) -> None:
    """Let players join and be kicked in random order, then start."""
    for number in range(steps):
        if seating.names and luck.random() < 0.45:
            seating.kick(luck.choice(list(seating.names)))
        elif len(seating.names) < seating.seats - 1:
            seating.join(f"{luck.choice(NAMES)} {number}")
        seating.check()
    while len(seating.names) < 2:
        seating.join(f"late {len(seating.names)}")
    if luck.random() < 0.3:
        while not seating.started:
            seating.join(f"last {len(seating.names)}")
    if not seating.started:
        seating.start()
    seating.check()
    seating.play_elsewhere()


@pytest.mark.parametrize("seed", range(2 * soak_factor()))
def test_players_come_and_go_in_any_order(client: Client, seed: int) -> None:
    luck = Random(seed)
    at_random(Seating(client, luck.randint(2, 5)), luck, 14)


@settings(max_examples=20 * soak_factor())
@given(st.integers(2, 5), st.integers(0, 20), st.randoms(use_true_random=False))
def test_players_come_and_go_in_any_order_in_memory(seats: int, steps: int, luck: Random) -> None:
    with connected("memory:") as client:
        at_random(Seating(client, seats), luck, steps)


def with_gap(client: Client, **options: object) -> Seating:
    """A table for five with players at seats 1 and 3."""
    seating = Seating(client, 5, **options)
    for name in NAMES[:4]:
        seating.join(name)
    seating.kick(2)
    seating.kick(0)
    return seating


def test_a_freed_seat_is_taken_first(memory: Client) -> None:
    seating = with_gap(memory)
    taken = memory.change(seating.id, commands.take_seat("Zoe")).facts[0]
    assert taken == SeatTaken(0, "Zoe", "blue")
    again = memory.change(seating.id, commands.take_seat("ann")).facts[0]
    assert again == SeatTaken(2, "ann", "orange")
    with pytest.raises(Refused, match="Bob"):
        memory.change(seating.id, commands.take_seat("Bob"))


def test_players_move_down_when_the_game_starts(memory: Client) -> None:
    seating = with_gap(memory)
    begun = seating.start()
    assert begun.facts[:2] == [SeatMoved(1, 0), SeatMoved(3, 1)]
    assert isinstance(begun.facts[2], GameStarted)
    assert begun.facts[2].players == 2
    assert [(player.seat, player.name, player.colour) for player in begun.table.players] == [
        (0, "Bob", "red"),
        (1, "Dan", "black"),
    ]
    seating.check()
    seating.play_elsewhere()


def test_another_process_sees_freed_and_moved_seats(client: Client, other: Client) -> None:
    seating = with_gap(client)
    other.load(seating.id)
    begun = seating.start()
    seating.client = other
    seating.check()
    assert other.load(seating.id).digest == begun.loaded.digest
    other.wait(other.service.rebuild_lobby())
    seating.check()


def test_the_first_player_option_counts_the_moved_seats(memory: Client) -> None:
    seating = with_gap(memory, first_player=1)
    begun = seating.start()
    assert begun.loaded.game is not None
    assert begun.loaded.game.first_player == 1
    assert seating.names[1] == "Dan"
    unfit = with_gap(memory, first_player=3)
    with pytest.raises(Refused) as refused:
        unfit.start()
    assert refused.value.code == "options_unfit"
    unfit.check()


def test_only_a_taken_seat_is_freed_and_only_before_the_start(memory: Client) -> None:
    seating = with_gap(memory)
    for seat in (0, 2, 4, 5, 9):
        with pytest.raises(Refused) as refused:
            memory.change(seating.id, commands.free_seat(seat))
        assert refused.value.code == "unknown_seat"
        with pytest.raises(Refused, match=f"seat {seat}"):
            memory.change(seating.id, commands.renew_token(seat))
    seating.start()
    for seat in (0, 4):
        with pytest.raises(Refused) as refused:
            memory.change(seating.id, commands.free_seat(seat))
        assert refused.value.code == "already_started"
    seating.check()


def test_a_renewed_token_belongs_to_the_moved_seat(client: Client) -> None:
    seating = with_gap(client)
    seating.gone.append(seating.tokens[3])
    seating.tokens[3] = client.change(seating.id, commands.renew_token(3)).tokens[3]
    seating.check()
    seating.start()
    seating.check()


def test_every_player_can_be_kicked(memory: Client) -> None:
    seating = with_gap(memory)
    seating.kick(1)
    seating.kick(3)
    seating.check()
    with pytest.raises(Refused, match="too_few_players"):
        memory.change(seating.id, commands.start)
    seating.join("Zoe")
    assert memory.load(seating.id).table.players[0].colour == COLOURS[0]


# --- the audit of such games ----------------------------------------------------------------------------------------

NOON = "2026-01-31T12:00:00.000000Z"


def forged(client: Client, game: UUID, change: dict[int, list[object]]) -> bytes:
    """The record of a game with changed facts and matching digests."""
    facts: list[object] = []
    for event in client.recorded(game):
        facts += change.get(event.version, [event.fact])
    events = renumber(str(game), [Recorded(0, NOON, fact) for fact in facts])  # type: ignore[arg-type]
    document = {"format": "franchise-record", "format_version": 1, "game": str(game)}
    return msgspec.json.encode(document | {"events": [msgspec.Raw(event) for event in events]})


def test_forged_seat_moves_are_found(memory: Client) -> None:
    seating = with_gap(memory)
    seating.start()
    events = memory.recorded(seating.id)
    freed, moved = (
        next(event.version for event in events if isinstance(event.fact, kind)) for kind in (SeatFreed, SeatMoved)
    )
    game = seating.id
    with connected("memory:") as elsewhere:
        elsewhere.import_record(forged(memory, game, {}))
        wrong: list[dict[int, list[object]]] = [
            {freed: []},
            {freed: [SeatFreed(2), SeatFreed(2)]},
            {freed: [SeatFreed(4)]},
            {moved: []},
            {moved + 1: []},
            {moved: [SeatMoved(1, 2)]},
            {moved: [SeatMoved(1, 0), SeatMoved(1, 0)]},
            {moved: [SeatMoved(3, 0)], moved + 1: [SeatMoved(1, 1)]},
            {moved: [SeatMoved(1, 0), SeatTaken(2, "Zoe", "blue")]},
            {events[-1].version: [SeatMoved(0, 4)]},
            {events[-1].version: [events[-1].fact, SeatMoved(0, 4)]},
            {events[-1].version: [events[-1].fact, SeatFreed(0)]},
        ]
        for change in wrong:
            with pytest.raises(
                RecordRefused, match=r"expected \{|follows from a decision|already_started|unknown_seat"
            ):
                elsewhere.import_record(forged(memory, game, change))
        assert len(elsewhere.lobby().items) == 1
