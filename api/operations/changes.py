"""Changes of games over HTTP: once for each idempotency key, on the version that was seen, charged to the client."""

import msgspec
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from api.http.access import GameIdInPath, Visit, cost_of_past
from api.http.conditions import IfMatch, KeyHeader, parse_expected_version, parse_key
from api.http.limits import RateLimit
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from domain.store import Command, Commit, IdempotencyKey, require_secret, stored_bytes


class GameChanges(msgspec.Struct, frozen=True):
    """The change that a request asks for, with its conditions."""

    request: ApiRequest
    key: IdempotencyKey | None
    expected_version: int | None
    stores: bool = True

    async def apply(self, command: Command) -> Commit:
        """Change the game and return what was stored, also if it was stored earlier under the same key."""
        request, visit = self.request, self.request.auth
        if self.stores and (repeated := await require_storage(request, self.key)):
            return repeated
        commit = await request.service.change(
            visit.id, command, permission=visit.member, expected_version=self.expected_version, key=self.key
        )
        charge(request, commit)
        return commit

    async def issue(self, command: Command) -> Commit:
        """Change the game by a command that issues a token; refuse a key without a secret at once."""
        require_secret(self.key)
        return await self.apply(command)

    async def repeated(self) -> Commit | None:
        """Return what was stored under the key, None if it is new or there is none."""
        return await repeated(self.request, self.key)


RequestedChanges = NamedDependency[SkipValidation[GameChanges]]
Key = NamedDependency[SkipValidation[IdempotencyKey | None]]


async def provide_changes(
    request: ApiRequest, game_id: GameIdInPath, if_match: IfMatch = None, idempotency_key: KeyHeader = None
) -> GameChanges:
    """Provide the conditions under which a request changes a game."""
    return GameChanges(
        request,
        None if idempotency_key is None else parse_key(request, await request.body(), idempotency_key),
        None if if_match is None else parse_expected_version(if_match),
    )


async def provide_deletion(request: ApiRequest, game_id: GameIdInPath, if_match: IfMatch = None) -> GameChanges:
    """Provide the conditions under which a request deletes a game."""
    return await provide_changes(request, game_id, if_match)


async def provide_key(request: ApiRequest, idempotency_key: KeyHeader = None) -> IdempotencyKey | None:
    """Provide the idempotency key of a request that makes a new game."""
    return None if idempotency_key is None else parse_key(request, await request.body(), idempotency_key)


async def require_storage(request: ApiRequest, key: IdempotencyKey | None) -> Commit | None:
    """Raise the problem of a client that has stored too much, but return what it has stored under a key."""
    limit: RateLimit = request.app.state["storage_limit"]
    try:
        limit.take(request.client_name, 0)
    except ApiProblem:
        if (commit := await repeated(request, key)) is None:
            raise
        return commit
    return None


async def repeated(request: ApiRequest, key: IdempotencyKey | None) -> Commit | None:
    """Return what was stored under a key, None if it is new or there is none."""
    if key is None:
        return None
    visit: Visit | None = request.scope.get("auth")
    commit = await request.service.repeated(key, visit.member if visit else None)
    if commit is not None:
        charge(request, commit)
    return commit


def charge(request: ApiRequest, commit: Commit) -> None:
    """Charge the client for what was stored; a repeated commit costs what a look at the past does."""
    name, cost = (
        ("rate_limit", cost_of_past(commit.loaded.version))
        if commit.repeated
        else ("storage_limit", stored_bytes(commit))
    )
    limit: RateLimit = request.app.state[name]
    limit.take(request.client_name, cost, afterwards=True)
