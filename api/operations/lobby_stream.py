"""Server-sent events of many games: their lobby entries whenever they change."""

from collections.abc import AsyncGenerator, Collection, Iterable
from math import inf
from time import monotonic
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta

from api.http.access import load_readable, may_still_read, parse_game_id
from api.http.apps import may_still_act, require_app
from api.http.event_stream import (
    MEDIA_TYPE,
    RETRY,
    RETRY_SECONDS,
    EventStream,
    HeartbeatTimer,
    LastEventId,
    parse_last_event_id,
    sse_event,
    sse_position,
)
from api.http.operation import FOLLOWER, get, post
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest, invalid_parameter
from api.operations import request_bodies as bodies
from api.operations.streams import Lapsed, Lapses, seconds_until
from domain.store import BoundedCache, ChangedEntries, ChangedEntry, StorageUnavailable, TooMuchWork, UnknownGame
from projections.game_entry import GameEntry, game_entry

MOST_GAMES = 100

MOST_OTHERS_SEEN = 200
"""The number of games that were not named whose last sent version is remembered."""

CHECK_SECONDS = 1.0
"""The longest time between two lookups of the token."""

SEARCH_COST = 10
"""The cost of one step of the search for missed changes."""

GamesToFollow = Annotated[
    list[Annotated[str, Meta(extra_json_schema={"format": "uuid"})]] | None,
    QueryParameter(
        name="game", description=f"The id of a game to follow. Repeat the parameter for up to {MOST_GAMES} games."
    ),
]
WithLobby = Annotated[
    bool, QueryParameter(name="list", description="Also send the entries of all public games that change.")
]

Version = tuple[float, str]
"""The version of an entry, and the time of the last change of its table."""

NEVER: Version = (0, "")

OfApplication = Annotated[
    bool, QueryParameter(name="app", description="Also send the entries of all games that your application opened.")
]

Named = dict[UUID, bool]
"""The games that a request names, and whether they are private."""


class Followed(NamedTuple):
    """The subjects of a stream: named games with the deadlines of some, all public games, and those of an application.

    ``tokens`` are those that open the named games, if the request has several.
    """

    named: Named
    lapses: dict[UUID, Lapses]
    with_lobby: bool
    app: str | None = None
    tokens: tuple[str, ...] = ()


class GameGone(msgspec.Struct, frozen=True):
    """The data of an event `gone`: a game that was deleted or erased."""

    id: Annotated[str, Meta(description="The id of the game.", extra_json_schema={"format": "uuid"})]


class TokenRevoked(msgspec.Struct, frozen=True):
    """The data of an event `revoked`: a token that opens no game, or no longer."""

    index: Annotated[int, Meta(ge=0, description="The position of the token in the request, from 0.")]


class ListHeartbeat(msgspec.Struct, frozen=True):
    """A sign that the connection is alive."""

    position: Annotated[int, Meta(description="The position in the stream, also the `id` of the event.")]


class LobbyStreamController(Controller):
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
        with_lobby: WithLobby = False,
        of_app: OfApplication = False,
        last_event_id: LastEventId = None,
    ) -> EventStream[GameEntry | GameGone | Lapsed | ListHeartbeat]:
        """Get the entries of `list_games` whenever they change. One connection serves a page with many games.

        - `game`: the entry of a game that the query names, once at the start and after each change.
        - `listing`: with `list=true`, the entry of any public game that changes; with `app=true` and `X-App-Key`, the
          entry of any game that your application opened, private ones too.
        - `gone`: the `id` of a game that was deleted or erased.
        - `lapsed`: the `deadline` of a named game has passed; sent once, also to clients that connect later.
        - `heartbeat`: the position, sent when nothing has changed for 15 seconds (or as the server is configured).

        Several quick changes may be sent as one. The `id` of an event is a position: `Last-Event-ID` continues after
        it. A token in `Authorization` opens one private game among those named; the stream ends when the token is
        revoked.
        """
        app = require_app(request) if of_app else None
        named, lapses = await _load_named(request, games or ())
        if not named and not with_lobby and not of_app:
            raise invalid_parameter("game", "name a game, or send list=true")
        return _stream(request, Followed(named, lapses, with_lobby, app), last_event_id)

    @post(
        summary="Stream the entries of the games of many tokens",
        response_description="Server-sent events, until the client disconnects.",
        media_type=MEDIA_TYPE,
    )
    async def stream_my_entries(
        self, request: ApiRequest, data: JSONBody[bodies.TokensToFollow], last_event_id: LastEventId = None
    ) -> EventStream[GameEntry | GameGone | Lapsed | TokenRevoked | ListHeartbeat]:
        """Get the entries of all games that up to 100 tokens open, whenever they change, as `stream_entries` does.

        So a server follows the private games of its players with one connection. `revoked` names a token that opens no
        game, at the start or later; the stream goes on without it. `list` adds `listing`.
        """
        found = await request.service.find_games(data.tokens)
        request.charge(len(data.tokens) - 1)
        entries = {UUID(each.game.id): each.game for each in found if each}
        limited = {game: entry for game, entry in entries.items() if entry.table.options.turn_limit}
        lapses = {game: Lapses(game, entry.progress) for game, entry in limited.items()}
        named = {game: entry.table.options.private for game, entry in entries.items()}
        return _stream(request, Followed(named, lapses, data.list, tokens=data.tokens), last_event_id)


def _stream(request: ApiRequest, followed: Followed, last_event_id: str | None) -> EventStream[Any]:
    since = None if last_event_id is None else parse_last_event_id(last_event_id)
    return EventStream(
        request.service.changed_entries.watching(request.client_name),
        lambda entries: _EntryStream(request, entries, followed).chunks(since),
    )


async def _load_named(request: ApiRequest, games: Collection[str]) -> tuple[Named, dict[UUID, Lapses]]:
    """Load the games that a request names, and check that the caller may read them."""
    ids = [parse_game_id(game) for game in games]
    if len(ids) > MOST_GAMES:
        raise invalid_parameter("game", f"it is given {len(ids)} times, {MOST_GAMES} are allowed")
    request.charge(max(0, len(ids) - 1))
    named, lapses = Named(), dict[UUID, Lapses]()
    for game_id in ids:
        loaded = await load_readable(request, game_id)
        named[game_id] = loaded.table.options.private
        if loaded.table.options.turn_limit:
            lapses[game_id] = Lapses(game_id, loaded.progress)
    return named, lapses


class _Step(NamedTuple):
    """The chunks to send next, the position after them, and the longest wait for the next change."""

    chunks: Iterable[bytes]
    position: int
    begun: bool = True
    wait: float = 0


class _EntryStream:
    """The changes for one client.

    ``_seen`` and ``_others_seen`` have the last sent version of each entry, since a search may find an entry again.
    ``_lapses`` are the deadlines of the named games that have a turn limit.
    """

    def __init__(self, request: ApiRequest, entries: ChangedEntries, followed: Followed) -> None:
        self._request = request
        self._entries = entries
        self._followed = followed
        self._named = followed.named
        self._lapses = followed.lapses
        self._private = {game_id for game_id, private in followed.named.items() if private}
        self._checked = -CHECK_SECONDS
        self._check_due = inf
        self._with_lobby = followed.with_lobby
        self._revoked: dict[int, bool] = {}
        self._seen: dict[UUID, Version] = {}
        self._others_seen: BoundedCache[UUID, Version] = BoundedCache(MOST_OTHERS_SEEN)
        self._began = 0

    async def chunks(self, since: int | None) -> AsyncGenerator[bytes, None]:
        """Yield events while the caller may read all named games."""
        entries, heartbeat = self._entries, HeartbeatTimer(self._request.app.state["heartbeat"])
        begun, restored = since is not None and since <= entries.position, entries.restored
        self._began = position = entries.position if since is None else min(since, entries.position)
        yield RETRY + sse_position(position) if begun else RETRY
        while not entries.closed and entries.restored == restored:
            if (step := await self._step(position, begun)) is None:
                return
            for chunk in step.chunks:
                yield chunk
                heartbeat.restart()
            for chunk in (*self._lapsed(), *self._newly_revoked()):
                yield chunk
            position, begun = step.position, step.begun
            if step.wait:
                await entries.notifier.wait(min(step.wait, heartbeat.remaining, seconds_until(self._deadline())))
            if not heartbeat.remaining:
                yield sse_event(msgspec.json.encode(ListHeartbeat(position)), position, b"heartbeat")
                heartbeat.restart()

    async def _step(self, position: int, begun: bool) -> _Step | None:
        """Return the next step after a position, None if the caller may no longer read all games.

        The first entries have no position; the start position follows them. So a client that loses the connection
        in between gets all of them again.
        """
        try:
            if not begun:
                now = await self._entries.now(self._named, position)
                self._seen |= {change.game: _version(change) for change in now}
                for change in now:
                    self._follow_limit(change)
                return _Step((*map(_first_text, now), sse_position(position)), position)
            changes, reached = await self._changes(position)
            if not await self._may_still_read(changes):
                return None
        except (ApiProblem, StorageUnavailable, TooMuchWork, UnknownGame):  # for a removed game, `gone` is sent later
            return _Step((), position, begun, RETRY_SECONDS)
        chunks, reached = filter(None, map(self._text, changes)), max(position, reached)
        return _Step(chunks, reached, wait=self._check_due if self._entries.position <= position == reached else 0)

    async def _changes(self, position: int) -> tuple[list[ChangedEntry], int]:
        """Return the changes after a position, and the position up to which they are complete."""
        changes, reached = self._entries.after(position), self._entries.position
        if changes is not None:
            return changes, reached
        self._request.charge(SEARCH_COST)
        wanted = None if self._with_lobby or self._followed.app else self._named.keys()
        return await self._entries.search(position, wanted, self._request.client_name)

    async def _may_still_read(self, changes: Iterable[ChangedEntry]) -> bool:
        """Return whether the caller may still read all; looked up for entries of private games, and once a second.

        A game that is gone needs no token: its token was deleted with it.
        """
        followed = self._followed
        self._private -= {change.game for change in changes if change.entry is None}
        changed = any(change.game in self._private and change.entry for change in changes)
        left = self._checked + CHECK_SECONDS - monotonic()
        needed = bool(self._private or followed.tokens or followed.app)
        if not needed or (not changed and left > 0):
            self._check_due = left if needed else inf
            return True
        self._checked, self._check_due = monotonic(), inf
        if followed.tokens:
            await self._look_up_tokens()
            return True
        if not await may_still_act(self._request):
            return False
        return all([await may_still_read(self._request, game) for game in self._private])

    async def _look_up_tokens(self) -> None:
        """Follow only the games that the tokens open now."""
        found = await self._request.service.find_games(self._followed.tokens)
        for index, each in enumerate(found):
            if each is None:
                self._revoked.setdefault(index, True)
        opened = {UUID(each.game.id) for each in found if each}
        for game in self._private - opened:
            self._named.pop(game, None)
            self._lapses.pop(game, None)
        self._private &= opened

    def _newly_revoked(self) -> list[bytes]:
        """Return the events of the tokens that open no game any more."""
        new = [index for index, untold in self._revoked.items() if untold]
        self._revoked |= dict.fromkeys(new, False)
        return [sse_event(msgspec.json.encode(TokenRevoked(index)), name=b"revoked") for index in new]

    def _text(self, change: ChangedEntry) -> bytes:
        """Return the events for a change: of a named game, of a public game in the lobby, or both."""
        named, owned = change.game in self._named, bool(change.app) and change.app == self._followed.app
        listed = owned or (self._with_lobby and not change.private)
        if not (named or listed) or not self._is_new(change):
            return b""
        self._follow_limit(change)
        if change.entry is None:
            return _text(change, b"gone")
        return (_text(change, b"game") if named else b"") + (_text(change, b"listing") if listed else b"")

    def _follow_limit(self, change: ChangedEntry) -> None:
        """Use the deadline of a changed entry."""
        if change.entry is None:
            self._lapses.pop(change.game, None)
        elif change.game in self._lapses:
            self._lapses[change.game].follow(change.entry.progress)

    def _deadline(self) -> str | None:
        """Return the deadline that passes next."""
        return min((lapses.deadline for lapses in self._lapses.values() if lapses.deadline), default=None)

    def _lapsed(self) -> list[bytes]:
        """Return the events of the deadlines that have passed."""
        if seconds_until(self._deadline()):
            return []
        return [events for lapses in self._lapses.values() if (events := lapses.events())]

    def _is_new(self, change: ChangedEntry) -> bool:
        """Return whether an entry was not sent before, and remember it: one entry may cover several changes."""
        if change.same_at is not None and change.same_at > self._began:
            return False
        game, version = change.game, _version(change)
        if game in self._named:
            seen = self._seen.get(game, NEVER)
            self._seen[game] = max(seen, version)
        else:
            seen = self._others_seen.get(game) or NEVER
            self._others_seen.put(game, max(seen, version))
        return version > seen


def _first_text(change: ChangedEntry) -> bytes:
    """Return the entry of a game at the start of a stream, without a position."""
    return sse_event(_data(change), name=b"game" if change.entry else b"gone")


def _text(change: ChangedEntry, name: bytes) -> bytes:
    """Return an event with a changed entry, encoded once for all clients."""
    text = change.texts.get(name)
    if text is None:
        text = change.texts[name] = sse_event(_data(change), change.position, name)
    return text


def _data(change: ChangedEntry) -> bytes:
    return msgspec.json.encode(GameGone(str(change.game)) if change.entry is None else game_entry(change.entry))


def _version(change: ChangedEntry) -> Version:
    """Return the version of an entry; a deleted game has the highest one."""
    return (inf, "") if change.entry is None else (change.entry.progress.version, change.entry.changed)
