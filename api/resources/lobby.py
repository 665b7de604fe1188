"""Opening tables, finding them, sitting down, beginning."""

from typing import Annotated, Any

import msgspec
from litestar import Controller, delete, get, post
from msgspec import UNSET, Meta, UnsetType

from api.conventions.access import caller, host
from api.conventions.answers import Answer, encode
from api.conventions.conditions import seen_version
from api.conventions.desk import club_of, game_of, watch_of
from api.conventions.names import Name, clean_name
from api.conventions.operation import Operation
from api.conventions.paging import Cursor, position
from api.conventions.problems import Failure, FieldError, shortened
from api.conventions.requests import Call, read_body, read_query, refuse_unknown_parameters
from api.resources import bodies
from api.resources.replies import Created, GameLine, GameList, Joined, Moved, Seated
from api.resources.writing import answer_with, created, gone, joined, key_of, moved, seated
from domain.application import Listed
from domain.refusals import Refused
from domain.table import Status
from projections.summary import ForkedFrom


class Search(msgspec.Struct, frozen=True):
    """Which games to list."""

    status: Annotated[Status, Meta(description="Only games that are so.")] | UnsetType = UNSET
    player: Annotated[Name, Meta(description="Only games with a player of this name, capitals aside.")] | UnsetType = (
        UNSET
    )
    limit: Annotated[int, Meta(description="How many games at most.", ge=1, le=200)] = 50
    cursor: Cursor = UNSET


_SEATING = ("table_full", "table_closed", "already_started", "name_taken", "invalid_name")


def _for_host(answer: str, gives: Any, *problems: str) -> dict[str, Any]:
    operation = Operation(answer=answer, gives=gives, caller="host", problems=problems, versioned=True)
    return {"operation": operation}


class Lobby(Controller):
    """All tables."""

    path = "/v1/games"
    tags = ("lobby",)

    @post(
        operation_id="create_game",
        summary="Open a table",
        opt={
            "operation": Operation(
                answer="The game, with a token for the host and one for each player.",
                gives=Created,
                takes=bodies.NewGame,
                problems=("invalid_name", "name_taken", "invalid_options"),
                versioned=True,
                located=True,
            )
        },
    )
    async def create_game(self, request: Call) -> Answer:
        """Say how many play, who sits there already, and what is agreed (`options`).

        A full table starts at once; at others the next players sit down with `take_seat`. Keep the tokens: they are
        shown this once.
        """
        club = club_of(request)
        wish = await read_body(request, bodies.new_game)
        if len(wish.players) > wish.seats:
            what = f"{len(wish.players)} players do not fit on {wish.seats} seats"
            raise Failure("invalid_body", f"{what}.", errors=(FieldError("$.players", what),))
        players = [clean_name(name) for name in wish.players]
        key = await key_of(request, None)
        return answer_with(request, await club.open_table(wish.seats, players, wish.options, key=key, answer=created))

    @get(
        operation_id="list_games",
        summary="Find tables and finished games",
        opt={
            "operation": Operation(
                answer="A page of games, the newest first.",
                gives=GameList,
                query=Search,
                caller="reader",
                problems=("invalid_cursor", "invalid_name"),
            )
        },
    )
    async def list_games(self, request: Call) -> Answer:
        """The lobby (`status=open`), what is being played, and the archive (`status=finished`).

        Private games are left out; with a token of one, that one is listed.
        """
        wish = read_query(request, Search)
        who = await caller(request, club_of(request))
        begin = position(wish.cursor)
        listing = await club_of(request).games(
            status=wish.status or None,
            player=clean_name(wish.player) if isinstance(wish.player, str) else None,
            limit=wish.limit,
            cursor=None if begin is None else str(begin),
            visible=who.game if who else None,
        )
        page = GameList(tuple(_line(listed) for listed in listing.items), listing.next)
        return Answer(encode(page), headers=[(b"cache-control", b"no-cache")])


class Table(Controller):
    """One table before play begins, and its tokens."""

    path = "/v1/games/{game_id:str}"
    tags = ("lobby",)

    @post(
        "/seats",
        operation_id="take_seat",
        summary="Sit down",
        opt={
            "operation": Operation(
                answer="The seat, with the token that plays it.",
                gives=Joined,
                takes=bodies.NewSeat,
                problems=_SEATING,
                versioned=True,
            )
        },
    )
    async def take_seat(self, request: Call) -> Answer:
        """Take the next free seat at an open table; when the last one is taken, play begins.

        This goes for private tables too: who knows the id is invited.
        """
        club, game = club_of(request), game_of(request)
        wish = await read_body(request, bodies.new_seat)
        key, seen = await key_of(request, None), seen_version(request)
        name = clean_name(wish.name)
        return answer_with(request, await club.take_seat(game, name, key=key, seen=seen, answer=joined), game)

    @post(
        "/start",
        operation_id="start_game",
        summary="Begin with those who are there",
        status_code=200,
        opt=_for_host("The game has begun.", Moved, "already_started", "too_few_players", "options_unfit"),
    )
    async def start_game(self, request: Call) -> Answer:
        """The host begins although seats are open; at least two players are needed. The open seats are taken away."""
        club, game = club_of(request), game_of(request)
        who = await host(request, club, game)
        await read_body(request, bodies.nothing)
        key, seen = await key_of(request, who), seen_version(request)
        try:
            done = await club.start(game, key=key, seen=seen, answer=moved)
        except Refused as refused:
            raise _for_so_few(refused) from refused
        return answer_with(request, done, game)

    @post(
        "/close",
        operation_id="close_table",
        summary="Let nobody else sit down",
        status_code=200,
        opt=_for_host("The table is closed.", Moved, "already_started", "table_closed"),
    )
    async def close_table(self, request: Call) -> Answer:
        """The host keeps the open seats empty; `start_game` begins with those who are there."""
        club, game = club_of(request), game_of(request)
        who = await host(request, club, game)
        await read_body(request, bodies.nothing)
        key, seen = await key_of(request, who), seen_version(request)
        return answer_with(request, await club.close(game, key=key, seen=seen, answer=moved), game)

    @post(
        "/seats/{seat:str}/token",
        operation_id="renew_token",
        summary="Give a player a new token",
        opt=_for_host("The seat with its new token.", Seated, "unknown_seat"),
    )
    async def renew_token(self, request: Call) -> Answer:
        """For a player who has lost the token, or whose token got into other hands: the old one stops working."""
        club, game = club_of(request), game_of(request)
        who = await host(request, club, game)
        await read_body(request, bodies.nothing)
        key, seen = await key_of(request, who), seen_version(request)
        done = await club.new_token(game, _seat_of(request), key=key, seen=seen, answer=seated)
        return answer_with(request, done, game)


@delete(
    "/v1/games/{game_id:str}",
    tags=["lobby"],
    before_request=refuse_unknown_parameters,
    operation_id="delete_game",
    summary="Take the table away",
    opt=_for_host("The table is gone.", None, "already_started"),
)
async def delete_game(request: Call) -> None:
    """The host takes away a table at which play has not begun. Games that have begun stay."""
    club, game = club_of(request), game_of(request)
    await host(request, club, game)
    await club.delete(game, seen=seen_version(request), answer=gone)
    watch_of(request).tell(game)


def _line(listed: Listed) -> GameLine:
    origin = ForkedFrom(*listed.forked_from) if listed.forked_from else None
    return GameLine(
        id=listed.id,
        status=listed.status,
        version=listed.version,
        seats=listed.seats,
        players=listed.players,
        options=listed.options,
        opened=listed.opened,
        changed=listed.changed,
        winners=listed.winners,
        forked_from=origin,
    )


def _for_so_few(refused: Refused) -> Refused:
    """Options that were right for a full table may not be for those who are there: not yet, not never."""
    if refused.code != "invalid_options":
        return refused
    return Refused("options_unfit", refused.rule, refused.detail, refused.needed, refused.had)


def _seat_of(request: Call) -> int:
    text: str = request.path_params["seat"]
    if len(text) == 1 and text in "0123456789":
        return int(text)
    raise Failure("unknown_seat", f"There is no seat {shortened(text)!r}.")
