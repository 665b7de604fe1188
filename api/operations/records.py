"""Proof and portability: auditing a game, taking it elsewhere, bringing one in, going on from it in a new game."""

import msgspec
from litestar import Controller, Response
from litestar.di import Provide
from litestar.params import JSONBody, RawBody

from api.http.access import Game, GameId, Service, check_reader, find_member, parse_game_id, provide_game
from api.http.etag import IfMatch, IfNoneMatch, check_expected_version, etag, matches
from api.http.operation import ETAG, IDENTIFIED_READER, LOCATION, READER, Answer, get, post
from api.http.request_body import ApiRequest
from api.operations import bodies
from api.operations.changes import Key, created, provide_key, respond
from api.operations.replies import Created, Record
from api.operations.views import GAME_PROBLEMS, game_response, not_modified, view_answer
from domain.audit import Audit
from domain.stream import UnreadableEvent


class GameRecordController(Controller):
    """The stream of one game as a whole."""

    path = "/v1/games/{game_id:str}"
    tags = ("stream",)

    @get(
        "/audit",
        operation_id="audit_game",
        summary="Is this game what was played?",
        answer=Answer(
            text="Whether every event is as it was written and follows from the rules.", type=Audit, headers=(ETAG,)
        ),
        access=READER,
        problems=GAME_PROBLEMS,
        cost=25,
    )
    async def audit_game(self, request: ApiRequest, service: Service, game_id: GameId) -> Response[bytes]:
        """Read the stored events again and check two things about them.

        The chain of digests shows whether anything was changed since (`chain_ok`); deciding every recorded action anew
        shows whether the rules were kept (`replay_ok`). `first_difference` says where it goes wrong. It is
        never answered with 304: what is stored may have been changed although the version has not. A game so damaged
        that it cannot be read any more is audited for those who have a token of it.
        """
        id_ = parse_game_id(game_id)
        headers = {"cache-control": "no-store"}
        try:
            game = await service.load(id_)
            await check_reader(request, game)
            headers["etag"] = etag(game.version)
        except UnreadableEvent:
            await find_member(request, id_)
        audit = await service.audit(id_)
        return Response(msgspec.json.encode(audit), media_type="application/json", headers=headers)

    @get(
        "/record",
        operation_id="export_record",
        summary="Take the game elsewhere",
        answer=view_answer("The whole game as one document.", Record),
        access=READER,
        problems=(*GAME_PROBLEMS, "not_started"),
        cost=10,
        dependencies={"game": Provide(provide_game)},
    )
    async def export_record(
        self,
        service: Service,
        game: Game,
        if_none_match: IfNoneMatch = None,
    ) -> Response[bytes]:
        """Export the whole stream with everything needed to verify it, of a finished game or of one that goes on.

        `import_record` takes it in, here or at another server. It holds no tokens.
        """
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        return game_response(game, await service.export_record(game.id))

    @post(
        "/fork",
        operation_id="fork_game",
        summary="Go on from here in a new game",
        answer=Answer(
            text="The new game, with tokens for its host and its seats.",
            type=Created,
            status=201,
            headers=(ETAG, LOCATION),
        ),
        access=IDENTIFIED_READER,
        problems=(*GAME_PROBLEMS, "version_not_found", "not_started", "not_a_boundary", "stale_version"),
        cost=10,
        dependencies={"game": Provide(provide_game), "key": Provide(provide_key)},
    )
    async def fork_game(
        self,
        service: Service,
        game: Game,
        key: Key,
        data: JSONBody[bodies.Fork] = bodies.AT_NEWEST,
        if_match: IfMatch = None,
    ) -> Response[bytes]:
        """Make a new game that is the same as this one up to the version `at`, and then goes its own way.

        To ask "what if", to analyse, to go on with what others began; the old game does not notice. `at` has to be a
        version between two actions.
        """
        check_expected_version(game, if_match)
        return respond(await service.fork(game.id, data.at, created, key=key))


class RecordsController(Controller):
    """Games that come from elsewhere."""

    path = "/v1/records"
    tags = ("stream",)

    @post(
        operation_id="import_record",
        summary="Bring a game in",
        answer=Answer(
            text="The game as it stands here, with tokens for its host and its seats.",
            type=Created,
            status=201,
            headers=(ETAG, LOCATION),
        ),
        problems=("record_rejected",),
        cost=50,
        dependencies={"key": Provide(provide_key)},
    )
    async def import_record(
        self,
        service: Service,
        data: JSONBody[Record],
        body: RawBody,
        key: Key,
    ) -> Response[bytes]:
        """Send what `export_record` gave; everything is verified, digests and rules, before anything is stored.

        The game keeps its id unless a game here has it: then it gets another one, and with it other digests.
        Whoever brings it in gets all tokens and hands them out.
        """
        return respond(await service.import_record(body, created, key=key))
