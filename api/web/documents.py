"""The OpenAPI document, the reference, the rules and the problems, served from files."""

from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from litestar import Controller
from litestar.params import PathParameter

from api.http.conditions import IfNoneMatch
from api.http.operation import get
from api.http.problems import CATALOGUE, ApiProblem, Code
from api.http.requests import ApiRequest
from api.http.responses import BY_ACCEPT, Encoded, StaticContent, static_content, static_response
from api.web.page_files import FileName, PageFiles, Release, read_files
from domain.modules import Reason
from projections.words import en

OPENAPI = Path(__file__).parent.parent.parent / "openapi"
DOCUMENT = OPENAPI / "openapi.json"
PAGES = OPENAPI / "pages"
FILES = Path(__file__).parent / "reference"
SHARED = [FILES.parent / "play" / name for name in ("common.css", "dom.js", "icon.svg", "marks.css")]
"""Files of the page at `/play` that these pages use, too."""

POLICY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
}
"""Pages load only files of this server, send requests only to it, and cannot be framed."""

ProblemCode = Annotated[str, PathParameter(description="The `code` of a problem.")]


class ProblemKind(msgspec.Struct, frozen=True):
    """A kind of problem: its code, its status, its title, and what to do about it."""

    code: Code
    status: int
    title: str
    help: str


class ReasonKind(msgspec.Struct, frozen=True):
    """A reason why an action is illegal."""

    reason: Reason
    title: str


class ProblemKinds(msgspec.Struct, frozen=True):
    """All problems, and all reasons why an action can be illegal."""

    problems: tuple[ProblemKind, ...]
    reasons: tuple[ReasonKind, ...]


@cache
def document() -> StaticContent:
    return static_content(DOCUMENT.read_bytes())


@cache
def page_files() -> PageFiles:
    return read_files([*FILES.iterdir(), *SHARED], POLICY)


@cache
def page(name: str) -> StaticContent:
    """Read a generated page."""
    return page_files().page((PAGES / f"{name}.html").read_bytes(), BY_ACCEPT if name == "problems" else None)


@cache
def problem_kinds() -> StaticContent:
    problems = tuple(ProblemKind(code, entry.status, entry.title, entry.help) for code, entry in CATALOGUE.items())
    reasons = tuple(ReasonKind(reason, title) for reason, title in en.REASONS.items())
    return static_content(msgspec.json.encode(ProblemKinds(problems, reasons)), more=BY_ACCEPT)


class DocumentsController(Controller):
    """The documentation of this API."""

    tags = ("service",)

    @get(
        "/schema", summary="Read the reference", response_description="A page.", media_type="text/html", any_query=True
    )
    async def read_reference(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Read about every operation, with its parameters, bodies, responses and examples."""
        return static_response(page("reference"), if_none_match)

    @get(
        "/schema/openapi.json",
        summary="Get the OpenAPI document",
        response_description="An OpenAPI 3.1 document.",
    )
    async def read_openapi(self, if_none_match: IfNoneMatch = None) -> Encoded[dict[str, Any]]:
        """Get the OpenAPI document, from which clients can be generated in many languages."""
        return static_response(document(), if_none_match)

    @get("/rules", summary="Read the rules", response_description="A page.", media_type="text/html", any_query=True)
    async def read_rules(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Learn how to play, or read the rules. Descriptions and the `rule` of a refusal cite them by their numbers.

        `/rules#R4.1` shows rule R4.1.
        """
        return static_response(page("rules"), if_none_match)

    @get(
        "/problems",
        summary="List all problems",
        response_description="All codes, as JSON or as a page.",
    )
    async def list_problems(self, request: ApiRequest, if_none_match: IfNoneMatch = None) -> Encoded[ProblemKinds]:
        """List all problem codes with explanations, and all reasons why an action can be illegal.

        Clients that prefer `text/html` to JSON, such as browsers, get a page.
        """
        return static_response(page("problems") if request.prefers_html else problem_kinds(), if_none_match)

    @get(
        "/problems/{code:str}",
        summary="Explain a problem",
        response_description="A page.",
        problems=("problem_not_found",),
        media_type="text/html",
    )
    async def explain_problem(self, code: ProblemCode, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Read the explanation of a problem code. The `type` of a problem links here."""
        if code not in CATALOGUE:
            raise ApiProblem("problem_not_found", "This problem code does not exist.")
        return static_response(page(f"problems/{code}"), if_none_match)

    @get("/schema/files/{release:str}/{name:str}", problems=("not_found",), include_in_schema=False)
    async def read_file(self, release: Release, name: FileName, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        return page_files().response(release, name, if_none_match)

    @get("/favicon.ico", include_in_schema=False)
    async def read_icon(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Return the icon that browsers show for responses without one, such as JSON."""
        return static_response(page_files().files["icon.svg"], if_none_match)
