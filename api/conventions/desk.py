"""Where controllers find what they work with, and how they answer about a game."""

from collections.abc import Callable
from uuid import UUID

import msgspec

from api.conventions.access import reader
from api.conventions.answers import Answer, Empty, Headers, encode
from api.conventions.conditions import etag, is_known
from api.conventions.operation import At
from api.conventions.requests import Call, game_id, read_query
from api.conventions.watch import Watch
from api.settings import Settings
from domain.application import Club, Held

_PUBLIC = (b"cache-control", b"no-cache")
_PRIVATE = (b"cache-control", b"private, no-cache")


def club_of(request: Call) -> Club:
    """The club where all games are played."""
    club: Club = request.app.state["club"]
    return club


def watch_of(request: Call) -> Watch:
    """Everybody who waits for events."""
    watch: Watch = request.app.state["watch"]
    return watch


def settings_of(request: Call) -> Settings:
    """How this server runs."""
    settings: Settings = request.app.state["settings"]
    return settings


def game_of(request: Call) -> UUID:
    """The game that the path names."""
    return game_id(request.path_params["game_id"])


def headers_of(held: Held, version: int | None = None) -> Headers:
    """What tells a client, and whatever stands between, how long an answer about a game is good."""
    return (b"etag", etag(version or held.version)), _PRIVATE if held.table.options.private else _PUBLIC


async def look(request: Call) -> Held:
    """The game that the path names, as it was asked for; raises ``Failure`` for who may not read it."""
    at = read_query(request, At).at if request.scope["query_string"] else None
    club = club_of(request)
    held = await club.look(game_of(request), at or None)
    await reader(request, club, held)
    return held


async def show(request: Call, name: str, view: Callable[[Held], msgspec.Struct]) -> Answer:
    """A view of the game, encoded once for each version."""
    held = await look(request)
    headers = headers_of(held)
    if is_known(request, held.version):
        return Empty(304, headers)
    body = held.views.get(name)
    if body is None:
        body = held.views[name] = encode(view(held))
    return Answer(body, headers=headers)
