"""Bots: their kinds, and what the strongest one would do."""

from typing import Annotated

import msgspec
from litestar import Controller
from litestar.datastructures import State
from litestar.di import Provide
from msgspec import Meta

from api.bots.workers import BotWorkers, WorkerFailed
from api.http.access import RequestedGame, provide_game
from api.http.conditions import IfNoneMatch, etag, game_headers, matches
from api.http.operation import READER, get
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from api.http.responses import Encoded
from api.operations.views import not_modified
from domain.bots import BOTS
from domain.field_types import BotKind
from domain.game import Game
from domain.refused import Refused
from domain.store import LoadedGame
from projections.hint import Hint, hint

ADVISER: BotKind = "planner"
HINT_COST = 500


class BotDescription(msgspec.Struct, frozen=True):
    """A kind of bot."""

    bot: Annotated[BotKind, Meta(description="The name of the kind, as `bot` of a player takes it.")]
    description: Annotated[str, Meta(description="Its way to play, and how strong it is.")]


class BotList(msgspec.Struct, frozen=True):
    """All kinds of bots, the weakest first."""

    items: tuple[BotDescription, ...]
    next: Annotated[None, Meta(description="All kinds come in one page.")] = None


_BOTS = BotList(tuple(BotDescription(bot.name, bot.description) for bot in BOTS.values()))


class BotsController(Controller):
    """The kinds of bots."""

    path = "/v1/bots"
    tags = ("lobby",)

    @get(summary="Which bots there are", response_description="All kinds of bots.")
    async def list_bots(self) -> BotList:
        """List the kinds of bots that can sit at a table, by the name that `bot` of a player takes.

        A bot moves by itself when it is its turn, in seconds, and agrees to every undo that is proposed.
        """
        return _BOTS


class HintController(Controller):
    """The advice of a bot."""

    path = "/v1/games/{game_id:str}"
    tags = ("views",)
    dependencies = {"game": Provide(provide_game)}

    @get(
        "/hint",
        summary="What a bot would do",
        response_description="An action, and why.",
        access=READER,
        problems=("not_started", "game_over", "hint_unavailable"),
    )
    async def read_hint(
        self, request: ApiRequest, state: State, game: RequestedGame, if_none_match: IfNoneMatch = None
    ) -> Encoded[Hint]:
        """Ask the bot `planner` what it would do in the place of `to_play`.

        It thinks for about as long as for a move of its own, and once for each version; of each client about one game
        at a time.
        """
        if matches(if_none_match, etag(game.version)):
            return not_modified(game)
        playing = _game_to_play(game)
        advice: bytes | None = request.views.get((game.reading, game.version, "hint"))
        if advice is None:
            request.charge(HINT_COST)
            async with request.service.heavy_turn(request.client_name):
                advice = await _advise(state["bot_workers"], game, playing)
            request.views.put((game.reading, game.version, "hint"), advice, len(advice))
        return Encoded(advice, headers=game_headers(game))


async def _advise(workers: BotWorkers, game: LoadedGame, playing: Game) -> bytes:
    try:
        action = await workers.choose(ADVISER, playing)
    except WorkerFailed as failed:
        raise ApiProblem("hint_unavailable", "No bot thinks in this process.") from failed
    return msgspec.json.encode(hint(game.timeline, playing, ADVISER, action))


def _game_to_play(game: LoadedGame) -> Game:
    """Return the game if somebody has to decide in it, or raise ``Refused``."""
    if game.game is None:
        raise Refused("not_started", "table", "Play has not begun.")
    if game.game.ending is not None:
        raise Refused("game_over", "R8.1", "The game is over.", {"status": "playing"}, {"status": "finished"})
    return game.game
