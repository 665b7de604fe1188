"""The progress of a game, which is stored with the end of its stream."""

import msgspec

from domain.listed import Progress
from domain.store.loaded_games import LoadedGame

encode_progress = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Progress).decode


def progress_of(loaded: LoadedGame) -> Progress:
    """Return the progress of a game."""
    game = loaded.game
    if game is None:
        return Progress(loaded.version, loaded.changed_at)
    winners = game.ending.winners if game.ending else None
    return Progress(loaded.version, loaded.changed_at, game.turn.number, game.phase, game.to_play, winners)


def read_progress(stored: bytes | None, version: int) -> Progress | None:
    """Return a stored progress, None if it is not that of this version, as in databases of the first release."""
    try:
        found = _decode(stored or b"")
    except msgspec.DecodeError:
        return None
    return found if found.version == version else None
