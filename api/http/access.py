"""Access checks: find the game and the holder of the token, and admit or refuse the caller.

A token works only for the game it was issued for.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar.di import NamedDependency
from litestar.params import HeaderParameter, PathParameter, QueryParameter, SkipValidation
from msgspec import Meta
from msgspec.structs import replace

from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from domain.refused import Refused
from domain.store import CHECKPOINT_EVENTS, FORMER, INVITE, GameService, LoadedGame, Permission, TokenHolder
from domain.stream import UnreadableEvent

GameIdInPath = Annotated[
    str,
    PathParameter(description="The id of a game.", schema_extra={"format": "uuid"}),
]
At = Annotated[
    Annotated[int, Meta(ge=1, le=2**31 - 1)] | None,
    QueryParameter(name="at", description="Show the game as it was at this version."),
]

Invite = Annotated[
    str | None,
    HeaderParameter(
        name="X-Invite",
        description="The invitation code of a private table. Until play begins, it opens the summary like a token.",
    ),
]

RequestedGame = NamedDependency[SkipValidation[LoadedGame]]

EVENTS_FOLDED = 6
"""Folding this many events after a checkpoint costs as much as one request."""

_bearer = re.compile(r"bearer +(\S+) *", re.IGNORECASE).fullmatch


NO_GAME = UUID(int=0)
"""The id in a visit of an operation without a game in its path."""


class Visit(msgspec.Struct, frozen=True):
    """The result of an access check: the game or its damage, and the holder of the token.

    A ``member`` has a token of this game. Its permission names the token, the holder and the version seen. An
    ``invited`` caller has the invitation code, a ``former`` holder a token that was renewed.
    """

    id: UUID
    loaded: LoadedGame | None
    token: str | None
    holder: TokenHolder | None
    member: Permission | None = None
    seat: int | None = None
    private: bool = False
    damage: UnreadableEvent | None = None
    invited: bool = False
    former: bool = False

    @property
    def game(self) -> LoadedGame:
        """The game; raise ``UnreadableEvent`` if it is damaged."""
        if self.loaded is None:
            raise self.damage or TypeError("neither a game nor damage was found")
        return self.loaded


class Access(msgspec.Struct, frozen=True):
    """The callers that an operation admits, and their tokens and problems in the OpenAPI document.

    A ``change`` uses the cached game, since a stale one ends in a conflict. ``invite`` and ``former`` make the check
    look up an invitation code or a renewed token.
    """

    admit: Callable[[Visit], None]
    security: tuple[dict[str, list[str]], ...] = ()
    problems: tuple[str, ...] = ()
    change: bool = False
    invite: bool = False
    former: bool = False


# --- the check --------------------------------------------------------------------------------------------------


async def enter(scope: Any, access: Access) -> None:
    """Find the game, then the token, and keep both as ``request.auth`` if the caller is admitted.

    A token that is renewed in between changes the version of the game. A change of a started game uses the cached game.
    If the token does not belong to that game, the game is loaded, since it may have been deleted.
    """
    service: GameService = scope["litestar_app"].state["service"]
    path, token, damage = scope["path_params"], bearer_token(scope), None
    if "game_id" not in path:
        scope["auth"] = visit = Visit(NO_GAME, None, token, await service.find_token(token) if token else None)
        access.admit(visit)
        return
    game_id = parse_game_id(path["game_id"])
    game = service.cached(game_id) if access.change else None
    if asked := game is None or not game.timeline.table.started:
        try:
            game = await service.load(game_id)
        except UnreadableEvent as error:
            game, damage = None, error
    holder = await service.find_token(token, game) if token else None
    if token and holder and holder.game == game_id:
        member, seat = Permission(token, holder, game.digest if game else b""), holder.seat
    else:
        member, seat = None, None
        if not asked:
            await service.load(game_id)
    private = game.timeline.table.options.private if game else await service.opened_private(game_id)
    visit = Visit(game_id, game, token, holder, member, seat, private, damage)
    if access.invite or access.former:
        visit = await _find_more(service, scope, access, visit)
    access.admit(visit)
    scope["auth"] = visit


async def enter_again(request: ApiRequest) -> LoadedGame:
    """Check the access again after a wait, and return the current game."""
    await enter(request.scope, request.route_handler.opt["access"])
    return request.auth.game


async def _find_more(service: GameService, scope: Any, access: Access, visit: Visit) -> Visit:
    """Look up an invitation code, or a renewed token."""
    code = dict(scope["headers"]).get(b"x-invite") if access.invite else None
    if code is not None:
        return replace(visit, invited=await service.is_known_as(INVITE, visit.id, code.decode("latin-1")))
    former = visit.token if access.former and visit.holder is None else None
    if former is not None and await service.is_known_as(FORMER, visit.id, former):
        return replace(visit, holder=TokenHolder(visit.id, None, "host"), former=True)
    return visit


# --- predicates -------------------------------------------------------------------------------------------------


def unknown_token() -> ApiProblem:
    return ApiProblem("token_unknown", "This token no longer works. Ask the host for a new one.")


def no_member(token: str | None, holder: TokenHolder | None) -> ApiProblem:
    """Return the problem of a caller without a token of the game."""
    if token is None:
        return ApiProblem("token_missing", "Send a token of this game.")
    return unknown_token() if holder is None else ApiProblem("foreign_token", "Send a token of this game.")


def admit_anybody(_: Visit) -> None:
    """Admit every caller."""


def admit_lobby_reader(visit: Visit) -> None:
    """Admit callers without a token, or with a token of any game."""
    if visit.token is not None and visit.holder is None:
        raise unknown_token()


def admit_reader(visit: Visit) -> None:
    """Admit everybody to a public game, and members and invited callers to a private one.

    A refusal does not reveal the state of a private game.
    """
    if visit.private and visit.member is None and not visit.invited:
        raise no_member(visit.token, visit.holder)
    if visit.token is not None and visit.holder is None:
        raise unknown_token()
    if visit.damage is not None:
        raise visit.damage


def admit_advised(visit: Visit) -> None:
    """Admit readers, but to a game in play only holders of its tokens: others could help a player."""
    admit_reader(visit)
    if visit.member is None and visit.game.table.status == "playing":
        raise no_member(visit.token, visit.holder)


def admit_auditor(visit: Visit) -> None:
    """Admit readers, and members even if the game is damaged."""
    if visit.member is None or visit.damage is None:
        admit_reader(visit)


def admit_forker(visit: Visit) -> None:
    """Admit readers, but no spectators of a private game."""
    admit_reader(visit)
    if visit.private and visit.member and visit.member.holder.role == "spectator":
        raise ApiProblem("players_only", "Spectators can only read.")


def admit_member(visit: Visit) -> None:
    """Admit players and the host of a started game; before the start, the seat of a token may change."""
    if visit.member is None:
        raise no_member(visit.token, visit.holder)
    if visit.member.holder.role == "spectator":
        raise ApiProblem("players_only", "Send the token of a player or of the host. Spectators can only read.")
    if visit.damage is not None:
        raise visit.damage
    if visit.loaded is None or not visit.loaded.timeline.table.started:
        raise Refused("not_started", "table")


def admit_player(visit: Visit) -> None:
    """Admit players, and the host if the host plays all seats."""
    admit_member(visit)
    if visit.seat is None and not visit.game.table.plays_all_seats:
        raise ApiProblem(
            "players_only", "Send the token of a seat. The host can play only at a hot seat or with free undo."
        )


def admit_host(visit: Visit) -> None:
    if visit.member is None:
        raise no_member(visit.token, visit.holder)
    if visit.member.holder.role != "host":
        raise ApiProblem("host_only", f"Send the host's token. This token belongs to a {visit.member.holder.role}.")
    if visit.damage is not None:
        raise visit.damage


def admit_host_or_player(visit: Visit) -> None:
    """Admit the host and the players."""
    if visit.member is None or visit.member.holder.role != "seat":
        admit_host(visit)
    elif visit.damage is not None:
        raise visit.damage


def admit_renewing_host(visit: Visit) -> None:
    """Admit the host, and the holder of a renewed token, who may repeat the renewal."""
    if not visit.former:
        admit_host(visit)


def admit_renewing_host_or_player(visit: Visit) -> None:
    """Admit the host and the players, and the holder of a renewed token."""
    if not visit.former:
        admit_host_or_player(visit)


# --- tokens and ids ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=10_000)
def parse_game_id(text: str) -> UUID:
    """Parse a game id; only a UUID in its usual form can be one."""
    try:
        found = UUID(text)
    except ValueError:
        found = None
    if found is None or str(found) != text.lower():
        raise ApiProblem("game_not_found", "This game does not exist. Ids of games are UUIDs.")
    return found


def bearer_token(scope: Any) -> str | None:
    authorization = dict(scope["headers"]).get(b"authorization")
    if authorization is None:
        return None
    token = _bearer(authorization.decode("latin-1"))
    if token is None:
        raise ApiProblem("token_missing", "The Authorization header has no bearer token.")
    return token[1]


# --- games that the query names ------------------------------------------------------------------------------------


async def load_readable(request: ApiRequest, game_id: UUID) -> LoadedGame:
    """Load a game that the query names, if the caller may read it."""
    service, holder = request.service, request.auth.holder
    try:
        game = await service.load(game_id)
        private = game.table.options.private
    except UnreadableEvent:
        if await service.opened_private(game_id) and (holder is None or holder.game != game_id):
            raise no_member(request.auth.token, holder) from None
        raise
    if private and (holder is None or holder.game != game_id):
        raise no_member(request.auth.token, holder)
    return game


async def may_still_read(request: ApiRequest, game_id: UUID) -> bool:
    """Return whether the token still opens a private game, damaged or not; raise ``UnknownGame``."""
    token = request.auth.token
    holder = await request.service.find_token(token) if token else None
    if holder is not None and holder.game == game_id:
        return True
    with suppress(UnreadableEvent):
        await request.service.load(game_id)
    return False


def cost_of_past(version: int) -> float:
    """Return the cost of loading a game at an earlier version."""
    return 4 + version % CHECKPOINT_EVENTS / EVENTS_FOLDED


# --- dependencies -------------------------------------------------------------------------------------------------


async def provide_game(request: ApiRequest, game_id: GameIdInPath) -> LoadedGame:
    return request.auth.game


async def provide_game_at(request: ApiRequest, game_id: GameIdInPath, at: At = None) -> LoadedGame:
    """Provide the game, or an earlier version of it, which costs more."""
    if at is None:
        return request.auth.game
    request.charge(cost_of_past(at))
    return await request.service.load(request.auth.id, at)


async def provide_game_to_invited(
    request: ApiRequest, game_id: GameIdInPath, at: At = None, x_invite: Invite = None
) -> LoadedGame:
    """Declare ``X-Invite``, which the access check has read, next to ``at``."""
    return await provide_game_at(request, game_id, at)
