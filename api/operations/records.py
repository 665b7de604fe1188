"""Audit, export, import and fork of games, and the records of all finished games."""

import asyncio
import zlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Literal

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, QueryParameter, RawBody
from msgspec import Meta

from api.http.access import GameIdInPath, RequestedGame, provide_game
from api.http.apps import owner_of
from api.http.conditions import IfMatch, IfNoneMatch, etag, game_headers, matches, parse_expected_version
from api.http.event_stream import RETRY_SECONDS, Chunked
from api.http.operation import AUDITOR, FORKER, READER, get, post
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from api.http.responses import LEVEL, Encoded, allows_gzip
from api.operations import request_bodies as bodies
from api.operations.changes import Key, charge, provide_key, require_storage
from api.operations.events import PAGE_COST
from api.operations.renderers import created
from api.operations.response_bodies import Created, GameRecord
from api.operations.views import not_modified
from domain.audit import Audit
from domain.store import FinishedGames, StorageUnavailable, TooMuchWork

EVENTS_AUDITED, EVENTS_EXPORTED, EVENTS_FORKED, BYTES_VERIFIED, BYTES_EXPORTED = 5, 40, 8, 600, 5000
"""The numbers of events (audit, export, fork) and of bytes (import, all records) that cost as much as a request."""

Private = Annotated[
    bool,
    QueryParameter(name="private", description="Make the imported game private, like the option `private`."),
]


LINES = "application/x-ndjson"

CURSOR_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-[0-9]{1,15}$"

Finished = Annotated[
    Annotated[Literal["finished"], Meta(description="The status of games with records in this list.")],
    QueryParameter(name="status", description="Only `finished` so far."),
]
AfterGame = Annotated[
    Annotated[str, Meta(pattern=CURSOR_PATTERN)] | None,
    QueryParameter(
        name="after",
        description="Only games that ended after this one: `<game>-<version>` of a record (the version of its last "
        "event), or `next` of the last line.",
        schema_extra={"example": "3f2b8c1d-9a4e-4d7b-8c6f-1e2d3c4b5a69-212"},
    ),
]
MostRecords = Annotated[
    Annotated[int, Meta(ge=1, le=1_000_000)] | None,
    QueryParameter(name="limit", description="Maximum number of records. Default: all."),
]


class NextRecords(msgspec.Struct, frozen=True):
    """The last line: a response without it was cut off."""

    next: Annotated[
        str | None, Meta(description="Send it as `after` to get the games that end later; null if there are none yet.")
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
            owner=owner_of(request),
            client=request.client_name,
        )
        charge(request, commit)
        return created(commit)


class RecordsController(Controller):
    """Imports of games, and exports of all finished ones."""

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
        commit = await request.service.import_record(
            body, private=private, key=key, owner=owner_of(request), client=request.client_name
        )
        charge(request, commit)
        return created(commit)

    @get(
        summary="Export all finished games",
        response_description="Lines of JSON: the records, then the cursor.",
        problems=("cursor_gone",),
        media_type=LINES,
    )
    async def export_records(
        self,
        request: ApiRequest,
        status: Finished = "finished",
        after: AfterGame = None,
        limit: MostRecords = None,
    ) -> Chunked[GameRecord | NextRecords]:
        """Get the records of all public games that have ended, in the order in which they ended, one a line.

        If the connection is lost, send `<game>-<version>` of the last complete record as `after`. Each ending comes
        once; a game that goes on after an undo, and ends again, comes again. Deleted and erased games are left out.
        With `Accept-Encoding: gzip` the response is compressed.

        `python -m api export --finished FILE` writes the same file without a server.
        """
        headers = {"cache-control": "no-store", "content-type": LINES}
        compress = None
        if allows_gzip(request.headers.get("accept-encoding", "")):
            headers["content-encoding"], compress = "gzip", zlib.compressobj(LEVEL, wbits=31)
        return Chunked(_reading(request, after), partial(_chunks, request, limit, compress), headers)


@asynccontextmanager
async def _reading(request: ApiRequest, after: str | None) -> AsyncGenerator[FinishedGames]:
    yield await request.service.archive.finished_games(after, request.client_name)


async def _chunks(
    request: ApiRequest, limit: int | None, compress: "zlib._Compress | None", finished: FinishedGames
) -> AsyncGenerator[bytes, None]:
    """Yield the lines, compressed if there is a compressor."""
    async for line in _lines(request, limit, finished):
        if compress is None:
            yield line
        elif compressed := await asyncio.to_thread(compress.compress, line):
            yield compressed
    if compress is not None:
        yield compress.flush()


async def _lines(request: ApiRequest, limit: int | None, finished: FinishedGames) -> AsyncGenerator[bytes, None]:
    """Yield the records, and the last line unless the server stops."""
    records = 0
    while not finished.at_end and records != limit:
        if request.service.watchers.closed:
            return
        try:
            record = await request.service.archive.next_record(finished, request.client_name)
        except (StorageUnavailable, TooMuchWork):
            await asyncio.sleep(RETRY_SECONDS)
            continue
        await _pay(request, PAGE_COST + len(record or b"") / BYTES_EXPORTED)
        if record is not None:
            records += 1
            yield record + b"\n"
    yield msgspec.json.encode(NextRecords(finished.cursor)) + b"\n"


async def _pay(request: ApiRequest, cost: float) -> None:
    """Charge the client as soon as the allowance covers the cost, unless the server stops."""
    while not request.service.watchers.closed:
        try:
            request.charge(cost)
        except ApiProblem:
            await asyncio.sleep(RETRY_SECONDS)
        else:
            return
