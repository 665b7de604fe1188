"""Tables: opening, finding, joining and starting them."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.di import Provide
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta

from api.http.access import (
    RequestedGame,
    admit_host,
    admit_reader,
    provide_game_to_invited,
)
from api.http.apps import owner_of, ref_of
from api.http.conditions import Cursor, IfNoneMatch, content_tag, matches, position_of
from api.http.limits import SeatLimit
from api.http.operation import GUEST, HOST, INVITED, LOBBY_READER, delete, get, post
from api.http.problems import ApiProblem, FieldError
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations import request_bodies as bodies
from api.operations.changes import (
    Key,
    RequestedChanges,
    charge,
    provide_changes,
    provide_deletion,
    provide_key,
    require_storage,
)
from api.operations.renderers import created, joined, moved
from api.operations.response_bodies import Created, Joined, Moved
from api.operations.views import view
from domain.field_types import Status
from domain.player_names import PlayerName, clean_player_name
from domain.refused import Refused
from domain.store import INVITE, GameSearch, commands
from domain.stream import UnreadableEvent
from domain.table import NewPlayer
from projections.game_entry import GameList, game_entry
from projections.summary import Summary

StatusFilter = Annotated[
    list[Status] | None,
    QueryParameter(name="status", description="Only games with this status. Repeat the parameter for several."),
]
PlayerFilter = Annotated[
    PlayerName | None,
    QueryParameter(name="player", description="Only games with a player of this name."),
]
GamesPerPage = Annotated[
    Annotated[int, msgspec.Meta(ge=1, le=200)], QueryParameter(name="limit", description="Maximum number of games.")
]


PAGE_COST, ENTRIES_READ = 3, 10
"""The cost of a page of the lobby, and the number of its entries that cost 1 more."""

_SHOWN_TO_GUESTS = ("name_taken", "colour_taken")
"""The refusals of a private table that callers without a token see, since they may try again."""


RefFilter = Annotated[
    Annotated[str, Meta(min_length=1, max_length=64)] | None,
    QueryParameter(
        name="ref", description="Only games with a person whom your application calls so. Needs `X-App-Key`."
    ),
]


class TablesController(Controller):
    """The lobby."""

    path = "/v1/games"
    tags = ("lobby",)

    @post(
        summary="Open a table",
        status_code=201,
        response_description="The game, and the tokens of the host and the players.",
        problems=("invalid_name", "name_taken", "colour_taken", "invalid_options", "app_key_missing"),
        dependencies={"key": Provide(provide_key)},
    )
    async def create_game(self, request: ApiRequest, data: JSONBody[bodies.NewGame], key: Key) -> Encoded[Created]:
        """Open a table with a number of seats, the first players, and options.

        A full table starts at once. At other tables, more players join with `take_seat`. With the option `invite`, they
        need the invitation code in the response. Players with `bot` are bots (see `list_bots`): they play by themselves
        and have no tokens. Keep the tokens: they are shown once.
        """
        if len(data.players) > data.seats:
            why = f"{len(data.players)} players for {data.seats} seats"
            raise ApiProblem("invalid_body", f"{why}.", errors=(FieldError("$.players", why),))
        players = [
            NewPlayer(clean_player_name(player)) if isinstance(player, str) else player.cleaned()
            for player in data.players
        ]
        refs = {
            seat: player.ref
            for seat, player in enumerate(data.players)
            if not isinstance(player, str) and player.ref is not None
        }
        owner = owner_of(request, refs)
        if stored := await require_storage(request, key):
            return created(stored)
        commit = await request.service.open_table(data.seats, players, data.options, key=key, owner=owner)
        charge(request, commit)
        return created(commit)

    @get(
        summary="Find tables and finished games",
        response_description="A page of games, newest first.",
        access=LOBBY_READER,
        problems=("invalid_name",),
    )
    async def list_games(
        self,
        request: ApiRequest,
        status: StatusFilter = None,
        player: PlayerFilter = None,
        limit: GamesPerPage = 50,
        cursor: Cursor = None,
        ref: RefFilter = None,
        if_none_match: IfNoneMatch = None,
    ) -> Encoded[GameList]:
        """List open tables (`status=open`), games in play (`playing`) and finished games (`finished`).

        Private games are left out, except the one that your token belongs to. With `ref`, the list has all games in
        which your application refers to a person by it, private ones too.
        """
        found_by = ref_of(request, ref)
        holder = request.auth.holder
        statuses = sorted(set(status or ()))
        search = GameSearch(
            statuses=statuses,
            player=None if player is None else clean_player_name(player),
            limit=limit,
            below=position_of(cursor),
            visible=holder.game if holder else None,
            ref=found_by,
        )
        page = await request.service.list_games(search)
        # The page is selected by the stored status; an entry may already have a newer one.
        entries = tuple(entry for entry in map(game_entry, page.items) if not statuses or entry.status in statuses)
        request.charge(PAGE_COST + len(entries) / ENTRIES_READ, afterwards=True)
        body = msgspec.json.encode(GameList(entries, None if page.next is None else str(page.next)))
        tag = content_tag(body)
        headers = {"etag": tag, "cache-control": "private, no-cache" if holder or found_by else "no-cache"}
        if matches(if_none_match, tag):
            return Encoded(b"", status_code=304, headers=headers)
        return Encoded(body, headers=headers)


class GameController(Controller):
    """One game."""

    path = "/v1/games/{game_id:str}"
    dependencies = {"game": Provide(provide_game_to_invited), "changes": Provide(provide_deletion)}

    @get(
        summary="Get the summary of a game",
        response_description="The summary.",
        access=INVITED,
        tags=["views"],
    )
    async def read_game(
        self, request: ApiRequest, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[Summary]:
        """Get the options, the players, the progress and the winners of a game.

        `to_play` is the seat that has to decide, null before the start and after the end. `proposal` is the open
        proposal of an undo, with the seats that have not answered yet. Before the start, an invitation code also opens
        the summary of a private table.
        """
        return view(request, game, if_none_match, "game")

    @delete(
        summary="Delete a table or a copy",
        response_description="The table is deleted.",
        access=HOST,
        problems=("already_started",),
        tags=["lobby"],
    )
    async def delete_game(self, changes: RequestedChanges) -> None:
        """Delete a table that has not started, or a fork or an import in any status, as the host.

        Other games that have started cannot be deleted.
        """
        await changes.apply(commands.delete)


class TableController(Controller):
    """The seats of one table, and its start."""

    path = "/v1/games/{game_id:str}"
    tags = ("lobby",)
    dependencies = {"changes": Provide(provide_changes)}

    @post(
        "/seats",
        summary="Join a table",
        status_code=201,
        response_description="The seat and its token.",
        access=GUEST,
        problems=(
            *("invite_needed", "table_full", "table_closed", "already_started"),
            *("name_taken", "colour_taken", "invalid_name", "host_only", "app_key_missing"),
        ),
    )
    async def take_seat(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.JoinRequest]
    ) -> Encoded[Joined]:
        """Take the lowest free seat at an open table. When the last seat is taken, play begins.

        Anyone who knows a table's id can join it. If the table has the option `invite`, the invitation code is needed.
        If the host starts the game with free seats, your seat number may change (see `start_game`): your token stays
        valid, and `look_up_seats` returns the new number. Clients that join too many tables get 429.

        The host can seat a bot with `bot` and the host's token. A bot has no token and plays by itself.

        At a private table, the response to a client without a token does not reveal why joining is impossible. There,
        `If-Match` needs a token or the invitation code.
        """
        visit, player, ref = request.auth, data.cleaned(), ref_of(request, data.ref)
        code = data.invite
        invited = code is not None and await request.service.is_known_as(INVITE, visit.id, code)
        if changes.expected_version is not None and not invited:
            admit_reader(visit)
        if (commit := await changes.repeated()) is not None:
            return joined(commit)
        limit: SeatLimit = request.app.state["seat_limit"]
        try:
            if player.bot is not None:
                admit_host(visit)
            elif visit.game.table.options.invite and not invited:
                raise ApiProblem(
                    "invite_needed", "Send the invitation code of this table. It expires when play begins."
                )
            by_host = visit.member is not None and visit.member.holder.role == "host"
            with limit.seat(request.client_name, by_host=by_host) as refund:
                sit_down = changes.issue if player.bot is None else changes.apply
                commit = await sit_down(commands.take_seat(player.name, player.colour, player.bot, ref))
        except (Refused, UnreadableEvent) as refused:
            if getattr(refused, "code", None) not in _SHOWN_TO_GUESTS:
                admit_reader(visit)
            raise
        if commit.repeated:
            refund()
        return joined(commit)

    @post(
        "/start",
        summary="Start the game",
        response_description="The game has started.",
        access=HOST,
        problems=("already_started", "too_few_players", "options_unfit"),
    )
    async def start_game(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[Moved]:
        """Start the game with free seats, as the host. At least two players are needed.

        The free seats are removed, and players move down in order, so that seats are numbered without gaps (events
        `seat_moved` before `game_started`). Tokens stay valid for the new seats. The option `first_player` refers to
        the new numbers, but at a rematch to the old ones: if that seat is free, the next player clockwise begins.
        """
        return moved(request, await changes.apply(commands.start))

    @post(
        "/close",
        summary="Close the table",
        response_description="The table is closed.",
        access=HOST,
        problems=("already_started", "table_closed"),
    )
    async def close_table(
        self, request: ApiRequest, changes: RequestedChanges, data: JSONBody[bodies.NoBody] = bodies.NO_BODY
    ) -> Encoded[Moved]:
        """Stop other players from joining, as the host. `start_game` then starts with the players at the table."""
        return moved(request, await changes.apply(commands.close))
