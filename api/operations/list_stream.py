"""The stream for a page with many games: the line of each of them, and of the list, whenever it changes."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable
from math import inf
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.params import QueryParameter
from msgspec import Meta

from api.http.access import load_readable, may_still_read, parse_game_id
from api.http.event_stream import (
    MEDIA_TYPE,
    RETRY,
    EventStream,
    LastEventId,
    Silence,
    parse_last_event_id,
    sse_event,
    sse_position,
)
from api.http.operation import READER, get
from api.http.query_parameters import invalid_parameter
from api.http.request_body import ApiRequest
from api.operations.streams import RETRY_SECONDS
from domain.store import ChangedLine, ChangedLines, LoadedGame, StorageUnavailable
from projections.game_line import GameLine, game_line

MOST_GAMES = 100

GamesToFollow = Annotated[
    list[Annotated[str, Meta(extra_json_schema={"format": "uuid"})]] | None,
    QueryParameter(name="game", description=f"The id of a game to follow; repeat it for several, up to {MOST_GAMES}."),
]
WithList = Annotated[
    bool, QueryParameter(name="list", description="Also send the line of every public game that changes.")
]

Version = tuple[float, str]
"""The version of a line, and when its table last changed."""

Named = dict[UUID, LoadedGame]
"""The games that a request names, as they were when it came."""


class ListStreamController(Controller):
    """The stream of a page with many games."""

    path = "/v1/stream"
    tags = ("stream",)

    @get(
        summary="Follow many games on one connection",
        response_description="Server-sent events, for as long as the client stays.",
        access=READER,
        problems=("game_not_found", "game_unreadable"),
        media_type=MEDIA_TYPE,
    )
    async def stream_lines(
        self,
        request: ApiRequest,
        games: GamesToFollow = None,
        with_list: WithList = False,
        last_event_id: LastEventId = None,
    ) -> EventStream[GameLine]:
        """Get the lines of games, as `list_games` has them, whenever they change: one connection for a whole page.

        An event `game` has the line of a game that is named, once at the beginning and after each change; with
        `list=true` an event `listing` has that of any public game that changes. An event `gone` has the `id` of a game
        whose table was taken away. What changes quickly may be told once, as it then is. The `id` of the events is a
        position: with it as `Last-Event-ID` come the lines that have changed since. When nothing else was sent for a
        while an event `heartbeat` has the position.

        A token in `Authorization` opens one private game among those named; the stream ends when it is revoked.
        """
        named = await _load_named(request, games or ())
        if not named and not with_list:
            raise invalid_parameter("game", "name a game, or say list=true")
        since = None if last_event_id is None else parse_last_event_id(last_event_id)
        return EventStream(
            request.service.changed_lines.watching(request.client_name),
            lambda lines: _LineTeller(request, lines, named, with_list).tell(since),
        )


async def _load_named(request: ApiRequest, games: Collection[str]) -> Named:
    """Load the games that a request names, all of which its caller may read."""
    ids = [parse_game_id(game) for game in games]
    if len(ids) > MOST_GAMES:
        raise invalid_parameter("game", f"it is there {len(ids)} times, and may be {MOST_GAMES} times")
    request.charge(max(0, len(ids) - 1))
    return {game_id: await load_readable(request, game_id) for game_id in ids}


class _LineTeller:
    """The changes that one client is told of.

    ``told`` has the versions of the lines of named games, and of those that were read for this client alone: what is
    shared comes later and may be the same, or older.
    """

    def __init__(self, request: ApiRequest, lines: ChangedLines, named: Named, with_list: bool) -> None:
        self._request = request
        self._lines = lines
        self._named = named
        self._with_list = with_list
        self._told: dict[UUID, Version] = {}

    async def tell(self, since: int | None) -> AsyncGenerator[bytes, None]:
        """Yield events for as long as the caller may read all games that they named."""
        lines, silence = self._lines, Silence(self._request.app.state["heartbeat"])
        place, beginning = lines.place if since is None else min(since, lines.place), since is None
        yield RETRY if beginning else RETRY + sse_position(place)
        while not lines.closed:
            try:
                if not await self._may_still_read():
                    return
                texts, reached = (await self._lines_now(place), place) if beginning else await self._changes(place)
            except StorageUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            for text in filter(None, texts):
                yield text
                silence.end()
            if beginning or reached > place:
                beginning, place = False, reached
            elif not await lines.notifier.wait(silence.left):
                yield sse_event(b'{"position":%d}' % place, place, b"heartbeat")
                silence.end()

    async def _lines_now(self, place: int) -> list[bytes]:
        """Return the lines of the named games as they are, then the position: who is cut off before begins again."""
        now = await self._lines.now(self._named, place)
        self._note(now)
        lines = [sse_event(_data(change), name=b"game" if change.line else b"gone") for change in now]
        return [*lines, sse_position(place)]

    async def _changes(self, place: int) -> tuple[list[bytes], int]:
        """Return what has changed after a place and was not told, and the place up to which this is all."""
        changes, reached = self._lines.after(place), self._lines.place
        if changes is None:
            found, reached = await self._lines.search(place, None if self._with_list else self._named.keys())
            changes = [change for change in found if self._is_new(change)]
            self._note(changes)
        else:
            changes = [change for change in changes if self._is_new(change)]
            self._note([change for change in changes if change.game in self._named])
        return [self._texts(change) for change in changes], reached

    def _note(self, changes: Iterable[ChangedLine]) -> None:
        """Note what is told of games that may be found again."""
        self._told |= {change.game: _version(change) for change in changes}

    def _is_new(self, change: ChangedLine) -> bool:
        """Return whether a line was not told; once the one that was told has come again, only newer ones follow."""
        told, version = self._told.get(change.game, (0, "")), _version(change)
        if version >= told and change.game not in self._named:
            self._told.pop(change.game, None)
        return version > told

    async def _may_still_read(self) -> bool:
        return all([await may_still_read(self._request, game) for game in self._named.values()])

    def _texts(self, change: ChangedLine) -> bytes:
        """Return what the client is told of a change: of one game it named, of one that everybody sees, or both."""
        named, listed = change.game in self._named, self._with_list and not change.private
        if change.line is None:
            return _text(change, b"gone") if named or listed else b""
        return (_text(change, b"game") if named else b"") + (_text(change, b"listing") if listed else b"")


def _text(change: ChangedLine, name: bytes) -> bytes:
    """Return an event with a changed line, made once for all who are told."""
    text = change.texts.get(name)
    if text is None:
        text = change.texts[name] = sse_event(_data(change), change.place, name)
    return text


def _data(change: ChangedLine) -> bytes:
    return msgspec.json.encode({"id": change.game} if change.line is None else game_line(change.line))


def _version(change: ChangedLine) -> Version:
    """Return the version of a line, whose table may have lagged behind; none is newer than a table that is gone."""
    return (inf, "") if change.line is None else (change.line.progress.version, change.line.changed)
