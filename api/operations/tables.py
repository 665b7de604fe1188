"""Tables: opening them, finding them, sitting down, beginning."""

from typing import Annotated

import msgspec
from litestar import Controller, Response
from litestar.di import Provide
from litestar.params import JSONBody, PathParameter, QueryParameter

from api.http.access import Game, Service, find_token_holder, provide_game_at
from api.http.etag import IfNoneMatch
from api.http.operation import ETAG, HOST, LOCATION, READER, Answer, delete, get, post
from api.http.paging import Cursor, position_of
from api.http.problems import ApiProblem, FieldError, shortened
from api.http.request_body import ApiRequest
from api.operations import bodies
from api.operations.changes import (
    Changes,
    Key,
    created,
    deleted,
    joined,
    moved,
    provide_changes,
    provide_deletion,
    provide_key,
    respond,
    seated,
)
from api.operations.replies import Created, GameLine, GameList, Joined, Moved, Seated
from api.operations.views import GAME_PROBLEMS, view, view_answer
from domain.player_names import PlayerName, clean_player_name
from domain.refused import Refused
from domain.store import ListedGame, commands
from domain.store.commands import Command
from domain.table import Status
from projections.summary import ForkedFrom, Summary, summary

_CHANGE_PROBLEMS = (*GAME_PROBLEMS, "stale_version")

CREATED = Answer(
    text="The game, with a token for the host and one for each player.",
    type=Created,
    status=201,
    headers=(ETAG, LOCATION),
)

StatusFilter = Annotated[Status | None, QueryParameter(name="status", description="Only games that are so.")]
PlayerFilter = Annotated[
    PlayerName | None,
    QueryParameter(name="player", description="Only games with a player of this name, capitals aside."),
]
PageLength = Annotated[
    Annotated[int, msgspec.Meta(ge=1, le=200)], QueryParameter(name="limit", description="How many games at most.")
]
Seat = Annotated[
    str,
    PathParameter(
        description="The number of a seat, from 0.", schema_extra={"type": "integer", "minimum": 0, "maximum": 4}
    ),
]


class TablesController(Controller):
    """All tables."""

    path = "/v1/games"
    tags = ("lobby",)

    @post(
        operation_id="create_game",
        summary="Open a table",
        answer=CREATED,
        problems=("invalid_name", "name_taken", "invalid_options"),
        dependencies={"key": Provide(provide_key)},
    )
    async def create_game(self, service: Service, data: JSONBody[bodies.NewGame], key: Key) -> Response[bytes]:
        """Say how many play, who sits there already, and what is agreed (`options`).

        A full table starts at once; at others the next players sit down with `take_seat`. Keep the tokens: they are
        shown this once.
        """
        if len(data.players) > data.seats:
            why = f"{len(data.players)} players do not fit on {data.seats} seats"
            raise ApiProblem("invalid_body", f"{why}.", errors=(FieldError("$.players", why),))
        players = [clean_player_name(name) for name in data.players]
        return respond(await service.open_table(data.seats, players, data.options, created, key=key))

    @get(
        operation_id="list_games",
        summary="Find tables and finished games",
        answer=Answer(text="A page of games, the newest first.", type=GameList),
        access=READER,
        problems=("invalid_cursor", "invalid_name"),
    )
    async def list_games(
        self,
        request: ApiRequest,
        service: Service,
        status: StatusFilter = None,
        player: PlayerFilter = None,
        limit: PageLength = 50,
        cursor: Cursor = None,
    ) -> Response[bytes]:
        """List the lobby (`status=open`), what is being played, and the archive (`status=finished`).

        Private games are left out; with a token of one, that one is listed.
        """
        holder = await find_token_holder(request)
        position = position_of(cursor)
        listing = await service.list_games(
            status=status,
            player=None if player is None else clean_player_name(player),
            limit=limit,
            cursor=None if position is None else str(position),
            visible=holder.game if holder else None,
        )
        page = GameList(tuple(_line(listed) for listed in listing.items), listing.next)
        headers = {"cache-control": "no-cache"}
        return Response(msgspec.json.encode(page), media_type="application/json", headers=headers)


class TableController(Controller):
    """One table, its seats and its tokens."""

    path = "/v1/games/{game_id:str}"
    dependencies = {"changes": Provide(provide_changes)}

    @get(
        operation_id="read_game",
        tags=["views"],
        summary="Who plays, and whose turn it is",
        answer=view_answer("The summary.", Summary),
        access=READER,
        problems=(*GAME_PROBLEMS, "version_not_found"),
        dependencies={"game": Provide(provide_game_at)},
    )
    async def read_game(self, game: Game, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """Read the game in a few lines: its options, who sits where, how far it is, who has won.

        `to_play` is the seat that has to decide, null before the start and after the end. A proposed undo stands here
        too, with those who have yet to answer.
        """
        return view(game, if_none_match, "summary", lambda: summary(game.id, game.version, game.table, game.game))

    @delete(
        operation_id="delete_game",
        tags=["lobby"],
        summary="Take the table away",
        answer=Answer(text="The table is gone.", status=204),
        access=HOST,
        problems=(*_CHANGE_PROBLEMS, "already_started"),
        dependencies={"changes": Provide(provide_deletion)},
    )
    async def delete_game(self, changes: Changes) -> None:
        """Take away a table at which play has not begun, as its host. Games that have begun stay."""
        await changes.apply(commands.delete, deleted)

    @post(
        "/seats",
        operation_id="take_seat",
        tags=["lobby"],
        summary="Sit down",
        answer=Answer(text="The seat, with the token that plays it.", type=Joined, status=201, headers=(ETAG,)),
        problems=(
            *_CHANGE_PROBLEMS,
            "table_full",
            "table_closed",
            "already_started",
            "name_taken",
            "invalid_name",
        ),
    )
    async def take_seat(self, changes: Changes, data: JSONBody[bodies.NewSeat]) -> Response[bytes]:
        """Take the next free seat at an open table; when the last one is taken, play begins.

        This goes for private tables too: who knows the id is invited.
        """
        return await changes.apply(commands.take_seat(clean_player_name(data.name)), joined)

    @post(
        "/start",
        operation_id="start_game",
        tags=["lobby"],
        summary="Begin with those who are there",
        answer=Answer(text="The game has begun.", type=Moved, headers=(ETAG,)),
        access=HOST,
        problems=(*_CHANGE_PROBLEMS, "already_started", "too_few_players", "options_unfit"),
    )
    async def start_game(self, changes: Changes, data: JSONBody[bodies.NoBody] = bodies.NO_BODY) -> Response[bytes]:
        """Begin although seats are open, as the host; at least two players are needed.

        The open seats are taken away.
        """
        try:
            return await changes.apply(commands.start, moved)
        except Refused as refused:
            raise _for_so_few(refused) from refused

    @post(
        "/close",
        operation_id="close_table",
        tags=["lobby"],
        summary="Let nobody else sit down",
        answer=Answer(text="The table is closed.", type=Moved, headers=(ETAG,)),
        access=HOST,
        problems=(*_CHANGE_PROBLEMS, "already_started", "table_closed"),
    )
    async def close_table(self, changes: Changes, data: JSONBody[bodies.NoBody] = bodies.NO_BODY) -> Response[bytes]:
        """Keep the open seats empty, as the host; `start_game` begins with those who are there."""
        return await changes.apply(commands.close, moved)

    @post(
        "/seats/{seat:str}/token",
        operation_id="renew_token",
        tags=["lobby"],
        summary="Give a player a new token",
        answer=Answer(text="The seat with its new token.", type=Seated, status=201, headers=(ETAG,)),
        access=HOST,
        problems=(*_CHANGE_PROBLEMS, "unknown_seat"),
    )
    async def renew_token(
        self, seat: Seat, changes: Changes, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Response[bytes]:
        """Replace a token that was lost or got into other hands: the old one stops working."""
        return await changes.apply(_renew_token(seat), seated)


def _renew_token(seat: str) -> Command:
    if len(seat) == 1 and seat in "0123456789":
        return commands.renew_token(int(seat))
    raise ApiProblem("unknown_seat", f"There is no seat {shortened(seat)!r}.")


def _line(listed: ListedGame) -> GameLine:
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
        forked_from=ForkedFrom(*listed.forked_from) if listed.forked_from else None,
    )


def _for_so_few(refused: Refused) -> Refused:
    """Return the refusal of options that were right for a full table: not yet, not never."""
    if refused.code != "invalid_options":
        return refused
    return Refused("options_unfit", refused.rule, refused.detail, refused.needed, refused.had)
