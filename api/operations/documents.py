"""The documents: the OpenAPI document, the reference, the rules and the pages of problems, served as files."""

from functools import cache
from pathlib import Path
from typing import Any

from litestar import Controller, Response

from api.http.etag import IfNoneMatch
from api.http.operation import ETAG, Answer, get
from api.http.static_responses import JSON, StaticContent, static_file, static_response

OPENAPI = Path(__file__).parent.parent.parent / "openapi"
DOCUMENT = OPENAPI / "openapi.json"
PAGES = OPENAPI / "pages"


@cache
def document() -> StaticContent:
    """Read the OpenAPI document."""
    return static_file(DOCUMENT, JSON)


@cache
def page(name: str) -> StaticContent:
    """Read a page that `make openapi` has made."""
    return static_file(PAGES / f"{name}.html")


def problem_page(code: str) -> StaticContent:
    """Read the page about a problem."""
    return page(f"problems/{code}")


class DocumentsController(Controller):
    """Everything there is to read about this API."""

    tags = ("service",)

    @get(
        "/schema",
        operation_id="read_reference",
        summary="This reference, to read",
        answer=Answer(text="A page.", type=str, media_type="text/html", headers=(ETAG,), conditional=True),
    )
    async def read_reference(self, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """Read every operation with its parameters, bodies, answers and examples."""
        return static_response(page("reference"), if_none_match)

    @get(
        "/schema/openapi.json",
        operation_id="read_openapi",
        summary="This reference, for programs",
        answer=Answer(text="An OpenAPI 3.1 document.", type=dict[str, Any], headers=(ETAG,), conditional=True),
    )
    async def read_openapi(self, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """Make a client from it, in any language."""
        return static_response(document(), if_none_match)

    @get(
        "/rules",
        operation_id="read_rules",
        summary="The rules, to read",
        answer=Answer(text="A page.", type=str, media_type="text/html", headers=(ETAG,), conditional=True),
    )
    async def read_rules(self, if_none_match: IfNoneMatch = None) -> Response[bytes]:
        """Read every rule by its number, as descriptions and the `rule` of a refusal cite it.

        `/rules#R4.1` leads to rule R4.1.
        """
        return static_response(page("rules"), if_none_match)
