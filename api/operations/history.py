"""The history of a game."""

from typing import Annotated, NamedTuple

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import QueryParameter
from msgspec import Meta

from api.http.access import RequestedGame, provide_game_at
from api.http.conditions import IfNoneMatch, broken_cursor, etag, game_headers, matches
from api.http.operation import READER, get
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations.views import not_modified
from domain.store import GameService, LoadedGame
from domain.timeline import Moment, common_moment, moment_at_version, moment_of
from projections.history import GameHistory, history, history_notes, history_page, note_versions

LINES = 1000
"""The default and maximum length of a page."""

PAGE_COST, BYTES_SENT = 5, 1_400
"""The cost of a page, and the number of its bytes that cost 1 more."""

CURSOR_PATTERN = "^[0-9]{1,10}(-[0-9]{1,10}){3}$"

LinesAfter = Annotated[
    Annotated[int, Meta(ge=0, le=2**31 - 1)],
    QueryParameter(
        name="after",
        description="Only lines that are new since this version. A redo may restore earlier lines.",
    ),
]
LinesPerPage = Annotated[
    Annotated[int, Meta(ge=1, le=LINES)], QueryParameter(name="limit", description="Maximum number of lines.")
]
HistoryCursor = Annotated[
    Annotated[str, Meta(pattern=CURSOR_PATTERN)] | None,
    QueryParameter(
        name="cursor",
        description="`next` of the previous page. All pages show the game as it was for the first page.",
    ),
]


class HistoryController(Controller):
    """The history of a game in sentences."""

    path = "/v1/games/{game_id:str}/history"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game_at)}

    @get(
        summary="Read the history in sentences",
        response_description="A page of the history.",
        access=READER,
        problems=("invalid_cursor",),
    )
    async def read_history(
        self,
        request: ApiRequest,
        game: RequestedGame,
        after: LinesAfter = 0,
        cursor: HistoryCursor = None,
        limit: LinesPerPage = LINES,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[GameHistory]:
        """Read one line for each action: the player, the action, and its effects in words and numbers.

        Each line has the money and influence of all players after it. Undone actions are left out; `watch_events` with
        `view=full` has them. To update a history, send the `version` of the last response as `after`. From your
        history, delete all lines after the version `after` of the response, since they were undone. Then append the
        new lines.
        """
        common = not after and cursor is None and limit == LINES
        key = game.reading, game.version, "history"
        ready: Encoded[GameHistory] | None = request.views.get(key) if common else None
        if ready is not None and if_none_match is None:
            return ready
        position = _newest(game, after) if cursor is None else _read_cursor(game, cursor)
        if matches(if_none_match, etag(position.version)):
            return not_modified(game, position.version)
        if ready is not None:
            return ready
        body = msgspec.json.encode(await _read_page(request.service, game, position, limit))
        request.charge(PAGE_COST + len(body) / BYTES_SENT, afterwards=True)
        page = Encoded[GameHistory](body, headers=game_headers(game, position.version))
        if common:
            request.views.put(key, page, len(body))
        return page


class _Position(NamedTuple):
    """A position in a history: the versions of the lines before it and at the end, and the version of the game.

    ``noted`` is the version up to which the client has the notes.
    """

    after: int
    last: int
    version: int
    noted: int


def _newest(game: LoadedGame, after: int) -> _Position:
    """Return the position after the lines that a client read at a version."""
    now, known = game.timeline.now, common_moment(game.timeline, after)
    return _Position(known.version if known else 0, now.version if now else 0, game.version, after)


def _read_cursor(game: LoadedGame, cursor: str) -> _Position:
    position = _Position(*map(int, cursor.split("-")))
    if not 1 <= position.last <= position.version <= game.version:
        raise broken_cursor()
    return position


async def read_history_after(service: GameService, game: LoadedGame, after: int) -> GameHistory:
    """Read the first page after the lines that a client read at a version."""
    return await _read_page(service, game, _newest(game, after), LINES)


async def _read_page(service: GameService, game: LoadedGame, position: _Position, limit: int) -> GameHistory:
    now = await _moment(service, game, position)
    page = history_page(now, moment_at_version(now, position.after) if now else None, limit)
    events = await service.recorded(game.id, page.versions)
    cursor, last = None, position.version
    if page.more:
        service.cache_version(game)
        last = page.moments[-1].version
        cursor = "-".join(map(str, position._replace(after=last, noted=max(position.noted, last))))
    versions = note_versions(game.table, position.noted, last)
    notes = history_notes(game.table, await service.recorded(game.id, versions)) if versions else ()
    return history(position.version, game.table, page, events, cursor, notes)


async def _moment(service: GameService, game: LoadedGame, position: _Position) -> Moment | None:
    """Return the last moment of a history, even if it was undone later; None before the start."""
    if not position.last:
        return None
    found = moment_of(game.timeline, position.last)
    return found or (await service.load(game.id, position.version)).timeline.now
