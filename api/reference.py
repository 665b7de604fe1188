"""The document for programs, and the same as a page to read: one file, without scripts, without other servers."""

from litestar import Controller, get

from api.answers import HTML, Answer
from api.boards import Printed, printed_answer
from api.operation import Operation
from api.requests import Call


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
        page: Printed = request.app.state["reference"]
        return printed_answer(request, page, HTML)

    @get(
        "/openapi.json",
        operation_id="read_openapi",
        summary="This reference, for programs",
        opt={"operation": Operation(answer="An OpenAPI 3.1 document.", gives=dict[str, object], versioned=True)},
    )
    async def read_openapi(self, request: Call) -> Answer:
        """Make a client from it, in any language."""
        document: Printed = request.app.state["document"]
        return printed_answer(request, document)
