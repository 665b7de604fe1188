"""The page to play at `/play`: one page for all games, and the modules and styles that it loads.

The files stand at addresses that hold a digest of all of them: a browser keeps what it has for good, and never mixes
files of two releases.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import msgspec
from litestar import Controller
from litestar.params import PathParameter

from api.http.etag import IfNoneMatch
from api.http.operation import get
from api.http.problems import ApiProblem
from api.http.responses import Encoded
from api.http.static_responses import HTML, StaticContent, static_content, static_response

FILES = Path(__file__).parent / "play"
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

RELEASE = "RELEASE"
"""The word in `index.html` that the digest of all files takes the place of."""

POLICY = {
    "content-security-policy": "default-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    "referrer-policy": "no-referrer",
}
KEPT_FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable"}
ASKED_EVERY_TIME = {"cache-control": "no-cache"}

Release = Annotated[str, PathParameter(description="The digest of all files.")]
FileName = Annotated[str, PathParameter(description="The name of a file.")]


class PlayPage(msgspec.Struct, frozen=True):
    """The page, and its files by their names, of one release."""

    release: str
    page: StaticContent
    files: dict[str, StaticContent]


@cache
def play_page() -> PlayPage:
    """Read the page and its files."""
    bodies = {path.name: path.read_bytes() for path in sorted(FILES.iterdir())}
    release = sha256(b"".join(bodies.values())).hexdigest()[:12]
    page = bodies.pop("index.html").replace(RELEASE.encode(), release.encode())
    files = {
        name: static_content(body, MEDIA_TYPES[Path(name).suffix], POLICY | KEPT_FOR_GOOD)
        for name, body in bodies.items()
    }
    return PlayPage(release, static_content(page, HTML, POLICY | ASKED_EVERY_TIME), files)


class PlayController(Controller):
    """The page to play, which is a client of the API like any other and no part of it."""

    path = "/play"
    include_in_schema = False

    @get(["/", "/{game:str}"], media_type=HTML)
    async def read_page(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Answer with the page, which shows the lobby or the game that its own address names."""
        return static_response(play_page().page, if_none_match)

    @get("/files/{release:str}/{name:str}", problems=("not_found",))
    async def read_file(self, release: Release, name: FileName, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Answer with a file of the page, of this release only."""
        found = play_page()
        if release != found.release or name not in found.files:
            raise ApiProblem("not_found", "The page has no such file in this release: load it again.")
        return static_response(found.files[name], if_none_match)
