"""The history of a game, page by page."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import QueryParameter
from msgspec import Meta

from api.http.access import RequestedGame, provide_game_at
from api.http.etag import IfNoneMatch, etag, game_headers, matches
from api.http.operation import READER, get
from api.http.paging import After, broken_cursor
from api.http.request_body import ApiRequest
from api.http.responses import Encoded
from api.operations.views import not_modified
from domain.store import LoadedGame
from domain.timeline import Moment, moment_of
from projections.history import History, history, history_page

LINES = 1000
"""The number of lines of a page unless the client says otherwise, and the most there may be."""

CURSOR_PATTERN = "^[0-9]{1,10}-[0-9]{1,10}-[0-9]{1,10}$"

LinesPerPage = Annotated[
    Annotated[int, Meta(ge=1, le=LINES)], QueryParameter(name="limit", description="How many lines at most.")
]
HistoryCursor = Annotated[
    Annotated[str, Meta(pattern=CURSOR_PATTERN)] | None,
    QueryParameter(
        name="cursor",
        description="`next` of the page before. All pages show the game as it was when the first was read.",
    ),
]


class _Place(msgspec.Struct, frozen=True):
    """A place in a history: the version to go on after, that of the last line, and that at which it is read."""

    after: int
    last: int
    version: int


class HistoryController(Controller):
    """The game as a person would tell it."""

    path = "/v1/games/{game_id:str}/history"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game_at)}

    @get(
        summary="The game as a person would tell it",
        response_description="A page of the game, turn by turn.",
        access=READER,
        problems=("invalid_cursor",),
    )
    async def read_history(
        self,
        request: ApiRequest,
        game: RequestedGame,
        after: After = 0,
        cursor: HistoryCursor = None,
        limit: LinesPerPage = LINES,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[History]:
        """Read one line an action, turn by turn: who did what, and its effects in words and numbers.

        Everybody's money and influence after it stand beside. What was taken back is left out; `watch_events` with
        `view=full` has it. To keep a history up to date, ask with the `version` of the answer before as `after`: the
        new lines follow the line of the answer's `after`, and lines that you have beyond it were taken back. The pages
        that `next` leads to all show the game as it was when the first was read, whatever happens meanwhile.
        """
        place = _first(game, after) if cursor is None else _parse(game, cursor)
        if matches(if_none_match, etag(place.version)):
            return not_modified(game, place.version)
        common = not after and cursor is None and limit == LINES
        ready: Encoded[History] | None = game.responses.get("history") if common else None
        if ready is None:
            ready = await _read_page(request, game, place, limit)
            if common:
                game.responses["history"] = ready
        return ready


def _first(game: LoadedGame, after: int) -> _Place:
    now = game.timeline.now
    return _Place(after, now.version if now else 0, game.version)


def _parse(game: LoadedGame, cursor: str) -> _Place:
    place = _Place(*map(int, cursor.split("-")))
    if not 1 <= place.last <= place.version <= game.version:
        raise broken_cursor()
    return place


async def _read_page(request: ApiRequest, game: LoadedGame, place: _Place, limit: int) -> Encoded[History]:
    now = await _moment(request, game, place.last)
    page = history_page(now, place.after, limit)
    events = await request.service.recorded(game.id, page.versions)
    cursor = f"{page.moments[-1].version}-{place.last}-{place.version}" if page.more else None
    body = msgspec.json.encode(history(place.version, game.table, page, events, cursor))
    return Encoded(body, headers=game_headers(game, place.version))


async def _moment(request: ApiRequest, game: LoadedGame, version: int) -> Moment | None:
    """Return the moment at a version, which may have been taken back since; None before the start."""
    if not version:
        return None
    return moment_of(game.timeline, version) or (await request.service.load(game.id, version)).timeline.now
