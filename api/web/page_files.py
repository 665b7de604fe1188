"""The scripts, styles and images of pages, sent as they are.

Their paths contain a digest of all files, so that browsers can cache them for good and never mix two releases.
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
"""The part of a path that is replaced by the digest of all files."""

_IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}
_REVALIDATED = {"cache-control": "no-cache"}

Release = Annotated[str, PathParameter(description="The digest of all files.")]
FileName = Annotated[str, PathParameter(description="The name of a file.")]


class PageFiles(msgspec.Struct, frozen=True):
    """The files of a page or several pages, of one release, and the headers of pages and files."""

    release: str
    files: dict[str, StaticContent]
    policy: dict[str, str]

    def page(self, body: bytes, more: dict[str, str] | None = None) -> StaticContent:
        """Prepare a page that loads the files of this release."""
        body = body.replace(_PLACEHOLDER, b"/files/%b/" % self.release.encode())
        return static_content(body, HTML, self.policy | _REVALIDATED | (more or {}))

    def response(self, release: str, name: str, if_none_match: str | None) -> Encoded[str]:
        """Return a file; another release is 404."""
        if release != self.release or name not in self.files:
            raise ApiProblem("not_found", "This release has no such file. Reload the page.")
        return static_response(self.files[name], if_none_match)


def read_files(paths: Iterable[Path], policy: dict[str, str]) -> PageFiles:
    bodies = {path.name: path.read_bytes() for path in sorted(paths)}
    release = sha256(b"".join(bodies.values())).hexdigest()[:12]
    files = {
        name: static_content(body, MEDIA_TYPES[Path(name).suffix], policy | _IMMUTABLE) for name, body in bodies.items()
    }
    return PageFiles(release, files, policy)
