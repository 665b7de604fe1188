"""Changes of games over HTTP: once for each idempotency key, on the version that was seen, answered with what came."""

from typing import Any
from uuid import UUID

import msgspec
from litestar.di import NamedDependency
from litestar.params import RawBody, SkipValidation

from api.http.access import GameIdInPath, parse_game_id
from api.http.etag import IfMatch, etag, parse_expected_version
from api.http.idempotency import KeyHeader, parse_key
from api.http.request_body import ApiRequest
from api.http.responses import Encoded
from domain.store import Answer, GameService, IdempotencyKey, Render
from domain.store.commands import Command


class GameChanges(msgspec.Struct, frozen=True):
    """The change that a request asks for, with its conditions."""

    service: GameService
    game_id: UUID
    key: IdempotencyKey | None
    expected_version: int | None

    async def apply(self, command: Command, render: Render) -> Encoded[Any]:
        """Change a game and return the answer: the first one if the key is not new."""
        answer = await self.service.change(
            self.game_id, command, render, expected_version=self.expected_version, key=self.key
        )
        return respond(answer)

    async def first_answer(self) -> Answer | None:
        """Return the first answer to the key of a request that changes nothing, None if there is none."""
        return await self.service.first_answer(self.key) if self.key else None

    async def keep(self, answer: Answer) -> Answer:
        """Keep the answer to a request that changes nothing, if it has a key."""
        return await self.service.keep_answer(self.key, answer) if self.key else answer


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
        request.service,
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


def respond(answer: Answer) -> Encoded[Any]:
    """Return an answer, given for the first time or again."""
    headers = {"etag": etag(answer.version)}
    if answer.location:
        headers["location"] = answer.location
    return Encoded(answer.body, status_code=answer.status, headers=headers)
