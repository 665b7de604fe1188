"""The documents: the OpenAPI document, the reference, the rules and the pages of problems, served as files."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from litestar import Controller
from litestar.params import PathParameter

from api.http.etag import IfNoneMatch
from api.http.operation import get
from api.http.problems import CATALOGUE, ApiProblem
from api.http.responses import Encoded
from api.http.static_responses import HTML, StaticContent, static_content, static_response

OPENAPI = Path(__file__).parent.parent.parent / "openapi"
DOCUMENT = OPENAPI / "openapi.json"
PAGES = OPENAPI / "pages"

_STYLES = re.compile(rb"<style>(.*?)</style>", re.DOTALL)

ProblemCode = Annotated[str, PathParameter(description="The `code` of a problem.")]


@cache
def document() -> StaticContent:
    """Read the OpenAPI document."""
    return static_content(DOCUMENT.read_bytes())


@cache
def page(name: str) -> StaticContent:
    """Read a page that `make openapi` has made."""
    body = (PAGES / f"{name}.html").read_bytes()
    return static_content(body, HTML, page_headers(body))


def page_headers(page: bytes) -> dict[str, str]:
    """Return the headers by which a page gets its own styles and nothing else, and is framed and followed by nobody."""
    hashes = [b64encode(sha256(style).digest()).decode() for style in _STYLES.findall(page)]
    styles = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    none = ("default-src", "base-uri", "form-action", "frame-ancestors")
    policy = "; ".join([*(f"{directive} 'none'" for directive in none), f"style-src {styles}"])
    return {"content-security-policy": policy, "referrer-policy": "no-referrer"}


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
