"""The document for programs, and the same as a page to read: one file, without scripts, without other servers."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from litestar import Controller, get

from api.conventions.answers import HTML, Answer
from api.conventions.operation import Operation
from api.conventions.printed import Printed, printed, printed_answer
from api.conventions.requests import Call
from api.description.page import render

PATH = Path(__file__).parent.parent.parent / "openapi" / "openapi.json"


@cache
def document() -> Printed:
    """The document as it is kept in the repository: it has examples, and is the same in every process."""
    return printed(PATH.read_bytes())


@cache
def page() -> Printed:
    """The document as a page."""
    return printed(render(json.loads(document().body)).encode())


class Reference(Controller):
    """What this API is."""

    path = "/schema"
    tags = ("service",)

    @get(
        operation_id="read_reference",
        summary="This reference, to read",
        opt={"operation": Operation(answer="A page.", gives=str, media_type="text/html", versioned=True)},
    )
    async def read_reference(self, request: Call) -> Answer:
        """Every operation with its parameters, bodies, answers and examples."""
        return printed_answer(request, page(), HTML)

    @get(
        "/openapi.json",
        operation_id="read_openapi",
        summary="This reference, for programs",
        opt={"operation": Operation(answer="An OpenAPI 3.1 document.", gives=dict[str, Any], versioned=True)},
    )
    async def read_openapi(self, request: Call) -> Answer:
        """Make a client from it, in any language."""
        return printed_answer(request, document())
