"""Pictures of the board of a recorded game, for the README."""

from collections.abc import Iterator
from pathlib import Path

from domain.records import verify_record
from domain.timeline import follow
from projections.pictures.board_picture import board_picture

DOCS = Path(__file__).parent.parent.parent / "docs"
GAME = DOCS / "game.json"


def board_pictures() -> Iterator[tuple[Path, bytes]]:
    """Yield the files of the pictures for light and dark pages, with their contents."""
    timeline = follow(None, verify_record(GAME.read_bytes()).facts)
    yield DOCS / "board.svg", board_picture(timeline, "light").encode()
    yield DOCS / "board-dark.svg", board_picture(timeline, "dark").encode()
