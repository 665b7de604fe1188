"""Tokens: who sends a request, and what is theirs to do. A token opens the one game it was made for."""

import re
from functools import lru_cache
from typing import Annotated
from uuid import UUID

from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import PathParameter, QueryParameter, SkipValidation
from msgspec import Meta

from api.http.problems import ApiProblem
from api.http.request_body import ApiRequest
from domain.store import LoadedGame, TokenHolder
from domain.stream import UnreadableEvent

GameIdInPath = Annotated[
    str,
    PathParameter(description="The id of a game.", schema_extra={"format": "uuid"}),
]
At = Annotated[
    Annotated[int, Meta(ge=1, le=2**31 - 1)] | None,
    QueryParameter(name="at", description="Look at the game as it was at this version, not as it is now."),
]

RequestedGame = NamedDependency[SkipValidation[LoadedGame]]

COST_OF_THE_PAST = 4
"""What it counts for the rate limit beside the request if a game is looked at as it was."""

_bearer = re.compile(r"bearer +(\S+) *", re.IGNORECASE).fullmatch


@lru_cache(maxsize=10_000)
def parse_game_id(text: str) -> UUID:
    """Return the id of a game; raise the problem of an unknown game for anything but a UUID in its usual form."""
    try:
        found = UUID(text)
    except ValueError:
        found = None
    if found is None or str(found) != text.lower():
        raise ApiProblem("game_not_found", "There is no such game: ids are UUIDs.")
    return found


async def find_token_holder(request: ApiRequest) -> TokenHolder | None:
    """Return the holder of the token of a request, None without one; raise a problem for an unknown token."""
    authorization = request.headers.get("authorization")
    if authorization is None:
        return None
    token = _bearer(authorization)
    if token is None:
        raise ApiProblem("token_missing", "The Authorization header holds no bearer token.")
    holder = await request.service.find_token(token[1])
    if holder is None:
        raise ApiProblem("token_unknown", "Nobody has this token, or not any more.")
    return holder


async def find_member(request: ApiRequest, game_id: UUID) -> TokenHolder:
    """Return the holder of a token of this game; raise a problem for everybody else."""
    holder = await find_token_holder(request)
    if holder is not None and holder.game == game_id:
        return holder
    await request.service.is_private(game_id)  # nobody has a token of a game that does not exist
    if holder is None:
        raise ApiProblem("token_missing", "This needs a token of the game.")
    raise ApiProblem("foreign_token", "The token belongs to another game.")


async def note_member(request: ApiRequest) -> TokenHolder:
    """Return the holder of a token of the requested game, who is `request.auth` from then on."""
    game_id = parse_game_id(request.path_params["game_id"])
    request.scope["auth"] = holder = await find_member(request, game_id)
    return holder


async def require_member(request: ApiRequest, _: BaseRouteHandler) -> None:
    """Let in the players and the host."""
    holder = await note_member(request)
    if holder.role == "spectator":
        raise ApiProblem("players_only", "This needs the token of a player or of the host; a spectator's only reads.")


async def require_host(request: ApiRequest, _: BaseRouteHandler) -> None:
    """Let in the host of the game."""
    holder = await note_member(request)
    if holder.role != "host":
        raise ApiProblem("host_only", f"This needs the host's token, not that of a {holder.role}.")


async def require_player(request: ApiRequest, handler: BaseRouteHandler) -> None:
    """Let in whoever plays: a seat, and at a hot seat or with free undo also the host, for whoever has to decide."""
    await require_member(request, handler)
    holder: TokenHolder = request.auth
    if holder.seat is None and not (await request.service.load(holder.game)).table.plays_all_seats:
        raise ApiProblem(
            "players_only", "This needs the token of a seat; the host plays at a hot seat or with free undo only."
        )


async def require_reader(request: ApiRequest, _: BaseRouteHandler) -> None:
    """Let in whoever may read the game, and note whose token it is if there is one."""
    await load_readable(request, parse_game_id(request.path_params["game_id"]))
    request.scope["auth"] = await find_token_holder(request)


async def require_no_spectator(request: ApiRequest, handler: BaseRouteHandler) -> None:
    """Let in whoever may read the game, but no spectators of a private one."""
    await require_reader(request, handler)
    holder: TokenHolder | None = request.auth
    if holder is None or holder.role != "spectator":
        return
    game = await request.service.load(parse_game_id(request.path_params["game_id"]))
    if game.table.options.private:
        raise ApiProblem("players_only", "A spectator's token only reads.")


async def load_readable(request: ApiRequest, game_id: UUID) -> LoadedGame:
    """Load a game for somebody who may read it: anybody, or who has a token of it if it is private.

    All others get the same problem whatever has become of the game, also if it is damaged.
    """
    try:
        game = await request.service.load(game_id)
    except UnreadableEvent:
        if await request.service.is_private(game_id):
            await find_member(request, game_id)
        raise
    if game.table.options.private:
        await find_member(request, game_id)
    return game


async def provide_game(request: ApiRequest, game_id: GameIdInPath) -> LoadedGame:
    """Provide a game that the caller may read, as it is."""
    return await provide_game_at(request, game_id)


async def provide_game_at(request: ApiRequest, game_id: GameIdInPath, at: At = None) -> LoadedGame:
    """Provide a game that the caller may read, as it is or as it was at a version."""
    game = await load_readable(request, parse_game_id(game_id))
    if at is None:
        return game
    request.charge(COST_OF_THE_PAST)
    return await request.service.load(game.id, at)
