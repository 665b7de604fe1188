"""Events of a game: pages and long polls."""

from typing import Annotated, Literal

from litestar import Controller
from litestar.di import Provide
from litestar.params import QueryParameter
from msgspec import Meta

from api.http.access import RequestedGame, enter_again, provide_game
from api.http.conditions import Cursor, IfNoneMatch, etag, game_headers, matches, position_of
from api.http.operation import READER, get
from api.http.requests import ApiRequest, while_connected
from api.http.responses import Encoded
from api.operations.response_bodies import Events
from api.operations.views import not_modified
from api.settings import LONGEST_WAIT
from domain.store import EventPage, LoadedGame

PAGE_LENGTH = 500
"""The default length of a page; the first page of this length is cached."""

PAGE_COST, BYTES_READ = 4, 8_000
"""The cost of a page, and the number of its bytes that cost 1 more."""

After = Annotated[
    Annotated[int, Meta(ge=0, le=2**31 - 1)],
    QueryParameter(name="after", description="Only events after this version."),
]
EventsPerPage = Annotated[
    Annotated[int, Meta(ge=1, le=1000)], QueryParameter(name="limit", description="Maximum number of events.")
]
EventSelection = Annotated[
    Literal["effective", "full"],
    Meta(description="`effective`: the events that are in force. `full`: also undone events, and the undos."),
]
EventView = Annotated[
    EventSelection, QueryParameter(name="view", description="`full`: also undone events, and the undos.")
]
Wait = Annotated[
    Annotated[int, Meta(ge=0, le=LONGEST_WAIT)],
    QueryParameter(
        name="wait",
        description="Maximum seconds to wait if there is no new event. The operator may have set a lower limit.",
    ),
]


class EventsController(Controller):
    """The stream of one game."""

    path = "/v1/games/{game_id:str}/events"
    tags = ("stream",)
    dependencies = {"game": Provide(provide_game)}

    @get(
        summary="Read events, or wait for new ones",
        response_description="Events in order.",
        access=READER,
    )
    async def watch_events(
        self,
        request: ApiRequest,
        game: RequestedGame,
        after: After = 0,
        cursor: Cursor = None,
        limit: EventsPerPage = PAGE_LENGTH,
        view: EventView = "effective",
        wait: Wait = 0,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[Events]:
        """Read the events as stored.

        To follow a game, repeat the request with `wait=20` and with the `version` of the last response as `after`. The
        response is sent as soon as something happens; after 20 seconds without events, `items` is empty. If `version`
        has grown and `items` is empty, something was undone: read the views again, or use `view=full`.
        """
        after = position_of(cursor) or after
        if wait and game.version <= after:
            waiting = request.service.watchers.wait_beyond(game.id, after, wait, request.client_name)
            await while_connected(request.receive, waiting)
            game = await enter_again(request)
        elif matches(if_none_match, etag(game.version)):
            return not_modified(game)
        if after >= game.version:
            return _encoded(game, EventPage((), None, game.version))
        name = f"events {view}"
        common = not after and limit == PAGE_LENGTH
        ready: Encoded[Events] | None = request.views.get((game.reading, game.version, name)) if common else None
        if ready is not None:
            return ready
        page = await request.service.events(game.id, after=after, limit=limit, full=view == "full")
        response = _encoded(game, page)
        request.charge(PAGE_COST + len(response.body) / BYTES_READ, afterwards=True)
        if common and page.version == game.version:
            request.views.put((game.reading, game.version, name), response, len(response.body))
        return response


def _encoded(game: LoadedGame, page: EventPage) -> Encoded[Events]:
    following = b"null" if page.next is None else b'"%d"' % page.next
    body = b'{"items":[%b],"next":%b,"version":%d}' % (b",".join(page.items), following, page.version)
    return Encoded(body, headers=game_headers(game, page.version))
