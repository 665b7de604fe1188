"""Server-sent events of many games: their entries of the lobby, whenever they change."""

from collections.abc import AsyncGenerator, Collection, Iterable
from math import inf
from time import monotonic
from typing import Annotated, NamedTuple
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
from api.http.operation import FOLLOWER, get
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest, invalid_parameter
from api.operations.streams import RETRY_SECONDS
from domain.store import BoundedCache, ChangedEntries, ChangedEntry, StorageUnavailable, TooMuchWork, UnknownGame
from projections.game_entry import GameEntry, game_entry

MOST_GAMES = 100

LINES_TOLD = 200
"""The number of lines beside those of named games of which it is known what was told last."""

CHECK_SECONDS = 1.0
"""The time after which a token is looked up again although nothing is told of its game."""

SEARCH_COST = 10
"""The cost of a step of the search for changes that a client has missed."""

GamesToFollow = Annotated[
    list[Annotated[str, Meta(extra_json_schema={"format": "uuid"})]] | None,
    QueryParameter(
        name="game", description=f"The id of a game to follow. Repeat the parameter for up to {MOST_GAMES} games."
    ),
]
WithList = Annotated[
    bool, QueryParameter(name="list", description="Also send the entries of all public games that change.")
]

Version = tuple[float, str]
"""The version of a line, and when its table last changed."""

NEVER: Version = (0, "")

Named = dict[UUID, bool]
"""The games that a request names, and which of them are private."""


class GameGone(msgspec.Struct, frozen=True):
    """The data of an event `gone`: a game that was deleted or erased."""

    id: Annotated[str, Meta(description="The id of the game.", extra_json_schema={"format": "uuid"})]


class ListHeartbeat(msgspec.Struct, frozen=True):
    """A sign that the connection is alive."""

    position: Annotated[int, Meta(description="The position of the stream, also the `id` of the event.")]


class ListStreamController(Controller):
    """The stream of many games."""

    path = "/v1/stream"
    tags = ("stream",)

    @get(
        summary="Stream the entries of many games",
        response_description="Server-sent events, until the client disconnects.",
        access=FOLLOWER,
        problems=("game_not_found", "game_unreadable"),
        media_type=MEDIA_TYPE,
    )
    async def stream_entries(
        self,
        request: ApiRequest,
        games: GamesToFollow = None,
        with_list: WithList = False,
        last_event_id: LastEventId = None,
    ) -> EventStream[GameEntry | GameGone | ListHeartbeat]:
        """Get entries of `list_games` whenever they change: one connection for a page with many games.

        An event `game` has the entry of a game in `game`, once at the start and after each change. With `list=true`, an
        event `listing` has the entry of any public game that changes. An event `gone` has the `id` of a game that was
        deleted. Several quick changes may be sent as one. The `id` of an event is a position: `Last-Event-ID` continues
        after it. Without changes, an event `heartbeat` has the position.

        A token in `Authorization` opens one private game among those named; the stream ends when it is revoked.
        """
        named = await _load_named(request, games or ())
        if not named and not with_list:
            raise invalid_parameter("game", "name a game, or say list=true")
        since = None if last_event_id is None else parse_last_event_id(last_event_id)
        return EventStream(
            request.service.changed_entries.watching(request.client_name),
            lambda lines: _LineTeller(request, lines, named, with_list).tell(since),
        )


async def _load_named(request: ApiRequest, games: Collection[str]) -> Named:
    """Load the games that a request names, all of which its caller may read."""
    ids = [parse_game_id(game) for game in games]
    if len(ids) > MOST_GAMES:
        raise invalid_parameter("game", f"it is there {len(ids)} times, and may be {MOST_GAMES} times")
    request.charge(max(0, len(ids) - 1))
    return {game_id: (await load_readable(request, game_id)).table.options.private for game_id in ids}


class _Step(NamedTuple):
    """The texts to send next, the place that they lead to, and for how long to wait for news then at most."""

    texts: Iterable[bytes]
    place: int
    begun: bool = True
    wait: float = 0


class _LineTeller:
    """The changes that one client is told of.

    ``told`` and ``told_of_others`` have the versions of the lines of named games and of those told last: what is found
    again may be the same.
    """

    def __init__(self, request: ApiRequest, lines: ChangedEntries, named: Named, with_list: bool) -> None:
        self._request = request
        self._lines = lines
        self._named = named
        self._private = {game_id for game_id, private in named.items() if private}
        self._checked = -CHECK_SECONDS
        self._check_due = inf
        self._with_list = with_list
        self._told: dict[UUID, Version] = {}
        self._told_of_others: BoundedCache[UUID, Version] = BoundedCache(LINES_TOLD)
        self._began = 0

    async def tell(self, since: int | None) -> AsyncGenerator[bytes, None]:
        """Yield events for as long as the caller may read all games that they named."""
        lines, silence = self._lines, Silence(self._request.app.state["heartbeat"])
        begun, restored = since is not None and since <= lines.position, lines.restored
        self._began = place = lines.position if since is None else min(since, lines.position)
        yield RETRY + sse_position(place) if begun else RETRY
        while not lines.closed and lines.restored == restored and (step := await self._step(place, begun)) is not None:
            for text in step.texts:
                yield text
                silence.end()
            place, begun = step.place, step.begun
            if step.wait:
                await lines.notifier.wait(min(step.wait, silence.left))
            if not silence.left:
                yield sse_event(msgspec.json.encode(ListHeartbeat(place)), place, b"heartbeat")
                silence.end()

    async def _step(self, place: int, begun: bool) -> _Step | None:
        """Return what comes after a place, None if the caller may not read all games any more.

        The first lines come without a position, and that of the beginning after them: who is cut off begins again.
        """
        try:
            if not begun:
                now = await self._lines.now(self._named, place)
                self._told |= {change.game: _version(change) for change in now}
                return _Step((*map(_first_text, now), sse_position(place)), place)
            changes, reached = await self._changes(place)
            if not await self._may_still_read(changes):
                return None
        except (ApiProblem, StorageUnavailable, TooMuchWork, UnknownGame):  # a removed game is told as gone later
            return _Step((), place, begun, RETRY_SECONDS)
        texts, reached = filter(None, map(self._text, changes)), max(place, reached)
        return _Step(texts, reached, wait=self._check_due if self._lines.position <= place == reached else 0)

    async def _changes(self, place: int) -> tuple[list[ChangedEntry], int]:
        """Return what has changed after a place, and the place up to which this is all."""
        changes, reached = self._lines.after(place), self._lines.position
        if changes is not None:
            return changes, reached
        self._request.charge(SEARCH_COST)
        wanted = None if self._with_list else self._named.keys()
        return await self._lines.search(place, wanted, self._request.client_name)

    async def _may_still_read(self, changes: Iterable[ChangedEntry]) -> bool:
        """Return whether the token still opens all private games; looked up for their lines, and once a second.

        That a game is gone may be told to somebody whose token went with it, and nothing is asked about it later.
        """
        self._private -= {change.game for change in changes if change.entry is None}
        told = any(change.game in self._private and change.entry for change in changes)
        left = self._checked + CHECK_SECONDS - monotonic()
        if not self._private or (not told and left > 0):
            self._check_due = left if self._private else inf
            return True
        self._checked, self._check_due = monotonic(), inf
        return all([await may_still_read(self._request, game) for game in self._private])

    def _text(self, change: ChangedEntry) -> bytes:
        """Return what the client is told of a change: of one game it named, of one that everybody sees, or both."""
        named, listed = change.game in self._named, self._with_list and not change.private
        if not (named or listed) or not self._is_new(change):
            return b""
        if change.entry is None:
            return _text(change, b"gone")
        return (_text(change, b"game") if named else b"") + (_text(change, b"listing") if listed else b"")

    def _is_new(self, change: ChangedEntry) -> bool:
        """Return whether a line was not told, and note it: changes of a game that are told together have one line."""
        if change.same_at is not None and change.same_at > self._began:
            return False
        game, version = change.game, _version(change)
        if game in self._named:
            told = self._told.get(game, NEVER)
            self._told[game] = max(told, version)
        else:
            told = self._told_of_others.get(game) or NEVER
            self._told_of_others.put(game, max(told, version))
        return version > told


def _first_text(change: ChangedEntry) -> bytes:
    """Return the line of a game as it is at the beginning of a stream, without a position of its own."""
    return sse_event(_data(change), name=b"game" if change.entry else b"gone")


def _text(change: ChangedEntry, name: bytes) -> bytes:
    """Return an event with a changed line, made once for all who are told."""
    text = change.texts.get(name)
    if text is None:
        text = change.texts[name] = sse_event(_data(change), change.position, name)
    return text


def _data(change: ChangedEntry) -> bytes:
    return msgspec.json.encode(GameGone(str(change.game)) if change.entry is None else game_entry(change.entry))


def _version(change: ChangedEntry) -> Version:
    """Return the version of a line, whose table may have lagged behind; none is newer than a table that is gone."""
    return (inf, "") if change.entry is None else (change.entry.progress.version, change.entry.changed)
