"""Audit, export, import and fork of games."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, QueryParameter, RawBody

from api.http.access import GameIdInPath, RequestedGame, provide_game
from api.http.conditions import IfMatch, IfNoneMatch, etag, game_headers, matches, parse_expected_version
from api.http.operation import AUDITOR, FORKER, READER, get, post
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import Key, charge, provide_key, require_storage
from api.operations.renderers import created
from api.operations.response_bodies import Created, GameRecord
from api.operations.views import not_modified
from domain.audit import Audit

EVENTS_AUDITED, EVENTS_EXPORTED, EVENTS_FORKED, BYTES_VERIFIED = 5, 40, 8, 600
"""The numbers of events (audit, export, fork) and of bytes (import) that cost as much as a request."""

Private = Annotated[
    bool,
    QueryParameter(name="private", description="Make the imported game private, like the option `private`."),
]


class GameRecordController(Controller):
    """Audit, export and fork of a game."""

    path = "/v1/games/{game_id:str}"
    tags = ("stream",)

    @get(
        "/audit",
        summary="Audit a game",
        response_description="The result of the audit.",
        access=AUDITOR,
    )
    async def audit_game(self, request: ApiRequest, game_id: GameIdInPath) -> Encoded[Audit]:
        """Check the stored events.

        - `chain_ok`: the digests show that no event was changed.
        - `replay_ok`: playing every action again gives the stored events, so the rules were kept.
        - `first_difference`: the first error.

        The response is never 304, since stored data can be damaged without a new version. With one of its tokens, a
        game can be audited even if it is too damaged to be read.
        """
        visit, headers = request.auth, {"cache-control": "no-store"}
        if visit.loaded is not None:
            headers["etag"] = etag(visit.loaded.version)
            request.charge(visit.loaded.version / EVENTS_AUDITED)
        found = await request.service.archive.audit(visit.id, request.client_name)
        return Encoded(msgspec.json.encode(found), headers=headers)

    @get(
        "/record",
        summary="Export a game",
        response_description="The record of the game.",
        access=READER,
        problems=("not_started",),
        dependencies={"game": Provide(provide_game)},
    )
    async def export_record(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[GameRecord]:
        """Export all events, with everything that is needed to verify them. The game may be in play.

        `import_record` accepts the record on any server. It contains no tokens.
        """
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        request.charge(game.version / EVENTS_EXPORTED)
        record = await request.service.archive.record(game, request.client_name)
        return Encoded(record, headers=game_headers(game))

    @post(
        "/fork",
        summary="Fork a game",
        status_code=201,
        response_description="The new game, and the tokens of its host and its seats.",
        access=FORKER,
        problems=("version_not_found", "not_started", "not_a_boundary"),
        dependencies={"game": Provide(provide_game), "key": Provide(provide_key)},
    )
    async def fork_game(
        self,
        request: ApiRequest,
        game: RequestedGame,
        key: Key,
        data: JSONBody[bodies.Fork] = bodies.AT_NEWEST,
        if_match: IfMatch = None,
    ) -> Encoded[Created]:
        """Create a new game that continues this one from version `at`, which must be between two actions.

        This is for analysis and what-ifs. The original game is not affected.
        """
        request.charge(game.version / EVENTS_FORKED)
        if stored := await require_storage(request, key):
            return created(stored)
        commit = await request.service.fork(
            game.id,
            data.at,
            permission=request.auth.member,
            expected_version=None if if_match is None else parse_expected_version(if_match),
            key=key,
            client=request.client_name,
        )
        charge(request, commit)
        return created(commit)


class RecordsController(Controller):
    """Imports of games."""

    path = "/v1/records"
    tags = ("stream",)

    @post(
        summary="Import a game",
        status_code=201,
        response_description="The imported game, and the tokens of its host and its seats.",
        problems=("record_rejected",),
        dependencies={"key": Provide(provide_key)},
    )
    async def import_record(
        self, request: ApiRequest, data: JSONBody[GameRecord], body: RawBody, key: Key, private: Private = False
    ) -> Encoded[Created]:
        """Import a record of `export_record`. Digests, rules and times are verified before anything is stored.

        The game keeps its id, unless this server has a game with that id or `private` changes the game: then it gets a
        new id and new digests. You get all tokens, to give them to the players.
        """
        request.charge(len(body) / BYTES_VERIFIED)
        if stored := await require_storage(request, key):
            return created(stored)
        commit = await request.service.import_record(body, private=private, key=key, client=request.client_name)
        charge(request, commit)
        return created(commit)
