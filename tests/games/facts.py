"""The recorded games as facts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import msgspec

from domain.decide import decide
from domain.modules import Fact
from domain.seating import open_table
from domain.start import start
from domain.stream import origin, write
from tests.games.record import GAMES, Recorded, Step
from tests.projections.play import NAMES, NEW_TILES

FILES = [*sorted(GAMES.glob("*.json")), *sorted(GAMES.glob("modules/*.json"))]
THEN = "2026-01-31T18:00:00.000000Z"


def recorded(path: Path) -> Recorded:
    return msgspec.json.decode(path.read_bytes(), type=Recorded)


def opening(game: Recorded, names: Sequence[str] = NAMES) -> list[Fact]:
    """The facts of a game until its first decision."""
    begun = start(game.options, game.players, game.seed, NEW_TILES, game.rules)
    return [*open_table(game.players, names[: game.players], game.options), *begun.facts]


def decisions(game: Recorded) -> Iterator[tuple[Step, Sequence[Fact]]]:
    """Yield each action of a game with its facts."""
    state = start(game.options, game.players, game.seed, NEW_TILES, game.rules).game
    for step in game.actions:
        decision = decide(state, step.action, step.seat)
        state = decision.game
        yield step, decision.facts


def record_document(game: Recorded) -> bytes:
    """The record of a game for the API, with an id."""
    id_ = str(uuid4())
    facts = [*opening(game), *(fact for _, facts in decisions(game) for fact in facts)]
    events, _ = write(0, origin(id_), THEN, facts)
    return msgspec.json.encode(
        {
            "format": "franchise-record",
            "format_version": 1,
            "game": id_,
            "events": [msgspec.Raw(event) for event in events],
        }
    )
