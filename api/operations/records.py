"""Proof and portability: auditing a game, taking it elsewhere, bringing one in, going on from it in a new game."""

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
"""So many events audited, exported or forked, so many bytes verified cost as much as a request."""

Private = Annotated[
    bool,
    QueryParameter(
        name="private", description="Keep the game out of the public list: only its tokens read it, as with the option."
    ),
]


class GameRecordController(Controller):
    """The stream of one game as a whole."""

    path = "/v1/games/{game_id:str}"
    tags = ("stream",)

    @get(
        "/audit",
        summary="Is this game what was played?",
        response_description="Whether every event is as it was written and follows from the rules.",
        access=AUDITOR,
    )
    async def audit_game(self, request: ApiRequest, game_id: GameIdInPath) -> Encoded[Audit]:
        """Read the stored events again and check two things about them.

        The chain of digests shows whether anything was changed since (`chain_ok`); deciding every recorded action anew
        shows whether the rules were kept (`replay_ok`). `first_difference` says where it goes wrong. It is
        never answered with 304: what is stored may have been changed although the version has not. A game so damaged
        that it cannot be read any more is audited for those who have a token of it.
        """
        visit, headers = request.auth, {"cache-control": "no-store"}
        if visit.loaded is not None:
            headers["etag"] = etag(visit.loaded.version)
            request.charge(visit.loaded.version / EVENTS_AUDITED)
        found = await request.service.audit(visit.id, request.client_name)
        return Encoded(msgspec.json.encode(found), headers=headers)

    @get(
        "/record",
        summary="Take the game elsewhere",
        response_description="The whole game as one document.",
        access=READER,
        problems=("not_started",),
        dependencies={"game": Provide(provide_game)},
    )
    async def export_record(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[GameRecord]:
        """Export the whole stream with everything needed to verify it, of a finished game or of one that goes on.

        `import_record` takes it in, here or at another server. It holds no tokens.
        """
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        request.charge(game.version / EVENTS_EXPORTED)
        record = await request.service.export_record(game, request.client_name)
        return Encoded(record, headers=game_headers(game))

    @post(
        "/fork",
        summary="Go on from here in a new game",
        status_code=201,
        response_description="The new game, with tokens for its host and its seats.",
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
        """Make a new game that is the same as this one up to the version `at`, and then goes its own way.

        To ask "what if", to analyse, to go on with what others began; the old game does not notice. `at` has to be a
        version between two actions.
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
    """Games that come from elsewhere."""

    path = "/v1/records"
    tags = ("stream",)

    @post(
        summary="Bring a game in",
        status_code=201,
        response_description="The game as it stands here, with tokens for its host and its seats.",
        problems=("record_rejected",),
        dependencies={"key": Provide(provide_key)},
    )
    async def import_record(
        self, request: ApiRequest, data: JSONBody[GameRecord], body: RawBody, key: Key, private: Private = False
    ) -> Encoded[Created]:
        """Send what `export_record` gave; everything is verified before anything is stored: digests, rules and times.

        The game keeps its id unless a game here has it or `private` changes it: then it gets another one, and with it
        other digests. Whoever brings it in gets all tokens and hands them out.
        """
        request.charge(len(body) / BYTES_VERIFIED)
        if stored := await require_storage(request, key):
            return created(stored)
        commit = await request.service.import_record(body, private=private, key=key, client=request.client_name)
        charge(request, commit)
        return created(commit)
