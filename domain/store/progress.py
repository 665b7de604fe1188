"""The progress of a game, which is stored with the end of its stream, behind a digest over both."""

from hashlib import sha256

import msgspec

from domain.listed import Progress
from domain.store.loaded_games import LoadedGame

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Progress).decode

_DIGEST_LENGTH = 32


def progress_of(loaded: LoadedGame) -> Progress:
    """Return the progress of a game."""
    game = loaded.game
    if game is None:
        return Progress(loaded.version, loaded.changed_at)
    winners = game.ending.winners if game.ending else None
    return Progress(loaded.version, loaded.changed_at, game.turn.number, game.phase, game.to_play, winners)


def encode_progress(game: str, end: bytes, progress: Progress) -> bytes:
    """Return the bytes in which the progress of a game is stored whose stream ends with this digest."""
    text = _encode(progress)
    return sha256(b"%b%b%b" % (game.encode(), end, text)).digest() + text


def read_progress(game: str, end: object, stored: object, version: object) -> Progress | None:
    """Return a stored progress, None if it is missing, changed, or that of another version, digest or game."""
    if not isinstance(stored, bytes) or not isinstance(end, bytes):
        return None
    try:
        found = _decode(stored[_DIGEST_LENGTH:])
    except msgspec.DecodeError:
        return None
    return found if found.version == version and encode_progress(game, end, found) == stored else None
