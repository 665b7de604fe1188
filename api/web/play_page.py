"""The page at `/play`, one for all games, with its modules and styles."""

from functools import cache
from pathlib import Path

from litestar import Controller

from api.http.conditions import IfNoneMatch
from api.http.operation import get
from api.http.responses import HTML, Encoded, StaticContent, static_response
from api.web.page_files import FileName, PageFiles, Release, read_files

FILES = Path(__file__).parent / "play"
PAGE = FILES / "index.html"

POLICY = {
    "content-security-policy": "default-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    "referrer-policy": "no-referrer",
}


@cache
def play_files() -> PageFiles:
    return read_files(set(FILES.iterdir()) - {PAGE}, POLICY)


@cache
def play_page() -> StaticContent:
    return play_files().page(PAGE.read_bytes())


class PlayController(Controller):
    """The page for players, a client of the API and not part of it."""

    path = "/play"
    include_in_schema = False

    @get(["/", "/{game:str}"], media_type=HTML)
    async def read_page(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Return the page, which shows the lobby or the game in its path."""
        return static_response(play_page(), if_none_match)

    @get("/files/{release:str}/{name:str}", problems=("not_found",))
    async def read_file(self, release: Release, name: FileName, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        return play_files().response(release, name, if_none_match)
