"""The scripts, styles and pictures of pages, sent as they stand in files.

They stand at addresses that hold a digest of all of them: a browser keeps what it has for good, and never mixes files
of two releases.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import msgspec
from litestar.params import PathParameter

from api.http.problems import ApiProblem
from api.http.responses import HTML, Encoded, StaticContent, static_content, static_response

MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

_PLACEHOLDER = b"/files/RELEASE/"
"""The part of an address on a page in which the digest of all files takes the place of a word."""

_IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}
_REVALIDATED = {"cache-control": "no-cache"}

Release = Annotated[str, PathParameter(description="The digest of all files.")]
FileName = Annotated[str, PathParameter(description="The name of a file.")]


class PageFiles(msgspec.Struct, frozen=True):
    """The files of some pages by their names, of one release, and the headers that pages and files have."""

    release: str
    files: dict[str, StaticContent]
    policy: dict[str, str]

    def page(self, body: bytes, more: dict[str, str] | None = None) -> StaticContent:
        """Prepare a page whose addresses lead to the files of this release."""
        body = body.replace(_PLACEHOLDER, b"/files/%b/" % self.release.encode())
        return static_content(body, HTML, self.policy | _REVALIDATED | (more or {}))

    def response(self, release: str, name: str, if_none_match: str | None) -> Encoded[str]:
        """Answer with a file, of this release only."""
        if release != self.release or name not in self.files:
            raise ApiProblem("not_found", "The page has no such file in this release: load it again.")
        return static_response(self.files[name], if_none_match)


def read_files(paths: Iterable[Path], policy: dict[str, str]) -> PageFiles:
    """Read the files of some pages."""
    bodies = {path.name: path.read_bytes() for path in sorted(paths)}
    release = sha256(b"".join(bodies.values())).hexdigest()[:12]
    files = {
        name: static_content(body, MEDIA_TYPES[Path(name).suffix], policy | _IMMUTABLE) for name, body in bodies.items()
    }
    return PageFiles(release, files, policy)
