"""Bots and hints."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.datastructures import State
from litestar.di import Provide
from msgspec import Meta

from api.bots.workers import BotWorkers, WorkerFailed
from api.http.access import RequestedGame, provide_game
from api.http.conditions import IfNoneMatch, etag, game_headers, matches
from api.http.operation import ADVISED, get
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations.views import game_to_play, not_modified
from domain.bots import BOTS
from domain.field_types import BotKind
from domain.game import Game
from domain.store import LoadedGame
from projections.hint import Hint, hint

ADVISER: BotKind = "planner"
HINT_COST = 500


class BotDescription(msgspec.Struct, frozen=True):
    """A kind of bot."""

    bot: Annotated[BotKind, Meta(description="The kind, a value of `bot` for a player.")]
    description: Annotated[str, Meta(description="How it plays, and how strong it is.")]


class BotList(msgspec.Struct, frozen=True):
    """All kinds of bots, weakest first."""

    items: tuple[BotDescription, ...]
    next: Annotated[None, Meta(description="Always null: all kinds fit on one page.")] = None


_BOTS = BotList(tuple(BotDescription(bot.name, bot.description) for bot in BOTS.values()))


class BotsController(Controller):
    """The kinds of bots."""

    path = "/v1/bots"
    tags = ("lobby",)

    @get(summary="List the kinds of bots", response_description="All kinds of bots.")
    async def list_bots(self) -> BotList:
        """List the kinds of bots. Their names are the values of `bot` for a player.

        A bot moves within seconds, and accepts every proposed undo.
        """
        return _BOTS


class HintController(Controller):
    """Hints."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game)}

    @get(
        "/hint",
        summary="Get a hint",
        response_description="An action, and the reason for it.",
        access=ADVISED,
        problems=("not_started", "game_over", "hints_off", "hint_unavailable"),
    )
    async def read_hint(
        self, request: ApiRequest, state: State, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[Hint]:
        """Get the action that the bot `planner` would choose for `to_play`, with a token of the game.

        The option `hints` can forbid hints.

        The bot takes as long as for its own moves. The hint for a version is computed once. Hints for the same client
        are computed one after the other.
        """
        playing = game_to_play(game)
        if not game.table.options.hints:
            raise ApiProblem("hints_off", "This table plays without hints.")
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        advice: bytes | None = request.views.get((game.reading, game.version, "hint"))
        if advice is None:
            request.charge(HINT_COST)
            async with request.service.heavy.turn(request.client_name):
                advice = await _advise(state["bot_workers"], game, playing)
            request.views.put((game.reading, game.version, "hint"), advice, len(advice))
        return Encoded(advice, headers=game_headers(game))


async def _advise(workers: BotWorkers, game: LoadedGame, playing: Game) -> bytes:
    try:
        action = await workers.choose(ADVISER, playing)
    except WorkerFailed as failed:
        raise ApiProblem("hint_unavailable", "The server cannot compute a hint now.") from failed
    return msgspec.json.encode(hint(game.timeline, playing, ADVISER, action))
