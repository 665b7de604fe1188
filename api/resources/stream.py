"""The events of a game: reading and watching them, proving them, taking them elsewhere."""

from typing import Annotated, Literal, NamedTuple

import msgspec
from litestar import Controller, get, post
from msgspec import UNSET, Meta

from api.conventions.access import caller, member, reader
from api.conventions.answers import Answer, Empty, encode
from api.conventions.conditions import etag, is_known
from api.conventions.desk import club_of, game_of, headers_of, settings_of, watch_of
from api.conventions.names import LONGEST, is_name
from api.conventions.operation import Operation
from api.conventions.paging import Cursor, position
from api.conventions.problems import Failure, shortened
from api.conventions.requests import Call, body_of, read_body, read_query
from api.resources import bodies
from api.resources.replies import Created, Events, Record
from api.resources.writing import answer_with, created, key_of
from domain.application import Club, Held
from domain.audit import Audit
from domain.stream import UnreadableEvent

LONGEST_WAIT = 300

VIEWS_KEPT = 12
"""So many encoded views are kept of a game at most; who asks for odd pages of its events waits for them."""


class Part(msgspec.Struct, frozen=True):
    """Which part of the stream."""

    after: Annotated[int, Meta(description="Only events after this version.", ge=0, le=2**31 - 1)] = 0
    cursor: Cursor = UNSET
    limit: Annotated[int, Meta(description="How many events at most.", ge=1, le=1000)] = 500
    view: Annotated[
        Literal["effective", "full"],
        Meta(description="`effective`: what is in force. `full`: also what was taken back, and that it was."),
    ] = "effective"
    wait: Annotated[
        int,
        Meta(
            description="Wait so many seconds for the next event, if there is none yet. A server waits no longer than "
            "it is set to (30 seconds by default), and answers without an event then.",
            ge=0,
            le=LONGEST_WAIT,
        ),
    ] = 0


FROM_THE_BEGINNING = Part()


class Stream(Controller):
    """The stream of one game."""

    path = "/v1/games/{game_id:str}"
    tags = ("stream",)

    @get(
        "/events",
        operation_id="watch_events",
        summary="Read the events, or wait for the next ones",
        opt={
            "operation": Operation(
                answer="Events in their order.",
                gives=Events,
                query=Part,
                caller="reader",
                problems=("invalid_cursor",),
                versioned=True,
            )
        },
    )
    async def watch_events(self, request: Call) -> Answer:
        """Everything that has happened, as it is stored.

        To watch a game, ask again and again with `wait=20` and with the `version` of the answer before as `after`: the
        answer comes as soon as something happens, or with empty `items` when the time is over. If `version` has grown
        although `items` is empty, something was taken back: read the views again, or watch with `view=full`.
        """
        part = read_query(request, Part) if request.scope["query_string"] else FROM_THE_BEGINNING
        club, game = club_of(request), game_of(request)
        held = await club.look(game)
        await reader(request, club, held)
        after = position(part.cursor) or part.after
        seconds = min(part.wait, settings_of(request).wait_limit)
        if seconds and held.version <= after:
            await watch_of(request).beyond(game, after, seconds)
            held = await club.look(game)
        elif is_known(request, held.version):
            return Empty(304, headers_of(held))
        page = await _page(club, held, after, part)
        return Answer(page.body, headers=headers_of(held, page.version))

    @get(
        "/audit",
        operation_id="audit_game",
        summary="Is this game what was played?",
        opt={
            "operation": Operation(
                answer="Whether every event is as it was written and follows from the rules.",
                gives=Audit,
                caller="reader",
                versioned=True,
                conditional=False,
            )
        },
    )
    async def audit_game(self, request: Call) -> Answer:
        """Read the stored events again and check two things about them.

        The chain of digests shows whether anything was changed since (`chain_ok`); deciding every recorded action anew
        shows whether the rules were kept (`replay_ok`). `first_difference` says where it goes wrong. It is
        never answered with 304: what is stored may have been changed although the version has not. A game so damaged
        that it cannot be read any more is audited for those who have a token of it.
        """
        club, game = club_of(request), game_of(request)
        headers = [(b"cache-control", b"no-store")]
        try:
            held = await club.look(game)
            await reader(request, club, held)
            headers.append((b"etag", etag(held.version)))
        except UnreadableEvent:
            await member(request, club, game)
        return Answer(encode(await club.audit(game)), headers=headers)

    @get(
        "/record",
        operation_id="export_record",
        summary="Take the game elsewhere",
        opt={
            "operation": Operation(
                answer="The whole game as one document.",
                gives=Record,
                caller="reader",
                problems=("not_started",),
                versioned=True,
            )
        },
    )
    async def export_record(self, request: Call) -> Answer:
        """The whole stream with everything needed to verify it, of a finished game or of one that goes on.

        `import_record` takes it in, here or at another server. It holds no tokens.
        """
        club, game = club_of(request), game_of(request)
        held = await club.look(game)
        await reader(request, club, held)
        if is_known(request, held.version):
            return Empty(304, headers_of(held))
        return Answer(await club.record(game), headers=headers_of(held))

    @post(
        "/fork",
        operation_id="fork_game",
        summary="Go on from here in a new game",
        opt={
            "operation": Operation(
                answer="The new game, with tokens for its host and its seats.",
                gives=Created,
                takes=bodies.Fork,
                body_optional=True,
                caller="reader",
                problems=("version_not_found", "not_started", "not_a_boundary"),
                versioned=True,
                located=True,
            )
        },
    )
    async def fork_game(self, request: Call) -> Answer:
        """A new game that is the same as this one up to the version `at`, and then goes its own way.

        To ask "what if", to analyse, to go on with what others began; the old game does not notice. `at` has to be a
        version between two actions.
        """
        club, game = club_of(request), game_of(request)
        await reader(request, club, await club.look(game))
        wish = await read_body(request, bodies.fork)
        key = await key_of(request, await caller(request, club))
        return answer_with(request, await club.fork(game, wish.at, key=key, answer=created))


class Page(NamedTuple):
    """A part of a stream as it is sent, and the version at which it was read."""

    body: bytes
    version: int


async def _page(club: Club, held: Held, after: int, part: Part) -> Page:
    """The events after a version. The end of a stream and its beginning are asked for most: they are at hand."""
    if after >= held.version:
        return Page(b'{"items":[],"next":null,"version":%d}' % held.version, held.version)
    name = f"events {part.view} {part.limit}"
    if not after and name in held.views:
        return Page(held.views[name], held.version)
    events = await club.events(held.id, after=after, limit=part.limit, full=part.view == "full")
    following = b"null" if events.next is None else b'"%d"' % events.next
    body = b'{"items":[%b],"next":%b,"version":%d}' % (b",".join(events.items), following, events.version)
    if not after and events.version == held.version and len(held.views) < VIEWS_KEPT:
        held.views[name] = body
    return Page(body, events.version)


class Records(Controller):
    """Games that come from elsewhere."""

    path = "/v1/records"
    tags = ("stream",)

    @post(
        operation_id="import_record",
        summary="Bring a game in",
        opt={
            "operation": Operation(
                answer="The game as it stands here, with tokens for its host and its seats.",
                gives=Created,
                takes=Record,
                problems=("record_rejected",),
                versioned=True,
                located=True,
            )
        },
    )
    async def import_record(self, request: Call) -> Answer:
        """Send what `export_record` gave; everything is verified, digests and rules, before anything is stored.

        The game keeps its id unless a game here has it: then it gets another one, and with it other digests.
        Whoever brings it in gets all tokens and hands them out.
        """
        for line in (await read_body(request, bodies.record_lines)).events:
            if line.type == "seat_taken" and not is_name(line.name):
                what = f"{shortened(line.name)!r} is not a name of 1 to {LONGEST} visible characters"
                raise Failure("record_rejected", f"{what}.")
        record = await body_of(request)
        key = await key_of(request, None)
        return answer_with(request, await club_of(request).bring_in(record, key=key, answer=created))
