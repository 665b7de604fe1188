"""The documents: the OpenAPI document, the reference, the rules and the problems, served as files."""

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
SHARED = [FILES.parent / "play" / name for name in ("common.css", "dom.js", "icon.svg")]
"""Files of the page to play that these pages have as well."""

POLICY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
}
"""Pages load their own files, ask this server only, and are framed and followed by nobody."""

ProblemCode = Annotated[str, PathParameter(description="The `code` of a problem.")]


class ProblemKind(msgspec.Struct, frozen=True):
    """A kind of problem: its code, its status, and what to do about it."""

    code: Code
    status: int
    title: str
    help: str


class ReasonKind(msgspec.Struct, frozen=True):
    """A reason for which an action is illegal."""

    reason: Reason
    title: str


class ProblemKinds(msgspec.Struct, frozen=True):
    """Everything that can go wrong."""

    problems: tuple[ProblemKind, ...]
    reasons: tuple[ReasonKind, ...]


@cache
def document() -> StaticContent:
    """Read the OpenAPI document."""
    return static_content(DOCUMENT.read_bytes())


@cache
def page_files() -> PageFiles:
    """Read the files of all pages."""
    return read_files([*FILES.iterdir(), *SHARED], POLICY)


@cache
def page(name: str) -> StaticContent:
    """Read a page that `make openapi` has made."""
    return page_files().page((PAGES / f"{name}.html").read_bytes(), BY_ACCEPT if name == "problems" else None)


@cache
def problem_kinds() -> StaticContent:
    """Encode everything that can go wrong."""
    problems = tuple(ProblemKind(code, entry.status, entry.title, entry.help) for code, entry in CATALOGUE.items())
    reasons = tuple(ReasonKind(reason, title) for reason, title in en.REASONS.items())
    return static_content(msgspec.json.encode(ProblemKinds(problems, reasons)), more=BY_ACCEPT)


class DocumentsController(Controller):
    """Everything there is to read about this API."""

    tags = ("service",)

    @get("/schema", summary="This reference, to read", response_description="A page.", media_type="text/html")
    async def read_reference(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Read every operation with its parameters, bodies, answers and examples."""
        return static_response(page("reference"), if_none_match)

    @get(
        "/schema/openapi.json",
        summary="This reference, for programs",
        response_description="An OpenAPI 3.1 document.",
    )
    async def read_openapi(self, if_none_match: IfNoneMatch = None) -> Encoded[dict[str, Any]]:
        """Make a client from it, in any language."""
        return static_response(document(), if_none_match)

    @get("/rules", summary="The rules, to read", response_description="A page.", media_type="text/html")
    async def read_rules(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Read every rule by its number, as descriptions and the `rule` of a refusal cite it.

        `/rules#R4.1` leads to rule R4.1.
        """
        return static_response(page("rules"), if_none_match)

    @get(
        "/problems",
        summary="Everything that can go wrong",
        response_description="Every code; a page if one is asked for.",
    )
    async def list_problems(self, request: ApiRequest, if_none_match: IfNoneMatch = None) -> Encoded[ProblemKinds]:
        """List all codes of problems with what they mean, and all reasons for which an action can be illegal.

        Who asks for `text/html` rather than JSON, as browsers do, gets a page.
        """
        return static_response(page("problems") if request.prefers_html else problem_kinds(), if_none_match)

    @get(
        "/problems/{code:str}",
        summary="What a problem means",
        response_description="A page about it.",
        problems=("problem_not_found",),
        media_type="text/html",
    )
    async def explain_problem(self, code: ProblemCode, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Read the page that the `type` of a problem leads to."""
        if code not in CATALOGUE:
            raise ApiProblem("problem_not_found", "There is no such problem.")
        return static_response(page(f"problems/{code}"), if_none_match)

    @get("/schema/files/{release:str}/{name:str}", problems=("not_found",), include_in_schema=False)
    async def read_file(self, release: Release, name: FileName, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Answer with a file of the pages."""
        return page_files().response(release, name, if_none_match)

    @get("/favicon.ico", include_in_schema=False)
    async def read_icon(self, if_none_match: IfNoneMatch = None) -> Encoded[str]:
        """Answer with the sign that browsers show beside what names none, such as an answer in JSON."""
        return static_response(page_files().files["icon.svg"], if_none_match)
