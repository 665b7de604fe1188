"""The events of a game: reading them, and waiting for the next ones."""

from typing import Annotated, Literal, NamedTuple

from litestar import Controller
from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter, SkipValidation
from msgspec import Meta

from api.http.access import Game, Service, provide_game
from api.http.etag import IfNoneMatch, etag, game_headers, matches
from api.http.long_polling import LongPolling
from api.http.operation import READER, get
from api.http.paging import Cursor, position_of
from api.http.responses import Encoded
from api.operations.replies import Events
from api.operations.views import not_modified
from api.settings import Settings
from domain.store import GameService, LoadedGame

LONGEST_WAIT = 300

VIEWS_CACHED = 12
"""How many encoded views of a game are cached at most; odd pages of its events are made anew."""

After = Annotated[
    Annotated[int, Meta(ge=0, le=2**31 - 1)],
    QueryParameter(name="after", description="Only events after this version."),
]
PageLength = Annotated[
    Annotated[int, Meta(ge=1, le=1000)], QueryParameter(name="limit", description="How many events at most.")
]
EventView = Annotated[
    Literal["effective", "full"],
    QueryParameter(
        name="view",
        description="`effective`: what is in force. `full`: also what was taken back, and that it was.",
    ),
]
Wait = Annotated[
    Annotated[int, Meta(ge=0, le=LONGEST_WAIT)],
    QueryParameter(
        name="wait",
        description="Wait so many seconds for the next event, if there is none yet. A server waits no longer than it "
        f"is set to ({Settings().wait_limit} seconds by default), and answers without an event then.",
    ),
]


class Page(NamedTuple):
    """The part of a stream that is asked for."""

    after: int
    limit: int
    view: str

    @property
    def name(self) -> str:
        """The name under which the page is cached."""
        return f"events {self.view} {self.limit}"


class EventsController(Controller):
    """The stream of one game."""

    path = "/v1/games/{game_id:str}/events"
    tags = ("stream",)
    dependencies = {"game": Provide(provide_game)}

    @get(
        summary="Read the events, or wait for the next ones",
        response_description="Events in their order.",
        access=READER,
    )
    async def watch_events(
        self,
        service: Service,
        long_polling: NamedDependency[SkipValidation[LongPolling]],
        game: Game,
        after: After = 0,
        cursor: Cursor = None,
        limit: PageLength = 500,
        view: EventView = "effective",
        wait: Wait = 0,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[Events]:
        """Read everything that has happened, as it is stored.

        To watch a game, ask again and again with `wait=20` and with the `version` of the answer before as `after`: the
        answer comes as soon as something happens, or with empty `items` when the time is over. If `version` has grown
        although `items` is empty, something was taken back: read the views again, or watch with `view=full`.
        """
        page = Page(position_of(cursor) or after, limit, view)
        if wait and game.version <= page.after:
            await long_polling.wait_beyond(game.id, page.after, wait)
            game = await service.load(game.id)
        elif matches(if_none_match, etag(game.version)):
            return not_modified(game)
        return await _respond(service, game, page)


async def _respond(service: GameService, game: LoadedGame, page: Page) -> Encoded[Events]:
    """Return a page of events; the end of a stream and its beginning are asked for most and need no look at it."""
    if page.after >= game.version:
        return Encoded(b'{"items":[],"next":null,"version":%d}' % game.version, headers=game_headers(game))
    ready: Encoded[Events] | None = None if page.after else game.views.get(page.name)
    if ready is not None:
        return ready
    events = await service.events(game.id, after=page.after, limit=page.limit, full=page.view == "full")
    following = b"null" if events.next is None else b'"%d"' % events.next
    body = b'{"items":[%b],"next":%b,"version":%d}' % (b",".join(events.items), following, events.version)
    ready = Encoded(body, headers=game_headers(game, events.version))
    if not page.after and events.version == game.version and len(game.views) < VIEWS_CACHED:
        game.views[page.name] = ready
    return ready
