"""Tokens: who sends a request, and what is theirs to do. A token opens the one game it was made for."""

import re
from contextlib import suppress
from functools import lru_cache
from typing import Annotated
from uuid import UUID

from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import HeaderParameter, PathParameter, QueryParameter, SkipValidation
from msgspec import Meta

from api.http.problems import ApiProblem
from api.http.request_body import ApiRequest
from domain.refused import Refused
from domain.store import LoadedGame, TokenHolder, UnknownGame
from domain.store.tokens import FORMER_HOST, INVITE
from domain.stream import UnreadableEvent

GameIdInPath = Annotated[
    str,
    PathParameter(description="The id of a game.", schema_extra={"format": "uuid"}),
]
At = Annotated[
    Annotated[int, Meta(ge=1, le=2**31 - 1)] | None,
    QueryParameter(name="at", description="Look at the game as it was at this version, not as it is now."),
]

Invite = Annotated[
    str | None,
    HeaderParameter(
        name="X-Invite",
        description="The `invite` of a private table: it opens the summary as a token does, until play begins.",
    ),
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


def bearer_token(request: ApiRequest) -> str | None:
    """Return the token of a request, None without one."""
    authorization = request.headers.get("authorization")
    if authorization is None:
        return None
    token = _bearer(authorization)
    if token is None:
        raise ApiProblem("token_missing", "The Authorization header holds no bearer token.")
    return token[1]


async def find_token_holder(request: ApiRequest) -> TokenHolder | None:
    """Return the holder of the token of a request, None without one; raise a problem for an unknown token."""
    token = bearer_token(request)
    if token is None:
        return None
    holder = await request.service.find_token(token)
    if holder is None:
        raise unknown_token()
    return holder


def unknown_token() -> ApiProblem:
    """Return the problem of a token that opens nothing."""
    return ApiProblem("token_unknown", "Nobody has this token, or not any more.")


async def find_member(request: ApiRequest, game_id: UUID) -> TokenHolder:
    """Return the holder of a token of this game; raise a problem for everybody else."""
    token = bearer_token(request)
    holder = None if token is None else await request.service.find_token(token)
    if holder is not None and holder.game == game_id:
        return holder
    await request.service.is_private(game_id)  # nobody has a token of a game that does not exist, or not any more
    if token is None:
        raise ApiProblem("token_missing", "This needs a token of the game.")
    if holder is None:
        raise unknown_token()
    raise ApiProblem("foreign_token", "The token belongs to another game.")


async def note_member(request: ApiRequest) -> TokenHolder:
    """Return the holder of a token of the requested game, who is `request.auth` from then on."""
    game_id = parse_game_id(request.path_params["game_id"])
    request.scope["auth"] = holder = await find_member(request, game_id)
    return holder


async def require_member(request: ApiRequest, _: BaseRouteHandler) -> None:
    """Let in the players and the host of a game that has begun.

    Until then a token may come to open another seat, or none. So the start is looked at before the token: who is let in
    by an earlier look at the token could act for another seat once the body has arrived.
    """
    game_id, started = parse_game_id(request.path_params["game_id"]), False
    with suppress(UnreadableEvent):
        started = await request.service.has_started(game_id)
    holder = await note_member(request)
    if holder.role == "spectator":
        raise ApiProblem("players_only", "This needs the token of a player or of the host; a spectator's only reads.")
    if not started:
        await request.service.load(game_id)
        raise Refused("not_started", "table", "Play has not begun.")


async def require_host(request: ApiRequest, _: BaseRouteHandler) -> None:
    """Let in the host of the game."""
    _require_host_role(await note_member(request))


async def check_host(request: ApiRequest, game_id: UUID) -> None:
    """Raise a problem unless the token of a request is that of the host."""
    _require_host_role(await find_member(request, game_id))


def _require_host_role(holder: TokenHolder) -> None:
    if holder.role != "host":
        raise ApiProblem("host_only", f"This needs the host's token, not that of a {holder.role}.")


async def require_present_or_former_host(request: ApiRequest, handler: BaseRouteHandler) -> None:
    """Let in the host, and who has a token of the host that was renewed: the answer to that may have been lost."""
    game_id, token = parse_game_id(request.path_params["game_id"]), bearer_token(request)
    if token is not None and await request.service.is_known_as(FORMER_HOST, game_id, token):
        request.scope["auth"] = TokenHolder(game_id, None, "host")
    else:
        await require_host(request, handler)


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


async def may_still_read(request: ApiRequest, game_id: UUID) -> bool:
    """Return whether the token of a request still opens a private game, which may be removed or damaged by now."""
    try:
        await find_member(request, game_id)
    except (ApiProblem, UnknownGame, UnreadableEvent):
        return False
    return True


async def is_invited(request: ApiRequest, game_id: UUID, code: str | None) -> bool:
    """Return whether a code is the invite of a table at which play has not begun."""
    return code is not None and await request.service.is_known_as(INVITE, game_id, code)


async def check_invite(request: ApiRequest, game_id: UUID, code: str | None) -> None:
    """Raise a problem if the table needs an invite to sit down, and this is not its code."""
    game = await request.service.load(game_id)
    if game.table.options.invite and not await is_invited(request, game_id, code):
        raise ApiProblem("invite_needed", "This code does not open the table, or play has begun.")


async def provide_game(request: ApiRequest, game_id: GameIdInPath) -> LoadedGame:
    """Provide a game that the caller may read, as it is."""
    return await provide_game_at(request, game_id)


async def provide_game_to_invited(
    request: ApiRequest, game_id: GameIdInPath, at: At = None, x_invite: Invite = None
) -> LoadedGame:
    """Provide a game to those who may read it, and to those who are invited to its table."""
    id_ = parse_game_id(game_id)
    if await is_invited(request, id_, x_invite):
        return await _as_it_was(request, await request.service.load(id_), at)
    return await provide_game_at(request, game_id, at)


async def provide_game_at(request: ApiRequest, game_id: GameIdInPath, at: At = None) -> LoadedGame:
    """Provide a game that the caller may read, as it is or as it was at a version."""
    return await _as_it_was(request, await load_readable(request, parse_game_id(game_id)), at)


async def _as_it_was(request: ApiRequest, game: LoadedGame, at: int | None) -> LoadedGame:
    """Return a game as it was at a version, for which the client is charged; as it is if none is named."""
    if at is None:
        return game
    request.charge(COST_OF_THE_PAST)
    return await request.service.load(game.id, at)
