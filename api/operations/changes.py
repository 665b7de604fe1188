"""Changes of games over HTTP: retried with keys, checked against versions, charged to clients."""

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
    """The conditions of a request that changes a game."""

    request: ApiRequest
    key: IdempotencyKey | None
    expected_version: int | None
    stores: bool = True

    async def apply(self, command: Command) -> Commit:
        """Change the game, or return the commit that is stored under the key."""
        request, visit = self.request, self.request.auth
        if self.stores and (repeated := await require_storage(request, self.key)):
            return repeated
        commit = await request.service.change(
            visit.id, command, permission=visit.member, expected_version=self.expected_version, key=self.key
        )
        charge(request, commit)
        return commit

    async def issue(self, command: Command) -> Commit:
        """Apply a command that issues a token; refuse a key without a secret before anything is done."""
        require_secret(self.key)
        return await self.apply(command)

    async def repeated(self) -> Commit | None:
        return await repeated(self.request, self.key)


RequestedChanges = NamedDependency[SkipValidation[GameChanges]]
Key = NamedDependency[SkipValidation[IdempotencyKey | None]]


async def provide_changes(
    request: ApiRequest, game_id: GameIdInPath, if_match: IfMatch = None, idempotency_key: KeyHeader = None
) -> GameChanges:
    return GameChanges(
        request,
        None if idempotency_key is None else parse_key(request, await request.body(), idempotency_key),
        None if if_match is None else parse_expected_version(if_match),
    )


async def provide_deletion(request: ApiRequest, game_id: GameIdInPath, if_match: IfMatch = None) -> GameChanges:
    return await provide_changes(request, game_id, if_match)


async def provide_key(request: ApiRequest, idempotency_key: KeyHeader = None) -> IdempotencyKey | None:
    """Provide the idempotency key of a request that creates a game."""
    return None if idempotency_key is None else parse_key(request, await request.body(), idempotency_key)


async def require_storage(request: ApiRequest, key: IdempotencyKey | None) -> Commit | None:
    """Raise ``too_many_requests`` if a client has stored too much, but return a commit stored under the key."""
    limit: RateLimit = request.app.state["storage_limit"]
    try:
        limit.take(request.client_name, 0)
    except ApiProblem:
        if (commit := await repeated(request, key)) is None:
            raise
        return commit
    return None


async def repeated(request: ApiRequest, key: IdempotencyKey | None) -> Commit | None:
    """Return the commit stored under a key, None without one."""
    if key is None:
        return None
    visit: Visit | None = request.scope.get("auth")
    commit = await request.service.repeated(key, visit.member if visit else None)
    if commit is not None:
        charge(request, commit)
    return commit


def charge(request: ApiRequest, commit: Commit) -> None:
    """Charge the stored bytes; a repeated commit costs as much as loading an earlier version."""
    name, cost = (
        ("rate_limit", cost_of_past(commit.loaded.version))
        if commit.repeated
        else ("storage_limit", stored_bytes(commit))
    )
    limit: RateLimit = request.app.state[name]
    limit.take(request.client_name, cost, afterwards=True)
