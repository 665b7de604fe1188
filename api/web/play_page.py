"""The pages at `/play` and `/embed`, with their modules and styles."""

from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from litestar import Controller
from litestar.exceptions import NotFoundException
from litestar.response import Response

from api.http.access import GameIdInPath, parse_game_id
from api.http.conditions import IfNoneMatch
from api.http.exception_handlers import unknown_address
from api.http.operation import get
from api.http.problems import ApiProblem
from api.http.requests import ApiRequest
from api.http.responses import BY_ACCEPT, HTML, Encoded, StaticContent, static_response
from api.web.page_files import FileName, PageFiles, Release, read_files
from domain.boards import load_board
from domain.store import LoadedGame, StorageUnavailable, UnknownGame
from domain.stream import UnreadableEvent
from projections.link_preview import link_preview

FILES = Path(__file__).parent / "play"
PAGE = FILES / "index.html"
EMBED = FILES / "embed.html"

POLICY = {
    "content-security-policy": "default-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    "referrer-policy": "no-referrer",
}
FRAMED = {"content-security-policy": POLICY["content-security-policy"].replace("ancestors 'none'", "ancestors *")}
"""The policy of the only page that other pages may frame. It uses no tokens and changes nothing."""

TITLE = b"<title>Franchise</title>"
DESCRIPTION = b'<meta name="description" content="Play the board game Franchise, and replay games move by move.">'
"""The parts of the page that depend on the game in its path."""

PICTURE_WIDTH = 1200
"""The width of pictures in link previews; images of this width are cached."""

SCRIPT = b'<script type="module" src="/play/files/RELEASE/main.js"></script>'
NO_SCRIPT = b'<noscript><p class="note">This page needs JavaScript.</p></noscript>'
NOTHING_HERE = b"""<section class="card narrow">
    <h1>Nothing is here</h1>
    <p>The address is wrong, or the game was deleted.</p>
    <p class="buttons"><a class="button primary" href="/play">Lobby</a> <a class="button" href="/rules">Rules</a></p>
  </section>"""


@cache
def play_files() -> PageFiles:
    return read_files(set(FILES.iterdir()) - {PAGE, EMBED}, POLICY)


@cache
def page_body() -> bytes:
    return PAGE.read_bytes()


@cache
def play_page() -> StaticContent:
    return play_files().page(page_body())


@cache
def embed_page() -> StaticContent:
    return play_files().page(EMBED.read_bytes(), FRAMED)


async def public_game(request: ApiRequest, game: str) -> LoadedGame | None:
    """Return a public game; None for a private one, and for one that cannot be read now."""
    try:
        found = await request.service.load(parse_game_id(game))
    except (UnreadableEvent, StorageUnavailable):
        return None
    return None if found.table.options.private else found


def page_of(game: LoadedGame, origin: str) -> StaticContent:
    """Return the page with the words and the picture of a game, for link previews (Open Graph)."""
    preview, url = link_preview(game.timeline), f"{origin}/play/{game.id}"
    _, _, width, height = load_board(game.table.options.board).view_box
    properties = {
        "og:site_name": "Franchise",
        "og:type": "website",
        "og:url": url,
        "og:title": preview.title,
        "og:description": preview.description,
        # The version in the address keeps the picture and the words the same in the caches of chats.
        "og:image": f"{origin}/v1/games/{game.id}/board.png?at={game.version}&width={PICTURE_WIDTH}",
        "og:image:type": "image/png",
        "og:image:width": str(PICTURE_WIDTH),
        "og:image:height": str(-(-PICTURE_WIDTH * height // width)),
        "og:image:alt": preview.picture,
    }
    tags = [f'<meta property="{name}" content="{escape(text)}">' for name, text in properties.items()]
    described = f'<meta name="description" content="{escape(preview.description)}">'
    head = "\n  ".join([described, '<meta name="twitter:card" content="summary_large_image">', *tags])
    body = page_body().replace(DESCRIPTION, head.encode())
    return play_files().page(body.replace(TITLE, f"<title>{escape(preview.title)}</title>".encode()))


@cache
def absent_page() -> Encoded[str]:
    """Return the page of an address without a game or a page."""
    body = page_body().replace(TITLE, b"<title>Franchise: nothing is here</title>")
    body = body.replace(SCRIPT, b"").replace(NO_SCRIPT, NOTHING_HERE)
    whole = play_files().page(body).whole
    headers = {name: value for name, value in whole.headers.items() if name != "etag"}
    return Encoded(whole.body, status_code=404, media_type=HTML, headers=headers | BY_ACCEPT)


def not_found_response(request: Any, error: NotFoundException) -> Response[Any]:
    """Return a page for people at an unknown address, the problem for programs."""
    return absent_page() if request.prefers_html else unknown_address(error).to_response(request)


class PlayController(Controller):
    """The page for players, a client of the API and not part of it."""

    path = "/play"
    include_in_schema = False

    @get(media_type=HTML, any_query=True)
    async def read_page(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Return the page with the lobby."""
        return static_response(play_page(), if_none_match)

    @get("/{game:str}", media_type=HTML, any_query=True, cost=2)
    async def read_game_page(
        self, request: ApiRequest, game: GameIdInPath, if_none_match: IfNoneMatch = None
    ) -> Encoded[str]:
        """Return the same page, with the words and the picture of a public game for link previews."""
        try:
            found = await public_game(request, game)
        except (ApiProblem, UnknownGame):
            return absent_page()
        origin = f"{request.scope['scheme']}://{request.headers.get('host', '')}"
        page = page_of(found, origin) if found else play_page()
        return static_response(page, if_none_match)

    @get("/files/{release:str}/{name:str}", problems=("not_found",))
    async def read_file(self, release: Release, name: FileName, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        return play_files().response(release, name, if_none_match)


class EmbedController(Controller):
    """The page of a public game for frames of other pages."""

    path = "/embed"
    include_in_schema = False

    @get("/{game:str}", media_type=HTML, any_query=True)
    async def read_page(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Return the page, which shows the game in its path."""
        return static_response(embed_page(), if_none_match)
