"""Who is calling and what is theirs to do: a token opens the one game it was made for."""

import re
from uuid import UUID

from api.conventions.problems import Failure
from api.conventions.requests import Call, header
from domain.application import Caller, Club, Held

_bearer = re.compile(r"bearer +(\S+) *", re.IGNORECASE).fullmatch


async def caller(request: Call, club: Club) -> Caller | None:
    """Who sends the request, or None for somebody without a token; raises ``Failure`` for a token nobody gave."""
    given = header(request, b"authorization")
    if given is None:
        return None
    token = _bearer(given)
    if token is None:
        raise Failure("token_missing", "The Authorization header holds no bearer token.")
    found = await club.caller(token[1])
    if found is None:
        raise Failure("token_unknown", "Nobody has this token, or not any more.")
    return found


async def member(request: Call, club: Club, game: UUID) -> Caller:
    """Whose token of this game it is; raises ``Failure`` for everybody else."""
    found = await caller(request, club)
    if found is not None and found.game == game:
        return found
    await club.look(game)
    if found is None:
        raise Failure("token_missing", "This needs a token of the game.")
    raise Failure("foreign_token", "The token belongs to another game.")


async def host(request: Call, club: Club, game: UUID) -> Caller:
    """The host of this game; raises ``Failure`` for everybody else."""
    found = await member(request, club, game)
    if found.seat is not None:
        raise Failure("host_only", "This needs the host's token, not that of a seat.")
    return found


async def reader(request: Call, club: Club, held: Held) -> None:
    """Raise ``Failure`` unless the caller may read the game: everybody, or who has a token if it is private."""
    if held.table.options.private:
        await member(request, club, held.id)


async def player(request: Call, club: Club, game: UUID) -> tuple[Caller, int]:
    """Who decides, and for which seat; raises ``Failure`` for everybody who plays none.

    The host of a table with free undo plays for whoever has to decide: several people around one screen (hot seat).
    """
    found = await member(request, club, game)
    if found.seat is not None:
        return found, found.seat
    held = await club.look(game)
    if held.table.options.undo != "free":
        raise Failure("players_only", "This needs the token of a seat; the host plays along only with free undo.")
    to_play = held.game.to_play if held.game else None
    return found, to_play or 0
