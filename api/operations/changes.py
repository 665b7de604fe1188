"""Changes of games over HTTP: once for each idempotency key, on the version that was seen, answered with what came."""

from typing import Any
from uuid import UUID

import msgspec
from litestar.di import NamedDependency
from litestar.params import RawBody, SkipValidation
from litestar.status_codes import HTTP_201_CREATED

from api.http.access import GameIdInPath, parse_game_id
from api.http.etag import IfMatch, etag, parse_expected_version
from api.http.idempotency import KeyHeader, parse_key
from api.http.rate_limit import RateLimit, too_many_requests
from api.http.request_body import ApiRequest
from api.http.responses import Encoded
from domain.store import Answer, Commit, IdempotencyKey, Permit, Render, stored_bytes
from domain.store.commands import Command


class GameChanges(msgspec.Struct, frozen=True):
    """The change that a request asks for, with its conditions."""

    request: ApiRequest
    game_id: UUID
    key: IdempotencyKey | None
    expected_version: int | None

    async def apply(self, command: Command, render: Render, permit: Permit | None = None) -> Encoded[Any]:
        """Change a game and return the answer: the first one if the key is not new."""
        charged = charging(self.request, self.key, render)
        answer = await self.request.service.change(
            self.game_id, command, charged, permit=permit, expected_version=self.expected_version, key=self.key
        )
        return respond(answer)


RequestedChanges = NamedDependency[SkipValidation[GameChanges]]
Key = NamedDependency[SkipValidation[IdempotencyKey | None]]


async def provide_changes(
    request: ApiRequest,
    game_id: GameIdInPath,
    body: RawBody,
    if_match: IfMatch = None,
    idempotency_key: KeyHeader = None,
) -> GameChanges:
    """Provide the conditions under which a request changes a game."""
    return GameChanges(
        request,
        parse_game_id(game_id),
        None if idempotency_key is None else parse_key(request, body, idempotency_key),
        None if if_match is None else parse_expected_version(if_match),
    )


async def provide_deletion(request: ApiRequest, game_id: GameIdInPath, if_match: IfMatch = None) -> GameChanges:
    """Provide the conditions under which a request deletes a game."""
    return await provide_changes(request, game_id, RawBody(b""), if_match)


async def provide_key(request: ApiRequest, body: RawBody, idempotency_key: KeyHeader = None) -> IdempotencyKey | None:
    """Provide the idempotency key of a request that makes a new game."""
    return None if idempotency_key is None else parse_key(request, body, idempotency_key)


def charging(request: ApiRequest, key: IdempotencyKey | None, render: Render) -> Render:
    """Return a renderer that charges the client for what is about to be stored: once, however often it is tried."""
    limit: RateLimit = request.app.state["storage_limit"]
    paid = 0

    def charge(commit: Commit) -> Answer:
        nonlocal paid
        answer = render(commit)
        cost = stored_bytes(commit, answer if key else None)
        wait = limit.seconds_to_wait(request.client_name, cost - paid) if cost > paid else 0
        if wait:
            raise too_many_requests(wait)
        paid = max(paid, cost)
        return answer

    return charge


def respond(answer: Answer) -> Encoded[Any]:
    """Return an answer, given for the first time or again; what is created comes with tokens."""
    headers, holds_tokens = {"etag": etag(answer.version)}, answer.status == HTTP_201_CREATED
    if holds_tokens:
        headers["cache-control"] = "no-store"
    if answer.location:
        headers["location"] = answer.location
    return Encoded(answer.body, status_code=answer.status, headers=headers, compress=not holds_tokens)
